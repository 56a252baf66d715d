//! AVX2: eight fields at a time.

use super::WIDEST;
use std::arch::x86_64::*;

/// How eight fields get into 32-bit lanes. They begin at a byte boundary and take `width` bytes. The low half of a
/// vector is loaded from their first byte and gets the first four. The high half is loaded from byte `width / 2` and
/// gets the other four, which begin at bit 0 or 4 of that byte.
pub(crate) struct Lanes {
    /// The bytes of each lane, for a shuffle within halves.
    pub(crate) bytes: [u8; 32],
    /// The bit of its lane at which each field begins.
    pub(crate) shifts: [u32; 8],
}

/// [`Lanes`] by width.
pub(crate) static LANES: [Lanes; WIDEST as usize + 1] = {
    let mut table = [const { Lanes { bytes: [0; 32], shifts: [0; 8] } }; WIDEST as usize + 1];
    let mut width = 0;
    while width < table.len() {
        let mut i = 0;
        while i < 32 {
            let bit = i / 4 % 4 * width + if i < 16 { 0 } else { 4 * width % 8 };
            table[width].bytes[i] = (bit / 8 + i % 4) as u8;
            table[width].shifts[i / 4] = (bit % 8) as u32;
            i += 1;
        }
        width += 1;
    }
    table
};

/// Reads fields of at most [`WIDEST`] bits.
///
/// # Safety
/// As [`super::unpack`]; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn unpack(stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let half = width as usize / 2;
    let Lanes { bytes, shifts } = &LANES[width as usize];
    let mask = _mm256_set1_epi32(crate::bits::low_mask(width) as i32);
    let mut fields = stream;
    // SAFETY: the arrays are as long as the vectors; 64 bytes are readable from the first of each eight fields on, and
    // `half` is at most 12; `out` has room for 15 more than `count`.
    unsafe {
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let shifts = _mm256_loadu_si256(shifts.as_ptr().cast());
        for at in (0..count).step_by(8) {
            let low = _mm_loadu_si128(fields.cast());
            let high = _mm_loadu_si128(fields.add(half).cast());
            let windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
            let values = _mm256_and_si256(_mm256_srlv_epi32(windows, shifts), mask);
            _mm256_storeu_si256(out.add(at).cast(), values);
            fields = fields.wrapping_add(width as usize);
        }
    }
}
