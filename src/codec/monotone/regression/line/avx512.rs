//! AVX-512: sixteen docIDs at a time.

use super::Line;
use crate::codec::fields::Sixteens;
use std::arch::x86_64::*;

/// As [`super::decode`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,bmi1,bmi2")]
pub(super) unsafe fn decode(line: Line, stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let mut values = Values::new(line);
    let mut deviations = Sixteens::new(stream, width);
    for at in (0..count).step_by(16) {
        // SAFETY: 64 bytes are readable from the first of each sixteen fields on; `out` has room for 15 more than `count`.
        unsafe { _mm512_storeu_si512(out.add(at).cast(), _mm512_add_epi32(deviations.next(), values.next())) };
    }
}

/// As [`super::scalar`].
///
/// # Safety
/// As there; 15 words after the deviations may be read and written; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2")]
pub(super) unsafe fn add(line: Line, count: usize, out: *mut u32) {
    let mut values = Values::new(line);
    for at in (0..count).step_by(16) {
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at).cast();
            _mm512_storeu_si512(to, _mm512_add_epi32(_mm512_loadu_si512(to), values.next()));
        }
    }
}

/// A line in 64-bit lanes, for the next eight docIDs of even and of odd index.
struct Values {
    even: __m512i,
    odd: __m512i,
    /// What both rise by to the next sixteen docIDs.
    step: __m512i,
}

impl Values {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2")]
    #[inline]
    fn new(line: Line) -> Values {
        let slope = _mm512_set1_epi64(line.slope as i64);
        let rises = _mm512_mullo_epi64(slope, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14));
        let even = _mm512_add_epi64(_mm512_set1_epi64(line.origin as i64), rises);
        Values { even, odd: _mm512_add_epi64(even, slope), step: _mm512_slli_epi64::<4>(slope) }
    }

    /// The values of the next sixteen docIDs. The upper halves of the odd lanes are in their place.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2")]
    #[inline]
    fn next(&mut self) -> __m512i {
        let values = _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(self.even), self.odd);
        self.even = _mm512_add_epi64(self.even, self.step);
        self.odd = _mm512_add_epi64(self.odd, self.step);
        values
    }
}
