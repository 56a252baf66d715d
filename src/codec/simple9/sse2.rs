//! What every x86-64 has: the passes of [`scalar`](super::scalar), four values at a time. A shift by an amount of its own
//! for each value is a multiplication by a power of two.

use super::scalar::TILE;
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

/// Decodes words.
///
/// # Safety
/// As [`super::decode_words`].
pub(super) unsafe fn decode(words: &[u32], previous: u32, out: *mut u32) -> usize {
    // SAFETY: every x86-64 has SSE2; so below.
    // The docID before a vector, plus one in the first lane, two in the second …
    let mut carry = unsafe { _mm_add_epi32(_mm_set1_epi32(previous as i32), _mm_setr_epi32(1, 2, 3, 4)) };
    let (mut found, mut done) = (0, 0);
    for (i, tile) in words.chunks(TILE).enumerate() {
        for &word in tile {
            let selector = (word >> 28) as usize;
            // SAFETY: a row has 32 factors. `out` has room for all values and the slack: of the 8 written from `found` on,
            // one at least is a value of this word, 9 at least of the 16, and 28 of the 32.
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
        // What does not fill a vector is left for the next tile.
        let is_last = (i + 1) * TILE >= words.len();
        let end = if is_last { found } else { found - (found - done) % 4 };
        while done < end {
            // SAFETY: the vector begins with a value written above; where it ends past the last one, it ends in the
            // slack.
            unsafe {
                let to = out.add(done).cast::<__m128i>();
                let by_1 = _mm_loadu_si128(to);
                let by_2 = _mm_add_epi32(by_1, _mm_slli_si128::<4>(by_1));
                let sums = _mm_add_epi32(by_2, _mm_slli_si128::<8>(by_2));
                _mm_storeu_si128(to, _mm_add_epi32(sums, carry));
                let total = _mm_add_epi32(_mm_shuffle_epi32::<0xFF>(sums), _mm_set1_epi32(4));
                carry = _mm_add_epi32(carry, total);
            }
            done += 4;
        }
        done = done.min(found);
    }
    found
}
