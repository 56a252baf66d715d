//! AVX2: eight docIDs at a time.

use super::Line;
use crate::codec::fields::Eights;
use std::arch::x86_64::*;

/// As [`super::decode`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn decode(line: Line, stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let mut values = Values::new(line);
    let mut deviations = Eights::new(stream, width);
    for at in (0..count).step_by(8) {
        // SAFETY: 64 bytes are readable from the first of each eight fields on; `out` has room for seven more than
        // `count`.
        unsafe { _mm256_storeu_si256(out.add(at).cast(), _mm256_add_epi32(deviations.next(), values.next())) };
    }
}

/// As [`super::scalar`].
///
/// # Safety
/// As there; seven words after the deviations may be read and written; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn add(line: Line, count: usize, out: *mut u32) {
    let mut values = Values::new(line);
    for at in (0..count).step_by(8) {
        // SAFETY: the vector begins before `count`; it ends there or within the slack.
        unsafe {
            let to = out.add(at).cast();
            _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), values.next()));
        }
    }
}

/// A line in 64-bit lanes, for the next four docIDs of even and of odd index.
struct Values {
    even: __m256i,
    odd: __m256i,
    /// What both rise by to the next eight docIDs.
    step: __m256i,
}

impl Values {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    #[inline]
    fn new(line: Line) -> Values {
        let at = |index: usize| line.from(index).origin as i64;
        Values {
            even: _mm256_setr_epi64x(at(0), at(2), at(4), at(6)),
            odd: _mm256_setr_epi64x(at(1), at(3), at(5), at(7)),
            step: _mm256_set1_epi64x(line.slope.wrapping_mul(8) as i64),
        }
    }

    /// The values of the next eight docIDs. The upper halves of the odd lanes are in their place.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    #[inline]
    fn next(&mut self) -> __m256i {
        let values = _mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(self.even), self.odd);
        self.even = _mm256_add_epi64(self.even, self.step);
        self.odd = _mm256_add_epi64(self.odd, self.step);
        values
    }
}
