//! Plain Rust: one value at a time.

use super::Part;
use super::layouts::{COUNTS, LEFT, RIGHT};

/// Decodes a part.
///
/// # Safety
/// As [`super::decode_part`].
pub(super) unsafe fn decode(words: &[u32], count: usize, out: *mut u32) -> usize {
    // SAFETY: the same contract.
    let mut part = unsafe { Part::new(words, count, out) };
    while let Some((word, selector, to)) = part.next() {
        let shifts = LEFT.0[selector].iter().zip(&RIGHT.0[selector]);
        for ((left, right), value) in shifts.take(usize::from(COUNTS[selector])).zip(0..) {
            // SAFETY: the first value of a word is below `count`; the other 27 fit in the slack.
            unsafe { to.add(value).write(word << left >> right) };
        }
    }
    part.used()
}
