//! AVX2: eight fields at a time.

use super::lanes::{LANES, Lanes};
use std::arch::x86_64::*;

/// Fields of at most [`super::WIDEST`] bits, one after the other, which are read eight at a time.
pub(crate) struct Eights {
    stream: *const u8,
    width: usize,
    bytes: __m256i,
    shifts: __m256i,
    mask: __m256i,
}

impl Eights {
    /// The fields begin at the byte `stream`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn new(stream: *const u8, width: u32) -> Eights {
        let Lanes { bytes, shifts } = &LANES[width as usize];
        // SAFETY: the arrays are as long as the vectors.
        let (bytes, shifts) =
            unsafe { (_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(shifts.as_ptr().cast())) };
        let mask = _mm256_set1_epi32(crate::base::bits::low_mask(width) as i32);
        Eights { stream, width: width as usize, bytes, shifts, mask }
    }

    /// The next eight fields.
    ///
    /// # Safety
    /// From the first of them on, 28 bytes are readable.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) unsafe fn next(&mut self) -> __m256i {
        // SAFETY: half a width is at most 12 bytes; 16 are read from there.
        let (low, high) = unsafe {
            let high = self.stream.add(self.width / 2);
            (_mm_loadu_si128(self.stream.cast()), _mm_loadu_si128(high.cast()))
        };
        self.stream = self.stream.wrapping_add(self.width);
        let windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), self.bytes);
        _mm256_and_si256(_mm256_srlv_epi32(windows, self.shifts), self.mask)
    }
}

/// Reads fields of at most [`super::WIDEST`] bits.
///
/// # Safety
/// As [`super::unpack`]; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn unpack(stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let mut fields = Eights::new(stream, width);
    for at in (0..count).step_by(8) {
        // SAFETY: 64 bytes are readable from the first of each eight fields on; `out` has room for 15 more than `count`.
        unsafe { _mm256_storeu_si256(out.add(at).cast(), fields.next()) };
    }
}
