//! AVX2: eight docIDs at a time.

use super::Line;
use std::arch::x86_64::*;

/// As [`super::scalar`].
///
/// # Safety
/// As there; seven words after the deviations may be read and written; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn add(line: Line, count: usize, out: *mut u32) {
    let at = |index: usize| line.from(index).origin as i64;
    // The line in 64-bit lanes, for docIDs of even and of odd indexes. The upper halves of the odd ones are in place.
    let mut even = _mm256_setr_epi64x(at(0), at(2), at(4), at(6));
    let mut odd = _mm256_setr_epi64x(at(1), at(3), at(5), at(7));
    let eight = _mm256_set1_epi64x(line.slope.wrapping_mul(8) as i64);
    for at in (0..count).step_by(8) {
        let values = _mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(even), odd);
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at).cast();
            _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), values));
        }
        even = _mm256_add_epi64(even, eight);
        odd = _mm256_add_epi64(odd, eight);
    }
}
