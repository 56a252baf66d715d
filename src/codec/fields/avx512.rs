//! AVX-512: sixteen fields at a time.

use std::arch::x86_64::*;

/// Reads fields of at most [`super::WIDEST`] bits.
///
/// # Safety
/// As [`super::unpack`]; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
pub(super) unsafe fn unpack(stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // Sixteen fields take `2 * width` bytes. Lane i gets four bytes from the first byte of its field on.
    let bits = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(width as i32));
    let first_byte = _mm512_mullo_epi32(_mm512_srli_epi32::<3>(bits), _mm512_set1_epi32(0x0101_0101));
    let bytes = _mm512_add_epi32(first_byte, _mm512_set1_epi32(0x0302_0100));
    let shifts = _mm512_and_si512(bits, _mm512_set1_epi32(7));
    let mask = _mm512_set1_epi32(crate::bits::low_mask(width) as i32);
    let mut fields = stream;
    // SAFETY: 64 bytes are readable from the first of each sixteen fields on; `out` has room for 15 more than `count`.
    unsafe {
        for at in (0..count).step_by(16) {
            let windows = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(fields.cast()));
            let values = _mm512_and_si512(_mm512_srlv_epi32(windows, shifts), mask);
            _mm512_storeu_si512(out.add(at).cast(), values);
            fields = fields.wrapping_add(2 * width as usize);
        }
    }
}
