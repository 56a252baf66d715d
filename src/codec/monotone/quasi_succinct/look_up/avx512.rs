//! AVX-512: finds the words of 64 look-ups together by binary searches in two registers, measures runs sixteen at a
//! time, and compares lower bits only for docIDs whose run is not empty.

use super::avx2::Avx2;
use super::{JUMP, JUMP_TILE, Select};
use crate::base::bits::{low_mask, read_57};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// The most look-ups whose words are found together, in two vectors of 16-bit lanes.
const GROUP: usize = 64;

/// 64-bit words in a tile.
const TILE: usize = 64;

/// 32-bit lanes in a vector.
const LANES: usize = 16;

/// If the mean difference between the upper parts of candidates is more than this, too few of them would be found
/// together.
const SPARSE: usize = 160;

/// Look-ups whose runs are found before their lower bits are compared.
const BATCH: usize = 512;

/// The longest run whose length 32 bits always show, from any bit of their first byte on.
const LONGEST_RUN: u32 = 24;

/// The look-ups of a batch, with room for another vector.
struct Batch {
    /// The upper bit at which the run of each look-up starts.
    starts: [MaybeUninit<u32>; BATCH + LANES],
    /// The first `count` entries are the look-ups whose run is not empty: docID, rank at which the run starts, and
    /// length of the run.
    doc_ids: [MaybeUninit<u32>; BATCH + LANES],
    ranks: [MaybeUninit<u32>; BATCH + LANES],
    runs: [MaybeUninit<u32>; BATCH + LANES],
    count: usize,
}

impl Select<'_> {
    /// As [`LookUp::retain`](crate::codec::LookUp::retain).
    ///
    /// # Safety
    /// The processor has the enabled features.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn retain_avx512(&mut self, candidates: &mut [u32]) -> usize {
        // The last run is followed by junk, so its candidates are looked up by `retain_avx2`, which respects the list's
        // end.
        let width = self.parts.lower_width;
        let last_part = self.parts.universe >> width;
        let common = match candidates.last() {
            Some(&last) if last >> width >= last_part => candidates.partition_point(|&c| c >> width < last_part),
            _ => candidates.len(),
        };
        let mut found = Batch {
            starts: [MaybeUninit::uninit(); BATCH + LANES],
            doc_ids: [MaybeUninit::uninit(); BATCH + LANES],
            ranks: [MaybeUninit::uninit(); BATCH + LANES],
            runs: [MaybeUninit::uninit(); BATCH + LANES],
            count: 0,
        };
        let upper_bits = self.parts.count as u64 + u64::from(last_part);
        if upper_bits > u64::from(u32::MAX) - 64 * TILE as u64 {
            // The starts below have 32 bits.
            // SAFETY: this function enables all features of `retain_avx2`.
            return unsafe { self.retain_avx2(candidates) };
        }
        let spread = |part: &[u32]| (part[part.len() - 1] >> width) - (part[0] >> width);
        if common == 0 || spread(&candidates[..common]) as usize / common > SPARSE {
            // SAFETY: this function enables all features of `retain_avx2`.
            return unsafe { self.retain_avx2(candidates) };
        }
        let mut kept = 0;
        for from in (0..common).step_by(BATCH) {
            let to = common.min(from + BATCH);
            // SAFETY: this function enables the features of the callees. There are at most `BATCH` candidates, all
            // before `common`, so their upper parts are below the last. `find_starts` has written a start for each
            // before `measure_runs`. `kept` is at most `from`, so there is room for the batch.
            unsafe {
                let mut done = from;
                while done < to {
                    done += self.find_starts(&candidates[done..to], &mut found.starts[done - from..]);
                }
                self.measure_runs(&candidates[from..to], &mut found);
                kept += self.compare(&found, &mut candidates[kept..]);
            }
        }
        // `retain_avx2` needs the counts of the tile, below or in the next call.
        // SAFETY: `find_starts` leaves `word` at the word of the last candidate's 1 bit, or at the first word of its
        // tile if that bit is before the tile. Both are in the upper bits.
        unsafe { self.load::<Avx2>(self.word, self.ones_before, JUMP_TILE) };
        if common < candidates.len() {
            // SAFETY: this function enables all features of `retain_avx2`.
            let more = unsafe { self.retain_avx2(&mut candidates[common..]) };
            candidates.copy_within(common..common + more, kept);
            kept += more;
        }
        kept
    }

    /// Finds the bits at which the runs of the first candidates start, for at least one and at most [`GROUP`]
    /// candidates, and returns the number of candidates.
    ///
    /// # Safety
    /// The processor has the enabled features. There is a candidate, and the upper parts of all are below the list's
    /// last.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn find_starts(&mut self, candidates: &[u32], starts_of: &mut [MaybeUninit<u32>]) -> usize {
        let width = self.parts.lower_width;
        // Find the tile that contains the first wanted 1 bit. It begins at the word where the previous group ended, so
        // it usually contains the 1 bits of the other candidates too, and branches on their number are predicted well.
        let first = candidates[0] >> width;
        if first - self.ones_before > 2 * JUMP {
            // SAFETY: the candidate's upper part is below the list's last, so it is less than the list's largest docID.
            unsafe { self.jump::<Avx2>(candidates[0]) };
        }
        let (starts, ones_end) = loop {
            // SAFETY: the list has more than `first` 1 bits, since its last upper part is greater. At most `first`
            // come before the tile, so it begins before the end of the upper bits.
            let (starts, ones) = unsafe { self.count_tile() };
            if first <= self.ones_before + ones {
                break (starts, self.ones_before + ones);
            }
            self.word += TILE;
            self.ones_before += ones;
        };
        let shift = _mm_cvtsi32_si128(width as i32);
        let there = _bzhi_u64(u64::MAX, candidates.len().min(GROUP) as u32);
        let end = _mm512_set1_epi32(ones_end as i32);
        // No `map` here: unless the compiler inlines it, its closure runs without the processor's features.
        let mut parts = [_mm512_setzero_si512(); GROUP / LANES];
        let mut within = 0;
        for (i, parts) in parts.iter_mut().enumerate() {
            let from = candidates.as_ptr().wrapping_add(LANES * i).cast();
            // SAFETY: the mask `there` limits the load to `candidates`.
            let doc_ids = unsafe { _mm512_maskz_loadu_epi32((there >> (LANES * i)) as u16, from) };
            *parts = _mm512_srl_epi32(doc_ids, shift);
            within |= u64::from(_mm512_cmple_epu32_mask(*parts, end)) << (LANES * i);
        }
        let count = (within & there).trailing_ones();

        // For each candidate, the word that contains the wanted 1 bit, and the number of that bit among the word's 1
        // bits.
        let before = _mm512_set1_epi32(self.ones_before as i32);
        let (mut words_of, mut ones_of) = ([0u16; GROUP], [0u16; GROUP]);
        for half in 0..2 {
            let first = _mm512_cvtepi32_epi16(_mm512_sub_epi32(parts[2 * half], before));
            let second = _mm512_cvtepi32_epi16(_mm512_sub_epi32(parts[2 * half + 1], before));
            let wanted = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
            let mut words = _mm512_setzero_si512();
            for step in [32, 16, 8, 4, 2, 1] {
                let next = _mm512_add_epi16(words, _mm512_set1_epi16(step));
                let next_start = _mm512_permutex2var_epi16(starts[0], next, starts[1]);
                words = _mm512_mask_mov_epi16(words, _mm512_cmplt_epu16_mask(next_start, wanted), next);
            }
            let in_words = _mm512_sub_epi16(wanted, _mm512_permutex2var_epi16(starts[0], words, starts[1]));
            // SAFETY: the arrays have 32 entries for each half.
            unsafe {
                _mm512_storeu_epi16(words_of.as_mut_ptr().add(32 * half).cast(), words);
                _mm512_storeu_epi16(ones_of.as_mut_ptr().add(32 * half).cast(), in_words);
            }
        }
        let tile = (64 * self.word) as u32 + 64;
        let count = count as usize;
        let found = words_of[..count].iter().zip(&ones_of[..count]).zip(&mut starts_of[..count]);
        for ((&word, &ones), start) in found {
            // SAFETY: the 1 bit is at most `ones_end`, so its word is in the tile.
            let upper = unsafe { self.upper(self.word + usize::from(word)) };
            let ones = _pdep_u64(_bzhi_u64(u64::MAX, u32::from(ones)), upper);
            start.write(tile + 64 * u32::from(word) - _lzcnt_u64(ones) as u32);
        }
        let last = count - 1;
        self.word += usize::from(words_of[last]);
        self.ones_before = (candidates[last] >> width) - u32::from(ones_of[last]);
        count
    }

    /// The number of the tile's 1 bits before each of its words, and in all of them.
    ///
    /// # Safety
    /// The processor has the enabled features; the tile begins in the upper bits.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn count_tile(&self) -> ([__m512i; 2], u32) {
        let tile = self.parts.upper.as_ptr().cast::<u8>().wrapping_add(8 * self.word);
        // SAFETY: the tile begins in the upper bits, and the padding is as long as a tile.
        let (first, second) = unsafe { (running_sums(tile), running_sums(tile.add(256))) };
        let of_first = _mm512_permutexvar_epi16(_mm512_set1_epi16(31), first.1);
        let sums = _mm512_add_epi16(second.1, of_first);
        let all = _mm_extract_epi16::<7>(_mm512_extracti32x4_epi32::<3>(sums)) as u32;
        ([_mm512_sub_epi16(first.1, first.0), _mm512_sub_epi16(sums, second.0)], all)
    }

    /// Measures the runs that start at `found.starts`, and sets the rest of `found` to those that are not empty.
    ///
    /// # Safety
    /// The processor has the enabled features; there are at most [`BATCH`] candidates; `found.starts` has a start for
    /// each.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn measure_runs(&self, candidates: &[u32], found: &mut Batch) {
        let upper = self.parts.upper.as_ptr().cast();
        let shift = _mm_cvtsi32_si128(self.parts.lower_width as i32);
        found.count = 0;
        for (at, chunk) in candidates.chunks(LANES).enumerate() {
            let there = _bzhi_u32(u32::MAX, chunk.len() as u32) as u16;
            // SAFETY: loads and gather are masked to the candidates of the chunk. Their runs start in the upper bits,
            // so the four bytes from there end in the upper bits or their padding. `found.count` is at most `BATCH`,
            // and `found` has room for a vector after that.
            unsafe {
                let doc_ids = _mm512_maskz_loadu_epi32(there, chunk.as_ptr().cast());
                let starts = _mm512_maskz_loadu_epi32(there, found.starts.as_ptr().add(LANES * at).cast());
                let bytes = _mm512_srli_epi32::<3>(starts);
                let bits = _mm512_mask_i32gather_epi32::<1>(_mm512_set1_epi32(-1), there, bytes, upper);
                let bits = _mm512_srlv_epi32(bits, _mm512_and_si512(starts, _mm512_set1_epi32(7)));
                let below_first_one = _mm512_andnot_si512(bits, _mm512_sub_epi32(bits, _mm512_set1_epi32(1)));
                let runs = _mm512_popcnt_epi32(below_first_one);
                // The stop bits before the run are all bits before it except the 1 bits.
                let ranks = _mm512_sub_epi32(starts, _mm512_srl_epi32(doc_ids, shift));
                let some = there & _mm512_test_epi32_mask(runs, runs);
                let count = found.count;
                let put = |to: &mut [MaybeUninit<u32>], from| {
                    _mm512_storeu_epi32(to.as_mut_ptr().add(count).cast(), _mm512_maskz_compress_epi32(some, from));
                };
                put(&mut found.doc_ids, doc_ids);
                put(&mut found.ranks, ranks);
                put(&mut found.runs, runs);
                found.count = count + some.count_ones() as usize;
            }
        }
    }

    /// Writes those docIDs of `found` whose lower bits occur in their run to the front of `to` and returns their
    /// number.
    ///
    /// # Safety
    /// The processor has the enabled features; `measure_runs` has filled `found`; `to` has room for its docIDs.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn compare(&self, found: &Batch, to: &mut [u32]) -> usize {
        let width = self.parts.lower_width;
        let mask = low_mask(width);
        let (fields, lower) = (self.fields, self.parts.lower);
        let longest = fields.count.min(LONGEST_RUN);
        let mut kept = 0;
        for i in 0..found.count {
            // SAFETY: `measure_runs` wrote `count` entries of each. A run that is not empty begins with a docID of the
            // list, so the field at `rank` is in the lower bits. `kept` is at most `i`, and `to` has room for `count`
            // docIDs.
            unsafe {
                let doc_id = found.doc_ids.get_unchecked(i).assume_init();
                let rank = u64::from(found.ranks.get_unchecked(i).assume_init());
                let run = found.runs.get_unchecked(i).assume_init();
                let wanted = doc_id & mask;
                let is_there = if run <= longest {
                    let equal = fields.equal(read_57(lower, rank * u64::from(width)), wanted);
                    _tzcnt_u64(equal) < u64::from(run * fields.step)
                } else {
                    self.is_in_run(rank + u64::from(doc_id >> width), rank, wanted)
                };
                *to.get_unchecked_mut(kept) = doc_id;
                kept += usize::from(is_there);
            }
        }
        kept
    }
}

/// The numbers of 1 bits of 32 words, and their running sums.
///
/// # Safety
/// The processor has the enabled features; 256 bytes from `words` on can be read.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq")]
#[inline]
unsafe fn running_sums(words: *const u8) -> (__m512i, __m512i) {
    let mut eights = [_mm_setzero_si128(); 4];
    for (i, eight) in eights.iter_mut().enumerate() {
        // SAFETY: this function's contract: four vectors can be read.
        let words = unsafe { _mm512_loadu_si512(words.add(64 * i).cast()) };
        *eight = _mm512_cvtepi64_epi16(_mm512_popcnt_epi64(words));
    }
    let [a, b, c, d] = eights;
    let ab = _mm512_castsi256_si512(_mm256_set_m128i(b, a));
    let counts = _mm512_inserti64x4::<1>(ab, _mm256_set_m128i(d, c));
    // Sums are first formed within each quarter of a register; then the sum of the quarter before is added within each
    // half, then that of the first half.
    let sums = _mm512_add_epi16(counts, _mm512_bslli_epi128::<2>(counts));
    let sums = _mm512_add_epi16(sums, _mm512_bslli_epi128::<4>(sums));
    let sums = _mm512_add_epi16(sums, _mm512_bslli_epi128::<8>(sums));
    let lasts = _mm512_inserti64x4::<1>(_mm512_set1_epi16(7), _mm256_set1_epi16(23));
    let sums = _mm512_add_epi16(sums, _mm512_maskz_permutexvar_epi16(0xFF00_FF00, lasts, sums));
    let lasts = _mm512_set1_epi16(15);
    (counts, _mm512_add_epi16(sums, _mm512_maskz_permutexvar_epi16(0xFFFF_0000, lasts, sums)))
}
