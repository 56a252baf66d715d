//! [`FieldWriter`]: writes lists and dictionary of a field.

use super::file::SegmentWriter;
use super::format::{FieldCounts, NO_FIELD, Section};
use super::frequent::{self, Counts};
use super::gather::Common;
use super::ids::IdColumn;
use super::list_writer::{self, ListWriter, not_built};
use super::map_writer::{Entries, MapWriter};
use super::numbers::Numbers;
use super::run::Form;
use super::write_pairs::{Texts, write_pairs};
use crate::base::error::Result;
use crate::index::list::{self, Postings};
use std::io::Write;

/// Bytes of memory that the writing of a field takes, besides the postings of one term.
pub(super) fn memory(form: Form) -> usize {
    4 * list_writer::GATHERED + MapWriter::memory(form)
}

/// Writes the terms of a field in ascending order, each with its list.
pub(super) struct FieldWriter<'w> {
    lists: ListWriter<'w>,
    field: u8,
    documents: u32,
    dictionary: &'w MapWriter,
    /// Terms that it has not been given yet.
    waiting: Entries,
    terms: u64,
    /// Tokens of a text field.
    tokens: Option<u64>,
    /// The common words, if their pairs are to be written.
    common: Option<Common>,
    /// How many documents contain each term, if the frequent ones are to be written.
    counts: Option<Counts>,
}

/// An empty dictionary of a field of a segment.
pub(super) fn dictionary(writer: &SegmentWriter) -> Result<MapWriter> {
    MapWriter::new(writer).map_err(|error| not_built(writer.path(), error))
}

/// Writes the column of a numeric field.
pub(super) fn numbers(writer: &mut SegmentWriter, field: usize, numbers: &Numbers) -> Result<()> {
    writer.section(Section::Numbers, field as u8, |out| numbers.write(out))?;
    writer.set_counts(field, FieldCounts { documents: numbers.documents(), ..FieldCounts::default() });
    Ok(())
}

impl<'w> FieldWriter<'w> {
    /// Begins a field of a segment with that many documents, whose [`dictionary`] is still empty.
    pub fn new(
        writer: &'w mut SegmentWriter,
        field: usize,
        documents: u32,
        dictionary: &'w MapWriter,
    ) -> Result<FieldWriter<'w>> {
        let common = writer.has_pairs(field).then(Common::default);
        let counts = (writer.has_frequent(field) && !writer.has_words(field)).then(Counts::default);
        let tokens = writer.is_text(field).then_some(0);
        let field = field as u8;
        let lists = ListWriter::begin(writer, Section::Lists, field)?;
        let waiting = Entries::default();
        Ok(FieldWriter { lists, field, documents, dictionary, waiting, terms: 0, tokens, common, counts })
    }

    /// Writes the next term.
    pub fn term(&mut self, term: &[u8], postings: &Postings) -> Result<()> {
        let value = self.lists.list(postings, self.documents)?;
        let tokens = postings.frequencies.iter().map(|&frequency| u64::from(frequency)).sum();
        self.listed(term, value, postings.doc_ids.len(), tokens)?;
        // No other thread has time for it.
        match self.waiting.is_empty() {
            true => self.dictionary.help().map_err(|error| not_built(self.lists.path(), error)),
            false => Ok(()),
        }
    }

    /// As [`ListWriter::append`], if all are short.
    pub fn short_lists(&mut self, lists: &[u8]) -> Result<u64> {
        self.lists.append(lists, 1)
    }

    /// As [`ListWriter::append`], if the first one is long.
    pub fn lists(&mut self, lists: &[u8]) -> Result<u64> {
        self.lists.append(lists, list::ALIGNMENT)
    }

    /// Takes the next term, whose list is written, for the dictionary: so many documents have it, so often.
    pub fn listed(&mut self, term: &[u8], value: u64, containing: usize, tokens: u64) -> Result<()> {
        self.waiting.add(term, value)?;
        if self.waiting.is_full() {
            let full = std::mem::take(&mut self.waiting);
            self.dictionary.take(full).map_err(|error| not_built(self.lists.path(), error))?;
        }
        if let Some(common) = &mut self.common {
            common.add(containing, self.documents, value);
        }
        if let Some(counts) = &mut self.counts {
            counts.add(term, containing)?;
        }
        self.terms += 1;
        if let Some(all) = &mut self.tokens {
            *all += tokens;
        }
        Ok(())
    }

    /// Writes what remains; `containing` documents have a term in the field, and these are their lengths, as of [`Postings`], and
    /// their texts.
    pub fn finish(self, containing: u32, lengths: &[u8], texts: Texts) -> Result<()> {
        let FieldWriter { lists, field, dictionary, waiting, terms, tokens, common, counts, .. } = self;
        let writer = lists.end()?;
        let finished = dictionary.take(waiting).and_then(|()| dictionary.finish());
        let map = finished.map_err(|error| not_built(writer.path(), error))?;
        debug_assert!(map.is_some(), "a dictionary is of one field");
        writer.section(Section::of_terms(writer.form()), field, |out| map.map_or(Ok(()), |map| map.copy_to(out)))?;
        writer.set_counts(field.into(), FieldCounts { documents: containing, tokens: tokens.unwrap_or(0), terms });
        if let Some(counts) = counts {
            frequent::write_of_terms(writer, field, counts)?;
        }
        match common {
            Some(common) => write_pairs(writer, field, common, lengths, texts),
            None => Ok(()),
        }
    }
}

/// Writes the length bytes of a field.
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
