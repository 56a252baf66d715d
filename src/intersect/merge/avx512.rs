//! AVX-512: sixteen docIDs against sixteen, in all their rotations.

use super::{Met, ROOM, VECTOR};
use std::arch::x86_64::*;

/// As [`super::meet`].
///
/// # Safety
/// Each slice has a vector, the shorter no more than [`ROOM`]; the processor has the features named here.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,popcnt")]
pub(super) unsafe fn meet(a: &[u32], b: &[u32], out: &mut [u32; ROOM + VECTOR]) -> Met {
    let (last_a, last_b) = (a.len() - VECTOR, b.len() - VECTOR);
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a <= last_a && in_b <= last_b {
        // SAFETY: a vector is left of each; each docID of the shorter is found once at most.
        unsafe {
            let x = _mm512_loadu_si512(a.as_ptr().add(in_a).cast());
            let y = _mm512_loadu_si512(b.as_ptr().add(in_b).cast());
            macro_rules! equal {
                ($($rotation:literal)*) => {
                    0 $(| _mm512_cmpeq_epi32_mask(x, _mm512_alignr_epi32::<$rotation>(y, y)))*
                };
            }
            let equal = equal!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            _mm512_storeu_si512(out.as_mut_ptr().add(found).cast(), _mm512_maskz_compress_epi32(equal, x));
            found += equal.count_ones() as usize;
            let (greatest_a, greatest_b) = (a.get_unchecked(in_a + VECTOR - 1), b.get_unchecked(in_b + VECTOR - 1));
            in_a += if greatest_a <= greatest_b { VECTOR } else { 0 };
            in_b += if greatest_b <= greatest_a { VECTOR } else { 0 };
        }
    }
    Met { in_a, in_b, found }
}
