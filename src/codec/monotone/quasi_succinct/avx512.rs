//! AVX-512: the first pass takes a 64-bit word of upper bits at a time, the second sixteen docIDs or 32 low halves.

use super::halves;
use super::scalar;
use super::tiles::{MOST_WORDS, Passes, Positions, Tile};
use crate::base::bits::{IOTA, read_u64};
use crate::codec::fields::{Sixteens, WIDEST};
use std::arch::x86_64::*;

pub(super) static PASSES: Passes<u32> = Passes { find, merge, far: scalar::far };
pub(super) static HALVES: Passes<u16> = Passes { find, merge: merge_halves, far: halves::far };

/// As [`scalar::find`].
///
/// # Safety
/// As for [`scalar::find`]; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn find(upper: *const u8, start: u64, count: usize, to: &mut Positions) -> bool {
    let first = (start / 64) as usize;
    let mut before = (1u64 << (start % 64)) - 1;
    let mut base = _mm512_setzero_si512();
    let next_word = _mm512_set1_epi16(64);
    // SAFETY: `IOTA` has 64 bytes.
    let iota = unsafe { _mm512_loadu_si512(IOTA.as_ptr().cast()) };
    let (mut found, mut word) = (0, 0);
    while found < count {
        if word == MOST_WORDS {
            return false;
        }
        // SAFETY: `found < count`, so a stop bit follows and the word begins in the upper bits; it may end in the
        // padding. `found` is below a tile's length, and at most 64 positions are stored from there, which `Positions`
        // has room for.
        unsafe {
            let stops = !(read_u64(upper, 8 * (first + word)) | before);
            before = 0;
            let stops_of_word = stops.count_ones() as usize;
            let positions = _mm512_maskz_compress_epi8(stops, iota);
            let to = to.as_mut_ptr().add(found);
            let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(positions));
            _mm512_storeu_si512(to.cast(), _mm512_add_epi16(low, base));
            if stops_of_word > 32 {
                let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(positions));
                _mm512_storeu_si512(to.add(32).cast(), _mm512_add_epi16(high, base));
            }
            found += stops_of_word;
            base = _mm512_add_epi16(base, next_word);
        }
        word += 1;
    }
    true
}

/// As [`scalar::merge`].
///
/// # Safety
/// As for [`scalar::merge`]; `out` has room for 15 more; the processor has the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn merge(tile: &Tile, out: *mut u32) {
    if tile.parts.lower_width > WIDEST {
        // SAFETY: `scalar::merge` has the same contract.
        return unsafe { scalar::merge(tile, out) };
    }
    let width = tile.parts.lower_width as usize;
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let left = _mm512_set1_epi32(width as i32);
    let sixteen = _mm512_set1_epi32(16);
    let fields = tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * width);
    let mut lower = Sixteens::new(fields, tile.parts.lower_width);
    let mut index = _mm512_sub_epi32(lanes, _mm512_set1_epi32(tile.base as i32));
    // SAFETY: the first of each sixteen docIDs is in the list, so the 64 bytes from its field on end in the lower bits
    // or their padding. Both `positions` and `out` have room for 15 docIDs after the tile.
    unsafe {
        for at in (0..tile.count).step_by(16) {
            let positions = _mm512_cvtepu16_epi32(_mm256_loadu_si256(tile.positions.as_ptr().add(at).cast()));
            let upper = _mm512_sllv_epi32(_mm512_sub_epi32(positions, index), left);
            _mm512_storeu_si512(out.add(at).cast(), lower.next_with(upper));
            index = _mm512_add_epi32(index, sixteen);
        }
    }
}

/// Like [`merge`], but writes only the low halves.
///
/// # Safety
/// As for [`Passes::merge`]; b is at most [`super::MAX_HALVES_WIDTH`]; `out` has room for 31 more; the processor has
/// the enabled features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn merge_halves(tile: &Tile, out: *mut u16) {
    let width = tile.parts.lower_width as usize;
    debug_assert!(tile.parts.lower_width <= super::MAX_HALVES_WIDTH);
    let left = _mm512_set1_epi16(width as i16);
    let mask = _mm512_set1_epi16(crate::base::bits::low_mask(tile.parts.lower_width) as i16);
    let next = _mm512_set1_epi16(32);
    let mut fields = tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * width);
    // SAFETY: `IOTA` has more than the 32 bytes that are loaded. The first of each 32 docIDs is in the list, so the 64
    // bytes from its field on end in the lower bits or their padding. Both `positions` and `out` have room for 31
    // docIDs after the tile.
    unsafe {
        // 32 fields begin at a byte boundary and take `4 * width` bytes. Lane i gets two bytes from the first byte of
        // its field on.
        let lanes = _mm512_cvtepu8_epi16(_mm256_loadu_si256(IOTA.as_ptr().cast()));
        let bits = _mm512_mullo_epi16(lanes, _mm512_set1_epi16(width as i16));
        let first_byte = _mm512_mullo_epi16(_mm512_srli_epi16::<3>(bits), _mm512_set1_epi16(0x0101));
        let bytes = _mm512_add_epi16(first_byte, _mm512_set1_epi16(0x0100));
        let shifts = _mm512_and_si512(bits, _mm512_set1_epi16(7));
        let mut index = _mm512_sub_epi16(lanes, _mm512_set1_epi16(tile.base as i16));
        for at in (0..tile.count).step_by(32) {
            let positions = _mm512_loadu_si512(tile.positions.as_ptr().add(at).cast());
            let upper = _mm512_sllv_epi16(_mm512_sub_epi16(positions, index), left);
            let windows = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(fields.cast()));
            let lower = _mm512_srlv_epi16(windows, shifts);
            // upper | (lower & mask)
            _mm512_storeu_si512(out.add(at).cast(), _mm512_ternarylogic_epi32::<0xF8>(upper, lower, mask));
            index = _mm512_add_epi16(index, next);
            fields = fields.wrapping_add(4 * width);
        }
    }
}
