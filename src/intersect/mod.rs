//! CPU intersection of posting lists.
//!
//! The two shortest lists are intersected first, some blocks at a time, and the docIDs that they have in common are
//! looked up in each longer list. How two lists are intersected depends on their lengths:
//!
//! * lists of similar length are decoded a tile at a time, and the tiles merged (`merge`). If both are dense, docIDs of
//!   one are marked in a map and those of the other looked up there (`merge/windows.rs`). Uncompressed lists are merged
//!   where they are (`merge/slices.rs`).
//! * If one list is much longer, each docID of the other is looked up in it (`probe`): without decoding if the codec
//!   can do that, otherwise by decoding the blocks that may contain it.
//! * Two partitioned Elias–Fano lists are intersected partition by partition (`merge/partitions/`), whatever their
//!   lengths.
//!
//! In all cases blocks that cannot contain a common docID are skipped using the directory, which is the block skipping of
//! Ding et al. (WWW 2009, section 8.1): the docIDs of one list are first searched among the last docIDs of the other's
//! blocks, and only blocks that are met there are decoded.
//!
//! `plan` makes the choice, and shows it: [`explain`], and the log at level debug. [`batch`] spreads queries over threads.

pub mod batch;
pub(crate) mod merge;
mod plan;
mod probe;

use crate::base::cpu::{self, Tier};
use crate::base::error::Result;
pub use crate::codec::Sink;
use crate::codec::monotone::partitioned_elias_fano::{Builder, FEW};
use crate::codec::{BLOCK, SLACK};
use crate::list::PostingList;
pub use merge::Merging;
pub(crate) use plan::merge_ratio;
pub use plan::{Plan, Strategy, explain};
use probe::Probe;

/// A [`Sink`] that only counts docIDs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u64);

impl Sink for Count {
    const COUNTS: bool = true;

    fn take(&mut self, doc_ids: &[u32]) {
        self.0 += doc_ids.len() as u64;
    }

    fn take_range(&mut self, _: Tier, first: u32, last: u32) {
        self.0 += u64::from(last - first) + 1;
    }

    fn take_bits(&mut self, _: Tier, _: u32, _: &[u64], ones: u64) {
        self.0 += ones;
    }

    fn add(&mut self, count: u64) {
        self.0 += count;
    }
}

/// Blocks that are decoded at a time.
const TILE_BLOCKS: usize = 8;

/// docIDs of a tile.
const TILE: usize = TILE_BLOCKS * BLOCK;

/// Sends the docIDs common to all `lists` to `sink`, ascending; none if there are no lists.
///
/// With n docIDs in the shortest list and m in a longer one: O(n + m) if their lengths are similar, otherwise n
/// look-ups of O(log(m/n)) each, which take a few nanoseconds if the codec has its own look-ups.
pub fn intersect(lists: &[PostingList], sink: &mut impl Sink) {
    intersect_with(cpu::tier(), lists, sink);
}

/// The docIDs common to all `lists` as a list of codec [`PartitionedEliasFano`](Codec::PartitionedEliasFano). If these are
/// of that codec, dense results cost much less than as docIDs.
///
/// # Errors
/// [`Error::Argument`](crate::Error::Argument) if the result has too many words.
pub fn intersect_list(lists: &[PostingList]) -> Result<PostingList> {
    intersect_list_with(cpu::tier(), lists)
}

/// [`intersect_list`] with the instructions of `tier`, for tests and measurements.
///
/// # Errors
/// As there.
///
/// # Panics
/// If the processor lacks the tier.
pub fn intersect_list_with(tier: Tier, lists: &[PostingList]) -> Result<PostingList> {
    let least = |of: fn(&PostingList) -> usize| lists.iter().map(of).min().unwrap_or(0);
    if least(PostingList::len) <= FEW {
        let mut few = Vec::new();
        intersect_with(tier, lists, &mut few);
        return PostingList::of_few(&few);
    }
    let mut builder = Builder::with_room(least(|list| list.words().len()));
    intersect_with(tier, lists, &mut builder);
    PostingList::of_built(builder.finish())
}

/// [`intersect`] with the instructions of `tier`, for tests and measurements.
///
/// # Panics
/// If the processor lacks the tier.
pub fn intersect_with(tier: Tier, lists: &[PostingList], sink: &mut impl Sink) {
    assert!(tier.is_available());
    let plan = Plan::new(tier, lists);
    log::debug!("intersection: {plan}");
    match (plan.strategy, &plan.lists[..]) {
        (Strategy::Merge(Merging::Partitions), &[shortest, next, ref rest @ ..]) => {
            merge::partitions::merge(tier, shortest, next, &mut Filter::new(tier, rest, sink));
        }
        (Strategy::Merge(merging), &[shortest, next, ref rest @ ..]) => {
            let mut filter = Filter::new(tier, rest, sink);
            merge::merge(tier, merging, shortest, next, |common| filter.take(common));
        }
        (Strategy::LookUp, &[shortest, ref longer @ ..]) => {
            let mut filter = Filter::new(tier, longer, sink);
            let mut tile = [0; TILE + SLACK];
            let blocks = shortest.blocks();
            for first in (0..blocks).step_by(TILE_BLOCKS) {
                // SAFETY: `first..end` is not empty and ends at `blocks` at most; `tile` has room for `TILE_BLOCKS`
                // blocks and the slack; the tier was asserted.
                let count = unsafe {
                    let end = blocks.min(first + TILE_BLOCKS);
                    shortest.decode_blocks_to(tier, first..end, tile.as_mut_ptr())
                };
                if !filter.take(&mut tile[..count]) {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Looks docIDs up in further lists, and sends those that all of them contain to the sink.
struct Filter<'l, 's, S> {
    tier: Tier,
    probes: Vec<Probe<'l>>,
    sink: &'s mut S,
}

impl<'l, 's, S: Sink> Filter<'l, 's, S> {
    fn new(tier: Tier, lists: &[&'l PostingList], sink: &'s mut S) -> Self {
        Filter { tier, probes: lists.iter().map(|list| Probe::new(tier, list)).collect(), sink }
    }

    /// Takes the next candidates, ascending, and overwrites them. Returns whether all lists may contain a greater
    /// docID.
    fn take(&mut self, candidates: &mut [u32]) -> bool {
        let Some(&last) = candidates.last() else { return true };
        let mut count = candidates.len();
        for probe in &mut self.probes {
            if count == 0 {
                break;
            }
            count = probe.retain(&mut candidates[..count]);
        }
        self.sink.take(&candidates[..count]);
        self.probes.iter().all(|probe| last < probe.universe())
    }

    /// Takes all docIDs from `first` to `last`, as [`take`](Self::take).
    fn take_range(&mut self, first: u32, last: u32) -> bool {
        if self.probes.is_empty() {
            self.sink.take_range(self.tier, first, last);
            return true;
        }
        let mut expanded = Expanded { filter: self, goes_on: true };
        expanded.take_range(expanded.filter.tier, first, last);
        expanded.goes_on
    }

    /// Takes the docIDs of a bit set with so many ones, as [`take`](Self::take); bit 0 of the first word stands for `first`.
    fn take_bits(&mut self, first: u32, words: &[u64], ones: u64) -> bool {
        if self.probes.is_empty() {
            self.sink.take_bits(self.tier, first, words, ones);
            return true;
        }
        let mut expanded = Expanded { filter: self, goes_on: true };
        expanded.take_bits(expanded.filter.tier, first, words, ones);
        expanded.goes_on
    }

    /// Whether only the number of docIDs matters, and there are no further lists. Then they may be [added](Self::add).
    fn counts(&self) -> bool {
        S::COUNTS && self.probes.is_empty()
    }

    /// Takes so many docIDs, if it [counts](Self::counts).
    fn add(&mut self, count: u64) {
        self.sink.add(count);
    }
}

/// Gives ranges and bit sets to a filter as docIDs.
struct Expanded<'f, 'l, 's, S> {
    filter: &'f mut Filter<'l, 's, S>,
    goes_on: bool,
}

impl<S: Sink> Sink for Expanded<'_, '_, '_, S> {
    fn take(&mut self, doc_ids: &[u32]) {
        for part in doc_ids.chunks(TILE) {
            let mut candidates = [0; TILE];
            let candidates = &mut candidates[..part.len()];
            candidates.copy_from_slice(part);
            self.goes_on = self.goes_on && self.filter.take(candidates);
        }
    }
}

#[cfg(test)]
mod tests;
