//! SSE2, which every x86-64 processor has: a prefix sum of four values in a register.

use std::arch::x86_64::*;

/// Computes the prefix sum in whole vectors of four.
///
/// # Safety
/// As [`super::add_up`].
pub(super) unsafe fn add_up(out: *mut u32, count: usize, previous: u32) {
    // SAFETY: every x86-64 processor has SSE2; the same holds below.
    // The docID before the vector, plus one in the first lane, plus two in the second …
    let mut carry = unsafe { _mm_add_epi32(_mm_set1_epi32(previous as i32), _mm_setr_epi32(1, 2, 3, 4)) };
    for at in (0..count).step_by(4) {
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at).cast::<__m128i>();
            let by_1 = _mm_loadu_si128(to);
            let by_2 = _mm_add_epi32(by_1, _mm_slli_si128::<4>(by_1));
            let sums = _mm_add_epi32(by_2, _mm_slli_si128::<8>(by_2));
            _mm_storeu_si128(to, _mm_add_epi32(sums, carry));
            let total = _mm_add_epi32(_mm_shuffle_epi32::<0xFF>(sums), _mm_set1_epi32(4));
            carry = _mm_add_epi32(carry, total);
        }
    }
}
