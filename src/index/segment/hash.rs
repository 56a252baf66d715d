//! Folded multiplication as a hash of bytes, in the manner of wyhash: each word of eight bytes is added to the state, and
//! the state becomes the exclusive or of the two halves of its 128-bit product with a constant.
//!
//! With [`FIXED`] as the seed it is a part of the format (the index of ids). Tables in memory take a seed of the process,
//! so that no document can be made that puts all its terms into one slot.

/// The seed of hashes in files.
pub(super) const FIXED: u64 = 0x9E37_79B9_7F4A_7C15;

/// An odd constant with about as many ones as zeros (wyhash's first).
const FACTOR: u64 = 0xA076_1D64_78BD_642F;

/// The exclusive or of the halves of the product.
#[inline(always)]
fn fold(state: u64) -> u64 {
    let product = u128::from(state) * u128::from(FACTOR);
    product as u64 ^ (product >> 64) as u64
}

/// A state that no earlier word has touched.
#[inline(always)]
pub(super) fn start(seed: u64, length: usize) -> u64 {
    seed ^ (length as u64).wrapping_mul(0xE703_7ED1_A0B4_28DB)
}

/// The state after one more word.
#[inline(always)]
pub(super) fn step(state: u64, word: u64) -> u64 {
    fold(state ^ word)
}

/// The hash that a state stands for.
#[inline(always)]
pub(super) fn end(state: u64) -> u64 {
    fold(state ^ 0x8EBC_6AF0_9C88_C6E3)
}

/// The first 8 bytes of `bytes` as a little-endian word, with zeros for those that are missing.
#[inline(always)]
pub(super) fn word(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    match bytes.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            // The two halves may overlap; the same bytes meet the same bits.
            (Some(low), Some(high)) => {
                u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << (8 * (length - 4))
            }
            _ => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        },
    }
}

/// The hash of bytes.
#[inline]
pub(super) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    end(bytes.chunks(8).fold(start(seed, bytes.len()), |state, chunk| step(state, word(chunk))))
}

/// A seed that differs from process to process.
pub(super) fn seed_of_process() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_bytes_in_order() {
        let bytes: Vec<u8> = (1..=20).collect();
        for length in 0..=20 {
            let mut padded = [0; 8];
            let used = length.min(8);
            padded[..used].copy_from_slice(&bytes[..used]);
            assert_eq!(word(&bytes[..length]), u64::from_le_bytes(padded), "{length}");
        }
    }

    /// Files hold what follows from these values, so they must not change.
    #[test]
    fn hashes_stay() {
        // Computed by a program of a few lines in another language.
        assert_eq!(hash(FIXED, b""), 0x385a320768df6d5d);
        assert_eq!(hash(FIXED, b"postings"), 0xefb8f23546c1f2d5);
        assert_eq!(hash(FIXED, b"a longer text"), 0x3be9caef007613f6);
    }

    #[test]
    fn hashes_spread() {
        let mut buckets = [0; 64];
        for i in 0..64_000u64 {
            buckets[(hash(FIXED, &i.to_le_bytes()) >> 58) as usize] += 1;
        }
        assert!(buckets.iter().all(|&n| (850..1150).contains(&n)), "{buckets:?}");
    }
}
