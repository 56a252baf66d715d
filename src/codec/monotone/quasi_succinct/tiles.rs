//! The two passes of all decoders, over a tile of docIDs that stays in the first-level cache. The first pass finds the
//! stop bits; the second turns their positions into docIDs. Neither has a branch per docID. Positions are counted from
//! the first word of the tile and take 16 bits. A tile with too many upper bits for that is decoded in plain Rust.

use super::{Parts, far};
use crate::codec::{BLOCK, LARGE, prefetch};
use std::mem::MaybeUninit;
use std::ops::Range;

/// docIDs in a tile.
pub(in crate::codec) const TILE: usize = 512;

/// The most 64-bit words of upper bits in a tile, so that positions fit in 16 bits.
pub(super) const MOST_WORDS: usize = 1023;

/// The positions of a tile's stop bits, with room for what is stored after them: those of one more word, and a vector.
pub(in crate::codec) type Positions = [MaybeUninit<u16>; TILE + 128];

/// The passes over a tile, for one instruction set.
pub(super) struct Passes<T> {
    /// The first pass. Finds the first `count` stop bits from bit `start` of the upper bits on, and writes their
    /// positions, counted from the 64-bit word that holds `start`. Returns false if they are not all in [`MOST_WORDS`]
    /// words. Requires that so many stop bits follow, and that `count` is at most [`TILE`].
    pub find: unsafe fn(upper: *const u8, start: u64, count: usize, to: &mut Positions) -> bool,
    /// The second pass. Turns positions into docIDs. Requires that the docIDs are in the list, that `find` has written
    /// their positions, and that `out` has room for them and [`SLACK`](crate::codec::SLACK) more.
    pub merge: unsafe fn(tile: &Tile, out: *mut T),
    /// Decodes a tile with any number of upper bits. Requires that the ranks are in the list and at most [`TILE`] many,
    /// that `start` is the bit after the stop bit before them, or 0, and that `out` has room for their docIDs.
    pub far: unsafe fn(parts: &Parts, ranks: Range<usize>, start: u64, out: *mut T),
}

/// The input of the second pass.
pub(super) struct Tile<'p> {
    pub parts: &'p Parts<'p>,
    /// The rank of the first docID, a multiple of 128.
    pub first: usize,
    pub count: usize,
    /// A docID's upper part is its position, minus its index in the tile, plus `base` (modulo 2^32).
    pub base: u32,
    pub positions: &'p Positions,
}

/// Decodes the docIDs of `blocks`, after the docID `previous`, and returns their number.
///
/// # Safety
/// As for [`super::decode_blocks`], or [`super::decode_halves`] if `T` is `u16`; the processor has the features that
/// `passes` need.
#[inline(always)]
pub(super) unsafe fn decode<T>(
    parts: &Parts,
    blocks: Range<usize>,
    previous: u32,
    out: *mut T,
    passes: &Passes<T>,
) -> usize {
    let ranks = blocks.start * BLOCK..parts.count.min(blocks.end * BLOCK);
    debug_assert!(!ranks.is_empty());
    let upper = parts.upper.as_ptr().cast::<u8>();
    let mut positions = [MaybeUninit::uninit(); TILE + 128];
    let mut start = u64::from((previous - parts.base) >> parts.lower_width) + ranks.start as u64;
    let base_part = parts.base >> parts.lower_width;
    for first in ranks.clone().step_by(TILE) {
        let count = TILE.min(ranks.end - first);
        let word = start / 64;
        // SAFETY: `start` is the bit after the stop bit of the docID before `first`, and `count` more docIDs are in the
        // list, for which `out` has room and slack. If `find` returns true, it has written `count` positions.
        unsafe {
            let out = out.add(first - ranks.start);
            if ranks.len() >= LARGE {
                prefetch(out, count);
            }
            if (passes.find)(upper, start, count, &mut positions) {
                let base = ((word * 64).wrapping_sub(first as u64) as u32).wrapping_add(base_part);
                (passes.merge)(&Tile { parts, first, count, base, positions: &positions }, out);
                start = word * 64 + u64::from(positions[count - 1].assume_init()) + 1;
            } else {
                (passes.far)(parts, first..first + count, start, out);
                start = far::bit_after(upper, start, count);
            }
        }
    }
    ranks.len()
}
