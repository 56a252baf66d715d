//! AVX2: the passes of [`scalar`](super::scalar), with shifts of their own for eight values and a prefix sum in the
//! registers.

use super::scalar::TILE;
use super::{COUNTS, LEFT, RIGHT};
use std::arch::x86_64::*;

/// Decodes words.
///
/// # Safety
/// As [`super::decode_words`]; the processor has AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn decode(words: &[u32], previous: u32, out: *mut u32) -> usize {
    // The docID before a vector, plus one in the first lane, two in the second …
    let mut carry = _mm256_add_epi32(_mm256_set1_epi32(previous as i32), _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8));
    let (mut found, mut done) = (0, 0);
    for (i, tile) in words.chunks(TILE).enumerate() {
        for &word in tile {
            let selector = (word >> 28) as usize;
            // SAFETY: a row has 32 shifts, four vectors. `out` has room for all values and the slack: of the 16 written
            // from `found` on, one at least is a value of this word, and 28 of the 32.
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
        // What does not fill a vector is left for the next tile.
        let is_last = (i + 1) * TILE >= words.len();
        let end = if is_last { found } else { found - (found - done) % 8 };
        while done < end {
            // SAFETY: the vector begins with a value written above; where it ends past the last one, it ends in the
            // slack.
            unsafe {
                let to = out.add(done).cast::<__m256i>();
                let a_b = _mm256_loadu_si256(to);
                let a_ab = _mm256_add_epi32(a_b, _mm256_slli_si256::<4>(a_b));
                let a_abcd = _mm256_add_epi32(a_ab, _mm256_slli_si256::<8>(a_ab));
                let low_half = _mm256_permute2x128_si256::<0x08>(a_abcd, a_abcd);
                let sums = _mm256_add_epi32(a_abcd, _mm256_shuffle_epi32::<0xFF>(low_half));
                _mm256_storeu_si256(to, _mm256_add_epi32(sums, carry));
                let total = _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7));
                carry = _mm256_add_epi32(carry, _mm256_add_epi32(total, _mm256_set1_epi32(8)));
            }
            done += 8;
        }
    }
    found
}
