//! Intersects two dense lists of similar length: docIDs of one list are marked in a map of 2^16 bytes, and those of the
//! other are looked up there. No step depends on the one before, and no branch depends on a docID.
//!
//! The docIDs of a *run* span at most 2^16, so their low 16 bits identify them and serve as index in the map.

use crate::base::cpu::Tier;
use crate::codec::{BLOCK, SLACK, gallop};
use crate::list::PostingList;
use std::ops::Range;

/// The largest span of the docIDs of a run, and the size of the map in bytes.
const SPAN: usize = 1 << 16;

/// The most blocks in a run.
const RUN_BLOCKS: usize = 8;

/// The most docIDs in a run.
pub(super) const RUN: usize = RUN_BLOCKS * BLOCK;

/// The largest mean gap of a list for which runs are long enough to be worthwhile.
const SPARSEST: u32 = 256;

/// Whether two lists are dense enough, and their low halves cheap enough: with vectors, merging tiles is faster if whole
/// docIDs have to be decoded (Simple-9 lists of 4M docIDs in 67.1M on a Xeon: the map takes 1.2 to 1.3 times as long).
pub(super) fn suits(tier: Tier, a: &PostingList, b: &PostingList) -> bool {
    let is_dense = |list: &PostingList| (list.universe() / SPARSEST) as usize <= list.len();
    let is_cheap = tier == Tier::Scalar || (a.has_low_halves() && b.has_low_halves());
    is_cheap && a.len() + b.len() >= FEWEST[usize::from(tier > Tier::Scalar)] && is_dense(a) && is_dense(b)
}

/// The fewest docIDs of both lists together that are worth clearing the map for: without vector instructions, and with
/// them (NEON was not measured).
const FEWEST: [usize; 2] = [1024, 8192];

/// Sends the docIDs common to both lists to `common`, ascending, at most [`RUN`] at a time, until it returns false.
pub(super) fn merge(tier: Tier, a: &PostingList, b: &PostingList, mut common: impl FnMut(&mut [u32]) -> bool) {
    // The longer list marks, because marking costs less than looking up.
    let (marking, looking) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let (mut marking, mut looking) = (Runs::new(tier, marking), Runs::new(tier, looking));
    let mut map = Map::new();
    let (mut places, mut doc_ids) = ([0; RUN + 1], [0; RUN]);
    looking.fill(0);
    while let Some(first) = looking.first() {
        marking.fill(first);
        if marking.is_empty() {
            return;
        }
        let (least, greatest) = (marking.least, marking.greatest);
        map.mark(rebased(marking.take_to(u32::MAX), least));
        while looking.first().is_some_and(|first| first <= greatest) {
            looking.skip_below(least);
            let found = map.find(rebased(looking.take_to(greatest), least), &mut places);
            let doc_ids = &mut doc_ids[..found];
            doc_ids.iter_mut().zip(&places).for_each(|(doc_id, &place)| *doc_id = least + u32::from(place));
            if found != 0 && !common(doc_ids) {
                return;
            }
            if looking.is_empty() {
                looking.fill(least);
            }
        }
    }
}

/// Subtracts the low half of `least` from the low halves, in place, which gives indices in the map. So every run uses
/// the same part of the map.
fn rebased(halves: &mut [u16], least: u32) -> &[u16] {
    halves.iter_mut().for_each(|half| *half = half.wrapping_sub(least as u16));
    halves
}

/// The map: which indices the last run marked.
struct Map {
    /// By index, the generation that marked it last.
    bytes: Box<[u8; SPAN]>,
    generation: u8,
}

impl Map {
    fn new() -> Self {
        let bytes = vec![0; SPAN].into_boxed_slice().try_into().expect("a map of that many bytes");
        Map { bytes, generation: 0 }
    }

    /// Marks these indices and no others.
    fn mark(&mut self, places: &[u16]) {
        if self.generation == u8::MAX {
            self.bytes.fill(0);
            self.generation = 0;
        }
        self.generation += 1;
        for &place in places {
            self.bytes[usize::from(place)] = self.generation;
        }
    }

    /// Writes those indices that are marked to the front of `out` and returns their number.
    fn find(&self, places: &[u16], out: &mut [u16; RUN + 1]) -> usize {
        assert!(places.len() <= RUN);
        let mut found = 0;
        for &place in places {
            // SAFETY: `found` is at most the number of places seen so far, so at most `RUN`: asserted above.
            unsafe { *out.get_unchecked_mut(found) = place };
            // No entry is greater than the generation, and a comparison for order compiles to a carry that is
            // subtracted at once.
            found += usize::from(self.bytes[usize::from(place)] >= self.generation);
        }
        found
    }
}

/// A list, decoded a run at a time.
struct Runs<'l> {
    list: &'l PostingList,
    tier: Tier,
    /// The first block that is not decoded yet.
    block: usize,
    /// The rest of the run, from `at` to `end`. Its docIDs are at least `least` and less than [`SPAN`] above it;
    /// `greatest` is the last of them.
    at: usize,
    end: usize,
    least: u32,
    greatest: u32,
    halves: [u16; RUN + SLACK],
    /// The rest of blocks whose low halves do not identify their docIDs.
    whole: Range<usize>,
    doc_ids: [u32; RUN + SLACK],
}

impl<'l> Runs<'l> {
    fn new(tier: Tier, list: &'l PostingList) -> Self {
        debug_assert!(tier.is_available());
        let (halves, doc_ids) = ([0; RUN + SLACK], [0; RUN + SLACK]);
        Runs { list, tier, block: 0, at: 0, end: 0, least: 0, greatest: 0, halves, whole: 0..0, doc_ids }
    }

    fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// The distance of a docID of the run from `least`, from its low half.
    fn above(&self, half: u16) -> u32 {
        half.wrapping_sub(self.least as u16).into()
    }

    /// The first remaining docID.
    fn first(&self) -> Option<u32> {
        (!self.is_empty()).then(|| self.least + self.above(self.halves[self.at]))
    }

    /// Drops docIDs below `doc_id`.
    fn skip_below(&mut self, doc_id: u32) {
        if let Some(above) = doc_id.checked_sub(self.least) {
            let rest = &self.halves[self.at..self.end];
            self.at += rest.partition_point(|&half| self.above(half) < above);
        }
    }

    /// Takes the remaining docIDs up to and including `doc_id`.
    fn take_to(&mut self, doc_id: u32) -> &mut [u16] {
        let from = self.at;
        let rest = &self.halves[from..self.end];
        self.at += if self.greatest <= doc_id {
            rest.len()
        } else {
            doc_id.checked_sub(self.least).map_or(0, |above| rest.partition_point(|&half| self.above(half) <= above))
        };
        &mut self.halves[from..self.at]
    }

    /// If nothing is left, decodes the next run, skipping blocks that end below `wanted`.
    fn fill(&mut self, wanted: u32) {
        debug_assert!(self.is_empty());
        let doc_ids = &self.doc_ids[self.whole.clone()];
        self.whole.start += doc_ids.partition_point(|&doc_id| doc_id < wanted);
        if !self.whole.is_empty() {
            return self.fill_from_doc_ids();
        }
        let lasts = self.list.last_doc_ids();
        self.block += gallop(&lasts[self.block..], wanted);
        let Some(&last) = lasts.get(self.block) else { return };
        let previous = self.block.checked_sub(1).map(|before| lasts[before]);
        let least = previous.map_or(0, |previous| previous + 1);
        let most = lasts.len().min(self.block + RUN_BLOCKS);
        let fits = |last: u32| ((last - least) as usize) < SPAN;
        let in_span = self.block + lasts[self.block..most].partition_point(|&last| fits(last));
        let blocks = self.block..in_span.max(self.block + 1);
        self.block = blocks.end;
        if self.list.has_low_halves() && fits(last) {
            (self.least, self.greatest) = (least, lasts[blocks.end - 1]);
            // SAFETY: there are such blocks, and the halves have room for them and the slack; the list was just asked
            // whether it has low halves; the processor has the tier.
            self.end = unsafe { self.list.decode_low_halves_to(self.tier, blocks, self.halves.as_mut_ptr()) };
            self.at = 0;
        } else {
            // SAFETY: there are such blocks, for which there is room and slack; the processor has the tier.
            let count = unsafe { self.list.decode_blocks_to(self.tier, blocks, self.doc_ids.as_mut_ptr()) };
            self.whole = 0..count;
            self.fill_from_doc_ids();
        }
    }

    /// Makes a run of the first remaining docIDs.
    fn fill_from_doc_ids(&mut self) {
        let doc_ids = &self.doc_ids[self.whole.clone()];
        let first = doc_ids[0];
        let fits = |doc_id: u32| ((doc_id - first) as usize) < SPAN;
        let count =
            if fits(doc_ids[doc_ids.len() - 1]) { doc_ids.len() } else { doc_ids.partition_point(|&id| fits(id)) };
        let doc_ids = &doc_ids[..count];
        self.halves.iter_mut().zip(doc_ids).for_each(|(half, &doc_id)| *half = doc_id as u16);
        (self.least, self.greatest) = (first, doc_ids[count - 1]);
        (self.at, self.end) = (0, count);
        self.whole.start += count;
    }
}
