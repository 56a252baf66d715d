//! [`MapWriter`]: writes the map of terms and their values, or the terms of a run.

use super::file::{SegmentWriter, Spill};
use super::run::{Form, TermWriter};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::threads::lock;
use fst::MapBuilder;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Mutex, TryLockError};

/// What is added to a map at a time. Its builder looks for each node in two megabytes, which whatever is done between terms takes out of
/// the processor's caches: a term takes 1.5 to 2 µs if lists are written after each, and 1.1 with so many at a time.
const TERMS: usize = if cfg!(any(test, fuzzing)) { 16 } else { 1 << 15 };
/// Bytes of these terms, besides the last one's.
const BYTES: usize = 512 << 10;

/// If more of them wait, whoever has the next ones adds all.
const WAITING: usize = 4;

/// Terms that wait to be written, in ascending order, with their values.
#[derive(Default)]
pub(super) struct Entries {
    terms: Vec<u8>,
    /// Where each one's bytes end, and its value.
    values: Vec<(usize, u64)>,
}

impl Entries {
    /// Adds the next term.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn add(&mut self, term: &[u8], value: u64) -> Result<()> {
        memory::reserve(&mut self.terms, term.len())?;
        memory::reserve(&mut self.values, 1)?;
        self.terms.extend_from_slice(term);
        self.values.push((self.terms.len(), value));
        Ok(())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let begins = std::iter::once(0).chain(self.values.iter().map(|&(end, _)| end));
        begins.zip(&self.values).map(|(begin, &(end, value))| (&self.terms[begin..end], value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether they are to be added to the map.
    pub fn is_full(&self) -> bool {
        self.values.len() >= TERMS || self.terms.len() >= BYTES
    }
}

/// Terms in ascending order, with their values.
pub(super) enum Map<W: Write> {
    /// In a segment.
    Fst(MapBuilder<W>),
    /// In a run.
    Terms(TermWriter<W>),
}

impl<W: Write> Map<W> {
    /// None yet, in a segment of that form.
    ///
    /// # Errors
    /// If it cannot be written. So have all methods here.
    pub fn new(out: W, form: Form) -> fst::Result<Map<W>> {
        match form {
            Form::Segment => MapBuilder::new(out).map(Map::Fst),
            Form::Run => Ok(Map::Terms(TermWriter::new(out))),
        }
    }

    /// Writes the next term.
    pub fn insert(&mut self, term: &[u8], value: u64) -> fst::Result<()> {
        match self {
            Map::Fst(map) => map.insert(term, value),
            Map::Terms(terms) => Ok(terms.insert(term, value)?),
        }
    }

    /// What they were written to.
    pub fn into_inner(self) -> fst::Result<W> {
        match self {
            Map::Fst(map) => map.into_inner(),
            Map::Terms(terms) => Ok(terms.into_inner()),
        }
    }
}

/// A map to which many terms are added at a time, by whichever thread has time for it.
pub(super) struct MapWriter {
    /// None once it is finished.
    map: Mutex<Option<Map<Spill>>>,
    waiting: Mutex<VecDeque<Entries>>,
}

impl MapWriter {
    /// Bytes of memory that it takes on one thread, besides the longest term's.
    pub fn memory(form: Form) -> usize {
        let builder = if form == Form::Segment { 4 << 20 } else { 0 };
        Spill::MEMORY + builder + BYTES + TERMS * size_of::<(usize, u64)>()
    }

    /// An empty map, to be copied to a segment.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(writer: &SegmentWriter) -> fst::Result<MapWriter> {
        let map = Map::new(writer.spill(), writer.form())?;
        Ok(MapWriter { map: Mutex::new(Some(map)), waiting: Mutex::default() })
    }

    /// Takes the next terms, which are added later, unless many wait already.
    ///
    /// # Errors
    /// If the map cannot be written.
    pub fn take(&self, entries: Entries) -> fst::Result<()> {
        let mut waiting = lock(&self.waiting);
        waiting.push_back(entries);
        let are_many = waiting.len() > WAITING;
        drop(waiting);
        if are_many { self.write(&mut lock(&self.map)) } else { Ok(()) }
    }

    /// Adds the terms that wait, unless another thread does.
    ///
    /// # Errors
    /// If the map cannot be written.
    pub fn help(&self) -> fst::Result<()> {
        match self.map.try_lock() {
            Ok(mut map) => self.write(&mut map),
            Err(TryLockError::WouldBlock) => Ok(()),
            Err(TryLockError::Poisoned(map)) => self.write(&mut map.into_inner()),
        }
    }

    fn write(&self, map: &mut Option<Map<Spill>>) -> fst::Result<()> {
        let Some(map) = map else { return Ok(()) };
        // Not in the condition, where the lock would be held while the terms are added.
        let next = || lock(&self.waiting).pop_front();
        while let Some(entries) = next() {
            entries.iter().try_for_each(|(term, value)| map.insert(term, value))?;
        }
        Ok(())
    }

    /// The map, with all terms that were taken.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(&self) -> fst::Result<Option<Spill>> {
        let mut map = lock(&self.map);
        self.write(&mut map)?;
        map.take().map(Map::into_inner).transpose()
    }
}
