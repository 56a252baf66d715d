//! NEON: compares counts in four vectors, and counts the 1 bits of a word's bytes with one instruction. It has nothing
//! for a select, which is as in [`Portable`].

use super::portable::Portable;
use super::{Machine, NEXT_TILE, Select};
use crate::base::bits::ones_by_byte_neon;
use std::arch::aarch64::*;

/// An arm64 processor.
pub(super) struct Neon;

impl Machine for Neon {
    const SUMS: bool = true;

    #[inline(always)]
    unsafe fn less(counts: &[u16; NEXT_TILE], wanted: u32) -> usize {
        // SAFETY: the processor has NEON, by the contract of `Machine`; the counts are four vectors long.
        unsafe {
            let wanted = vdupq_n_s16(wanted as i16);
            let less = |i: usize| vcltq_s16(vld1q_s16(counts.as_ptr().add(8 * i).cast()), wanted);
            let all = vaddq_u16(vaddq_u16(less(0), less(1)), vaddq_u16(less(2), less(3)));
            // Each is −1 so far.
            usize::from(vaddvq_s16(vreinterpretq_s16_u16(all)).unsigned_abs())
        }
    }

    #[inline(always)]
    unsafe fn sums(word: u64) -> u64 {
        // SAFETY: the processor has NEON, by the contract of `Machine`.
        unsafe { ones_by_byte_neon(word) }
    }

    #[inline(always)]
    unsafe fn behind(word: u64, sums: u64, nth: u32) -> u32 {
        // SAFETY: the same contract.
        unsafe { Portable::behind(word, sums, nth) }
    }

    #[target_feature(enable = "neon")]
    #[inline(never)]
    unsafe fn advance(select: &mut Select, doc_id: u32, upper_part: u32) {
        // SAFETY: `advance_by` has the same contract.
        unsafe { select.advance_by::<Neon>(doc_id, upper_part) };
    }
}

impl Select<'_> {
    /// As [`LookUp::retain`](crate::codec::LookUp::retain).
    ///
    /// # Safety
    /// The processor has NEON.
    #[target_feature(enable = "neon")]
    pub(super) unsafe fn retain_neon(&mut self, candidates: &mut [u32]) -> usize {
        // SAFETY: the processor has the features of `Neon`, by this function's contract.
        unsafe { self.retain_by::<Neon>(candidates) }
    }
}
