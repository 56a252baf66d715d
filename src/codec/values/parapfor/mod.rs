//! ParaPFor (Ao, Zhang, Wu, Stones, Wang, Liu, Liu and Lin, "Efficient parallel lists intersection and index compression
//! algorithms using graphics processing units", PVLDB 4(8), 2011, section 5.1 and appendix D): the low b bits of every
//! value in slots, and for the few values that are wider, the *exceptions*, their indices and the bits above in two
//! arrays, so that all exceptions can be restored at once, and any value can be read alone.
//!
//! ```text
//! bit   0    6     10    16    25       32         32 + n·b        + en·ib        + en·hb
//!      ┌────┬─────┬─────┬─────┬────────┬──────────┬───────────────┬──────────────┬─────────┐
//!      │ b  │ ib  │ hb  │ en  │ 0      │ l: low   │ i: indices of │ h: bits of   │ 0 up to │
//!      │    │     │     │     │        │ b bits   │ exceptions,   │ exceptions   │ a word  │
//!      │    │     │     │     │        │ of all   │ ib bits each  │ above b, hb  │         │
//!      └────┴─────┴─────┴─────┴────────┴──────────┴───────────────┴──────────────┴─────────┘
//! ```
//! A part is one [segment]: the header, whose names are the paper's, and the bit stream of the three arrays. Indices
//! increase. ib is the width of the last index, hb that of the widest overflow; both are 0 if there are no exceptions.
//! The values `[3, 0, 2, 77, 1, 3]` with b = 2 have one exception, number 3, whose bits above are 19: ib = 2, hb = 5,
//! en = 1.
//!
//! ```text
//! header   en 000000001, hb 000101, ib 0010, b 000010     0x0001 1482
//! l        11 01 01 10 00 11   (the first at the right)   0x0004 FD63
//! i, h     10011 11            (from bit 12 on)
//! ```
//!
//! b is the width with the fewest words at which the share of exceptions is at most the option `exceptions`; an
//! exception counts four bits more than it takes, because it takes time. The paper varies the share between 0 and 0.6;
//! here it is 0.3 unless given. The paper's segments have as many values as a work-group has work-items; here these are
//! the 128 of a block, and the arrays follow each other without gaps between words.
//!
//! A value takes 32 bits at worst, and the header adds 0.25 bits per value of a block. Any gap can be coded.

pub mod segment;

use super::ValueCodec;
use super::parts::each_part;
use super::widths::{EXCEPTIONS, most_exceptions};
use crate::base::cpu::Tier;
use crate::codec::{Cost, OptionOf, Options};

/// The value codec.
pub struct ParaPFor;

impl ValueCodec for ParaPFor {
    const NAME: &'static str = "parapfor";
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.25, merged: 0.6, near: 12.0, far: 60.0 };
    const OPTIONS: &'static [OptionOf] = &[EXCEPTIONS];

    fn encode(values: &[u32], options: &Options, words: &mut Vec<u32>) {
        segment::encode_segment(values, most_exceptions(options, 0, values.len()), words);
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        segment::check_segment(words, count)
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        // SAFETY: the words were encoded or checked, so there is a segment of `count` values each time; padding, room and
        // tier are this function's contract.
        each_part(words, count, out, |words, count, out| unsafe { segment::decode_segment(tier, words, count, out) });
    }

    unsafe fn get(_: Tier, words: &[u32], count: usize, index: usize) -> u32 {
        // SAFETY: the same contract.
        unsafe { segment::get_in(words, count, index) }
    }
}

#[cfg(test)]
mod tests;
