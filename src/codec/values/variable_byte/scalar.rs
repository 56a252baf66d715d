//! Plain Rust: one value at a time, from a load of four bytes.

use super::PER_WORD;
use crate::base::bits::low_mask;

/// Decodes the values of a part.
///
/// # Safety
/// As [`decode`](super::VariableByte): control and data are those of `count` values, four bytes after the data may be
/// read, and `out` has room for the values.
pub(super) unsafe fn decode(control: &[u32], data: &[u32], count: usize, out: *mut u32) {
    let mut from = data.as_ptr().cast::<u8>();
    for rank in 0..count {
        let length = (control[rank / PER_WORD] >> (2 * (rank % PER_WORD)) & 3) + 1;
        // SAFETY: the value begins in the data, and the load ends at most three bytes after the data.
        unsafe {
            let bytes = u32::from_le(from.cast::<u32>().read_unaligned());
            out.add(rank).write(bytes & low_mask(8 * length));
            from = from.add(length as usize);
        }
    }
}
