//! Bounds of a term's scores, from the maxima of its blocks.

use super::{Term, source};
use crate::codec::BLOCK;
use crate::index::list::maxima;
use std::ops::Range;

/// Bounds are greater than any score by this factor, which covers the rounding of scores and of their sums.
pub(in crate::rank) const MARGIN: f32 = 1.000_001;

/// A list with more blocks is not searched for its best ones: looking at the bounds of their groups would take a millisecond.
const MOST_BLOCKS: usize = 1 << 21;

/// A block that spans so many times a range is looked at.
const SPARSE: u32 = 4;

/// Blocks whose bounds are computed together.
const GROUP: usize = maxima::GROUP;

impl Term<'_> {
    /// Computes the bound of all scores, before any bound is asked for. Those of blocks are computed when they are asked for, unless
    /// that takes scoring them all.
    pub(in crate::rank) fn compute_max_score(&mut self) {
        match source::maxima(&self.source) {
            Some(words) => {
                let all = &words[words.len() - maxima::WORDS..];
                self.max_score = self.scorer.bound([all[0], all[1]]) * MARGIN;
            }
            None => {
                self.max_score = 0.0;
                for block in 0..self.blocks {
                    let most = self.score_block(block).iter().copied().fold(0.0, f32::max);
                    self.block_max.push(most * MARGIN);
                    self.max_score = self.max_score.max(most * MARGIN);
                }
            }
        }
    }

    /// A bound of all scores.
    pub fn max_score(&self) -> f32 {
        debug_assert!(!self.max_score.is_nan());
        self.max_score
    }

    /// A bound of the scores of a block.
    #[inline(always)]
    pub fn block_max(&mut self, block: usize) -> f32 {
        match self.block_max.get(block) {
            Some(&bound) if !bound.is_nan() => bound,
            _ => self.compute_block_max(block),
        }
    }

    #[cold]
    fn compute_block_max(&mut self, block: usize) -> f32 {
        let first = block / GROUP * GROUP;
        let last = self.blocks.min(first + GROUP);
        if let Some(words) = source::maxima(&self.source) {
            self.block_max.resize(self.blocks, f32::NAN);
            let words = &words[maxima::WORDS * first..maxima::WORDS * last];
            let bounds = &mut self.block_max[first..last];
            self.scorer.bounds(self.tier, words, bounds);
            bounds.iter_mut().for_each(|bound| *bound *= MARGIN);
        }
        self.block_max[block]
    }

    /// A bound of the scores of documents in `first..=last`. Moves as [`seek`](Self::seek) does, to `first`.
    #[inline(always)]
    pub fn max_score_between(&mut self, first: u32, last: u32) -> f32 {
        let Some(block) = self.seek(first) else { return 0.0 };
        // Wide ranges are bounded by the whole list: going on block by block costs more than it saves.
        if block + GROUP + 1 < self.blocks && self.last(block + GROUP) < last {
            return self.max_score();
        }
        let mut bound = self.block_max(block);
        let mut at = block;
        while self.last(at) < last {
            at += 1;
            if at == self.blocks {
                break;
            }
            bound = bound.max(self.block_max(at));
        }
        bound
    }

    /// The same; 0 if there are no such documents, which is found out if a block spans much more of them.
    #[inline(always)]
    pub fn max_score_if_any(&mut self, first: u32, last: u32) -> f32 {
        let Some(block) = self.seek(first) else { return 0.0 };
        let begin = self.first_possible(block);
        if begin > last {
            return 0.0;
        }
        if (self.last(block) - begin) / SPARSE > last - first {
            let doc_ids = self.load(block);
            let next = doc_ids.partition_point(|&doc_id| doc_id < first);
            if doc_ids.get(next).is_none_or(|&doc_id| doc_id > last) {
                return 0.0;
            }
        }
        self.max_score_between(first, last)
    }

    /// How many groups of blocks there are.
    #[inline(always)]
    pub fn groups(&self) -> usize {
        self.blocks.div_ceil(GROUP)
    }

    /// The blocks of a group.
    #[inline(always)]
    pub fn group(&self, group: usize) -> Range<usize> {
        GROUP * group..self.blocks.min(GROUP * (group + 1))
    }

    /// A bound of the scores in a group of blocks.
    #[inline(always)]
    pub fn group_max(&self, group: usize) -> f32 {
        match source::maxima(&self.source) {
            Some(words) => {
                let words = &words[maxima::WORDS * (self.blocks + group)..];
                self.scorer.bound([words[0], words[1]]) * MARGIN
            }
            None => self.block_max[self.group(group)].iter().copied().fold(0.0, f32::max),
        }
    }

    /// A few blocks that are likely to hold the `k` best scores of this term alone, ascending; none if they are not few.
    pub fn best_blocks(&mut self, k: usize) -> Vec<usize> {
        let wanted = k.div_ceil(BLOCK) + 1;
        if !(2 * wanted..=MOST_BLOCKS).contains(&self.blocks) {
            return Vec::new();
        }
        // They are looked for in the best groups.
        let mut groups: Vec<(f32, usize)> = (0..self.groups()).map(|group| (self.group_max(group), group)).collect();
        keep_best(&mut groups, wanted + 2);
        let mut blocks: Vec<(f32, usize)> = Vec::with_capacity(groups.len() * GROUP);
        for (_, group) in groups {
            for block in self.group(group) {
                blocks.push((self.block_max(block), block));
            }
        }
        keep_best(&mut blocks, wanted);
        let mut blocks: Vec<usize> = blocks.into_iter().map(|(_, block)| block).collect();
        blocks.sort_unstable();
        blocks
    }
}

/// Keeps those with the greatest bounds.
fn keep_best(bounds: &mut Vec<(f32, usize)>, most: usize) {
    if bounds.len() > most {
        bounds.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0));
        bounds.truncate(most);
    }
}
