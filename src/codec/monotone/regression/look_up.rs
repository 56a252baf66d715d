//! Looks docIDs up by decoding single docIDs (algorithm 1 of the paper).
//!
//! The algorithm finds the *safe range* of a docID on the segment headers from the line, L and R (the largest deviations
//! to the left and to the right); the segment by a binary search of the headers; and the docID by a binary search in the
//! segment, of which it decodes only the elements that it compares.
//!
//! Here the headers are the directory. Look-ups ascend, so they search it from the latest block on, and only far ahead
//! from the line. L and R are not stored: deviations are not negative and bounded by their width, and that bounds the
//! ranks that a docID can have, both on the headers and within a block. On the headers the range is only tried, and the
//! directory tells whether the docID is in it; within a block or bucket it is exact, because
//! [`LineCheck`](super::LineCheck) has been passed. In HS_LRC the bucket is found by the docID's leading bits.
//!
//! Where docIDs to look up are so dense that a block has two of them, the block is decoded after all.

use super::line::Line;
use super::piece::Piece;
use super::{Regression, Scheme};
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, BlockBuffer, Encoded, ListCodec, LookUp, block_buffer, gallop};
use std::marker::PhantomData;
use std::ops::Range;

/// How far the look-ups in a list have come.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// The first block that may have the next docID.
    pub(super) block: usize,
    /// The hint of [`Scheme::piece`].
    pub(super) hint: usize,
}

/// A forward-only look-up in one list.
pub struct RegressionSearch<'l, S> {
    tier: Tier,
    list: Encoded<'l>,
    place: Place,
    /// The mean difference between the last docIDs of blocks.
    span: u32,
    buffer: BlockBuffer,
    scheme: PhantomData<S>,
}

impl<'l, S: Scheme> LookUp<'l> for RegressionSearch<'l, S> {
    const EXISTS: bool = true;

    unsafe fn new(tier: Tier, list: Encoded<'l>) -> Option<Self> {
        let span = list.universe / list.blocks() as u32;
        Some(RegressionSearch {
            tier,
            list,
            place: Place::default(),
            span,
            buffer: block_buffer(),
            scheme: PhantomData,
        })
    }

    unsafe fn retain(&mut self, candidates: &mut [u32]) -> usize {
        let (mut at, mut kept) = (0, 0);
        while let Some(&candidate) = candidates.get(at) {
            if candidate > self.list.universe {
                break;
            }
            if candidates.get(at + 1).is_some_and(|next| next - candidate < self.span) {
                let (looked_up, found) = self.retain_in_block(candidates, at, kept);
                at += looked_up;
                kept += found;
                if looked_up != 0 {
                    continue;
                }
            }
            candidates[kept] = candidate;
            kept += usize::from(self.has(candidate));
            at += 1;
        }
        kept
    }
}

impl<S: Scheme> RegressionSearch<'_, S> {
    /// If the block of the candidate at `at` may have the next one too, looks all of them up that it may have, in the
    /// decoded block: for two of them that takes less time than to search. Moves those that the list contains to `kept`,
    /// and returns the number of candidates and of these.
    fn retain_in_block(&mut self, candidates: &mut [u32], at: usize, kept: usize) -> (usize, usize) {
        seek(self.list.last_doc_ids, candidates[at], &mut self.place.block);
        let last = self.list.last_doc_ids[self.place.block];
        if candidates[at + 1] > last {
            return (0, 0);
        }
        let blocks = self.place.block..self.place.block + 1;
        // SAFETY: the list was checked, and the processor has the tier, by the contract of `LookUp::new`; the block exists;
        // a `BlockBuffer` has room for it and the slack.
        let count = unsafe { Regression::<S>::decode_blocks(self.tier, &self.list, blocks, self.buffer.as_mut_ptr()) };
        let mut rest = &self.buffer[..count];
        let (mut looked_up, mut found) = (0, 0);
        while let Some(&candidate) = candidates.get(at + looked_up)
            && candidate <= last
        {
            rest = &rest[rest.partition_point(|&doc_id| doc_id < candidate)..];
            candidates[kept + found] = candidate;
            // The block has a docID that is at least the candidate: its last.
            found += usize::from(rest[0] == candidate);
            looked_up += 1;
        }
        (looked_up, found)
    }

    /// Whether the list has a docID, which is at most u.
    #[inline(always)]
    fn has(&mut self, doc_id: u32) -> bool {
        let Range { start: mut from, end } = S::locate(&self.list, doc_id, &mut self.place);
        while from < end {
            let piece = S::piece(&self.list, from, &mut self.place.hint);
            // SAFETY: the list was checked, by the contract of `LookUp::new`, and the rank is the piece's last.
            if piece.end >= end || doc_id <= unsafe { piece.doc_id(piece.end - 1) } {
                // SAFETY: as above; the ranks are in the piece and in a stretch.
                return unsafe { is_among(&piece, from..end.min(piece.end), doc_id) };
            }
            from = piece.end;
        }
        false
    }
}

/// Whether a docID is among those of these ranks.
///
/// # Safety
/// The ranks are in the piece; there is at least one; the list was checked.
#[inline(always)]
unsafe fn is_among(piece: &Piece, ranks: Range<usize>, doc_id: u32) -> bool {
    let near = safe_range(piece.line.from(ranks.start - piece.first), doc_id, piece.most(), ranks.len());
    let (mut from, mut size) = (ranks.start + near.start, near.len());
    if size == 0 {
        return false;
    }
    while size > 1 {
        let half = size / 2;
        // SAFETY: `from + half` is below `ranks.end`.
        let is_before = unsafe { piece.doc_id(from + half) } <= doc_id;
        from = if is_before { from + half } else { from };
        size -= half;
    }
    // SAFETY: `from` is in `ranks`.
    unsafe { piece.doc_id(from) == doc_id }
}

/// Among `count` docIDs of a stretch, those that may be `doc_id`: their indices on `line`, which begins with the first of
/// them.
///
/// Let s be the slope as a real number and D = docID − l (see [`LineCheck`](super::LineCheck)). For the index i of the
/// docID, r(i) ≤ D ≤ r(i) + most, and s·i − 1 < r(i) < s·i + 1, so D − most − 1 < s·i < D + 1. Quotients of `f64` that
/// are at most 2^32 are off by less than 2^−18, so one is added on both sides.
#[inline(always)]
fn safe_range(line: Line, doc_id: u32, most: u32, count: usize) -> Range<usize> {
    if line.slope == 0 {
        return 0..count;
    }
    let above = doc_id.wrapping_sub(line.begin());
    let inverse = 2f64.powi(32) / line.slope as f64;
    let to = ((f64::from(above) + 1.0) * inverse) as usize;
    let from = (f64::from(above.saturating_sub(most).saturating_sub(1)) * inverse) as usize;
    let end = to.saturating_add(2).min(count);
    from.saturating_sub(1).min(end)..end
}

/// Moves `block` on to the first whose last docID is at least `doc_id`, which is at most the largest.
#[inline(always)]
pub(super) fn seek(lasts: &[u32], doc_id: u32, block: &mut usize) {
    if lasts[*block] < doc_id {
        *block += gallop(&lasts[*block..], doc_id);
    }
}

/// As [`seek`]; a block that is not near is sought in the safe range, by a line from which docIDs deviate by `most`. If the
/// block is not there, by [`seek`].
#[inline(always)]
pub(super) fn seek_near(lasts: &[u32], doc_id: u32, block: &mut usize, line: Line, most: u32) {
    const NEAR: usize = 8;
    match lasts.get(*block + NEAR) {
        Some(&last) if last < doc_id && line.slope != 0 => {
            // The line may begin below 0.
            let begin = f64::from(line.begin()) - if line.begin() > lasts[0] { 2f64.powi(32) } else { 0.0 };
            let blocks = 2f64.powi(32) / line.slope as f64 / BLOCK as f64;
            let above = f64::from(doc_id) - begin;
            // Casts saturate.
            let from = ((above - f64::from(most)) * blocks) as usize;
            let to = (((above + 1.0) * blocks) as usize).saturating_add(1).min(lasts.len() - 1);
            let from = from.saturating_sub(1).clamp(*block + NEAR, lasts.len() - 1);
            if from <= to && lasts[from] < doc_id && doc_id <= lasts[to] {
                *block = from + lasts[from..=to].partition_point(|&last| last < doc_id);
                return;
            }
        }
        _ => {}
    }
    seek(lasts, doc_id, block);
}
