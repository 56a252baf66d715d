//! AVX2: 16 buckets at a time.

use super::{STEP, Span};
use std::arch::x86_64::*;

/// As [`super::each_step`].
///
/// # Safety
/// The processor has the enabled features.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn each_step(of: &[u16], some: Span, all: Option<Span>, mut take: impl FnMut(usize, u64, u64)) {
    for (at, of) in of.as_chunks::<STEP>().0.iter().enumerate() {
        // SAFETY: there are 64 buckets.
        let quarters = [0, 16, 32, 48].map(|from| unsafe { _mm256_loadu_si256(of.as_ptr().add(from).cast()) });
        let among = |(first, more): Span| {
            let (first, more) = (_mm256_set1_epi16(first as i16), _mm256_set1_epi16(more as i16));
            let is_in = |quarter| {
                let above = _mm256_sub_epi16(quarter, first);
                _mm256_cmpeq_epi16(_mm256_min_epu16(above, more), above)
            };
            // Packing takes 16 bytes of the two in turns.
            let half = |a, b| {
                let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(is_in(a), is_in(b)));
                u64::from(_mm256_movemask_epi8(bytes) as u32)
            };
            let [a, b, c, d] = quarters;
            half(a, b) | half(c, d) << 32
        };
        take(at, among(some), all.map_or(0, among));
    }
}
