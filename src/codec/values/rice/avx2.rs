//! AVX2: eight values at a time.

use super::Stops;
use crate::codec::fields::Eights;
use std::arch::x86_64::*;

/// As [`super::scalar::merge`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; 64 bytes are readable from each remainder on; `out` has room for seven more; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn merge(stops: &Stops, remainders: *const u8, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    let left = _mm_cvtsi32_si128(width as i32);
    let one = _mm_set1_epi16(1);
    let mut remainders = Eights::new(remainders, width);
    // SAFETY: of each eight values the first is below `count`: `Positions` has room for a vector after so many, and 64
    // bytes are readable from its remainder on.
    unsafe {
        for at in (0..count).step_by(8) {
            let from = _mm_loadu_si128(previous.add(at).cast());
            let to = _mm_loadu_si128(previous.add(at + 1).cast());
            let quotients = _mm256_cvtepu16_epi32(_mm_sub_epi16(_mm_sub_epi16(to, from), one));
            let values = _mm256_or_si256(remainders.next(), _mm256_sll_epi32(quotients, left));
            _mm256_storeu_si256(out.add(at).cast(), values);
        }
    }
}
