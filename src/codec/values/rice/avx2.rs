//! AVX2: eight values at a time.

use super::Stops;
use std::arch::x86_64::*;

/// As [`super::scalar::merge`].
///
/// # Safety
/// As there; seven words after the remainders may be written; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn merge(stops: &Stops, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    let left = _mm_cvtsi32_si128(width as i32);
    let one = _mm_set1_epi16(1);
    for at in (0..count).step_by(8) {
        // SAFETY: `at` is below `count`, and `Positions` has room for a vector after so many; the vector at `out` ends
        // at most seven words after the remainders.
        unsafe {
            let from = _mm_loadu_si128(previous.add(at).cast());
            let to = _mm_loadu_si128(previous.add(at + 1).cast());
            let quotients = _mm256_cvtepu16_epi32(_mm_sub_epi16(_mm_sub_epi16(to, from), one));
            let out = out.add(at).cast();
            _mm256_storeu_si256(out, _mm256_or_si256(_mm256_loadu_si256(out), _mm256_sll_epi32(quotients, left)));
        }
    }
}
