//! A piece of a list: docIDs of consecutive ranks on one line, with their deviations.

use super::line::{self, Line};
use crate::base::bits::{low_mask, read_57};
use crate::base::cpu::Tier;
use crate::codec::SLACK;
use crate::codec::values::parapfor::segment::{self, Header};
use std::ops::Range;

/// A piece. Made by a [`Scheme`](super::Scheme).
#[derive(Debug, Clone, Copy)]
pub struct Piece<'l> {
    /// The rank of the first docID.
    pub(super) first: usize,
    /// The rank after that of the last.
    pub(super) end: usize,
    /// The line; its index 0 is the first docID.
    pub(super) line: Line,
    /// The deviations, and what follows them in the payload and its padding.
    pub(super) coded: Coded<'l>,
}

/// How deviations are coded.
#[derive(Debug, Clone, Copy)]
pub enum Coded<'l> {
    /// Fields of that width.
    Fields(u32, &'l [u32]),
    /// A segment of ParaPFor.
    Segment(&'l [u32]),
}

impl Piece<'_> {
    /// The largest possible deviation.
    #[inline(always)]
    pub(super) fn most(&self) -> u32 {
        match self.coded {
            Coded::Fields(width, _) => low_mask(width),
            Coded::Segment(words) => {
                let header = Header::of(words[0]);
                low_mask(header.slot_width + header.high_width)
            }
        }
    }

    /// The docID of that rank.
    ///
    /// # Safety
    /// The rank is in the piece, and the list was checked.
    #[inline(always)]
    pub(super) unsafe fn doc_id(&self, rank: usize) -> u32 {
        let index = rank - self.first;
        let deviation = match self.coded {
            // SAFETY: the check of the list found a field for each docID of the piece.
            Coded::Fields(width, words) => unsafe {
                read_57(words, index as u64 * u64::from(width)) as u32 & low_mask(width)
            },
            Coded::Segment(words) => segment::get(words, self.end - self.first, index),
        };
        self.line.from(index).begin().wrapping_add(deviation)
    }

    /// Decodes the docIDs of these ranks to `out`.
    ///
    /// # Safety
    /// The ranks are in the piece, and the list was checked; `out` has room for the docIDs and
    /// [`SLACK`](crate::codec::SLACK) more; the processor has `tier`.
    #[inline]
    pub(super) unsafe fn decode(&self, tier: Tier, ranks: Range<usize>, out: *mut u32) {
        let Range { start, end } = ranks;
        let (width, words) = match self.coded {
            Coded::Fields(width, words) => (width, words),
            // SAFETY: the callee has the same contract.
            Coded::Segment(words) => return unsafe { self.decode_segment(tier, words, ranks, out) },
        };
        // Fields are unpacked from a whole byte on, and every eighth begins with one.
        let lead = ((start - self.first).wrapping_neg() % 8).min(end - start);
        for index in 0..lead {
            // SAFETY: the rank is one of `ranks`, for which `out` has room.
            unsafe { out.add(index).write(self.doc_id(start + index)) };
        }
        let from = start + lead;
        if from == end {
            return;
        }
        let index = from - self.first;
        // SAFETY: the ranks are in the piece, for each of whose docIDs the check of the list found a field; the padding is
        // longer than what is read after them. `out` has room for the docIDs and the slack.
        unsafe {
            let stream = words.as_ptr().cast::<u8>().add(index / 8 * width as usize);
            line::decode(tier, self.line.from(index), stream, width, end - from, out.add(lead));
        }
    }

    /// [`decode`](Self::decode) for a segment of ParaPFor, whose deviations are decoded all at once.
    ///
    /// # Safety
    /// As there; `words` are the segment and what follows it.
    unsafe fn decode_segment(&self, tier: Tier, words: &[u32], ranks: Range<usize>, out: *mut u32) {
        let (skipped, count) = (ranks.start - self.first, ranks.len());
        let line = self.line.from(skipped);
        // SAFETY: the check of the list found a segment of the piece's length, and padding follows. `deviations` has room
        // for any segment and the slack; `out` has room for the docIDs and the slack.
        unsafe {
            if ranks == (self.first..self.end) {
                segment::decode_segment(tier, words, count, out);
            } else {
                let mut deviations = [0u32; segment::MOST_VALUES + SLACK];
                segment::decode_segment(tier, words, self.end - self.first, deviations.as_mut_ptr());
                out.copy_from_nonoverlapping(deviations.as_ptr().add(skipped), count);
            }
            line::add(tier, line, count, out);
        }
    }
}
