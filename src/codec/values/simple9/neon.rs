//! NEON: shifts four values at a time, each by its own amount.

use super::{COUNTS, LEFT, RIGHT};
use std::arch::aarch64::*;

/// Decodes the values of `words` to `out` and returns their number.
///
/// # Safety
/// As [`super::decode_values`]; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn decode(words: &[u32], out: *mut u32) -> usize {
    let mut found = 0;
    for &word in words {
        let selector = (word >> 28) as usize;
        // SAFETY: a row of `LEFT` has 32 shifts, which is eight vectors. `out` has room for all values and the slack: of
        // the values written here, at least 1 of 8, 9 of 16 or 28 of 32 belong to this word.
        unsafe {
            let left = LEFT.0[selector].as_ptr().cast::<i32>();
            // A shift by a negative number is one to the right.
            let right = vdupq_n_s32(-(RIGHT[selector] as i32));
            let word = vdupq_n_u32(word);
            let to = out.add(found);
            let store = |k: usize| {
                let values = vshlq_u32(vshlq_u32(word, vld1q_s32(left.add(4 * k))), right);
                vst1q_u32(to.add(4 * k), values);
            };
            store(0);
            store(1);
            if selector > 5 {
                store(2);
                store(3);
                if selector > 7 {
                    (4..8).for_each(store);
                }
            }
        }
        found += usize::from(COUNTS[selector]);
    }
    found
}
