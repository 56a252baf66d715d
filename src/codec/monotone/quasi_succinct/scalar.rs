//! Plain Rust, with SSE2 on x86-64, where every processor has it.

use super::Parts;
use super::far::Far;
use super::tiles::{MOST_WORDS, Passes, Positions, Tile};
use crate::base::bits::{ones_by_byte, read_u64};
use std::ops::Range;

/// The positions of the 0 bits of a byte, lowest first; the other entries are unused. Aligned so that a vector
/// instruction can take them from memory.
#[repr(align(16))]
pub(super) struct Stops(pub [u16; 8]);

/// The [`Stops`] of each byte.
pub(super) static STOPS: [Stops; 256] = {
    let mut table = [const { Stops([0; 8]) }; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 0 {
                table[byte].0[at] = bit;
                at += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

pub(super) static PASSES: Passes<u32> = Passes { find, merge, far };

/// The first pass, a byte of upper bits at a time.
///
/// # Safety
/// As for [`Passes::find`]: at least `count` stop bits follow from `start` on.
#[inline(always)]
pub(super) unsafe fn find(upper: *const u8, start: u64, count: usize, to: &mut Positions) -> bool {
    // SAFETY: the same contract, and every processor can do this.
    unsafe { find_by::<Eight>(upper, start, count, to) }
}

/// The same, with the instructions of a tier.
///
/// # Safety
/// As for [`find`]; the processor has the tier.
#[inline(always)]
pub(super) unsafe fn find_by<B: Bytes>(upper: *const u8, start: u64, count: usize, to: &mut Positions) -> bool {
    let first = (start / 64) as usize;
    // Bits before `start` are set to 1, so that none of them is taken for a stop bit.
    let mut before = (1u64 << (start % 64)) - 1;
    let mut bytes = B::new();
    let (mut found, mut word) = (0, 0);
    while found < count {
        if word == MOST_WORDS {
            return false;
        }
        // SAFETY: `found < count`, so a stop bit follows and the word begins in the upper bits; it may end in the
        // padding. `found` is below a tile's length, and at most 72 positions are stored from there, which `Positions`
        // has room for: a word has at most 64, and the last store begins at most there and writes eight.
        unsafe {
            let bits = read_u64(upper, 8 * (first + word)) | before;
            before = 0;
            let ends = B::ones(!bits);
            let to = to.as_mut_ptr().add(found);
            for byte in 0..8 {
                let stops_before = (ends << 8 >> (8 * byte)) as u8;
                bytes.store((bits >> (8 * byte)) as u8, to.add(stops_before.into()).cast());
            }
            found += (ends >> 56) as usize;
        }
        word += 1;
    }
    true
}

/// What a tier does with the bytes of upper bits, one after the other.
pub(super) trait Bytes {
    /// At the first byte.
    fn new() -> Self;

    /// As [`ones_by_byte`].
    ///
    /// # Safety
    /// The processor has the tier.
    unsafe fn ones(word: u64) -> u64;

    /// Stores the positions of the 0 bits of the next byte, followed by junk up to eight positions.
    ///
    /// # Safety
    /// `to` has room for eight; the processor has the tier.
    unsafe fn store(&mut self, byte: u8, to: *mut u16);
}

/// The position of the first bit of the next byte, in eight lanes.
#[cfg(target_arch = "x86_64")]
struct Eight(std::arch::x86_64::__m128i);

#[cfg(target_arch = "x86_64")]
impl Bytes for Eight {
    #[inline(always)]
    fn new() -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        Eight(unsafe { std::arch::x86_64::_mm_setzero_si128() })
    }

    #[inline(always)]
    unsafe fn ones(word: u64) -> u64 {
        ones_by_byte(word)
    }

    #[inline(always)]
    unsafe fn store(&mut self, byte: u8, to: *mut u16) {
        use std::arch::x86_64::*;
        // SAFETY: every x86-64 processor has SSE2; `Stops` is aligned; `to` has room for a vector of eight.
        unsafe {
            let stops = _mm_load_si128(STOPS[byte as usize].0.as_ptr().cast());
            _mm_storeu_si128(to.cast(), _mm_add_epi16(stops, self.0));
            self.0 = _mm_add_epi16(self.0, _mm_set1_epi16(8));
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
struct Eight(u16);

#[cfg(not(target_arch = "x86_64"))]
impl Bytes for Eight {
    #[inline(always)]
    fn new() -> Self {
        Eight(0)
    }

    #[inline(always)]
    unsafe fn ones(word: u64) -> u64 {
        ones_by_byte(word)
    }

    #[inline(always)]
    unsafe fn store(&mut self, byte: u8, to: *mut u16) {
        // SAFETY: `to` has room for eight.
        unsafe { to.cast::<[u16; 8]>().write_unaligned(STOPS[byte as usize].0.map(|stop| self.0.wrapping_add(stop))) };
        self.0 = self.0.wrapping_add(8);
    }
}

/// The second pass.
///
/// # Safety
/// As for [`Passes::merge`]; `out` has room for the docIDs and 7 more.
pub(super) unsafe fn merge(tile: &Tile, out: *mut u32) {
    // A load of 64 bits holds 57 bits from any bit of its first byte on, so it is used for as many fields as 57 bits
    // hold.
    // SAFETY: the callees have the same contract, and each arm's width suits its callee.
    unsafe {
        match tile.parts.lower_width {
            #[cfg(target_arch = "x86_64")]
            0..=8 => super::sse2::merge(tile, out),
            #[cfg(not(target_arch = "x86_64"))]
            0..=7 => merge_by::<8>(tile, out),
            1..=14 => merge_by::<4>(tile, out),
            15..=28 => merge_by::<2>(tile, out),
            _ => merge_by::<1>(tile, out),
        }
    }
}

/// [`merge`] for widths of which 57 bits hold `A_LOAD` fields.
///
/// # Safety
/// As for [`merge`].
unsafe fn merge_by<const A_LOAD: usize>(tile: &Tile, out: *mut u32) {
    let lower = tile.parts.lower.as_ptr().cast::<u8>();
    let width = tile.parts.lower_width;
    let mask = crate::base::bits::low_mask(width);
    let mut bit = tile.first as u64 * u64::from(width);
    for at in (0..tile.count).step_by(A_LOAD) {
        // SAFETY: the docID of the first field is in the list, so the field begins in the lower bits (or in their
        // padding if the width is 0). The step divides 8, so at most 7 docIDs after the tile are touched, for which
        // both `positions` and `out` have room.
        unsafe {
            let mut fields = read_u64(lower, (bit / 8) as usize) >> (bit % 8);
            for i in at..at + A_LOAD {
                let upper_part = u32::from(tile.positions.get_unchecked(i).assume_init())
                    .wrapping_add(tile.base.wrapping_sub(i as u32));
                out.add(i).write(upper_part << width | fields as u32 & mask);
                fields >>= width;
            }
        }
        bit += A_LOAD as u64 * u64::from(width);
    }
}

/// Decodes a tile with any number of upper bits, one docID at a time.
///
/// # Safety
/// As for [`Passes::far`].
pub(super) unsafe fn far(parts: &Parts, ranks: Range<usize>, start: u64, out: *mut u32) {
    let width = parts.lower_width;
    let base_part = parts.base >> width;
    let mut stops = Far::new(parts.upper.as_ptr().cast(), start);
    for (i, rank) in ranks.enumerate() {
        // SAFETY: the rank is in the list, so its stop bit follows; `out` has room for a docID per rank.
        unsafe {
            let upper_part = (stops.next() - rank as u64) as u32 + base_part;
            let lower = crate::base::bits::get(parts.lower, rank as u64 * u64::from(width), width);
            out.add(i).write(upper_part << width | lower);
        }
    }
}
