//! The scores of a term's documents.

use super::buffers::Memory;
use super::{Source, Term};
use crate::codec::BLOCK;

impl Term<'_> {
    /// The scores of a block's documents, which is loaded.
    #[inline(always)]
    pub fn score_block(&mut self, block: usize) -> &[f32] {
        self.load(block);
        if self.scored != block {
            let Memory { doc_ids, scores, less_one: of_block } = &mut *self.buffers;
            match &self.source {
                Source::List(view) => self.frequencies.unpack(view, of_block, block),
                Source::Decoded { columns, .. } => {
                    let less_one = &columns.less_one;
                    let less_one = &less_one[BLOCK * block..less_one.len().min(BLOCK * (block + 1))];
                    of_block[..less_one.len()].copy_from_slice(less_one);
                }
            }
            self.scorer.scores(self.tier, doc_ids, of_block, self.count, scores);
            self.scored = block;
        }
        &self.buffers.scores[..self.count]
    }

    /// The docIDs and the scores of a block.
    #[inline(always)]
    pub fn scored_block(&mut self, block: usize) -> (&[u32], &[f32]) {
        self.score_block(block);
        (&self.buffers.doc_ids[..self.count], &self.buffers.scores[..self.count])
    }

    /// Whether the scores of a block are computed.
    #[inline(always)]
    pub fn is_scored(&self, block: usize) -> bool {
        self.scored == block
    }

    /// A docID of a block, which is loaded, and its score.
    #[inline(always)]
    pub fn scored_at(&self, block: usize, index: usize) -> (u32, f32) {
        if self.scored == block {
            return (self.buffers.doc_ids[index], self.buffers.scores[index]);
        }
        let less_one = match &self.source {
            Source::List(view) => view.frequencies.get(BLOCK * block + index),
            Source::Decoded { columns, .. } => columns.less_one[BLOCK * block + index],
        };
        let doc_id = self.buffers.doc_ids[index];
        (doc_id, self.scorer.score(doc_id, less_one))
    }

    /// The score of a document that can only be in this block, which [`seek`](Self::seek) returned for it, if it is there.
    #[inline(always)]
    pub(in crate::rank) fn score_in(&mut self, block: usize, doc_id: u32) -> Option<f32> {
        let less_one = self.less_one_in(block, doc_id)?;
        Some(self.scorer.score(doc_id, less_one))
    }

    /// The score of a document, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub fn probe(&mut self, doc_id: u32) -> Option<f32> {
        let block = self.seek(doc_id)?;
        self.score_in(block, doc_id)
    }
}
