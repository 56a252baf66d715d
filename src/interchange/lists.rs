//! [`Lists`]: the lists of a text field in all segments, with the docIDs that documents get outside.

use super::text_field;
use crate::base::error::{Error, Result};
use crate::index::list::Decoded;
use crate::index::segment::{IdRef, Segment, Union};
use crate::index::snapshot::{Snapshot, SnapshotSegment};
use crate::index::{Deleted, length};

/// The lists of a field, without deleted documents.
pub(super) struct Lists<'s> {
    snapshot: &'s Snapshot,
    field: usize,
    parts: Vec<Renumbered<'s>>,
}

/// A segment, and the docIDs of its documents.
struct Renumbered<'s> {
    part: &'s SnapshotSegment,
    /// Documents of the segments before that are not deleted.
    base: u32,
    /// Deleted documents before each word of 64.
    before: Vec<u32>,
}

impl<'s> Renumbered<'s> {
    fn new(part: &'s SnapshotSegment, base: u32) -> Self {
        let words = part.deleted.as_ref().map_or(&[][..], |deleted| deleted.words());
        let mut sum = 0;
        let before = words.iter().map(|word| {
            let before = sum;
            sum += word.count_ones();
            before
        });
        Renumbered { part, base, before: before.collect() }
    }

    /// The docID outside; `None` if the document is deleted.
    #[inline]
    fn doc_id(&self, doc_id: u32, deleted: &Deleted) -> Option<u32> {
        let word = deleted.words()[doc_id as usize / 64];
        let below = word & !(u64::MAX << (doc_id % 64));
        let gone = self.before[doc_id as usize / 64] + below.count_ones();
        (word >> (doc_id % 64) & 1 == 0).then(|| self.base + doc_id - gone)
    }
}

/// What the lists of a field add up to.
pub(super) struct Sums {
    /// Terms that some document contains.
    pub lists: u64,
    /// The sum of all frequencies.
    pub tokens: u64,
}

impl<'s> Lists<'s> {
    /// # Errors
    /// [`Error::Argument`] if it is no text field, or there are more documents than the formats can have; [`Error::File`]
    /// if a segment was truncated.
    pub fn new(snapshot: &'s Snapshot, field: usize) -> Result<Lists<'s>> {
        text_field(snapshot.schema(), field)?;
        if snapshot.live() > i32::MAX as u64 {
            let what = format!("{} documents; at most {} can go into one file", snapshot.live(), i32::MAX);
            return Err(Error::Argument(what));
        }
        snapshot.check_files()?;
        let mut base = 0;
        let parts = snapshot.parts().iter().map(|part| {
            let renumbered = Renumbered::new(part, base);
            base += part.live();
            renumbered
        });
        Ok(Lists { snapshot, field, parts: parts.collect() })
    }

    pub fn documents(&self) -> u32 {
        self.snapshot.live() as u32
    }

    /// Counts. Decodes the lists only if there are deleted documents.
    pub fn sums(&self) -> Result<Sums> {
        let mut sums = Sums { lists: 0, tokens: 0 };
        if self.parts.iter().any(|part| part.part.deleted.is_some()) {
            self.for_each(|_, _, frequencies| {
                sums.lists += 1;
                sums.tokens += frequencies.iter().map(|&frequency| u64::from(frequency)).sum::<u64>();
                Ok(())
            })?;
            return Ok(sums);
        }
        for part in &self.parts {
            sums.tokens += part.part.segment.counts(self.field)?.tokens;
        }
        self.for_each_term(|_, _| {
            sums.lists += 1;
            Ok(())
        })?;
        Ok(sums)
    }

    /// Calls `each` for each term, in the order of their bytes, with the indices of its segments and the values of its
    /// lists there.
    fn for_each_term(&self, mut each: impl FnMut(&[u8], &[(usize, u64)]) -> Result<()>) -> Result<()> {
        let dictionaries = self.parts.iter().map(|part| part.part.segment.dictionary(self.field));
        let mut union = Union::of(dictionaries.collect::<Result<Vec<_>>>()?)?;
        let mut places = Vec::new();
        while let Some((term, values)) = union.next()? {
            places.clear();
            places.extend(values.iter().map(|value| (value.index, value.value)));
            places.sort_unstable();
            each(term, &places)?;
        }
        Ok(())
    }

    /// Calls `each` for each term that some document contains, in the order of their bytes, with docIDs and frequencies.
    pub fn for_each(&self, mut each: impl FnMut(&[u8], &[u32], &[u32]) -> Result<()>) -> Result<()> {
        let mut decoded = Decoded::default();
        let (mut doc_ids, mut frequencies) = (Vec::new(), Vec::new());
        self.for_each_term(|term, places| {
            doc_ids.clear();
            frequencies.clear();
            for &(index, value) in places {
                let renumbered = &self.parts[index];
                decode(&renumbered.part.segment, self.field, value, &mut decoded)?;
                match &renumbered.part.deleted {
                    None => {
                        doc_ids.extend(decoded.doc_ids.iter().map(|doc_id| doc_id + renumbered.base));
                        frequencies.extend_from_slice(&decoded.frequencies);
                    }
                    Some(deleted) => {
                        for (&doc_id, &frequency) in decoded.doc_ids.iter().zip(&decoded.frequencies) {
                            if let Some(doc_id) = renumbered.doc_id(doc_id, deleted) {
                                doc_ids.push(doc_id);
                                frequencies.push(frequency);
                            }
                        }
                    }
                }
            }
            if doc_ids.is_empty() { Ok(()) } else { each(term, &doc_ids, &frequencies) }
        })
    }

    /// Calls `each` for each document, in the order of docIDs, with its id and its rounded length.
    pub fn for_each_document(&self, mut each: impl FnMut(IdRef<'_>, u32) -> Result<()>) -> Result<()> {
        for Renumbered { part, .. } in &self.parts {
            let (ids, lengths) = (part.segment.ids()?, part.segment.lengths(self.field)?);
            for (doc_id, &byte) in (0..).zip(lengths) {
                if part.is_live(doc_id) {
                    each(ids.get(doc_id)?, length::decode(byte))?;
                }
            }
        }
        Ok(())
    }
}

/// Decodes docIDs and frequencies of a list.
fn decode(segment: &Segment, field: usize, value: u64, decoded: &mut Decoded) -> Result<()> {
    let Some(view) = segment.list(field, value, false, decoded)? else { return Ok(()) };
    decoded.doc_ids.clear();
    decoded.frequencies.clear();
    view.append_doc_ids(&mut decoded.doc_ids);
    view.frequencies.append_to(&mut decoded.frequencies);
    decoded.frequencies.iter_mut().for_each(|frequency| *frequency = frequency.wrapping_add(1));
    Ok(())
}

/// An id as text.
pub(super) fn id_text<'i>(id: IdRef<'i>, digits: &'i mut String) -> Result<&'i str> {
    use std::fmt::Write;
    match id {
        IdRef::Bytes(bytes) => std::str::from_utf8(bytes)
            .map_err(|_| Error::Argument(format!("the id \"{}\" is not UTF-8", bytes.escape_ascii()))),
        IdRef::Int(int) => {
            digits.clear();
            let _ = write!(digits, "{int}");
            Ok(digits)
        }
    }
}

/// A term as text.
pub(super) fn term_text(term: &[u8]) -> Result<&str> {
    std::str::from_utf8(term).map_err(|_| Error::Argument(format!("the term \"{}\" is not UTF-8", term.escape_ascii())))
}
