//! AVX-512: compares sixteen docIDs of one slice with all rotations of sixteen of the other.

use super::{Met, ROOM, VECTOR, opaque};
use std::arch::x86_64::*;

/// As [`super::meet_tiles`].
///
/// # Safety
/// Each slice has at least [`VECTOR`] docIDs, and the shorter at most [`ROOM`]; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,popcnt")]
pub(super) unsafe fn meet(a: &[u32], b: &[u32], out: &mut [u32; ROOM + VECTOR]) -> Met {
    let (last_a, last_b) = (a.len() - VECTOR, b.len() - VECTOR);
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a <= last_a && in_b <= last_b {
        // SAFETY: `in_a <= last_a` and `in_b <= last_b`, so a vector remains of each slice. Both slices increase, so
        // `found` is at most the length of the shorter one, and `out` has room for a vector after that.
        unsafe {
            let x = _mm512_loadu_si512(a.as_ptr().add(in_a).cast());
            let y = _mm512_loadu_si512(b.as_ptr().add(in_b).cast());
            let equal = equal(x, y);
            _mm512_storeu_si512(out.as_mut_ptr().add(found).cast(), _mm512_maskz_compress_epi32(equal, x));
            found += equal.count_ones() as usize;
            let greatest_a = opaque(*a.get_unchecked(in_a + VECTOR - 1));
            let greatest_b = opaque(*b.get_unchecked(in_b + VECTOR - 1));
            in_a += usize::from(greatest_a <= greatest_b) * VECTOR;
            in_b += usize::from(greatest_b <= greatest_a) * VECTOR;
        }
    }
    Met { in_a, in_b, found }
}

/// As [`super::meet_few`].
///
/// # Safety
/// As there; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,popcnt")]
pub(super) unsafe fn meet_few(a: &[u32], b: &[u32], out: *mut u32) -> Met {
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a < a.len() && in_b < b.len() {
        let [of_a, of_b] = [a.len() - in_a, b.len() - in_b].map(|left| left.min(VECTOR));
        // SAFETY: only docIDs of the lists are read, because of the masks, and at least one of each is left; `out` has room for
        // a vector after those found, which are at most as many as the shorter list has.
        unsafe {
            let live = |count: usize| (u32::MAX >> (32 - count)) as __mmask16;
            let x = _mm512_maskz_loadu_epi32(live(of_a), a.as_ptr().add(in_a).cast());
            let y = b.as_ptr().add(in_b).cast();
            // The lanes after the end are as the first one.
            let y = _mm512_mask_loadu_epi32(_mm512_set1_epi32(*y), live(of_b), y);
            let equal = equal(x, y) & live(of_a);
            _mm512_storeu_si512(out.add(found).cast(), _mm512_maskz_compress_epi32(equal, x));
            found += equal.count_ones() as usize;
        }
        let (last_a, last_b) = (a[in_a + of_a - 1], b[in_b + of_b - 1]);
        in_a += if last_a <= last_b { of_a } else { 0 };
        in_b += if last_b <= last_a { of_b } else { 0 };
    }
    Met { in_a, in_b, found }
}

/// The lanes of `x` that equal any lane of `y`.
#[target_feature(enable = "avx512f")]
#[inline]
fn equal(x: __m512i, y: __m512i) -> __mmask16 {
    // Each lane's least difference (by XOR) from all rotations of `y`: four of the lanes within quarters, times four of
    // the quarters. It is 0 if the lane equals any of them.
    let quarters = [
        y,
        _mm512_shuffle_i32x4::<0b00_11_10_01>(y, y),
        _mm512_shuffle_i32x4::<0b01_00_11_10>(y, y),
        _mm512_shuffle_i32x4::<0b10_01_00_11>(y, y),
    ];
    // No `map`: unless the compiler inlines it, its closure runs without the processor's features, seven times as slowly.
    let mut least = [x; 4];
    for quarter in 0..4 {
        least[quarter] = least_within(x, quarters[quarter]);
    }
    let least = _mm512_min_epu32(_mm512_min_epu32(least[0], least[1]), _mm512_min_epu32(least[2], least[3]));
    _mm512_testn_epi32_mask(least, least)
}

/// Each lane's least difference from the lanes of the same quarter of `y`.
#[target_feature(enable = "avx512f")]
#[inline]
fn least_within(x: __m512i, y: __m512i) -> __m512i {
    let in_place = _mm512_xor_si512(x, y);
    let by_1 = _mm512_xor_si512(x, _mm512_shuffle_epi32::<0b00_11_10_01>(y));
    let by_2 = _mm512_xor_si512(x, _mm512_shuffle_epi32::<0b01_00_11_10>(y));
    let by_3 = _mm512_xor_si512(x, _mm512_shuffle_epi32::<0b10_01_00_11>(y));
    _mm512_min_epu32(_mm512_min_epu32(in_place, by_1), _mm512_min_epu32(by_2, by_3))
}
