//! PForDelta with recursively coded exceptions (Ding, He, Yan and Suel, "Using graphics processors for high performance IR
//! query processing", WWW 2009, section 6.2): slots of one width b for a whole list, with the low b bits of every value.
//! The values that are wider are *exceptions*; their positions and the bits above b are two [arrays], each coded in the
//! same way again, down to a number of levels.
//!
//! ```text
//! bit   0     6     14    17  32            32 + n·b
//!      ┌─────┬─────┬─────┬───┬─────────────┬──────────────────────┬────────────────────┬──────────────┐
//!      │ b   │ en  │level│ 0 │ low b bits  │ array of positions:  │ array of the bits  │ 0 up to      │
//!      │     │     │     │   │ of all n    │ first, gaps − 1      │ above b, minus 1   │ a word       │
//!      └─────┴─────┴─────┴───┴─────────────┴──────────────────────┴────────────────────┴──────────────┘
//! an array of m numbers:
//!      level 0    m × 8 bits (positions) or m × 32 bits (bits above)
//!      level k    b' (3 or 6 bits), number of exceptions (as many bits as m has), m × b' low bits, and if there are
//!                 exceptions, their array of positions and their array of bits above, both of level k − 1
//! ```
//! en is the number of exceptions; without any there are no arrays. The values `[3, 0, 2, 77, 1, 30]` with b = 2 and one
//! level have exceptions 3 and 5: positions 3 and 1, bits above 19 − 1 and 7 − 1.
//!
//! ```text
//! header      level 1, en = 2, b = 2                             0x0000 4082
//! slots       10 01 01 10 00 11       (first at the right)
//! positions   b' = 2: 010; 00; 3 and 1: 01 11                    bits 12 to 20
//! above       b' = 5: 000101; 00; 18 and 6: 00110 10010          bits 21 to 38
//! ```
//!
//! The option `b` fixes the width; otherwise it is the smallest that holds nine in ten gaps of the list. The option `levels`
//! is 0 to 4, by default 1. The paper's arrays reach over a whole list, whose docIDs stand uncompressed every 512. Here
//! every block of 128 has its own arrays, because blocks decode alone, and the directory has their last docIDs.
//!
//! A value takes b + 40 bits at worst with level 0. With one level or more, an exception takes at most 7 bits for its
//! position and 32 − b for those above, so a value takes at most 39, and a few bits of headers. Any gap can be coded.

mod arrays;

use super::ValueCodec;
use super::parts::{check_end, each_part};
use super::widths::width;
use crate::base::bits;
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, Cost, OptionOf, Options, fields};
use arrays::{Kind, Numbers};

/// The bits of the header word, from the lowest on: b, en and levels. The rest are 0.
const B_BITS: u32 = 6;
const EN_BITS: u32 = 8;
const LEVELS_BITS: u32 = 3;

/// The most levels.
const MOST_LEVELS: u32 = 4;

/// Bits of a word.
const WORD: usize = 32;

/// The indices of the options.
const B: usize = 0;
const LEVELS: usize = 1;

/// The value codec.
pub struct PForDelta;

/// The smallest width that holds nine in ten values.
fn holds_most(widths: &[u64; 33]) -> u32 {
    let all: u64 = widths.iter().sum();
    let mut held = 0;
    let holds = |&count: &u64| {
        held += count;
        u128::from(held) * 10 >= u128::from(all) * 9
    };
    widths.iter().position(holds).unwrap_or_default() as u32
}

impl ValueCodec for PForDelta {
    const NAME: &'static str = "pfordelta";
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.3, merged: 0.7, near: 12.0, far: 60.0 };
    const OPTIONS: &'static [OptionOf] =
        &[OptionOf::whole("b", 0, 32, None), OptionOf::whole("levels", 0, MOST_LEVELS, Some(1))];

    fn settle(widths: &[u64; 33], options: &mut Options) {
        options.settle(B, holds_most(widths));
    }

    fn encode(values: &[u32], options: &Options, words: &mut Vec<u32>) {
        assert!(values.len() <= BLOCK, "{} values in a part", values.len());
        let slot_width = options.whole(B).unwrap_or_else(|| {
            let mut widths = [0; 33];
            values.iter().for_each(|&value| widths[width(value) as usize] += 1);
            holds_most(&widths)
        });
        let levels = options.whole(LEVELS).unwrap_or_default();
        let numbers = Numbers::of(values, slot_width);
        let mut packer = fields::Packer::new(words);
        packer
            .push(WORD as u32, slot_width | (numbers.positions.len() as u32) << B_BITS | levels << (B_BITS + EN_BITS));
        values.iter().for_each(|&value| packer.push(slot_width, value));
        numbers.write(levels, Kind::Highs, &mut packer);
        packer.finish();
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        let wrong = |word: usize, what: String| Err((word, what));
        let Some(&first) = words.first() else {
            return wrong(0, "the header is missing".into());
        };
        let (slot_width, exceptions, levels) = header(first);
        if first >> (B_BITS + EN_BITS + LEVELS_BITS) != 0 {
            return wrong(0, "unused bits are not 0".into());
        }
        if slot_width > 32 || levels > MOST_LEVELS || exceptions > count || count > BLOCK {
            let what = format!("{exceptions} exceptions of slots of {slot_width} bits among {count} values");
            return wrong(0, format!("{what}, {levels} levels"));
        }
        let mut at = WORD + count * slot_width as usize;
        if at > WORD * words.len() {
            return wrong(0, format!("{} words where the slots alone have {at} bits", words.len()));
        }
        if exceptions != 0 {
            at = arrays::check(words, at, exceptions, count, slot_width, levels, Kind::Highs)?.0;
        }
        check_end(words, at)
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        each_part(words, count, out, |words, count, out| {
            let (slot_width, exceptions, levels) = header(words[0]);
            let stream = words.as_ptr().cast::<u8>();
            let mut end = WORD + count * slot_width as usize;
            // SAFETY: the words were encoded or checked, so they begin with a part of `count` values, whose slots follow
            // the header, and after them the arrays of the exceptions, if any; padding, room and tier are this function's
            // contract.
            unsafe {
                fields::unpack(tier, stream.add(WORD / 8), slot_width, count, out);
                if exceptions != 0 {
                    end = arrays::add_highs(stream, end, exceptions, slot_width, levels, Kind::Highs, out);
                }
            }
            end.div_ceil(WORD)
        });
    }
}

/// b, en and the number of levels.
#[inline(always)]
fn header(word: u32) -> (u32, usize, u32) {
    let field = |at: u32, width: u32| word >> at & bits::low_mask(width);
    (field(0, B_BITS), field(B_BITS, EN_BITS) as usize, field(B_BITS + EN_BITS, LEVELS_BITS))
}

#[cfg(test)]
mod tests;
