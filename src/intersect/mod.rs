//! CPU intersection of posting lists.
//!
//! The shortest two lists are met first; what they have in common, a tile at a time, is looked up in each longer list.
//! How two lists meet depends on their lengths:
//!
//! * near-equal lists are decoded a tile at a time, and the tiles merged (`merge`); if both are dense, docIDs of one mark
//!   a map in which those of the other are looked up (`merge/windows.rs`);
//! * in a list that is much longer, each docID is looked up (`probe`): without decoding it if the codec can do that,
//!   otherwise by decoding the blocks that can hold it.
//!
//! Blocks that cannot hold a common docID are skipped by the directory in both.

mod merge;
mod probe;

pub use crate::codec::Sink;
use crate::codec::{BLOCK, Codec, SLACK};
use crate::cpu::{self, Tier};
use crate::list::PostingList;
use probe::Probe;

/// A [`Sink`] that counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u64);

impl Sink for Count {
    fn take(&mut self, doc_ids: &[u32]) {
        self.0 += doc_ids.len() as u64;
    }
}

/// Blocks that are decoded at a time.
const TILE_BLOCKS: usize = 8;

/// docIDs of a tile.
const TILE: usize = TILE_BLOCKS * BLOCK;

/// Sends the docIDs that all `lists` have to `sink`, ascending; nothing where there is no list.
///
/// With n docIDs in the shortest list and m in a longer one: O(n + m) where they are of like length, else
/// O(n log(m/n)) look-ups, of a few ns each if the codec has look-ups of its own.
pub fn intersect(lists: &[PostingList], sink: &mut impl Sink) {
    intersect_with(cpu::tier(), lists, sink);
}

/// [`intersect`] with the instructions of `tier`, for tests and measurements.
///
/// # Panics
/// Where the processor lacks the tier.
pub fn intersect_with(tier: Tier, lists: &[PostingList], sink: &mut impl Sink) {
    assert!(tier.is_available());
    let mut sorted: Vec<&PostingList> = lists.iter().collect();
    sorted.sort_by_key(|list| (list.len(), list.id()));
    sorted.dedup_by(|a, b| a.is_same(b));
    match sorted[..] {
        [] => {}
        [shortest, ..] if shortest.is_empty() => {}
        [shortest, next, ref rest @ ..] if merges(tier, shortest, next) => {
            let mut filter = Filter::new(tier, rest, sink);
            merge::merge(tier, shortest, next, |common| filter.take(common));
        }
        [shortest, ref longer @ ..] => {
            let mut filter = Filter::new(tier, longer, sink);
            let mut tile = [0; TILE + SLACK];
            let blocks = shortest.blocks();
            for first in (0..blocks).step_by(TILE_BLOCKS) {
                // SAFETY: the blocks exist and fit into the tile; the processor has the tier.
                let count = unsafe {
                    let end = blocks.min(first + TILE_BLOCKS);
                    shortest.decode_blocks_to(tier, first..end, tile.as_mut_ptr())
                };
                if !filter.take(&mut tile[..count]) {
                    break;
                }
            }
        }
    }
}

/// Whether merging these lists costs less than looking up the docIDs of the shorter one.
fn merges(tier: Tier, shorter: &PostingList, longer: &PostingList) -> bool {
    longer.len() / merge_ratio(tier, longer.codec()) < shorter.len()
}

/// Lists that many times as long as another one, and longer ones, are probed; others are merged with it. Measured on Zen
/// 5 and a Xeon: a merge costs 0.4 to 0.9 ns per docID of either (1 to 4 in plain Rust), a look-up in upper bits 3 to 5
/// (10 in plain Rust), one in decoded blocks 25 to 45.
pub(crate) fn merge_ratio(tier: Tier, longer: Codec) -> usize {
    match tier {
        _ if longer.looks_up(tier) => 8,
        Tier::Scalar => 8,
        _ => 48,
    }
}

/// Looks docIDs up in further lists, and sends those that all of them have to the sink.
struct Filter<'l, 's, S> {
    probes: Vec<Probe<'l>>,
    sink: &'s mut S,
}

impl<'l, 's, S: Sink> Filter<'l, 's, S> {
    fn new(tier: Tier, lists: &[&'l PostingList], sink: &'s mut S) -> Self {
        Filter { probes: lists.iter().map(|list| Probe::new(tier, list)).collect(), sink }
    }

    /// Takes the next candidates, ascending, whose places it uses. Whether a greater one can be in all lists.
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
}

#[cfg(test)]
mod tests;
