//! AVX-512: shifts sixteen values at a time, each by its own amount.

use super::{COUNTS, LEFT, RIGHT};
use std::arch::x86_64::*;

/// Decodes the values of `words` to `out` and returns their number.
///
/// # Safety
/// As [`super::decode_values`]; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
pub(super) unsafe fn decode(words: &[u32], out: *mut u32) -> usize {
    let mut found = 0;
    for &word in words {
        let selector = (word >> 28) as usize;
        // SAFETY: a row of `LEFT` has 32 shifts, which is two vectors. `out` has room for all values and the slack: at
        // least one of the 16 values written here belongs to this word, or 28 of 32 if both vectors are written.
        unsafe {
            let left = LEFT.0[selector].as_ptr().cast::<__m512i>();
            let right = _mm512_set1_epi32(RIGHT[selector] as i32);
            let word = _mm512_set1_epi32(word as i32);
            let to = out.add(found).cast::<__m512i>();
            let store = |k: usize| {
                let shifts = _mm512_loadu_si512(left.add(k).cast());
                let values = _mm512_srlv_epi32(_mm512_sllv_epi32(word, shifts), right);
                _mm512_storeu_si512(to.add(k).cast(), values);
            };
            store(0);
            if selector > 7 {
                store(1);
            }
        }
        found += usize::from(COUNTS[selector]);
    }
    found
}
