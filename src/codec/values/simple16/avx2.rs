//! AVX2: shifts eight values at a time, each by its own amounts.

use super::layouts::{COUNTS, LEFT, RIGHT};
use super::{ESCAPE, selector};
use std::arch::x86_64::*;

/// Decodes a part.
///
/// # Safety
/// As [`super::decode_part`]; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn decode(words: &[u32], count: usize, out: *mut u32) -> usize {
    let (mut found, mut at) = (0, 0);
    while found < count {
        let word = words[at];
        at += 1;
        if word == ESCAPE {
            // SAFETY: `out` has room for `count` values.
            unsafe { out.add(found).write(words[at]) };
            (found, at) = (found + 1, at + 1);
            continue;
        }
        let selector = selector(word);
        // SAFETY: a row has 32 shifts, which is four vectors. The first value of a word is below `count`; the other 31
        // values written here fit in the slack.
        unsafe {
            let left = LEFT.0[selector].as_ptr().cast::<__m256i>();
            let right = RIGHT.0[selector].as_ptr().cast::<__m256i>();
            let word = _mm256_set1_epi32(word as i32);
            let to = out.add(found).cast::<__m256i>();
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
        found += usize::from(COUNTS[selector]);
    }
    at
}
