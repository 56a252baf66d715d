//! The low halves of docIDs: where the docIDs of a run of blocks span no more than 2^16, they say as much as the docIDs
//! do, and take half the work to decode.

use super::scalar::{COUNTS, STOPS, TILE, read_u64};
use super::{MAX_HALVES_WIDTH, Parts};
use std::ops::Range;

/// Eight positions, aligned so that they are added from memory.
#[repr(align(16))]
struct Positions([u16; 8]);

/// The positions of the 0 bits of each byte, lowest first; the rest is not used.
static STOPS_16: [Positions; 256] = {
    let mut table = [const { Positions([0; 8]) }; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut at = 0;
        while at < 8 {
            table[byte].0[at] = STOPS[byte][at] as u16;
            at += 1;
        }
        byte += 1;
    }
    table
};

/// Plain Rust: the passes of [`scalar`](super::scalar) with lanes of 16 bits, all arithmetic modulo 2^16.
///
/// # Safety
/// As [`super::decode_halves`]; `ranks` are those of its blocks.
pub(super) unsafe fn decode(parts: &Parts, ranks: Range<usize>, previous: u32, out: *mut u16) {
    let count = ranks.len();
    let upper = parts.upper.as_ptr().cast::<u8>();
    let start = u64::from(previous >> parts.lower_width) + ranks.start as u64;
    let mut at = (start / 64 * 8) as usize;
    // Bits before the start read as 1, which no stop bit is.
    let mut before = (1u64 << (start % 64)) - 1;
    let (mut found, mut done) = (0, 0);
    while done < count {
        let tile = count.min(done + TILE);
        while found < tile {
            // SAFETY: a stop bit of `ranks` is still to come, so the word begins in the upper bits; it may end in the
            // padding. Each byte stores 8 positions from `found` on: at most 63 past the end, as in `scalar::decode`.
            unsafe {
                let word = read_u64(upper, at) | before;
                before = 0;
                let bit = (at as u64 * 8) as u16;
                for byte in 0..8 {
                    let value = (word >> (8 * byte)) as u8;
                    let base = bit.wrapping_add(8 * byte);
                    let stops = &STOPS_16[value as usize].0;
                    let to = out.add(found).cast::<[u16; 8]>();
                    to.write_unaligned(stops.map(|stop| base.wrapping_add(stop)));
                    found += COUNTS[value as usize] as usize;
                }
            }
            at += 8;
        }
        let end = if found >= count { count } else { found / 8 * 8 };
        // SAFETY: as the caller's promise; positions up to `end` are written, and `done` is a multiple of 8.
        unsafe { merge_lower(parts, ranks.start, done..end, out) };
        done = end;
    }
}

/// Makes low halves of the stop bits' positions at `range` in `out`, whose first element has rank `first`.
///
/// # Safety
/// The positions are there, `first` and `range.start` are multiples of 8, the width is at most [`MAX_HALVES_WIDTH`],
/// the lower bits have their padding, and `out` has room for 7 more.
unsafe fn merge_lower(parts: &Parts, first: usize, range: Range<usize>, out: *mut u16) {
    const LANES: [u16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let width = parts.lower_width;
    debug_assert!(width <= MAX_HALVES_WIDTH);
    // Eight fields begin at a byte and take `width` bytes. Four of them spread to lanes of 16 bits in two steps.
    let four = low(4 * width);
    let pairs = low(2 * width) * 0x0000_0001_0000_0001;
    let lanes = low(width) * 0x0001_0001_0001_0001;
    let spread = |fields: u64| {
        let two = (fields | fields << (32 - 2 * width)) & pairs;
        (two | two << (16 - width)) & lanes
    };
    let mut fields = parts.lower.as_ptr().cast::<u8>().wrapping_add((first + range.start) / 8 * width as usize);
    for at in range.step_by(8) {
        // SAFETY: the first of eight fields is one of the list, so that the 8 bytes from it end in the lower bits or
        // their padding. `out` has room for 7 past the range.
        unsafe {
            let stored = read_u64(fields, 0);
            let halves = [spread(stored & four), spread(stored >> (4 * width) & four)];
            let lower: [u16; 8] = std::array::from_fn(|i| (halves[i / 4] >> (16 * (i % 4))) as u16);
            let to = out.add(at).cast::<[u16; 8]>();
            let positions = to.read_unaligned();
            let rank = (first + at) as u16;
            to.write_unaligned(std::array::from_fn(|i| {
                let upper_part = positions[i].wrapping_sub(rank.wrapping_add(LANES[i]));
                upper_part << width | lower[i]
            }));
        }
        fields = fields.wrapping_add(width as usize);
    }
}

/// The low `bits` bits, at most 32.
fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use super::*;
    use std::arch::x86_64::*;

    /// AVX2: as [`super::decode`], sixteen at a time in the second pass.
    ///
    /// # Safety
    /// As there; the processor has the features named here.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(in super::super) unsafe fn decode(parts: &Parts, ranks: Range<usize>, previous: u32, out: *mut u16) {
        let count = ranks.len();
        let upper = parts.upper.as_ptr().cast::<u8>();
        let start = u64::from(previous >> parts.lower_width) + ranks.start as u64;
        let mut at = (start / 64 * 8) as usize;
        let mut before = (1u64 << (start % 64)) - 1;
        let mut base = _mm_set1_epi16((at as u64 * 8) as i16);
        let next_byte = _mm_set1_epi16(8);
        let (mut found, mut done) = (0, 0);
        while done < count {
            let tile = count.min(done + TILE);
            while found < tile {
                // SAFETY: as in `super::decode`.
                unsafe {
                    let mut word = read_u64(upper, at) | before;
                    before = 0;
                    for _ in 0..8 {
                        let stops = _mm_load_si128(STOPS_16[(word & 0xFF) as usize].0.as_ptr().cast());
                        let positions = _mm_add_epi16(stops, base);
                        _mm_storeu_si128(out.add(found).cast(), positions);
                        found += 8 - (word & 0xFF).count_ones() as usize;
                        base = _mm_add_epi16(base, next_byte);
                        word >>= 8;
                    }
                }
                at += 8;
            }
            let end = if found >= count { count } else { found / 16 * 16 };
            // SAFETY: positions up to `end` are written, and `done` is a multiple of 16.
            unsafe { merge_lower(parts, ranks.start, done..end, out) };
            done = end;
        }
    }

    /// As [`super::merge_lower`], for multiples of 16 and with room for 15 more.
    ///
    /// # Safety
    /// As there; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn merge_lower(parts: &Parts, first: usize, range: Range<usize>, out: *mut u16) {
        let width = parts.lower_width as usize;
        debug_assert!(parts.lower_width <= MAX_HALVES_WIDTH);
        // Eight fields begin at a byte and take `width` bytes; the halves of a vector get eight each. A field ends
        // within 16 bits from the byte it begins in; a factor shifts it to their top.
        let bytes: [u8; 32] = std::array::from_fn(|i| (i / 2 % 8 * width / 8 + i % 2) as u8);
        let factors: [u16; 16] = std::array::from_fn(|i| {
            let above = 16 - width - i % 8 * width % 8;
            if width == 0 { 0 } else { 1 << above }
        });
        let right = _mm_cvtsi32_si128(16 - width as i32);
        let left = _mm_cvtsi32_si128(width as i32);
        let sixteen = _mm256_set1_epi16(16);
        let iota = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let mut rank = _mm256_add_epi16(_mm256_set1_epi16((first + range.start) as i16), iota);
        let mut fields = parts.lower.as_ptr().cast::<u8>().wrapping_add((first + range.start) / 8 * width);
        // SAFETY: the arrays are as long as the vectors. The first of sixteen fields is one of the list, so that the 16
        // bytes from it, and from `width` bytes behind it, end in the lower bits or their padding. `out` has room for
        // 15 past the range.
        unsafe {
            let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
            let factors = _mm256_loadu_si256(factors.as_ptr().cast());
            for at in range.step_by(16) {
                let to = out.add(at).cast::<__m256i>();
                let upper = _mm256_sll_epi16(_mm256_sub_epi16(_mm256_loadu_si256(to), rank), left);
                let low = _mm_loadu_si128(fields.cast());
                let high = _mm_loadu_si128(fields.add(width).cast());
                let windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
                let lower = _mm256_srl_epi16(_mm256_mullo_epi16(windows, factors), right);
                _mm256_storeu_si256(to, _mm256_or_si256(upper, lower));
                rank = _mm256_add_epi16(rank, sixteen);
                fields = fields.wrapping_add(2 * width);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use super::super::avx512::IOTA;
    use super::*;
    use std::arch::x86_64::*;

    /// AVX-512: as [`super::decode`], a 64-bit word of upper bits at a time in the first pass, 32 docIDs in the second.
    ///
    /// # Safety
    /// As there; the processor has the features named here.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
    pub(in super::super) unsafe fn decode(parts: &Parts, ranks: Range<usize>, previous: u32, out: *mut u16) {
        let count = ranks.len();
        let upper = parts.upper.as_ptr().cast::<u8>();
        let start = u64::from(previous >> parts.lower_width) + ranks.start as u64;
        let mut at = (start / 64 * 8) as usize;
        let mut before = (1u64 << (start % 64)) - 1;
        let mut base = _mm512_set1_epi16((at as u64 * 8) as i16);
        let next_word = _mm512_set1_epi16(64);
        // SAFETY: the table has 64 bytes.
        let iota = unsafe { _mm512_loadu_si512(IOTA.as_ptr().cast()) };
        let (mut found, mut done) = (0, 0);
        while done < count {
            let tile = count.min(done + TILE);
            while found < tile {
                // SAFETY: as in `super::super::avx512::decode`.
                unsafe {
                    let stops = !(read_u64(upper, at) | before);
                    before = 0;
                    let stops_of_word = stops.count_ones() as usize;
                    let positions = _mm512_maskz_compress_epi8(stops, iota);
                    let to = out.add(found);
                    let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(positions));
                    _mm512_storeu_si512(to.cast(), _mm512_add_epi16(low, base));
                    if stops_of_word > 32 {
                        let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(positions));
                        _mm512_storeu_si512(to.add(32).cast(), _mm512_add_epi16(high, base));
                    }
                    found += stops_of_word;
                    base = _mm512_add_epi16(base, next_word);
                }
                at += 8;
            }
            let end = if found >= count { count } else { found / 32 * 32 };
            // SAFETY: positions up to `end` are written, and `done` is a multiple of 32.
            unsafe { merge_lower(parts, ranks.start, done..end, out) };
            done = end;
        }
    }

    /// As [`super::merge_lower`], for multiples of 32 and with room for 31 more.
    ///
    /// # Safety
    /// As there; the processor has the features named here.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    unsafe fn merge_lower(parts: &Parts, first: usize, range: Range<usize>, out: *mut u16) {
        let width = parts.lower_width as usize;
        debug_assert!(parts.lower_width <= MAX_HALVES_WIDTH);
        // Of 32 fields, which begin at a byte and take `4 * width` bytes, lane i takes the two bytes from the one its
        // field begins in.
        let bytes: [u8; 64] = std::array::from_fn(|i| (i / 2 * width / 8 + i % 2) as u8);
        let shifts: [u16; 32] = std::array::from_fn(|i| (i * width % 8) as u16);
        let iota: [u16; 32] = std::array::from_fn(|i| i as u16);
        let left = _mm_cvtsi32_si128(width as i32);
        let mask = _mm512_set1_epi16(crate::bits::low_mask(parts.lower_width) as i16);
        let next = _mm512_set1_epi16(32);
        let mut fields = parts.lower.as_ptr().cast::<u8>().wrapping_add((first + range.start) / 8 * width);
        // SAFETY: the arrays are as long as the vectors. The first of 32 fields is one of the list, so that the 64 bytes
        // from it end in the lower bits or their padding. `out` has room for 31 past the range.
        unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            let shifts = _mm512_loadu_si512(shifts.as_ptr().cast());
            let iota = _mm512_loadu_si512(iota.as_ptr().cast());
            let mut rank = _mm512_add_epi16(_mm512_set1_epi16((first + range.start) as i16), iota);
            for at in range.step_by(32) {
                let to = out.add(at).cast();
                let upper = _mm512_sll_epi16(_mm512_sub_epi16(_mm512_loadu_si512(to), rank), left);
                let windows = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(fields.cast()));
                let lower = _mm512_srlv_epi16(windows, shifts);
                // upper | (lower & mask)
                _mm512_storeu_si512(to.cast(), _mm512_ternarylogic_epi32::<0xF8>(upper, lower, mask));
                rank = _mm512_add_epi16(rank, next);
                fields = fields.wrapping_add(4 * width);
            }
        }
    }
}
