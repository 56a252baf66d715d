//! AVX-512: sixteen values at a time.

use super::Stops;
use std::arch::x86_64::*;

/// As [`super::scalar::merge`].
///
/// # Safety
/// As there; 15 words after the remainders may be written; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
pub(super) unsafe fn merge(stops: &Stops, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    let left = _mm_cvtsi32_si128(width as i32);
    let one = _mm256_set1_epi16(1);
    for at in (0..count).step_by(16) {
        // SAFETY: `at` is below `count`, and `Positions` has room for a vector after so many; the vector at `out` ends
        // at most 15 words after the remainders.
        unsafe {
            let from = _mm256_loadu_si256(previous.add(at).cast());
            let to = _mm256_loadu_si256(previous.add(at + 1).cast());
            let quotients = _mm512_cvtepu16_epi32(_mm256_sub_epi16(_mm256_sub_epi16(to, from), one));
            let out = out.add(at).cast();
            _mm512_storeu_si512(out, _mm512_or_si512(_mm512_loadu_si512(out), _mm512_sll_epi32(quotients, left)));
        }
    }
}
