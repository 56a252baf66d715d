//! NEON, which every arm64 processor has: a prefix sum of four values in a register.

use std::arch::aarch64::*;

/// Computes the prefix sum in whole vectors of four.
///
/// # Safety
/// As [`super::add_up`]; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn add_up(out: *mut u32, count: usize, previous: u32) {
    let (zero, four) = (vdupq_n_u32(0), vdupq_n_u32(4));
    // SAFETY: the array is as long as the vector.
    let ranks = unsafe { vld1q_u32([1, 2, 3, 4].as_ptr()) };
    // The docID before the vector, plus one in the first lane, plus two in the second …
    let mut carry = vaddq_u32(vdupq_n_u32(previous), ranks);
    for at in (0..count).step_by(4) {
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at);
            let by_1 = vld1q_u32(to);
            let by_2 = vaddq_u32(by_1, vextq_u32::<3>(zero, by_1));
            let sums = vaddq_u32(by_2, vextq_u32::<2>(zero, by_2));
            vst1q_u32(to, vaddq_u32(sums, carry));
            carry = vaddq_u32(carry, vaddq_u32(vdupq_laneq_u32::<3>(sums), four));
        }
    }
}
