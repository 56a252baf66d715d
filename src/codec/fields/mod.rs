//! Fields: numbers of the same width in bits, one after the other in a bit stream (as [`bits`] defines it). Codecs pack
//! gaps, lower bits and deviations so.
//!
//! Eight fields take a whole number of bytes, so every eighth begins at a byte boundary, and a vector of them can be
//! spread over lanes by one shuffle and one shift per lane.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

use crate::base::bits;
use crate::base::cpu::Tier;

#[cfg(target_arch = "x86_64")]
pub(crate) use {avx2::Eights, avx512::Sixteens};

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{Eights, store};

/// The widest field that a 32-bit lane holds from any bit of its first byte on.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) const WIDEST: u32 = 25;

/// Words that `count` fields take.
pub fn words(count: usize, width: u32) -> usize {
    bits::words_for(count as u64 * u64::from(width)) as usize
}

/// Appends fields with the low `width` bits (≤ 32) of each value. Unused bits of the last word are 0.
pub fn pack(values: impl ExactSizeIterator<Item = u32>, width: u32, words: &mut Vec<u32>) {
    words.reserve(self::words(values.len(), width));
    let mut packer = Packer::new(words);
    values.for_each(|value| packer.push(width, value));
    packer.finish();
}

/// Appends fields of any widths to words, one after the other.
pub struct Packer<'w> {
    words: &'w mut Vec<u32>,
    /// Fewer than 32 bits, for which there is no word yet, and their number.
    waiting: u64,
    used: u32,
}

impl<'w> Packer<'w> {
    /// The first field begins with a new word.
    pub fn new(words: &'w mut Vec<u32>) -> Packer<'w> {
        Packer { words, waiting: 0, used: 0 }
    }

    /// Adds a field with the low `width` bits (≤ 32) of a value.
    #[inline(always)]
    pub fn push(&mut self, width: u32, value: u32) {
        self.waiting |= u64::from(value & bits::low_mask(width)) << self.used;
        self.used += width;
        if self.used >= 32 {
            self.words.push(self.waiting as u32);
            self.waiting >>= 32;
            self.used -= 32;
        }
    }

    /// Fills up the last word with 0.
    pub fn finish(self) {
        if self.used != 0 {
            self.words.push(self.waiting as u32);
        }
    }
}

/// Whether the bits after `count` fields are 0. There are as many words as the fields take.
pub fn tail_is_clear(words: &[u32], count: usize, width: u32) -> bool {
    let used = count as u64 * u64::from(width);
    used.is_multiple_of(32) || words.get((used / 32) as usize).is_none_or(|word| word >> (used % 32) == 0)
}

/// Reads `count` fields of `width` bits (≤ 32) from the byte at `stream` on, and writes each as a `u32` to `out`.
///
/// # Safety
/// The fields are readable and so are 64 bytes from the first byte of each; `out` has room for the fields and 15 more;
/// the processor has `tier`.
#[inline]
pub unsafe fn unpack(tier: Tier, stream: *const u8, width: u32, count: usize, out: *mut u32) {
    debug_assert!(tier.is_available() && width <= 32);
    // SAFETY: all paths have this function's contract, and each is run only on its own tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 if width <= WIDEST => avx512::unpack(stream, width, count, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 if width <= WIDEST => avx2::unpack(stream, width, count, out),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon if width <= WIDEST => neon::unpack(stream, width, count, out),
            _ => scalar::unpack(stream, width, count, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::PADDING;
    use proptest::prelude::*;

    fn every_path_gives(values: &[u32], width: u32) {
        let wanted: Vec<u32> = values.iter().map(|value| value & bits::low_mask(width)).collect();
        let mut packed = Vec::new();
        pack(values.iter().copied(), width, &mut packed);
        assert_eq!(packed.len(), words(values.len(), width));
        assert!(tail_is_clear(&packed, values.len(), width));
        let read: Vec<u32> =
            (0..values.len()).map(|i| bits::get(&packed, i as u64 * u64::from(width), width)).collect();
        assert_eq!(read, wanted);
        packed.resize(packed.len() + PADDING, 0xA5A5_A5A5);
        for tier in Tier::available() {
            let mut out = vec![0; values.len() + 15];
            out.push(0xDEAD_BEEF);
            // SAFETY: the fields are padded, there is room for 15 more, and the tier is available.
            unsafe { unpack(tier, packed.as_ptr().cast(), width, values.len(), out.as_mut_ptr()) };
            assert_eq!(out.pop(), Some(0xDEAD_BEEF), "{} wrote too far", tier.name());
            assert_eq!(&out[..values.len()], wanted, "{}, width {width}", tier.name());
        }
    }

    #[test]
    fn every_width_and_length_to_two_blocks() {
        for width in 0..=32 {
            for length in (0..=257).chain([511, 512]) {
                let values: Vec<u32> = (0..length).map(|i: u32| i.wrapping_mul(0x9E37_79B9)).collect();
                every_path_gives(&values, width);
            }
        }
    }

    #[test]
    fn bits_after_the_fields_are_seen() {
        assert!(!tail_is_clear(&[1 << 9], 3, 3));
        assert!(tail_is_clear(&[1 << 8], 3, 3) && tail_is_clear(&[], 0, 3) && tail_is_clear(&[7], 1, 32));
    }

    proptest! {
        #[test]
        fn any_values(values in prop::collection::vec(any::<u32>(), 0..300), width in 0u32..=32) {
            every_path_gives(&values, width);
        }
    }
}
