//! Look-ups in the upper bits of a quasi-succinct list, which is not decoded.
//!
//! The docIDs whose upper part is t are the run of stop bits behind the t-th 1 bit. Where docIDs are asked for densely,
//! words of upper bits are taken a tile at a time: with the 1 bits before each word of the tile counted once, a look-up
//! finds the word by comparing all counts, the bit by a *select* in the word, and compares as many lower bits as the run
//! is long at once. Where they are asked for sparsely, the directory says where to count.
//!
//! The steps are the same on all processors; a [`Machine`] says how bits are counted and selected.

use super::Parts;
use crate::bits::{get, low_mask, ones_by_byte};
use crate::codec::{BLOCK, Encoded, LookUp};
use crate::cpu::Tier;
use std::cmp::Ordering;
use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

/// 64-bit words of a tile that follows the one before.
const NEXT_TILE: usize = 32;

/// 64-bit words of a tile that the directory led to, and that are counted for a sparse look-up at a time. A block's
/// upper bits are some 6.
const JUMP_TILE: usize = 8;

/// Look-ups between two comparisons of lower bits.
const BATCH: usize = 256;

/// Upper parts so far ahead that the directory is asked for the way.
const JUMP: u32 = 32 * NEXT_TILE as u32;

/// Upper parts from one candidate to the next on average from which on each is looked up by the directory.
const SPARSE: usize = 512;

/// What a processor has for look-ups.
trait Machine {
    /// Whether [`behind`](Self::behind) wants the [`ones_by_byte`] of a word, and 1 bits are best counted by them.
    const SUMS: bool;

    /// How many of the tile's counts are less than `wanted`, which is less than 2^15. Counts ascend.
    ///
    /// # Safety
    /// The processor is such a machine; so for the others.
    unsafe fn less(counts: &[u16; NEXT_TILE], wanted: u32) -> usize;

    /// The bit behind the `nth` 1 bit of the word, 0 for the 0th; the word has so many, and these [`ones_by_byte`] where the
    /// machine wants them.
    unsafe fn behind(word: u64, sums: u64, nth: u32) -> u32;

    /// [`Select::advance_by`], out of the way of what is done more often.
    unsafe fn advance(select: &mut Select, doc_id: u32, upper_part: u32);
}

/// A look-up in one list.
pub struct Select<'l> {
    tier: Tier,
    parts: Parts<'l>,
    lasts: &'l [u32],
    /// The block that the directory was last asked for, or an earlier one.
    block: usize,
    /// The first word of the tile, and the words in it.
    word: usize,
    words: usize,
    /// 1 bits before the tile, and before its end.
    ones_before: u32,
    ones_end: u32,
    /// 1 bits of the tile before each of its words and at its end; more than can be after that.
    ones: [u16; NEXT_TILE + 1],
    /// The [`ones_by_byte`] of the words, where the machine wants them.
    sums: [u64; NEXT_TILE],
    /// Fields that a load holds whatever bit of its first byte they begin at, and what compares them.
    fields: Fields,
}

#[derive(Clone, Copy)]
struct Fields {
    /// Bits of a field: b, or 1 where b is 0.
    step: u32,
    count: u32,
    /// The lowest bit of each field.
    lowest: u64,
    /// The highest bit of each field.
    highest: u64,
    /// All bits of each field; none where b is 0.
    all: u64,
}

impl Fields {
    fn new(width: u32) -> Self {
        let step = width.max(1);
        let count = 57 / step;
        let lowest = (0..count).fold(0, |bits, i| bits | 1u64 << (i * step));
        Fields { step, count, lowest, highest: lowest << (step - 1), all: lowest * u64::from(low_mask(width)) }
    }
}

impl<'l> LookUp<'l> for Select<'l> {
    fn exists(_: Tier) -> bool {
        true
    }

    unsafe fn new(tier: Tier, list: Encoded<'l>) -> Option<Self> {
        let parts = Parts::of(&list);
        debug_assert!(parts.count != 0 && tier.is_available());
        let mut select = Select {
            tier,
            parts,
            lasts: list.last_doc_ids,
            block: 0,
            word: 0,
            words: 0,
            ones_before: 0,
            ones_end: 0,
            ones: [0; NEXT_TILE + 1],
            sums: [0; NEXT_TILE],
            fields: Fields::new(parts.lower_width),
        };
        // SAFETY: a list that is not empty has upper bits.
        unsafe { select.load::<portable::Portable>(0, 0, JUMP_TILE) };
        Some(select)
    }

    fn retain(&mut self, candidates: &mut [u32]) -> usize {
        // SAFETY: `new` was promised that the processor has the tier.
        unsafe {
            match self.tier {
                #[cfg(target_arch = "x86_64")]
                Tier::Avx512 => self.retain_avx512(candidates),
                #[cfg(target_arch = "x86_64")]
                Tier::Avx2 => self.retain_avx2(candidates),
                _ => self.retain_by::<portable::Portable>(candidates),
            }
        }
    }
}

impl Select<'_> {
    /// The 64-bit word of upper bits at index `word`.
    ///
    /// # Safety
    /// It begins before the end of the upper bits or less than a tile's words behind a word that does.
    #[inline(always)]
    unsafe fn upper(&self, word: usize) -> u64 {
        // SAFETY: the padding is as long as a tile.
        u64::from_le(unsafe { self.parts.upper.as_ptr().cast::<u64>().add(word).read_unaligned() })
    }

    /// Makes the tile that of `words` words from `word` on, before which there are `ones_before` 1 bits.
    ///
    /// # Safety
    /// `word` begins before the end of the upper bits.
    #[inline(always)]
    unsafe fn load<M: Machine>(&mut self, word: usize, ones_before: u32, words: usize) {
        self.word = word;
        self.words = words;
        self.ones_before = ones_before;
        let mut ones = 0;
        for i in 0..words {
            // SAFETY: the caller's promise.
            let upper = unsafe { self.upper(word + i) };
            ones += if M::SUMS {
                self.sums[i] = ones_by_byte(upper);
                (self.sums[i] >> 56) as u16
            } else {
                upper.count_ones() as u16
            };
            self.ones[i + 1] = ones;
        }
        self.ones[words + 1..].fill(i16::MAX as u16);
        self.ones_end = ones_before.wrapping_add(u32::from(ones));
    }

    /// Makes the tile one in which the `upper_part`-th 1 bit is (or one that begins behind it in the run where `doc_id`
    /// must be).
    ///
    /// # Safety
    /// That bit is behind the tile, `doc_id` has that upper part and is not greater than the list's largest.
    #[inline(always)]
    unsafe fn advance_by<M: Machine>(&mut self, doc_id: u32, upper_part: u32) {
        if upper_part - self.ones_end > JUMP {
            // SAFETY: the caller's promise.
            unsafe { self.jump::<M>(doc_id) };
        }
        while self.ones_end < upper_part {
            // SAFETY: the list's largest docID has no smaller upper part, so more 1 bits follow.
            unsafe { self.load::<M>(self.word + self.words, self.ones_end, NEXT_TILE) };
        }
    }

    /// Makes the tile one that begins where the directory says that the block of `doc_id` does, if that is behind it.
    ///
    /// # Safety
    /// `doc_id` is not greater than the list's largest.
    #[inline(always)]
    unsafe fn jump<M: Machine>(&mut self, doc_id: u32) {
        self.block = find_block(self.lasts, self.block, doc_id);
        // SAFETY: the block exists.
        let (word, ones_before) = unsafe { self.block_start(self.block) };
        if word >= self.word + self.words {
            // SAFETY: the bits of a block begin before the end.
            unsafe { self.load::<M>(word, ones_before, JUMP_TILE) };
        }
    }

    /// The word in which the upper bits of a block begin, and the 1 bits before that word.
    ///
    /// # Safety
    /// The block exists.
    #[inline(always)]
    unsafe fn block_start(&self, block: usize) -> (usize, u32) {
        let previous = if block == 0 { 0 } else { self.lasts[block - 1] };
        let previous_part = previous >> self.parts.lower_width;
        let start = u64::from(previous_part) + (block * BLOCK) as u64;
        let word = (start / 64) as usize;
        // SAFETY: the block's bits begin at `start`, before the end.
        let before = unsafe { self.upper(word) } & ((1 << (start % 64)) - 1);
        (word, previous_part - before.count_ones())
    }

    /// [`LookUp::retain`] on a machine.
    ///
    /// # Safety
    /// The processor is such a machine.
    #[inline(always)]
    unsafe fn retain_by<M: Machine>(&mut self, candidates: &mut [u32]) -> usize {
        let Parts { universe, lower_width: width, .. } = self.parts;
        let common = match candidates.last() {
            Some(&last) if last > universe => candidates.partition_point(|&candidate| candidate <= universe),
            _ => candidates.len(),
        };
        if common == 0 {
            return 0;
        }
        let spread = (candidates[common - 1] >> width) - (candidates[0] >> width);
        let is_sparse = spread as usize / common >= SPARSE;
        let mut found = [MaybeUninit::uninit(); BATCH];
        let mut kept = 0;
        for from in (0..common).step_by(BATCH) {
            let batch = from..common.min(from + BATCH);
            // SAFETY: the caller's promise; no candidate is greater than the universe, and a batch is no more than
            // `found` has room for, of which `some` are written. Those that are kept come before the next batch.
            unsafe {
                let some = if is_sparse {
                    self.find_sparse::<M>(&candidates[batch], &mut found)
                } else {
                    self.find::<M>(&candidates[batch], &mut found)
                };
                let found = std::slice::from_raw_parts(found.as_ptr().cast(), some);
                kept += self.compare_starts(found, &mut candidates[kept..]);
            }
        }
        kept
    }

    /// Finds where the runs of candidates start, and writes both to `found` where a run is not empty, so that the others
    /// cost no comparison and no branch. How many those are.
    ///
    /// # Safety
    /// The processor is such a machine; no candidate is greater than the universe; they are at most [`BATCH`].
    #[inline(always)]
    unsafe fn find<M: Machine>(&mut self, candidates: &[u32], found: &mut [MaybeUninit<(u32, u64)>; BATCH]) -> usize {
        let Parts { lower_width: width, upper, .. } = self.parts;
        let mut some = 0;
        for &candidate in candidates {
            let upper_part = candidate >> width;
            if upper_part > self.ones_end {
                // SAFETY: just asked; the candidate is not greater than the universe.
                unsafe { M::advance(self, candidate, upper_part) };
            }
            // SAFETY: the tile holds that 1 bit, or begins behind it; `start` is at most at the end of the upper bits.
            unsafe {
                let start = self.start::<M>(upper_part);
                found[some % BATCH].write((candidate, start));
                some += usize::from(read(upper, start) & 1 == 0);
            }
        }
        some
    }

    /// [`find`](Self::find) by the directory, for each on its own.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn find_sparse<M: Machine>(
        &mut self,
        candidates: &[u32],
        found: &mut [MaybeUninit<(u32, u64)>; BATCH],
    ) -> usize {
        let Parts { lower_width: width, upper, .. } = self.parts;
        let mut blocks = [0; BATCH];
        for (block, &candidate) in blocks.iter_mut().zip(candidates) {
            self.block = find_block(self.lasts, self.block, candidate);
            *block = self.block;
        }
        let mut some = 0;
        for (&candidate, &block) in candidates.iter().zip(&blocks) {
            // SAFETY: the candidate is not greater than the universe, so its block exists, and its 1 bit comes before
            // the end of the upper bits. `start` is at most there.
            unsafe {
                let (mut word, ones_before) = self.block_start(block);
                let mut wanted = (candidate >> width).wrapping_sub(ones_before);
                let nth = loop {
                    let (mut ones, mut before, mut index) = (0, 0, 0);
                    for i in 0..JUMP_TILE {
                        let upper = self.upper(word + i);
                        ones += if M::SUMS { (ones_by_byte(upper) >> 56) as u32 } else { upper.count_ones() };
                        let is_less = ones < wanted;
                        before = if is_less { ones } else { before };
                        index += usize::from(is_less);
                    }
                    word += index;
                    wanted -= before;
                    if index < JUMP_TILE {
                        break wanted;
                    }
                };
                let upper_word = self.upper(word);
                let sums = if M::SUMS { ones_by_byte(upper_word) } else { 0 };
                let start = word as u64 * 64 + u64::from(M::behind(upper_word, sums, nth));
                found[some % BATCH].write((candidate, start));
                some += usize::from(read(upper, start) & 1 == 0);
            }
        }
        some
    }

    /// The bit at which the run of that upper part begins: the one behind the `upper_part`-th 1 bit, or the tile's first.
    ///
    /// # Safety
    /// The processor is such a machine; the bit is in the tile.
    #[inline(always)]
    unsafe fn start<M: Machine>(&self, upper_part: u32) -> u64 {
        let wanted = upper_part - self.ones_before;
        let counts = self.ones[1..].first_chunk().expect("a tile's counts");
        // SAFETY: the bit is in the tile, so that `index` is below `words`, the word is one that was counted, and has so
        // many 1 bits.
        unsafe {
            let index = M::less(counts, wanted);
            let word = self.word + index;
            let nth = wanted - u32::from(*self.ones.get_unchecked(index));
            word as u64 * 64 + u64::from(M::behind(self.upper(word), *self.sums.get_unchecked(index), nth))
        }
    }

    /// Writes those docIDs of `found` whose lower bits are in their run to the front of `to` and returns how many they
    /// are.
    ///
    /// # Safety
    /// Each starts at the run of its upper part, which is not empty or the last; `to` has room for all.
    #[inline(always)]
    unsafe fn compare_starts(&self, found: &[(u32, u64)], to: &mut [u32]) -> usize {
        let Parts { count, lower_width: width, lower, upper, .. } = self.parts;
        let (mask, fields) = (low_mask(width), self.fields);
        let mut kept = 0;
        for &(candidate, start) in found {
            // The stop bits before `start` are all bits but the 1 bits; behind the list's last one there is junk.
            let rank = start - u64::from(candidate >> width);
            // SAFETY: `start` is at most at the end of the upper bits.
            let stops = unsafe { read(upper, start) };
            let run = u64::from((stops | 1 << 63).trailing_zeros()).min(count as u64 - rank);
            let wanted = candidate & mask;
            let is_there = if run <= u64::from(fields.count) {
                // SAFETY: `rank` is at most the count of docIDs, so that its field begins at most at the end of the
                // lower bits.
                let stored = unsafe { read(lower, rank * u64::from(width)) } & fields.all;
                let differences = stored ^ u64::from(wanted).wrapping_mul(fields.lowest);
                // The lowest field that is 0 shows its highest bit; what shows above that does not matter.
                let zeros = differences.wrapping_sub(fields.lowest) & !differences & fields.highest;
                zeros & ((1u64 << (run * u64::from(fields.step))) - 1) != 0
            } else {
                self.is_in_run(start, rank, wanted)
            };
            // SAFETY: the caller's promise.
            unsafe { *to.get_unchecked_mut(kept) = candidate };
            kept += usize::from(is_there);
        }
        kept
    }

    /// Whether the run of stop bits that begins at `start`, `rank` of them before it, has these lower bits. For runs
    /// longer than a load of lower bits: O(run / 64 + log run).
    #[cold]
    fn is_in_run(&self, start: u64, rank: u64, wanted: u32) -> bool {
        let Parts { count, lower_width, lower, .. } = self.parts;
        let rest = count as u64 - rank;
        let mut run = 0;
        while run < rest {
            // SAFETY: a stop bit of the list is still to come, so that `start + run` is in the upper bits.
            let zeros = unsafe { read(self.parts.upper, start + run) }.trailing_zeros().min(57);
            run += u64::from(zeros);
            if zeros < 57 {
                break;
            }
        }
        let (mut from, mut to) = (rank, rank + run.min(rest));
        while from < to {
            let middle = from.midpoint(to);
            match get(lower, middle * u64::from(lower_width), lower_width).cmp(&wanted) {
                Ordering::Equal => return true,
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        false
    }
}

/// The first block from `block` on whose last docID is `doc_id` or greater: whole pieces of the directory are counted, so
/// that a branch goes wrong once, where it ends.
#[inline(always)]
fn find_block(lasts: &[u32], block: usize, doc_id: u32) -> usize {
    const PIECE: usize = 64;
    let mut block = block;
    while let Some(piece) = lasts[block..].first_chunk::<PIECE>() {
        if piece[PIECE - 1] >= doc_id {
            return block + piece.iter().map(|&last| u32::from(last < doc_id)).sum::<u32>() as usize;
        }
        block += PIECE;
        if let Some(&last) = lasts.get(block + 8 * PIECE)
            && last < doc_id
        {
            block += crate::codec::gallop(&lasts[block..], doc_id);
            return block;
        }
    }
    block + lasts[block..].iter().map(|&last| u32::from(last < doc_id)).sum::<u32>() as usize
}

/// At least 57 bits of the stream from `bit` on.
///
/// # Safety
/// `bit` is at most at the end of the stream, behind which there is padding.
#[inline(always)]
unsafe fn read(stream: &[u32], bit: u64) -> u64 {
    // SAFETY: the padding is longer than 8 bytes.
    let bytes = unsafe { stream.as_ptr().cast::<u8>().add((bit / 8) as usize).cast::<u64>().read_unaligned() };
    u64::from_le(bytes) >> (bit % 8)
}
