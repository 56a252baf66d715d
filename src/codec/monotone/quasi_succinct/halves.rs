//! The low halves of docIDs. If the docIDs of consecutive blocks span at most 2^16, their low halves identify them, and
//! take half the work to decode. All arithmetic is modulo 2^16.

#[cfg(not(target_arch = "x86_64"))]
use super::tiles::Tile;
use super::tiles::{Passes, TILE};
use super::{Parts, scalar};
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
pub(super) static PASSES: Passes<u16> = Passes { find: scalar::find, merge: super::sse2::merge_halves, far };
#[cfg(not(target_arch = "x86_64"))]
pub(super) static PASSES: Passes<u16> = Passes { find: scalar::find, merge, far };

/// The second pass.
///
/// # Safety
/// As for [`Passes::merge`].
#[cfg(not(target_arch = "x86_64"))]
unsafe fn merge(tile: &Tile, out: *mut u16) {
    let mut doc_ids = [0; TILE + crate::codec::SLACK];
    // SAFETY: `scalar::merge` has the same contract, and `doc_ids` room for a tile and 7 more; `out` has room for the
    // tile.
    unsafe {
        scalar::merge(tile, doc_ids.as_mut_ptr());
        doc_ids[..tile.count].iter().enumerate().for_each(|(i, &doc_id)| out.add(i).write(doc_id as u16));
    }
}

/// As [`scalar::far`].
///
/// # Safety
/// As for [`scalar::far`]; there are at most [`TILE`] ranks.
pub(super) unsafe fn far(parts: &Parts, ranks: Range<usize>, start: u64, out: *mut u16) {
    let mut doc_ids = [0; TILE];
    let count = ranks.len();
    // SAFETY: `scalar::far` has the same contract, and `doc_ids` room for a tile; `out` has room for a docID per rank.
    unsafe {
        scalar::far(parts, ranks, start, doc_ids.as_mut_ptr());
        doc_ids[..count].iter().enumerate().for_each(|(i, &doc_id)| out.add(i).write(doc_id as u16));
    }
}
