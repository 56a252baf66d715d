//! AVX2: the passes of [`scalar`](super::scalar) with eight docIDs a vector.

use super::Parts;
use super::scalar::{self, STOPS, TILE, read_u64};
use std::arch::x86_64::*;
use std::ops::Range;

/// The widest field that one 32-bit lane holds whatever bit of its first byte it begins at.
const WIDEST: u32 = 25;

/// Decodes the docIDs of `ranks`.
///
/// # Safety
/// As [`super::decode_blocks`]; `ranks` are those of its blocks; the processor has AVX2, BMI1, BMI2 and POPCNT.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn decode(parts: &Parts, ranks: Range<usize>, previous: u32, out: *mut u32) {
    let count = ranks.len();
    let upper = parts.upper.as_ptr().cast::<u8>();
    let start = u64::from(previous >> parts.lower_width) + ranks.start as u64;
    let mut at = (start / 64 * 8) as usize;
    let mut before = (1u64 << (start % 64)) - 1;
    let mut base = _mm256_set1_epi32((at as u64 * 8) as i32);
    let next_byte = _mm256_set1_epi32(8);
    let (mut found, mut done) = (0, 0);
    while done < count {
        let tile = count.min(done + TILE);
        while found < tile {
            // SAFETY: as in `scalar::decode`: the word begins in the upper bits, and at most 64 positions are stored
            // from a place where at least one docID is missing.
            unsafe {
                let mut word = read_u64(upper, at) | before;
                before = 0;
                for _ in 0..8 {
                    let stops = _mm_loadl_epi64(STOPS[(word & 0xFF) as usize].as_ptr().cast());
                    let positions = _mm256_add_epi32(_mm256_cvtepu8_epi32(stops), base);
                    _mm256_storeu_si256(out.add(found).cast(), positions);
                    found += 8 - (word & 0xFF).count_ones() as usize;
                    base = _mm256_add_epi32(base, next_byte);
                    word >>= 8;
                }
            }
            at += 8;
        }
        let end = if found >= count { count } else { found / 8 * 8 };
        // SAFETY: positions up to `end` are written, and `done` is a multiple of 8.
        unsafe {
            if parts.lower_width <= WIDEST {
                merge_lower(parts, ranks.start, done..end, out);
            } else {
                scalar::merge_lower(parts, ranks.start, done..end, out);
            }
        }
        done = end;
    }
}

/// As [`scalar::merge_lower`], for widths up to [`WIDEST`].
///
/// # Safety
/// As there; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn merge_lower(parts: &Parts, first: usize, range: Range<usize>, out: *mut u32) {
    let width = parts.lower_width as usize;
    // Eight fields begin at a byte and take `width` bytes. The low half of a vector gets the first four from there, the
    // high half the others from byte `width / 2`, where they begin at bit 0 or 4.
    let half = width / 2;
    let bits: [usize; 8] = std::array::from_fn(|i| i % 4 * width + if i < 4 { 0 } else { 4 * width % 8 });
    let bytes: [u8; 32] = std::array::from_fn(|i| (bits[i / 4] / 8 + i % 4) as u8);
    let shifts = bits.map(|bit| (bit % 8) as u32);
    let mut fields = parts.lower.as_ptr().cast::<u8>().wrapping_add((first + range.start) / 8 * width);
    let mask = _mm256_set1_epi32(crate::bits::low_mask(parts.lower_width) as i32);
    let count = _mm_cvtsi32_si128(width as i32);
    let eight = _mm256_set1_epi32(8);
    let iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let mut rank = _mm256_add_epi32(_mm256_set1_epi32((first + range.start) as i32), iota);
    // SAFETY: the arrays are as long as the vectors. The first of eight fields is one of the list, so that the 16 bytes
    // from it, and from `half` ≤ 12 behind it, end in the lower bits or their padding. `out` has room for 7 docIDs past
    // the range.
    unsafe {
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let shifts = _mm256_loadu_si256(shifts.as_ptr().cast());
        for at in range.step_by(8) {
            let to = out.add(at).cast::<__m256i>();
            let upper = _mm256_sll_epi32(_mm256_sub_epi32(_mm256_loadu_si256(to), rank), count);
            let low = _mm_loadu_si128(fields.cast());
            let high = _mm_loadu_si128(fields.add(half).cast());
            let windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
            let lower = _mm256_and_si256(_mm256_srlv_epi32(windows, shifts), mask);
            _mm256_storeu_si256(to, _mm256_or_si256(upper, lower));
            rank = _mm256_add_epi32(rank, eight);
            fields = fields.wrapping_add(width);
        }
    }
}
