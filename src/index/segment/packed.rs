//! Numbers of a fixed width: number `i` is the bits `i · width` to `(i + 1) · width - 1` of a stream of bits, bit `j` of
//! which is bit `j % 8` of byte `j / 8`. The stream is followed by 8 bytes of zeros, so that one read of 8 bytes fetches
//! any number.

use std::io::{self, Write};

/// The widest packed number below 64; wider ones take 64 bits.
const WIDEST: u32 = 56;

/// The width for numbers up to `greatest`: 0 to 56, or 64.
pub(super) fn width_for(greatest: u64) -> u32 {
    match u64::BITS - greatest.leading_zeros() {
        width @ 0..=WIDEST => width,
        _ => 64,
    }
}

/// Whether a width is one that [`width_for`] gives.
fn is_width(width: u32) -> bool {
    width <= WIDEST || width == 64
}

/// The bytes of `count` numbers, with the padding. `None` if there is no such width or the size is out of range.
pub(super) fn bytes_for(count: usize, width: u32) -> Option<usize> {
    let bits = count.checked_mul(width as usize).filter(|_| is_width(width))?;
    bits.div_ceil(8).checked_add(8)
}

/// Writes numbers, which must be at most as wide as `width`, and the padding.
pub(super) fn pack(numbers: impl Iterator<Item = u64>, width: u32, out: &mut impl Write) -> io::Result<()> {
    let (mut bits, mut filled) = (0u128, 0);
    for number in numbers {
        bits |= u128::from(number) << filled;
        filled += width;
        if filled >= 64 {
            out.write_all(&(bits as u64).to_le_bytes())?;
            bits >>= 64;
            filled -= 64;
        }
    }
    out.write_all(&(bits as u64).to_le_bytes()[..filled.div_ceil(8) as usize])?;
    out.write_all(&[0; 8])
}

/// Packed numbers in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<'p> {
    bytes: &'p [u8],
    width: u32,
    count: usize,
}

/// The byte at which the eight bytes that hold number `i` begin, and the bit at which the number begins in them.
#[inline(always)]
pub(super) fn place(i: usize, width: u32) -> (usize, u32) {
    let bit = i as u64 * u64::from(width);
    ((bit / 8) as usize, (bit % 8) as u32)
}

/// The number that begins at a bit of eight bytes.
#[inline(always)]
pub(super) fn extract(bytes: [u8; 8], bit: u32, width: u32) -> u64 {
    let word = u64::from_le_bytes(bytes) >> bit;
    if width == 64 { word } else { word & ((1 << width) - 1) }
}

impl<'p> Packed<'p> {
    /// No numbers.
    pub const NONE: Packed<'static> = Packed { bytes: &[0; 8], width: 0, count: 0 };

    /// `count` numbers at the beginning of `bytes`, and the bytes after them. `None` if they do not fit.
    pub fn split(bytes: &'p [u8], width: u32, count: usize) -> Option<(Packed<'p>, &'p [u8])> {
        let (bytes, rest) = bytes.split_at_checked(bytes_for(count, width)?)?;
        Some((Packed { bytes, width, count }, rest))
    }

    /// Number `i`, or `None` past the last.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<u64> {
        if i >= self.count {
            return None;
        }
        let (at, bit) = place(i, self.width);
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(extract(*bytes, bit, self.width))
    }

    /// All of them as they lie in memory, if they take 64 bits each.
    pub fn wide(&self) -> Option<&'p [[u8; 8]]> {
        if self.width == 64 { self.bytes.as_chunks().0.get(..self.count) } else { None }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = u64> + 'p {
        (0..self.count).map_while(move |i| self.get(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(width in prop_oneof![0u32..=56, Just(64)], numbers in prop::collection::vec(any::<u64>(), 0..100)) {
            let limit = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            let numbers: Vec<u64> = numbers.iter().map(|number| number & limit).collect();
            let mut bytes = Vec::new();
            pack(numbers.iter().copied(), width, &mut bytes).unwrap();
            prop_assert_eq!(Some(bytes.len()), bytes_for(numbers.len(), width));
            bytes.push(7);
            let (packed, rest) = Packed::split(&bytes, width, numbers.len()).unwrap();
            prop_assert_eq!(rest, [7]);
            prop_assert_eq!(packed.iter().collect::<Vec<_>>(), numbers);
            prop_assert_eq!(packed.get(packed.len()), None);
        }
    }

    #[test]
    fn widths_hold_what_they_are_for() {
        assert_eq!([0, 1, 255, (1 << 56) - 1, 1 << 56, u64::MAX].map(width_for), [0, 1, 8, 56, 64, 64]);
        assert_eq!(bytes_for(3, 57), None);
        assert_eq!(bytes_for(usize::MAX, 2), None);
    }
}
