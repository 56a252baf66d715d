//! AVX-512: sixteen values at a time.

use super::Stops;
use crate::codec::fields::Sixteens;
use std::arch::x86_64::*;

/// As [`super::scalar::merge`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; 64 bytes are readable from each remainder on; `out` has room for 15 more; the processor has the features
/// named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
pub(super) unsafe fn merge(stops: &Stops, remainders: *const u8, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    let left = _mm_cvtsi32_si128(width as i32);
    let one = _mm256_set1_epi16(1);
    let mut remainders = Sixteens::new(remainders, width);
    // SAFETY: of each sixteen values the first is below `count`: `Positions` has room for a vector after so many, and 64
    // bytes are readable from its remainder on.
    unsafe {
        for at in (0..count).step_by(16) {
            let from = _mm256_loadu_si256(previous.add(at).cast());
            let to = _mm256_loadu_si256(previous.add(at + 1).cast());
            let quotients = _mm512_cvtepu16_epi32(_mm256_sub_epi16(_mm256_sub_epi16(to, from), one));
            let values = remainders.next_with(_mm512_sll_epi32(quotients, left));
            _mm512_storeu_si512(out.add(at).cast(), values);
        }
    }
}
