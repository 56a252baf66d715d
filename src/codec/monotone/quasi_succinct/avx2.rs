//! AVX2: the second pass with eight docIDs a vector, or sixteen low halves.

use super::scalar::{STOPS, read_u64};
use super::tiles::{MOST_WORDS, Passes, Positions, Tile};
use super::{halves, scalar};
use std::arch::x86_64::*;

pub(super) static PASSES: Passes<u32> = Passes { find, merge, far: scalar::far };
pub(super) static HALVES: Passes<u16> = Passes { find, merge: merge_halves, far: halves::far };

/// The widest field that one 32-bit lane holds whatever bit of its first byte it begins at.
const WIDEST: u32 = 25;

/// Where eight fields are found. They begin at a byte and take `width` bytes. The low half of a vector gets the first four
/// from there, the high half the others from byte `width / 2`, where they begin at bit 0 or 4.
struct Lanes {
    bytes: [u8; 32],
    shifts: [u32; 8],
}

/// By width.
static LANES: [Lanes; WIDEST as usize + 1] = {
    let mut table = [const { Lanes { bytes: [0; 32], shifts: [0; 8] } }; WIDEST as usize + 1];
    let mut width = 0;
    while width < table.len() {
        let mut i = 0;
        while i < 32 {
            let bit = i / 4 % 4 * width + if i < 16 { 0 } else { 4 * width % 8 };
            table[width].bytes[i] = (bit / 8 + i % 4) as u8;
            table[width].shifts[i / 4] = (bit % 8) as u32;
            i += 1;
        }
        width += 1;
    }
    table
};

/// Where sixteen fields are found of which low halves are made. Eight begin at a byte and take `width` bytes; the halves of
/// a vector get eight each. A field ends within 16 bits from the byte it begins in; a factor shifts it to their top.
struct HalfLanes {
    bytes: [u8; 32],
    factors: [u16; 16],
}

/// By width.
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
/// As there; the processor has the features named here.
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
        // SAFETY: as in `scalar::find`: the word begins in the upper bits, and 72 positions at most are stored from
        // `found` on, which is less than a tile.
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
/// As there; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn merge(tile: &Tile, out: *mut u32) {
    if tile.parts.lower_width > WIDEST {
        // SAFETY: the caller's promise.
        return unsafe { scalar::merge(tile, out) };
    }
    let width = tile.parts.lower_width as usize;
    let half = width / 2;
    let Lanes { bytes, shifts } = &LANES[width];
    let mut fields = tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * width);
    let mask = _mm256_set1_epi32(crate::bits::low_mask(tile.parts.lower_width) as i32);
    let left = _mm256_set1_epi32(width as i32);
    let eight = _mm256_set1_epi32(8);
    let iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let mut index = _mm256_sub_epi32(iota, _mm256_set1_epi32(tile.base as i32));
    // SAFETY: the arrays are as long as the vectors. The first of eight fields is one of the list, so that the 16 bytes
    // from it, and from `half` ≤ 12 behind it, end in the lower bits or their padding. There is room for 7 docIDs past
    // the tile in both.
    unsafe {
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let shifts = _mm256_loadu_si256(shifts.as_ptr().cast());
        for at in (0..tile.count).step_by(8) {
            let positions = _mm256_cvtepu16_epi32(_mm_loadu_si128(tile.positions.as_ptr().add(at).cast()));
            let upper = _mm256_sllv_epi32(_mm256_sub_epi32(positions, index), left);
            let low = _mm_loadu_si128(fields.cast());
            let high = _mm_loadu_si128(fields.add(half).cast());
            let windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
            let lower = _mm256_and_si256(_mm256_srlv_epi32(windows, shifts), mask);
            _mm256_storeu_si256(out.add(at).cast(), _mm256_or_si256(upper, lower));
            index = _mm256_add_epi32(index, eight);
            fields = fields.wrapping_add(width);
        }
    }
}

/// [`merge`], the low halves alone.
///
/// # Safety
/// As [`Passes::merge`]; the lower bits have at most [`super::MAX_HALVES_WIDTH`], `out` has room for 15 more; the
/// processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn merge_halves(tile: &Tile, out: *mut u16) {
    let width = tile.parts.lower_width as usize;
    debug_assert!(tile.parts.lower_width <= super::MAX_HALVES_WIDTH);
    let HalfLanes { bytes, factors } = &HALF_LANES[width];
    // A product's low half is shifted left by the width, its high half right by 16 less the width.
    let power = _mm256_set1_epi16(1 << width);
    let sixteen = _mm256_set1_epi16(16);
    let iota = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut index = _mm256_sub_epi16(iota, _mm256_set1_epi16(tile.base as i16));
    let mut fields = tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * width);
    // SAFETY: the arrays are as long as the vectors. The first of sixteen fields is one of the list, so that the 16 bytes
    // from it, and from `width` bytes behind it, end in the lower bits or their padding. There is room for 15 past the
    // tile in both.
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
