//! AVX-512 VBMI2: an expansion spreads the bytes of sixteen values over a vector. Its mask has one bit per byte of each
//! value.

use std::arch::x86_64::*;

/// By control byte: four bits per value, of which as many of the lowest are set as the value has bytes.
static MASKS: [u16; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 256 {
        let mut value = 0;
        while value < 4 {
            table[control] |= (0xF >> (3 - (control >> (2 * value) & 3))) << (4 * value);
            value += 1;
        }
        control += 1;
    }
    table
};

/// Decodes the values of a part.
///
/// # Safety
/// As [`super::scalar::decode`], but 16 words after the data may be read, and `out` has room for 15 values more; the
/// processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn decode(control: &[u32], data: &[u32], count: usize, out: *mut u32) {
    let mut from = data.as_ptr().cast::<u8>();
    for (&control, rank) in control.iter().zip((0..count).step_by(16)) {
        let part = |byte: u32| u64::from(MASKS[(control >> (8 * byte) & 0xFF) as usize]) << (16 * byte);
        let mask = part(0) | part(1) | part(2) | part(3);
        // SAFETY: the first of sixteen values lies in the data, and the load ends 64 bytes after its beginning, in the
        // data or the 16 words after it.
        unsafe {
            let bytes = _mm512_loadu_si512(from.cast());
            _mm512_storeu_si512(out.add(rank).cast(), _mm512_maskz_expand_epi8(mask, bytes));
            from = from.add(mask.count_ones() as usize);
        }
    }
}
