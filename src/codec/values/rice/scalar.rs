//! Plain Rust: one value at a time.

use super::Stops;

/// Adds the quotients to the remainders at `out`.
///
/// # Safety
/// There are `count` remainders, and as many positions of stop bits.
pub(super) unsafe fn merge(stops: &Stops, width: u32, count: usize, out: *mut u32) {
    let previous = stops.previous();
    for at in 0..count {
        // SAFETY: `at` is below `count`, and the position before the first is there too.
        unsafe {
            let quotient = (*previous.add(at + 1)).wrapping_sub(*previous.add(at)).wrapping_sub(1);
            *out.add(at) |= u32::from(quotient) << width;
        }
    }
}
