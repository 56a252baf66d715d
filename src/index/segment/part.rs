//! [`Part`]: one section of an open segment, whose bytes are given out only after their checksums have been compared.

use super::Segment;
use super::format::Section;
use crate::base::error::{Error, Result};

/// A section of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'s> {
    pub(super) segment: &'s Segment,
    /// Its index in the table of sections.
    pub(super) index: usize,
}

impl<'s> Part<'s> {
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
    #[inline]
    pub fn range(&self, start: usize, length: usize) -> Result<&'s [u8]> {
        self.segment.checked_range(self.index, start, length)
    }

    /// An error about byte `at` of the section.
    #[cold]
    pub fn corrupt(&self, at: usize, what: impl Into<String>) -> Error {
        let extent = self.segment.extent(self.index);
        Error::corrupt("segment", self.segment.name_of(extent), extent.offset as usize + at, what)
    }

    /// An error about a docID.
    #[cold]
    pub fn no_document(&self, doc: u32) -> Error {
        Error::Argument(format!("document {doc} of a segment of {} documents", self.segment.documents()))
    }
}
