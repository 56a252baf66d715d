//! Plain Rust: one value at a time.

use super::Stops;
use crate::base::cpu::Tier;
use crate::codec::fields;

/// Puts values together from their remainders, fields of `width` bits, and the positions of their stop bits.
///
/// # Safety
/// There are `count` remainders, from each of which on 64 bytes are readable, and as many positions; `out` has room for
/// the values and 15 more.
pub(super) unsafe fn merge(stops: &Stops, remainders: *const u8, width: u32, count: usize, out: *mut u32) {
    // SAFETY: this function's contract; every processor has the tier.
    unsafe { fields::unpack(Tier::Scalar, remainders, width, count, out) };
    let previous = stops.previous();
    for at in 0..count {
        // SAFETY: `at` is below `count`, and the position before the first is there too.
        unsafe {
            let quotient = (*previous.add(at + 1)).wrapping_sub(*previous.add(at)).wrapping_sub(1);
            *out.add(at) |= u32::from(quotient) << width;
        }
    }
}
