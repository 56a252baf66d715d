//! CIFF, the Common Index File Format (`osirrc/ciff`; Lin et al., "Supporting Interoperability Between Open-Source Search
//! Engines with the Common Index File Format", SIGIR 2020).
//!
//! One file of protobuf messages, each after its length as a varint:
//!
//! ```text
//! Header        1 version (1), 2 postings lists in the file, 3 documents in the file, 4 and 5 those of the whole
//!               collection, 6 tokens of the collection, 7 average length (double), 8 description
//! PostingsList  1 term, 2 documents with it, 3 its occurrences, 4 per posting: message of 1 docID, 2 frequency;
//!               docIDs less the one before, the first as it is
//! DocRecord     1 docID, 2 the collection's name of the document, 3 length
//! ```
//! Numbers are varints; a field that is 0 or empty may be missing. A posting takes 6 bytes at least.

use super::input::Input;
use super::invert::{Source, Tokens, Visitor, invert};
use super::lists::{Lists, id_text, term_text};
use super::{Counts, NewFile, into, text_field};
use crate::base::error::{Error, Result};
use crate::base::files::{failed, open_regular};
use crate::base::leb128::put;
use crate::index::segment::IdRef;
use crate::index::{Snapshot, Writer};
use std::fmt;
use std::io::{Read, Seek, Write};
use std::path::Path;

const FORMAT: &str = "CIFF";

/// Writes a text field of an index as a CIFF file, with [`write_ciff`]. The file appears, or replaces another, once it is
/// whole.
///
/// # Errors
/// As [`write_ciff`]; [`Error::File`].
pub fn export_ciff(snapshot: &Snapshot, field: usize, path: &Path) -> Result<Counts> {
    text_field(snapshot.schema(), field)?;
    let mut file = NewFile::create(path)?;
    let counts = write_ciff(snapshot, field, &mut file, path)?;
    file.finish()?;
    Ok(counts)
}

/// Writes a text field as CIFF: terms in the order of their bytes, ids as names of documents (integers as digits), and
/// lengths that are exact up to 40 and rounded down above. Deleted documents are left out. Takes memory for the longest
/// list, and time for decoding all lists, twice if documents are deleted. Errors of `out` name `path`.
///
/// # Errors
/// [`Error::Argument`] if it is no text field, a term or an id is not UTF-8, or a number exceeds the format's 2^31 − 1;
/// [`Error::Corrupt`] if the index is damaged; [`Error::File`] if writing fails.
pub fn write_ciff(snapshot: &Snapshot, field: usize, out: &mut impl Write, path: &Path) -> Result<Counts> {
    let mut put = |message: &[u8]| {
        let mut length = Vec::with_capacity(10);
        put(&mut length, message.len() as u64);
        out.write_all(&length).and_then(|()| out.write_all(message)).map_err(|error| failed(path, &error))
    };
    let lists = Lists::new(snapshot, field)?;
    let sums = lists.sums()?;
    let documents = lists.documents();
    let mut counts = Counts { documents: documents.into(), lists: sums.lists, postings: 0, tokens: sums.tokens };
    let mut message = Vec::new();
    put_number(&mut message, 1, 1);
    for (number, value) in [(2, sums.lists), (3, documents.into()), (4, sums.lists), (5, documents.into())] {
        put_number(&mut message, number, in_range(value)?);
    }
    put_number(&mut message, 6, sums.tokens);
    message.push(7 << 3 | FIXED);
    message.extend((sums.tokens as f64 / f64::from(documents.max(1))).to_le_bytes());
    let schema = snapshot.schema();
    let description = format!(
        "Postings {}, field {}, analyzer {}; lengths above 40 are rounded down",
        env!("CARGO_PKG_VERSION"),
        schema.fields[field].name,
        schema.analyzer_of(field).describe()
    );
    put_bytes(&mut message, 8, description.as_bytes());
    put(&message)?;
    lists.for_each(|term, doc_ids, frequencies| {
        message.clear();
        put_bytes(&mut message, 1, term_text(term)?.as_bytes());
        put_number(&mut message, 2, doc_ids.len() as u64);
        put_number(&mut message, 3, frequencies.iter().map(|&frequency| u64::from(frequency)).sum());
        let mut before = 0;
        let mut posting = Vec::new();
        for (&doc_id, &frequency) in doc_ids.iter().zip(frequencies) {
            posting.clear();
            put_number(&mut posting, 1, (doc_id - before).into());
            put_number(&mut posting, 2, in_range(frequency.into())?);
            put_bytes(&mut message, 4, &posting);
            before = doc_id;
        }
        counts.postings += doc_ids.len() as u64;
        put(&message)
    })?;
    let (mut doc_id, mut digits) = (0, String::new());
    lists.for_each_document(|id, length| {
        message.clear();
        put_number(&mut message, 1, doc_id);
        put_bytes(&mut message, 2, id_text(id, &mut digits)?.as_bytes());
        put_number(&mut message, 3, length.into());
        doc_id += 1;
        put(&message)
    })?;
    Ok(counts)
}

fn in_range(number: u64) -> Result<u64> {
    match i32::try_from(number) {
        Ok(_) => Ok(number),
        Err(_) => Err(Error::Argument(format!("{number} is more than CIFF can hold, {}", i32::MAX))),
    }
}

/// Wire types of protobuf.
const NUMBER: u8 = 0;
const FIXED: u8 = 1;
const LENGTH: u8 = 2;
const FIXED_32: u8 = 5;

/// A field with a number; 0 is left out.
fn put_number(out: &mut Vec<u8>, field: u8, number: u64) {
    if number != 0 {
        out.push(field << 3 | NUMBER);
        put(out, number);
    }
}

/// A field with bytes; none at all are left out.
fn put_bytes(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    if !bytes.is_empty() {
        out.push(field << 3 | LENGTH);
        put(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
}

/// Adds the documents of a CIFF file to an index: their terms in a text field, the collection's names as ids (strings). A
/// document with an id that is there is replaced. Reads the file at least twice, once more whenever the writer's memory is
/// full.
///
/// # Errors
/// [`Error::Corrupt`], with the byte, if the file is not as the format says; nothing was added then. [`Error::Argument`] if
/// it is no text field, or a document has more than [`MOST_TOKENS`](super::MOST_TOKENS); [`Error::File`]. Documents before
/// that were added and go with [`Writer::rollback`].
pub fn import_ciff(path: &Path, writer: &mut Writer, field: usize) -> Result<Counts> {
    text_field(writer.schema(), field)?;
    let (file, _) = open_regular(path).map_err(|error| failed(path, &error))?;
    let memory = writer.options().memory;
    read_ciff(file, &path.display().to_string(), memory, into(writer, field))
}

/// Calls `each` for the documents of a CIFF file, with their ids and terms, in about `memory` bytes. `name` is that of the
/// file, for messages.
///
/// # Errors
/// As [`import_ciff`], and those of `each`.
pub fn read_ciff(
    from: impl Read + Seek,
    name: &str,
    memory: usize,
    mut each: impl FnMut(IdRef<'_>, Tokens) -> Result<()>,
) -> Result<Counts> {
    invert(&mut Ciff { input: Input::new(FORMAT, name, from)? }, memory, &mut each)
}

/// What is being read, for messages.
#[derive(Clone, Copy)]
enum Item {
    Header,
    List(u32),
    Document(u32),
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Header => f.write_str("header"),
            Item::List(index) => write!(f, "postings list {index}"),
            Item::Document(index) => write!(f, "document {index}"),
        }
    }
}

struct Ciff<R> {
    input: Input<R>,
}

impl<R: Read + Seek> Source for Ciff<R> {
    fn scan(&mut self, visitor: &mut impl Visitor) -> Result<()> {
        self.input.rewind()?;
        let (lists, documents) = self.header()?;
        let mut bytes = Vec::new();
        for index in 0..lists {
            self.list(index, documents, &mut bytes, visitor)?;
        }
        for doc_id in 0..documents {
            self.document(doc_id, &mut bytes)?;
            visitor.document(doc_id, IdRef::Bytes(&bytes))?;
        }
        let end = self.input.position();
        if end != self.input.length() {
            let what = format!("{} bytes follow the last document", self.input.length() - end);
            return Err(self.input.corrupt("end", end, what));
        }
        Ok(())
    }
}

impl<R: Read + Seek> Ciff<R> {
    /// Begins a message; returns the byte after it.
    fn message(&mut self, item: Item) -> Result<u64> {
        self.message_within(item, self.input.length())
    }

    #[inline]
    fn message_within(&mut self, item: Item, end: u64) -> Result<u64> {
        let at = self.input.position();
        let length = self.input.varint(item, end)?;
        let left = end - self.input.position();
        if length > left {
            let what = format!("a message of {length} bytes, and {left} are left");
            return Err(self.input.corrupt(item, at, what));
        }
        Ok(self.input.position() + length)
    }

    /// The number and wire type of the next field; `None` at the end of the message.
    #[inline]
    fn field(&mut self, item: Item, end: u64) -> Result<Option<(u64, u8)>> {
        if self.input.position() == end {
            return Ok(None);
        }
        let tag = self.input.varint(item, end)?;
        Ok(Some((tag >> 3, tag as u8 & 7)))
    }

    /// A number that is not negative, at most `most`.
    #[inline]
    fn number(&mut self, item: Item, what: &str, most: u64, end: u64) -> Result<u64> {
        let at = self.input.position();
        let number = self.input.varint(item, end)?;
        if number > most {
            let number = number as i64;
            return Err(self.input.corrupt(item, at, format!("{what} {number} is not from 0 to {most}")));
        }
        Ok(number)
    }

    fn int32(&mut self, item: Item, what: &str, end: u64) -> Result<u32> {
        self.number(item, what, i32::MAX as u64, end).map(|number| number as u32)
    }

    /// A field that is not known, or of no interest.
    fn skip(&mut self, item: Item, wire: u8, end: u64) -> Result<()> {
        let count = match wire {
            NUMBER => return self.input.varint(item, end).map(drop),
            FIXED => 8,
            LENGTH => self.input.varint(item, end)?,
            FIXED_32 => 4,
            _ => {
                let at = self.input.position();
                return Err(self.input.corrupt(item, at, format!("protobuf has no wire type {wire}")));
            }
        };
        self.input.skip(item, count, end)
    }

    /// The numbers of lists and of documents.
    fn header(&mut self) -> Result<(u32, u32)> {
        let item = Item::Header;
        let end = self.message(item)?;
        let (mut version, mut lists, mut documents) = (0, 0, 0);
        while let Some((field, wire)) = self.field(item, end)? {
            match (field, wire) {
                (1, NUMBER) => version = self.int32(item, "version", end)?,
                (2, NUMBER) => lists = self.int32(item, "number of postings lists", end)?,
                (3, NUMBER) => documents = self.int32(item, "number of documents", end)?,
                _ => self.skip(item, wire, end)?,
            }
        }
        if version != 1 {
            return Err(self.input.corrupt(item, 0, format!("version {version}; this program reads version 1")));
        }
        // Each message takes a byte at least.
        let left = self.input.length() - end;
        if u64::from(lists) + u64::from(documents) > left {
            let what = format!("{lists} postings lists and {documents} documents, in {left} bytes");
            return Err(self.input.corrupt(item, 0, what));
        }
        Ok((lists, documents))
    }

    fn list(&mut self, index: u32, documents: u32, term: &mut Vec<u8>, visitor: &mut impl Visitor) -> Result<()> {
        let item = Item::List(index);
        let at = self.input.position();
        let end = self.message(item)?;
        term.clear();
        let (mut wanted, mut count, mut next) = (0, 0u64, 0u64);
        while let Some((field, wire)) = self.field(item, end)? {
            match (field, wire) {
                (4, LENGTH) => {
                    if count == 0 {
                        visitor.list(term);
                    }
                    let at = self.input.position();
                    let (gap, frequency) = self.posting(item, end)?;
                    if count > 0 && gap == 0 {
                        let what = format!("docID {} for the second time", next - 1);
                        return Err(self.input.corrupt(item, at, what));
                    }
                    // The first is no gap.
                    let doc_id = u64::from(gap) + if count > 0 { next - 1 } else { 0 };
                    if doc_id >= documents.into() {
                        return Err(self.input.corrupt(item, at, format!("docID {doc_id} of {documents} documents")));
                    }
                    if frequency == 0 {
                        return Err(self.input.corrupt(item, at, format!("document {doc_id} with a frequency of 0")));
                    }
                    visitor.posting(doc_id as u32, frequency);
                    (count, next) = (count + 1, doc_id + 1);
                }
                (1, LENGTH) => {
                    let at = self.input.position();
                    if count > 0 {
                        return Err(self.input.corrupt(item, at, "its term comes after its postings"));
                    }
                    let length = self.input.varint(item, end)?;
                    self.input.bytes(item, length, end, term)?;
                }
                (2, NUMBER) => wanted = self.number(item, "number of postings", i64::MAX as u64, end)?,
                _ => self.skip(item, wire, end)?,
            }
        }
        if count == 0 || count != wanted {
            return Err(self.input.corrupt(item, at, format!("{count} postings; {wanted} are announced")));
        }
        Ok(())
    }

    #[inline]
    fn posting(&mut self, item: Item, end: u64) -> Result<(u32, u32)> {
        let end = self.message_within(item, end)?;
        let (mut gap, mut frequency) = (0, 0);
        while let Some((field, wire)) = self.field(item, end)? {
            match (field, wire) {
                (1, NUMBER) => gap = self.int32(item, "gap", end)?,
                (2, NUMBER) => frequency = self.int32(item, "frequency", end)?,
                _ => self.skip(item, wire, end)?,
            }
        }
        Ok((gap, frequency))
    }

    /// Reads the id into `id`.
    fn document(&mut self, index: u32, id: &mut Vec<u8>) -> Result<()> {
        let item = Item::Document(index);
        let at = self.input.position();
        let end = self.message(item)?;
        id.clear();
        let mut doc_id = 0;
        while let Some((field, wire)) = self.field(item, end)? {
            match (field, wire) {
                (1, NUMBER) => doc_id = self.int32(item, "docID", end)?,
                (2, LENGTH) => {
                    let length = self.input.varint(item, end)?;
                    self.input.bytes(item, length, end, id)?;
                }
                (3, NUMBER) => {
                    self.int32(item, "length", end)?;
                }
                _ => self.skip(item, wire, end)?,
            }
        }
        if doc_id != index {
            return Err(self.input.corrupt(item, at, format!("docID {doc_id}: documents are not in order")));
        }
        Ok(())
    }
}
