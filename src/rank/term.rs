//! [`Term`]: the postings of a term in a segment, block by block, with scores and bounds of scores.

use super::bm25::Norms;
use super::score::{Scorer, bounds};
use crate::base::cpu::Tier;
use crate::codec::{AnyLookUp, BLOCK, BlockBuffer, block_buffer, gallop};
use crate::index::list::{DocIds, View, has, maxima, rank};
use std::rc::Rc;

/// Where the postings of a term come from. Clones share decoded postings.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "one per term of a query, and read at every block: no indirection")]
pub enum Source<'s> {
    /// A long list of the segment, checked.
    List(View<'s>),
    /// Decoded postings: of a short list, or of several terms that count as one.
    Decoded {
        /// Strictly increasing.
        doc_ids: Rc<Vec<u32>>,
        /// Frequencies less 1, as many.
        less_one: Rc<Vec<u32>>,
    },
}

/// Bounds are greater than any score by this factor, which covers the rounding of scores and of their sums.
const MARGIN: f32 = 1.000_001;

/// A list with more blocks is not searched for its best ones.
const MOST_BLOCKS: usize = 4096;

/// Blocks whose bounds are computed together.
const GROUP: usize = maxima::GROUP;

/// The postings of a term in a segment, read forwards.
pub struct Term<'s> {
    tier: Tier,
    scorer: Scorer<'s>,
    source: Source<'s>,
    blocks: usize,
    /// The bound of each block's scores; not a number until it is computed.
    bounds: Vec<f32>,
    /// The bound of all scores.
    most: f32,
    /// The block at which searches begin.
    at: usize,
    /// The block in `doc_ids`, if any.
    loaded: usize,
    count: usize,
    /// The block whose scores are in `scores`, if any.
    scored: usize,
    doc_ids: BlockBuffer,
    scores: [f32; BLOCK],
    /// Looks docIDs up without decoding blocks, once that was asked for.
    look_up: Option<Box<AnyLookUp<'s>>>,
    ranked: Ranked,
    frequencies: Frequencies,
}

/// Where a document stands in the block of a bit set: counted from the document asked for before, if that is in the
/// same block.
struct Ranked {
    block: usize,
    /// The document after the last one counted, and the number of those counted.
    next: u32,
    count: usize,
}

impl Ranked {
    const NONE: Ranked = Ranked { block: NONE, next: 0, count: 0 };

    /// The index of a document in its block. Documents ascend within a block.
    #[inline(always)]
    fn index(&mut self, words: &[u32], block: usize, first_possible: u32, doc_id: u32) -> usize {
        if self.block != block || doc_id < self.next {
            *self = Ranked { block, next: first_possible, count: 0 };
        }
        self.count += rank(words, self.next, doc_id);
        self.next = doc_id + 1;
        self.count - 1
    }
}

/// The frequencies of a block: the first is extracted alone, and the block unpacked for a second one.
struct Frequencies {
    asked: usize,
    unpacked: usize,
    less_one: [u32; BLOCK],
}

impl Frequencies {
    #[inline(always)]
    fn less_one(&mut self, view: &View, block: usize, index: usize) -> u32 {
        if self.unpacked == block {
            return self.less_one[index];
        }
        if self.asked == block {
            view.frequencies_less_one(block, &mut self.less_one);
            self.unpacked = block;
            return self.less_one[index];
        }
        self.asked = block;
        view.frequencies.get(BLOCK * block + index)
    }
}

/// No block.
const NONE: usize = usize::MAX;

impl Source<'_> {
    /// No postings.
    pub fn none() -> Self {
        Source::Decoded { doc_ids: Rc::default(), less_one: Rc::default() }
    }

    /// Decoded postings; `None` if there are none.
    pub fn decoded(doc_ids: Vec<u32>, less_one: Vec<u32>) -> Option<Self> {
        (!doc_ids.is_empty()).then(|| Source::Decoded { doc_ids: Rc::new(doc_ids), less_one: Rc::new(less_one) })
    }
}

impl<'s> Term<'s> {
    /// The postings of `source`, of which there is at least one.
    pub fn new(tier: Tier, scorer: Scorer<'s>, source: Source<'s>) -> Term<'s> {
        let blocks = blocks_of(&source);
        let mut term = Term::with(tier, scorer, source, blocks);
        match &term.source {
            Source::List(view) => {
                term.bounds = vec![f32::NAN; blocks];
                let all = &view.maxima[view.maxima.len() - maxima::WORDS..];
                term.most = term.scorer.weight * bounds::saturation([all[0], all[1]], term.scorer.norms) * MARGIN;
            }
            Source::Decoded { .. } => {
                for block in 0..blocks {
                    let most = term.score_block(block).iter().copied().fold(0.0, f32::max);
                    term.bounds.push(most * MARGIN);
                    term.most = term.most.max(most * MARGIN);
                }
            }
        }
        term
    }

    /// Postings whose scores are not asked for.
    pub fn without_scores(tier: Tier, source: Source<'s>) -> Term<'s> {
        let blocks = blocks_of(&source);
        let scorer = Scorer { weight: 0.0, norms: Norms::NONE, lengths: &[] };
        Term::with(tier, scorer, source, blocks)
    }

    fn with(tier: Tier, scorer: Scorer<'s>, source: Source<'s>, blocks: usize) -> Term<'s> {
        Term {
            tier,
            scorer,
            source,
            blocks,
            bounds: Vec::new(),
            most: 0.0,
            at: 0,
            loaded: NONE,
            count: 0,
            scored: NONE,
            doc_ids: block_buffer(),
            scores: [0.0; BLOCK],
            look_up: None,
            ranked: Ranked::NONE,
            frequencies: Frequencies { asked: NONE, unpacked: NONE, less_one: [0; BLOCK] },
        }
    }

    /// How often a document contains the term, if it does. docIDs must not decrease.
    pub fn frequency(&mut self, doc_id: u32) -> Option<u32> {
        Some(self.less_one(doc_id)?.saturating_add(1))
    }

    /// The tier that it is read with.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The number of postings.
    pub fn postings(&self) -> usize {
        match &self.source {
            Source::List(view) => view.count,
            Source::Decoded { doc_ids, .. } => doc_ids.len(),
        }
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// A bound of all scores.
    pub fn most(&self) -> f32 {
        self.most
    }

    /// The last docID of a block.
    #[inline(always)]
    pub fn last(&self, block: usize) -> u32 {
        match &self.source {
            Source::List(view) => view.last_doc_ids[block],
            Source::Decoded { doc_ids, .. } => doc_ids[doc_ids.len().min(BLOCK * (block + 1)) - 1],
        }
    }

    /// The first docID that a block may contain.
    #[inline(always)]
    pub fn first_possible(&self, block: usize) -> u32 {
        if block == 0 { 0 } else { self.last(block - 1) + 1 }
    }

    /// A bound of the scores of a block.
    #[inline(always)]
    pub fn bound(&mut self, block: usize) -> f32 {
        let bound = self.bounds[block];
        if bound.is_nan() { self.compute_bounds(block) } else { bound }
    }

    #[cold]
    fn compute_bounds(&mut self, block: usize) -> f32 {
        let first = block / GROUP * GROUP;
        let last = self.blocks.min(first + GROUP);
        if let Source::List(view) = &self.source {
            let words = &view.maxima[maxima::WORDS * first..maxima::WORDS * last];
            let bounds = &mut self.bounds[first..last];
            bounds::saturations(self.tier, words, self.scorer.norms, bounds);
            bounds.iter_mut().for_each(|bound| *bound = self.scorer.weight * *bound * MARGIN);
        }
        self.bounds[block]
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
            Source::Decoded { .. } => {
                while self.at < self.blocks && self.last(self.at) < doc_id {
                    self.at += 1;
                }
            }
        }
        (self.at < self.blocks).then_some(self.at)
    }

    /// A bound of the scores of documents in `first..=last`. Moves as [`seek`](Self::seek) does, to `first`.
    #[inline(always)]
    pub fn bound_between(&mut self, first: u32, last: u32) -> f32 {
        let Some(block) = self.seek(first) else { return 0.0 };
        let mut bound = self.bound(block);
        let mut at = block;
        // Wide ranges are bounded by the whole list: going on block by block costs more than it saves.
        while self.last(at) < last {
            at += 1;
            if at == self.blocks {
                break;
            }
            if at - block > GROUP {
                return self.most;
            }
            bound = bound.max(self.bound(at));
        }
        bound
    }

    /// The docIDs of a block.
    #[inline(always)]
    pub fn load(&mut self, block: usize) -> &[u32] {
        if self.loaded != block {
            match &self.source {
                Source::List(view) => self.count = view.decode_doc_ids(self.tier, block, &mut self.doc_ids),
                Source::Decoded { doc_ids, .. } => {
                    let doc_ids = &doc_ids[BLOCK * block..doc_ids.len().min(BLOCK * (block + 1))];
                    self.doc_ids[..doc_ids.len()].copy_from_slice(doc_ids);
                    self.count = doc_ids.len();
                }
            }
            self.loaded = block;
        }
        &self.doc_ids[..self.count]
    }

    /// The scores of a block's documents, which is loaded.
    #[inline(always)]
    pub fn score_block(&mut self, block: usize) -> &[f32] {
        self.load(block);
        if self.scored != block {
            let mut frequencies = [0; BLOCK];
            match &self.source {
                Source::List(view) => view.frequencies_less_one(block, &mut frequencies),
                Source::Decoded { less_one, .. } => {
                    let less_one = &less_one[BLOCK * block..less_one.len().min(BLOCK * (block + 1))];
                    frequencies[..less_one.len()].copy_from_slice(less_one);
                }
            }
            self.scorer.scores(self.tier, &self.doc_ids, &frequencies, self.count, &mut self.scores);
            self.scored = block;
        }
        &self.scores[..self.count]
    }

    /// The docIDs and the scores of a block.
    #[inline(always)]
    pub fn scored_block(&mut self, block: usize) -> (&[u32], &[f32]) {
        self.score_block(block);
        (&self.doc_ids[..self.count], &self.scores[..self.count])
    }

    /// The bit set, if the docIDs are one.
    #[inline(always)]
    pub fn bits(&self) -> Option<&'s [u32]> {
        match &self.source {
            Source::List(View { doc_ids: DocIds::Bits(words), .. }) => Some(words),
            _ => None,
        }
    }

    /// Moves those of `doc_ids` that the list contains to the front, without decoding blocks, and returns their number;
    /// `None` if the list has no such way. docIDs ascend, across calls too.
    #[inline(always)]
    pub fn retain(&mut self, doc_ids: &mut [u32]) -> Option<usize> {
        if self.look_up.is_none() {
            let Source::List(View { doc_ids: DocIds::List(codec, encoded), .. }) = self.source else { return None };
            // SAFETY: lists of terms are checked and not empty; the tier is available.
            self.look_up = unsafe { AnyLookUp::new(codec, self.tier, encoded) }.map(Box::new);
        }
        Some(self.look_up.as_mut()?.retain(doc_ids))
    }

    /// A number that the `k`-th best score of this term alone is at least, if a few blocks tell.
    pub fn likely_threshold(&mut self, k: usize) -> f64 {
        let wanted = k.div_ceil(BLOCK) + 1;
        if !(2 * wanted..=MOST_BLOCKS).contains(&self.blocks) {
            return f64::NEG_INFINITY;
        }
        let mut blocks: Vec<(f32, usize)> = (0..self.blocks).map(|block| (self.bound(block), block)).collect();
        blocks.select_nth_unstable_by(wanted, |a, b| b.0.total_cmp(&a.0));
        let mut scores: Vec<f32> = Vec::with_capacity(wanted * BLOCK);
        for &(_, block) in &blocks[..wanted] {
            scores.extend_from_slice(self.score_block(block));
        }
        if scores.len() < k {
            return f64::NEG_INFINITY;
        }
        let (_, kth, _) = scores.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
        f64::from(*kth)
    }

    /// About how many documents of `from..=to` have the term, by the block in which `from` lies.
    #[inline(always)]
    pub fn expected(&mut self, from: u32, to: u32) -> usize {
        let Some(block) = self.seek(from) else { return 0 };
        let span = self.last(block) - self.first_possible(block) + 1;
        BLOCK * (to - from + 1) as usize / (span.max(BLOCK as u32) as usize)
    }

    /// Whether the scores of a block are computed.
    #[inline(always)]
    pub fn is_scored(&self, block: usize) -> bool {
        self.scored == block
    }

    /// A docID of a block, which is loaded, and its score.
    #[inline(always)]
    pub fn scored_at(&self, block: usize, index: usize) -> (u32, f32) {
        let less_one = match &self.source {
            Source::List(view) => view.frequencies.get(BLOCK * block + index),
            Source::Decoded { less_one, .. } => less_one[BLOCK * block + index],
        };
        let doc_id = self.doc_ids[index];
        (doc_id, self.scorer.score(doc_id, less_one))
    }

    /// The score of a document, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub fn probe(&mut self, doc_id: u32) -> Option<f32> {
        let less_one = self.less_one(doc_id)?;
        Some(self.scorer.score(doc_id, less_one))
    }

    /// The frequency less 1 of a document, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub fn less_one(&mut self, doc_id: u32) -> Option<u32> {
        let block = self.seek(doc_id)?;
        self.less_one_in(block, doc_id)
    }

    /// The same, if the document can only be in this block, which [`seek`](Self::seek) returned for it.
    #[inline(always)]
    pub(super) fn less_one_in(&mut self, block: usize, doc_id: u32) -> Option<u32> {
        if let Source::List(view) = &self.source
            && let DocIds::Bits(words) = view.doc_ids
            && view.frequencies.is_zero(block)
        {
            return has(words, doc_id).then_some(0);
        }
        let index = self.index_in(block, doc_id)?;
        Some(match &self.source {
            Source::List(view) => self.frequencies.less_one(view, block, index),
            Source::Decoded { less_one, .. } => less_one[BLOCK * block + index],
        })
    }

    /// The index of a document in the list, if the list contains it. docIDs must not decrease.
    #[inline(always)]
    pub(super) fn index(&mut self, doc_id: u32) -> Option<usize> {
        let block = self.seek(doc_id)?;
        Some(BLOCK * block + self.index_in(block, doc_id)?)
    }

    /// The index of a document in the block in which it must be, if it is there.
    #[inline(always)]
    fn index_in(&mut self, block: usize, doc_id: u32) -> Option<usize> {
        if let Some(words) = self.bits() {
            if !has(words, doc_id) {
                return None;
            }
            let first = self.first_possible(block);
            return Some(self.ranked.index(words, block, first, doc_id));
        }
        self.load(block);
        find(&self.doc_ids, self.count, doc_id)
    }

    /// What its scores depend on.
    #[inline(always)]
    pub(super) fn scorer(&self) -> &Scorer<'s> {
        &self.scorer
    }

    /// Whether the list contains a document. docIDs must not decrease.
    #[inline(always)]
    pub fn contains(&mut self, doc_id: u32) -> bool {
        let Some(block) = self.seek(doc_id) else { return false };
        if let Some(words) = self.bits() {
            return has(words, doc_id);
        }
        self.load(block);
        find(&self.doc_ids, self.count, doc_id).is_some()
    }
}

fn blocks_of(source: &Source) -> usize {
    match source {
        Source::List(view) => view.blocks(),
        Source::Decoded { doc_ids, .. } => doc_ids.len().div_ceil(BLOCK),
    }
}

/// The index of `doc_id` among the first `count` docIDs of a block.
#[inline(always)]
pub(super) fn find(doc_ids: &BlockBuffer, count: usize, doc_id: u32) -> Option<usize> {
    // A binary search without branches, over a power of two.
    let mut at = 0;
    let mut step = BLOCK / 2;
    while step > 0 {
        let next = at + step;
        at = if next < count && doc_ids[next] <= doc_id { next } else { at };
        step /= 2;
    }
    (doc_ids[at] == doc_id).then_some(at)
}
