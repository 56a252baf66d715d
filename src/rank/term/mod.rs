//! [`Term`]: the postings of a term in a segment, read block by block.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the cursor: its block, and the docIDs there |
//! | `buffers` | memory that it works in |
//! | `source` | where the postings come from |
//! | `bounds` | bounds of scores: of a block, of a range, of all |
//! | `scores` | the scores of a block, or of one document |
//! | `look_up` | whether the list contains a document, and how often that has the term |
//! | `together` | the scores of several documents that the list is known to contain |

mod bounds;
mod buffers;
mod look_up;
mod scores;
mod source;
mod together;

pub(super) use bounds::MARGIN;
use look_up::find_known;
pub(super) use look_up::{end_block, find};
pub use source::Source;
pub(super) use together::Together;

use super::score::{Saturations, Scorer};
use crate::base::cpu::Tier;
use crate::codec::{AnyLookUp, BLOCK, gallop};
use crate::index::list::{DocIds, View};
use crate::intersect::merge::Tiles;
use buffers::Buffers;
use look_up::{Frequencies, Ranked};
use source::blocks_of;
use std::ops::Range;

/// The postings of a term in a segment, read forwards.
pub struct Term<'s> {
    tier: Tier,
    scorer: Scorer<'s>,
    source: Source<'s>,
    blocks: usize,
    /// The bound of each block's scores; not a number until it is computed.
    block_max: Vec<f32>,
    /// The bound of all scores; not a number until it is computed.
    max_score: f32,
    /// The block at which searches begin.
    at: usize,
    /// The block whose docIDs are in the buffers, if any.
    loaded: usize,
    count: usize,
    /// The block whose scores are, if any.
    scored: usize,
    buffers: Buffers,
    /// Looks docIDs up without decoding blocks, once that was asked for; and the last one that it looked up.
    look_up: Option<Box<AnyLookUp<'s>>>,
    looked_up: u32,
    ranked: Ranked,
    frequencies: Frequencies,
}

/// No block.
const NONE: usize = usize::MAX;

impl<'s> Term<'s> {
    /// The postings of `source`, of which there is at least one.
    #[inline(always)]
    pub fn new(tier: Tier, scorer: Scorer<'s>, source: Source<'s>) -> Term<'s> {
        Term {
            tier,
            scorer,
            blocks: blocks_of(&source),
            source,
            block_max: Vec::new(),
            max_score: f32::NAN,
            at: 0,
            loaded: NONE,
            count: 0,
            scored: NONE,
            buffers: Buffers::new(),
            look_up: None,
            looked_up: 0,
            ranked: Ranked::NONE,
            frequencies: Frequencies::NONE,
        }
    }

    /// Postings whose scores are not asked for.
    pub fn without_scores(tier: Tier, source: Source<'s>) -> Term<'s> {
        Term::new(tier, Scorer { weight: 0.0, saturations: Saturations::NONE }, source)
    }

    /// Gives scores to postings [without](Self::without_scores), before any were asked for.
    pub(in crate::rank) fn score_by(&mut self, scorer: Scorer<'s>) {
        self.scorer = scorer;
    }

    /// The tier that it is read with.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// What their scores depend on.
    #[inline(always)]
    pub(in crate::rank) fn scorer(&self) -> &Scorer<'s> {
        &self.scorer
    }

    /// Where they come from.
    pub fn source(&self) -> &Source<'s> {
        &self.source
    }

    /// The number of postings.
    pub fn postings(&self) -> usize {
        self.source.postings()
    }

    /// Lists in which documents are looked up come in this order: bit sets first, where that takes least, and then the shortest.
    #[inline(always)]
    pub(in crate::rank) fn look_up_order(&self) -> (bool, usize) {
        (self.bits().is_none(), self.postings())
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The last docID of a block.
    #[inline(always)]
    pub fn last(&self, block: usize) -> u32 {
        match &self.source {
            Source::List(view) => view.last_doc_ids[block],
            Source::Decoded { columns, .. } => columns.doc_ids[columns.doc_ids.len().min(BLOCK * (block + 1)) - 1],
        }
    }

    /// The first docID that a block may contain.
    #[inline(always)]
    pub fn first_possible(&self, block: usize) -> u32 {
        if block == 0 { 0 } else { self.last(block - 1) + 1 }
    }

    /// Moves to the first block that ends at `doc_id` or later, and returns it; `None` if there is none. Targets must
    /// not decrease.
    #[inline(always)]
    pub fn seek(&mut self, doc_id: u32) -> Option<usize> {
        match &self.source {
            Source::List(view) => {
                let lasts = &view.last_doc_ids[self.at..];
                match lasts.first() {
                    Some(&last) if last >= doc_id => {}
                    _ => self.at += gallop(lasts, doc_id),
                }
            }
            Source::Decoded { columns, .. } => {
                let doc_ids = &columns.doc_ids;
                if self.at < self.blocks && self.last(self.at) < doc_id {
                    self.at = (BLOCK * self.at + gallop(&doc_ids[BLOCK * self.at..], doc_id)) / BLOCK;
                    // After the last posting there is no block, though the last one may not be full.
                    if doc_ids.last().is_some_and(|&last| last < doc_id) {
                        self.at = self.blocks;
                    }
                }
            }
        }
        (self.at < self.blocks).then_some(self.at)
    }

    /// The block at which searches begin.
    #[inline(always)]
    pub(in crate::rank) fn place(&self) -> usize {
        self.at
    }

    /// Begins searches where they began before: targets may be those since then again.
    #[inline(always)]
    pub(in crate::rank) fn return_to(&mut self, place: usize) {
        self.at = place;
    }

    /// The docIDs of a block.
    #[inline(always)]
    pub fn load(&mut self, block: usize) -> &[u32] {
        if self.loaded != block {
            match &self.source {
                Source::List(view) => self.count = view.decode_doc_ids(self.tier, block, &mut self.buffers.doc_ids),
                Source::Decoded { columns, .. } => {
                    let doc_ids = &columns.doc_ids[BLOCK * block..columns.doc_ids.len().min(BLOCK * (block + 1))];
                    self.buffers.doc_ids[..doc_ids.len()].copy_from_slice(doc_ids);
                    self.count = doc_ids.len();
                }
            }
            end_block(&mut self.buffers.doc_ids, self.count);
            self.loaded = block;
        }
        &self.buffers.doc_ids[..self.count]
    }

    /// Appends the docIDs of blocks, which exist, to `doc_ids`.
    #[inline(always)]
    pub(in crate::rank) fn append(&self, blocks: Range<usize>, doc_ids: &mut Vec<u32>) {
        match &self.source {
            Source::List(view) => view.append_blocks(self.tier, blocks, doc_ids),
            Source::Decoded { columns, .. } => {
                let all = &columns.doc_ids;
                doc_ids.extend_from_slice(&all[BLOCK * blocks.start..all.len().min(BLOCK * blocks.end)]);
            }
        }
    }

    /// All docIDs, to be merged, if they are a list of blocks.
    #[inline(always)]
    pub(in crate::rank) fn tiles(&self) -> Option<Tiles<'_, impl FnMut(Range<usize>, *mut u32) -> usize>> {
        let Source::List(view @ View { doc_ids: DocIds::List(..), .. }) = &self.source else { return None };
        // SAFETY: `Tiles` asks for blocks of the range alone, with room for their docIDs and the slack.
        let decode = |blocks, out| unsafe { view.decode_blocks(self.tier, blocks, out) };
        // SAFETY: that is what `decode_blocks` writes.
        Some(unsafe { Tiles::new(view.last_doc_ids, 0..view.blocks(), decode) })
    }

    /// Whether the docIDs are a list of blocks, and not a bit set or decoded.
    #[inline(always)]
    pub(in crate::rank) fn is_list(&self) -> bool {
        matches!(self.source, Source::List(View { doc_ids: DocIds::List(..), .. }))
    }

    /// The bit set, if the docIDs are one.
    #[inline(always)]
    pub fn bits(&self) -> Option<&'s [u32]> {
        match &self.source {
            Source::List(View { doc_ids: DocIds::Bits(words), .. }) => Some(words),
            _ => None,
        }
    }

    /// About how many documents of `from..=to` have the term, by the block in which `from` lies.
    #[inline(always)]
    pub fn expected(&mut self, from: u32, to: u32) -> usize {
        let Some(block) = self.seek(from) else { return 0 };
        let span = self.last(block) - self.first_possible(block) + 1;
        let count = BLOCK.min(self.postings() - BLOCK * block);
        count * (to - from + 1) as usize / (span.max(BLOCK as u32) as usize)
    }
}
