//! AVX2: shifts eight values at a time, each by its own amount.

use super::{COUNTS, LEFT, RIGHT};
use std::arch::x86_64::*;

/// Decodes the values of `words` to `out` and returns their number.
///
/// # Safety
/// As [`super::decode_values`]; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn decode(words: &[u32], out: *mut u32) -> usize {
    let mut found = 0;
    for &word in words {
        let selector = (word >> 28) as usize;
        // SAFETY: a row of `LEFT` has 32 shifts, which is four vectors. `out` has room for all values and the slack: at
        // least one of the 16 values written here belongs to this word, or 28 of 32 if all four vectors are written.
        unsafe {
            let left = LEFT.0[selector].as_ptr().cast::<__m256i>();
            let right = _mm256_set1_epi32(RIGHT[selector] as i32);
            let word = _mm256_set1_epi32(word as i32);
            let to = out.add(found).cast::<__m256i>();
            let store = |k: usize| {
                let values = _mm256_srlv_epi32(_mm256_sllv_epi32(word, _mm256_loadu_si256(left.add(k))), right);
                _mm256_storeu_si256(to.add(k), values);
            };
            store(0);
            store(1);
            if selector > 7 {
                store(2);
                store(3);
            }
        }
        found += usize::from(COUNTS[selector]);
    }
    found
}
