//! [`Provider`]: where what the kernels need comes from.

use super::phrase::Made;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::memory::Key;

/// Something that kernels need in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The saturations and norms of a field: [`tiled::table`](crate::device::tiled::table) and
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
    fn key(&self, wanted: Wanted) -> Option<Key>;

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
    /// [`Error::Device`] if they cannot be those of a list; whatever reading an index gives.
    fn encode(&self, segment: usize, term: usize, doc_ids: Vec<u32>, less_one: Vec<u32>) -> Result<Vec<u32>>;
}

/// Of what is wanted, what exists, and what it is called in the cache.
pub(super) fn present(wanted: &[Wanted], provider: &dyn Provider) -> (Vec<Wanted>, Vec<Key>) {
    wanted.iter().filter_map(|&what| Some((what, provider.key(what)?))).unzip()
}

/// The words of those of `wanted` that are missing: of those that the device has `made`, and of others, built by at most so
/// many threads.
pub(super) fn build(
    missing: &[usize],
    wanted: &[Wanted],
    made: &mut Made,
    provider: &dyn Provider,
    threads: usize,
) -> Result<Vec<Vec<u32>>> {
    let others: Vec<usize> = missing.iter().copied().filter(|at| !made.contains_key(at)).collect();
    // Building a list takes as long as starting a thread, or longer.
    let threads = threads::at_most(threads, others.len() / 4);
    let mut built = threads::map(threads, others.len(), |at| provider.build(wanted[others[at]]))?.into_iter();
    let words = missing.iter().map(|at| made.remove(at).or_else(|| built.next()));
    words.collect::<Option<_>>().ok_or_else(|| Error::Device("an item of the cache was not built".into()))
}
