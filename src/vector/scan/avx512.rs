//! AVX-512 with VNNI: two blocks of 128 dimensions at a time.

use super::super::codes::{BLOCK, BLOCK_BYTES};
use super::MOST_BLOCKS;
use once_cell::sync::Lazy;
use std::arch::x86_64::*;

/// Codes whose sums are made beside each other.
const ROWS: usize = 4;

/// Parts of a block: bits 2p and 2p + 1 of its bytes.
const PARTS: usize = BLOCK / BLOCK_BYTES;

/// Whether the processor has VNNI besides what the tier has; so far, all of them do.
pub(super) fn is_available() -> bool {
    static HAS: Lazy<bool> =
        Lazy::new(|| is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni"));
    *HAS
}

/// As [`super::coarse`].
///
/// # Safety
/// The processor has the enabled features, and each sum has its code, of at most [`MOST_BLOCKS`].
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2")]
pub(super) unsafe fn coarse(integers: &[i8], codes: &[u8], sums: &mut [i32]) {
    let blocks = integers.len() / BLOCK;
    // By pair of blocks and part, as the bits of the codes come.
    let mut query = [[_mm512_setzero_si512(); PARTS]; MOST_BLOCKS / 2];
    for (query, of_pair) in query.iter_mut().zip(integers.chunks(2 * BLOCK)) {
        for (part, query) in query.iter_mut().enumerate() {
            // SAFETY: each block has the integers of all of its parts.
            let load =
                |of_block: &[i8]| unsafe { _mm256_loadu_si256(of_block.as_ptr().add(BLOCK_BYTES * part).cast()) };
            let (first, second) = of_pair.split_at(BLOCK);
            let second = if second.is_empty() { _mm256_setzero_si256() } else { load(second) };
            *query = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load(first)), second);
        }
    }
    let (three, bytes) = (_mm512_set1_epi8(3), blocks * BLOCK_BYTES);
    let add = |total: __m512i, code: __m512i, query: &[__m512i; PARTS]| {
        let total = _mm512_dpbusd_epi32(total, _mm512_and_si512(code, three), query[0]);
        let total = _mm512_dpbusd_epi32(total, _mm512_and_si512(_mm512_srli_epi16::<2>(code), three), query[1]);
        let total = _mm512_dpbusd_epi32(total, _mm512_and_si512(_mm512_srli_epi16::<4>(code), three), query[2]);
        _mm512_dpbusd_epi32(total, _mm512_and_si512(_mm512_srli_epi16::<6>(code), three), query[3])
    };
    // SAFETY: there is a code of so many blocks for each sum; what would be of a block after the last is not read.
    let total_of = |row: usize, total: __m512i, pair: usize| unsafe {
        let code = codes.as_ptr().add(bytes * row + 2 * BLOCK_BYTES * pair);
        let code = match 2 * pair + 1 < blocks {
            true => _mm512_loadu_si512(code.cast()),
            false => _mm512_zextsi256_si512(_mm256_loadu_si256(code.cast())),
        };
        add(total, code, &query[pair])
    };
    let (fours, rest) = sums.as_chunks_mut::<ROWS>();
    for (at, sums) in fours.iter_mut().enumerate() {
        let mut totals = [_mm512_setzero_si512(); ROWS];
        for pair in 0..blocks.div_ceil(2) {
            for (row, total) in totals.iter_mut().enumerate() {
                *total = total_of(ROWS * at + row, *total, pair);
            }
        }
        // SAFETY: the sums have room for four.
        unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), reduce(totals)) };
    }
    let first = ROWS * fours.len();
    for (at, sum) in rest.iter_mut().enumerate() {
        let total =
            (0..blocks.div_ceil(2)).fold(_mm512_setzero_si512(), |total, pair| total_of(first + at, total, pair));
        *sum = _mm512_reduce_add_epi32(total);
    }
}

/// The sum of the numbers of each of four.
#[target_feature(enable = "avx512f,avx2")]
#[inline]
fn reduce([a, b, c, d]: [__m512i; ROWS]) -> __m128i {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}
