//! Variable byte, in the layout of Stream VByte (Lemire, Kurz and Rupp, "Stream VByte: Faster byte-oriented integer
//! compression", Information Processing Letters 130, 2018): values of one to four bytes, with the lengths stored
//! separately.
//!
//! A part with n values begins with ⌈n/16⌉ words of *control*: two bits per value, from the lowest bits on, which are
//! its length in bytes minus one. The *data* follow: the bytes of the values, least significant first, filling each
//! word from its lowest byte on. Unused bits are 0. The values `[7, 300, 0, 70000]` have lengths 1, 2, 1 and 3:
//!
//! ```text
//! control   10 00 01 00 in binary         0x0000 0084
//! data      07 | 2C 01 | 00 | 70 11 01    0x0001 2C07 0x0001 1170
//! ```
//!
//! A value takes 34 bits at worst and 10 at best. Any gap can be encoded.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod shuffles;

use super::ValueCodec;
use crate::base::bits;
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, Cost, Options};

/// Values per word of control.
const PER_WORD: usize = 16;

/// The value codec.
pub struct VariableByte;

impl ValueCodec for VariableByte {
    const NAME: &'static str = "variablebyte";
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.2, merged: 0.6, near: 12.0, far: 60.0 };

    fn encode(values: &[u32], _: &Options, words: &mut Vec<u32>) {
        let control = words.len();
        let data = control + control_words(values.len());
        let bytes: usize = values.iter().map(|&value| length(value)).sum();
        words.resize(data + bytes.div_ceil(4), 0);
        let mut position = 0;
        for (rank, &value) in values.iter().enumerate() {
            let length = length(value);
            words[control + rank / PER_WORD] |= (length as u32 - 1) << (2 * (rank % PER_WORD));
            bits::put(&mut words[data..], position, 8 * length as u32, value);
            position += 8 * length as u64;
        }
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        let wrong = |word: usize, what: String| Err((word, what));
        let control = control_words(count);
        if words.len() < control {
            return wrong(words.len(), format!("{} words where {count} values have {control} of control", words.len()));
        }
        let (control, data) = words.split_at(control);
        if let Some(last) = control.last()
            && !count.is_multiple_of(PER_WORD)
            && last >> (2 * (count % PER_WORD)) != 0
        {
            return wrong(control.len() - 1, "unused bits are not 0".into());
        }
        let bytes = bytes(control, count);
        if data.len() != bytes.div_ceil(4) {
            let what = format!("{} words of data where the values have {bytes} bytes", data.len());
            return wrong(control.len(), what);
        }
        match data.last() {
            Some(last) if !bytes.is_multiple_of(4) && last >> (8 * (bytes % 4)) != 0 => {
                wrong(words.len() - 1, "unused bits are not 0".into())
            }
            _ => Ok(()),
        }
    }

    unsafe fn decode(tier: Tier, words: &[u32], count: usize, out: *mut u32) {
        debug_assert!(tier.is_available());
        let (mut words, mut done) = (words, 0);
        while done < count {
            let now = (count - done).min(BLOCK);
            let (control, data) = words.split_at(control_words(now));
            // SAFETY: the words were encoded or checked, so control and data are those of `now` values, and padding
            // follows; room and tier are this function's contract.
            unsafe {
                let out = out.add(done);
                match tier {
                    #[cfg(target_arch = "x86_64")]
                    Tier::Avx512 => avx512::decode(control, data, now, out),
                    #[cfg(target_arch = "x86_64")]
                    Tier::Avx2 => avx2::decode(control, data, now, out),
                    #[cfg(target_arch = "aarch64")]
                    Tier::Neon => neon::decode(control, data, now, out),
                    _ => scalar::decode(control, data, now, out),
                }
            }
            done += now;
            if done < count {
                words = &data[bytes(control, now).div_ceil(4)..];
            }
        }
    }
}

/// The length of a value in bytes.
fn length(value: u32) -> usize {
    (39 - (value | 1).leading_zeros() as usize) / 8
}

/// Words of control for `count` values.
fn control_words(count: usize) -> usize {
    count.div_ceil(PER_WORD)
}

/// Bytes of data of `count` values, according to their control, whose unused bits must be 0.
fn bytes(control: &[u32], count: usize) -> usize {
    let codes = |&word: &u32| (word & 0x5555_5555).count_ones() + 2 * (word & 0xAAAA_AAAA).count_ones();
    count + control.iter().map(codes).sum::<u32>() as usize
}

#[cfg(test)]
mod tests;
