//! NEON: a shuffle chosen by the control byte spreads the bytes of four values over a vector.

use super::shuffles::{LENGTHS, SHUFFLES};
use std::arch::aarch64::*;

/// Decodes the values of a part.
///
/// # Safety
/// As [`super::scalar::decode`], but 16 words after the data may be read, and `out` has room for seven values more; the
/// processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn decode(control: &[u32], data: &[u32], count: usize, out: *mut u32) {
    let mut from = data.as_ptr().cast::<u8>();
    let controls = control.as_ptr().cast::<u8>();
    for rank in (0..count).step_by(8) {
        // SAFETY: the first of eight values lies in the data, and the loads end within 32 bytes of its beginning, in
        // the data or the 16 words after it. Both control bytes are in the same word. The shuffles are two rows of the
        // table.
        unsafe {
            let (low, high) = (*controls.add(rank / 4) as usize, *controls.add(rank / 4 + 1) as usize);
            let middle = from.add(LENGTHS[low] as usize);
            let first = vqtbl1q_u8(vld1q_u8(from), vld1q_u8(SHUFFLES[low].as_ptr()));
            let second = vqtbl1q_u8(vld1q_u8(middle), vld1q_u8(SHUFFLES[high].as_ptr()));
            let to = out.add(rank).cast::<u8>();
            vst1q_u8(to, first);
            vst1q_u8(to.add(16), second);
            from = middle.add(LENGTHS[high] as usize);
        }
    }
}
