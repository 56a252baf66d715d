//! Looks docIDs up in a quasi-succinct list through its upper bits, without decoding blocks.
//!
//! The stop bits of all docIDs with upper part t follow the t-th 1 bit without a gap. They are called a *run* here. A
//! look-up finds the bit at which the run of its upper part starts, and compares the lower bits of all docIDs of the
//! run at once.
//!
//! If the docIDs to look up are dense, upper bits are taken a tile of words at a time, and the 1 bits before each word
//! of the tile are counted once. A look-up then finds the word of its 1 bit by comparing all counts, and the bit by a
//! *select* in that word. If they are sparse, each look-up starts counting at the block given by the directory.
//!
//! [`Select`] has the steps, which are the same on all processors. A [`Machine`] counts and selects bits. AVX-512 has
//! its own version of the dense case.

use super::Parts;
use crate::base::bits::{get, low_mask, ones_by_byte, read_57};
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, Encoded, LookUp};
use std::cmp::Ordering;
use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

/// 64-bit words in a tile that adjoins the previous tile.
const NEXT_TILE: usize = 32;

/// 64-bit words in a tile that was found through the directory, and words that a sparse look-up counts at a time. The
/// upper bits of a block take about 6 words.
const JUMP_TILE: usize = 8;

/// A run of so many loads of lower bits is compared load by load.
const LOADS: u64 = 4;

/// Look-ups whose runs are found before their lower bits are compared.
const BATCH: usize = 256;

/// If the wanted upper part is more than this ahead of the tile, the next tile is found through the directory.
const JUMP: u32 = 32 * NEXT_TILE as u32;

/// If the mean difference between the upper parts of candidates is at least this, each is found through the directory.
const SPARSE: usize = 512;

/// The operations of look-ups that differ between processors.
///
/// # Safety
/// All functions require that the processor has the machine's features.
trait Machine {
    /// Whether [`behind`](Self::behind) needs the [`ones_by_byte`] of a word; 1 bits are then counted with them, too.
    const SUMS: bool;

    /// The number of the tile's counts that are less than `wanted`. Requires `wanted` below 2^15, and that counts
    /// ascend.
    unsafe fn less(counts: &[u16; NEXT_TILE], wanted: u32) -> usize;

    /// The [`ones_by_byte`] of a word.
    #[inline(always)]
    unsafe fn sums(word: u64) -> u64 {
        ones_by_byte(word)
    }

    /// The bit after the `nth` 1 bit of the word, or 0 for the 0th. The word must have so many. `sums` are its
    /// [`ones_by_byte`] if the machine needs them.
    unsafe fn behind(word: u64, sums: u64, nth: u32) -> u32;

    /// [`Select::advance_by`], compiled out of line because it is rare.
    unsafe fn advance(select: &mut Select, doc_id: u32, upper_part: u32);
}

/// A forward-only look-up in one list.
pub struct Select<'l> {
    tier: Tier,
    parts: Parts<'l>,
    lasts: &'l [u32],
    /// The block at which the next search of the directory starts.
    block: usize,
    /// The tile: its first word, and the number of its words.
    word: usize,
    words: usize,
    /// The number of 1 bits before the tile, and before its end.
    ones_before: u32,
    ones_end: u32,
    /// The number of the tile's 1 bits before each of its words and before its end; then `i16::MAX`, which is more than
    /// any count.
    ones: [u16; NEXT_TILE + 1],
    /// The [`ones_by_byte`] of the words, if the machine needs them.
    sums: [u64; NEXT_TILE],
    fields: Fields,
}

/// For comparing the fields of a run with one load.
#[derive(Clone, Copy)]
struct Fields {
    /// Bits in a field: b, or 1 if b is 0.
    step: u32,
    /// Fields in a load, from any bit of its first byte on.
    count: u32,
    /// The lowest bit of each field.
    lowest: u64,
    /// The highest bit of each field.
    highest: u64,
    /// All bits of each field; 0 if b is 0.
    all: u64,
}

impl Fields {
    fn new(width: u32) -> Self {
        let step = width.max(1);
        let count = 57 / step;
        let lowest = (0..count).fold(0, |bits, i| bits | 1u64 << (i * step));
        Fields { step, count, lowest, highest: lowest << (step - 1), all: lowest * u64::from(low_mask(width)) }
    }

    /// Has the highest bit set of the lowest field of `stored` that is `wanted`. Bits set above that one are meaningless, but
    /// harmless.
    #[inline(always)]
    fn equal(self, stored: u64, wanted: u32) -> u64 {
        let differences = (stored & self.all) ^ u64::from(wanted).wrapping_mul(self.lowest);
        differences.wrapping_sub(self.lowest) & !differences & self.highest
    }
}

impl<'l> LookUp<'l> for Select<'l> {
    const EXISTS: bool = true;

    unsafe fn new(tier: Tier, list: Encoded<'l>) -> Option<Self> {
        // SAFETY: this function has the same contract.
        Some(unsafe { Select::in_parts(tier, Parts::of(&list), list.last_doc_ids) })
    }

    unsafe fn retain(&mut self, candidates: &mut [u32]) -> usize {
        // SAFETY: the processor has the tier, by the contract of `new`, and each arm needs the features of its tier; candidates
        // ascend.
        unsafe {
            match self.tier {
                #[cfg(target_arch = "x86_64")]
                Tier::Avx512 => self.retain_avx512(candidates),
                #[cfg(target_arch = "x86_64")]
                Tier::Avx2 => self.retain_avx2(candidates),
                #[cfg(target_arch = "aarch64")]
                Tier::Neon => self.retain_neon(candidates),
                _ => self.retain_by::<portable::Portable>(candidates),
            }
        }
    }
}

impl<'l> Select<'l> {
    /// A look-up in these parts. `lasts` are the last docIDs of their blocks. The parts' base must be subtracted from
    /// all candidates.
    ///
    /// # Safety
    /// The processor has `tier`; the parts were checked and are not empty.
    pub(in crate::codec::monotone) unsafe fn in_parts(tier: Tier, parts: Parts<'l>, lasts: &'l [u32]) -> Self {
        debug_assert!(parts.count != 0 && tier.is_available());
        let mut select = Select {
            tier,
            parts,
            lasts,
            block: 0,
            word: 0,
            words: 0,
            ones_before: 0,
            ones_end: 0,
            ones: [0; NEXT_TILE + 1],
            sums: [0; NEXT_TILE],
            fields: Fields::new(parts.lower_width),
        };
        // SAFETY: the list is not empty, by this function's contract, so word 0 begins in its upper bits.
        unsafe { select.load::<portable::Portable>(0, 0, JUMP_TILE) };
        select
    }

    /// The 64-bit word of upper bits at index `word`.
    ///
    /// # Safety
    /// It begins before the end of the upper bits, or less than a tile's words after a word that does.
    #[inline(always)]
    unsafe fn upper(&self, word: usize) -> u64 {
        // SAFETY: the padding is at least as long as a tile, so the word ends in the upper bits or their padding.
        u64::from_le(unsafe { self.parts.upper.as_ptr().cast::<u64>().add(word).read_unaligned() })
    }

    /// Sets the tile to `words` words from `word` on, with `ones_before` 1 bits before it.
    ///
    /// # Safety
    /// `word` begins before the end of the upper bits, and `words` is at most [`NEXT_TILE`]; the processor has the
    /// machine's features.
    #[inline(always)]
    unsafe fn load<M: Machine>(&mut self, word: usize, ones_before: u32, words: usize) {
        self.word = word;
        self.words = words;
        self.ones_before = ones_before;
        let mut ones = 0;
        for i in 0..words {
            // SAFETY: `word` begins before the end of the upper bits, and `i` is less than a tile's words.
            let upper = unsafe { self.upper(word + i) };
            ones += if M::SUMS {
                // SAFETY: the processor has the machine's features.
                self.sums[i] = unsafe { M::sums(upper) };
                (self.sums[i] >> 56) as u16
            } else {
                upper.count_ones() as u16
            };
            self.ones[i + 1] = ones;
        }
        self.ones[words + 1..].fill(i16::MAX as u16);
        self.ones_end = ones_before.wrapping_add(u32::from(ones));
    }

    /// Moves the tile forward to one that contains the `upper_part`-th 1 bit, or that begins after it, within the run.
    ///
    /// # Safety
    /// The processor has the machine's features; that bit is after the tile; `upper_part` is that of `doc_id`, which is
    /// at most the list's largest docID.
    #[inline(always)]
    unsafe fn advance_by<M: Machine>(&mut self, doc_id: u32, upper_part: u32) {
        if upper_part - self.ones_end > JUMP {
            // SAFETY: `doc_id` is at most the list's largest, by this function's contract.
            unsafe { self.jump::<M>(doc_id) };
        }
        while self.ones_end < upper_part {
            // SAFETY: the list has `upper_part` 1 bits or more, since its largest docID is at least `doc_id`. Fewer
            // come before the tile's end, so the next word begins before the end of the upper bits.
            unsafe { self.load::<M>(self.word + self.words, self.ones_end, NEXT_TILE) };
        }
    }

    /// Moves the tile to the beginning of the block that may contain `doc_id`, found through the directory, unless that
    /// is before the tile's end.
    ///
    /// # Safety
    /// The processor has the machine's features; `doc_id` is at most the list's largest.
    #[inline(always)]
    unsafe fn jump<M: Machine>(&mut self, doc_id: u32) {
        self.block = find_block(self.lasts, self.block, doc_id + self.parts.base);
        // SAFETY: the last block ends with the list's largest docID, so `find_block` found a block.
        let (word, ones_before) = unsafe { self.block_start(self.block) };
        if word >= self.word + self.words {
            // SAFETY: the block's upper bits begin in that word, before the end of the upper bits.
            unsafe { self.load::<M>(word, ones_before, JUMP_TILE) };
        }
    }

    /// The word in which the upper bits of a block begin, and the number of 1 bits before that word.
    ///
    /// # Safety
    /// The block exists.
    #[inline(always)]
    unsafe fn block_start(&self, block: usize) -> (usize, u32) {
        let previous = if block == 0 { 0 } else { self.lasts[block - 1] - self.parts.base };
        let previous_part = previous >> self.parts.lower_width;
        let start = u64::from(previous_part) + (block * BLOCK) as u64;
        let word = (start / 64) as usize;
        // SAFETY: the block exists, so its upper bits begin at `start`, before the end of the upper bits.
        let before = unsafe { self.upper(word) } & ((1 << (start % 64)) - 1);
        (word, previous_part - before.count_ones())
    }

    /// [`LookUp::retain`] with the instructions of a machine.
    ///
    /// # Safety
    /// The processor has the machine's features.
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
            // SAFETY: the processor has the machine's features, by this function's contract. Candidates from `common`
            // on are left out, so none is greater than the universe. A batch has at most `BATCH` candidates, and
            // `found` holds `some` results. `kept` is at most `from`, so the candidates have room for `some` more from
            // there.
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

    /// Finds the bit at which each candidate's run starts. Writes candidate and bit to `found` if the run is not empty,
    /// and returns their number; candidates with empty runs thus cost neither a comparison nor a branch.
    ///
    /// # Safety
    /// The processor has the machine's features; no candidate is greater than the universe; there are at most
    /// [`BATCH`].
    #[inline(always)]
    unsafe fn find<M: Machine>(&mut self, candidates: &[u32], found: &mut [MaybeUninit<(u32, u64)>; BATCH]) -> usize {
        let Parts { lower_width: width, upper, .. } = self.parts;
        let mut some = 0;
        for &candidate in candidates {
            let upper_part = candidate >> width;
            if upper_part > self.ones_end {
                // SAFETY: the bit is after the tile's end, as just compared; the rest is this function's contract.
                unsafe { M::advance(self, candidate, upper_part) };
            }
            // SAFETY: the tile now contains that 1 bit or begins after it in the run, so `start` is at most the end of
            // the upper bits.
            unsafe {
                let start = self.start::<M>(upper_part);
                found[some % BATCH].write((candidate, start));
                some += usize::from(read_57(upper, start) & 1 == 0);
            }
        }
        some
    }

    /// Like [`find`](Self::find), but finds each candidate through the directory.
    ///
    /// # Safety
    /// As for [`find`](Self::find).
    #[inline(always)]
    unsafe fn find_sparse<M: Machine>(
        &mut self,
        candidates: &[u32],
        found: &mut [MaybeUninit<(u32, u64)>; BATCH],
    ) -> usize {
        let Parts { lower_width: width, upper, .. } = self.parts;
        let mut blocks = [0; BATCH];
        for (block, &candidate) in blocks.iter_mut().zip(candidates) {
            self.block = find_block(self.lasts, self.block, candidate + self.parts.base);
            *block = self.block;
        }
        let mut some = 0;
        for (&candidate, &block) in candidates.iter().zip(&blocks) {
            // SAFETY: the candidate is not greater than the universe, so its block exists, and the loop ends at its 1
            // bit, before the end of the upper bits; `start` is at most the end.
            unsafe {
                let (mut word, ones_before) = self.block_start(block);
                let mut wanted = (candidate >> width).wrapping_sub(ones_before);
                let nth = loop {
                    let (mut ones, mut before, mut index) = (0, 0, 0);
                    for i in 0..JUMP_TILE {
                        let upper = self.upper(word + i);
                        ones += if M::SUMS { (M::sums(upper) >> 56) as u32 } else { upper.count_ones() };
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
                let sums = if M::SUMS { M::sums(upper_word) } else { 0 };
                let start = word as u64 * 64 + u64::from(M::behind(upper_word, sums, nth));
                found[some % BATCH].write((candidate, start));
                some += usize::from(read_57(upper, start) & 1 == 0);
            }
        }
        some
    }

    /// The bit at which the run of that upper part starts: the one after the `upper_part`-th 1 bit, or the tile's first
    /// bit if that 1 bit is before the tile.
    ///
    /// # Safety
    /// The processor has the machine's features; the tile contains the `upper_part`-th 1 bit, or begins after it in its
    /// run.
    #[inline(always)]
    unsafe fn start<M: Machine>(&self, upper_part: u32) -> u64 {
        let wanted = upper_part - self.ones_before;
        let counts = self.ones[1..].first_chunk().expect("a tile's counts");
        // SAFETY: `ones_end` is at least `upper_part`, so `index` is less than `words`: `load` counted that word, and
        // the counts show that it has `nth` 1 bits.
        unsafe {
            let index = M::less(counts, wanted);
            let word = self.word + index;
            let nth = wanted - u32::from(*self.ones.get_unchecked(index));
            word as u64 * 64 + u64::from(M::behind(self.upper(word), *self.sums.get_unchecked(index), nth))
        }
    }

    /// Writes those docIDs of `found` whose lower bits occur in their run to the front of `to` and returns their
    /// number.
    ///
    /// # Safety
    /// `found` holds docIDs with the start of their runs, as from [`find`](Self::find); `to` has room for all docIDs.
    #[inline(always)]
    unsafe fn compare_starts(&self, found: &[(u32, u64)], to: &mut [u32]) -> usize {
        let Parts { count, lower_width: width, lower, upper, .. } = self.parts;
        let (mask, fields) = (low_mask(width), self.fields);
        let mut kept = 0;
        for &(candidate, start) in found {
            // The bits before `start` are the 1 bits of the upper part and `rank` stop bits. Bits after the list's last
            // stop bit are junk, so the run is limited to the list's count.
            let rank = start - u64::from(candidate >> width);
            // SAFETY: `start` is at most the end of the upper bits.
            let stops = unsafe { read_57(upper, start) };
            let run = u64::from((stops | 1 << 63).trailing_zeros()).min(count as u64 - rank);
            let wanted = candidate & mask;
            let is_there = if run <= u64::from(fields.count) {
                // SAFETY: `rank` is at most the number of docIDs, so its field begins at most at the end of the lower
                // bits.
                let stored = unsafe { read_57(lower, rank * u64::from(width)) };
                fields.equal(stored, wanted) & ((1u64 << (run * u64::from(fields.step))) - 1) != 0
            } else {
                self.is_in_run(start, rank, wanted)
            };
            // SAFETY: `kept` is at most the index in `found`, and `to` has room for all of `found`.
            unsafe { *to.get_unchecked_mut(kept) = candidate };
            kept += usize::from(is_there);
        }
        kept
    }

    /// Whether the lower bits `wanted` occur in the run that starts at bit `start`, after `rank` stop bits. For runs
    /// longer than a load of lower bits. A run of a few loads is compared a load at a time, of a longer one such a part is found
    /// first. O(run / 57 + log run).
    #[cold]
    fn is_in_run(&self, start: u64, rank: u64, wanted: u32) -> bool {
        let Parts { count, lower_width, lower, .. } = self.parts;
        let fields = self.fields;
        let rest = count as u64 - rank;
        let mut run = 0;
        while run < rest {
            // SAFETY: `run < rest`, so a stop bit of the list follows, and `start + run` is in the upper bits.
            let zeros = unsafe { read_57(self.parts.upper, start + run) }.trailing_zeros().min(57);
            run += u64::from(zeros);
            if zeros < 57 {
                break;
            }
        }
        let (mut from, mut to) = (rank, rank + run.min(rest));
        while to - from > LOADS * u64::from(fields.count) {
            let middle = from.midpoint(to);
            match get(lower, middle * u64::from(lower_width), lower_width).cmp(&wanted) {
                Ordering::Equal => return true,
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        while from < to {
            let compared = (to - from).min(fields.count.into());
            // SAFETY: `from` is less than the number of docIDs, so its field begins in the lower bits.
            let stored = unsafe { read_57(lower, from * u64::from(lower_width)) };
            if fields.equal(stored, wanted) & ((1 << (compared * u64::from(fields.step))) - 1) != 0 {
                return true;
            }
            from += compared;
        }
        false
    }
}

/// The first block from `block` on whose last docID is at least `doc_id`. Counts smaller last docIDs 64 at a
/// time, so that only the branch that ends the search is mispredicted.
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
