//! BP128: blocks with as many bits per number as their largest needs, in the vertical layout of SIMD-BP128 (Lemire and
//! Boytsov, *Decoding billions of integers per second through vectorization*, 2015).
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
//! A block takes 4w words; the last one is filled up with zeros. The word of a block in the directory has w in bits 0–5,
//! and above them the index of the block's first word, divided by 4.

use crate::codec::BLOCK;

/// Lanes of a block.
const LANES: usize = 4;

/// Bits of a directory word that hold the width.
const WIDTH_BITS: u32 = 6;

/// The largest index of a block in a directory, in units of four words.
const MOST_UNITS: u32 = u32::MAX >> WIDTH_BITS;

/// Appends a block to `data`, of which the list's begin at `first`. Returns the block's word of the directory; `None` if
/// the data are too large for that.
pub(super) fn encode(values: &[u32], first: usize, data: &mut Vec<u32>) -> Option<u32> {
    let mut block = [0; BLOCK];
    block[..values.len()].copy_from_slice(values);
    let width = u32::BITS - values.iter().fold(0, |all, value| all | value).leading_zeros();
    let unit = (data.len() - first) / LANES;
    if unit > MOST_UNITS as usize {
        return None;
    }
    pack(&block, width, data);
    Some((unit as u32) << WIDTH_BITS | width)
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

/// Whether the block with this word of the directory lies in so many words of data.
pub(super) fn is_sound(entry: u32, words: usize) -> bool {
    let (from, width) = place(entry);
    width <= 32 && from + LANES * width <= words
}

/// Whether all numbers of the block are zeros.
#[inline(always)]
pub(super) fn is_zero(entry: u32) -> bool {
    entry & ((1 << WIDTH_BITS) - 1) == 0
}

/// One number of a block.
///
/// # Panics
/// If the block is not [sound](is_sound).
#[inline(always)]
pub(super) fn get(entry: u32, data: &[u32], index: usize) -> u32 {
    let (from, width) = place(entry);
    if width == 0 {
        return 0;
    }
    let (row, lane) = (index / LANES, index % LANES);
    let bit = row * width;
    let word = from + LANES * (bit / 32) + lane;
    let mut number = u64::from(data[word]);
    if bit % 32 + width > 32 {
        number |= u64::from(data[word + LANES]) << 32;
    }
    (number >> (bit % 32)) as u32 & mask(width)
}

/// All numbers of a block.
///
/// # Panics
/// If the block is not [sound](is_sound).
#[inline]
pub(super) fn unpack(entry: u32, data: &[u32], out: &mut [u32; BLOCK]) {
    let (from, width) = place(entry);
    let data = &data[from..from + LANES * width];
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                0 => out.fill(0),
                $($width => unpack_width::<$width>(data, out),)*
                _ => unreachable!("checked by `is_sound`"),
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
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
