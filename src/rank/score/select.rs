//! Choosing documents of a block: those with high scores, and those in a bit set. Vectors pay only with gathers and
//! compression, which AVX2 and NEON lack.

use crate::base::cpu::Tier;
use crate::codec::BLOCK;
use crate::index::list::has;

/// Documents chosen from a block: their docIDs, and their indices in the block.
pub struct Chosen {
    /// The docIDs.
    pub doc_ids: [u32; BLOCK + 16],
    /// The indices.
    pub indices: [u32; BLOCK + 16],
    /// How many there are.
    pub len: usize,
}

impl Default for Chosen {
    /// None yet.
    fn default() -> Chosen {
        Chosen { doc_ids: [0; BLOCK + 16], indices: [0; BLOCK + 16], len: 0 }
    }
}

impl Chosen {
    /// Chooses the documents `from..to` of a block.
    #[inline(always)]
    pub fn take_all(&mut self, doc_ids: &[u32], from: usize, to: usize) {
        self.len = to - from;
        self.doc_ids[..self.len].copy_from_slice(&doc_ids[from..to]);
        for (at, index) in self.indices[..self.len].iter_mut().enumerate() {
            *index = (from + at) as u32;
        }
    }

    /// Keeps those with a score above `least`.
    #[inline(always)]
    pub fn keep_above(&mut self, tier: Tier, scores: &[f32], least: f64) {
        assert!(self.len <= BLOCK && scores.len() <= BLOCK);
        let least = near(least);
        #[cfg(target_arch = "x86_64")]
        if tier == Tier::Avx512 {
            // SAFETY: the tier is available; indices are those of scores.
            return unsafe { self.keep_above_avx512(scores, least) };
        }
        let _ = tier;
        let mut kept = 0;
        for at in 0..self.len {
            let index = self.indices[at];
            (self.doc_ids[kept], self.indices[kept]) = (self.doc_ids[at], index);
            kept += usize::from(scores[index as usize] > least);
        }
        self.len = kept;
    }

    /// Keeps those of which this holds.
    #[inline(always)]
    pub fn keep_if(&mut self, keeps: impl Fn(u32) -> bool) {
        let mut kept = 0;
        for at in 0..self.len {
            let doc_id = self.doc_ids[at];
            (self.doc_ids[kept], self.indices[kept]) = (doc_id, self.indices[at]);
            kept += usize::from(keeps(doc_id));
        }
        self.len = kept;
    }

    /// Keeps those in a bit set, which has a bit for each.
    #[inline(always)]
    pub fn keep_in(&mut self, tier: Tier, bits: &[u32]) {
        assert!(self.len <= BLOCK);
        let Some(&last) = self.doc_ids[..self.len].last() else { return };
        assert!((last as usize) / 32 < bits.len());
        #[cfg(target_arch = "x86_64")]
        if tier == Tier::Avx512 {
            // SAFETY: the tier is available; docIDs ascend, so all have a bit as the last one has.
            return unsafe { self.keep_in_avx512(bits) };
        }
        let _ = tier;
        self.keep_if(|doc_id| has(bits, doc_id));
    }

    /// # Safety
    /// The processor has the tier, and all indices are below `scores.len()`.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    unsafe fn keep_above_avx512(&mut self, scores: &[f32], least: f32) {
        use std::arch::x86_64::*;
        let least = _mm512_set1_ps(least);
        let mut kept = 0;
        for at in (0..self.len).step_by(16) {
            let live = if self.len - at >= 16 { u16::MAX } else { (1 << (self.len - at)) - 1 };
            // SAFETY: the arrays have 16 elements from `at`, and from `kept`, which is not greater; live indices are
            // those of scores.
            unsafe {
                let indices = _mm512_loadu_si512(self.indices.as_ptr().add(at).cast());
                let scores = _mm512_mask_i32gather_ps::<4>(least, live, indices, scores.as_ptr());
                let above = _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(live, scores, least);
                kept += self.move_avx512(at, kept, above);
            }
        }
        self.len = kept;
    }

    /// # Safety
    /// The processor has the tier, and `bits` has a bit for each docID.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    unsafe fn keep_in_avx512(&mut self, bits: &[u32]) {
        use std::arch::x86_64::*;
        let mut kept = 0;
        for at in (0..self.len).step_by(16) {
            let live = if self.len - at >= 16 { u16::MAX } else { (1 << (self.len - at)) - 1 };
            // SAFETY: as above; live docIDs have a bit.
            unsafe {
                let doc_ids = _mm512_loadu_si512(self.doc_ids.as_ptr().add(at).cast());
                kept += self.move_avx512(at, kept, in_avx512(doc_ids, live, bits));
            }
        }
        self.len = kept;
    }
}

/// The `f32` that the same scores exceed as `least`: the largest that is not above it.
#[inline(always)]
pub(in crate::rank) fn near(least: f64) -> f32 {
    let near = least as f32;
    if f64::from(near) > least { near.next_down() } else { near }
}

/// Which of the live documents are in a bit set.
///
/// # Safety
/// The processor has AVX-512 F; `bits` has a bit for each live document.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
pub(in crate::rank) unsafe fn in_avx512(doc_ids: std::arch::x86_64::__m512i, live: u16, bits: &[u32]) -> u16 {
    use std::arch::x86_64::*;
    let places = _mm512_srli_epi32::<5>(doc_ids);
    // SAFETY: this function's contract; lanes that are not live are not read.
    let words = unsafe { _mm512_mask_i32gather_epi32::<4>(_mm512_setzero_si512(), live, places, bits.as_ptr().cast()) };
    let bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(doc_ids, _mm512_set1_epi32(31)));
    _mm512_test_epi32_mask(words, bit) & live
}

#[cfg(target_arch = "x86_64")]
impl Chosen {
    /// Moves those of the 16 from `at` that the mask names to `kept`, and returns their number.
    ///
    /// # Safety
    /// The processor has the tier; the arrays have 16 elements from `at` and from `kept`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    #[inline]
    unsafe fn move_avx512(&mut self, at: usize, kept: usize, which: u16) -> usize {
        use std::arch::x86_64::*;
        for array in [&mut self.doc_ids, &mut self.indices] {
            // SAFETY: the caller's arrays have room for a vector there.
            unsafe {
                let some = _mm512_maskz_compress_epi32(which, _mm512_loadu_si512(array.as_ptr().add(at).cast()));
                _mm512_storeu_si512(array.as_mut_ptr().add(kept).cast(), some);
            }
        }
        which.count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_tier_chooses_alike(
            gaps in prop::collection::vec(1u32..9, 1..=BLOCK), seed: u32, least in -1.0f64..2.0, cut in 0usize..BLOCK
        ) {
            let doc_ids: Vec<u32> = gaps.iter().scan(0, |next, gap| { *next += gap; Some(*next - 1) }).collect();
            let noise = |at: u32| (at ^ seed).wrapping_mul(0x9E37_79B9) >> 8;
            let scores: Vec<f32> = (0..doc_ids.len() as u32).map(|at| (noise(at) % 100) as f32 / 50.0).collect();
            let bits: Vec<u32> = (0..=doc_ids[doc_ids.len() - 1] / 32).map(|at| noise(at) ^ noise(at + 9) << 12).collect();
            let from = cut % doc_ids.len();
            let wanted: Vec<(u32, u32)> = (from..doc_ids.len())
                .filter(|&at| f64::from(scores[at]) > least)
                .map(|at| (doc_ids[at], at as u32))
                .filter(|&(doc_id, _)| has(&bits, doc_id))
                .collect();
            for tier in Tier::available() {
                for above_first in [true, false] {
                    let mut chosen = Chosen::default();
                    chosen.take_all(&doc_ids, from, doc_ids.len());
                    if above_first {
                        chosen.keep_above(tier, &scores, least);
                    }
                    chosen.keep_in(tier, &bits);
                    chosen.keep_above(tier, &scores, least);
                    let got = chosen.doc_ids[..chosen.len].iter().copied().zip(chosen.indices);
                    prop_assert_eq!(got.collect::<Vec<_>>(), wanted.clone());
                }
            }
        }
    }
}
