//! AVX2: eight values at a time.

use super::Stops;
use crate::bits::low_mask;
use crate::codec::fields::{LANES, Lanes};
use std::arch::x86_64::*;

/// As [`super::scalar::merge`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; 64 bytes are readable from each remainder on; `out` has room for seven more; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn merge(stops: &Stops, remainders: *const u8, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    let half = width as usize / 2;
    let Lanes { bytes, shifts } = &LANES[width as usize];
    let mask = _mm256_set1_epi32(low_mask(width) as i32);
    let left = _mm_cvtsi32_si128(width as i32);
    let one = _mm_set1_epi16(1);
    let mut fields = remainders;
    // SAFETY: the arrays are as long as the vectors. Of each eight values the first is below `count`: `Positions` has
    // room for a vector after so many, 64 bytes are readable from its remainder on, and `half` is at most 12.
    unsafe {
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let shifts = _mm256_loadu_si256(shifts.as_ptr().cast());
        for at in (0..count).step_by(8) {
            let from = _mm_loadu_si128(previous.add(at).cast());
            let to = _mm_loadu_si128(previous.add(at + 1).cast());
            let quotients = _mm256_cvtepu16_epi32(_mm_sub_epi16(_mm_sub_epi16(to, from), one));
            let low = _mm_loadu_si128(fields.cast());
            let high = _mm_loadu_si128(fields.add(half).cast());
            let windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
            let remainders = _mm256_and_si256(_mm256_srlv_epi32(windows, shifts), mask);
            let values = _mm256_or_si256(remainders, _mm256_sll_epi32(quotients, left));
            _mm256_storeu_si256(out.add(at).cast(), values);
            fields = fields.wrapping_add(width as usize);
        }
    }
}
