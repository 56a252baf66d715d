//! [`FieldWriter`]: writes lists and dictionary of a field. [`ListWriter`]: writes lists alone.

use super::file::{SegmentWriter, Spill};
use super::format::{FieldCounts, NO_FIELD, Section};
use super::gather::Common;
use super::ids::IdColumn;
use super::numbers::Numbers;
use super::pairs;
use crate::base::error::{Error, Result};
use crate::base::files::{failed, failed_within};
use crate::index::list::{self, Postings};
use fst::MapBuilder;
use std::io::Write;
use std::path::Path;

/// Bytes of lists that are gathered before they are written.
const GATHERED: usize = 256 << 10;

/// Bytes of memory that the writing of a field takes, besides the postings of one term: buffers, and the tables of the
/// dictionary's builder.
pub(super) const MEMORY: usize = 4 * GATHERED + Spill::MEMORY + (4 << 20);

/// Writes a section of lists.
pub(super) struct ListWriter<'w> {
    writer: &'w mut SegmentWriter,
    lists: Vec<u8>,
    /// Where `lists` will stand in the section.
    at: u64,
}

impl<'w> ListWriter<'w> {
    /// Begins the section.
    pub fn begin(writer: &'w mut SegmentWriter, section: Section, field: u8) -> Result<ListWriter<'w>> {
        writer.begin(section, field)?;
        Ok(ListWriter { writer, lists: Vec::new(), at: 0 })
    }

    /// Writes the next list, of a segment with that many documents, and returns the value by which it is found.
    pub fn list(&mut self, postings: &Postings, documents: u32) -> Result<u64> {
        let value = list::encode(postings, documents, self.writer.codecs(), self.at, &mut self.lists)?;
        if self.lists.len() >= GATHERED {
            // Lists stand at multiples of 64, so that many stay or go together.
            let whole = self.lists.len() / 64 * 64;
            self.writer.write_all(&self.lists[..whole]).map_err(|error| failed(self.writer.path(), error))?;
            self.lists.drain(..whole);
            self.at += whole as u64;
        }
        Ok(value)
    }

    /// Writes what remains, and gives the writer back.
    pub fn end(mut self) -> Result<&'w mut SegmentWriter> {
        self.lists.resize(self.lists.len() + list::PADDING, 0);
        self.writer.write_all(&self.lists).map_err(|error| failed(self.writer.path(), error))?;
        self.writer.end();
        Ok(self.writer)
    }
}

/// Writes the terms of a field in ascending order, each with its list.
pub(super) struct FieldWriter<'w> {
    lists: ListWriter<'w>,
    field: u8,
    documents: u32,
    dictionary: MapBuilder<Spill>,
    terms: u64,
    tokens: u64,
    /// The common words, if their pairs are to be written.
    common: Option<Common>,
}

/// Writes the column of a numeric field.
pub(super) fn numbers(writer: &mut SegmentWriter, field: usize, numbers: &Numbers) -> Result<()> {
    writer.section(Section::Numbers, field as u8, |out| numbers.write(out))?;
    writer.set_counts(field, FieldCounts { documents: numbers.documents(), ..FieldCounts::default() });
    Ok(())
}

impl<'w> FieldWriter<'w> {
    /// Begins a field of a segment with that many documents.
    pub fn new(writer: &'w mut SegmentWriter, field: usize, documents: u32) -> Result<FieldWriter<'w>> {
        let dictionary = MapBuilder::new(writer.spill()).map_err(|error| not_built(writer.path(), error))?;
        let common = writer.has_pairs(field).then(Common::default);
        let field = field as u8;
        let lists = ListWriter::begin(writer, Section::Lists, field)?;
        Ok(FieldWriter { lists, field, documents, dictionary, terms: 0, tokens: 0, common })
    }

    /// Writes the next term.
    pub fn term(&mut self, term: &[u8], postings: &Postings) -> Result<()> {
        let value = self.lists.list(postings, self.documents)?;
        self.dictionary.insert(term, value).map_err(|error| not_built(self.lists.writer.path(), error))?;
        if let Some(common) = &mut self.common {
            common.add(postings.doc_ids.len(), self.documents, value);
        }
        self.terms += 1;
        self.tokens += postings.frequencies.iter().map(|&frequency| u64::from(frequency)).sum::<u64>();
        Ok(())
    }

    /// Writes what remains; `containing` documents have a term in the field, and these are their lengths, as of [`Postings`].
    pub fn finish(self, containing: u32, lengths: &[u8]) -> Result<()> {
        let FieldWriter { lists, field, documents, dictionary, terms, tokens, common } = self;
        let writer = lists.end()?;
        let dictionary = dictionary.into_inner().map_err(|error| not_built(writer.path(), error))?;
        writer.section(Section::Dictionary, field, |out| dictionary.copy_to(out))?;
        writer.set_counts(field.into(), FieldCounts { documents: containing, tokens, terms });
        match common {
            Some(common) => pairs::write(writer, field, common, documents, lengths),
            None => Ok(()),
        }
    }
}

/// The error of a dictionary's builder. Its own words for a failure to write are "I/O error".
pub(super) fn not_built(path: &Path, error: fst::Error) -> Error {
    match error {
        fst::Error::Io(error) => failed_within(path, error),
        fst::Error::Fst(error) => failed(path, error),
    }
}

/// Writes the length bytes of a text field.
pub(super) fn lengths(writer: &mut SegmentWriter, field: usize, lengths: &[u8]) -> Result<()> {
    writer.section(Section::Lengths, field as u8, |out| out.write_all(lengths))
}

/// Writes the ids, and their index if it is needed.
pub(super) fn ids(writer: &mut SegmentWriter, ids: &IdColumn) -> Result<()> {
    writer.section(Section::Ids, NO_FIELD, |out| ids.write(out))?;
    if ids.increases() { Ok(()) } else { writer.section(Section::IdIndex, NO_FIELD, |out| ids.write_index(out)) }
}

/// Writes sections of stored values for documents that have none.
pub(super) fn no_stored(writer: &mut SegmentWriter) -> Result<()> {
    writer.section(Section::Stored, NO_FIELD, |_| Ok(()))?;
    writer.section(Section::StoredDirectory, NO_FIELD, |_| Ok(()))
}
