//! BP128: blocks in the [lanes](crate::codec::values::bp128::lanes) of the codec of posting lists of that name. There, a
//! block begins with a word that has its width; here, the width is in the directory, and the last block is a whole one,
//! filled up with zeros.
//!
//! A block of w bits per number takes 4w words. Its word of the directory has w in bits 0–5, and above them the index of the
//! block's first word, divided by 4.

use crate::base::memory;
use crate::codec::BLOCK;
use crate::codec::values::bp128::lanes::{self, LANES};

/// Bits of a directory word that hold the width.
const WIDTH_BITS: u32 = 6;

/// The largest index of a block in a directory, in units of four words.
const MOST_UNITS: u32 = u32::MAX >> WIDTH_BITS;

/// Appends a block to `data`, of which the list's begin at `first`. Returns the block's word of the directory; `None` if
/// the data are too large for that.
pub(super) fn encode(values: &[u32], first: usize, data: &mut Vec<u32>) -> Option<u32> {
    let mut block = [0; BLOCK];
    block[..values.len()].copy_from_slice(values);
    let width = lanes::width(values);
    let unit = (data.len() - first) / LANES;
    if unit > MOST_UNITS as usize {
        return None;
    }
    lanes::pack(&block, width, data);
    Some((unit as u32) << WIDTH_BITS | width)
}

/// Whether the block with this word of the directory lies in so many words of data.
pub(super) fn is_sound(entry: u32, words: usize) -> bool {
    let (from, width) = place(entry);
    width <= 32 && from + LANES * width as usize <= words
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
    lanes::get(&data[from..], width, index)
}

/// Fetches the memory of one number of a block into the caches.
///
/// # Panics
/// If the block is not [sound](is_sound).
#[inline(always)]
pub(super) fn prefetch(entry: u32, data: &[u32], index: usize) {
    let (from, width) = place(entry);
    let row = from + lanes::row(width, index);
    memory::prefetch(data.get(row..row + LANES).unwrap_or_default());
}

/// All numbers of a block.
///
/// # Panics
/// If the block is not [sound](is_sound).
#[inline]
pub(super) fn unpack(entry: u32, data: &[u32], out: &mut [u32; BLOCK]) {
    let (from, width) = place(entry);
    lanes::unpack(&data[from..from + LANES * width as usize], width, out);
}

#[inline(always)]
fn place(entry: u32) -> (usize, u32) {
    ((entry >> WIDTH_BITS) as usize * LANES, entry & ((1 << WIDTH_BITS) - 1))
}
