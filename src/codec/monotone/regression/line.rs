//! Adds the values of a line to deviations, which may be read from fields at the same time.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use crate::base::cpu::Tier;
use crate::codec::fields;

/// A line in fixed point: its value at index i is the upper half of `origin + slope · i` modulo 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub(super) origin: u64,
    pub(super) slope: u64,
}

impl Line {
    /// The same line, with index 0 moved to `index`.
    #[inline(always)]
    pub(super) fn from(self, index: usize) -> Line {
        Line { origin: self.origin.wrapping_add(self.slope.wrapping_mul(index as u64)), slope: self.slope }
    }

    /// The value at index 0.
    #[inline(always)]
    pub(super) fn begin(self) -> u32 {
        (self.origin >> 32) as u32
    }
}

/// Decodes `count` docIDs on a line: reads fields of `width` bits from the byte at `fields` on, adds the line's values from
/// index 0 on, modulo 2^32, and writes the sums to `out`.
///
/// # Safety
/// As for [`fields::unpack`]; `out` has room for [`SLACK`](crate::codec::SLACK) more than the docIDs, which may be read and
/// written.
#[inline]
pub(super) unsafe fn decode(tier: Tier, line: Line, stream: *const u8, width: u32, count: usize, out: *mut u32) {
    debug_assert!(tier.is_available());
    // SAFETY: all paths have this function's contract, and each is run only on its own tier; `unpack` writes what `add`
    // reads.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 if width <= fields::WIDEST => avx512::decode(line, stream, width, count, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 if width <= fields::WIDEST => avx2::decode(line, stream, width, count, out),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon if width <= fields::WIDEST => neon::decode(line, stream, width, count, out),
            _ => {
                fields::unpack(tier, stream, width, count, out);
                add(tier, line, count, out);
            }
        }
    }
}

/// Adds the line's values from index 0 on to the `count` deviations at `out`, modulo 2^32.
///
/// # Safety
/// There are `count` deviations, and room for [`SLACK`](crate::codec::SLACK) more words, which may be read and written;
/// the processor has `tier`.
#[inline]
pub(super) unsafe fn add(tier: Tier, line: Line, count: usize, out: *mut u32) {
    debug_assert!(tier.is_available());
    // SAFETY: all paths have this function's contract, and each is run only on its own tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::add(line, count, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::add(line, count, out),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => neon::add(line, count, out),
            _ => scalar(line, count, out),
        }
    }
}

/// Plain Rust: one docID at a time.
///
/// # Safety
/// There are `count` deviations at `out`.
unsafe fn scalar(line: Line, count: usize, out: *mut u32) {
    // SAFETY: this function's contract.
    let deviations = unsafe { std::slice::from_raw_parts_mut(out, count) };
    let mut at = line.origin;
    for deviation in deviations {
        *deviation = deviation.wrapping_add((at >> 32) as u32);
        at = at.wrapping_add(line.slope);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::bits::low_mask;
    use crate::codec::{BLOCK, PADDING, SLACK};
    use proptest::prelude::*;

    fn every_path_gives(line: Line, deviations: &[u32]) {
        let value = |index: usize| ((u128::from(line.origin) + u128::from(line.slope) * index as u128) >> 32) as u32;
        let wanted: Vec<u32> = deviations.iter().enumerate().map(|(i, &by)| by.wrapping_add(value(i))).collect();
        for tier in Tier::available() {
            // Exactly the room that the contract asks for, then a guard word that reveals writes past it.
            let mut out = deviations.to_vec();
            out.resize(deviations.len() + SLACK, 0x5EED);
            out.push(0xDEAD_BEEF);
            // SAFETY: `out` holds the deviations and the slack; the tier is available.
            unsafe { add(tier, line, deviations.len(), out.as_mut_ptr()) };
            assert_eq!(out.pop(), Some(0xDEAD_BEEF), "{} wrote past the slack", tier.name());
            assert_eq!(&out[..deviations.len()], wanted, "{}", tier.name());
        }
        for width in [0, 1, 7, 8, 13, 25, 26, 32] {
            fields_give(line, deviations, width);
        }
        for index in [0, 1, 100] {
            assert_eq!(line.from(index).begin(), value(index));
        }
    }

    fn fields_give(line: Line, deviations: &[u32], width: u32) {
        let mut words = Vec::new();
        fields::pack(deviations.iter().copied(), width, &mut words);
        words.resize(words.len() + PADDING, 0x5EED_5EED);
        let value = |index: usize| line.from(index).begin().wrapping_add(deviations[index] & low_mask(width));
        let wanted: Vec<u32> = (0..deviations.len()).map(value).collect();
        for tier in Tier::available() {
            let mut out = vec![0x5EED; deviations.len() + SLACK];
            out.push(0xDEAD_BEEF);
            // SAFETY: the fields are padded; `out` has room for the docIDs and the slack; the tier is available.
            unsafe { decode(tier, line, words.as_ptr().cast(), width, deviations.len(), out.as_mut_ptr()) };
            assert_eq!(out.pop(), Some(0xDEAD_BEEF), "{} wrote past the slack", tier.name());
            assert_eq!(&out[..deviations.len()], wanted, "{}, width {width}", tier.name());
        }
    }

    #[test]
    fn every_length_to_two_blocks_at_extreme_slopes() {
        for length in 0..=2 * BLOCK as u32 + 1 {
            let deviations: Vec<u32> = (0..length).map(|i| i.wrapping_mul(0x9E37_79B9) >> (i % 32)).collect();
            for slope in [0, 1, 1 << 32, u64::MAX, 0x1234_5678_9ABC_DEF0] {
                every_path_gives(Line { origin: u64::MAX - 5, slope }, &deviations);
            }
        }
    }

    proptest! {
        #[test]
        fn any_line(origin in any::<u64>(), slope in any::<u64>(), deviations in prop::collection::vec(any::<u32>(), 0..300)) {
            every_path_gives(Line { origin, slope }, &deviations);
        }
    }
}
