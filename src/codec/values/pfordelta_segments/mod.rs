//! PForDelta with exceptions linked through their slots (Héman 2005; Zukowski, Héman, Nes and Boncz 2006; Ao et al. 2011,
//! section 5.1): slots of b bits, with a b for each segment of 64 to 128 values. A value that is wider is an *exception*:
//! it is stored whole after the slots, and its slot holds the distance to the next exception, minus one. Where that does
//! not fit in b bits, a value in between is made an exception, too.
//!
//! ```text
//! bit   0     6     12    15    21    27  32
//!      ┌─────┬─────┬─────┬─────┬─────┬───┬─────────┬─────────┬────────┬────────┬──────────┬──────────┬──────┐
//!      │ b0  │ b1  │ s/32│ w0  │ w1  │ 0 │ slots 0 │ slots 1 │ chain0 │ chain1 │ values 0 │ values 1 │ 0 up │
//!      │     │     │     │     │     │   │ s × b0  │ (n−s)×b1│ 7, 7   │ 7, 7   │ w0 each  │ w1 each  │ to a │
//!      └─────┴─────┴─────┴─────┴─────┴───┴─────────┴─────────┴────────┴────────┴──────────┴──────────┴──────┘ word
//! ```
//! A part of up to 128 values has one or two segments, the first with s of them, or with all n if these are fewer. w is
//! the width of a segment's exceptions, 0 if it has none; it then has no chain. A *chain* is the index of the first
//! exception in the segment and the number of exceptions minus one. Without a second segment, b1 and w1 are 0.
//!
//! The values `[3, 0, 77, 1, 2, 1, 0, 1, 90, 2, 3, 0, 1]` with b = 2 have exceptions 2 and 8, which are more than 4 apart,
//! so that 6 is one, too: slot 2 has 3 and slot 6 has 1.
//!
//! ```text
//! header      s/32 = 2, w0 = 7, b0 = 2                          0x0003 A002
//! slots       01 00 11 10 00 01 01 01 10 01 11 00 11            (first at the right)
//! chain       first 2, three exceptions: 0000010 0000010        0x0938 5673
//! values      77, 0, 90 in 7 bits each                          0x1680 4D04
//! ```
//!
//! b is the width with the fewest bits at which the share of exceptions, forced ones included, is at most the option
//! `exceptions`, 0.3 unless given; an exception counts four bits more than it takes, because it takes time. The option
//! `segment` is s: 64, 96 or 128. The paper's segments stand alone; here two of them share a block of 128 and its header.
//!
//! A value takes 32 bits at worst, and the header adds 0.25 bits per value of a block. Any gap can be coded.

use super::ValueCodec;
use super::parts::{check_end, each_part};
use super::widths::{EXCEPTIONS, TIME, most_exceptions, width};
use crate::base::bits;
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, Cost, OptionOf, Options, fields};

/// The bits of a width in the header, of s/32, and of the two numbers of a chain.
const WIDTH_BITS: u32 = 6;
const SEGMENT_BITS: u32 = 3;
const CHAIN_BITS: u32 = 7;

/// Segments have a multiple of this many values.
const SEGMENT_UNIT: usize = 32;

/// Bits of a word.
const WORD: usize = 32;

/// The indices of the options.
const SEGMENT: usize = 0;
const SHARE: usize = 1;

/// The value codec.
pub struct PForDeltaSegments;

/// The header of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    /// The width of the slots of each segment.
    slots: [u32; 2],
    /// Values of the first segment, unless the part has fewer.
    segment: usize,
    /// The width of the exceptions of each segment; 0 if there are none.
    exceptions: [u32; 2],
}

impl Header {
    #[inline(always)]
    fn of(word: u32) -> Header {
        let field = |at: u32, width: u32| word >> at & bits::low_mask(width);
        Header {
            slots: [field(0, WIDTH_BITS), field(6, WIDTH_BITS)],
            segment: field(12, SEGMENT_BITS) as usize * SEGMENT_UNIT,
            exceptions: [field(15, WIDTH_BITS), field(21, WIDTH_BITS)],
        }
    }

    fn word(&self) -> u32 {
        self.slots[0]
            | self.slots[1] << 6
            | ((self.segment / SEGMENT_UNIT) as u32) << 12
            | self.exceptions[0] << 15
            | self.exceptions[1] << 21
    }

    /// The values of each segment.
    #[inline(always)]
    fn counts(&self, count: usize) -> [usize; 2] {
        let first = count.min(self.segment);
        [first, count - first]
    }

    /// The bits at which the slots of each segment begin, and their end.
    #[inline(always)]
    fn slots_at(&self, count: usize) -> [usize; 3] {
        let counts = self.counts(count);
        let second = WORD + counts[0] * self.slots[0] as usize;
        [WORD, second, second + counts[1] * self.slots[1] as usize]
    }
}

/// The exceptions of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chain {
    first: usize,
    exceptions: usize,
}

impl Chain {
    const NONE: Chain = Chain { first: 0, exceptions: 0 };
}

/// The chains of both segments, which begin at bit `at`, and their end.
///
/// # Safety
/// The bit is at most the end of a stream that is followed by padding.
#[inline(always)]
unsafe fn chains(stream: *const u8, header: Header, mut at: usize) -> ([Chain; 2], usize) {
    let chain = |width: u32| {
        if width == 0 {
            return Chain::NONE;
        }
        // SAFETY: at most the padding is read, by this function's contract.
        let word = (unsafe { bits::read_u64(stream, at / 8) } >> (at % 8)) as u32;
        at += 2 * CHAIN_BITS as usize;
        let mask = bits::low_mask(CHAIN_BITS);
        Chain { first: (word & mask) as usize, exceptions: (word >> CHAIN_BITS & mask) as usize + 1 }
    };
    (header.exceptions.map(chain), at)
}

/// The exceptions of a segment with slots of `width` bits: those that are wider, and those in between that are forced.
fn exceptions(values: &[u32], width: u32) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (at, _) in values.iter().enumerate().filter(|&(_, &value)| u64::from(value) >> width != 0) {
        while let Some(&last) = found.last()
            && (at - last - 1) as u64 >> width != 0
        {
            found.push(last + (1 << width));
        }
        found.push(at);
    }
    found
}

/// The width of a segment's slots and of its exceptions (0 if there are none), and these.
fn choose(values: &[u32], most: usize) -> (u32, u32, Vec<usize>) {
    let widest = values.iter().map(|&value| width(value)).max().unwrap_or(0);
    let mut best = (widest, 0, Vec::new());
    let mut least = values.len() * widest as usize;
    for slots in (0..widest).rev() {
        let found = exceptions(values, slots);
        if found.len() > most {
            break;
        }
        let bits = values.len() * slots as usize + 2 * CHAIN_BITS as usize + found.len() * (widest as usize + TIME);
        if bits < least {
            (best, least) = ((slots, widest, found), bits);
        }
    }
    best
}

impl ValueCodec for PForDeltaSegments {
    const NAME: &'static str = "pfordelta-segments";
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.3, merged: 0.7, near: 12.0, far: 60.0 };
    const OPTIONS: &'static [OptionOf] =
        &[OptionOf::whole("segment", 64, 128, Some(64)).multiple_of(SEGMENT_UNIT as u32), EXCEPTIONS];

    fn encode(values: &[u32], options: &Options, words: &mut Vec<u32>) {
        assert!(values.len() <= BLOCK, "{} values in a part", values.len());
        let segment = options.whole(SEGMENT).unwrap_or_default() as usize;
        let mut header = Header { slots: [0; 2], segment, exceptions: [0; 2] };
        let begin = words.len();
        let mut position = WORD as u64;
        let mut put = |width: u32, value: u32| {
            words.resize(begin + bits::words_for(position + u64::from(width)) as usize, 0);
            bits::put(&mut words[begin..], position, width, value);
            position += u64::from(width);
        };
        put(0, 0);
        let segments = values.split_at(values.len().min(segment));
        let segments = [segments.0, segments.1].map(|values| {
            let (slots, widest, found) = choose(values, most_exceptions(options, SHARE, values.len()));
            (values, slots, widest, found)
        });
        for (at, (values, slots, widest, found)) in segments.iter().enumerate() {
            (header.slots[at], header.exceptions[at]) = (*slots, *widest);
            let mut linked = values.to_vec();
            for pair in found.windows(2) {
                linked[pair[0]] = (pair[1] - pair[0] - 1) as u32;
            }
            if let Some(&last) = found.last() {
                linked[last] = 0;
            }
            linked.iter().for_each(|&value| put(*slots, value));
        }
        for (.., found) in segments.iter().filter(|(.., found)| !found.is_empty()) {
            put(CHAIN_BITS, found[0] as u32);
            put(CHAIN_BITS, found.len() as u32 - 1);
        }
        for (values, _, widest, found) in &segments {
            found.iter().for_each(|&at| put(*widest, values[at]));
        }
        words[begin] = header.word();
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        let wrong = |word: usize, what: String| Err((word, what));
        let Some(&first) = words.first() else {
            return wrong(0, "the header is missing".into());
        };
        let header = Header::of(first);
        if header.word() != first {
            return wrong(0, "unused bits are not 0".into());
        }
        if count > BLOCK || header.segment < 2 * SEGMENT_UNIT || header.segment > BLOCK {
            return wrong(0, format!("segments of {} values among {count}", header.segment));
        }
        let counts = header.counts(count);
        for ((&slots, &exceptions), count) in header.slots.iter().zip(&header.exceptions).zip(counts) {
            if slots > 32 || exceptions > 32 || (count == 0 && slots + exceptions != 0) {
                return wrong(0, format!("slots of {slots} and exceptions of {exceptions} bits for {count} values"));
            }
        }
        let slots_at = header.slots_at(count);
        let mut chain_at = slots_at[2];
        let mut chains = [Chain::NONE; 2];
        for (chain, _) in chains.iter_mut().zip(&header.exceptions).filter(|(_, width)| **width != 0) {
            let number = |at: usize| bits::get(words, at as u64, CHAIN_BITS) as usize;
            *chain = Chain { first: number(chain_at), exceptions: number(chain_at + CHAIN_BITS as usize) + 1 };
            chain_at += 2 * CHAIN_BITS as usize;
        }
        let values = |at: usize| chains[at].exceptions * header.exceptions[at] as usize;
        let end = chain_at + values(0) + values(1);
        check_end(words, end)?;
        for (segment, chain) in chains.into_iter().enumerate() {
            let mut at = chain.first as u64;
            for rank in 0..chain.exceptions {
                if at >= counts[segment] as u64 {
                    let what = format!("exception {rank} is value {at} of {}", counts[segment]);
                    return wrong(slots_at[2] / WORD, what);
                }
                let slot = slots_at[segment] as u64 + at * u64::from(header.slots[segment]);
                at += u64::from(bits::get(words, slot, header.slots[segment])) + 1;
            }
        }
        Ok(())
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        // SAFETY: the words were encoded or checked, so there is a part of `count` values each time; padding, room and
        // tier are this function's contract.
        each_part(words, count, out, |words, count, out| unsafe { decode_part(tier, words, count, out) });
    }
}

/// Decodes a part and returns the number of its words.
///
/// # Safety
/// As [`ValueCodec::decode`], for one part of at most a block.
#[inline]
unsafe fn decode_part(tier: Tier, words: &[u32], count: usize, out: *mut u32) -> usize {
    let header = Header::of(words[0]);
    let (counts, slots_at) = (header.counts(count), header.slots_at(count));
    let stream = words.as_ptr().cast::<u8>();
    // SAFETY: all of this lies in the part, which was encoded or checked and is padded. The slots of the second segment
    // begin with a byte, because those of the first are a multiple of eight. What the first writes past its values is
    // overwritten by the second, or lies in the slack. The check has followed the chains.
    unsafe {
        fields::unpack(tier, stream.add(slots_at[0] / 8), header.slots[0], counts[0], out);
        if counts[1] != 0 {
            fields::unpack(tier, stream.add(slots_at[1] / 8), header.slots[1], counts[1], out.add(counts[0]));
        }
        let (chains, mut value_at) = chains(stream, header, slots_at[2]);
        for (segment, chain) in chains.into_iter().enumerate() {
            let width = header.exceptions[segment];
            let mut to = out.add(segment * counts[0] + chain.first);
            for _ in 0..chain.exceptions {
                let link = to.read();
                to.write((bits::read_u64(stream, value_at / 8) >> (value_at % 8)) as u32 & bits::low_mask(width));
                value_at += width as usize;
                to = to.wrapping_add(link as usize + 1);
            }
        }
        value_at.div_ceil(WORD)
    }
}

#[cfg(test)]
mod tests;
