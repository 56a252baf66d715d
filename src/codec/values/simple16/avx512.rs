//! AVX-512: shifts sixteen values at a time, each by its own amounts.

use super::Part;
use super::layouts::{LEFT, RIGHT};
use std::arch::x86_64::*;

/// Decodes a part.
///
/// # Safety
/// As [`super::decode_part`]; the processor has the features named below.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
pub(super) unsafe fn decode(words: &[u32], count: usize, out: *mut u32) -> usize {
    // SAFETY: the same contract.
    let mut part = unsafe { Part::new(words, count, out) };
    while let Some((word, selector, to)) = part.next() {
        // SAFETY: a row has 32 shifts, which is two vectors. The first value of a word is below `count`; the other 31
        // values written here fit in the slack.
        unsafe {
            let left = LEFT.0[selector].as_ptr().cast::<__m512i>();
            let right = RIGHT.0[selector].as_ptr().cast::<__m512i>();
            let word = _mm512_set1_epi32(word as i32);
            let to = to.cast::<__m512i>();
            let store = |k: usize| {
                let high = _mm512_sllv_epi32(word, _mm512_load_si512(left.add(k)));
                _mm512_storeu_si512(to.add(k), _mm512_srlv_epi32(high, _mm512_load_si512(right.add(k))));
            };
            store(0);
            if selector < 4 {
                store(1);
            }
        }
    }
    part.used()
}
