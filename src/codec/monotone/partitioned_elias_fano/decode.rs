//! Decoding blocks.

use super::directory::{Directory, Kind, Partition, Runs};
use crate::base::cpu::Tier;
use crate::codec::bit_set;
use crate::codec::quasi_succinct::{self, Parts, sizes};
use crate::codec::{BLOCK, Encoded};
use std::ops::Range;

/// As [`ListCodec::decode_blocks`](crate::codec::ListCodec::decode_blocks).
///
/// # Safety
/// As there.
pub(super) unsafe fn decode_blocks(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u32) -> usize {
    let directory = Directory::of(list);
    let mut at = directory.find(0, blocks.start);
    let mut partition = directory.get(at);
    let mut block = blocks.start;
    let mut decoded = 0;
    loop {
        let end = blocks.end.min(partition.end_block);
        // SAFETY: the blocks are of this partition, because partitions adjoin; `out` has room for the docIDs of all
        // blocks and the slack.
        unsafe {
            decoded += partition.decode(tier, list.last_doc_ids, block..end, out.add(decoded));
        }
        block = end;
        if block == blocks.end {
            return decoded;
        }
        at += 1;
        partition = directory.next(&partition, at);
    }
}

impl Partition<'_> {
    /// Decodes blocks of the partition, of which `lasts` has the list's last docIDs, to `out` and returns the number of
    /// their docIDs.
    ///
    /// # Safety
    /// The list was checked; the blocks are of this partition, and there is at least one; `out` has room for their docIDs
    /// and [`SLACK`](crate::codec::SLACK) more; the processor has `tier`.
    #[inline]
    pub(crate) unsafe fn decode(&self, tier: Tier, lasts: &[u32], blocks: Range<usize>, out: *mut u32) -> usize {
        debug_assert!(self.block <= blocks.start && blocks.start < blocks.end && blocks.end <= self.end_block);
        let within = blocks.start - self.block..blocks.end - self.block;
        let ranks = within.start * BLOCK..self.count.min(within.end * BLOCK);
        let previous = if within.start == 0 { None } else { Some(lasts[blocks.start - 1]) };
        // SAFETY: the list was checked, so a partition of each kind has what its decoder reads; the blocks and `out` are
        // this function's contract.
        unsafe {
            match self.kind {
                Kind::EliasFano(width) => {
                    let parts = parts(self, width, 0);
                    quasi_succinct::decode_blocks(tier, &parts, within, previous.unwrap_or(parts.base), out);
                }
                Kind::Run => bit_set::fill(tier, self.first + ranks.start as u32, ranks.len(), out),
                Kind::Runs => runs(tier, &Runs::of(self), ranks.clone(), out),
                Kind::Bits => {
                    let from = previous.map_or(self.first, |previous| previous + 1);
                    bits(tier, self, from, lasts[blocks.end - 1], out);
                }
            }
        }
        ranks.len()
    }
}

/// The parts of an Elias–Fano partition, whose largest docID is `last`; decoding needs no `last`.
#[inline]
pub(super) fn parts<'l>(partition: &Partition<'l>, width: u32, last: u32) -> Parts<'l> {
    let Partition { first, count, payload, .. } = *partition;
    let base = first >> width << width;
    let (lower_words, _) = sizes(count, 0, width);
    let upper = &payload[lower_words as usize..];
    Parts { count, universe: last.wrapping_sub(base), base, lower_width: width, lower: payload, upper }
}

/// Writes the docIDs of a bit set from `from` to `to`, which are two of them.
///
/// # Safety
/// `out` has room for them and 64 more; the processor has `tier`.
unsafe fn bits(tier: Tier, partition: &Partition, from: u32, to: u32, out: *mut u32) {
    let line = |doc_id: u32| (doc_id / 64 - partition.first / 64) as usize;
    let stream: *const u64 = partition.payload.as_ptr().cast();
    // SAFETY: the words of the first and of the last docID are in the partition. Of the last word, at most 63 docIDs
    // are surplus.
    unsafe {
        let head = bit_set::word(stream, line(from)) >> (from % 64) << (from % 64);
        let found = bit_set::expand(tier, &head.to_le(), 1, from / 64 * 64, out);
        let rest = line(to) - line(from);
        if rest != 0 {
            let next = from / 64 * 64 + 64;
            bit_set::expand(tier, stream.add(line(from) + 1), rest, next, out.add(found));
        }
    }
}

/// Writes the docIDs of runs with those ranks in the partition.
///
/// # Safety
/// `out` has room for them and 15 more; the processor has `tier`.
unsafe fn runs(tier: Tier, runs: &Runs, ranks: Range<usize>, out: *mut u32) {
    let (from, to) = (ranks.start as u32, ranks.end as u32);
    let mut at = runs.with_rank(from);
    let (mut start, mut before) = runs.get(at);
    let mut rank = from;
    loop {
        at += 1;
        let (next, end) = runs.get(at);
        // SAFETY: the ranks up to the smaller end are among those asked for.
        unsafe {
            let len = (end.min(to) - rank) as usize;
            bit_set::fill(tier, start + (rank - before), len, out.add((rank - from) as usize));
        }
        if end >= to {
            return;
        }
        (start, before, rank) = (next, end, end);
    }
}
