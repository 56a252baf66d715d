//! What every x86-64 has: four values at a time. A shift by an amount of its own for each value is a multiplication by a
//! power of two.

use super::{COUNTS, LEFT, RIGHT};
use std::arch::x86_64::*;

/// Powers of two, 64 bits each, as they are multiplied with.
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

/// Decodes the values of words.
///
/// # Safety
/// As [`super::decode_values`].
pub(super) unsafe fn decode(words: &[u32], out: *mut u32) -> usize {
    let mut found = 0;
    for &word in words {
        let selector = (word >> 28) as usize;
        // SAFETY: every x86-64 has SSE2. A row has 32 factors. `out` has room for all values and the slack: of the 8 written
        // from `found` on, one at least is a value of this word, 9 at least of the 16, and 28 of the 32.
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
