//! Eight documents at a time: a comparison gives a mask, by which a table has the permutation that moves docIDs and sums to the
//! front. Looking documents up is left to the plain loop, which takes less.

use super::{Accumulators, GROUP};
use crate::base::bits::BITS_OF;
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
    // SAFETY: eight bytes.
    unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(BITS_OF[usize::from(which)].as_ptr().cast())) }
}

/// By mask of four lanes of 64 bits, the same for these, as lanes of 32 bits.
static PAIRS: [[u8; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut mask = 0;
    while mask < 16 {
        let mut at = 0;
        while at < 4 {
            let lane = 2 * BITS_OF[mask][at];
            (table[mask][2 * at], table[mask][2 * at + 1]) = (lane, lane + 1);
            at += 1;
        }
        mask += 1;
    }
    table
};

/// Moves the sums that the mask of four names to the front.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
fn compress_sums(sums: __m256d, which: u8) -> __m256d {
    // SAFETY: eight bytes.
    let pairs = unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(PAIRS[usize::from(which)].as_ptr().cast())) };
    _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(sums), pairs))
}

/// Which sums are above `least`.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub(super) fn above(sums: &[f64; GROUP], least: f64) -> u64 {
    let least = _mm256_set1_pd(least);
    let mut above = 0;
    for (at, four) in sums.as_chunks().0.iter().enumerate() {
        let four: &[f64; 4] = four;
        // SAFETY: four sums.
        let four = unsafe { _mm256_loadu_pd(four.as_ptr()) };
        let of_four = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(four, least)) as u32;
        above |= u64::from(of_four) << (4 * at);
    }
    above
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
        let (to, sums, mut len) = (self.doc_ids.as_mut_ptr(), self.sums.as_mut_ptr(), self.len);
        for (doc_ids, scores) in eights.0.iter().zip(of_eights.0) {
            // SAFETY: eight of each; there is room for a vector at `len`.
            unsafe {
                let scores = _mm256_loadu_ps(scores.as_ptr());
                let above = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(scores, bound)) as u8;
                let order = to_front(above);
                let doc_ids = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(doc_ids.as_ptr().cast()), order);
                let scores = _mm256_permutevar8x32_ps(scores, order);
                _mm256_storeu_si256(to.add(len).cast(), doc_ids);
                _mm256_storeu_pd(sums.add(len), _mm256_cvtps_pd(_mm256_castps256_ps128(scores)));
                _mm256_storeu_pd(sums.add(len + 4), _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(scores)));
                len += above.count_ones() as usize;
            }
        }
        self.len = len;
        for (&doc_id, &score) in eights.1.iter().zip(of_eights.1) {
            self.push_if(score > least, doc_id, score.into());
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
