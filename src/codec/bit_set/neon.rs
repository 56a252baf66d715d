//! NEON: docIDs are written eight at a time, from a table of the bits of a byte; an instruction counts the 1 bits of
//! each byte.

use super::{FEW, expand_few, scalar, word};
use crate::base::bits::{BITS_OF, ones_by_byte_neon};
use std::arch::aarch64::*;

/// As [`super::expand`].
///
/// # Safety
/// As there; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn expand(stream: *const u64, words: usize, first: u32, out: *mut u32) -> usize {
    let mut found = 0;
    for at in 0..words {
        let doc_id = first.wrapping_add(64 * at as u32);
        // SAFETY: the word can be read. `out` has room for the docIDs of this word and 64 more after those found so
        // far, and all stores are within 64 of that place.
        unsafe {
            let bits = word(stream, at);
            let ends = ones_by_byte_neon(bits);
            let ones = (ends >> 56) as u32;
            let to = out.add(found);
            if ones <= FEW {
                expand_few(bits, doc_id, to);
            } else {
                let mut base = vdupq_n_u32(doc_id);
                for byte in 0..8 {
                    let before = (ends << 8 >> (8 * byte)) as u8;
                    let indices = vmovl_u8(vld1_u8(BITS_OF[(bits >> (8 * byte)) as u8 as usize].as_ptr()));
                    let to = to.add(before.into());
                    vst1q_u32(to, vaddw_u16(base, vget_low_u16(indices)));
                    vst1q_u32(to.add(4), vaddw_high_u16(base, indices));
                    base = vaddq_u32(base, vdupq_n_u32(8));
                }
            }
            found += ones as usize;
        }
    }
    found
}

/// Words that are counted at a time, in four vectors.
const STEP: usize = 8;

/// The words that two streams have in common, as many as [`STEP`].
///
/// # Safety
/// They can be read.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn both(a: *const u64, b: *const u64) -> [uint8x16_t; 4] {
    // SAFETY: each vector has two of the words.
    let vector = |i: usize| unsafe { vandq_u8(vld1q_u8(a.add(2 * i).cast()), vld1q_u8(b.add(2 * i).cast())) };
    [vector(0), vector(1), vector(2), vector(3)]
}

/// Adds the number of 1 bits to a total in two lanes.
#[target_feature(enable = "neon")]
#[inline]
fn add_ones(total: uint64x2_t, [a, b, c, d]: [uint8x16_t; 4]) -> uint64x2_t {
    // At most 32 in each byte.
    let ones = vaddq_u8(vaddq_u8(vcntq_u8(a), vcntq_u8(b)), vaddq_u8(vcntq_u8(c), vcntq_u8(d)));
    vpadalq_u32(total, vpaddlq_u16(vpaddlq_u8(ones)))
}

/// As [`super::common`].
///
/// # Safety
/// As there; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn common(a: *const u64, b: *const u64, words: usize, out: *mut u64) -> u64 {
    let mut total = vdupq_n_u64(0);
    let whole = words / STEP * STEP;
    // SAFETY: both streams have as many words as a step from `at` on, and `out` has room for them; the rest of the words
    // follow.
    unsafe {
        for at in (0..whole).step_by(STEP) {
            let both = both(a.add(at), b.add(at));
            let to = out.add(at).cast::<u8>();
            vst1q_u8(to, both[0]);
            vst1q_u8(to.add(16), both[1]);
            vst1q_u8(to.add(32), both[2]);
            vst1q_u8(to.add(48), both[3]);
            total = add_ones(total, both);
        }
        vaddvq_u64(total) + scalar::common(a.add(whole), b.add(whole), words - whole, out.add(whole))
    }
}

/// As [`super::count_common`].
///
/// # Safety
/// As there; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn count_common(a: *const u64, b: *const u64, words: usize) -> u64 {
    let mut total = vdupq_n_u64(0);
    let whole = words / STEP * STEP;
    // SAFETY: both streams have as many words as a step from `at` on; the rest of the words follow.
    unsafe {
        for at in (0..whole).step_by(STEP) {
            total = add_ones(total, both(a.add(at), b.add(at)));
        }
        vaddvq_u64(total) + scalar::count_common(a.add(whole), b.add(whole), words - whole)
    }
}
