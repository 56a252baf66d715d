//! Sixteen docIDs of the longer list at a time.

use std::arch::x86_64::*;

const LANES: usize = 16;

/// See [`super::common`]. Takes the whole vectors of `long`; returns how many of `short` are finished, namely all that
/// the rest of `long` cannot have, and the number of pairs found.
///
/// # Safety
/// The processor has tier AVX-512. `left` and `right` have room for as many entries as `short` has.
#[target_feature(enable = "avx512f,bmi1,popcnt")]
pub(super) unsafe fn common(short: &[u32], long: &[u32], left: *mut u32, right: *mut u32) -> (usize, usize) {
    let blocks = long.len() / LANES;
    let (mut block, mut pairs) = (0, 0);
    for (i, &doc) in short.iter().enumerate() {
        while block < blocks && long[block * LANES + LANES - 1] < doc {
            block += 1;
        }
        if block == blocks {
            return (i, pairs);
        }
        // SAFETY: `block` is below `blocks`, so `long` has the whole vector.
        let others = unsafe { _mm512_loadu_epi32(long.as_ptr().add(block * LANES).cast()) };
        let equal = u32::from(_mm512_cmpeq_epi32_mask(others, _mm512_set1_epi32(doc as i32)));
        // SAFETY: `pairs` is at most `i`. If nothing is equal, what is written is overwritten or not counted.
        unsafe {
            left.add(pairs).write(i as u32);
            right.add(pairs).write((block * LANES) as u32 + equal.trailing_zeros());
        }
        pairs += usize::from(equal != 0);
    }
    (short.len(), pairs)
}
