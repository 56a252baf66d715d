//! AVX-512: sixteen docIDs at a time.

use super::Line;
use std::arch::x86_64::*;

/// As [`super::scalar`].
///
/// # Safety
/// As there; 15 words after the deviations may be read and written; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2")]
pub(super) unsafe fn add(line: Line, count: usize, out: *mut u32) {
    // The line in 64-bit lanes, for docIDs of even and of odd indexes. The upper halves of the odd ones are in place.
    let slope = _mm512_set1_epi64(line.slope as i64);
    let rises = _mm512_mullo_epi64(slope, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14));
    let mut even = _mm512_add_epi64(_mm512_set1_epi64(line.origin as i64), rises);
    let mut odd = _mm512_add_epi64(even, slope);
    let sixteen = _mm512_slli_epi64::<4>(slope);
    for at in (0..count).step_by(16) {
        let values = _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(even), odd);
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at).cast();
            _mm512_storeu_si512(to, _mm512_add_epi32(_mm512_loadu_si512(to), values));
        }
        even = _mm512_add_epi64(even, sixteen);
        odd = _mm512_add_epi64(odd, sixteen);
    }
}
