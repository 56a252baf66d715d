//! NewPFD and OptPFD (Yan, Ding and Suel, "Inverted index compression and query processing with optimized document
//! ordering", WWW 2009; Ao et al. 2011, section 5.1): the low b bits of every value in slots, and for the *exceptions*,
//! values that are wider, their positions and the bits above in two arrays of [Simple-16](super::simple16) words.
//!
//! ```text
//! bit   0    6     14     20      32          32 + n·b, rounded up to a word
//!      ┌────┬─────┬──────┬───────┬───────────┬─────────────────────────┬─────────────────────────┐
//!      │ b  │ en  │ pw   │ 0     │ low b     │ pw words of positions:  │ words of overflows:     │
//!      │    │     │      │       │ bits of   │ the first, then gaps    │ the bits above b, minus │
//!      │    │     │      │       │ all n     │ minus one               │ one                     │
//!      └────┴─────┴──────┴───────┴───────────┴─────────────────────────┴─────────────────────────┘
//! ```
//! en is the number of exceptions. Without exceptions there are no arrays. The values `[3, 0, 2, 77, 1, 30]` with b = 2
//! have two exceptions, at positions 3 and 5, with overflows 19 and 7:
//!
//! ```text
//! header      pw 000001, en 00000010, b 000010           0x0000 4082
//! slots       10 01 01 10 00 11   (first at the right)   0x0000 0963
//! positions   3 and 5 − 3 − 1 in 7 × 2, 14 × 1 bits      0x1D00 0000
//! overflows   18 and 6 in 4 × 5, 2 × 4 bits              0x8918 0000
//! ```
//!
//! The two codecs differ only in the encoder. NewPFD takes the smallest b at which the share of exceptions is at most the
//! option `exceptions`, 0.1 unless given. OptPFD takes the b within that share, 0.3 unless given, that has the fewest
//! words; an exception counts four bits more than it takes, because it takes time.
//!
//! A value takes 32 bits and a header of 0.25 in OptPFD at worst; in NewPFD, with a share of e exceptions, e · 39 bits
//! more, and up to e · 71 if the overflows of many have more than 28 bits. Any gap can be coded.

use super::ValueCodec;
use super::simple16::{check_part, decode_part, encode_part, words_of};
use super::widths::{EXCEPTIONS, Exceptions, TIME, Widths, most_exceptions};
use crate::base::bits;
use crate::base::cpu::{self, Tier};
use crate::codec::{BLOCK, Cost, OptionOf, Options, PADDING, SLACK, block_buffer, fields};
use std::marker::PhantomData;

/// The bits of the header word, from the lowest on: b, en and pw. The rest are 0.
const B_BITS: u32 = 6;
const EN_BITS: u32 = 8;
const PW_BITS: u32 = 6;

/// How the width of the slots is chosen.
pub trait Choice: 'static {
    /// See [`ValueCodec::NAME`].
    const NAME: &'static str;

    /// The option for the largest share of exceptions.
    const SHARE: OptionOf;

    /// The width of the slots, such that at most `most` of up to 128 values are exceptions.
    fn choose(values: &[u32], most: usize) -> Exceptions;
}

/// The value codec.
pub struct Patched<C>(PhantomData<C>);

/// The smallest width that leaves few enough exceptions.
pub struct Narrowest;

/// The width that takes the fewest words, and [`TIME`] for each exception.
pub struct Smallest;

/// The value codec NewPFD.
pub type NewPFD = Patched<Narrowest>;

/// The value codec OptPFD.
pub type OptPFD = Patched<Smallest>;

impl Choice for Narrowest {
    const NAME: &'static str = "newpfd";
    const SHARE: OptionOf = OptionOf { default: Some(0.1), ..EXCEPTIONS };

    fn choose(values: &[u32], most: usize) -> Exceptions {
        // The cost is least for the last of the candidates, whose widths fall.
        Widths::of(values).choose(most, |exceptions| exceptions.width)
    }
}

impl Choice for Smallest {
    const NAME: &'static str = "optpfd";
    const SHARE: OptionOf = EXCEPTIONS;

    fn choose(values: &[u32], most: usize) -> Exceptions {
        let mut least = usize::MAX;
        Widths::of(values).choose(most, |exceptions| {
            let slots = fields::words(values.len(), exceptions.width);
            let cost = |words: usize| 32 * (slots + words) + TIME * exceptions.count;
            // Both arrays have at most 28 exceptions a word, so many widths need not be tried.
            let cost = match cost(2 * exceptions.count.div_ceil(28)) {
                bound if bound > least => bound,
                _ => cost(Arrays::of(values, exceptions.width).words()),
            };
            least = least.min(cost);
            (cost, exceptions.count)
        })
    }
}

/// The arrays of a part, before they are coded.
struct Arrays {
    positions: Vec<u32>,
    highs: Vec<u32>,
}

impl Arrays {
    fn of(values: &[u32], width: u32) -> Arrays {
        let mut arrays = Arrays { positions: Vec::new(), highs: Vec::new() };
        let mut least = 0;
        for (&value, at) in values.iter().zip(0u32..) {
            let high = (u64::from(value) >> width) as u32;
            if high != 0 {
                arrays.positions.push(at - least);
                arrays.highs.push(high - 1);
                least = at + 1;
            }
        }
        arrays
    }

    fn words(&self) -> usize {
        words_of(&self.positions) + words_of(&self.highs)
    }
}

/// The header of a part.
#[derive(Clone, Copy)]
struct Header {
    width: u32,
    exceptions: usize,
    position_words: usize,
}

impl Header {
    #[inline(always)]
    fn of(word: u32) -> Header {
        Header {
            width: word & bits::low_mask(B_BITS),
            exceptions: (word >> B_BITS & bits::low_mask(EN_BITS)) as usize,
            position_words: (word >> (B_BITS + EN_BITS) & bits::low_mask(PW_BITS)) as usize,
        }
    }

    fn word(&self) -> u32 {
        self.width | (self.exceptions as u32) << B_BITS | (self.position_words as u32) << (B_BITS + EN_BITS)
    }
}

/// Room for the decoded array of a part, which has at most a block of exceptions.
type Array = [u32; BLOCK + SLACK];

impl<C: Choice> ValueCodec for Patched<C> {
    const NAME: &'static str = C::NAME;
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.3, merged: 0.7, near: 12.0, far: 60.0 };
    const OPTIONS: &'static [OptionOf] = &[C::SHARE];

    fn encode(values: &[u32], options: &Options, words: &mut Vec<u32>) {
        assert!(values.len() <= BLOCK, "{} values in a part", values.len());
        let Exceptions { width, count, .. } = C::choose(values, most_exceptions(options, 0, values.len()));
        let begin = words.len();
        words.push(0);
        fields::pack(values.iter().copied(), width, words);
        let arrays = Arrays::of(values, width);
        let positions_at = words.len();
        encode_part(&arrays.positions, words);
        let position_words = words.len() - positions_at;
        encode_part(&arrays.highs, words);
        words[begin] = Header { width, exceptions: count, position_words }.word();
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        let wrong = |word: usize, what: String| Err((word, what));
        let Some(&first) = words.first() else {
            return wrong(0, "the header is missing".into());
        };
        let Header { width, exceptions, position_words } = Header::of(first);
        if first >> (B_BITS + EN_BITS + PW_BITS) != 0 {
            return wrong(0, "unused bits are not 0".into());
        }
        if width > 32 || exceptions > count || (exceptions != 0 && width == 32) {
            return wrong(0, format!("{exceptions} exceptions of slots of {width} bits among {count} values"));
        }
        if count > BLOCK {
            return wrong(0, format!("{count} values in a block"));
        }
        let slots = fields::words(count, width);
        let positions_at = 1 + slots;
        let highs_at = positions_at + position_words;
        if words.len() < highs_at {
            return wrong(
                0,
                format!("{} words where slots and positions have {}", words.len(), slots + position_words),
            );
        }
        if !fields::tail_is_clear(&words[1..positions_at], count, width) {
            return wrong(positions_at - 1, "unused bits are not 0".into());
        }
        let decoded = |from: usize, to: usize| {
            let words = &words[from..to];
            check_part(words, exceptions).map_err(|(word, what)| (from + word, what))?;
            let mut padded = words.to_vec();
            padded.resize(words.len() + PADDING, 0);
            let mut array: Array = [0; BLOCK + SLACK];
            // SAFETY: the words passed the check and are padded; there is room for a block, and no more exceptions are
            // in one; `cpu::tier()` is available.
            unsafe { decode_part(cpu::tier(), &padded[..words.len()], exceptions, array.as_mut_ptr()) };
            Ok::<Array, (usize, String)>(array)
        };
        let positions = decoded(positions_at, highs_at)?;
        let mut end = 0u64;
        for &gap in &positions[..exceptions] {
            end += u64::from(gap) + 1;
        }
        if end > count as u64 {
            return wrong(positions_at, format!("the last exception is value {} of {count}", end - 1));
        }
        let highs = decoded(highs_at, words.len())?;
        match highs[..exceptions].iter().find(|&&high| (u64::from(high) + 1) << width > u64::from(u32::MAX)) {
            Some(high) => wrong(highs_at, format!("an overflow of {high} above {width} bits")),
            None => Ok(()),
        }
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        let (mut words, mut done) = (words, 0);
        while done < count {
            let now = (count - done).min(BLOCK);
            let header = Header::of(words[0]);
            let mut used = 1 + fields::words(now, header.width);
            // SAFETY: the words were encoded or checked, so they begin with a part of `now` values, whose slots follow
            // the header; padding, room and tier are this function's contract.
            unsafe {
                let out = out.add(done);
                fields::unpack(tier, words.as_ptr().add(1).cast(), header.width, now, out);
                if header.exceptions != 0 {
                    used += add_highs(tier, &words[used..], header, out);
                }
            }
            words = &words[used..];
            done += now;
        }
    }

    unsafe fn get(tier: Tier, words: &[u32], count: usize, index: usize) -> u32 {
        let Header { width, exceptions, .. } = Header::of(words[0]);
        if exceptions == 0 {
            let at = 32 + index * width as usize;
            // SAFETY: the slot lies in the part, which padding follows.
            let word = unsafe { bits::read_u64(words.as_ptr().cast(), at / 8) };
            return (word >> (at % 8)) as u32 & bits::low_mask(width);
        }
        let mut values = block_buffer();
        // SAFETY: the same contract; there is room for a block and the slack.
        unsafe { Self::decode(tier, words, count, values.as_mut_ptr()) };
        values[index]
    }
}

/// Adds the overflows to the low bits in `out`, and returns the number of words of the two arrays, with which `words`
/// begin.
///
/// # Safety
/// The arrays belong to a part that was encoded or checked, whose header is `header`, and whose low bits are in `out`;
/// the processor has `tier`.
#[inline]
unsafe fn add_highs(tier: Tier, words: &[u32], header: Header, out: *mut u32) -> usize {
    let Header { width, exceptions, position_words } = header;
    let (positions, highs) = words.split_at(position_words);
    let mut gaps = [const { std::mem::MaybeUninit::<u32>::uninit() }; BLOCK + SLACK];
    let mut overflows = [const { std::mem::MaybeUninit::<u32>::uninit() }; BLOCK + SLACK];
    // SAFETY: both arrays have `exceptions` values, at most a block, and there is room for the slack. Checked positions
    // are below the number of the part's values.
    unsafe {
        decode_part(tier, positions, exceptions, gaps.as_mut_ptr().cast());
        let high_words = decode_part(tier, highs, exceptions, overflows.as_mut_ptr().cast());
        let mut at = 0;
        for (gap, high) in gaps.iter().zip(&overflows).take(exceptions) {
            at += gap.assume_init() as usize;
            *out.add(at) |= (high.assume_init() + 1) << width;
            at += 1;
        }
        position_words + high_words
    }
}

#[cfg(test)]
mod tests;
