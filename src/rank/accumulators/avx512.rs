//! Sixteen documents at a time: a comparison gives a mask, by which docIDs and sums are compressed.

use super::{Accumulators, GROUP, VECTOR};
use crate::rank::score::in_avx512;
use std::arch::x86_64::*;

/// The lanes from `at` on that lie before `len`.
#[inline(always)]
fn live(at: usize, len: usize) -> u16 {
    if len - at >= VECTOR { u16::MAX } else { (1 << (len - at)) - 1 }
}

impl Accumulators {
    /// # Safety
    /// The processor has the features. There is room for all, and a vector more.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn push_above_avx512(&mut self, doc_ids: &[u32], scores: &[f32], least: f32) {
        let count = doc_ids.len().min(scores.len());
        assert!(self.len + count + VECTOR <= self.doc_ids.len().min(self.sums.len()));
        let least = _mm512_set1_ps(least);
        let mut len = self.len;
        for at in (0..count).step_by(VECTOR) {
            let live = live(at, count);
            // SAFETY: loads are masked to what there is; there is room for a vector at `len`.
            unsafe {
                let scores = _mm512_maskz_loadu_ps(live, scores.as_ptr().add(at));
                let doc_ids = _mm512_maskz_loadu_epi32(live, doc_ids.as_ptr().add(at).cast());
                let above = _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(live, scores, least);
                let scores = _mm512_maskz_compress_ps(above, scores);
                let low = _mm512_cvtps_pd(_mm512_castps512_ps256(scores));
                let high = _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(scores));
                _mm512_storeu_si512(
                    self.doc_ids.as_mut_ptr().add(len).cast(),
                    _mm512_maskz_compress_epi32(above, doc_ids),
                );
                _mm512_storeu_pd(self.sums.as_mut_ptr().add(len), low);
                _mm512_storeu_pd(self.sums.as_mut_ptr().add(len + 8), high);
                len += above.count_ones() as usize;
            }
        }
        self.len = len;
    }

    /// # Safety
    /// The processor has the features. There is room for the groups, and a vector more.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn take_above_avx512(&mut self, first: u32, sums: &mut [[f64; GROUP]], groups: u64, least: f64) {
        let room = self.doc_ids.len().min(self.sums.len());
        assert!(self.len + groups.count_ones() as usize * GROUP + VECTOR <= room);
        assert!(64 - groups.leading_zeros() as usize <= sums.len());
        let least = _mm512_set1_pd(least);
        let steps = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        // Where they stand.
        let mut len = self.len;
        let mut left = groups;
        while left != 0 {
            let group = left.trailing_zeros() as usize;
            left &= left - 1;
            for (at, sums) in sums[group].as_chunks::<VECTOR>().0.iter().enumerate() {
                // SAFETY: sixteen sums; there is room for a vector at `len`.
                unsafe {
                    let low = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(_mm512_loadu_pd(sums.as_ptr()), least);
                    let high = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(_mm512_loadu_pd(sums.as_ptr().add(8)), least);
                    let above = u16::from(low) | u16::from(high) << 8;
                    let places = _mm512_add_epi32(steps, _mm512_set1_epi32((GROUP * group + VECTOR * at) as i32));
                    let places = _mm512_maskz_compress_epi32(above, places);
                    _mm512_storeu_si512(self.doc_ids.as_mut_ptr().add(len).cast(), places);
                    len += above.count_ones() as usize;
                }
            }
        }
        for at in (self.len..len).step_by(8) {
            let live = if len - at >= 8 { u8::MAX } else { (1 << (len - at)) - 1 };
            // SAFETY: a vector more than there is room for is there; places lie in the groups.
            unsafe {
                let places = _mm256_loadu_si256(self.doc_ids.as_ptr().add(at).cast());
                let zero = _mm512_setzero_pd();
                let some = _mm512_mask_i32gather_pd::<8>(zero, live, places, sums.as_ptr().cast());
                _mm512_storeu_pd(self.sums.as_mut_ptr().add(at), some);
                let doc_ids = _mm256_add_epi32(places, _mm256_set1_epi32(first as i32));
                _mm256_storeu_si256(self.doc_ids.as_mut_ptr().add(at).cast(), doc_ids);
            }
        }
        let mut left = groups;
        while left != 0 {
            sums[left.trailing_zeros() as usize] = [0.0; GROUP];
            left &= left - 1;
        }
        self.len = len;
    }

    /// # Safety
    /// The processor has the features. There is a vector after the last one.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn keep_above_avx512(&mut self, least: f64) {
        let mut kept = 0;
        for at in (0..self.len).step_by(VECTOR) {
            // SAFETY: there are documents at `at`, and `kept` is not greater.
            unsafe {
                let above = self.above(at, least);
                kept += self.compress(at, kept, above & live(at, self.len));
            }
        }
        self.len = kept;
    }

    /// # Safety
    /// The processor has the features. There is a vector after the last one; `bits` has a bit for each document.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn keep_in_avx512(&mut self, from: usize, bits: &[u32], least: f64) {
        let mut kept = from;
        for at in (from..self.len).step_by(VECTOR) {
            let live = live(at, self.len);
            // SAFETY: there are documents at `at`, each of which has a bit, and `kept` is not greater.
            unsafe {
                let doc_ids = _mm512_loadu_si512(self.doc_ids.as_ptr().add(at).cast());
                let is_kept = in_avx512(doc_ids, live, bits) | self.above(at, least);
                kept += self.compress(at, kept, is_kept & live);
            }
        }
        self.len = kept;
    }

    /// # Safety
    /// The processor has the features. There is a vector after the last one; `found` ascends and ends with `u32::MAX`,
    /// which is no document.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn keep_found_avx512(&mut self, found: &[u32], least: f64) {
        let (mut kept, mut next) = (0, 0);
        for at in (0..self.len).step_by(VECTOR) {
            let live = live(at, self.len);
            let last = self.doc_ids[self.len.min(at + VECTOR) - 1];
            // SAFETY: there are documents at `at`, and `kept` is not greater.
            unsafe {
                let doc_ids = _mm512_loadu_si512(self.doc_ids.as_ptr().add(at).cast());
                let mut is_kept = self.above(at, least);
                while found[next] <= last {
                    is_kept |= _mm512_cmpeq_epi32_mask(doc_ids, _mm512_set1_epi32(found[next] as i32));
                    next += 1;
                }
                kept += self.compress(at, kept, is_kept & live);
            }
        }
        self.len = kept;
    }

    /// Which of the 16 from `at` on have a sum above `least`.
    ///
    /// # Safety
    /// The processor has the features; there are 16 sums from `at` on.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn above(&self, at: usize, least: f64) -> u16 {
        debug_assert!(at + VECTOR <= self.sums.len());
        let least = _mm512_set1_pd(least);
        // SAFETY: this function's contract.
        let (low, high) =
            unsafe { (_mm512_loadu_pd(self.sums.as_ptr().add(at)), _mm512_loadu_pd(self.sums.as_ptr().add(at + 8))) };
        let low = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(low, least);
        let high = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(high, least);
        u16::from(low) | u16::from(high) << 8
    }

    /// Moves those of the 16 from `at` on that the mask names to `kept`, and returns their number.
    ///
    /// # Safety
    /// The processor has the features; there are 16 documents from `at` and from `kept` on, which is not greater.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline]
    unsafe fn compress(&mut self, at: usize, kept: usize, which: u16) -> usize {
        debug_assert!(kept <= at && at + VECTOR <= self.doc_ids.len() && at + VECTOR <= self.sums.len());
        let (low, high) = (which as u8, (which >> 8) as u8);
        let of_low = low.count_ones() as usize;
        // SAFETY: this function's contract. Everything is read before anything is written.
        unsafe {
            let doc_ids = _mm512_loadu_si512(self.doc_ids.as_ptr().add(at).cast());
            let first = _mm512_loadu_pd(self.sums.as_ptr().add(at));
            let second = _mm512_loadu_pd(self.sums.as_ptr().add(at + 8));
            _mm512_storeu_si512(
                self.doc_ids.as_mut_ptr().add(kept).cast(),
                _mm512_maskz_compress_epi32(which, doc_ids),
            );
            _mm512_storeu_pd(self.sums.as_mut_ptr().add(kept), _mm512_maskz_compress_pd(low, first));
            _mm512_storeu_pd(self.sums.as_mut_ptr().add(kept + of_low), _mm512_maskz_compress_pd(high, second));
        }
        which.count_ones() as usize
    }
}
