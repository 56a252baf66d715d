//! Device memory, and transfers to and from it.
//!
//! | file | what it holds |
//! |---|---|
//! | `arena` | decides where lists go in their buffer |
//! | `pool` | a buffer that grows, with its arena |
//! | `residency` | which lists are in device memory, and where |
//! | `cache` | what ranked search keeps in device memory, within a budget |
//! | `wishes` | which positions would be worth sending |
//! | `scratch` | buffers of operations |
//! | `ferry` | transfers through pinned staging buffers |

mod arena;
mod cache;
mod ferry;
mod pool;
mod residency;
mod scratch;
mod wishes;

pub(crate) use cache::{Build, Key, Name, Placed};
pub use cache::{CacheStats, cache_stats};
pub(crate) use ferry::Arrived;
pub use ferry::{bytes_from_device, bytes_to_device};
pub(super) use residency::Places;
pub(crate) use scratch::Slot;
pub(crate) use wishes::Wishes;

use super::cl::Buffer;
use super::link::{LANES, Link, WORD};
use super::platform::Limits;
use crate::base::environment;
use crate::base::error::{Error, Result};
use crate::list::PostingList;
use cache::Cache;
use ferry::Ferry;
use residency::Residency;
use scratch::Scratch;
use std::ops::Range;

/// Lists begin at a multiple of this many words (64 bytes).
pub(crate) const ALIGNMENT: usize = 16;
/// Words after each list that kernels may read. They are zero.
pub(crate) const PADDING: usize = 32;

/// The memory of a device that this process uses.
pub(super) struct Memory {
    /// One for each lane.
    ferries: [Ferry; LANES],
    /// Buffers of passages, for when others are taken.
    spares: [Vec<Arrived>; Ferry::PASSAGES],
    scratch: Scratch,
    residency: Residency,
    cache: Cache,
}

fn nothing_arrived() -> Error {
    Error::Device("nothing has arrived from the device".into())
}

/// Words that the cache may have at most, if nothing else is said.
fn usual_budget(limits: &Limits) -> usize {
    limits.allocation.min(limits.memory / 4) / WORD
}

/// Words that the cache may have at most, of so many that are wanted; 0 means the usual.
pub(super) fn cache_words(limits: &Limits, wanted: usize) -> usize {
    if wanted == 0 { usual_budget(limits) } else { wanted.min(limits.allocation / WORD) }
}

impl Memory {
    /// Lists may take up to half of the device's memory, within one buffer.
    pub(super) fn new(limits: &Limits) -> Memory {
        let wanted = environment::variable("POSTINGS_DEVICE_ARENA");
        let wanted = wanted.and_then(|words| words.to_str()?.parse().ok()).unwrap_or(usize::MAX);
        let most = (limits.allocation.min(limits.memory / 2) / WORD).min(wanted);
        Memory {
            ferries: Default::default(),
            spares: Default::default(),
            scratch: Scratch::default(),
            residency: Residency::new(most),
            cache: Cache::new(usual_budget(limits)),
        }
    }

    /// Begins a session: scratch buffers of earlier sessions become idle.
    pub(super) fn begin_session(&mut self) {
        self.scratch.begin_session();
        self.cache.keep_since(u64::MAX);
    }

    /// Whether a list is in device memory now.
    pub(super) fn is_resident(&self, list: &PostingList) -> bool {
        self.residency.has(list)
    }

    /// Where lists are now.
    pub(super) fn places(&self) -> Places<'_> {
        self.residency.places()
    }

    /// Forgets all lists.
    pub(super) fn forget(&mut self) {
        self.residency.forget();
        self.cache.forget();
    }

    /// The buffer of the cache.
    pub(super) fn cache(&mut self, link: &Link) -> Result<&Buffer> {
        self.cache.buffer(link)
    }

    /// Limits the cache to that many words; 0 means a quarter of the device's memory.
    pub(super) fn limit_cache(&mut self, link: &Link, words: usize) {
        self.cache.limit(cache_words(&link.limits, words));
    }

    /// Whether an item is in the cache.
    pub(super) fn has(&self, name: &Name) -> bool {
        self.cache.has(name)
    }

    /// Ensures that all these items are in the cache together, and appends the place of each to `places`. False if they do
    /// not fit.
    pub(super) fn ensure(
        &mut self,
        link: &Link,
        wanted: &[Key<'_>],
        build: &mut Build<'_>,
        places: &mut Vec<Placed>,
    ) -> Result<bool> {
        self.cache.ensure(link, &mut self.ferries[link.lane()], wanted, build, places)
    }

    /// As [`Cache::find`].
    pub(super) fn find<'k>(&mut self, wanted: impl Iterator<Item = Option<Key<'k>>>) -> Option<Vec<Option<Placed>>> {
        self.cache.find(wanted)
    }

    /// The number of the next call of the cache.
    pub(super) fn next_call(&self) -> u64 {
        self.cache.next_call()
    }

    /// Evicts no item that was wanted in that call of the cache or a later one.
    pub(super) fn keep_since(&mut self, call: u64) {
        self.cache.keep_since(call);
    }

    /// Whether items of earlier calls than the last one are kept.
    pub(super) fn is_kept(&self) -> bool {
        self.cache.is_kept()
    }

    /// The buffer of resident lists.
    pub(super) fn arena(&mut self, link: &Link) -> Result<&Buffer> {
        self.residency.buffer(link)
    }

    /// Ensures that all these lists are in the arena together, and appends the first word of each to `at`.
    pub(super) fn resident<'l>(
        &mut self,
        link: &Link,
        lists: impl Iterator<Item = &'l PostingList> + Clone,
        at: &mut Vec<u64>,
    ) -> Result<()> {
        self.residency.ensure(link, &mut self.ferries[link.lane()], lists, at)
    }

    /// Ensures that a scratch buffer has room for `words` words; their contents are unspecified.
    pub(super) fn scratch(&mut self, link: &Link, slot: Slot, words: usize) -> Result<()> {
        self.scratch.ensure(link, slot, words, self.residency.words() + self.cache.words())
    }

    /// A scratch buffer that this session has requested.
    pub(super) fn slot(&self, slot: Slot) -> Result<&Buffer> {
        self.scratch.get(slot)
    }

    /// Sends bytes to the front of a scratch buffer, padded with zeros to a whole word, enlarging the buffer if needed.
    pub(super) fn upload(&mut self, link: &Link, slot: Slot, bytes: &[u8]) -> Result<()> {
        let words = bytes.len().div_ceil(WORD);
        self.scratch(link, slot, words.max(1))?;
        let zeros = [0; WORD];
        let parts = [bytes, &zeros[..words * WORD - bytes.len()]];
        let buffer = self.scratch.with(slot, &(0..words))?;
        // SAFETY: `with` checked that the buffer has `words` words, and `parts` are as long together.
        unsafe { self.ferries[link.lane()].send(link, buffer, 0, parts.into_iter(), words * WORD) }
    }

    /// Whether that many words can be lent.
    pub(super) fn lends(words: usize) -> bool {
        ferry::lends(words)
    }

    /// Starts reading words of a scratch buffer to a passage of the lane, 0 or 1. There must be some.
    pub(super) fn start_lending(&mut self, link: &Link, passage: usize, slot: Slot, words: Range<usize>) -> Result<()> {
        let buffer = self.scratch.with(slot, &words)?;
        // SAFETY: `with` checked that the range is within the buffer.
        unsafe { self.ferries[link.lane()].start(link, passage, buffer, words.start * WORD, words.len() * WORD) }
    }

    /// Waits for what was started in the lane.
    pub(super) fn arrived(&mut self, link: &Link, passage: usize) -> Result<()> {
        self.ferries[link.lane()].arrived(link, passage)
    }

    /// The words that have arrived in a passage.
    pub(super) fn lent(&self, lane: usize, passage: usize) -> Result<&[u32]> {
        self.ferries[lane].lent(passage).ok_or_else(nothing_arrived)
    }

    /// Takes out of a passage the buffer with the words that have arrived.
    pub(super) fn take(&mut self, lane: usize, passage: usize) -> Result<Arrived> {
        let spare = self.spares[passage].pop();
        self.ferries[lane].exchange(passage, spare).ok_or_else(nothing_arrived)
    }

    /// Has a buffer that was [taken](Self::take) replace the next one.
    pub(super) fn take_back(&mut self, passage: usize, arrived: Arrived) {
        self.spares[passage].push(arrived);
    }

    /// Appends words of a scratch buffer to `to`. Waits for all submitted commands.
    pub(super) fn read(&mut self, link: &Link, slot: Slot, words: Range<usize>, to: &mut Vec<u32>) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let buffer = self.scratch.with(slot, &words)?;
        let count = words.len();
        to.reserve(count);
        // SAFETY: `with` checked that the range is within the buffer; `reserve` made room for `count` words, and
        // `receive` has written all of them before `set_len`.
        unsafe {
            let end = to.as_mut_ptr().add(to.len()).cast();
            self.ferries[link.lane()].receive(link, buffer, words.start * WORD, end, count * WORD)?;
            to.set_len(to.len() + count);
        }
        Ok(())
    }

    /// Marks the staging buffers of all lanes as unused. All commands must be complete.
    pub(super) fn done(&mut self) {
        self.ferries.iter_mut().for_each(Ferry::done);
    }

    #[cfg(test)]
    pub(super) fn limit_arena(&mut self, words: usize) {
        self.residency.limit(words);
    }

    /// Words of the arena, and how many of them were handed out.
    #[cfg(test)]
    pub(super) fn arena_use(&self) -> (usize, usize) {
        self.residency.in_use()
    }
}

/// The bytes of words in the host's order. Devices are little-endian (`platform` leaves out others), as the host must
/// be.
pub(super) fn as_bytes(words: &[u32]) -> &[u8] {
    // SAFETY: a `u32` has no padding, `u8` has no alignment, and the length is that of `words` in bytes.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}
