//! Rice coding (Rice and Plaunt 1971) in the form of Ding, He, Yan and Suel, "Using Graphics Processors for High
//! Performance IR Query Processing", WWW 2009, section 6.1: the unary and the binary parts of values in two bit arrays.
//!
//! A part with n values has a width b, near the logarithm of their mean. Each value v is split into the quotient
//! q = v >> b and the remainder r = v mod 2^b. A part is one bit stream as [`bits`](crate::base::bits) defines it: b in five
//! bits and three bits of 0; the remainders, b bits each; for each quotient, q bits of 1 and a stop bit, 0. Unused bits
//! of the last word are 0. The values `[2, 9, 0, 5]` have b = 2 (bits here from the first to the last):
//!
//! ```text
//! b            01000 000
//! remainders   01 10 00 10
//! quotients    0 110 0 10
//! ```
//!
//! The paper stores a sum before every 128 unary bits and every 128 binary numbers, from which these can be decoded
//! alone. Here the list's directory does that: for each block of 128 values it has the last docID and the word at which
//! the part begins. The paper has one b for a list; here each part has its own, the one with the smallest part. The
//! option `b` fixes it for the list.
//!
//! Size: a value takes b + 1 + q bits. With the best b a part takes at most 33 bits per value, because b = 31 does, and
//! b and the unused bits of the last word add up to 39 bits per part. The quotients of a part take at most
//! [`MOST_UNARY`] bits per value, so that neither memory nor time has another bound than n: if they would take more with
//! the option's b, the part has the next larger b with which they do not.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

use super::ValueCodec;
use crate::base::bits;
use crate::base::cpu::Tier;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::codec::fields::WIDEST;
use crate::codec::quasi_succinct::{Positions, find_stops};
use crate::codec::{BLOCK, Cost, OptionOf, Options};
use std::mem::MaybeUninit;

/// The largest b.
const MAX_WIDTH: u32 = 31;

/// The most bits of quotients per value. With the b of the smallest part they take at most 34.
const MOST_UNARY: u64 = 64;

/// The bits of a part before its remainders.
const HEADER_BITS: u64 = 8;

/// The value codec.
pub struct Rice;

impl ValueCodec for Rice {
    const NAME: &'static str = "rice";
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.45, merged: 0.8, near: 15.0, far: 90.0 };
    const OPTIONS: &'static [OptionOf] = &[OptionOf::whole("b", 0, MAX_WIDTH, None)];

    fn encode(values: &[u32], options: &Options, words: &mut Vec<u32>) {
        debug_assert!(values.len() <= BLOCK);
        if values.is_empty() {
            return;
        }
        let width = match options.whole(0) {
            Some(least) => width_from(values, least),
            None => best_width(values),
        };
        let begin = words.len();
        let quotients = unary_bits(values, width);
        let start = HEADER_BITS + values.len() as u64 * u64::from(width);
        words.resize(begin + bits::words_for(start + quotients) as usize, 0);
        let part = &mut words[begin..];
        bits::put(part, 0, 5, width);
        let (mut remainder, mut quotient) = (HEADER_BITS, start);
        for &value in values {
            bits::put(part, remainder, width, value);
            remainder += u64::from(width);
            let stop = quotient + u64::from(value >> width);
            while quotient < stop {
                let ones = (stop - quotient).min(32);
                bits::put(part, quotient, ones as u32, u32::MAX);
                quotient += ones;
            }
            quotient += 1;
        }
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        let Some(&first) = words.first() else {
            return if count == 0 { Ok(()) } else { Err((0, format!("no words where there are {count} values"))) };
        };
        if count == 0 {
            return Err((0, "words where there are no values".into()));
        }
        if first >> 5 & 7 != 0 {
            return Err((0, "unused bits are not 0".into()));
        }
        let width = first & MAX_WIDTH;
        let begin = HEADER_BITS + count as u64 * u64::from(width);
        let end = (32 * words.len() as u64).min(begin + MOST_UNARY * count as u64);
        let most = u32::MAX >> width;
        let mut at = begin;
        for rank in 0..count {
            let start = at;
            loop {
                let ones = bits::get(words, at, 32).trailing_ones();
                at += u64::from(ones);
                if ones < 32 || at >= end {
                    break;
                }
            }
            let word = |at: u64| ((at / 32) as usize).min(words.len() - 1);
            if at >= end {
                return Err((word(at), format!("no stop bit for value {rank} of {count}")));
            }
            if at - start > u64::from(most) {
                return Err((word(at), format!("value {rank} has more than 32 bits")));
            }
            at += 1;
        }
        let needed = bits::words_for(at) as usize;
        if needed != words.len() {
            return Err((needed, format!("{} words where {count} values take {needed}", words.len())));
        }
        if !at.is_multiple_of(32) && words[needed - 1] >> (at % 32) != 0 {
            return Err((needed - 1, "unused bits are not 0".into()));
        }
        Ok(())
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        debug_assert!(tier.is_available());
        let mut stops = Stops { before: [0; 8], positions: [MaybeUninit::uninit(); _] };
        let (mut words, mut done) = (words, 0);
        while done < count {
            let now = (count - done).min(BLOCK);
            let width = words[0] & MAX_WIDTH;
            let start = HEADER_BITS + now as u64 * u64::from(width);
            let stream = words.as_ptr().cast::<u8>();
            stops.before[7] = ((start % 8) as u16).wrapping_sub(1);
            // SAFETY: the words were encoded or checked, so after the header there are `now` remainders, and from
            // `start` on as many stop bits, in at most `MOST_UNARY` bits per value, which are fewer than `find_stops`
            // takes; padding follows. `find_stops` writes the positions that are read. `out` has room for the values
            // and the slack; the processor has `tier`.
            let last = unsafe {
                let found = find_stops(tier, stream.add((start / 8) as usize), start % 8, now, &mut stops.positions);
                debug_assert!(found);
                let (out, remainders) = (out.add(done), stream.add(HEADER_BITS as usize / 8));
                match tier {
                    #[cfg(target_arch = "x86_64")]
                    Tier::Avx512 if width <= WIDEST => avx512::merge(&stops, remainders, width, now, out),
                    #[cfg(target_arch = "x86_64")]
                    Tier::Avx2 if width <= WIDEST => avx2::merge(&stops, remainders, width, now, out),
                    #[cfg(target_arch = "aarch64")]
                    Tier::Neon if width <= WIDEST => neon::merge(&stops, remainders, width, now, out),
                    _ => scalar::merge(&stops, remainders, width, now, out),
                }
                stops.positions[now - 1].assume_init()
            };
            words = &words[bits::words_for(start / 8 * 8 + u64::from(last) + 1) as usize..];
            done += now;
        }
    }
}

/// The positions of a part's stop bits, after that of the bit before the first quotient. All are counted from the byte in
/// which the quotients begin, modulo 2^16.
#[repr(C)]
struct Stops {
    /// The last is the position before the first quotient, so that vectors of positions can be read from there on.
    before: [u16; 8],
    positions: Positions,
}

impl Stops {
    /// The position before that of the first stop bit; the others follow it.
    fn previous(&self) -> *const u16 {
        // From the whole struct, so that the pointer may be used for the positions.
        std::ptr::from_ref(self).cast::<u16>().wrapping_add(self.before.len() - 1)
    }
}

/// The bits of the quotients of `values`.
fn unary_bits(values: &[u32], width: u32) -> u64 {
    values.iter().map(|value| u64::from(value >> width)).sum::<u64>() + values.len() as u64
}

/// The width with the smallest part. Of several the largest, because short quotients decode faster.
///
/// One bit more per remainder saves Σ⌈q/2⌉ bits of quotients, which falls with the width. So from the logarithm of the
/// mean the size falls in one direction, to the smallest.
fn best_width(values: &[u32]) -> u32 {
    let bits = |width: u32| values.len() as u64 * u64::from(width) + unary_bits(values, width);
    let mean = unary_bits(values, 0) / values.len().max(1) as u64;
    let mut best = mean.max(1).ilog2().min(MAX_WIDTH);
    while best > 0 && bits(best - 1) < bits(best) {
        best -= 1;
    }
    while best < MAX_WIDTH && bits(best + 1) <= bits(best) {
        best += 1;
    }
    best
}

/// The smallest width, from `least` on, with which the quotients take at most [`MOST_UNARY`] bits per value.
fn width_from(values: &[u32], least: u32) -> u32 {
    let fits = |&width: &u32| unary_bits(values, width) <= MOST_UNARY * values.len() as u64;
    (least..=MAX_WIDTH).find(fits).unwrap_or(MAX_WIDTH)
}

#[cfg(test)]
mod tests;
