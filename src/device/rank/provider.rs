//! [`Provider`]: where what the kernels need comes from.

use crate::base::error::Result;
use crate::device::memory::Key;

/// Something that kernels need in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The saturations and norms of a field: [`tiled::table`](crate::device::tiled::table) or
    /// [`tiled::table_of_impacts`](crate::device::tiled::table_of_impacts), and
    /// [`tiled::norms`](crate::device::tiled::norms).
    Table(usize),
    /// The ordinal of each document of a segment.
    Ordinals(usize),
    /// The postings of a term in a segment: [`tiled::encode`](crate::device::tiled::encode).
    List {
        /// The segment.
        segment: usize,
        /// The index of the term in the batch.
        term: usize,
    },
    /// The same of a word of a term that is a phrase.
    Word {
        /// The segment.
        segment: usize,
        /// The index of the term in the batch.
        term: usize,
        /// The index of the word in the phrase.
        word: usize,
    },
    /// The positions of a word of a phrase: [`tiled::positions`](crate::device::tiled::positions).
    Positions {
        /// The segment.
        segment: usize,
        /// The index of the term in the batch.
        term: usize,
        /// The index of the word in the phrase.
        word: usize,
    },
}

/// A word of a phrase in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhraseWord {
    /// Where it stands in the phrase.
    pub(crate) offset: u32,
    /// The documents of the segment that contain it.
    pub(crate) documents: u64,
}

/// Where what the kernels need comes from.
pub(crate) trait Provider: Sync {
    /// What it is called in the cache; `None` if it does not exist.
    fn key(&self, wanted: Wanted) -> Option<Key<'_>>;

    /// About how many postings, or numbers like them, have to be read to build it.
    fn reads(&self, wanted: Wanted) -> u64;

    /// Its words. Called by several threads.
    ///
    /// # Errors
    /// Whatever reading an index gives.
    fn build(&self, wanted: Wanted) -> Result<Vec<u32>>;

    /// The words of the phrase of which a term is the list; none if it is not a phrase.
    ///
    /// # Errors
    /// Whatever reading an index gives.
    fn phrase(&self, segment: usize, term: usize) -> Result<Vec<PhraseWord>>;

    /// The words of a list with these docIDs and frequencies less 1. Called by several threads.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if they cannot be those of a list; whatever reading an index gives.
    fn encode(&self, segment: usize, term: usize, doc_ids: Vec<u32>, less_one: Vec<u32>) -> Result<Vec<u32>>;
}

impl<P: Provider + ?Sized> Provider for &P {
    fn key(&self, wanted: Wanted) -> Option<Key<'_>> {
        (**self).key(wanted)
    }

    fn reads(&self, wanted: Wanted) -> u64 {
        (**self).reads(wanted)
    }

    fn build(&self, wanted: Wanted) -> Result<Vec<u32>> {
        (**self).build(wanted)
    }

    fn phrase(&self, segment: usize, term: usize) -> Result<Vec<PhraseWord>> {
        (**self).phrase(segment, term)
    }

    fn encode(&self, segment: usize, term: usize, doc_ids: Vec<u32>, less_one: Vec<u32>) -> Result<Vec<u32>> {
        (**self).encode(segment, term, doc_ids, less_one)
    }
}
