//! Collections of PISA (`pisa-engine/pisa`, "Inverting"): the uncompressed form from which its indexes are made.
//!
//! ```text
//! NAME.docs       sequences: one of a single number, the documents; then, per term, its docIDs
//! NAME.freqs      sequences: per term, its frequency in each of these documents
//! NAME.sizes      one sequence: the length of each document
//! NAME.terms      the terms, one per line, in the same order
//! NAME.documents  the names of the documents, one per line
//! ```
//! A sequence is a count and as many numbers, all u32, little-endian. Both files of text may be missing: then terms and
//! documents are called by their numbers.

use super::input::Input;
use super::invert::{Source, Tokens, Visitor, invert};
use super::lists::{Lists, id_text, term_text};
use super::{Counts, NewFile, into, text_field, with_suffix};
use crate::base::error::{Error, Result};
use crate::base::files::{failed, open_regular};
use crate::index::segment::IdRef;
use crate::index::{Snapshot, Writer};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

const FORMAT: &str = "PISA";

/// The ends of the names of the files.
pub const SUFFIXES: [&str; 5] = [".docs", ".freqs", ".sizes", ".terms", ".documents"];

/// Writes a text field of an index as a collection, in five files whose names begin with `base`: terms in the order of
/// their bytes, ids as names (integers as digits), and lengths that are exact up to 40 and rounded down above. Deleted
/// documents are left out. Files appear, or replace others, once all are whole. Takes memory for the longest list.
///
/// # Errors
/// [`Error::Argument`] if it is no text field, or a term or an id is not UTF-8 or contains a line break;
/// [`Error::Corrupt`] if the index is damaged; [`Error::File`].
pub fn export_pisa(snapshot: &Snapshot, field: usize, base: &Path) -> Result<Counts> {
    let lists = Lists::new(snapshot, field)?;
    let documents = lists.documents();
    let create = |suffix| NewFile::create(&with_suffix(base, suffix));
    let [docs, freqs, sizes, terms, names] = SUFFIXES;
    let (mut docs, mut freqs, mut sizes) = (create(docs)?, create(freqs)?, create(sizes)?);
    let (mut terms, mut names) = (create(terms)?, create(names)?);
    let mut counts = Counts { documents: documents.into(), ..Counts::default() };
    put_sequence(&mut docs, &[documents])?;
    lists.for_each(|term, doc_ids, frequencies| {
        put_line(&mut terms, "term", term_text(term)?)?;
        put_sequence(&mut docs, doc_ids)?;
        put_sequence(&mut freqs, frequencies)?;
        counts.lists += 1;
        counts.postings += doc_ids.len() as u64;
        counts.tokens += frequencies.iter().map(|&frequency| u64::from(frequency)).sum::<u64>();
        Ok(())
    })?;
    put_numbers(&mut sizes, &[documents])?;
    let mut digits = String::new();
    lists.for_each_document(|id, length| {
        put_numbers(&mut sizes, &[length])?;
        put_line(&mut names, "id", id_text(id, &mut digits)?)
    })?;
    let mut files = [docs, freqs, sizes, terms, names];
    files.iter_mut().try_for_each(NewFile::close)?;
    files.into_iter().try_for_each(NewFile::finish)?;
    Ok(counts)
}

fn put_sequence(out: &mut NewFile, numbers: &[u32]) -> Result<()> {
    put_numbers(out, &[numbers.len() as u32])?;
    put_numbers(out, numbers)
}

fn put_numbers(out: &mut NewFile, numbers: &[u32]) -> Result<()> {
    let mut all = numbers.iter();
    all.try_for_each(|number| out.write_all(&number.to_le_bytes())).map_err(|error| out.failed(&error))
}

fn put_line(out: &mut NewFile, what: &str, text: &str) -> Result<()> {
    if text.contains('\n') {
        return Err(Error::Argument(format!("the {what} \"{}\" contains a line break", text.escape_debug())));
    }
    out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(|error| out.failed(&error))
}

/// Adds the documents of a collection to an index: their terms in a text field, their names as ids (strings). If there is
/// no file of terms, terms are their numbers from 0 on, in decimal digits; if there is none of documents, docIDs are the
/// ids (integers). A document with an id that is there is replaced. Reads the files at least twice, once more whenever the
/// writer's memory is full.
///
/// # Errors
/// [`Error::Corrupt`], with file and byte, if they are not as the format says; nothing was added then.
/// [`Error::Argument`] if it is no text field, or a document has more than [`MOST_TOKENS`](super::MOST_TOKENS);
/// [`Error::File`]. Documents before that were added and go with [`Writer::rollback`].
pub fn import_pisa(base: &Path, writer: &mut Writer, field: usize) -> Result<Counts> {
    text_field(writer.schema(), field)?;
    let open = |suffix| {
        let path = with_suffix(base, suffix);
        let (file, _) = open_regular(&path).map_err(|error| (failed(&path, &error), error.kind()))?;
        Ok((file, path.display().to_string()))
    };
    let must = |suffix| open(suffix).map_err(|(error, _)| error);
    let may = |suffix| match open(suffix) {
        Ok(file) => Ok(Some(file)),
        Err((_, ErrorKind::NotFound)) => Ok(None),
        Err((error, _)) => Err(error),
    };
    let [docs, freqs, sizes, terms, names] = SUFFIXES;
    let files =
        Files { docs: must(docs)?, freqs: must(freqs)?, sizes: must(sizes)?, terms: may(terms)?, names: may(names)? };
    let memory = writer.options().memory;
    read_pisa(files, memory, into(writer, field))
}

/// The files of a collection, each with its name for messages.
#[derive(Debug)]
pub struct Files<R> {
    /// docIDs.
    pub docs: (R, String),
    /// Frequencies.
    pub freqs: (R, String),
    /// Lengths.
    pub sizes: (R, String),
    /// Terms.
    pub terms: Option<(R, String)>,
    /// Names of documents.
    pub names: Option<(R, String)>,
}

/// Calls `each` for the documents of a collection, with their ids and terms, in about `memory` bytes.
///
/// # Errors
/// As [`import_pisa`], and those of `each`.
pub fn read_pisa<R: Read + Seek>(
    files: Files<R>,
    memory: usize,
    mut each: impl FnMut(IdRef<'_>, Tokens) -> Result<()>,
) -> Result<Counts> {
    let input = |(from, name): (R, String)| Input::new(FORMAT, &name, from);
    let mut pisa = Pisa {
        docs: input(files.docs)?,
        freqs: input(files.freqs)?,
        sizes: input(files.sizes)?,
        terms: files.terms.map(input).transpose()?,
        names: files.names.map(input).transpose()?,
    };
    invert(&mut pisa, memory, &mut each)
}

struct Pisa<R> {
    docs: Input<R>,
    freqs: Input<R>,
    sizes: Input<R>,
    terms: Option<Input<R>>,
    names: Option<Input<R>>,
}

/// The count of the next sequence, of which the file has all numbers; `None` at the end of the file.
fn sequence<R: Read + Seek>(input: &mut Input<R>, item: &str) -> Result<Option<u32>> {
    let at = input.position();
    let Some(count) = input.u32(item)? else { return Ok(None) };
    let left = input.length() - input.position();
    if u64::from(count) * 4 > left {
        return Err(input.corrupt(item, at, format!("a sequence of {count} numbers in {left} bytes")));
    }
    Ok(Some(count))
}

/// Checks that nothing comes after the last number or line.
fn at_end<R: Read + Seek>(input: &Input<R>) -> Result<()> {
    match input.length() - input.position() {
        0 => Ok(()),
        left => Err(input.corrupt("end", input.position(), format!("{left} bytes are too many"))),
    }
}

/// The next line, or the number in digits if there are no lines.
fn line<R: Read + Seek>(input: &mut Option<Input<R>>, item: &str, number: u32, out: &mut Vec<u8>) -> Result<()> {
    match input {
        None => {
            out.clear();
            out.extend_from_slice(number.to_string().as_bytes());
        }
        Some(input) => {
            if !input.line(item, out)? {
                return Err(input.corrupt(item, input.position(), format!("only {number} lines")));
            }
        }
    }
    Ok(())
}

impl<R: Read + Seek> Source for Pisa<R> {
    fn scan(&mut self, visitor: &mut impl Visitor) -> Result<()> {
        self.docs.rewind()?;
        self.freqs.rewind()?;
        self.sizes.rewind()?;
        self.terms.iter_mut().chain(&mut self.names).try_for_each(Input::rewind)?;
        let documents = self.counts()?;
        let mut bytes = Vec::new();
        let mut index = 0;
        while let Some(count) = sequence(&mut self.docs, "postings")? {
            let at = self.freqs.position();
            let found = sequence(&mut self.freqs, "frequencies")?;
            if found != Some(count) {
                let found = found.map_or("none".into(), |found| found.to_string());
                let what = format!("{found} frequencies for the {count} postings of term {index}");
                return Err(self.freqs.corrupt("frequencies", at, what));
            }
            line(&mut self.terms, "terms", index, &mut bytes)?;
            visitor.list(&bytes);
            let mut next = 0u32;
            for _ in 0..count {
                let at = self.docs.position();
                let Some(doc_id) = self.docs.u32("postings")? else { return Err(self.docs.ends("postings")) };
                if doc_id < next || doc_id >= documents {
                    let what =
                        format!("docID {doc_id} of term {index}: it should be from {next} to {documents} less 1");
                    return Err(self.docs.corrupt("postings", at, what));
                }
                let at = self.freqs.position();
                let frequency = self.freqs.u32("frequencies")?.unwrap_or(0);
                if frequency == 0 {
                    let what = format!("document {doc_id} of term {index} has a frequency of 0");
                    return Err(self.freqs.corrupt("frequencies", at, what));
                }
                visitor.posting(doc_id, frequency);
                next = doc_id + 1;
            }
            index = index.checked_add(1).ok_or_else(|| self.docs.corrupt("postings", at, "more than 2^32 terms"))?;
        }
        at_end(&self.freqs)?;
        self.terms.as_ref().map_or(Ok(()), at_end)?;
        for doc_id in 0..documents {
            if self.names.is_none() {
                visitor.document(doc_id, IdRef::Int(doc_id.into()))?;
                continue;
            }
            line(&mut self.names, "names", doc_id, &mut bytes)?;
            visitor.document(doc_id, IdRef::Bytes(&bytes))?;
        }
        self.names.as_ref().map_or(Ok(()), at_end)
    }
}

impl<R: Read + Seek> Pisa<R> {
    /// The number of documents, on which docs and sizes must agree.
    fn counts(&mut self) -> Result<u32> {
        let of_docs = match sequence(&mut self.docs, "header")? {
            Some(1) => self.docs.u32("header")?,
            _ => None,
        };
        let Some(documents) = of_docs else {
            return Err(self.docs.corrupt("header", 0, "it does not begin with a sequence of one number"));
        };
        let lengths = sequence(&mut self.sizes, "lengths")?.unwrap_or(0);
        if lengths != documents {
            let what = format!("{lengths} lengths of {documents} documents");
            return Err(self.sizes.corrupt("lengths", 0, what));
        }
        // Lengths are not used: those of an index are the sums of frequencies.
        self.sizes.skip("lengths", 4 * u64::from(lengths), self.sizes.length())?;
        at_end(&self.sizes)?;
        Ok(documents)
    }
}
