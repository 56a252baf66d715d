//! AVX2: a block of 128 dimensions at a time.

use super::super::codes::{BLOCK, BLOCK_BYTES, LEVELS};
use std::arch::x86_64::*;

/// Blocks whose sums of products fit in 16 bits: of a block, four products of 3 · 127 twice are added.
const BLOCKS: usize = 8;

/// As [`super::coarse`].
///
/// # Safety
/// The processor has AVX2, and each sum has its code.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn coarse(integers: &[i8], codes: &[u8], sums: &mut [i32]) {
    let blocks = integers.len() / BLOCK;
    let (three, ones) = (_mm256_set1_epi8(3), _mm256_set1_epi16(1));
    for (at, sum) in sums.iter_mut().enumerate() {
        let mut total = _mm256_setzero_si256();
        for from in (0..blocks).step_by(BLOCKS) {
            let mut narrow = _mm256_setzero_si256();
            for block in from..blocks.min(from + BLOCKS) {
                // SAFETY: there is a code of so many blocks for each sum, and an integer for each dimension.
                let (code, integers) = unsafe {
                    let code = codes.as_ptr().add((at * blocks + block) * BLOCK_BYTES);
                    (_mm256_loadu_si256(code.cast()), integers.as_ptr().add(BLOCK * block).cast::<__m256i>())
                };
                let mut add = |part: usize, code: __m256i| {
                    // SAFETY: as above.
                    let of_part = unsafe { _mm256_loadu_si256(integers.add(part)) };
                    let products = _mm256_maddubs_epi16(_mm256_and_si256(code, three), of_part);
                    narrow = _mm256_add_epi16(narrow, products);
                };
                add(0, code);
                add(1, _mm256_srli_epi16::<2>(code));
                add(2, _mm256_srli_epi16::<4>(code));
                add(3, _mm256_srli_epi16::<6>(code));
            }
            total = _mm256_add_epi32(total, _mm256_madd_epi16(narrow, ones));
        }
        *sum = reduce(total);
    }
}

/// As [`super::fine`].
///
/// # Safety
/// The processor has AVX2, and all blocks are there.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn fine(integers: &[i8], coarse: &[u8], fine: &[u8]) -> i32 {
    // SAFETY: there are 16 levels.
    let levels = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(LEVELS.as_ptr().cast()) });
    let (three, ones) = (_mm256_set1_epi8(3), _mm256_set1_epi16(1));
    let mut total = _mm256_setzero_si256();
    for block in 0..integers.len() / BLOCK {
        // SAFETY: both codes have so many blocks, and there is an integer for each dimension.
        let (high, low, integers) = unsafe {
            let load = |codes: &[u8]| _mm256_loadu_si256(codes.as_ptr().add(block * BLOCK_BYTES).cast());
            (load(coarse), load(fine), integers.as_ptr().add(BLOCK * block).cast::<__m256i>())
        };
        let mut add = |part: usize, high: __m256i, low: __m256i| {
            // SAFETY: as above.
            let of_part = unsafe { _mm256_loadu_si256(integers.add(part)) };
            let high = _mm256_slli_epi16::<2>(_mm256_and_si256(high, three));
            let level = _mm256_shuffle_epi8(levels, _mm256_or_si256(high, _mm256_and_si256(low, three)));
            // Two products of 84 · 127 fit in 16 bits.
            let products = _mm256_maddubs_epi16(_mm256_abs_epi8(level), _mm256_sign_epi8(of_part, level));
            total = _mm256_add_epi32(total, _mm256_madd_epi16(products, ones));
        };
        add(0, high, low);
        add(1, _mm256_srli_epi16::<2>(high), _mm256_srli_epi16::<2>(low));
        add(2, _mm256_srli_epi16::<4>(high), _mm256_srli_epi16::<4>(low));
        add(3, _mm256_srli_epi16::<6>(high), _mm256_srli_epi16::<6>(low));
    }
    reduce(total)
}

/// The sum of eight numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn reduce(numbers: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256::<1>(numbers));
    let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
}
