//! NEON: 16 dimensions at a time.

use super::super::codes::{BLOCK, BLOCK_BYTES, LEVELS};
use std::arch::aarch64::*;

/// Bytes of a vector.
const BYTES: usize = 16;
/// Blocks whose sums of products fit in 16 bits: of a block, eight products of 3 · 127 are added.
const BLOCKS: usize = 8;

/// As [`super::coarse`].
///
/// # Safety
/// The processor has NEON, and each sum has its code.
#[target_feature(enable = "neon")]
pub(super) unsafe fn coarse(integers: &[i8], codes: &[u8], sums: &mut [i32]) {
    let blocks = integers.len() / BLOCK;
    for (at, sum) in sums.iter_mut().enumerate() {
        let mut total = vdupq_n_s32(0);
        for from in (0..blocks).step_by(BLOCKS) {
            let mut narrow = [vdupq_n_s16(0); 2];
            for block in from..blocks.min(from + BLOCKS) {
                for half in [0, BYTES] {
                    // SAFETY: there is a code of so many blocks for each sum, and an integer for each dimension.
                    let (code, integers) = unsafe {
                        let code = codes.as_ptr().add((at * blocks + block) * BLOCK_BYTES + half);
                        (vld1q_u8(code), integers.as_ptr().add(BLOCK * block + half))
                    };
                    for (part, pairs) in parts(code).into_iter().enumerate() {
                        // SAFETY: as above.
                        let of_part = unsafe { vld1q_s8(integers.add(BLOCK_BYTES * part)) };
                        let pairs = vreinterpretq_s8_u8(pairs);
                        narrow[0] = vmlal_s8(narrow[0], vget_low_s8(pairs), vget_low_s8(of_part));
                        narrow[1] = vmlal_high_s8(narrow[1], pairs, of_part);
                    }
                }
            }
            total = vpadalq_s16(vpadalq_s16(total, narrow[0]), narrow[1]);
        }
        *sum = vaddvq_s32(total);
    }
}

/// As [`super::fine`].
///
/// # Safety
/// The processor has NEON, and all blocks are there.
#[target_feature(enable = "neon")]
pub(super) unsafe fn fine(integers: &[i8], coarse: &[u8], fine: &[u8]) -> i32 {
    // SAFETY: there are 16 levels.
    let levels = unsafe { vld1q_s8(LEVELS.as_ptr()) };
    let mut total = vdupq_n_s32(0);
    for block in 0..integers.len() / BLOCK {
        for half in [0, BYTES] {
            // SAFETY: both codes have so many blocks, and there is an integer for each dimension.
            let (high, low, integers) = unsafe {
                let load = |codes: &[u8]| vld1q_u8(codes.as_ptr().add(block * BLOCK_BYTES + half));
                (load(coarse), load(fine), integers.as_ptr().add(BLOCK * block + half))
            };
            for (part, (high, low)) in parts(high).into_iter().zip(parts(low)).enumerate() {
                // SAFETY: as above.
                let of_part = unsafe { vld1q_s8(integers.add(BLOCK_BYTES * part)) };
                let level = vqtbl1q_s8(levels, vorrq_u8(vshlq_n_u8::<2>(high), low));
                // Two products of 84 · 127 fit in 16 bits.
                let products = vmull_s8(vget_low_s8(level), vget_low_s8(of_part));
                total = vpadalq_s16(total, vmlal_high_s8(products, level, of_part));
            }
        }
    }
    vaddvq_s32(total)
}

/// The four pairs of bits of each byte, lowest first.
#[target_feature(enable = "neon")]
#[inline]
fn parts(codes: uint8x16_t) -> [uint8x16_t; 4] {
    let three = vdupq_n_u8(3);
    [
        vandq_u8(codes, three),
        vandq_u8(vshrq_n_u8::<2>(codes), three),
        vandq_u8(vshrq_n_u8::<4>(codes), three),
        vshrq_n_u8::<6>(codes),
    ]
}
