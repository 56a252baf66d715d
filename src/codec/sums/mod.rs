//! Prefix sums: values, which are gaps minus one, become docIDs.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

use crate::base::cpu::Tier;

/// The value of `previous` for the first docID: −1, modulo 2^32.
pub(crate) const BEFORE_FIRST: u32 = u32::MAX;

/// Replaces the `count` values at `out` by docIDs, the first of which follows the docID `previous`. Sums wrap at 2^32.
///
/// # Safety
/// There are `count` values at `out`, and room for [`SLACK`](super::SLACK) more words, which may be read and written;
/// the processor has `tier`.
pub(crate) unsafe fn add_up(tier: Tier, out: *mut u32, count: usize, previous: u32) {
    debug_assert!(tier.is_available());
    // SAFETY: all paths have this function's contract, and each is run only on its own tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::add_up(out, count, previous),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::add_up(out, count, previous),
            #[cfg(target_arch = "x86_64")]
            _ => sse2::add_up(out, count, previous),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => neon::add_up(out, count, previous),
            #[cfg(not(target_arch = "x86_64"))]
            _ => scalar::add_up(out, count, previous),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{BLOCK, SLACK};
    use proptest::prelude::*;

    /// Adds up one value at a time, by definition. Every path must give the same.
    fn by_definition(values: &[u32], previous: u32) -> Vec<u32> {
        let sum = |last: &mut u32, &value: &u32| {
            *last = last.wrapping_add(value).wrapping_add(1);
            Some(*last)
        };
        values.iter().scan(previous, sum).collect()
    }

    fn every_path_equals_the_definition(values: &[u32], previous: u32) {
        let wanted = by_definition(values, previous);
        for tier in Tier::available() {
            // Exactly the room that the contract asks for, then a guard word that reveals writes past it.
            let mut out = values.to_vec();
            out.resize(values.len() + SLACK, 0x5EED);
            out.push(0xDEAD_BEEF);
            // SAFETY: `out` holds the values and the slack; the tier is available.
            unsafe { add_up(tier, out.as_mut_ptr(), values.len(), previous) };
            assert_eq!(out.pop(), Some(0xDEAD_BEEF), "{} wrote past the slack", tier.name());
            assert_eq!(&out[..values.len()], wanted, "{}", tier.name());
        }
        // The scalar path of processors other than x86-64.
        let mut out = values.to_vec();
        // SAFETY: `out` holds the values.
        unsafe { scalar::add_up(out.as_mut_ptr(), values.len(), previous) };
        assert_eq!(out, wanted);
    }

    #[test]
    fn every_length_to_two_blocks() {
        for length in 0..=2 * BLOCK as u32 + 1 {
            let values: Vec<u32> = (0..length).map(|i| i.wrapping_mul(0x9E37_79B9) >> (i % 32)).collect();
            every_path_equals_the_definition(&values, BEFORE_FIRST);
            every_path_equals_the_definition(&values, 77);
        }
    }

    proptest! {
        #[test]
        fn any_values(values in prop::collection::vec(any::<u32>(), 0..300), previous in any::<u32>()) {
            every_path_equals_the_definition(&values, previous);
        }
    }
}
