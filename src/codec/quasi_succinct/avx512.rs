//! AVX-512: the passes of [`scalar`](super::scalar), a 64-bit word of upper bits at a time in the first, sixteen docIDs
//! in the second.

use super::Parts;
use super::scalar::{self, TILE, read_u64};
use std::arch::x86_64::*;
use std::ops::Range;

/// The widest field that one 32-bit lane holds whatever bit of its first byte it begins at.
const WIDEST: u32 = 25;

/// 0, 1, 2 … 63.
pub(super) static IOTA: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

/// Decodes the docIDs of `ranks`.
///
/// # Safety
/// As [`super::decode_blocks`]; `ranks` are those of its blocks; the processor has the features named here.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn decode(parts: &Parts, ranks: Range<usize>, previous: u32, out: *mut u32) {
    let count = ranks.len();
    let upper = parts.upper.as_ptr().cast::<u8>();
    let start = u64::from(previous >> parts.lower_width) + ranks.start as u64;
    let mut at = (start / 64 * 8) as usize;
    let mut before = (1u64 << (start % 64)) - 1;
    let mut base = _mm512_set1_epi32((at as u64 * 8) as i32);
    let next_word = _mm512_set1_epi32(64);
    // SAFETY: the table has 64 bytes.
    let iota = unsafe { _mm512_loadu_si512(IOTA.as_ptr().cast()) };
    // Byte 4i of quarter q takes byte 16q + i of the positions, the others stay 0: a zero-extension.
    let lanes = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(iota));
    let quarter = |q: i32| _mm512_add_epi32(lanes, _mm512_set1_epi32(16 * q));
    let (quarter_1, quarter_2, quarter_3) = (quarter(1), quarter(2), quarter(3));
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let (mut found, mut done) = (0, 0);
    while done < count {
        let tile = count.min(done + TILE);
        while found < tile {
            // SAFETY: a stop bit of `ranks` is still to come, so the word begins in the upper bits; it may end in the
            // padding. At most 64 positions are stored from a place where at least one docID is missing.
            unsafe {
                let stops = !(read_u64(upper, at) | before);
                before = 0;
                let stops_of_word = stops.count_ones() as usize;
                let positions = _mm512_maskz_compress_epi8(stops, iota);
                let to = out.add(found);
                let store = |q: usize, bytes: __m512i| {
                    _mm512_storeu_si512(to.add(16 * q).cast(), _mm512_add_epi32(bytes, base));
                };
                store(0, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(positions)));
                store(1, _mm512_maskz_permutexvar_epi8(EVERY_FOURTH, quarter_1, positions));
                store(2, _mm512_maskz_permutexvar_epi8(EVERY_FOURTH, quarter_2, positions));
                if stops_of_word > 48 {
                    store(3, _mm512_maskz_permutexvar_epi8(EVERY_FOURTH, quarter_3, positions));
                }
                found += stops_of_word;
                base = _mm512_add_epi32(base, next_word);
            }
            at += 8;
        }
        let end = if found >= count { count } else { found / 16 * 16 };
        // SAFETY: positions up to `end` are written, and `done` is a multiple of 16.
        unsafe {
            if parts.lower_width <= WIDEST {
                merge_lower(parts, ranks.start, done..end, out);
            } else {
                scalar::merge_lower(parts, ranks.start, done..end, out);
            }
        }
        done = end;
    }
}

/// As [`scalar::merge_lower`], for widths up to [`WIDEST`] and multiples of 16.
///
/// # Safety
/// As there, with 15 docIDs of room; the processor has the features named here.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn merge_lower(parts: &Parts, first: usize, range: Range<usize>, out: *mut u32) {
    let width = parts.lower_width as usize;
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // Sixteen fields begin at a byte and take `2 * width` bytes; lane i takes the four from the one its field begins in.
    let bits = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(width as i32));
    let first_byte = _mm512_mullo_epi32(_mm512_srli_epi32::<3>(bits), _mm512_set1_epi32(0x0101_0101));
    let bytes = _mm512_add_epi32(first_byte, _mm512_set1_epi32(0x0302_0100));
    let shifts = _mm512_and_si512(bits, _mm512_set1_epi32(7));
    let mask = _mm512_set1_epi32(crate::bits::low_mask(parts.lower_width) as i32);
    let count = _mm_cvtsi32_si128(width as i32);
    let sixteen = _mm512_set1_epi32(16);
    let mut fields = parts.lower.as_ptr().cast::<u8>().wrapping_add((first + range.start) / 8 * width);
    let mut rank = _mm512_add_epi32(_mm512_set1_epi32((first + range.start) as i32), lanes);
    // SAFETY: the first of sixteen fields is one of the list, so that the 64 bytes from it end in the lower bits or
    // their padding. `out` has room for 15 docIDs past the range.
    unsafe {
        for at in range.step_by(16) {
            let to = out.add(at).cast::<__m512i>();
            let upper = _mm512_sll_epi32(_mm512_sub_epi32(_mm512_loadu_si512(to), rank), count);
            let windows = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(fields.cast()));
            let lower = _mm512_srlv_epi32(windows, shifts);
            // upper | (lower & mask)
            _mm512_storeu_si512(to, _mm512_ternarylogic_epi32::<0xF8>(upper, lower, mask));
            rank = _mm512_add_epi32(rank, sixteen);
            fields = fields.wrapping_add(2 * width);
        }
    }
}
