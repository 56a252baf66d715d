//! AVX-512: the passes of [`scalar`](super::scalar), with shifts of their own for sixteen values and a prefix sum in
//! the registers.

use super::scalar::TILE;
use super::{COUNTS, LEFT, RIGHT};
use std::arch::x86_64::*;

/// Decodes words.
///
/// # Safety
/// As [`super::decode_words`]; the processor has the features named here.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
pub(super) unsafe fn decode(words: &[u32], previous: u32, out: *mut u32) -> usize {
    let zero = _mm512_setzero_si512();
    let ranks = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    // The docID before a vector, plus one in the first lane, two in the second …
    let mut carry = _mm512_add_epi32(_mm512_set1_epi32(previous as i32), ranks);
    let (mut found, mut done) = (0, 0);
    for (i, tile) in words.chunks(TILE).enumerate() {
        for &word in tile {
            let selector = (word >> 28) as usize;
            // SAFETY: a row has 32 shifts, two vectors. `out` has room for all values and the slack: of the 16 written
            // from `found` on, one at least is a value of this word, and 28 of the 32.
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
        // What does not fill a vector is left for the next tile.
        let is_last = (i + 1) * TILE >= words.len();
        let end = if is_last { found } else { found - (found - done) % 16 };
        while done < end {
            // SAFETY: the vector begins with a value written above; where it ends past the last one, it ends in the
            // slack.
            unsafe {
                let to = out.add(done).cast::<__m512i>();
                let by_1 = _mm512_loadu_si512(to);
                let by_2 = _mm512_add_epi32(by_1, _mm512_alignr_epi32::<15>(by_1, zero));
                let by_4 = _mm512_add_epi32(by_2, _mm512_alignr_epi32::<14>(by_2, zero));
                let by_8 = _mm512_add_epi32(by_4, _mm512_alignr_epi32::<12>(by_4, zero));
                let sums = _mm512_add_epi32(by_8, _mm512_alignr_epi32::<8>(by_8, zero));
                _mm512_storeu_si512(to, _mm512_add_epi32(sums, carry));
                let total = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), sums);
                carry = _mm512_add_epi32(carry, _mm512_add_epi32(total, _mm512_set1_epi32(16)));
            }
            done += 16;
        }
    }
    found
}
