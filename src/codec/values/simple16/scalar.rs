//! Plain Rust: one value at a time.

use super::layouts::{COUNTS, LEFT, RIGHT};
use super::{ESCAPE, selector};

/// Decodes a part.
///
/// # Safety
/// As [`super::decode_part`].
pub(super) unsafe fn decode(words: &[u32], count: usize, out: *mut u32) -> usize {
    let (mut found, mut at) = (0, 0);
    while found < count {
        let word = words[at];
        at += 1;
        if word == ESCAPE {
            // SAFETY: `out` has room for `count` values.
            unsafe { out.add(found).write(words[at]) };
            (found, at) = (found + 1, at + 1);
            continue;
        }
        let selector = selector(word);
        let shifts = LEFT.0[selector].iter().zip(&RIGHT.0[selector]);
        for ((left, right), value) in shifts.take(usize::from(COUNTS[selector])).zip(found..) {
            // SAFETY: the first value of a word is below `count`; the other 27 fit in the slack.
            unsafe { out.add(value).write(word << left >> right) };
        }
        found += usize::from(COUNTS[selector]);
    }
    at
}
