//! AVX2: a shuffle chosen by the control byte spreads the bytes of four values over half a vector.

use std::arch::x86_64::*;

/// By control byte: the source of each byte of the values; 0x80 for bytes that are 0.
static SHUFFLES: [[u8; 16]; 256] = {
    let mut table = [[0x80; 16]; 256];
    let mut control = 0;
    while control < 256 {
        let (mut value, mut from) = (0, 0);
        while value < 4 {
            let length = (control >> (2 * value) & 3) + 1;
            let mut byte = 0;
            while byte < length {
                table[control][4 * value + byte] = from;
                from += 1;
                byte += 1;
            }
            value += 1;
        }
        control += 1;
    }
    table
};

/// By control byte: the number of bytes of its four values.
static LENGTHS: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 256 {
        table[control] = (4 + (control & 3) + (control >> 2 & 3) + (control >> 4 & 3) + (control >> 6)) as u8;
        control += 1;
    }
    table
};

/// Decodes the values of a part.
///
/// # Safety
/// As [`super::scalar::decode`], but 16 words after the data may be read, and `out` has room for seven values more; the
/// processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn decode(control: &[u32], data: &[u32], count: usize, out: *mut u32) {
    let mut from = data.as_ptr().cast::<u8>();
    let controls = control.as_ptr().cast::<u8>();
    for rank in (0..count).step_by(8) {
        // SAFETY: the first of eight values lies in the data, and the loads end within 32 bytes of its beginning, in
        // the data or the 16 words after it. Both control bytes are in the same word. The shuffles are two rows of the
        // table.
        unsafe {
            let (low, high) = (*controls.add(rank / 4) as usize, *controls.add(rank / 4 + 1) as usize);
            let middle = from.add(LENGTHS[low] as usize);
            let bytes = _mm256_inserti128_si256::<1>(
                _mm256_castsi128_si256(_mm_loadu_si128(from.cast())),
                _mm_loadu_si128(middle.cast()),
            );
            let shuffle = _mm256_inserti128_si256::<1>(
                _mm256_castsi128_si256(_mm_loadu_si128(SHUFFLES[low].as_ptr().cast())),
                _mm_loadu_si128(SHUFFLES[high].as_ptr().cast()),
            );
            _mm256_storeu_si256(out.add(rank).cast(), _mm256_shuffle_epi8(bytes, shuffle));
            from = middle.add(LENGTHS[high] as usize);
        }
    }
}
