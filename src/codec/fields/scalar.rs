//! Plain Rust: as many fields per load as 57 bits hold.

use crate::base::bits::{low_mask, read_u64};

/// Reads fields.
///
/// # Safety
/// As [`super::unpack`].
pub(super) unsafe fn unpack(stream: *const u8, width: u32, count: usize, out: *mut u32) {
    // SAFETY: the callees have the same contract.
    unsafe {
        match width {
            0..=7 => by::<8>(stream, width, count, out),
            8..=14 => by::<4>(stream, width, count, out),
            15..=28 => by::<2>(stream, width, count, out),
            _ => by::<1>(stream, width, count, out),
        }
    }
}

/// [`unpack`] for widths of which 57 bits hold `A_LOAD` fields.
///
/// # Safety
/// As [`super::unpack`].
#[inline(always)]
unsafe fn by<const A_LOAD: usize>(stream: *const u8, width: u32, count: usize, out: *mut u32) {
    let mask = low_mask(width);
    let mut bit = 0;
    for at in (0..count).step_by(A_LOAD) {
        // SAFETY: the first field of the load is readable with 64 bytes; at most 7 fields more than `count` are written.
        unsafe {
            let mut fields = read_u64(stream, bit / 8) >> (bit % 8);
            for i in at..at + A_LOAD {
                out.add(i).write(fields as u32 & mask);
                fields >>= width;
            }
        }
        bit += A_LOAD * width as usize;
    }
}
