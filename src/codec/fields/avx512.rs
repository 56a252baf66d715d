//! AVX-512: sixteen fields at a time.

use std::arch::x86_64::*;

/// Fields of at most [`super::WIDEST`] bits, one after the other, which are read sixteen at a time.
pub(crate) struct Sixteens {
    stream: *const u8,
    /// The bytes of sixteen fields.
    step: usize,
    /// The four bytes of each lane: from the first byte of its field on.
    bytes: __m512i,
    /// The bit of its lane at which each field begins.
    shifts: __m512i,
    mask: __m512i,
}

impl Sixteens {
    /// The fields begin at the byte `stream`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    pub(crate) fn new(stream: *const u8, width: u32) -> Sixteens {
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let bits = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(width as i32));
        let first_byte = _mm512_mullo_epi32(_mm512_srli_epi32::<3>(bits), _mm512_set1_epi32(0x0101_0101));
        Sixteens {
            stream,
            step: 2 * width as usize,
            bytes: _mm512_add_epi32(first_byte, _mm512_set1_epi32(0x0302_0100)),
            shifts: _mm512_and_si512(bits, _mm512_set1_epi32(7)),
            mask: _mm512_set1_epi32(crate::base::bits::low_mask(width) as i32),
        }
    }

    /// The next sixteen fields, and in each lane what `high` has there besides.
    ///
    /// # Safety
    /// From the first of them on, 64 bytes are readable.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    pub(crate) unsafe fn next_with(&mut self, high: __m512i) -> __m512i {
        // SAFETY: the same contract.
        let bytes = unsafe { _mm512_loadu_si512(self.stream.cast()) };
        self.stream = self.stream.wrapping_add(self.step);
        let windows = _mm512_srlv_epi32(_mm512_permutexvar_epi8(self.bytes, bytes), self.shifts);
        // high | (windows & mask)
        _mm512_ternarylogic_epi32::<0xF8>(high, windows, self.mask)
    }

    /// The next sixteen fields.
    ///
    /// # Safety
    /// As [`next_with`](Self::next_with).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    pub(crate) unsafe fn next(&mut self) -> __m512i {
        // SAFETY: the same contract.
        unsafe { self.next_with(_mm512_setzero_si512()) }
    }
}

/// Reads fields of at most [`super::WIDEST`] bits.
///
/// # Safety
/// As [`super::unpack`]; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
pub(super) unsafe fn unpack(stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let mut fields = Sixteens::new(stream, width);
    for at in (0..count).step_by(16) {
        // SAFETY: 64 bytes are readable from the first of each sixteen fields on; `out` has room for 15 more than `count`.
        unsafe { _mm512_storeu_si512(out.add(at).cast(), fields.next()) };
    }
}
