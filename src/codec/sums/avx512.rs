//! AVX-512: a prefix sum of sixteen values in a register.

use std::arch::x86_64::*;

/// Computes the prefix sum in whole vectors of sixteen.
///
/// # Safety
/// As [`super::add_up`]; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
pub(super) unsafe fn add_up(out: *mut u32, count: usize, previous: u32) {
    let zero = _mm512_setzero_si512();
    let ranks = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    // The docID before the vector, plus one in the first lane, plus two in the second …
    let mut carry = _mm512_add_epi32(_mm512_set1_epi32(previous as i32), ranks);
    for at in (0..count).step_by(16) {
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at).cast::<__m512i>();
            let by_1 = _mm512_loadu_si512(to);
            let by_2 = _mm512_add_epi32(by_1, _mm512_alignr_epi32::<15>(by_1, zero));
            let by_4 = _mm512_add_epi32(by_2, _mm512_alignr_epi32::<14>(by_2, zero));
            let by_8 = _mm512_add_epi32(by_4, _mm512_alignr_epi32::<12>(by_4, zero));
            let sums = _mm512_add_epi32(by_8, _mm512_alignr_epi32::<8>(by_8, zero));
            _mm512_storeu_si512(to, _mm512_add_epi32(sums, carry));
            let total = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), sums);
            carry = _mm512_add_epi32(carry, _mm512_add_epi32(total, _mm512_set1_epi32(16)));
        }
    }
}
