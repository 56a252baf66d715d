//! Simple-16 (Zhang, Long and Suel, "Performance of compressed inverted list caching in search engines", WWW 2008): as
//! [Simple-9](super::simple9), with sixteen layouts, some of them of two widths, so that no bit of a word is lost.
//!
//! ```text
//!  31    28 27                                   0
//! ┌────────┬──────────────────────────────────────┐
//! │selector│ values, the first at the highest bits │
//! └────────┴──────────────────────────────────────┘
//! selector       0        1            2               3        4      5            6               7
//! values × bits  28×1     7×2, 14×1    7×1, 7×2, 7×1   14×1,7×2 14×2   1×4, 8×3     1×3, 4×4, 3×3   7×4
//! selector       8        9            10              11       12     13           14              15
//! values × bits  4×5,2×4  2×4, 4×5     3×6, 2×5        2×5,3×6  4×7    1×10, 2×9    2×14            1×28
//! ```
//! The encoder takes the first selector whose values are wide enough, so as many values as possible. In the last word of
//! a part, values may be missing; their bits are 0. The paper's values have 28 bits. Here a word of 32 ones, which would
//! be the largest of these, is an *escape*: the next word is a value of 32 bits. So `[1624, 25, 225, 95, 383]` becomes
//! `0xE196 0019 0xD384 BF7F`: 1624 and 25 in 2 × 14 bits, 225 in 10, 95 and 383 in 2 × 9. 2^28 − 1 becomes
//! `0xFFFF FFFF 0x0FFF FFFF`.
//!
//! A value takes 64 bits at worst, 32 if it is below 2^28 − 1, and 32/28 at best.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod layouts;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

pub use layouts::{LAYOUTS, MAX_VALUES};

use super::ValueCodec;
use super::parts::each_part;
use crate::base::cpu::Tier;
use crate::codec::{Cost, Options};
use layouts::{COUNTS, LEFT, RIGHT, WIDTHS};

/// The word before a value of 32 bits.
const ESCAPE: u32 = u32::MAX;

/// The selector of a word.
#[inline(always)]
fn selector(word: u32) -> usize {
    (word >> 28) as usize
}

/// The values that can be coded without an escape are below this.
const ESCAPED: u32 = (1 << 28) - 1;

/// The first selector whose layout takes the first of `values`, and how many of them it takes; `None` if the first value
/// must be escaped.
fn choose(values: &[u32]) -> Option<(usize, &[u32])> {
    if values[0] >= ESCAPED {
        return None;
    }
    let takes = |selector: usize| {
        let now = &values[..values.len().min(COUNTS[selector].into())];
        let fits = now.iter().zip(&WIDTHS[selector]).all(|(&value, &width)| value >> width == 0);
        fits.then_some((selector, now))
    };
    // The last layout takes any value that is not escaped.
    (0..16).find_map(takes)
}

/// Appends the words of a part.
pub(super) fn encode_part(values: &[u32], words: &mut Vec<u32>) {
    let mut rest = values;
    while !rest.is_empty() {
        let taken = match choose(rest) {
            Some((selector, now)) => {
                words.push(word(selector, now));
                now.len()
            }
            None => {
                words.extend([ESCAPE, rest[0]]);
                1
            }
        };
        rest = &rest[taken..];
    }
}

/// The number of words of a part.
pub(super) fn words_of(values: &[u32]) -> usize {
    let (mut rest, mut words) = (values, 0);
    while !rest.is_empty() {
        let (now, taken) = choose(rest).map_or((2, 1), |(_, now)| (1, now.len()));
        words += now;
        rest = &rest[taken..];
    }
    words
}

/// A word of these values, which fit in the selector's layout.
fn word(selector: usize, values: &[u32]) -> u32 {
    let fields = values.iter().zip(LEFT.0[selector].iter().zip(&RIGHT.0[selector]));
    fields.fold((selector as u32) << 28, |word, (value, (left, right))| word | value << right >> left)
}

/// Checks that `words` are a part with exactly `count` values, which is all that decoding relies on.
///
/// # Errors
/// The index of the word that is wrong, and what is wrong with it.
pub(super) fn check_part(words: &[u32], count: usize) -> Result<(), (usize, String)> {
    let wrong = |word: usize, what: String| Err((word, what));
    let (mut found, mut at) = (0, 0);
    while let Some(&word) = words.get(at) {
        if found >= count {
            return wrong(at, format!("follows the last of {count} values"));
        }
        if word == ESCAPE {
            if at + 1 == words.len() {
                return wrong(at, "a value of 32 bits is missing".into());
            }
            (found, at) = (found + 1, at + 2);
            continue;
        }
        let selector = selector(word);
        let now = usize::from(COUNTS[selector]).min(count - found);
        if word << 4 << used_bits(selector, now) != 0 {
            return wrong(at, "unused bits are not 0".into());
        }
        (found, at) = (found + now, at + 1);
    }
    if found < count {
        return wrong(words.len(), format!("ends after {found} of {count} values"));
    }
    Ok(())
}

/// The bits of a selector's first `count` values.
fn used_bits(selector: usize, count: usize) -> u32 {
    WIDTHS[selector][..count].iter().map(|&width| u32::from(width)).sum()
}

/// A part that is decoded word by word.
struct Part<'w> {
    words: &'w [u32],
    count: usize,
    out: *mut u32,
    /// The next word, and the values of those before it.
    at: usize,
    found: usize,
}

impl<'w> Part<'w> {
    /// # Safety
    /// As [`decode_part`], apart from the processor.
    #[inline(always)]
    unsafe fn new(words: &'w [u32], count: usize, out: *mut u32) -> Self {
        Part { words, count, out, at: 0, found: 0 }
    }

    /// The next word that has a layout, its selector, and where its values go. Values of 32 bits before it are written.
    #[inline(always)]
    fn next(&mut self) -> Option<(u32, usize, *mut u32)> {
        while self.found < self.count {
            let (word, to) = (self.words[self.at], self.out.wrapping_add(self.found));
            self.at += 1;
            if word != ESCAPE {
                let selector = selector(word);
                self.found += usize::from(COUNTS[selector]);
                return Some((word, selector, to));
            }
            // SAFETY: `out` has room for `count` values, as whoever made the part says.
            unsafe { to.write(self.words[self.at]) };
            self.at += 1;
            self.found += 1;
        }
        None
    }

    /// The words of the part, when there is no next one.
    #[inline(always)]
    fn used(&self) -> usize {
        self.at
    }
}

/// Decodes a part and returns the number of its words.
///
/// # Safety
/// `words` begin with a part of `count` values that was encoded here or passed [`check_part`]; `out` has room for the
/// values and [`SLACK`](crate::codec::SLACK) more; the processor has `tier`.
#[inline]
pub(super) unsafe fn decode_part(tier: Tier, words: &[u32], count: usize, out: *mut u32) -> usize {
    debug_assert!(tier.is_available());
    // SAFETY: all paths have this function's contract, and each is run only on its own tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::decode(words, count, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::decode(words, count, out),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => neon::decode(words, count, out),
            _ => scalar::decode(words, count, out),
        }
    }
}

/// The value codec.
pub struct Simple16;

impl ValueCodec for Simple16 {
    const NAME: &'static str = "simple16";
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.5, merged: 0.8, near: 15.0, far: 120.0 };

    fn encode(values: &[u32], _: &Options, words: &mut Vec<u32>) {
        encode_part(values, words);
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        check_part(words, count)
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        // SAFETY: the words were encoded or checked, so there is a part of `count` values each time; room and tier are
        // this function's contract.
        each_part(words, count, out, |words, count, out| unsafe { decode_part(tier, words, count, out) });
    }
}

#[cfg(test)]
mod tests;
