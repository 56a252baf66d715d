//! Plain Rust: two passes over a tile of docIDs, neither with a branch a docID. The first writes the positions of the
//! stop bits, a byte of upper bits at a time; the second makes docIDs of them.

use super::Parts;
use std::ops::Range;

/// docIDs of a tile, so that the second pass finds in the first-level cache what the first one wrote.
pub(super) const TILE: usize = 1024;

/// The positions of the 0 bits of each byte, lowest first; the rest is not used.
pub(super) static STOPS: [[u8; 8]; 256] = stops();

const fn stops() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 0 {
                table[byte][at] = bit;
                at += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

/// How many 0 bits each byte has: plain x86-64 has no popcount.
pub(super) static COUNTS: [u8; 256] = counts();

const fn counts() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).count_zeros() as u8;
        byte += 1;
    }
    table
}

/// Eight bytes at `at` from the start of the stream, little-endian.
///
/// # Safety
/// They lie in the stream or its padding.
pub(super) unsafe fn read_u64(stream: *const u8, at: usize) -> u64 {
    // SAFETY: the caller's promise; any alignment will do.
    u64::from_le(unsafe { stream.add(at).cast::<u64>().read_unaligned() })
}

/// Decodes the docIDs of `ranks`.
///
/// # Safety
/// As [`super::decode_blocks`]; `ranks` are those of its blocks.
pub(super) unsafe fn decode(parts: &Parts, ranks: Range<usize>, previous: u32, out: *mut u32) {
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
            // padding. Each byte stores 8 positions from `found` on, of which at most 8 count: at most 64 from the
            // `found` at the start of the word, where at least one docID was missing, so at most 63 past the end.
            unsafe {
                let word = read_u64(upper, at) | before;
                before = 0;
                let bit = (at as u64 * 8) as u32;
                for byte in 0..8 {
                    let value = (word >> (8 * byte)) as u8;
                    let base = bit.wrapping_add(8 * byte);
                    let stops = &STOPS[value as usize];
                    let to = out.add(found).cast::<[u32; 8]>();
                    to.write_unaligned(std::array::from_fn(|i| base.wrapping_add(u32::from(stops[i]))));
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

/// Makes docIDs of the stop bits' positions at `range` in `out`, whose first element has rank `first`.
///
/// # Safety
/// The positions are there, `first` and `range.start` are multiples of 8, the lower bits have their padding, and `out`
/// has room for 7 docIDs more.
pub(super) unsafe fn merge_lower(parts: &Parts, first: usize, range: Range<usize>, out: *mut u32) {
    // As many docIDs a load as 57 bits hold, whatever bit of the first byte they begin at.
    // SAFETY: the caller's promise.
    unsafe {
        match parts.lower_width {
            0..=7 => merge_lower_by::<8>(parts, first, range, out),
            8..=14 => merge_lower_by::<4>(parts, first, range, out),
            15..=28 => merge_lower_by::<2>(parts, first, range, out),
            _ => merge_lower_by::<1>(parts, first, range, out),
        }
    }
}

/// [`merge_lower`] for widths of which one load of 8 bytes holds `A_LOAD` fields, wherever they begin.
///
/// # Safety
/// As [`merge_lower`].
unsafe fn merge_lower_by<const A_LOAD: usize>(parts: &Parts, first: usize, range: Range<usize>, out: *mut u32) {
    let lower = parts.lower.as_ptr().cast::<u8>();
    let width = parts.lower_width;
    let mask = crate::bits::low_mask(width);
    let mut bit = (first + range.start) as u64 * u64::from(width);
    for at in range.step_by(A_LOAD) {
        // SAFETY: the docID of the first field is in the list, so that the field begins in the lower bits (or their
        // padding, where the width is 0); the step divides 8, so that at most 7 docIDs past the range are touched.
        unsafe {
            let mut fields = read_u64(lower, (bit / 8) as usize) >> (bit % 8);
            for i in at..at + A_LOAD {
                let upper_part = out.add(i).read().wrapping_sub((first + i) as u32);
                out.add(i).write(upper_part << width | fields as u32 & mask);
                fields >>= width;
            }
        }
        bit += A_LOAD as u64 * u64::from(width);
    }
}
