//! AVX-512: 32 buckets at a time.

use super::{STEP, Span};
use std::arch::x86_64::*;

/// Bytes by which buckets are fetched ahead: processors do not go on into the next page by themselves.
const AHEAD: usize = 4096;

/// As [`super::each_step`].
///
/// # Safety
/// The processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn each_step(of: &[u16], some: Span, all: Option<Span>, mut take: impl FnMut(usize, u64, u64)) {
    for (at, of) in of.as_chunks::<STEP>().0.iter().enumerate() {
        for line in [0, 64] {
            _mm_prefetch::<_MM_HINT_T0>(of.as_ptr().cast::<i8>().wrapping_add(AHEAD + line));
        }
        // SAFETY: there are 64 buckets.
        let halves =
            unsafe { [_mm512_loadu_si512(of.as_ptr().cast()), _mm512_loadu_si512(of.as_ptr().add(STEP / 2).cast())] };
        let among = |(first, more): Span| {
            let (first, more) = (_mm512_set1_epi16(first as i16), _mm512_set1_epi16(more as i16));
            let [low, high] = halves.map(|half| _mm512_cmple_epu16_mask(_mm512_sub_epi16(half, first), more));
            u64::from(low) | u64::from(high) << 32
        };
        take(at, among(some), all.map_or(0, among));
    }
}
