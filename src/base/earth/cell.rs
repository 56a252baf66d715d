//! [`Cell`]: the earth, its quarters, their quarters, and so on.

use super::Point;
use std::ops::RangeInclusive;

/// The points whose codes have the same first bits: a square of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The least code.
    first: u64,
    /// The bits of a coordinate in which its points differ.
    bits: u32,
}

impl Cell {
    /// All points.
    pub const EARTH: Cell = Cell { first: 0, bits: u32::BITS };

    /// The codes of its points.
    pub fn codes(self) -> RangeInclusive<u64> {
        let differing = u64::MAX.checked_shr(u64::BITS - 2 * self.bits).unwrap_or(0);
        self.first..=self.first | differing
    }

    /// Its quarters in the order of codes; `None` if it is one point.
    pub fn quarters(self) -> Option<[Cell; 4]> {
        let bits = self.bits.checked_sub(1)?;
        Some([0, 1, 2, 3].map(|quarter| Cell { first: self.first | quarter << (2 * bits), bits }))
    }

    /// The points at its corners in the south-west and the north-east.
    pub fn corners(self) -> (Point, Point) {
        let of = |code: u64| Point { lat: from_offset(gather(code >> 1)), lng: from_offset(gather(code)) };
        let codes = self.codes();
        (of(*codes.start()), of(*codes.end()))
    }
}

fn from_offset(steps: u32) -> i32 {
    (steps ^ 1 << 31) as i32
}

/// The bits at the even places of a number.
fn gather(number: u64) -> u32 {
    let masks = [
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    let number = number & 0x5555_5555_5555_5555;
    [1, 2, 4, 8, 16].into_iter().zip(masks).fold(number, |n, (shift, mask)| (n | n >> shift) & mask) as u32
}
