//! Bit fields in words. All shifts across word boundaries are here.
//!
//! A *bit stream* is a slice of `u32` words in which bit `i` is bit `i % 32` (from the least significant end) of word
//! `i / 32`. Written as little-endian bytes, bit `i` is bit `i % 8` of byte `i / 8`.

/// 0, 1, 2 … 63: the indices of the bits of a 64-bit word, for a vector to choose from.
#[cfg(target_arch = "x86_64")]
pub(crate) static IOTA: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

/// By byte, the indices of its 1 bits, lowest first; the other entries are unused.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) static BITS_OF: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][at] = bit;
                at += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Words needed for `bits` bits.
pub fn words_for(bits: u64) -> u64 {
    bits.div_ceil(32)
}

/// The width of a digit, in bits, with which numbers below `count` have at most `digits` digits.
pub fn digit_width(count: usize, digits: u32) -> u32 {
    let bits = usize::BITS - count.saturating_sub(1).leading_zeros();
    bits.div_ceil(digits)
}

/// A mask of the low `width` bits, `width` ≤ 32.
#[inline]
pub fn low_mask(width: u32) -> u32 {
    debug_assert!(width <= 32);
    if width == 0 { 0 } else { u32::MAX >> (32 - width) }
}

/// The words of a bit set in pairs, each of which is a word of 64 bits, and the last one if it is alone.
#[inline(always)]
pub(crate) fn in_pairs(words: &[u32]) -> (&[[u32; 2]], Option<u64>) {
    let (pairs, rest) = words.as_chunks();
    (pairs, rest.first().map(|&low| low.into()))
}

/// A pair as a word of 64 bits.
#[inline(always)]
pub(crate) fn pair(&[low, high]: &[u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The `width` bits (≤ 32) that begin at `position`. Bits past the end of `words` read as 0.
pub fn get(words: &[u32], position: u64, width: u32) -> u32 {
    let word = (position / 32) as usize;
    let low = u64::from(words.get(word).copied().unwrap_or(0));
    let high = u64::from(words.get(word + 1).copied().unwrap_or(0));
    (((high << 32) | low) >> (position % 32)) as u32 & low_mask(width)
}

/// Sets the `width` bits (≤ 32) that begin at `position`, which must all be 0, to the low bits of `value`.
///
/// # Panics
/// If the field begins past the end of `words`, or one of its set bits lies there.
pub fn put(words: &mut [u32], position: u64, width: u32, value: u32) {
    if width == 0 {
        return;
    }
    let field = u64::from(value & low_mask(width)) << (position % 32);
    let word = (position / 32) as usize;
    words[word] |= field as u32;
    if field >> 32 != 0 {
        words[word + 1] |= (field >> 32) as u32;
    }
}

/// For each byte of a word, the number of 1 bits up to and including that byte, in one byte each; the highest holds the
/// total.
#[inline(always)]
pub(crate) fn ones_by_byte(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    ((fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(0x0101_0101_0101_0101)
}

/// [`ones_by_byte`] with NEON's count of the 1 bits of each byte.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn ones_by_byte_neon(word: u64) -> u64 {
    use std::arch::aarch64::*;
    let ones = vcnt_u8(vcreate_u8(word));
    vget_lane_u64::<0>(vreinterpret_u64_u8(ones)).wrapping_mul(0x0101_0101_0101_0101)
}

/// The index of the 1 bit of `word` that has `rank` 1 bits below it. The word must have more than `rank`.
#[inline(always)]
pub(crate) fn select(word: u64, rank: u32) -> u32 {
    debug_assert!(rank < word.count_ones());
    const HIGHEST: u64 = 0x8080_8080_8080_8080;
    let ends = ones_by_byte(word);
    // The bytes up to which there are more than `rank`, which is less than 64, each by its highest bit.
    let behind = ((ends | HIGHEST) - u64::from(rank + 1) * 0x0101_0101_0101_0101) & HIGHEST;
    let shift = behind.trailing_zeros() & 56;
    let before = ((ends << 8) >> shift) as u8;
    shift + u32::from(BITS_OF[usize::from((word >> shift) as u8)][(rank - u32::from(before)) as usize & 7])
}

/// Reads eight bytes of the stream from byte `at` on, as a little-endian number.
///
/// # Safety
/// They are in the stream or its padding.
#[inline(always)]
pub(crate) unsafe fn read_u64(stream: *const u8, at: usize) -> u64 {
    // SAFETY: the bytes are readable, by this function's contract; `read_unaligned` needs no alignment.
    u64::from_le(unsafe { stream.add(at).cast::<u64>().read_unaligned() })
}

/// Reads at least 57 bits of the stream from `bit` on.
///
/// # Safety
/// `bit` is at most the end of the stream, which is followed by padding.
#[inline(always)]
pub(crate) unsafe fn read_57(stream: &[u32], bit: u64) -> u64 {
    // SAFETY: the 8 bytes begin in the stream or at its end, and the padding is longer than that.
    let bytes = unsafe { stream.as_ptr().cast::<u8>().add((bit / 8) as usize).cast::<u64>().read_unaligned() };
    u64::from_le(bytes) >> (bit % 8)
}

/// Whether bit `at` of a bit set is set: bit `at % 64` of word `at / 64`. Missing words are 0.
#[inline(always)]
pub fn has_bit(words: &[u64], at: u32) -> bool {
    words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fields_come_back(fields in prop::collection::vec((0u32..=32, any::<u32>()), 0..200)) {
            let total: u64 = fields.iter().map(|f| u64::from(f.0)).sum();
            let mut words = vec![0; words_for(total) as usize];
            let mut position = 0;
            for &(width, value) in &fields {
                put(&mut words, position, width, value);
                position += u64::from(width);
            }
            position = 0;
            for &(width, value) in &fields {
                prop_assert_eq!(get(&words, position, width), value & low_mask(width));
                position += u64::from(width);
            }
        }
    }

    #[test]
    fn digits_are_as_narrow_as_can_be() {
        assert_eq!((digit_width(0, 2), digit_width(1, 2), digit_width(2, 3)), (0, 0, 1));
        assert_eq!([1, 2, 3, 4, 5].map(|digits| digit_width(1 << 20, digits)), [20, 10, 7, 5, 4]);
        assert_eq!(digit_width((1 << 20) + 1, 1), 21);
    }

    #[cfg(target_arch = "aarch64")]
    proptest! {
        #[test]
        fn neon_counts_the_same_ones(word in any::<u64>()) {
            for word in [word, 0, u64::MAX] {
                // SAFETY: every arm64 processor has NEON.
                prop_assert_eq!(unsafe { ones_by_byte_neon(word) }, ones_by_byte(word));
            }
        }
    }

    #[test]
    fn select_finds_each_bit() {
        for word in [1, 1 << 63, u64::MAX, 0x8000_0000_0000_0001, 0x0123_4567_89AB_CDEF, 0xFF00_FF00_00FF_0000] {
            let positions: Vec<u32> = (0..64).filter(|at| word >> at & 1 == 1).collect();
            for (rank, &at) in positions.iter().enumerate() {
                assert_eq!(select(word, rank as u32), at);
            }
        }
    }

    #[test]
    fn ones_of_each_byte() {
        for word in [0, 1, u64::MAX, 0x8000_0000_0000_0000, 0x0123_4567_89AB_CDEF] {
            let ones: [u8; 8] = std::array::from_fn(|i| (word << (56 - 8 * i)).count_ones() as u8);
            assert_eq!(ones_by_byte(word), u64::from_le_bytes(ones));
        }
    }

    #[test]
    fn bits_past_the_end_are_zero() {
        assert_eq!(get(&[u32::MAX], 28, 32), 0xF);
        assert_eq!(get(&[], 1000, 32), 0);
    }
}
