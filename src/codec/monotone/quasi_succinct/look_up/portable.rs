//! For any processor: counts the 1 bits of a word's bytes in parallel, and selects in a byte with a table.

use super::{Machine, NEXT_TILE, Select};

/// By byte and `nth`: the bit after the `nth` 1 bit of the byte, or 0 for the 0th. `nth` is in bits 8 to 11 of the
/// index.
static BEHIND: [u8; 4096] = {
    let mut table = [0; 4096];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut nth) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                nth += 1;
                table[byte | nth << 8] = bit as u8 + 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// A 1 in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Any processor.
pub(super) struct Portable;

impl Machine for Portable {
    const SUMS: bool = true;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn less(counts: &[u16; NEXT_TILE], wanted: u32) -> usize {
        use std::arch::x86_64::*;
        // SAFETY: every x86-64 processor has SSE2; the counts are four vectors long.
        unsafe {
            let wanted = _mm_set1_epi16(wanted as i16);
            let counts = counts.as_ptr().cast::<__m128i>();
            let less = |i: usize| _mm_cmplt_epi16(_mm_loadu_si128(counts.add(i)), wanted);
            let low = _mm_movemask_epi8(_mm_packs_epi16(less(0), less(1)));
            let high = _mm_movemask_epi8(_mm_packs_epi16(less(2), less(3)));
            // Counts ascend, so the index of the first that is not less is their number.
            (!u64::from(low as u32 | (high as u32) << 16)).trailing_zeros() as usize
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    unsafe fn less(counts: &[u16; NEXT_TILE], wanted: u32) -> usize {
        counts.iter().map(|&count| i16::from((count as i16) < wanted as i16)).sum::<i16>() as usize
    }

    #[inline(always)]
    unsafe fn behind(word: u64, sums: u64, nth: u32) -> u32 {
        // The high bit of each byte that ends before the wanted bit; then 8 times the number of those bytes.
        let before = !((sums | ONES << 7) - u64::from(nth) * ONES) & ONES << 7;
        let shift = ((before >> 7).wrapping_mul(ONES) >> 56) * 8;
        let in_byte = u64::from(nth) - ((sums << 8) >> shift & 0xFF);
        shift as u32 + u32::from(BEHIND[(word >> shift) as u8 as usize | (in_byte as usize & 15) << 8])
    }

    #[inline(never)]
    unsafe fn advance(select: &mut Select, doc_id: u32, upper_part: u32) {
        // SAFETY: `advance_by` has the same contract.
        unsafe { select.advance_by::<Portable>(doc_id, upper_part) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::bits::ones_by_byte;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behind_is_what_a_scan_finds(word in any::<u64>(), other in any::<u64>(), few in any::<bool>()) {
            let word = if few { word & other } else { word | other };
            let mut nth = 0;
            for bit in 0..64 {
                if word >> bit & 1 == 1 {
                    nth += 1;
                    // SAFETY: `Portable` needs no features, and the word has `nth` 1 bits.
                    prop_assert_eq!(unsafe { Portable::behind(word, ones_by_byte(word), nth) }, bit + 1);
                }
            }
            prop_assert_eq!(unsafe { Portable::behind(word, ones_by_byte(word), 0) }, 0);
        }
    }

    #[test]
    fn behind_in_words_of_one_kind() {
        for nth in 0..=64 {
            // SAFETY: `Portable` needs no features, and the word has `nth` 1 bits.
            assert_eq!(unsafe { Portable::behind(u64::MAX, ones_by_byte(u64::MAX), nth) }, nth);
        }
        for bit in 0..64 {
            // SAFETY: as above, with one 1 bit.
            assert_eq!(unsafe { Portable::behind(1 << bit, ones_by_byte(1 << bit), 1) }, bit + 1);
        }
    }
}
