//! NEON: eight fields at a time, in two vectors.

use super::lanes::{LANES, Lanes};
use std::arch::aarch64::*;

/// Fields of at most [`super::WIDEST`] bits, one after the other, which are read eight at a time.
pub(crate) struct Eights {
    stream: *const u8,
    width: usize,
    bytes: [uint8x16_t; 2],
    /// Negative, which shifts to the right.
    shifts: [int32x4_t; 2],
    mask: uint32x4_t,
}

impl Eights {
    /// The fields begin at the byte `stream`.
    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn new(stream: *const u8, width: u32) -> Eights {
        let Lanes { bytes, shifts } = &LANES[width as usize];
        // SAFETY: the arrays are as long as two vectors.
        let (bytes, shifts) = unsafe {
            (
                [vld1q_u8(bytes.as_ptr()), vld1q_u8(bytes.as_ptr().add(16))],
                [vld1q_u32(shifts.as_ptr()), vld1q_u32(shifts.as_ptr().add(4))],
            )
        };
        let shifts = [vnegq_s32(vreinterpretq_s32_u32(shifts[0])), vnegq_s32(vreinterpretq_s32_u32(shifts[1]))];
        let mask = vdupq_n_u32(crate::base::bits::low_mask(width));
        Eights { stream, width: width as usize, bytes, shifts, mask }
    }

    /// The next eight fields.
    ///
    /// # Safety
    /// From the first of them on, 28 bytes are readable.
    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) unsafe fn next(&mut self) -> [uint32x4_t; 2] {
        // SAFETY: half a width is at most 12 bytes; 16 are read from there.
        let (low, high) = unsafe { (vld1q_u8(self.stream), vld1q_u8(self.stream.add(self.width / 2))) };
        self.stream = self.stream.wrapping_add(self.width);
        [self.four::<0>(low), self.four::<1>(high)]
    }

    /// The fields of the first or the second vector.
    #[target_feature(enable = "neon")]
    #[inline]
    fn four<const HALF: usize>(&self, bytes: uint8x16_t) -> uint32x4_t {
        let windows = vreinterpretq_u32_u8(vqtbl1q_u8(bytes, self.bytes[HALF]));
        vandq_u32(vshlq_u32(windows, self.shifts[HALF]), self.mask)
    }
}

/// Reads fields of at most [`super::WIDEST`] bits.
///
/// # Safety
/// As [`super::unpack`]; the processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn unpack(stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let mut fields = Eights::new(stream, width);
    for at in (0..count).step_by(8) {
        // SAFETY: 64 bytes are readable from the first of each eight fields on; `out` has room for 15 more than `count`.
        unsafe { store(out.add(at), fields.next()) };
    }
}

/// Writes eight values.
///
/// # Safety
/// `to` has room for them.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) unsafe fn store(to: *mut u32, eight: [uint32x4_t; 2]) {
    // SAFETY: this function's contract.
    unsafe {
        vst1q_u32(to, eight[0]);
        vst1q_u32(to.add(4), eight[1]);
    }
}
