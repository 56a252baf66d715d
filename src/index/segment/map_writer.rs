//! [`MapWriter`]: writes the map of terms and their values.

use super::file::Spill;
use crate::base::error::Result;
use crate::base::memory;
use fst::MapBuilder;

/// What is added to a map at a time. Its builder looks for each node in two megabytes, which whatever is done between terms takes out of
/// the processor's caches: a term takes 1.1 µs if lists are written after each, and 0.7 with so many at a time.
const TERMS: usize = if cfg!(any(test, fuzzing)) { 16 } else { 1 << 15 };
/// Bytes of these terms, besides the last one's.
const BYTES: usize = 512 << 10;

/// Writes the map of terms, which come in ascending order with their values.
pub(super) struct MapWriter {
    map: MapBuilder<Spill>,
    /// Those that wait: their bytes, where each one's end, and its value.
    terms: Vec<u8>,
    values: Vec<(usize, u64)>,
}

impl MapWriter {
    /// Bytes of memory that it takes, besides the longest term's.
    pub const MEMORY: usize = Spill::MEMORY + (4 << 20) + BYTES + TERMS * size_of::<(usize, u64)>();

    /// An empty map in `spill`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(spill: Spill) -> fst::Result<MapWriter> {
        Ok(MapWriter { map: MapBuilder::new(spill)?, terms: Vec::new(), values: Vec::new() })
    }

    /// Adds the next term.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); that of `not_built`.
    pub fn add(&mut self, term: &[u8], value: u64, not_built: impl FnOnce(fst::Error) -> crate::Error) -> Result<()> {
        memory::reserve(&mut self.terms, term.len())?;
        memory::reserve(&mut self.values, 1)?;
        self.terms.extend_from_slice(term);
        self.values.push((self.terms.len(), value));
        match self.values.len() >= TERMS || self.terms.len() >= BYTES {
            true => self.pour().map_err(not_built),
            false => Ok(()),
        }
    }

    fn pour(&mut self) -> fst::Result<()> {
        let mut begin = 0;
        for (end, value) in self.values.drain(..) {
            self.map.insert(&self.terms[std::mem::replace(&mut begin, end)..end], value)?;
        }
        self.terms.clear();
        Ok(())
    }

    /// The map.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> fst::Result<Spill> {
        self.pour()?;
        self.map.into_inner()
    }
}
