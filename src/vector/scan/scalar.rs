//! Plain code: the oracle, which compilers turn into what vectors of 128 bits do.

use super::super::codes::{BLOCK, BLOCK_BYTES, LEVELS};

/// Bits 2p and 2p + 1 of each byte.
#[inline(always)]
fn pairs(codes: &[u8; BLOCK_BYTES], part: usize) -> [u8; BLOCK_BYTES] {
    codes.map(|byte| byte >> (2 * part) & 3)
}

pub(super) fn coarse(integers: &[i8], codes: &[u8], sums: &mut [i32]) {
    let (blocks, _) = integers.as_chunks::<BLOCK>();
    for (sum, codes) in sums.iter_mut().zip(codes.chunks_exact(BLOCK_BYTES * blocks.len())) {
        *sum = 0;
        for (codes, integers) in codes.as_chunks::<BLOCK_BYTES>().0.iter().zip(blocks) {
            // Four products of 3 and 127 fit in 16 bits.
            let mut narrow = [0i16; BLOCK_BYTES];
            for (part, integers) in integers.as_chunks::<BLOCK_BYTES>().0.iter().enumerate() {
                for ((narrow, pair), &integer) in narrow.iter_mut().zip(pairs(codes, part)).zip(integers) {
                    *narrow += i16::from(pair) * i16::from(integer);
                }
            }
            *sum += narrow.iter().map(|&sum| i32::from(sum)).sum::<i32>();
        }
    }
}

pub(super) fn fine(integers: &[i8], coarse: &[u8], fine: &[u8]) -> i32 {
    let codes = coarse.as_chunks::<BLOCK_BYTES>().0.iter().zip(fine.as_chunks::<BLOCK_BYTES>().0);
    let of_block = |((coarse, fine), integers): ((&[u8; BLOCK_BYTES], &[u8; BLOCK_BYTES]), &[i8; BLOCK])| {
        let mut sum = 0;
        for (part, integers) in integers.as_chunks::<BLOCK_BYTES>().0.iter().enumerate() {
            for ((coarse, fine), &integer) in pairs(coarse, part).into_iter().zip(pairs(fine, part)).zip(integers) {
                sum += i32::from(LEVELS[usize::from(4 * coarse + fine)]) * i32::from(integer);
            }
        }
        sum
    };
    codes.zip(integers.as_chunks::<BLOCK>().0).map(of_block).sum()
}
