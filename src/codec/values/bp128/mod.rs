//! BP128: all values of a block in as many bits as the largest needs, in the vertical layout of SIMD-BP128 (Lemire and
//! Boytsov, "Decoding billions of integers per second through vectorization", Software: Practice and Experience 45(1),
//! 2015). A block is word for word what `BitPacker4x` of the crate `bitpacking` makes of the same values, after a header
//! word with the width.
//!
//! ```text
//! word      0    1          2          3           4           5           …
//!          ┌───┬──────────┬──────────┬───────────┬───────────┬──────────┬──
//!          │ w │ lane 0   │ lane 1   │ lane 2    │ lane 3    │ lane 0   │ …
//!          └───┴──────────┴──────────┴───────────┴───────────┴──────────┴──
//! values         0,4,8,…    1,5,9,…    2,6,10,…    3,7,11,…    …
//! ```
//!
//! Value i stands in lane i mod 4, as row i div 4. A lane is a stream of fields of w bits, the lowest bits first, and the
//! words of the four lanes alternate; so four values are unpacked at a time, and each can be read alone. The header has w
//! in bits 0–5, and zeros.
//!
//! A part of n values has ⌈n/4⌉ rows and takes 4⌈⌈n/4⌉·w/32⌉ words, 4w if n is 128. Bits of lanes without a value are 0.
//! So the last block of a list is the beginning of what `BitPacker4x` makes of the values with zeros after them.
//!
//! The values `[3, 0, 2, 77, 1, 30]` have 77 as largest, so w = 7, and two rows: 3 + 1·2^7, 0 + 30·2^7, 2 and 77 in
//! one word per lane.
//!
//! ```text
//! 0000 0007   0000 0083  0000 0F00  0000 0002  0000 004D
//! ```
//!
//! A value takes as many bits as the largest of its block: 32 at worst. The header adds 0.25 bits per docID. Any gap can be
//! coded.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse2;

use super::ValueCodec;
use super::parts::each_part;
use crate::base::cpu::Tier;
#[cfg(target_arch = "aarch64")]
use crate::codec::sums;
use crate::codec::{BLOCK, Cost, Options};
use lanes::LANES;

/// The bits of the header that hold the width. The others are 0.
const WIDTH_BITS: u32 = 6;

/// The value codec.
pub struct Bp128;

impl ValueCodec for Bp128 {
    const NAME: &'static str = "bp128";
    const MAX_VALUE: u32 = u32::MAX;
    const LIMIT: &'static str = "all values can be coded";
    const COST: Cost = Cost { decoded: 0.2, merged: 0.6, near: 12.0, far: 60.0 };

    fn encode(values: &[u32], _: &Options, words: &mut Vec<u32>) {
        debug_assert!(values.len() <= BLOCK);
        if values.is_empty() {
            return;
        }
        let width = lanes::width(values);
        words.push(width);
        lanes::pack(values, width, words);
    }

    fn check(words: &[u32], count: usize) -> Result<(), (usize, String)> {
        let Some((&header, packed)) = words.split_first() else {
            return if count == 0 { Ok(()) } else { Err((0, format!("no words where there are {count} values"))) };
        };
        if count == 0 || count > BLOCK {
            return Err((0, format!("words of {count} values, where a part has 1 to {BLOCK}")));
        }
        if header >> WIDTH_BITS != 0 {
            return Err((0, "unused bits are not 0".into()));
        }
        if header > 32 {
            return Err((0, format!("values of {header} bits")));
        }
        let wanted = lanes::words(count, header);
        if packed.len() != wanted {
            return Err((0, format!("{} words where {count} values of {header} bits take {wanted}", packed.len())));
        }
        match (0..packed.len()).find(|&at| !is_clear(packed, at, count, header)) {
            Some(at) => Err((1 + at, "unused bits are not 0".into())),
            None => Ok(()),
        }
    }

    unsafe fn decode(_: Tier, words: &[u32], count: usize, out: *mut u32) {
        each_part(words, count, out, |words, count, out| {
            let width = words[0];
            let used = lanes::words(count, width);
            let packed = &words[1..1 + used];
            let mut values = [0; BLOCK];
            if count == BLOCK {
                lanes::unpack(packed, width, &mut values);
            } else {
                let mut padded = [0; BLOCK];
                padded[..used].copy_from_slice(packed);
                lanes::unpack(&padded[..LANES * width as usize], width, &mut values);
            }
            // SAFETY: there is room for `count` values, which are at most a block.
            unsafe { out.copy_from_nonoverlapping(values.as_ptr(), count) };
            1 + used
        });
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    unsafe fn decode_doc_ids(tier: Tier, words: &[u32], count: usize, previous: u32, out: *mut u32) {
        debug_assert!(tier.is_available());
        #[cfg(target_arch = "aarch64")]
        if tier == Tier::Scalar {
            // SAFETY: this function's contract; `decode` writes the values that are added up.
            return unsafe {
                Self::decode(tier, words, count, out);
                sums::add_up(tier, out, count, previous);
            };
        }
        let mut previous = previous;
        let sum = |words: &[u32], previous: u32, out: *mut u32| {
            let packed = words[1..].as_ptr();
            // SAFETY: the words were encoded or checked, so the width is at most 32, and after the header as many words
            // follow as a whole block of it takes: the part's, and padding. There is room for a block; the processor has
            // `tier`, and SSE2 or NEON.
            unsafe {
                match tier {
                    #[cfg(target_arch = "aarch64")]
                    _ => neon::unpack_and_add_up(packed, words[0], out, previous),
                    #[cfg(target_arch = "x86_64")]
                    Tier::Scalar => sse2::unpack_and_add_up(packed, words[0], out, previous),
                    // AVX-512 was not faster: its wider vectors need more shuffles, at half as many ports.
                    #[cfg(target_arch = "x86_64")]
                    _ => avx2::unpack_and_add_up(packed, words[0], out, previous),
                }
            }
        };
        let (mut words, mut done) = (words, 0);
        while done < count {
            let now = (count - done).min(BLOCK);
            // SAFETY: `out` has room for the docIDs, so a whole block has room at `done`; of a part of a block only its
            // docIDs are copied, and the last of them was written.
            unsafe {
                let out = out.add(done);
                if now == BLOCK {
                    sum(words, previous, out);
                } else {
                    let mut block = [0; BLOCK];
                    sum(words, previous, block.as_mut_ptr());
                    out.copy_from_nonoverlapping(block.as_ptr(), now);
                }
                previous = out.add(now - 1).read();
            }
            words = &words[1 + lanes::words(now, words[0])..];
            done += now;
        }
    }

    #[inline]
    unsafe fn get(_: Tier, words: &[u32], _: usize, index: usize) -> u32 {
        lanes::get(&words[1..], words[0], index)
    }
}

/// Whether the word of that index has no bits besides those of `count` values.
fn is_clear(packed: &[u32], at: usize, count: usize, width: u32) -> bool {
    let rows = (count + LANES - 1 - at % LANES) / LANES;
    let used = (rows as u32 * width).saturating_sub(32 * (at / LANES) as u32);
    packed[at].checked_shr(used).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests;
