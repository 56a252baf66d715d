//! [`ListWriter`]: writes a section of lists.

use super::file::SegmentWriter;
use super::format::Section;
use super::run::Form;
use crate::base::error::{Error, Result};
use crate::base::files::{failed, failed_within};
use crate::base::memory;
use crate::index::list::{self, Postings};
use std::io::Write;
use std::path::Path;

/// Bytes of lists that are gathered before they are written.
pub(super) const GATHERED: usize = 256 << 10;

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

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.writer.path()
    }

    /// Writes the next list, of a segment with that many documents, and returns the value by which it is found.
    pub fn list(&mut self, postings: &Postings, documents: u32) -> Result<u64> {
        let value = match self.writer.form() {
            Form::Segment => list::encode(postings, documents, self.writer.codecs(), self.at, &mut self.lists)?,
            Form::Run => list::encode_stream(postings, self.at, &mut self.lists)?,
        };
        self.empty()?;
        Ok(value)
    }

    /// Writes lists that were [encoded](list::encode) as if they stood at the beginning of the section, at the next multiple of
    /// `alignment` bytes; returns what is to be added to their values.
    pub fn append(&mut self, lists: &[u8], alignment: usize) -> Result<u64> {
        if !lists.is_empty() {
            self.lists.resize(self.lists.len().next_multiple_of(alignment), 0);
        }
        let moved = list::moved(self.at + self.lists.len() as u64)?;
        memory::reserve(&mut self.lists, lists.len())?;
        self.lists.extend_from_slice(lists);
        self.empty()?;
        Ok(moved)
    }

    /// Writes what was gathered, if that is much.
    fn empty(&mut self) -> Result<()> {
        if self.lists.len() < GATHERED {
            return Ok(());
        }
        // Lists stand at multiples of 64, so that many stay or go together.
        let whole = self.lists.len() / 64 * 64;
        self.writer.write_all(&self.lists[..whole]).map_err(|error| failed(self.writer.path(), error))?;
        self.lists.drain(..whole);
        self.at += whole as u64;
        Ok(())
    }

    /// Writes what remains, and gives the writer back.
    pub fn end(mut self) -> Result<&'w mut SegmentWriter> {
        self.lists.resize(self.lists.len() + list::PADDING, 0);
        self.writer.write_all(&self.lists).map_err(|error| failed(self.writer.path(), error))?;
        self.writer.end();
        Ok(self.writer)
    }
}

/// The error of a dictionary's builder. Its own words for a failure to write are "I/O error".
pub(super) fn not_built(path: &Path, error: fst::Error) -> Error {
    match error {
        fst::Error::Io(error) => failed_within(path, error),
        fst::Error::Fst(error) => failed(path, error),
    }
}
