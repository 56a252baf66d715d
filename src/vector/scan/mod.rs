//! Sums of the products of a query's integers and codes. All tiers give the same.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

use super::Shape;
use super::codes::{BLOCK, BLOCK_BYTES};
use crate::base::cpu::Tier;

/// The blocks of the longest vector.
const MOST_BLOCKS: usize = (*Shape::DIMENSIONS.end() as usize).div_ceil(BLOCK);

/// For each of some coarse codes, one after the other, the sum of the products of its bits (0 to 3) and the query's integers.
///
/// # Panics
/// If a code is missing.
pub(super) fn coarse(tier: Tier, integers: &[i8], codes: &[u8], sums: &mut [i32]) {
    let bytes = integers.len() / BLOCK * BLOCK_BYTES;
    assert!(integers.len().is_multiple_of(BLOCK) && integers.len() <= BLOCK * MOST_BLOCKS);
    assert!(codes.len() == sums.len() * bytes);
    match tier {
        // SAFETY: the processor has what is asked for, and each sum has its code.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx512 if avx512::is_available() => unsafe { avx512::coarse(integers, codes, sums) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 | Tier::Avx512 if tier.is_available() => unsafe { avx2::coarse(integers, codes, sums) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        Tier::Neon => unsafe { neon::coarse(integers, codes, sums) },
        _ => scalar::coarse(integers, codes, sums),
    }
}

/// The sum of the products of the [levels](super::codes::LEVELS) of a fine code and the query's integers.
///
/// # Panics
/// If a bit is missing.
pub(super) fn fine(tier: Tier, integers: &[i8], coarse: &[u8], fine: &[u8]) -> i32 {
    let bytes = integers.len() / BLOCK * BLOCK_BYTES;
    assert!(integers.len().is_multiple_of(BLOCK) && coarse.len() == bytes && fine.len() == bytes);
    match tier {
        // SAFETY: the processor has what is asked for, and all blocks are there.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 | Tier::Avx512 if tier.is_available() => unsafe { avx2::fine(integers, coarse, fine) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        Tier::Neon => unsafe { neon::fine(integers, coarse, fine) },
        _ => scalar::fine(integers, coarse, fine),
    }
}
