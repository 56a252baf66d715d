//! NEON: eight values at a time.

use super::Stops;
use crate::codec::fields::{Eights, store};
use std::arch::aarch64::*;

/// As [`super::scalar::merge`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; 64 bytes are readable from each remainder on; `out` has room for seven more; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn merge(stops: &Stops, remainders: *const u8, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    let (left, one) = (vdupq_n_s32(width as i32), vdupq_n_u16(1));
    let mut remainders = Eights::new(remainders, width);
    // SAFETY: of each eight values the first is below `count`: `Positions` has room for a vector after so many, and 64
    // bytes are readable from its remainder on.
    unsafe {
        for at in (0..count).step_by(8) {
            let (from, to) = (vld1q_u16(previous.add(at)), vld1q_u16(previous.add(at + 1)));
            let quotients = vsubq_u16(vsubq_u16(to, from), one);
            let first = vshlq_u32(vmovl_u16(vget_low_u16(quotients)), left);
            let second = vshlq_u32(vmovl_high_u16(quotients), left);
            let remainders = remainders.next();
            store(out.add(at), [vorrq_u32(first, remainders[0]), vorrq_u32(second, remainders[1])]);
        }
    }
}
