//! PISA collections of any bytes: refused, or read, and the same documents come with any memory. `cargo fuzz run
//! index_pisa` (with `-s none` without a nightly compiler).

#![no_main]

use libfuzzer_sys::fuzz_target;
use postings::interchange::pisa::{Files, read_pisa};
use std::io::Cursor;

fuzz_target!(|input: (Vec<u16>, Vec<u16>, u8, u8, Option<&[u8]>, &[u8])| {
    let (docs, freqs, documents, left, terms, names) = input;
    // Small numbers, so that some of them fit together.
    let bytes =
        |numbers: &[u16]| numbers.iter().flat_map(|&number| u32::from(number).to_le_bytes()).collect::<Vec<u8>>();
    let docs = [bytes(&[1, documents.into()]), bytes(&docs)].concat();
    let freqs = bytes(&freqs);
    let sizes = [bytes(&[documents.into()]), bytes(&vec![1; documents.into()])].concat();
    let file = |bytes| (Cursor::new(bytes), String::new());
    let read = |memory| {
        let files = Files {
            docs: file(&docs[..docs.len() - usize::from(left % 8 / 7)]),
            freqs: file(&freqs[..]),
            sizes: file(&sizes[..]),
            terms: terms.map(file),
            names: (left > 200).then(|| file(names)),
        };
        let mut all = Vec::new();
        let counts = read_pisa(files, memory, |id, tokens| {
            all.push((id.to_id(), tokens));
            Ok(())
        });
        (counts, all)
    };
    let (counts, all) = read(0);
    if let Ok(counts) = counts {
        assert_eq!(counts.documents, all.len() as u64);
        assert_eq!(counts.tokens, all.iter().map(|document| document.1.len() as u64).sum::<u64>());
        assert_eq!(read(1 << 30), (Ok(counts), all));
    }
});
