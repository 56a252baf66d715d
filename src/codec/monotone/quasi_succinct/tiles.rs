//! The two passes of all decoders, over a tile of docIDs that stays in the first-level cache, neither with a branch a
//! docID: the first finds the stop bits, the second makes docIDs of their positions. Positions are counted from where
//! the tile begins, and take 16 bits; a tile whose upper bits are too many for that is decoded in plain Rust.

use super::{Parts, scalar};
use std::mem::MaybeUninit;
use std::ops::Range;

/// docIDs of a tile.
pub(super) const TILE: usize = 512;

/// docIDs whose memory is not in the second-level cache as a rule.
const LARGE: usize = 1 << 16;

/// 64-bit words of upper bits that a tile has at most, the last of them not whole.
pub(super) const MOST_WORDS: usize = 1023;

/// Positions of the stop bits of a tile, and room for what is stored past them: those of one word, and a vector.
pub(super) type Positions = [MaybeUninit<u16>; TILE + 128];

/// What an instruction set has for a tile.
pub(super) struct Passes<T> {
    /// Writes the positions of `count` stop bits, counted from the word that holds bit `start` of the upper bits; those
    /// before `start` do not count. `false` where they are not in [`MOST_WORDS`] words.
    pub find: unsafe fn(upper: *const u8, start: u64, count: usize, to: &mut Positions) -> bool,
    /// Makes docIDs of positions.
    pub merge: unsafe fn(tile: &Tile, out: *mut T),
    /// Decodes a tile in another way.
    pub far: unsafe fn(parts: &Parts, ranks: Range<usize>, start: u64, out: *mut T),
}

/// What the second pass needs.
pub(super) struct Tile<'p> {
    pub parts: &'p Parts<'p>,
    /// The rank of the first docID, a multiple of 128.
    pub first: usize,
    pub count: usize,
    /// What position less index is to be raised by to be the upper part.
    pub base: u32,
    pub positions: &'p Positions,
}

/// Decodes the docIDs of `ranks`, which begin at a multiple of 128, after the docID `previous`.
///
/// # Safety
/// As [`super::decode_blocks`], of the processor too; `ranks` are those of its blocks.
#[inline(always)]
pub(super) unsafe fn decode<T>(parts: &Parts, ranks: Range<usize>, previous: u32, out: *mut T, passes: &Passes<T>) {
    let upper = parts.upper.as_ptr().cast::<u8>();
    let mut positions = [MaybeUninit::uninit(); TILE + 128];
    let mut start = u64::from(previous >> parts.lower_width) + ranks.start as u64;
    for first in ranks.clone().step_by(TILE) {
        let count = TILE.min(ranks.end - first);
        let word = start / 64;
        // SAFETY: `start` is the bit behind the stop bit of the docID before `first`, and `count` more are in the list;
        // `out` has room for them.
        unsafe {
            let out = out.add(first - ranks.start);
            if ranks.len() >= LARGE {
                ask_for(out, count);
            }
            if (passes.find)(upper, start, count, &mut positions) {
                let base = (word * 64).wrapping_sub(first as u64) as u32;
                (passes.merge)(&Tile { parts, first, count, base, positions: &positions }, out);
                start = word * 64 + u64::from(positions[count - 1].assume_init()) + 1;
            } else {
                (passes.far)(parts, first..first + count, start, out);
                start = scalar::behind(upper, start, count);
            }
        }
    }
}

/// Asks for the memory that a tile will be written to, which then comes while stop bits are found: docIDs are written in
/// bursts, and would wait for it one after the other.
#[inline(always)]
fn ask_for<T>(out: *mut T, count: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..count * size_of::<T>()).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 has it, and it does nothing where there is no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(out.cast::<i8>().wrapping_add(at)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (out, count);
}
