//! AVX-512: sixteen values at a time.

use super::Stops;
use crate::bits::low_mask;
use std::arch::x86_64::*;

/// As [`super::scalar::merge`], for widths of at most [`WIDEST`](crate::codec::fields::WIDEST).
///
/// # Safety
/// As there; 64 bytes are readable from each remainder on; `out` has room for 15 more; the processor has the features
/// named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
pub(super) unsafe fn merge(stops: &Stops, remainders: *const u8, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // Sixteen fields take `2 * width` bytes. Lane i gets four bytes from the first byte of its field on.
    let bits = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(width as i32));
    let first_byte = _mm512_mullo_epi32(_mm512_srli_epi32::<3>(bits), _mm512_set1_epi32(0x0101_0101));
    let bytes = _mm512_add_epi32(first_byte, _mm512_set1_epi32(0x0302_0100));
    let shifts = _mm512_and_si512(bits, _mm512_set1_epi32(7));
    let mask = _mm512_set1_epi32(low_mask(width) as i32);
    let left = _mm_cvtsi32_si128(width as i32);
    let one = _mm256_set1_epi16(1);
    let mut fields = remainders;
    // SAFETY: of each sixteen values the first is below `count`: `Positions` has room for a vector after so many, and 64
    // bytes are readable from its remainder on.
    unsafe {
        for at in (0..count).step_by(16) {
            let from = _mm256_loadu_si256(previous.add(at).cast());
            let to = _mm256_loadu_si256(previous.add(at + 1).cast());
            let quotients = _mm512_cvtepu16_epi32(_mm256_sub_epi16(_mm256_sub_epi16(to, from), one));
            let windows = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(fields.cast()));
            let remainders = _mm512_srlv_epi32(windows, shifts);
            let quotients = _mm512_sll_epi32(quotients, left);
            // quotients | (remainders & mask)
            let values = _mm512_ternarylogic_epi32::<0xF8>(quotients, remainders, mask);
            _mm512_storeu_si512(out.add(at).cast(), values);
            fields = fields.wrapping_add(2 * width as usize);
        }
    }
}
