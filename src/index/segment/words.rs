//! The words of a text field whose terms are stems, as they were written but for case and folding.
//!
//! ```text
//! 1 if the words of all terms are known, otherwise 0: u8; 7 zeros
//! fst map, or the terms of a [run](super::run): word → documents that contain it, less 1
//! ```
//! Documents that were added as terms, and those of segments that have no such section, have words that are not known.
//!
//! The term of a word is what the analyzer makes of it. Merging cannot tell which documents have a word, only which have its
//! term: if some of these are gone, as large a part of the word's is taken to be gone, too. A word whose term is gone goes.

use super::file::SegmentWriter;
use super::format::{NO_FIELD, Section};
use super::map_writer::Map;
use super::merge_plan::{GONE, Input, MergePlan};
use super::run::{Form, RunTerms};
use super::section::SectionRef;
use super::{Dictionary, Segment, Source, Union};
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::base::files::failed;
use crate::index::Kind;
use fst::MapBuilder;
use std::io::Write;

/// The bytes before the map.
pub(super) const HEAD: usize = 8;

/// The words of a field in a segment.
#[derive(Debug)]
pub struct Words {
    map: Dictionary,
    all_known: bool,
}

/// Whether the words of all terms are known, as a section says.
fn are_known(part: SectionRef) -> Result<bool> {
    match part.all()?.first_chunk() {
        Some([known @ (0 | 1), 0, 0, 0, 0, 0, 0, 0]) => Ok(*known == 1),
        _ => Err(part.corrupt(0, "what it begins with is none of the possible heads")),
    }
}

impl Words {
    fn parse(part: SectionRef) -> Result<Words> {
        let all_known = are_known(part)?;
        let map = part.dictionary(HEAD)?;
        // Its own checksum tells that it is whole, if the section's length is forged.
        map.verify()?;
        Ok(Words { map, all_known })
    }

    /// The words in the order of their bytes, with values for [`documents`](Self::documents).
    pub fn map(&self) -> &Dictionary {
        &self.map
    }

    /// About how many documents contain a word, given its value: exactly, if no document was deleted before a merge.
    #[inline]
    pub fn documents(value: u64) -> u64 {
        // In a forged file it may be anything.
        value.min(u32::MAX.into()) + 1
    }

    /// Whether each term of the field has all its words here.
    pub fn all_known(&self) -> bool {
        self.all_known
    }
}

impl Segment {
    /// The words of a text field, if terms are stems and the segment was written with them. The first call reads them all.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn words(&self, field: usize) -> Result<Option<&Words>> {
        let Some(place) = self.words.get(field).filter(|_| self.may_have_words(field)) else {
            return Ok(None);
        };
        if let Some(words) = place.get() {
            return Ok(Some(words));
        }
        let words = Words::parse(self.section_ref(Section::Words, field)?)?;
        Ok(Some(place.get_or_init(|| words)))
    }

    fn may_have_words(&self, field: usize) -> bool {
        let is_text = self.schema.fields.get(field).is_some_and(|field| field.kind == Kind::Text);
        is_text && self.flags().words && !self.lacks(field) && self.schema.analyzer_of(field).stems()
    }

    /// The same for a merge: those of a run, too, and whether all are known.
    fn all_words(&self, field: usize) -> Result<Option<(bool, Source<'_>)>> {
        if self.form() == Form::Segment || !self.may_have_words(field) {
            return Ok(self.words(field)?.map(|words| (words.all_known, Source::Dictionary(&words.map))));
        }
        let part = self.section_ref(Section::Words, field)?;
        Ok(Some((are_known(part)?, Source::Run(RunTerms::new(part, HEAD)?))))
    }
}

/// Writes the section of a field: words in ascending order, each with the number of documents that contain it.
pub(super) fn write<'w>(
    writer: &mut SegmentWriter,
    field: usize,
    all_known: bool,
    words: impl Iterator<Item = (&'w [u8], u32)>,
) -> Result<()> {
    let mut section = SectionWriter::begin(writer, field, all_known)?;
    for (word, documents) in words {
        section.word(word, documents.into())?;
    }
    section.end()
}

/// How many documents of the inputs had a term, and how many of these are left, if not all: a value of [`Lost`].
fn of_lost(value: u64) -> (u64, u64) {
    (value >> 32, value & u64::from(u32::MAX))
}

/// The terms that lose documents when segments are merged.
pub(super) struct Lost(MapBuilder<Vec<u8>>);

impl Lost {
    /// None.
    pub fn new() -> Lost {
        Lost(MapBuilder::memory())
    }

    /// Adds the next term: `before` documents had it, and `after` are left.
    pub fn term(&mut self, term: &[u8], before: usize, after: usize) -> Result<()> {
        if before == after {
            return Ok(());
        }
        let value = (before as u64) << 32 | after as u64;
        self.0.insert(term, value).map_err(|error| Error::Argument(format!("terms that lose documents: {error}")))
    }
}

/// Merges the words of a field.
pub(super) fn merge(
    inputs: &[Input],
    plan: &MergePlan,
    field: usize,
    analyzer: &Analyzer,
    lost: Lost,
    writer: &mut SegmentWriter,
) -> Result<()> {
    let lost = lost.0.into_map();
    let mut all_known = true;
    let mut maps = Vec::new();
    for ((segment, _), documents) in inputs.iter().zip(&plan.maps) {
        let words = segment.all_words(field)?;
        all_known &= match words {
            Some((known, _)) => known,
            None => segment.counts(field)?.terms == 0,
        } || documents.iter().all(|&doc| doc == GONE);
        maps.extend(words.map(|(_, words)| words));
    }
    let mut section = SectionWriter::begin(writer, field, all_known)?;
    let mut union = Union::of(maps)?;
    while let Some((word, values)) = union.next()? {
        let mut documents: u64 = values.iter().map(|value| Words::documents(value.value)).sum();
        if !lost.is_empty()
            && let Ok(text) = std::str::from_utf8(word)
            && let Some(of_term) = lost.get(analyzer.stem(text).as_bytes())
        {
            let (before, after) = of_lost(of_term);
            let left = (documents.min(before) * after).div_ceil(before.max(1));
            documents = left;
        }
        if documents > 0 {
            section.word(word, documents)?;
        }
    }
    section.end()
}

/// Writes one section.
struct SectionWriter<'w> {
    path: std::path::PathBuf,
    map: Map<&'w mut SegmentWriter>,
}

impl<'w> SectionWriter<'w> {
    fn begin(writer: &'w mut SegmentWriter, field: usize, all_known: bool) -> Result<SectionWriter<'w>> {
        debug_assert!(field < NO_FIELD.into());
        let (path, form) = (writer.path().to_path_buf(), writer.form());
        writer.begin(Section::Words, field as u8)?;
        writer.write_all(&[all_known.into(), 0, 0, 0, 0, 0, 0, 0]).map_err(|error| failed(&path, error))?;
        let map = Map::new(writer, form).map_err(|error| super::list_writer::not_built(&path, error))?;
        Ok(SectionWriter { path, map })
    }

    fn word(&mut self, word: &[u8], documents: u64) -> Result<()> {
        self.map.insert(word, documents - 1).map_err(|error| super::list_writer::not_built(&self.path, error))
    }

    fn end(self) -> Result<()> {
        let writer = self.map.into_inner().map_err(|error| super::list_writer::not_built(&self.path, error))?;
        writer.end();
        Ok(())
    }
}
