//! A table for vectors whose shuffles stay within 16 bytes: AVX2 and NEON.

use super::WIDEST;

/// How eight fields get into 32-bit lanes. They begin at a byte boundary and take `width` bytes. The low half of a
/// vector (of NEON's: the first of two) is loaded from their first byte and gets the first four. The high half is loaded
/// from byte `width / 2` and gets the other four, which begin at bit 0 or 4 of that byte.
pub(super) struct Lanes {
    /// The bytes of each lane, for a shuffle within halves.
    pub(super) bytes: [u8; 32],
    /// The bit of its lane at which each field begins.
    pub(super) shifts: [u32; 8],
}

/// [`Lanes`] by width.
pub(super) static LANES: [Lanes; WIDEST as usize + 1] = {
    let mut table = [const { Lanes { bytes: [0; 32], shifts: [0; 8] } }; WIDEST as usize + 1];
    let mut width = 0;
    while width < table.len() {
        let mut i = 0;
        while i < 32 {
            let bit = i / 4 % 4 * width + if i < 16 { 0 } else { 4 * width % 8 };
            table[width].bytes[i] = (bit / 8 + i % 4) as u8;
            table[width].shifts[i / 4] = (bit % 8) as u32;
            i += 1;
        }
        width += 1;
    }
    table
};
