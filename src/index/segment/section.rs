//! [`SectionRef`]: a section of an open segment, whose bytes are given out only after their checksums have been compared.

use super::format::{CHUNK, Extent, NO_FIELD, Section};
use super::{Bytes, Dictionary, Segment};
use crate::base::error::{Error, Result};
use crate::base::memory::prefetch;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// A section of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct SectionRef<'s> {
    pub(super) segment: &'s Segment,
    /// Its index in the table of sections.
    pub(super) index: usize,
}

impl<'s> SectionRef<'s> {
    /// Its length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.segment.extent(self.index).length as usize
    }

    /// What it holds.
    pub fn section(&self) -> Section {
        self.segment.extent(self.index).section
    }

    /// All of it. The first call reads and checks it, later ones cost nothing.
    pub fn all(&self) -> Result<&'s [u8]> {
        self.segment.checked_section(self.index)
    }

    /// `length` bytes of it; the first call for each 16 KiB of the file checks those.
    #[inline(always)]
    pub fn range(&self, start: usize, length: usize) -> Result<&'s [u8]> {
        self.segment.checked_range(self.index, start, length)
    }

    /// Has the processor fetch bytes of it that are read soon, if they are within. Nothing is checked.
    #[inline]
    pub fn prefetch(&self, start: usize, length: usize) {
        let extent = self.segment.extent(self.index);
        let section = &self.segment.map[extent.offset as usize..][..extent.length as usize];
        if let Some(bytes) = section.get(start..).and_then(|bytes| bytes.get(..length)) {
            prefetch(bytes);
        }
    }

    /// The map that the section ends with, from byte `head` on. All of the section is read and checked.
    pub fn dictionary(&self, head: usize) -> Result<Dictionary> {
        self.dictionary_in(head.min(self.len())..self.len())
    }

    /// The map in a part of it, which must be within. All of the section is read and checked.
    pub fn dictionary_in(&self, part: Range<usize>) -> Result<Dictionary> {
        self.all()?;
        let extent = self.segment.extent(self.index);
        let [begin, end] = [part.start, part.end].map(|at| extent.offset as usize + at);
        let bytes = Bytes::Mapped { map: self.segment.map.clone(), begin, end };
        Dictionary::new(bytes, self.segment.name_of(extent), begin)
    }

    /// An error about byte `at` of the section.
    #[cold]
    pub fn corrupt(&self, at: usize, what: impl Into<String>) -> Error {
        let extent = self.segment.extent(self.index);
        Error::corrupt("segment", self.segment.name_of(extent), extent.offset as usize + at, what)
    }

    /// The error for bytes that are not within.
    #[cold]
    fn beyond(&self, start: usize, length: usize) -> Error {
        let section = self.len();
        self.corrupt(start.min(section), format!("{length} bytes are wanted in a section of {section}"))
    }

    /// An error about a docID.
    #[cold]
    pub fn no_document(&self, doc: u32) -> Error {
        Error::Argument(format!("document {doc} of a segment of {} documents", self.segment.documents()))
    }
}

impl Segment {
    /// All of a section, `field` being 255 for those of no field. The first call reads it and compares its checksums.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such section, [`Error::Corrupt`] if it is damaged.
    pub fn section(&self, section: Section, field: usize) -> Result<&[u8]> {
        self.section_ref(section, field)?.all()
    }

    /// All of a section, without comparing checksums: for lists, whose structure is checked when they are found and of
    /// which [`Segment::range`] checks the part in use.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such section.
    pub(super) fn unchecked(&self, section: Section, field: usize) -> Result<&[u8]> {
        let extent = self.extent(self.section_ref(section, field)?.index);
        Ok(&self.map[extent.offset as usize..][..extent.length as usize])
    }

    pub(super) fn section_ref(&self, section: Section, field: usize) -> Result<SectionRef<'_>> {
        self.optional_section(section, field).ok_or_else(|| self.no_field(field, section.name()))
    }

    /// A section that not all segments have.
    pub(super) fn optional_section(&self, section: Section, field: usize) -> Option<SectionRef<'_>> {
        let row = if field == usize::from(NO_FIELD) { self.schema.fields.len() } else { field };
        let index = self.indices.get(row)?[section as usize];
        Some(SectionRef { segment: self, index: usize::from(index).checked_sub(1)? })
    }

    /// A section that belongs to no field.
    pub(super) fn common_section(&self, section: Section) -> Result<SectionRef<'_>> {
        self.section_ref(section, NO_FIELD.into()).map_err(|_| {
            Error::corrupt(
                "segment",
                format!("footer of {}", self.path.display()),
                self.body,
                format!("no {}", section.name()),
            )
        })
    }

    #[inline]
    pub(super) fn extent(&self, index: usize) -> &Extent {
        &self.frame.extents[index]
    }

    /// The name of a section, for messages.
    pub(super) fn name_of(&self, extent: &Extent) -> String {
        let field = self.schema.fields.get(usize::from(extent.field));
        let field = field.map(|field| format!(" of the field {}", field.name)).unwrap_or_default();
        format!("{}{field} in {}", extent.section.name(), self.path.display())
    }

    pub(super) fn checked_section(&self, index: usize) -> Result<&[u8]> {
        let extent = &self.frame.extents[index];
        let (begin, length) = (extent.offset as usize, extent.length as usize);
        if !self.whole[index].load(Relaxed) {
            self.check(index, begin, begin + length)?;
            self.whole[index].store(true, Relaxed);
        }
        Ok(&self.map[begin..begin + length])
    }

    #[inline(always)]
    pub(super) fn checked_range(&self, index: usize, start: usize, length: usize) -> Result<&[u8]> {
        let extent = &self.frame.extents[index];
        let section = extent.length as usize;
        if start > section || length > section - start {
            return Err(SectionRef { segment: self, index }.beyond(start, length));
        }
        let begin = extent.offset as usize + start;
        if !self.whole[index].load(Relaxed) {
            self.check(index, begin, begin + length)?;
        }
        Ok(&self.map[begin..begin + length])
    }

    /// Compares the checksums of the chunks that hold the bytes from `begin` to `end`, unless that was done.
    #[inline]
    fn check(&self, index: usize, begin: usize, end: usize) -> Result<()> {
        for chunk in begin / CHUNK..end.div_ceil(CHUNK) {
            // The bytes never change, so nothing has to be ordered with them.
            if self.checked[chunk / 64].load(Relaxed) & 1 << (chunk % 64) == 0 {
                self.compare_checksum(index, chunk)?;
            }
        }
        Ok(())
    }

    /// Compares the checksum of a chunk, and keeps in mind that this was done.
    #[cold]
    fn compare_checksum(&self, index: usize, chunk: usize) -> Result<()> {
        let bytes = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.body);
        let checksum = crc32fast::hash(&self.map[bytes.clone()]);
        if checksum != self.frame.checksums[chunk] {
            let what = format!("the checksum of its bytes {}..{} differs", bytes.start, bytes.end);
            let extent = self.extent(index);
            let at = bytes.start.max(extent.offset as usize);
            return Err(Error::corrupt("segment", self.name_of(extent), at, what));
        }
        self.checked[chunk / 64].fetch_or(1 << (chunk % 64), Relaxed);
        Ok(())
    }
}
