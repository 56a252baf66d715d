//! AVX2: eight docIDs against eight, in all their rotations.

use super::{Met, ROOM, VECTOR, opaque};
use std::arch::x86_64::*;

const LANES: usize = 8;

/// The indexes of the bits that each byte has, lowest first; the rest is not used.
static LANES_OF: [[u8; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                table[mask][at] = lane as u8;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// As [`super::meet`].
///
/// # Safety
/// Each slice has a vector, the shorter no more than [`ROOM`]; the processor has the features named here.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn meet(a: &[u32], b: &[u32], out: &mut [u32; ROOM + VECTOR]) -> Met {
    let (last_a, last_b) = (a.len() - LANES, b.len() - LANES);
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a <= last_a && in_b <= last_b {
        // SAFETY: a vector is left of each; each docID of the shorter is found once at most.
        unsafe {
            let x = _mm256_loadu_si256(a.as_ptr().add(in_a).cast());
            let y = _mm256_loadu_si256(b.as_ptr().add(in_b).cast());
            let swapped = _mm256_permute2x128_si256::<0x01>(y, y);
            macro_rules! equal {
                ($($order:literal)*) => {
                    [$(
                        _mm256_cmpeq_epi32(x, _mm256_shuffle_epi32::<$order>(y)),
                        _mm256_cmpeq_epi32(x, _mm256_shuffle_epi32::<$order>(swapped)),
                    )*]
                };
            }
            // The four rotations of a half, on both halves at once, in place and swapped.
            let equal = equal!(0b11_10_01_00 0b00_11_10_01 0b01_00_11_10 0b10_01_00_11);
            let any = equal.into_iter().reduce(|a, b| _mm256_or_si256(a, b)).unwrap_or(x);
            let mask = _mm256_movemask_ps(_mm256_castsi256_ps(any)) as usize;
            let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(LANES_OF[mask].as_ptr().cast()));
            _mm256_storeu_si256(out.as_mut_ptr().add(found).cast(), _mm256_permutevar8x32_epi32(x, lanes));
            found += mask.count_ones() as usize;
            let greatest_a = opaque(*a.get_unchecked(in_a + LANES - 1));
            let greatest_b = opaque(*b.get_unchecked(in_b + LANES - 1));
            in_a += usize::from(greatest_a <= greatest_b) * LANES;
            in_b += usize::from(greatest_b <= greatest_a) * LANES;
        }
    }
    Met { in_a, in_b, found }
}
