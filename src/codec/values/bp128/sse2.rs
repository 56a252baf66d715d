//! SSE2, which every x86-64 processor has: four values at a time become docIDs while they are in a register.

use super::lanes::{by_width, each_row};
use crate::base::bits::low_mask;
use std::arch::x86_64::*;

/// Writes the docIDs of a whole block, of which the first follows `previous`. Sums wrap at 2^32.
///
/// # Safety
/// `width` is at most 32; `4 * width` words are readable from `packed` on; `out` has room for a block.
#[inline(never)]
pub(super) unsafe fn unpack_and_add_up(packed: *const u32, width: u32, out: *mut u32, previous: u32) {
    // SAFETY: the same contract.
    unsafe { by_width!(width, of_width(packed, out, previous)) }
}

/// # Safety
/// As [`unpack_and_add_up`] for that width.
#[inline(always)]
unsafe fn of_width<const WIDTH: usize>(packed: *const u32, out: *mut u32, previous: u32) {
    // SAFETY: every x86-64 processor has SSE2; the same holds below.
    let (ranks, mask) = unsafe { (_mm_setr_epi32(1, 2, 3, 4), _mm_set1_epi32(low_mask(WIDTH as u32) as i32)) };
    // The docID before the row, plus one in the first lane, plus two in the second …
    let mut carry = unsafe { _mm_add_epi32(_mm_set1_epi32(previous as i32), ranks) };
    each_row!(ROW => {
        let (word, shift) = (ROW * WIDTH / 32, ROW * WIDTH % 32);
        // SAFETY: only words of the row's values are read, which are among the block's; the row is one of the block's.
        unsafe {
            let from = packed.cast::<__m128i>().add(word);
            let values = if WIDTH == 0 {
                _mm_setzero_si128()
            } else {
                let low = _mm_srl_epi32(_mm_loadu_si128(from), _mm_cvtsi32_si128(shift as i32));
                let all = if shift + WIDTH > 32 {
                    let high = _mm_sll_epi32(_mm_loadu_si128(from.add(1)), _mm_cvtsi32_si128(32 - shift as i32));
                    _mm_or_si128(low, high)
                } else {
                    low
                };
                if shift + WIDTH == 32 { all } else { _mm_and_si128(all, mask) }
            };
            let by_2 = _mm_add_epi32(values, _mm_slli_si128::<4>(values));
            let sums = _mm_add_epi32(by_2, _mm_slli_si128::<8>(by_2));
            let doc_ids = _mm_add_epi32(sums, carry);
            _mm_storeu_si128(out.cast::<__m128i>().add(ROW), doc_ids);
            carry = _mm_add_epi32(_mm_shuffle_epi32::<0xFF>(doc_ids), ranks);
        }
    });
    let _ = carry;
}
