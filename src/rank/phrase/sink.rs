//! [`Sink`]: which documents with a phrase are wanted, and what becomes of them.

use super::Found;
use crate::base::error::Result;
use crate::base::memory;
use crate::rank::collector::{Collector, Restriction};
use crate::rank::score::{Chosen, Scorer};
use crate::rank::term::{MARGIN, Term};

/// What documents with a phrase are given to. Unless it says otherwise, it wants them all.
pub(super) trait Sink<'s> {
    /// Whether it matters how often a document has the phrase.
    const FREQUENCIES: bool = true;

    /// Tells of the list whose documents are looked up in others. No document has the phrase more often than that list says.
    #[inline(always)]
    fn begin(&mut self, _leading: &mut Term<'s>) {}

    /// Whether a document of this block of that list may be wanted.
    #[inline(always)]
    fn wants_block(&mut self, _leading: &mut Term<'s>, _block: usize) -> bool {
        true
    }

    /// Keeps those of some documents that may be wanted: of a block of that list, if there is one.
    #[inline(always)]
    fn choose(&mut self, _leading: Option<&mut Term<'s>>, _block: usize, _chosen: &mut Chosen) {}

    /// Whether a document is wanted if it has the phrase so often, or less.
    #[inline(always)]
    fn wants(&mut self, _doc_id: u32, _at_most: usize) -> bool {
        true
    }

    /// Makes room for so many documents.
    #[inline(always)]
    fn reserve(&mut self, _more: usize) -> Result<()> {
        Ok(())
    }

    /// Takes a document with the phrase, which it has so often, or more often if that does not matter. docIDs ascend.
    fn take(&mut self, doc_id: u32, frequency: usize);
}

/// All documents.
#[derive(Default)]
pub(super) struct All {
    doc_ids: Vec<u32>,
    less_one: Vec<u32>,
}

impl All {
    pub(super) fn found(self) -> Found {
        (self.doc_ids, self.less_one)
    }
}

impl<'s> Sink<'s> for All {
    #[inline(always)]
    fn reserve(&mut self, more: usize) -> Result<()> {
        memory::reserve(&mut self.doc_ids, more)?;
        memory::reserve(&mut self.less_one, more)
    }

    #[inline(always)]
    fn take(&mut self, doc_id: u32, frequency: usize) {
        self.doc_ids.push(doc_id);
        self.less_one.push(frequency as u32 - 1);
    }
}

/// Some documents.
pub(super) struct Among<'d> {
    /// Which, ascending; those that are past are left out.
    pub(super) doc_ids: &'d [u32],
    pub(super) found: All,
}

impl<'s> Sink<'s> for Among<'_> {
    #[inline(always)]
    fn wants_block(&mut self, leading: &mut Term<'s>, block: usize) -> bool {
        let first = leading.first_possible(block);
        self.doc_ids = &self.doc_ids[self.doc_ids.partition_point(|&doc_id| doc_id < first)..];
        self.doc_ids.first().is_some_and(|&doc_id| doc_id <= leading.last(block))
    }

    #[inline(always)]
    fn choose(&mut self, _: Option<&mut Term<'s>>, _: usize, chosen: &mut Chosen) {
        chosen.keep_if(|doc_id| self.doc_ids.binary_search(&doc_id).is_ok());
    }

    #[inline(always)]
    fn reserve(&mut self, more: usize) -> Result<()> {
        Sink::reserve(&mut self.found, more)
    }

    #[inline(always)]
    fn take(&mut self, doc_id: u32, frequency: usize) {
        self.found.take(doc_id, frequency);
    }
}

/// The best documents.
pub(super) struct Best<'a, 'c, 's> {
    /// Scores of the phrase.
    pub(super) scorer: Scorer<'s>,
    pub(super) collector: &'a mut Collector<'c, 's>,
}

impl Best<'_, '_, '_> {
    /// What upper bounds must exceed. Rounding may give a smaller frequency a greater score.
    #[inline(always)]
    fn least(&self) -> f64 {
        self.collector.threshold() / f64::from(MARGIN)
    }
}

impl<'s> Sink<'s> for Best<'_, '_, 's> {
    #[inline(always)]
    fn begin(&mut self, leading: &mut Term<'s>) {
        leading.score_by(self.scorer);
        leading.compute_max_score();
    }

    #[inline(always)]
    fn wants_block(&mut self, leading: &mut Term<'s>, block: usize) -> bool {
        f64::from(leading.block_max(block)) > self.least()
    }

    #[inline(always)]
    fn choose(&mut self, leading: Option<&mut Term<'s>>, block: usize, chosen: &mut Chosen) {
        let least = self.least();
        if let Some(leading) = leading.filter(|_| least > f64::NEG_INFINITY) {
            chosen.keep_above(leading.tier(), leading.score_block(block), least);
        }
        if self.collector.restriction.has_sets() {
            chosen.keep_if(|doc_id| self.collector.restriction.allows(doc_id));
        }
    }

    #[inline(always)]
    fn wants(&mut self, doc_id: u32, at_most: usize) -> bool {
        let least = self.least();
        least == f64::NEG_INFINITY || f64::from(self.scorer.score(doc_id, at_most as u32 - 1)) > least
    }

    #[inline(always)]
    fn take(&mut self, doc_id: u32, frequency: usize) {
        self.collector.offer(doc_id, self.scorer.score(doc_id, frequency as u32 - 1).into());
    }
}

/// The number of documents that count.
pub(super) struct Count<'s> {
    pub(super) restriction: Restriction<'s>,
    pub(super) documents: u64,
}

impl<'s> Sink<'s> for Count<'s> {
    const FREQUENCIES: bool = false;

    #[inline(always)]
    fn choose(&mut self, _: Option<&mut Term<'s>>, _: usize, chosen: &mut Chosen) {
        if self.restriction.has_sets() {
            chosen.keep_if(|doc_id| self.restriction.allows(doc_id));
        }
    }

    #[inline(always)]
    fn take(&mut self, doc_id: u32, _: usize) {
        self.documents += u64::from(!self.restriction.excludes(doc_id));
    }
}
