//! AVX2: shifts eight values at a time, each by its own amounts.

use super::Part;
use super::layouts::{LEFT, RIGHT};
use std::arch::x86_64::*;

/// Decodes a part.
///
/// # Safety
/// As [`super::decode_part`]; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn decode(words: &[u32], count: usize, out: *mut u32) -> usize {
    // SAFETY: the same contract.
    let mut part = unsafe { Part::new(words, count, out) };
    while let Some((word, selector, to)) = part.next() {
        // SAFETY: a row has 32 shifts, which is four vectors. The first value of a word is below `count`; the other 31
        // values written here fit in the slack.
        unsafe {
            let left = LEFT.0[selector].as_ptr().cast::<__m256i>();
            let right = RIGHT.0[selector].as_ptr().cast::<__m256i>();
            let word = _mm256_set1_epi32(word as i32);
            let to = to.cast::<__m256i>();
            let store = |k: usize| {
                let high = _mm256_sllv_epi32(word, _mm256_load_si256(left.add(k)));
                _mm256_storeu_si256(to.add(k), _mm256_srlv_epi32(high, _mm256_load_si256(right.add(k))));
            };
            store(0);
            if selector < 6 {
                store(1);
                store(2);
                store(3);
            }
        }
    }
    part.used()
}
