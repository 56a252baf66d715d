//! Items of the cache are built where they are missing.

use super::provider::{Provider, Wanted};
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::memory::Key;
use std::collections::HashMap;

/// The words of lists that a device has made, by the index of what was wanted.
pub(super) type Made = HashMap<usize, Vec<u32>>;

/// Nanoseconds in which a thread builds an item without postings, and for each posting more.
const ITEM: u64 = 2_000;
const POSTING: u64 = 8;
/// Nanoseconds that justify one more thread. It starts in a tenth of that, but not while other threads keep all cores busy.
const THREAD: u64 = 250_000;

/// Of what is wanted, what exists, and what it is called in the cache.
pub(super) fn present<'p>(wanted: &[Wanted], provider: &'p dyn Provider) -> (Vec<Wanted>, Vec<Key<'p>>) {
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
    let nanoseconds: u64 = others.iter().map(|&at| ITEM + POSTING * provider.reads(wanted[at])).sum();
    let threads = threads::at_most(threads, (nanoseconds / THREAD) as usize);
    let mut built = threads::map(threads, others.len(), |at| provider.build(wanted[others[at]]))?.into_iter();
    let words = missing.iter().map(|at| made.remove(at).or_else(|| built.next()));
    words.collect::<Option<_>>().ok_or_else(|| Error::Device("an item of the cache was not built".into()))
}
