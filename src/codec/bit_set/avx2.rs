//! AVX2: docIDs are written eight at a time, from a table of the bits of a byte; 1 bits are counted with a table of
//! nibbles, after adders (Muła, Kurz and Lemire, 2018).

use super::{FEW, GROUP, expand_few, scalar, word};
use crate::base::bits::BITS_OF;
use std::arch::x86_64::*;

/// As [`super::expand`]. Where an eighth of the words has no bits, these are left out without a branch on each.
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn expand(stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    for from in (0..words).step_by(GROUP) {
        let len = GROUP.min(words - from);
        let first = first.wrapping_add(64 * from as u32);
        // SAFETY: these are some of the words. `out` has room for the docIDs of the ones from here on, and 64 more.
        found += unsafe {
            let (stream, out) = (stream.add(from), out.add(found));
            let which = filled(stream, len);
            if 8 * which.count_ones() as usize <= 7 * len {
                expand_some(stream, which, first, out)
            } else {
                expand_all(stream, len, first, out)
            }
        };
    }
    found
}

/// Which words of a group have bits.
///
/// # Safety
/// `len` words can be read, at most [`GROUP`]; the processor has the enabled features.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn filled(stream: *const u64, len: usize) -> u64 {
    let mut filled = 0;
    let whole = len / 4 * 4;
    for at in (0..whole).step_by(4) {
        // SAFETY: four words from `at` on can be read.
        let words = unsafe { _mm256_loadu_si256(stream.add(at).cast()) };
        let is_empty = _mm256_cmpeq_epi64(words, _mm256_setzero_si256());
        filled |= (!_mm256_movemask_pd(_mm256_castsi256_pd(is_empty)) as u64 & 0xF) << at;
    }
    for at in whole..len {
        // SAFETY: the word can be read.
        filled |= u64::from(unsafe { word(stream, at) } != 0) << at;
    }
    filled
}

/// Writes the docIDs of a word, of which bit 0 stands for `doc_id`, and returns their number.
///
/// # Safety
/// `to` has room for 64; the processor has the enabled features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
unsafe fn expand_word(mut bits: u64, doc_id: u32, mut to: *mut u32) -> usize {
    let ones = bits.count_ones();
    // SAFETY: all stores are within 64 of `to`.
    unsafe {
        if ones <= FEW {
            expand_few(bits, doc_id, to);
        } else {
            let mut base = _mm256_set1_epi32(doc_id as i32);
            for _ in 0..8 {
                let byte = (bits & 0xFF) as usize;
                let indices = _mm256_cvtepu8_epi32(_mm_loadl_epi64(BITS_OF[byte].as_ptr().cast()));
                _mm256_storeu_si256(to.cast(), _mm256_add_epi32(indices, base));
                to = to.add(byte.count_ones() as usize);
                base = _mm256_add_epi32(base, _mm256_set1_epi32(8));
                bits >>= 8;
            }
        }
    }
    ones as usize
}

/// # Safety
/// As [`super::expand`]; the processor has the enabled features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
unsafe fn expand_all(stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    for at in 0..words {
        // SAFETY: the word can be read; `out` has room for its docIDs and 64 more after those found so far.
        found += unsafe { expand_word(word(stream, at), first.wrapping_add(64 * at as u32), out.add(found)) };
    }
    found
}

/// Expands the words of a group that `which` has bits of, and no others.
///
/// # Safety
/// As [`super::expand`]; the processor has the enabled features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
unsafe fn expand_some(stream: *const u64, mut which: u64, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    while which != 0 {
        let at = which.trailing_zeros();
        which &= which - 1;
        // SAFETY: the word can be read; `out` has room for its docIDs and 64 more after those found so far.
        found += unsafe { expand_word(word(stream, at as usize), first.wrapping_add(64 * at), out.add(found)) };
    }
    found
}

/// The 1 bits of each 64-bit lane.
#[target_feature(enable = "avx2")]
#[inline]
fn ones(lanes: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let low = _mm256_set1_epi8(0x0F);
    let of_low = _mm256_shuffle_epi8(table, _mm256_and_si256(lanes, low));
    let of_high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(lanes), low));
    _mm256_sad_epu8(_mm256_add_epi8(of_low, of_high), _mm256_setzero_si256())
}

#[target_feature(enable = "avx2")]
#[inline]
fn sum(lanes: __m256i) -> u64 {
    let halves = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as u64
}

/// As [`super::common`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn common(a: *const u64, b: *const u64, words: usize, out: *mut u64) -> u64 {
    // SAFETY: this function's contract.
    unsafe { intersect::<true>(a, b, words, out) }
}

/// As [`super::count_common`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn count_common(a: *const u64, b: *const u64, words: usize) -> u64 {
    // SAFETY: this function's contract; nothing is written.
    unsafe { intersect::<false>(a, b, words, std::ptr::null_mut()) }
}

/// Counts the common bits, and writes them if `WRITES`.
///
/// # Safety
/// Both streams have `words` words, and so has `out`, if it is written to; the processor has the enabled features.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
unsafe fn intersect<const WRITES: bool>(a: *const u64, b: *const u64, words: usize, out: *mut u64) -> u64 {
    // Adds up 1, 2, 4 and 8 vectors bit by bit before it counts their bits (Harley and Seal).
    let zero = _mm256_setzero_si256();
    let (mut total, mut ones_sum, mut twos_sum, mut fours_sum) = (zero, zero, zero, zero);
    let (groups, whole) = (words / 32 * 32, words / 4 * 4);
    // SAFETY: of the words from `at` on there are four, or 32 in the first loop; the rest of the words follow.
    unsafe {
        let both = |at: usize| {
            let both = _mm256_and_si256(_mm256_loadu_si256(a.add(at).cast()), _mm256_loadu_si256(b.add(at).cast()));
            if WRITES {
                _mm256_storeu_si256(out.add(at).cast(), both);
            }
            both
        };
        for at in (0..groups).step_by(32) {
            let both = |part: usize| both(at + 4 * part);
            let (one, two_a) = add(ones_sum, both(0), both(1));
            let (one, two_b) = add(one, both(2), both(3));
            let (two, four_a) = add(twos_sum, two_a, two_b);
            let (one, two_a) = add(one, both(4), both(5));
            let (one, two_b) = add(one, both(6), both(7));
            let (two, four_b) = add(two, two_a, two_b);
            let (four, eight) = add(fours_sum, four_a, four_b);
            (ones_sum, twos_sum, fours_sum) = (one, two, four);
            total = _mm256_add_epi64(total, ones(eight));
        }
        let mut counted = 0;
        if groups != 0 {
            counted = 8 * sum(total) + 4 * sum(ones(fours_sum)) + 2 * sum(ones(twos_sum)) + sum(ones(ones_sum));
        }
        if groups < whole {
            let mut total = zero;
            for at in (groups..whole).step_by(4) {
                total = _mm256_add_epi64(total, ones(both(at)));
            }
            counted += sum(total);
        }
        let (a, b, rest) = (a.add(whole), b.add(whole), words - whole);
        counted + if WRITES { scalar::common(a, b, rest, out.add(whole)) } else { scalar::count_common(a, b, rest) }
    }
}

/// Adds three vectors bit by bit: the sums and the carries.
#[target_feature(enable = "avx2")]
#[inline]
fn add(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
    let half = _mm256_xor_si256(a, b);
    (_mm256_xor_si256(half, c), _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(half, c)))
}

/// As [`super::fill`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fill(first: u32, len: usize, out: *mut u32) {
    let mut doc_ids = _mm256_add_epi32(_mm256_set1_epi32(first as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    for at in (0..len).step_by(8) {
        // SAFETY: at most 7 docIDs are written after the last one.
        unsafe { _mm256_storeu_si256(out.add(at).cast(), doc_ids) };
        doc_ids = _mm256_add_epi32(doc_ids, _mm256_set1_epi32(8));
    }
}
