//! AVX2: a prefix sum of eight values in a register.

use std::arch::x86_64::*;

/// Computes the prefix sum in whole vectors of eight.
///
/// # Safety
/// As [`super::add_up`]; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn add_up(out: *mut u32, count: usize, previous: u32) {
    // The docID before the vector, plus one in the first lane, plus two in the second …
    let mut carry = _mm256_add_epi32(_mm256_set1_epi32(previous as i32), _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8));
    for at in (0..count).step_by(8) {
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at).cast::<__m256i>();
            let a_b = _mm256_loadu_si256(to);
            let a_ab = _mm256_add_epi32(a_b, _mm256_slli_si256::<4>(a_b));
            let a_abcd = _mm256_add_epi32(a_ab, _mm256_slli_si256::<8>(a_ab));
            let low_half = _mm256_permute2x128_si256::<0x08>(a_abcd, a_abcd);
            let sums = _mm256_add_epi32(a_abcd, _mm256_shuffle_epi32::<0xFF>(low_half));
            _mm256_storeu_si256(to, _mm256_add_epi32(sums, carry));
            let total = _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7));
            carry = _mm256_add_epi32(carry, _mm256_add_epi32(total, _mm256_set1_epi32(8)));
        }
    }
}
