//! Look-ups in the upper bits of a quasi-succinct list, which is not decoded.
//!
//! The docIDs whose upper part is t are the run of stop bits behind the t-th 1 bit. Words of upper bits are taken a
//! tile at a time: with the 1 bits before each word of the tile counted once, a look-up finds the word with one vector
//! comparison, the bit with `pdep`, and compares as many lower bits as the run is long at once.

mod avx512;

use super::super::Parts;
use crate::bits::{get, low_mask};
use crate::codec::{BLOCK, Encoded, LookUp, gallop};
use crate::cpu::Tier;
use std::arch::x86_64::*;
use std::cmp::Ordering;

/// 64-bit words of a tile that follows the one before: docIDs are dense.
const NEXT_TILE: usize = 32;

/// 64-bit words of a tile that the directory led to: docIDs are sparse. A block's upper bits are some 6.
const JUMP_TILE: usize = 8;

/// Look-ups between two comparisons of lower bits.
const BATCH: usize = 256;

/// Upper parts so far ahead that the directory is asked for the way.
const JUMP: u32 = 32 * NEXT_TILE as u32;

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
    fn exists(tier: Tier) -> bool {
        tier >= Tier::Avx2
    }

    unsafe fn new(tier: Tier, list: Encoded<'l>) -> Option<Self> {
        if !Self::exists(tier) {
            return None;
        }
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
            fields: Fields::new(parts.lower_width),
        };
        // SAFETY: a list that is not empty has upper bits.
        unsafe { select.load(0, 0, JUMP_TILE) };
        Some(select)
    }

    fn retain(&mut self, candidates: &mut [u32]) -> usize {
        // SAFETY: `new` was promised that the processor has the tier, AVX2 at least.
        unsafe { if self.tier >= Tier::Avx512 { self.retain_avx512(candidates) } else { self.retain_avx2(candidates) } }
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
    unsafe fn load(&mut self, word: usize, ones_before: u32, words: usize) {
        self.word = word;
        self.words = words;
        self.ones_before = ones_before;
        let mut ones = 0;
        for i in 0..words {
            // SAFETY: the caller's promise.
            ones += unsafe { self.upper(word + i) }.count_ones() as u16;
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
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline(never)]
    unsafe fn advance(&mut self, doc_id: u32, upper_part: u32) {
        if upper_part - self.ones_end > JUMP {
            // SAFETY: the caller's promise.
            unsafe { self.jump(doc_id) };
        }
        while self.ones_end < upper_part {
            // SAFETY: the list's largest docID has no smaller upper part, so more 1 bits follow.
            unsafe { self.load(self.word + self.words, self.ones_end, NEXT_TILE) };
        }
    }

    /// Makes the tile one that begins where the directory says that the block of `doc_id` does, if that is behind it.
    ///
    /// # Safety
    /// `doc_id` is not greater than the list's largest.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn jump(&mut self, doc_id: u32) {
        self.block += gallop(&self.lasts[self.block..], doc_id);
        let previous = if self.block == 0 { 0 } else { self.lasts[self.block - 1] };
        let previous_part = previous >> self.parts.lower_width;
        let start = u64::from(previous_part) + (self.block * BLOCK) as u64;
        let word = (start / 64) as usize;
        if word >= self.word + self.words {
            // SAFETY: the block exists, and its bits begin at `start`, before the end.
            unsafe {
                let before = _bzhi_u64(self.upper(word), (start % 64) as u32).count_ones();
                self.load(word, previous_part - before, JUMP_TILE);
            }
        }
    }

    /// [`LookUp::retain`].
    ///
    /// # Safety
    /// The processor has the features named here.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn retain_avx2(&mut self, candidates: &mut [u32]) -> usize {
        let Parts { count, universe, lower_width: width, lower, upper } = self.parts;
        let mask = low_mask(width);
        let fields = self.fields;
        let common = match candidates.last() {
            Some(&last) if last > universe => candidates.partition_point(|&candidate| candidate <= universe),
            _ => candidates.len(),
        };
        // Those whose run is not empty first, so that the others cost no comparison and no branch.
        let mut found = [(0u32, 0u64); BATCH];
        let mut kept = 0;
        for from in (0..common).step_by(BATCH) {
            let mut some = 0;
            for &candidate in &candidates[from..common.min(from + BATCH)] {
                let upper_part = candidate >> width;
                if upper_part > self.ones_end {
                    // SAFETY: just asked; the candidate is not greater than the universe.
                    unsafe { self.advance(candidate, upper_part) };
                }
                let start = self.start(upper_part);
                found[some % BATCH] = (candidate, start);
                // SAFETY: `start` is at most at the end of the upper bits.
                some += usize::from(unsafe { read(upper, start) } & 1 == 0);
            }
            for &(candidate, start) in &found[..some] {
                // The stop bits before `start` are all bits but the 1 bits; behind the list's last one there is junk.
                let rank = start - u64::from(candidate >> width);
                // SAFETY: as above.
                let run = _tzcnt_u64(unsafe { read(upper, start) }).min(count as u64 - rank);
                let wanted = candidate & mask;
                let is_there = if run <= u64::from(fields.count) {
                    // SAFETY: `rank` is at most the count of docIDs, so that its field begins at most at the end of the
                    // lower bits.
                    let stored = unsafe { read(lower, rank * u64::from(width)) } & fields.all;
                    let differences = stored ^ u64::from(wanted).wrapping_mul(fields.lowest);
                    // The lowest field that is 0 shows its highest bit; what shows above that does not matter.
                    let zeros = differences.wrapping_sub(fields.lowest) & !differences & fields.highest;
                    _tzcnt_u64(zeros) < run * u64::from(fields.step)
                } else {
                    self.is_in_run(start, rank, wanted)
                };
                candidates[kept] = candidate;
                kept += usize::from(is_there);
            }
        }
        kept
    }

    /// The bit at which the run of that upper part begins: the one behind the `upper_part`-th 1 bit, or the tile's first.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    fn start(&self, upper_part: u32) -> u64 {
        let wanted = upper_part - self.ones_before;
        let wanted_16 = _mm256_set1_epi16(wanted as i16);
        // SAFETY: the array has 32 counts from index 1 on.
        let (low, high) = unsafe {
            let ends = self.ones.as_ptr().add(1).cast::<__m256i>();
            (_mm256_loadu_si256(ends), _mm256_loadu_si256(ends.add(1)))
        };
        let ends_before = _mm256_packs_epi16(_mm256_cmpgt_epi16(wanted_16, low), _mm256_cmpgt_epi16(wanted_16, high));
        let index = (_mm256_movemask_epi8(ends_before) as u32).count_ones() as usize;
        let word = self.word + index;
        let in_word = wanted - u32::from(self.ones[index]);
        // SAFETY: the bit is in the tile, so that `index` is below `words` and the word is one that was counted.
        let ones = _pdep_u64(_bzhi_u64(u64::MAX, in_word), unsafe { self.upper(word) });
        word as u64 * 64 + 64 - _lzcnt_u64(ones)
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
