//! NEON: shifts four values at a time, each by its own amounts.

use super::Part;
use super::layouts::{LEFT, RIGHT};
use std::arch::aarch64::*;

/// Decodes a part.
///
/// # Safety
/// As [`super::decode_part`]; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn decode(words: &[u32], count: usize, out: *mut u32) -> usize {
    // SAFETY: the same contract.
    let mut part = unsafe { Part::new(words, count, out) };
    while let Some((word, selector, to)) = part.next() {
        // SAFETY: a row has 32 shifts, which is eight vectors. The first value of a word is below `count`; the other 31
        // values written here fit in the slack.
        unsafe {
            let left = LEFT.0[selector].as_ptr().cast::<i32>();
            let right = RIGHT.0[selector].as_ptr().cast::<i32>();
            let word = vdupq_n_u32(word);
            let store = |k: usize| {
                let high = vshlq_u32(word, vld1q_s32(left.add(4 * k)));
                // A shift by a negative number is one to the right.
                vst1q_u32(to.add(4 * k), vshlq_u32(high, vnegq_s32(vld1q_s32(right.add(4 * k)))));
            };
            store(0);
            store(1);
            if selector < 6 {
                (2..8).for_each(store);
            }
        }
    }
    part.used()
}
