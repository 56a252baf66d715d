//! NEON: four documents at a time. Norms are loaded one by one, as there is no gather; multiplications and additions are
//! not fused, so scores are those of plain Rust to the last bit.

use super::Bm25Scorer;
use crate::codec::BLOCK;
use crate::rank::bm25::Norms;
use std::arch::aarch64::*;

/// The norms of four length bytes.
#[target_feature(enable = "neon")]
#[inline]
fn norms_of(norms: &Norms, bytes: [u8; 4]) -> float32x4_t {
    let norms = bytes.map(|byte| norms.of(byte));
    // SAFETY: four floats.
    unsafe { vld1q_f32(norms.as_ptr()) }
}

/// # Safety
/// The processor has NEON; the first `count` docIDs lie in the scorer's lengths.
#[target_feature(enable = "neon")]
pub(super) unsafe fn scores(
    scorer: Bm25Scorer,
    doc_ids: &[u32],
    frequencies_less_one: &[u32; BLOCK],
    count: usize,
    scores: &mut [f32; BLOCK],
) {
    let (weight, one) = (vdupq_n_f32(scorer.weight), vdupq_n_f32(1.0));
    let (fours, rest) = doc_ids[..count].as_chunks::<4>();
    for (four, at) in fours.iter().zip((0..).step_by(4)) {
        // SAFETY: the docIDs lie in `lengths`; four frequencies and four scores are in the blocks from `at` on.
        unsafe {
            let bytes = four.map(|doc_id| *scorer.lengths.get_unchecked(doc_id as usize));
            let frequency = vaddq_f32(vcvtq_f32_u32(vld1q_u32(frequencies_less_one.as_ptr().add(at))), one);
            let share = vdivq_f32(frequency, vaddq_f32(frequency, norms_of(scorer.norms, bytes)));
            vst1q_f32(scores.as_mut_ptr().add(at), vmulq_f32(weight, share));
        }
    }
    for (&doc_id, at) in rest.iter().zip(count - rest.len()..) {
        scores[at] = scorer.score(doc_id, frequencies_less_one[at]);
    }
}
