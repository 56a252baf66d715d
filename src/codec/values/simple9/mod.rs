//! Simple-9 (Anh and Moffat, 2005): packs as many small values as fit into a 32-bit word, all with the same width.
//!
//! ```text
//!  31    28 27                                   0
//! ┌────────┬──────────────────────────────────────┐
//! │selector│ values, the first at the highest bits │
//! └────────┴──────────────────────────────────────┘
//! selector  0   1   2   3   4   5   6   7   8   9
//! values    1   2   3   4   5   7   9  14  28  28
//! bits each 28  14   9   7   5   4   3   2   1   1
//! ```
//! Selector 8 is accepted, because other encoders use it for 28 × 1, but never written. Unused payload bits, at the low
//! end, are 0. The encoder chooses the largest count for which that many values remain and all of them fit, so every
//! word is full and no length is stored. The [gaps](crate::codec::gaps) of `[1624, 1650, 1876, 1972, 2356]` become
//! `0x1196 0019 0x2709 7EFE`: 1624 and 25 in 2 × 14 bits; 225, 95 and 383 in 3 × 9.
//!
//! A value takes 32 bits at worst and 32/28 at best. [Raw lists](encode()) are big-endian words of gaps, without
//! blocks.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod raw;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

pub use raw::{decode, decode_to, encode};

use super::ValueCodec;
#[cfg(target_arch = "x86_64")]
use crate::base::cpu;
use crate::base::cpu::Tier;
#[cfg(target_arch = "x86_64")]
use crate::codec::SLACK;
use crate::codec::{Cost, Options};
#[cfg(target_arch = "x86_64")]
use once_cell::sync::Lazy;

/// The number of values and their width in bits, by selector; `(0, 0)` if the selector is not defined.
pub const LAYOUTS: [(u32, u32); 16] = [
    (1, 28),
    (2, 14),
    (3, 9),
    (4, 7),
    (5, 5),
    (7, 4),
    (9, 3),
    (14, 2),
    (28, 1),
    (28, 1),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
];

/// The most values in a word.
pub const MAX_VALUES: usize = 28;

const NAME: &str = "simple9";

/// The number of values by selector; 0 if the selector is not defined.
static COUNTS: [u8; 16] = {
    let mut counts = [0; 16];
    let mut selector = 0;
    while selector < 16 {
        counts[selector] = LAYOUTS[selector].0 as u8;
        selector += 1;
    }
    counts
};

/// A table whose rows are whole cache lines.
#[repr(align(64))]
struct Rows([[u32; 32]; 16]);

/// By selector, how far to shift a word left so that the highest bit of value i moves to bit 31; at most 31.
static LEFT: Rows = {
    let mut shifts = [[0; 32]; 16];
    let mut at = 0;
    while at < 16 * 32 {
        let (selector, i) = (at / 32, at % 32);
        let shift = 4 + i as u32 * LAYOUTS[selector].1;
        shifts[selector][i] = if shift < 32 { shift } else { 31 };
        at += 1;
    }
    Rows(shifts)
};

/// By selector, how far to shift right after that.
static RIGHT: [u32; 16] = {
    let mut shifts = [0; 16];
    let mut selector = 0;
    while selector < 16 {
        shifts[selector] = (32 - LAYOUTS[selector].1) % 32;
        selector += 1;
    }
    shifts
};

/// The number of values in a word; 0 if its selector is not defined.
fn count(word: u32) -> usize {
    usize::from(COUNTS[(word >> 28) as usize])
}

/// The values of a word.
fn values(word: u32) -> impl Iterator<Item = u32> {
    let (count, width) = LAYOUTS[(word >> 28) as usize];
    let mask = crate::base::bits::low_mask(width);
    (1..=count).map(move |i| (word >> (28 - i * width)) & mask)
}

/// The selector for the next word: the one with the most values such that `gaps` has that many and all of them fit.
fn selector(gaps: &[u32]) -> u32 {
    // By number of values: the selector with exactly that many, if any.
    const BY_COUNT: [Option<u32>; MAX_VALUES + 1] = {
        let mut table = [None; MAX_VALUES + 1];
        let mut selector = 0;
        while selector < 10 {
            table[LAYOUTS[selector].0 as usize] = Some(selector as u32);
            selector += 1;
        }
        table
    };
    // By the width of the widest value: the most values that fit in a word.
    const MOST: [usize; 33] = {
        let mut table = [0; 33];
        let mut selector = 0;
        while selector < 10 {
            let (count, width) = LAYOUTS[selector];
            let mut narrower = 0;
            while narrower <= width as usize {
                table[narrower] = count as usize;
                narrower += 1;
            }
            selector += 1;
        }
        table
    };
    let mut seen = 0;
    let mut best = 0;
    for (&gap, count) in gaps.iter().zip(1..) {
        seen |= gap;
        let most = MOST[(32 - seen.leading_zeros()) as usize];
        if most < count {
            break;
        }
        best = BY_COUNT[count].unwrap_or(best);
        if most == count {
            break;
        }
    }
    best
}

/// The number of docIDs in words with these selectors; `None` if one is not defined.
fn count_selectors(selectors: impl Iterator<Item = u8>) -> Option<usize> {
    let (count, defined) = selectors.fold((0, true), |(total, defined), selector| {
        let count = usize::from(COUNTS[usize::from(selector & 15)]);
        (total + count, defined & (count != 0))
    });
    defined.then_some(count)
}

/// The value codec.
pub struct Simple9;

impl ValueCodec for Simple9 {
    const NAME: &'static str = NAME;
    const MAX_VALUE: u32 = (1 << 28) - 1;
    const LIMIT: &'static str = "the first docID and each gap minus one must be below 2^28";
    const VERSION: u32 = 1;
    const COST: Cost = Cost { decoded: 0.5, merged: 0.8, near: 15.0, far: 120.0 };

    fn encode(values: &[u32], _: &Options, words: &mut Vec<u32>) {
        let mut rest = values;
        while !rest.is_empty() {
            let selector = selector(rest);
            let (count, width) = LAYOUTS[selector as usize];
            let (now, later) = rest.split_at(count as usize);
            words.push(now.iter().zip(1..).fold(selector << 28, |word, (&value, i)| word | value << (28 - i * width)));
            rest = later;
        }
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        match count_selectors(words.iter().map(|&word| (word >> 28) as u8)) {
            Some(found) if found == count => Ok(()),
            Some(found) => Err((0, format!("{found} docIDs where the directory has {count}"))),
            None => {
                let (at, word) = words.iter().enumerate().find(|&(_, &word)| self::count(word) == 0).unwrap_or((0, &0));
                Err((at, format!("selector {} is not defined", word >> 28)))
            }
        }
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        // SAFETY: words that `encode` wrote or `check` accepted have defined selectors and `count` values; room and
        // tier are this function's contract.
        let decoded = unsafe { decode_values(tier, words, out) };
        debug_assert_eq!(decoded, count);
    }
}

/// Decodes the values of `words` to `out` and returns their number.
///
/// # Safety
/// Every selector is defined, `out` has room for all values of `words` and [`SLACK`](crate::codec::SLACK) more, and
/// this processor has `tier`.
unsafe fn decode_values(tier: Tier, words: &[u32], out: *mut u32) -> usize {
    debug_assert!(tier.is_available());
    // SAFETY: all paths have this function's contract, and each is run only on its own tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 if *AVX2_IS_FASTER => avx2::decode(words, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::decode(words, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::decode(words, out),
            #[cfg(target_arch = "x86_64")]
            _ => sse2::decode(words, out),
            #[cfg(not(target_arch = "x86_64"))]
            _ => scalar::decode(words, out),
        }
    }
}

/// Whether this processor, which has AVX-512, decodes faster without it: some split its vectors into halves. Measured on
/// first use, in some 30 µs, unless the environment names a tier; the docIDs are the same either way.
#[cfg(target_arch = "x86_64")]
static AVX2_IS_FASTER: Lazy<bool> = Lazy::new(|| {
    if cpu::is_named() {
        return false;
    }
    // As gaps of 8 on average are coded: mostly 4 to 7 values per word.
    let words: [u32; 256] =
        std::array::from_fn(|i| [4, 5, 4, 3, 5, 6, 4, 5][i.wrapping_mul(0x9E37_79B9) >> 7 & 7] << 28);
    let mut buffer = [0; 256 * MAX_VALUES + SLACK];
    let out = buffer.as_mut_ptr();
    // SAFETY: all selectors are defined, and the buffer has room for the most values that so many words hold and the
    // slack. This is asked only if the processor has AVX-512, which includes AVX2.
    cpu::is_faster(|| unsafe { _ = avx2::decode(&words, out) }, || unsafe { _ = avx512::decode(&words, out) })
});

#[cfg(test)]
mod tests;
