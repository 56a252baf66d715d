//! The low halves of docIDs: where the docIDs of a run of blocks span no more than 2^16, they say as much as the docIDs
//! do, and take half the work to decode. All arithmetic is modulo 2^16.

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
/// As [`Passes::merge`]: `out` has room for 7 more.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn merge(tile: &Tile, out: *mut u16) {
    let mut doc_ids = [0; TILE + crate::codec::SLACK];
    // SAFETY: the caller's promise; there is room for a tile and 7 more.
    unsafe {
        scalar::merge(tile, doc_ids.as_mut_ptr());
        doc_ids[..tile.count].iter().enumerate().for_each(|(i, &doc_id)| out.add(i).write(doc_id as u16));
    }
}

/// As [`scalar::far`].
///
/// # Safety
/// As there; no more than a tile.
pub(super) unsafe fn far(parts: &Parts, ranks: Range<usize>, start: u64, out: *mut u16) {
    let mut doc_ids = [0; TILE];
    let count = ranks.len();
    // SAFETY: the caller's promise.
    unsafe {
        scalar::far(parts, ranks, start, doc_ids.as_mut_ptr());
        doc_ids[..count].iter().enumerate().for_each(|(i, &doc_id)| out.add(i).write(doc_id as u16));
    }
}
