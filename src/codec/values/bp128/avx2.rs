//! AVX2: two rows of four values at a time become docIDs while they are in a register.

use super::lanes::{by_width, each_row};
use crate::base::bits::low_mask;
use std::arch::x86_64::*;

/// Writes the docIDs of a whole block, of which the first follows `previous`. Sums wrap at 2^32.
///
/// # Safety
/// As [`super::sse2::unpack_and_add_up`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn unpack_and_add_up(packed: *const u32, width: u32, out: *mut u32, previous: u32) {
    // SAFETY: the same contract.
    unsafe { by_width!(width, of_width(packed, out, previous)) }
}

/// # Safety
/// As [`unpack_and_add_up`] for that width.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn of_width<const WIDTH: usize>(packed: *const u32, out: *mut u32, previous: u32) {
    let mask = _mm256_set1_epi32(low_mask(WIDTH as u32) as i32);
    // The docID before the rows, plus one in the first lane, plus two in the second …
    let mut carry = _mm256_add_epi32(_mm256_set1_epi32(previous as i32), _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8));
    each_row!(ROW by 2 => {
        let bits = [ROW * WIDTH, (ROW + 1) * WIDTH];
        let (words, shifts) = (bits.map(|bit| bit / 32), bits.map(|bit| (bit % 32) as i32));
        // SAFETY: only words of the rows' values are read, which are among the block's; the rows are of the block.
        unsafe {
            let values = if WIDTH == 0 {
                _mm256_setzero_si256()
            } else {
                let low = _mm256_srlv_epi32(rows(packed, words), halves(shifts));
                let all = if shifts.iter().any(|&shift| shift as usize + WIDTH > 32) {
                    // A row that ends in its word has no bits in the next, and shifts by 32 or more clear them: only rows
                    // of the mask's bits are left.
                    let high = rows(packed, words.map(|word| (word + 1).min(WIDTH - 1)));
                    _mm256_or_si256(low, _mm256_sllv_epi32(high, halves(shifts.map(|shift| 32 - shift))))
                } else {
                    low
                };
                _mm256_and_si256(all, mask)
            };
            let by_2 = _mm256_add_epi32(values, _mm256_slli_si256::<4>(values));
            let by_4 = _mm256_add_epi32(by_2, _mm256_slli_si256::<8>(by_2));
            let first_row = _mm256_permute2x128_si256::<0x08>(by_4, by_4);
            let sums = _mm256_add_epi32(by_4, _mm256_shuffle_epi32::<0xFF>(first_row));
            _mm256_storeu_si256(out.add(4 * ROW).cast(), _mm256_add_epi32(sums, carry));
            let total = _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7));
            carry = _mm256_add_epi32(carry, _mm256_add_epi32(total, _mm256_set1_epi32(8)));
        }
    });
    let _ = carry;
}

/// The words of two rows, of which the second are those of the first or come next.
///
/// # Safety
/// They are readable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn rows(packed: *const u32, words: [usize; 2]) -> __m256i {
    let from = packed.wrapping_add(4 * words[0]);
    // SAFETY: this function's contract.
    unsafe {
        match words[1] - words[0] {
            0 => _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast())),
            _ => _mm256_loadu_si256(from.cast()),
        }
    }
}

/// The first number in the lower four lanes, the second in the others.
#[target_feature(enable = "avx2")]
#[inline]
fn halves([a, b]: [i32; 2]) -> __m256i {
    _mm256_setr_epi32(a, a, a, a, b, b, b, b)
}
