//! NEON: both passes with eight docIDs, or low halves, at a time.

use super::scalar::STOPS;
use super::tiles::{Passes, Positions, Tile};
use super::{MAX_HALVES_WIDTH, halves, scalar};
use crate::base::bits::{low_mask, ones_by_byte_neon};
use crate::codec::fields::{Eights, WIDEST, store};
use std::arch::aarch64::*;

pub(super) static PASSES: Passes<u32> = Passes { find, merge, far: scalar::far };
pub(super) static HALVES: Passes<u16> = Passes { find, merge: merge_halves, far: halves::far };

/// 0, 1, 2 … 7: the indices of eight docIDs.
static IOTA: [u16; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// How eight fields of at most 8 bits get into 16-bit lanes.
struct HalfLanes {
    /// The two bytes of each lane.
    bytes: [u8; 16],
    /// The bit of its lane at which each field begins, negative, which shifts to the right.
    shifts: [i16; 8],
}

/// [`HalfLanes`] by width.
static HALF_LANES: [HalfLanes; MAX_HALVES_WIDTH as usize + 1] = {
    let mut table = [const { HalfLanes { bytes: [0; 16], shifts: [0; 8] } }; MAX_HALVES_WIDTH as usize + 1];
    let mut width = 0;
    while width < table.len() {
        let mut i = 0;
        while i < 16 {
            let bit = i / 2 * width;
            table[width].bytes[i] = (bit / 8 + i % 2) as u8;
            table[width].shifts[i / 2] = -((bit % 8) as i16);
            i += 1;
        }
        width += 1;
    }
    table
};

/// As [`scalar::find`].
///
/// # Safety
/// As for [`scalar::find`]; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn find(upper: *const u8, start: u64, count: usize, to: &mut Positions) -> bool {
    // SAFETY: the same contract.
    unsafe { scalar::find_by::<Eight>(upper, start, count, to) }
}

/// The position of the first bit of the next byte, in eight lanes.
struct Eight(uint16x8_t);

impl scalar::Bytes for Eight {
    #[inline(always)]
    fn new() -> Self {
        // SAFETY: every arm64 processor has NEON.
        Eight(unsafe { vdupq_n_u16(0) })
    }

    #[inline(always)]
    unsafe fn ones(word: u64) -> u64 {
        // SAFETY: the processor has NEON, by the contract.
        unsafe { ones_by_byte_neon(word) }
    }

    #[inline(always)]
    unsafe fn store(&mut self, byte: u8, to: *mut u16) {
        // SAFETY: `Stops` is a vector of eight, for which `to` has room; the processor has NEON, by the contract.
        unsafe {
            let stops = vld1q_u16(STOPS[byte as usize].0.as_ptr());
            vst1q_u16(to, vaddq_u16(stops, self.0));
            self.0 = vaddq_u16(self.0, vdupq_n_u16(8));
        }
    }
}

/// The byte at which the lower bits of the tile begin.
fn lower_bits(tile: &Tile) -> *const u8 {
    tile.parts.lower.as_ptr().cast::<u8>().wrapping_add(tile.first / 8 * tile.parts.lower_width as usize)
}

/// As [`scalar::merge`].
///
/// # Safety
/// As for [`scalar::merge`]; the processor has NEON.
#[target_feature(enable = "neon")]
unsafe fn merge(tile: &Tile, out: *mut u32) {
    let width = tile.parts.lower_width;
    if width > WIDEST {
        // SAFETY: `scalar::merge` has the same contract.
        return unsafe { scalar::merge(tile, out) };
    }
    let mut lower = Eights::new(lower_bits(tile), width);
    let (left, base) = (vdupq_n_s32(width as i32), vdupq_n_u32(tile.base));
    // SAFETY: the first of each eight docIDs is in the list, so the 28 bytes from its field on end in the lower bits or
    // their padding. Both `positions` and `out` have room for 7 docIDs after the tile. `IOTA` is a vector.
    unsafe {
        let mut index = vld1q_u16(IOTA.as_ptr());
        for at in (0..tile.count).step_by(8) {
            let positions = vld1q_u16(tile.positions.as_ptr().add(at).cast());
            // Never negative: i stop bits of the tile come before the one with index i.
            let upper = vsubq_u16(positions, index);
            let first = vshlq_u32(vaddw_u16(base, vget_low_u16(upper)), left);
            let second = vshlq_u32(vaddw_high_u16(base, upper), left);
            let lower = lower.next();
            store(out.add(at), [vorrq_u32(first, lower[0]), vorrq_u32(second, lower[1])]);
            index = vaddq_u16(index, vdupq_n_u16(8));
        }
    }
}

/// Like [`merge`], but writes only the low halves.
///
/// # Safety
/// As for [`Passes::merge`]; b is at most [`MAX_HALVES_WIDTH`]; `out` has room for 7 more; the processor has NEON.
#[target_feature(enable = "neon")]
unsafe fn merge_halves(tile: &Tile, out: *mut u16) {
    let width = tile.parts.lower_width;
    debug_assert!(width <= MAX_HALVES_WIDTH);
    let HalfLanes { bytes, shifts } = &HALF_LANES[width as usize];
    let (left, mask) = (vdupq_n_s16(width as i16), vdupq_n_u16(low_mask(width) as u16));
    let mut fields = lower_bits(tile);
    // SAFETY: the arrays are as long as the vectors. The first of each eight docIDs is in the list, so the 16 bytes from
    // its field on end in the lower bits or their padding. Both `positions` and `out` have room for 7 docIDs after the
    // tile.
    unsafe {
        let (bytes, shifts) = (vld1q_u8(bytes.as_ptr()), vld1q_s16(shifts.as_ptr()));
        let mut index = vsubq_u16(vld1q_u16(IOTA.as_ptr()), vdupq_n_u16(tile.base as u16));
        for at in (0..tile.count).step_by(8) {
            let positions = vld1q_u16(tile.positions.as_ptr().add(at).cast());
            let upper = vshlq_u16(vsubq_u16(positions, index), left);
            let windows = vreinterpretq_u16_u8(vqtbl1q_u8(vld1q_u8(fields), bytes));
            let lower = vandq_u16(vshlq_u16(windows, shifts), mask);
            vst1q_u16(out.add(at), vorrq_u16(upper, lower));
            index = vaddq_u16(index, vdupq_n_u16(8));
            fields = fields.wrapping_add(width as usize);
        }
    }
}
