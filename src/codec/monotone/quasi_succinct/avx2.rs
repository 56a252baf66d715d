//! AVX2: the second pass with eight docIDs per vector, or sixteen low halves.

use super::scalar::STOPS;
use super::tiles::{MOST_WORDS, Passes, Positions, Tile};
use super::{halves, scalar};
use crate::base::bits::read_u64;
use crate::codec::fields::{Eights, WIDEST};
use std::arch::x86_64::*;

pub(super) static PASSES: Passes<u32> = Passes { find, merge, far: scalar::far };
pub(super) static HALVES: Passes<u16> = Passes { find, merge: merge_halves, far: halves::far };

/// How sixteen fields get into 16-bit lanes, for low halves. Eight fields begin at a byte boundary and take `width`
/// bytes; each half of a vector gets eight. A field ends within 16 bits of the beginning of its first byte.
struct HalfLanes {
    /// The bytes of each lane, for a shuffle within halves.
    bytes: [u8; 32],
    /// The factor that shifts each field to the top of its lane.
    factors: [u16; 16],
}

/// [`HalfLanes`] by width, from 1 on.
static HALF_LANES: [HalfLanes; super::MAX_HALVES_WIDTH as usize + 1] = {
    let mut table = [const { HalfLanes { bytes: [0; 32], factors: [0; 16] } }; super::MAX_HALVES_WIDTH as usize + 1];
    let mut width = 1;
    while width < table.len() {
        let mut i = 0;
        while i < 32 {
            let bit = i / 2 % 8 * width;
            table[width].bytes[i] = (bit / 8 + i % 2) as u8;
            table[width].factors[i / 2] = 1 << (16 - width - bit % 8);
            i += 1;
        }
        width += 1;
    }
    table
};

/// As [`scalar::find`].
///
/// # Safety
/// As for [`scalar::find`]; the processor has the enabled features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn find(upper: *const u8, start: u64, count: usize, to: &mut Positions) -> bool {
    let first = (start / 64) as usize;
    let mut before = (1u64 << (start % 64)) - 1;
    let mut base = _mm_setzero_si128();
    let (mut found, mut word) = (0, 0);
    while found < count {
        if word == MOST_WORDS {
            return false;
        }
        // SAFETY: `found < count`, so a stop bit follows and the word begins in the upper bits; it may end in the
        // padding. At most 72 positions are stored from `found` on, which `Positions` has room for, as in
        // `scalar::find`.
        unsafe {
            let mut bits = read_u64(upper, 8 * (first + word)) | before;
            before = 0;
            for _ in 0..8 {
                let stops = _mm_load_si128(STOPS[(bits & 0xFF) as usize].0.as_ptr().cast());
                _mm_storeu_si128(to.as_mut_ptr().add(found).cast(), _mm_add_epi16(stops, base));
                found += 8 - (bits & 0xFF).count_ones() as usize;
                base = _mm_add_epi16(base, _mm_set1_epi16(8));
                bits >>= 8;
            }
        }
        word += 1;
    }
    true
}

/// As [`scalar::merge`].
///
/// # Safety
/// As for [`scalar::merge`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn merge(tile: &Tile, out: *mut u32) {
    if tile.parts.lower_width > WIDEST {
        // SAFETY: `scalar::merge` has the same contract.
        return unsafe { scalar::merge(tile, out) };
    }
    let width = tile.parts.lower_width as usize;
    let fields = tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * width);
    let mut lower = Eights::new(fields, tile.parts.lower_width);
    let left = _mm256_set1_epi32(width as i32);
    let eight = _mm256_set1_epi32(8);
    let iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let mut index = _mm256_sub_epi32(iota, _mm256_set1_epi32(tile.base as i32));
    // SAFETY: the first of each eight docIDs is in the list, so the 28 bytes from its field on end in the lower bits or
    // their padding. Both `positions` and `out` have room for 7 docIDs after the tile.
    unsafe {
        for at in (0..tile.count).step_by(8) {
            let positions = _mm256_cvtepu16_epi32(_mm_loadu_si128(tile.positions.as_ptr().add(at).cast()));
            let upper = _mm256_sllv_epi32(_mm256_sub_epi32(positions, index), left);
            _mm256_storeu_si256(out.add(at).cast(), _mm256_or_si256(upper, lower.next()));
            index = _mm256_add_epi32(index, eight);
        }
    }
}

/// Like [`merge`], but writes only the low halves.
///
/// # Safety
/// As for [`Passes::merge`]; b is at most [`super::MAX_HALVES_WIDTH`]; `out` has room for 15 more; the processor has
/// AVX2.
#[target_feature(enable = "avx2")]
unsafe fn merge_halves(tile: &Tile, out: *mut u16) {
    let width = tile.parts.lower_width as usize;
    debug_assert!(tile.parts.lower_width <= super::MAX_HALVES_WIDTH);
    let HalfLanes { bytes, factors } = &HALF_LANES[width];
    // Of a product with this power, the low half is shifted left by `width`, the high half right by `16 - width`.
    let power = _mm256_set1_epi16(1 << width);
    let sixteen = _mm256_set1_epi16(16);
    let iota = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut index = _mm256_sub_epi16(iota, _mm256_set1_epi16(tile.base as i16));
    let mut fields = tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * width);
    // SAFETY: the arrays are as long as the vectors. The first of each sixteen docIDs is in the list, so the 16 bytes
    // from its field on, and those from `width` ≤ 8 bytes later on, end in the lower bits or their padding. Both
    // `positions` and `out` have room for 15 docIDs after the tile.
    unsafe {
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let factors = _mm256_loadu_si256(factors.as_ptr().cast());
        for at in (0..tile.count).step_by(16) {
            let positions = _mm256_loadu_si256(tile.positions.as_ptr().add(at).cast());
            let upper = _mm256_mullo_epi16(_mm256_sub_epi16(positions, index), power);
            let low = _mm_loadu_si128(fields.cast());
            let high = _mm_loadu_si128(fields.add(width).cast());
            let windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
            let lower = _mm256_mulhi_epu16(_mm256_mullo_epi16(windows, factors), power);
            _mm256_storeu_si256(out.add(at).cast(), _mm256_or_si256(upper, lower));
            index = _mm256_add_epi16(index, sixteen);
            fields = fields.wrapping_add(2 * width);
        }
    }
}
