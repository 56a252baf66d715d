//! NEON, which every arm64 processor has: four values at a time become docIDs while they are in a register.

use super::lanes::{by_width, each_row};
use crate::base::bits::low_mask;
use std::arch::aarch64::*;

/// Writes the docIDs of a whole block, of which the first follows `previous`. Sums wrap at 2^32.
///
/// # Safety
/// `width` is at most 32; `4 * width` words are readable from `packed` on; `out` has room for a block; the processor has
/// NEON.
#[target_feature(enable = "neon")]
#[inline(never)]
pub(super) unsafe fn unpack_and_add_up(packed: *const u32, width: u32, out: *mut u32, previous: u32) {
    // SAFETY: the same contract.
    unsafe { by_width!(width, of_width(packed, out, previous)) }
}

/// # Safety
/// As [`unpack_and_add_up`] for that width.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn of_width<const WIDTH: usize>(packed: *const u32, out: *mut u32, previous: u32) {
    let (zero, mask) = (vdupq_n_u32(0), vdupq_n_u32(low_mask(WIDTH as u32)));
    // SAFETY: the array is as long as the vector.
    let ranks = unsafe { vld1q_u32([1, 2, 3, 4].as_ptr()) };
    // The docID before the row, plus one in the first lane, plus two in the second …
    let mut carry = vaddq_u32(vdupq_n_u32(previous), ranks);
    each_row!(ROW => {
        let (word, shift) = (ROW * WIDTH / 32, ROW * WIDTH % 32);
        // SAFETY: only words of the row's values are read, which are among the block's; the row is one of the block's.
        unsafe {
            let from = packed.add(4 * word);
            let values = if WIDTH == 0 {
                zero
            } else {
                // A shift by a negative number is one to the right. All are constants, for which there are instructions.
                let low = vshlq_u32(vld1q_u32(from), vdupq_n_s32(-(shift as i32)));
                let all = if shift + WIDTH > 32 {
                    vorrq_u32(low, vshlq_u32(vld1q_u32(from.add(4)), vdupq_n_s32(32 - shift as i32)))
                } else {
                    low
                };
                if shift + WIDTH == 32 { all } else { vandq_u32(all, mask) }
            };
            let by_2 = vaddq_u32(values, vextq_u32::<3>(zero, values));
            let sums = vaddq_u32(by_2, vextq_u32::<2>(zero, by_2));
            let doc_ids = vaddq_u32(sums, carry);
            vst1q_u32(out.add(4 * ROW), doc_ids);
            carry = vaddq_u32(vdupq_laneq_u32::<3>(doc_ids), ranks);
        }
    });
    let _ = carry;
}
