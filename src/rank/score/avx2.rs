use super::Bm25Scorer;
use crate::codec::BLOCK;
use std::arch::x86_64::*;

/// docIDs as signed gather indices: segments have fewer than 2^31 documents.
///
/// # Safety
/// The processor has AVX2; the first `count` docIDs lie in the scorer's lengths, with their padding;
/// `doc_ids` goes on to a multiple of 16.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn scores(
    scorer: Bm25Scorer,
    doc_ids: &[u32],
    frequencies_less_one: &[u32; BLOCK],
    count: usize,
    scores: &mut [f32; BLOCK],
) {
    let weight = _mm256_set1_ps(scorer.weight);
    let lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    for at in (0..count).step_by(8) {
        // SAFETY: `at` and the 7 after it lie in the buffers; the lanes of the vector that count are docIDs of `lengths`,
        // the others are masked out; norms are indexed by bytes.
        unsafe {
            let live = _mm256_cmpgt_epi32(_mm256_set1_epi32((count - at) as i32), lanes);
            let ids = _mm256_loadu_si256(doc_ids.as_ptr().add(at).cast());
            let zero = _mm256_setzero_si256();
            let lengths = _mm256_mask_i32gather_epi32::<1>(zero, scorer.lengths.as_ptr().cast(), ids, live);
            let bytes = _mm256_and_si256(lengths, _mm256_set1_epi32(0xFF));
            let norms = _mm256_i32gather_ps::<4>(scorer.norms.0.as_ptr(), bytes);
            let less_one = _mm256_loadu_si256(frequencies_less_one.as_ptr().add(at).cast());
            let frequency = _mm256_add_ps(unsigned(less_one), _mm256_set1_ps(1.0));
            let score = _mm256_mul_ps(weight, _mm256_div_ps(frequency, _mm256_add_ps(frequency, norms)));
            _mm256_storeu_ps(scores.as_mut_ptr().add(at), score);
        }
    }
}

/// Unsigned integers as floats, rounded once, as `as f32` does.
#[target_feature(enable = "avx2")]
fn unsigned(integers: __m256i) -> __m256 {
    // Frequencies above 2^24 are as good as unseen: then lane by lane.
    if _mm256_testz_si256(integers, _mm256_set1_epi32(!0xFF_FFFF)) == 1 {
        return _mm256_cvtepi32_ps(integers);
    }
    let mut lanes = [0u32; 8];
    // SAFETY: eight lanes of room.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), integers) };
    let floats = lanes.map(|integer| integer as f32);
    // SAFETY: eight floats.
    unsafe { _mm256_loadu_ps(floats.as_ptr()) }
}
