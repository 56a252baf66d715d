//! SSE2, which every x86-64 processor has: four values at a time. Each value needs its own shift, which is done by a
//! multiplication by a power of two.

use super::{COUNTS, LEFT, RIGHT};
use std::arch::x86_64::*;

/// Powers of two, in 64 bits each, as the multiplication takes them.
#[repr(align(64))]
struct Factors([[u64; 32]; 16]);

/// By selector, the powers of two that shift each value left as [`LEFT`] says.
static FACTORS: Factors = {
    let mut factors = [[0; 32]; 16];
    let mut at = 0;
    while at < 16 * 32 {
        factors[at / 32][at % 32] = 1 << LEFT.0[at / 32][at % 32];
        at += 1;
    }
    Factors(factors)
};

/// Decodes the values of `words` to `out` and returns their number.
///
/// # Safety
/// As [`super::decode_values`].
pub(super) unsafe fn decode(words: &[u32], out: *mut u32) -> usize {
    let mut found = 0;
    for &word in words {
        let selector = (word >> 28) as usize;
        // SAFETY: every x86-64 processor has SSE2. A row has 32 factors. `out` has room for all values and the slack:
        // of the values written here, at least 1 of 8, 9 of 16 or 28 of 32 belong to this word.
        unsafe {
            let factors = FACTORS.0[selector].as_ptr().cast::<__m128i>();
            let right = _mm_cvtsi32_si128(RIGHT[selector] as i32);
            let word = _mm_set1_epi32(word as i32);
            let to = out.add(found).cast::<__m128i>();
            let store = |k: usize| {
                let first = _mm_mul_epu32(word, _mm_load_si128(factors.add(2 * k)));
                let second = _mm_mul_epu32(word, _mm_load_si128(factors.add(2 * k + 1)));
                // The low half of each product.
                let four = _mm_shuffle_ps::<0b10_00_10_00>(_mm_castsi128_ps(first), _mm_castsi128_ps(second));
                _mm_storeu_si128(to.add(k), _mm_srl_epi32(_mm_castps_si128(four), right));
            };
            store(0);
            store(1);
            if selector > 5 {
                store(2);
                store(3);
                if selector > 7 {
                    (4..8).for_each(store);
                }
            }
        }
        found += usize::from(COUNTS[selector]);
    }
    found
}
