//! AVX2: compares eight docIDs of one slice with all rotations of eight of the other.

use super::{Met, ROOM, VECTOR, opaque};
use crate::base::bits::BITS_OF;
use std::arch::x86_64::*;

const LANES: usize = 8;

/// As [`super::meet_tiles`].
///
/// # Safety
/// Each slice has at least [`LANES`] docIDs, and the shorter at most [`ROOM`]; the processor has the enabled features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn meet(a: &[u32], b: &[u32], out: &mut [u32; ROOM + VECTOR]) -> Met {
    let (last_a, last_b) = (a.len() - LANES, b.len() - LANES);
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a <= last_a && in_b <= last_b {
        // SAFETY: `in_a <= last_a` and `in_b <= last_b`, so a vector remains of each slice. Both slices increase, so
        // `found` is at most the length of the shorter one, and `out` has room for a vector after that.
        unsafe {
            let x = _mm256_loadu_si256(a.as_ptr().add(in_a).cast());
            let y = _mm256_loadu_si256(b.as_ptr().add(in_b).cast());
            let mask = equal(x, y);
            let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(BITS_OF[mask].as_ptr().cast()));
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

/// As [`super::meet_few`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn meet_few(a: &[u32], b: &[u32], out: *mut u32) -> Met {
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a < a.len() && in_b < b.len() {
        let [of_a, of_b] = [a.len() - in_a, b.len() - in_b].map(|left| left.min(LANES));
        // SAFETY: only docIDs of the lists are read, because of the masks, and at least one of each is left; `out` has room for
        // a vector after those found, which are at most as many as the shorter list has.
        unsafe {
            let live = |count: usize| {
                let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), lanes)
            };
            let x = _mm256_maskload_epi32(a.as_ptr().add(in_a).cast(), live(of_a));
            let y = b.as_ptr().add(in_b).cast();
            // The lanes after the end are as the first one.
            let y = _mm256_blendv_epi8(_mm256_set1_epi32(*y), _mm256_maskload_epi32(y, live(of_b)), live(of_b));
            let mask = equal(x, y) & ((1 << of_a) - 1);
            let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(BITS_OF[mask].as_ptr().cast()));
            _mm256_storeu_si256(out.add(found).cast(), _mm256_permutevar8x32_epi32(x, lanes));
            found += mask.count_ones() as usize;
        }
        let (last_a, last_b) = (a[in_a + of_a - 1], b[in_b + of_b - 1]);
        in_a += if last_a <= last_b { of_a } else { 0 };
        in_b += if last_b <= last_a { of_b } else { 0 };
    }
    Met { in_a, in_b, found }
}

/// The lanes of `x` that equal any lane of `y`, as bits.
#[target_feature(enable = "avx2")]
#[inline]
fn equal(x: __m256i, y: __m256i) -> usize {
    let swapped = _mm256_permute2x128_si256::<0x01>(y, y);
    macro_rules! equal {
        ($($order:literal)*) => {
            [$(
                _mm256_cmpeq_epi32(x, _mm256_shuffle_epi32::<$order>(y)),
                _mm256_cmpeq_epi32(x, _mm256_shuffle_epi32::<$order>(swapped)),
            )*]
        };
    }
    // The four rotations within each half, of `y` and of `y` with its halves swapped.
    let [mut any, others @ ..] = equal!(0b11_10_01_00 0b00_11_10_01 0b01_00_11_10 0b10_01_00_11);
    for other in others {
        any = _mm256_or_si256(any, other);
    }
    _mm256_movemask_ps(_mm256_castsi256_ps(any)) as usize
}
