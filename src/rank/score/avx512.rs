use super::Bm25Scorer;
use crate::codec::BLOCK;
use std::arch::x86_64::*;

/// docIDs as signed gather indices: segments have fewer than 2^31 documents.
///
/// # Safety
/// The processor has AVX-512 F, BW, VL and DQ; the first `count` docIDs lie in the scorer's lengths, with their padding;
/// `doc_ids` goes on to a multiple of 16.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) unsafe fn scores(
    scorer: Bm25Scorer,
    doc_ids: &[u32],
    frequencies_less_one: &[u32; BLOCK],
    count: usize,
    scores: &mut [f32; BLOCK],
) {
    let weight = _mm512_set1_ps(scorer.weight);
    for at in (0..count).step_by(16) {
        // SAFETY: `at` and the 15 after it lie in the buffers; the lanes of the vector that count are docIDs of `lengths`,
        // the others are masked out; norms are indexed by bytes.
        unsafe {
            let live = if count - at >= 16 { u16::MAX } else { (1 << (count - at)) - 1 };
            let ids = _mm512_loadu_si512(doc_ids.as_ptr().add(at).cast());
            let zero = _mm512_setzero_si512();
            let lengths = _mm512_mask_i32gather_epi32::<1>(zero, live, ids, scorer.lengths.as_ptr().cast());
            let bytes = _mm512_and_si512(lengths, _mm512_set1_epi32(0xFF));
            let norms = _mm512_i32gather_ps::<4>(bytes, scorer.norms.0.as_ptr().cast());
            let less_one = _mm512_loadu_si512(frequencies_less_one.as_ptr().add(at).cast());
            let frequency = _mm512_add_ps(_mm512_cvtepu32_ps(less_one), _mm512_set1_ps(1.0));
            let score = _mm512_mul_ps(weight, _mm512_div_ps(frequency, _mm512_add_ps(frequency, norms)));
            _mm512_storeu_ps(scores.as_mut_ptr().add(at), score);
        }
    }
}
