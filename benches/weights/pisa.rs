//! A collection as PISA reads it: sequences of 32-bit numbers, each after its length. Frequencies are the weights.

use crate::collection::List;
use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

fn put(out: &mut impl Write, numbers: impl ExactSizeIterator<Item = u32>) -> Result<()> {
    out.write_all(&(numbers.len() as u32).to_le_bytes())?;
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// Writes the files into a folder.
pub fn write(documents: u32, lists: &[List], folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let create = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    let (mut docs, mut freqs, mut sizes) = (create("inv.docs")?, create("inv.freqs")?, create("inv.sizes")?);
    let (mut terms, mut names) = (create("fwd.terms")?, create("fwd.documents")?);
    let mut weights = vec![0; documents as usize];
    put(&mut docs, [documents].into_iter())?;
    for (term, list) in lists {
        put(&mut docs, list.iter().map(|of| of.0))?;
        put(&mut freqs, list.iter().map(|of| of.1))?;
        list.iter().for_each(|&(document, weight)| weights[document as usize] += weight);
        writeln!(terms, "{term}")?;
    }
    put(&mut sizes, weights.into_iter())?;
    (0..documents).try_for_each(|document| writeln!(names, "{document}"))?;
    [docs, freqs, sizes, terms, names].iter_mut().try_for_each(Write::flush)
}
