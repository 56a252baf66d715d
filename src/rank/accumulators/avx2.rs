//! Eight documents at a time: a comparison gives a mask, of which BMI2 makes the permutation that moves docIDs and sums to the
//! front. Looking documents up is left to the plain loop, which takes less.

use super::{Accumulators, GROUP};
use std::arch::x86_64::*;

/// docIDs in a vector.
const LANES: usize = 8;

/// The lanes from `at` on that lie before `len`.
#[inline(always)]
fn live(at: usize, len: usize) -> u8 {
    if len - at >= LANES { u8::MAX } else { (1 << (len - at)) - 1 }
}

/// The lanes of 32 bits that the mask names, first.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
fn to_front(which: u8) -> __m256i {
    let bytes = _pdep_u64(which.into(), 0x0101_0101_0101_0101) * 0xFF;
    _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(_pext_u64(0x0706_0504_0302_0100, bytes) as i64))
}

/// The same of four lanes of 64 bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
fn pairs_to_front(which: u8) -> __m256i {
    let bytes = _pdep_u64(which.into(), 0x0001_0001_0001_0001) * 0xFFFF;
    _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(_pext_u64(0x0706_0504_0302_0100, bytes) as i64))
}

/// Moves the sums that the mask of four names to the front.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
fn compress_sums(sums: __m256d, which: u8) -> __m256d {
    _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(sums), pairs_to_front(which)))
}

impl Accumulators {
    /// # Safety
    /// The processor has the features. There is room for all, and a vector more.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn push_above_avx2(&mut self, doc_ids: &[u32], scores: &[f32], least: f32) {
        let count = doc_ids.len().min(scores.len());
        assert!(self.len + count + LANES <= self.doc_ids.len().min(self.sums.len()));
        let (eights, of_eights) = (doc_ids[..count].as_chunks::<LANES>(), scores[..count].as_chunks::<LANES>());
        let bound = _mm256_set1_ps(least);
        for (doc_ids, scores) in eights.0.iter().zip(of_eights.0) {
            // SAFETY: eight of each; there is room for a vector at `len`.
            unsafe {
                let scores = _mm256_loadu_ps(scores.as_ptr());
                let above = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(scores, bound)) as u8;
                let order = to_front(above);
                let doc_ids = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(doc_ids.as_ptr().cast()), order);
                let scores = _mm256_permutevar8x32_ps(scores, order);
                _mm256_storeu_si256(self.doc_ids.as_mut_ptr().add(self.len).cast(), doc_ids);
                let sums = self.sums.as_mut_ptr().add(self.len);
                _mm256_storeu_pd(sums, _mm256_cvtps_pd(_mm256_castps256_ps128(scores)));
                _mm256_storeu_pd(sums.add(4), _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(scores)));
                self.len += above.count_ones() as usize;
            }
        }
        for (&doc_id, &score) in eights.1.iter().zip(of_eights.1) {
            self.push_if(score > least, doc_id, score.into());
        }
    }

    /// # Safety
    /// The processor has the features. There is room for the groups, and a vector more.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn take_above_avx2(&mut self, first: u32, sums: &mut [[f64; GROUP]], groups: u64, least: f64) {
        let room = self.doc_ids.len().min(self.sums.len());
        assert!(self.len + groups.count_ones() as usize * GROUP + LANES <= room);
        let steps = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        let bound = _mm256_set1_pd(least);
        let mut left = groups;
        while left != 0 {
            let group = left.trailing_zeros();
            left &= left - 1;
            for (at, sums) in sums[group as usize].as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                // SAFETY: eight sums; there is room for a vector at `len`.
                unsafe {
                    let (low, high) = (_mm256_loadu_pd(sums.as_ptr()), _mm256_loadu_pd(sums.as_ptr().add(4)));
                    let of_low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(low, bound)) as u8;
                    let of_high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(high, bound)) as u8;
                    let base = _mm256_set1_epi32((first + GROUP as u32 * group + (LANES * at) as u32) as i32);
                    let order = to_front(of_low | of_high << 4);
                    let doc_ids = _mm256_permutevar8x32_epi32(_mm256_add_epi32(base, steps), order);
                    _mm256_storeu_si256(self.doc_ids.as_mut_ptr().add(self.len).cast(), doc_ids);
                    let to = self.sums.as_mut_ptr().add(self.len);
                    _mm256_storeu_pd(to, compress_sums(low, of_low));
                    _mm256_storeu_pd(to.add(of_low.count_ones() as usize), compress_sums(high, of_high));
                    self.len += (of_low.count_ones() + of_high.count_ones()) as usize;
                }
                *sums = [0.0; LANES];
            }
        }
    }

    /// # Safety
    /// The processor has the features. There is a vector after the last one.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn keep_above_avx2(&mut self, least: f64) {
        let mut kept = 0;
        for at in (0..self.len).step_by(LANES) {
            // SAFETY: there are documents at `at`, and `kept` is not greater.
            unsafe { kept += self.compress_avx2(at, kept, self.above_avx2(at, least) & live(at, self.len)) };
        }
        self.len = kept;
    }

    /// Which of the 8 from `at` on have a sum above `least`.
    ///
    /// # Safety
    /// The processor has the features; there are 8 sums from `at` on.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn above_avx2(&self, at: usize, least: f64) -> u8 {
        debug_assert!(at + LANES <= self.sums.len());
        let least = _mm256_set1_pd(least);
        // SAFETY: this function's contract.
        let (low, high) =
            unsafe { (_mm256_loadu_pd(self.sums.as_ptr().add(at)), _mm256_loadu_pd(self.sums.as_ptr().add(at + 4))) };
        let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(low, least));
        let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(high, least));
        (low | high << 4) as u8
    }

    /// Moves those of the 8 from `at` on that the mask names to `kept`, and returns their number.
    ///
    /// # Safety
    /// The processor has the features; there are 8 documents from `at` and from `kept` on, which is not greater.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn compress_avx2(&mut self, at: usize, kept: usize, which: u8) -> usize {
        debug_assert!(kept <= at && at + LANES <= self.doc_ids.len() && at + LANES <= self.sums.len());
        let (low, high) = (which & 0xF, which >> 4);
        // SAFETY: this function's contract. Everything is read before anything is written.
        unsafe {
            let doc_ids = _mm256_loadu_si256(self.doc_ids.as_ptr().add(at).cast());
            let first = _mm256_loadu_pd(self.sums.as_ptr().add(at));
            let second = _mm256_loadu_pd(self.sums.as_ptr().add(at + 4));
            let doc_ids = _mm256_permutevar8x32_epi32(doc_ids, to_front(which));
            _mm256_storeu_si256(self.doc_ids.as_mut_ptr().add(kept).cast(), doc_ids);
            let to = self.sums.as_mut_ptr().add(kept);
            _mm256_storeu_pd(to, compress_sums(first, low));
            _mm256_storeu_pd(to.add(low.count_ones() as usize), compress_sums(second, high));
        }
        which.count_ones() as usize
    }
}
