//! Plain code: the oracle.

use super::super::codes::{BLOCK, BLOCK_BYTES, LEVELS};

pub(super) fn coarse(integers: &[i8], codes: &[u8], sums: &mut [i32]) {
    let bytes = integers.len() / BLOCK * BLOCK_BYTES;
    for (sum, codes) in sums.iter_mut().zip(codes.chunks_exact(bytes)) {
        *sum = each(integers, codes, |code, _, integer| i32::from(code) * i32::from(integer), codes);
    }
}

pub(super) fn fine(integers: &[i8], coarse: &[u8], fine: &[u8]) -> i32 {
    let product = |coarse, fine, integer| i32::from(LEVELS[usize::from(4 * coarse + fine)]) * i32::from(integer);
    each(integers, coarse, product, fine)
}

/// The sum of what there is for each dimension: its coarse bits, its further bits, the query's integer.
#[inline(always)]
fn each(integers: &[i8], coarse: &[u8], of: impl Fn(u8, u8, i8) -> i32, fine: &[u8]) -> i32 {
    let blocks = coarse.as_chunks::<BLOCK_BYTES>().0.iter().zip(fine.as_chunks::<BLOCK_BYTES>().0);
    let of_block = |((coarse, fine), integers): ((&[u8; BLOCK_BYTES], &[u8; BLOCK_BYTES]), &[i8; BLOCK])| {
        let mut sum = 0;
        for (part, integers) in integers.as_chunks::<BLOCK_BYTES>().0.iter().enumerate() {
            for ((coarse, fine), &integer) in coarse.iter().zip(fine).zip(integers) {
                sum += of(coarse >> (2 * part) & 3, fine >> (2 * part) & 3, integer);
            }
        }
        sum
    };
    blocks.zip(integers.as_chunks::<BLOCK>().0).map(of_block).sum()
}
