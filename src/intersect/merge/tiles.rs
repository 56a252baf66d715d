//! A list, or a part of one, decoded a tile at a time.

use super::super::TILE_BLOCKS;
use super::{ROOM, VECTOR};
use crate::base::cpu::Tier;
use crate::codec::{SLACK, gallop};
use crate::list::PostingList;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Blocks, decoded a tile at a time by `D`, which gets blocks and where to write their docIDs, and returns their number.
pub(crate) struct Tiles<'l, D> {
    decode: D,
    /// The last docIDs of all blocks of the list up to the end.
    lasts: &'l [u32],
    /// The first block that is not decoded yet.
    block: usize,
    /// What is left in the buffer: from `at` to `end`.
    pub(super) at: usize,
    end: usize,
    buffer: [MaybeUninit<u32>; ROOM + SLACK],
}

impl<'l> Tiles<'l, ()> {
    /// All blocks of a list.
    pub(super) fn of_list(tier: Tier, list: &'l PostingList) -> Tiles<'l, impl FnMut(Range<usize>, *mut u32) -> usize> {
        assert!(tier.is_available());
        // SAFETY: the blocks exist, as `lasts` has their last docIDs; the processor has the tier; `Tiles::new` requires
        // the rest of its own calls.
        let decode = move |blocks, out| unsafe { list.decode_blocks_to(tier, blocks, out) };
        // SAFETY: `decode` writes the docIDs of the blocks and at most the slack.
        unsafe { Tiles::new(list.last_doc_ids(), 0..list.blocks(), decode) }
    }
}

impl<'l, D: FnMut(Range<usize>, *mut u32) -> usize> Tiles<'l, D> {
    /// Some blocks of a list with these last docIDs.
    ///
    /// # Safety
    /// For blocks in this range, at least one, `decode` writes their docIDs and at most [`SLACK`] more, and returns their
    /// number.
    pub(crate) unsafe fn new(lasts: &'l [u32], blocks: Range<usize>, decode: D) -> Self {
        let buffer = [MaybeUninit::uninit(); ROOM + SLACK];
        Tiles { decode, lasts: &lasts[..blocks.end], block: blocks.start, at: 0, end: 0, buffer }
    }

    pub(super) fn rest(&self) -> &[u32] {
        // SAFETY: what is left in the buffer was decoded.
        unsafe { std::slice::from_raw_parts(self.buffer.as_ptr().add(self.at).cast(), self.end - self.at) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// None of what is left is less.
    pub(super) fn least(&self) -> u32 {
        match self.rest() {
            [next, ..] => *next,
            [] => self.block.checked_sub(1).map_or(0, |block| self.lasts[block].saturating_add(1)),
        }
    }

    /// Where less than a vector is left, decodes more, if there is more; drops and skips what is below `wanted`.
    pub(super) fn fill(&mut self, wanted: u32) {
        if self.end - self.at >= VECTOR {
            return;
        }
        if self.rest().last().is_some_and(|&last| last < wanted) {
            self.at = self.end;
        }
        if self.is_empty() {
            self.block += gallop(&self.lasts[self.block..], wanted);
        }
        if self.block >= self.lasts.len() {
            return;
        }
        self.buffer.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        let blocks = self.block..self.lasts.len().min(self.block + TILE_BLOCKS);
        self.block = blocks.end;
        // After less than a vector the buffer has room for a tile and the slack.
        self.end += (self.decode)(blocks, self.buffer.as_mut_ptr().wrapping_add(self.end).cast());
    }
}
