//! AVX2 and BMI: compares counts in two vectors, and selects with `pdep`.

use super::{Machine, NEXT_TILE, Select};
use std::arch::x86_64::*;

/// A processor with AVX2, BMI1, BMI2, POPCNT and LZCNT.
pub(super) struct Avx2;

impl Machine for Avx2 {
    const SUMS: bool = false;

    #[inline(always)]
    unsafe fn less(counts: &[u16; NEXT_TILE], wanted: u32) -> usize {
        // SAFETY: the processor has AVX2, by the contract of `Machine`; the counts are two vectors long.
        unsafe {
            let wanted = _mm256_set1_epi16(wanted as i16);
            let counts = counts.as_ptr().cast::<__m256i>();
            let low = _mm256_cmpgt_epi16(wanted, _mm256_loadu_si256(counts));
            let high = _mm256_cmpgt_epi16(wanted, _mm256_loadu_si256(counts.add(1)));
            _mm256_movemask_epi8(_mm256_packs_epi16(low, high)).count_ones() as usize
        }
    }

    #[inline(always)]
    unsafe fn behind(word: u64, _: u64, nth: u32) -> u32 {
        // SAFETY: the processor has BMI2 and LZCNT, by the contract of `Machine`.
        unsafe { 64 - _lzcnt_u64(_pdep_u64(_bzhi_u64(u64::MAX, nth), word)) as u32 }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline(never)]
    unsafe fn advance(select: &mut Select, doc_id: u32, upper_part: u32) {
        // SAFETY: `advance_by` has the same contract.
        unsafe { select.advance_by::<Avx2>(doc_id, upper_part) };
    }
}

impl Select<'_> {
    /// As [`LookUp::retain`](crate::codec::LookUp::retain).
    ///
    /// # Safety
    /// The processor has the enabled features.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn retain_avx2(&mut self, candidates: &mut [u32]) -> usize {
        // SAFETY: the processor has the features of `Avx2`, by this function's contract.
        unsafe { self.retain_by::<Avx2>(candidates) }
    }
}
