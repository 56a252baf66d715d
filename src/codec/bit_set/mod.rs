//! Bit sets and ranges: bit i of 64-bit word w stands for docID `first + 64·w + i`. Expanding them to docIDs, and the common bits
//! of two, with one file per instruction set. Words are read from bytes at any address, little-endian, because payloads
//! are aligned to 32 bits only.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

use crate::base::cpu::Tier;

/// Words that are looked at together before they are expanded.
#[cfg(target_arch = "x86_64")]
const GROUP: usize = 64;

/// Words with at most this many bits are expanded one bit at a time, without a branch per bit.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const FEW: u32 = 4;

/// Writes the docIDs of a word that has at most [`FEW`], and junk up to so many.
///
/// # Safety
/// `to` has room for [`FEW`].
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn expand_few(mut bits: u64, doc_id: u32, to: *mut u32) {
    for i in 0..FEW as usize {
        // SAFETY: the contract.
        unsafe { to.add(i).write(doc_id.wrapping_add(bits.trailing_zeros())) };
        bits &= bits.wrapping_sub(1);
    }
}

/// Writes the docIDs of `words` words, of which the first one's bit 0 stands for `first`, to `out`, and returns their
/// number.
///
/// # Safety
/// The words can be read; `out` has room for their docIDs and [`SLACK`](super::SLACK) more; the processor has `tier`.
#[inline]
pub(crate) unsafe fn expand(tier: Tier, stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    debug_assert!(tier.is_available());
    // SAFETY: the callees have the same contract, and the processor has the tier whose features they need.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::expand(stream, words, first, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::expand(stream, words, first, out),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => neon::expand(stream, words, first, out),
            _ => scalar::expand(stream, words, first, out),
        }
    }
}

/// Writes the words that two streams have in common to `out`, and returns the number of their 1 bits.
///
/// # Safety
/// Both streams have `words` words that can be read, `out` has room for them, and the processor has `tier`.
#[inline]
pub(crate) unsafe fn common(tier: Tier, a: *const u64, b: *const u64, words: usize, out: *mut u64) -> u64 {
    debug_assert!(tier.is_available());
    // SAFETY: as above.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::common(a, b, words, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::common(a, b, words, out),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => neon::common(a, b, words, out),
            _ => scalar::common(a, b, words, out),
        }
    }
}

/// The number of 1 bits that two streams have in common.
///
/// # Safety
/// Both streams have `words` words that can be read, and the processor has `tier`.
#[inline]
pub(crate) unsafe fn count_common(tier: Tier, a: *const u64, b: *const u64, words: usize) -> u64 {
    debug_assert!(tier.is_available());
    // SAFETY: as above.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::count_common(a, b, words),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::count_common(a, b, words),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => neon::count_common(a, b, words),
            _ => scalar::count_common(a, b, words),
        }
    }
}

/// Writes `len` consecutive docIDs.
///
/// # Safety
/// `out` has room for them and 15 more; the processor has `tier`.
#[inline]
pub(crate) unsafe fn fill(tier: Tier, first: u32, len: usize, out: *mut u32) {
    debug_assert!(tier.is_available());
    // SAFETY: as above.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::fill(first, len, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::fill(first, len, out),
            _ => (0..len).for_each(|at| out.add(at).write(first.wrapping_add(at as u32))),
        }
    }
}

/// Moves those of the ascending `doc_ids` whose bit is set to the front, and returns their number. Bit 0 of the stream
/// stands for `first`.
///
/// # Safety
/// No docID is less than `first`, and the stream has a word for each.
#[inline(always)]
pub(crate) unsafe fn retain(stream: *const u64, first: u32, doc_ids: &mut [u32]) -> usize {
    let bytes = stream.cast::<u8>();
    let mut kept = 0;
    for at in 0..doc_ids.len() {
        let doc_id = doc_ids[at];
        let bit = doc_id - first;
        doc_ids[kept] = doc_id;
        // SAFETY: the stream has the docID's word.
        kept += usize::from(unsafe { *bytes.add(bit as usize / 8) } >> (bit % 8) & 1);
    }
    kept
}

/// How many of `doc_ids` have their bit set. Bit 0 of the stream stands for 0.
///
/// # Safety
/// The stream has a word for each docID.
#[inline(always)]
pub(crate) unsafe fn count(stream: *const u64, doc_ids: &[u32]) -> usize {
    let bytes = stream.cast::<u8>();
    // SAFETY: the stream has the docID's word.
    let is_set = |&doc_id: &u32| usize::from(unsafe { *bytes.add(doc_id as usize / 8) } >> (doc_id % 8) & 1);
    doc_ids.iter().map(is_set).sum()
}

/// The word at `stream`.
///
/// # Safety
/// It can be read.
#[inline(always)]
pub(crate) unsafe fn word(stream: *const u64, at: usize) -> u64 {
    // SAFETY: this function's contract.
    u64::from_le(unsafe { stream.add(at).read_unaligned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_tier_gives_what_a_loop_gives(
            words in prop::collection::vec(prop_oneof![Just(0u64), Just(u64::MAX), any::<u64>(),
                any::<u64>().prop_map(|word| word & word >> 7 & word << 9)], 0..150),
            others in prop::collection::vec(any::<u64>(), 150), sparse in 0u32..4,
            shift in 0usize..2, first in 0u32..1 << 30,
        ) {
            let first = first & !63;
            // As they are, or mostly without bits.
            let words: Vec<u64> = words.iter().zip(&others).map(|(&word, other)| {
                if other.trailing_zeros() < sparse { 0 } else { word }
            }).collect();
            let bit = |at: u32| words[at as usize / 64] >> (at % 64) & 1 == 1;
            let doc_ids: Vec<u32> = (0..64 * words.len() as u32).filter(|&at| bit(at)).map(|at| first + at).collect();
            let both: Vec<u64> = words.iter().zip(&others).map(|(a, b)| a & b).collect();
            let ones: u64 = both.iter().map(|word| u64::from(word.count_ones())).sum();
            // At an address that is a multiple of 4 only, as in payloads.
            let mut halves = vec![0u32; 2 * words.len() + shift + 2];
            for (at, word) in words.iter().enumerate() {
                halves[2 * at + shift] = *word as u32;
                halves[2 * at + shift + 1] = (word >> 32) as u32;
            }
            let stream: *const u64 = halves[shift..].as_ptr().cast();
            for tier in Tier::available() {
                let mut out = vec![0; doc_ids.len() + crate::codec::SLACK];
                let mut common_words = vec![0u64; words.len()];
                // SAFETY: both streams have as many words as are asked for, and there is room for all results.
                let (count, of_common, counted) = unsafe {
                    (
                        expand(tier, stream, words.len(), first, out.as_mut_ptr()),
                        common(tier, stream, others.as_ptr(), words.len(), common_words.as_mut_ptr()),
                        count_common(tier, stream, others.as_ptr(), words.len()),
                    )
                };
                prop_assert_eq!(&out[..count], &doc_ids[..]);
                prop_assert_eq!((&common_words, of_common, counted), (&both, ones, ones));
            }
            let mut candidates: Vec<u32> = (0..64 * words.len() as u32).step_by(3).map(|at| first + at).collect();
            let wanted: Vec<u32> = candidates.iter().copied().filter(|at| bit(at - first)).collect();
            // SAFETY: the stream has a word for each candidate.
            let kept = unsafe { retain(stream, first, &mut candidates) };
            prop_assert_eq!(&candidates[..kept], &wanted[..]);
        }
    }
}
