//! What two partitions have in common, in a way for each pair of kinds.

use super::bits::Bits;
use super::side::Side;
use crate::base::cpu::Tier;
use crate::codec::monotone::partitioned_elias_fano::{Kind, PartLookUp};
use crate::codec::{BLOCK, Sink, bit_set};
use crate::intersect::Filter;
use crate::intersect::merge::{Common, ROOM, TileMerge, Tiles, VECTOR};
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

/// docIDs are looked up in an Elias–Fano partition with at least this many times as many, and otherwise merged with it.
const LOOK_UP_RATIO: usize = 8;

/// Words of two bit sets that are put together before they are sent: 16,384 docIDs.
const CHUNK: usize = 256;

/// Words that are sent together. What is written across two cache lines takes long to be read again.
#[repr(align(64))]
struct Chunk([MaybeUninit<u64>; CHUNK]);

/// The docIDs that two partitions may have in common.
pub(super) struct Overlap {
    pub(super) tier: Tier,
    pub(super) from: u32,
    pub(super) to: u32,
}

impl Overlap {
    /// Sends the common docIDs. Returns whether more are wanted.
    pub(super) fn send<S: Sink>(
        &self,
        a: &Side,
        b: &Side,
        common: &mut Option<Common>,
        out: &mut Filter<'_, '_, S>,
    ) -> bool {
        match (a.partition.kind, b.partition.kind) {
            (Kind::Run, Kind::Run) => out.take_range(self.from, self.to),
            (Kind::Run, Kind::Runs) => self.each_range(b.ranges(self.from), |first, last| out.take_range(first, last)),
            (Kind::Run, Kind::Bits) => {
                let mut bits = Bits::new(self.tier, b, out);
                bits.take_range(self.from, self.to) && bits.flush()
            }
            (Kind::Run, Kind::EliasFano(_)) => self.run_and_elias_fano(b, out),
            (Kind::Runs, Kind::Runs) => self.runs_and_runs(a.ranges(self.from), b.ranges(self.from), out),
            (Kind::Runs, Kind::Bits) => {
                let mut bits = Bits::new(self.tier, b, out);
                self.each_range(a.ranges(self.from), |first, last| bits.take_range(first, last)) && bits.flush()
            }
            (Kind::Runs, Kind::EliasFano(_)) => self.runs_and_elias_fano(a.ranges(self.from), b, out),
            (Kind::Bits, Kind::Bits) => self.bits_and_bits(a, b, out),
            (Kind::Bits, Kind::EliasFano(_)) => {
                let (stream, first) = (a.words(), a.partition.first / 64 * 64);
                let sent = b.decode(self.tier, self.from, self.to, |doc_ids| {
                    // SAFETY: the docIDs are in the overlap, so the bit set has a word for each.
                    let kept = unsafe { bit_set::retain(stream, first, doc_ids) };
                    go_on(out.take(&mut doc_ids[..kept]))
                });
                sent.is_continue()
            }
            _ if a.blocks(self.from, self.to).len() * LOOK_UP_RATIO <= b.blocks(self.from, self.to).len() => {
                self.look_up(a, b, out)
            }
            _ if b.blocks(self.from, self.to).len() * LOOK_UP_RATIO <= a.blocks(self.from, self.to).len() => {
                self.look_up(b, a, out)
            }
            _ => self.merge(a, b, common.get_or_insert_with(|| [0; ROOM + VECTOR]), out),
        }
    }

    /// Passes on the parts of ranges that lie in the overlap.
    fn each_range(&self, ranges: &[(u32, u32)], mut take: impl FnMut(u32, u32) -> bool) -> bool {
        let ranges = ranges.iter().take_while(|&&(first, _)| first <= self.to);
        for &(first, last) in ranges {
            if !take(first.max(self.from), last.min(self.to)) {
                return false;
            }
        }
        true
    }

    fn runs_and_runs<S: Sink>(&self, a: &[(u32, u32)], b: &[(u32, u32)], out: &mut Filter<'_, '_, S>) -> bool {
        let (mut in_a, mut in_b) = (0, 0);
        while in_a < a.len() && in_b < b.len() {
            let ((first_a, last_a), (first_b, last_b)) = (a[in_a], b[in_b]);
            let (first, last) = (first_a.max(first_b), last_a.min(last_b));
            if first > self.to {
                break;
            }
            if first <= last && !out.take_range(first, last) {
                return false;
            }
            in_a += usize::from(last_a <= last_b);
            in_b += usize::from(last_b <= last_a);
        }
        true
    }

    fn run_and_elias_fano<S: Sink>(&self, b: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        if out.counts() {
            // The ranks of the ends of the overlap say how many docIDs are between.
            let blocks = b.blocks(self.from, self.to);
            let (first, last) = (blocks.start, blocks.end - 1);
            let before = |block: usize, below: u64| -> u64 {
                let mut buffer = crate::codec::block_buffer();
                // SAFETY: the list was checked when it was made; the block is of this partition; there is room for it
                // and the slack.
                let count = unsafe { b.partition.decode(self.tier, b.lasts, block..block + 1, buffer.as_mut_ptr()) };
                ((block - first) * BLOCK + buffer[..count].partition_point(|&doc_id| u64::from(doc_id) < below)) as u64
            };
            let from = if self.from <= b.partition.first { 0 } else { before(first, self.from.into()) };
            let to = if self.to >= b.last {
                (b.partition.count - (first - b.partition.block) * BLOCK) as u64
            } else {
                before(last, u64::from(self.to) + 1)
            };
            out.add(to - from);
            return true;
        }
        b.decode(self.tier, self.from, self.to, |doc_ids| go_on(out.take(doc_ids))).is_continue()
    }

    fn runs_and_elias_fano<S: Sink>(&self, runs: &[(u32, u32)], b: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        let Some(&(mut first, mut last)) = runs.first() else { return true };
        let (mut at, mut wants_more) = (0, true);
        let _ = b.decode(self.tier, self.from.max(first), self.to, |doc_ids| {
            let mut kept = 0;
            for i in 0..doc_ids.len() {
                let doc_id = doc_ids[i];
                while doc_id > last && at < runs.len() {
                    at += 1;
                    (first, last) = runs.get(at).copied().unwrap_or((u32::MAX, u32::MAX));
                }
                doc_ids[kept] = doc_id;
                kept += usize::from(first <= doc_id && at < runs.len());
            }
            wants_more = out.take(&mut doc_ids[..kept]);
            if wants_more && at < runs.len() { ControlFlow::Continue(first) } else { ControlFlow::Break(()) }
        });
        wants_more
    }

    fn bits_and_bits<S: Sink>(&self, a: &Side, b: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        let line = |side: &Side| (self.from / 64 - side.partition.first / 64) as usize;
        let words = (self.to / 64 - self.from / 64) as usize + 1;
        // Bits outside of a partition's docIDs are 0, so what the words have in common is in both partitions.
        // SAFETY: both bit sets have the words from that of `from` to that of `to`.
        let (of_a, of_b) = unsafe { (a.words().add(line(a)), b.words().add(line(b))) };
        if out.counts() {
            // SAFETY: as above.
            out.add(unsafe { bit_set::count_common(self.tier, of_a, of_b, words) });
            return true;
        }
        let Chunk(chunk) = &mut Chunk([MaybeUninit::uninit(); CHUNK]);
        for at in (0..words).step_by(CHUNK) {
            let len = CHUNK.min(words - at);
            // SAFETY: as above; the chunk has room for `len` words, which are written.
            let (ones, chunk) = unsafe {
                let chunk = chunk.as_mut_ptr().cast::<u64>();
                let ones = bit_set::common(self.tier, of_a.add(at), of_b.add(at), len, chunk);
                (ones, std::slice::from_raw_parts(chunk.cast_const(), len))
            };
            let first = self.from / 64 * 64 + 64 * at as u32;
            if ones != 0 && !out.take_bits(first, chunk, ones) {
                return false;
            }
        }
        true
    }

    /// Looks the docIDs of `few` up in `many`.
    fn look_up<S: Sink>(&self, few: &Side, many: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        let Kind::EliasFano(width) = many.partition.kind else { unreachable!("one of the other kinds") };
        // SAFETY: the lists were checked when they were made, and the tier is available.
        let mut look_up = unsafe { PartLookUp::new(self.tier, &many.partition, width, many.lasts) };
        let sent = few.decode(self.tier, self.from, self.to, |doc_ids| {
            // SAFETY: what a list decodes to ascends, here from the overlap on, which begins in the partition.
            let kept = unsafe { look_up.retain(doc_ids) };
            go_on(out.take(&mut doc_ids[..kept]))
        });
        sent.is_continue()
    }

    fn merge<S: Sink>(&self, a: &Side, b: &Side, common: &mut Common, out: &mut Filter<'_, '_, S>) -> bool {
        let blocks = [a, b].map(|side| side.blocks(self.from, self.to));
        let [of_a, of_b] = blocks;
        // SAFETY: the lists were checked when they were made, the blocks are of their partitions, and the tier is
        // available; `Tiles` asks for blocks of the range alone, with room for them and the slack.
        let (a, b) = unsafe {
            (
                Tiles::new(a.lasts, of_a, |blocks, out| a.partition.decode(self.tier, a.lasts, blocks, out)),
                Tiles::new(b.lasts, of_b, |blocks, out| b.partition.decode(self.tier, b.lasts, blocks, out)),
            )
        };
        let mut merge = TileMerge::new(self.tier, self.from, a, b);
        while let Some(found) = merge.next(common) {
            if !out.take(found) {
                return false;
            }
        }
        true
    }
}

fn go_on(wants_more: bool) -> ControlFlow<(), u32> {
    if wants_more { ControlFlow::Continue(0) } else { ControlFlow::Break(()) }
}
