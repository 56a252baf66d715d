//! Numbers in blocks of 128, each block with as many bits per number as its largest needs: frequencies and positions.
//!
//! Number i of a block stands in lane i mod 4, as row i / 4 of the lane. A lane is a stream of 32 fields of w bits, and
//! the w words of the four lanes alternate, so that four numbers are unpacked at a time, and each can be had alone:
//!
//! ```text
//! word      0        1        2        3        4      …
//! lane      0        1        2        3        0
//! numbers   0,4,8,…  1,5,9,…  2,6,10,… 3,7,11,…  …
//! ```
//!
//! A block takes 4w words. The directory has a word per block: w in bits 0–5, and above them the index of the block's
//! first word, divided by 4. (Lemire and Boytsov, *Decoding billions of integers per second through vectorization*,
//! 2015: SIMD-BP128's vertical layout.)

use crate::codec::BLOCK;

/// Lanes of a block.
const LANES: usize = 4;

/// Bits of a directory word that hold the width.
const WIDTH_BITS: u32 = 6;

/// The largest index of a block in a directory, in units of four words.
const MOST_UNITS: u32 = u32::MAX >> WIDTH_BITS;

/// Appends `numbers` to `data` in blocks, and a word per block to `directory`. The last block is filled up with zeros.
/// Returns false if `data` grew too large for the directory.
#[must_use]
pub(super) fn encode(
    numbers: impl ExactSizeIterator<Item = u32>,
    directory: &mut Vec<u32>,
    data: &mut Vec<u32>,
) -> bool {
    let first = data.len();
    let mut numbers = numbers.peekable();
    while numbers.peek().is_some() {
        let mut block = [0; BLOCK];
        let mut all = 0;
        for (to, number) in block.iter_mut().zip(&mut numbers) {
            *to = number;
            all |= number;
        }
        let width = u32::BITS - all.leading_zeros();
        let unit = (data.len() - first) / LANES;
        if unit > MOST_UNITS as usize {
            return false;
        }
        directory.push((unit as u32) << WIDTH_BITS | width);
        pack(&block, width, data);
    }
    true
}

fn pack(block: &[u32; BLOCK], width: u32, data: &mut Vec<u32>) {
    let first = data.len();
    data.resize(first + LANES * width as usize, 0);
    let data = &mut data[first..];
    for (index, &number) in block.iter().enumerate() {
        let (row, lane) = (index / LANES, index % LANES);
        let bit = row * width as usize;
        let word = LANES * (bit / 32) + lane;
        let shifted = u64::from(number) << (bit % 32);
        if width > 0 {
            data[word] |= shifted as u32;
        }
        if shifted >> 32 != 0 {
            data[word + LANES] |= (shifted >> 32) as u32;
        }
    }
}

/// Packed numbers in a list.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'w> {
    directory: &'w [u32],
    data: &'w [u32],
    count: usize,
}

impl<'w> Packed<'w> {
    /// `count` numbers; the directory has a word for each block. To be [checked](Packed::is_sound) before use.
    pub(super) fn new(directory: &'w [u32], data: &'w [u32], count: usize) -> Packed<'w> {
        debug_assert_eq!(directory.len(), count.div_ceil(BLOCK));
        Packed { directory, data, count }
    }

    /// Whether all blocks lie in the data.
    pub(super) fn is_sound(&self) -> bool {
        self.directory.iter().all(|&entry| {
            let (from, width) = place(entry);
            width <= 32 && from + LANES * width <= self.data.len()
        })
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of bits per number of a block.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn width(&self, block: usize) -> u32 {
        self.directory[block] & ((1 << WIDTH_BITS) - 1)
    }

    /// One number.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline(always)]
    pub fn get(&self, index: usize) -> u32 {
        let (from, width) = place(self.directory[index / BLOCK]);
        if width == 0 {
            return 0;
        }
        let (row, lane) = (index % BLOCK / LANES, index % LANES);
        let bit = row * width;
        let word = from + LANES * (bit / 32) + lane;
        let mut number = u64::from(self.data[word]);
        if bit % 32 + width > 32 {
            number |= u64::from(self.data[word + LANES]) << 32;
        }
        (number >> (bit % 32)) as u32 & mask(width)
    }

    /// Unpacks a block. The numbers of the last block are followed by zeros.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline]
    pub fn unpack(&self, block: usize, out: &mut [u32; BLOCK]) {
        let (from, width) = place(self.directory[block]);
        unpack(width, &self.data[from..from + LANES * width], out);
    }

    /// Appends all numbers.
    pub fn append_to(&self, out: &mut Vec<u32>) {
        out.reserve(self.count + BLOCK);
        let end = out.len() + self.count;
        let mut buffer = [0; BLOCK];
        for block in 0..self.directory.len() {
            self.unpack(block, &mut buffer);
            out.extend_from_slice(&buffer);
        }
        out.truncate(end);
    }
}

#[inline(always)]
fn place(entry: u32) -> (usize, usize) {
    ((entry >> WIDTH_BITS) as usize * LANES, (entry & ((1 << WIDTH_BITS) - 1)) as usize)
}

#[inline(always)]
fn mask(width: usize) -> u32 {
    if width == 32 { u32::MAX } else { (1 << width) - 1 }
}

/// Unpacks `WIDTH` bits per number. With a constant width the loops unroll into shifts of four lanes.
#[inline(always)]
fn unpack_width<const WIDTH: usize>(data: &[u32], out: &mut [u32; BLOCK]) {
    let data = &data[..LANES * WIDTH];
    for row in 0..BLOCK / LANES {
        let bit = row * WIDTH;
        let (word, shift) = (LANES * (bit / 32), bit % 32);
        for lane in 0..LANES {
            let mut number = data[word + lane] >> shift;
            if shift + WIDTH > 32 {
                number |= data[word + LANES + lane] << (32 - shift);
            }
            out[row * LANES + lane] = number & mask(WIDTH);
        }
    }
}

fn unpack(width: usize, data: &[u32], out: &mut [u32; BLOCK]) {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                0 => out.fill(0),
                $($width => unpack_width::<$width>(data, out),)*
                _ => unreachable!("checked by `Packed::new`"),
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(numbers: &[u32]) {
        let (mut directory, mut data) = (Vec::new(), Vec::new());
        assert!(encode(numbers.iter().copied(), &mut directory, &mut data));
        let packed = Packed::new(&directory, &data, numbers.len());
        assert!(packed.is_sound());
        let mut all = vec![7];
        packed.append_to(&mut all);
        assert_eq!(all[1..], *numbers);
        for (index, &number) in numbers.iter().enumerate() {
            assert_eq!(packed.get(index), number, "number {index}");
        }
        if !data.is_empty() {
            assert!(!Packed::new(&directory, &data[1..], numbers.len()).is_sound());
        }
    }

    #[test]
    fn every_width() {
        for width in 0..=32 {
            for count in [1, 4, 127, 128, 129, 300] {
                let most = if width == 32 { u32::MAX } else { (1 << width) - 1 };
                check(&(0..count).map(|i: u32| i.wrapping_mul(0x9E37_79B9).rotate_left(i) & most).collect::<Vec<_>>());
            }
        }
        check(&[]);
    }

    proptest! {
        #[test]
        fn numbers_come_back(
            numbers in prop::collection::vec(prop_oneof![20 => 0u32..4, 2 => 0u32..300, 1 => any::<u32>()], 0..500)
        ) {
            check(&numbers);
        }
    }
}
