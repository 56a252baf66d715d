//! AVX2: a shuffle chosen by the control byte spreads the bytes of four values over half a vector.

use super::shuffles::{LENGTHS, SHUFFLES};
use std::arch::x86_64::*;

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
