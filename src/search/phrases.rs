//! Queries that are one phrase, in one field or in several: the best documents, or their number, without putting together the phrase's
//! postings in the field where that takes longest.

use super::cursors::{restriction, scored, scorer};
use super::leaf::{Leaf, Weighted};
use super::lists;
use super::options::Options;
use super::plan::QueryPlan;
use crate::base::cpu;
use crate::base::error::Result;
use crate::base::memory::room;
use crate::index::snapshot::SnapshotSegment;
use crate::rank::Clock;
use crate::rank::chain::Chain;
use crate::rank::clause::Clause;
use crate::rank::collector::{Collector, Restriction};
use crate::rank::found;
use crate::rank::phrase::{self, PhraseTerm};
use crate::rank::term::{Source, Term};

/// The phrase that a query is, in a segment.
pub(super) struct OnePhrase<'s> {
    plan: &'s QueryPlan,
    part: &'s SnapshotSegment,
    /// The number of the segment.
    number: usize,
    /// The phrase in the field in which most documents have to be looked at, and its lists there.
    longest: &'s Weighted,
    lists: (Vec<PhraseTerm<'s>>, Chain<'s>),
    /// What a document may have instead: the phrase in other fields, and what synonyms make of it.
    others: Vec<(&'s Weighted, Source<'s>)>,
}

impl<'s> OnePhrase<'s> {
    /// `None` if the query is something else, if the phrase is kept or put together already, or if so many documents have it in other
    /// fields that to put it together takes no longer.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt); [`Error::Expired`](crate::Error::Expired);
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn new(
        plan: &'s QueryPlan,
        part: &'s SnapshotSegment,
        number: usize,
        clock: &Clock,
    ) -> Result<Option<Self>> {
        let leaves = plan.only_clause().unwrap_or_default();
        let phrases = leaves.iter().filter(|leaf| matches!(leaf.leaf, Leaf::Phrase { slop: 0, .. }));
        let Some(longest) = phrases.max_by_key(|leaf| leaf.joins) else { return Ok(None) };
        let Some(lists) = lists::unjoined(&part.segment, number, longest)? else { return Ok(None) };
        let mut others = Vec::new();
        for leaf in leaves.iter().filter(|leaf| !std::ptr::eq(*leaf, longest)) {
            if let Some(source) = lists::source(&part.segment, number, leaf, clock)? {
                others.push((leaf, source));
            }
        }
        let of_others: usize = others.iter().map(|(_, source)| source.postings()).sum();
        let looked_at = lists.0.iter().map(|term| term.places.postings()).min().unwrap_or(0);
        let pays = others.is_empty() || of_others < looked_at;
        Ok(pays.then_some(OnePhrase { plan, part, number, longest, lists, others }))
    }

    /// What the documents have that have the phrase in other fields; `None` if there are none.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub(super) fn of_others(&self, clock: &Clock) -> Result<Option<Clause<'s>>> {
        if self.others.is_empty() {
            return Ok(None);
        }
        let scored = |(leaf, source)| scored(self.plan, self.part, leaf, source);
        let mut terms = self.others.iter().cloned().map(scored).collect::<Result<Vec<_>>>()?;
        if let Some((of_longest, chain)) = lists::unjoined(&self.part.segment, self.number, self.longest)? {
            let others = Clause { terms: self.without_scores(), required: true };
            let documents = self.part.segment.documents();
            let found = found::found(cpu::tier(), documents, vec![others], &mut Restriction::default(), clock)?;
            let mut of_others = room(found.count(cpu::tier()))?;
            found.for_each(|doc_id| of_others.push(doc_id));
            let (doc_ids, less_one) = phrase::among(cpu::tier(), of_longest, chain, &of_others, clock)?;
            terms.extend(Source::decoded(doc_ids, less_one).map(|source| scored((self.longest, source))).transpose()?);
        }
        Ok(Some(Clause { terms, required: false }))
    }

    /// Offers the best of the documents that have it in the longest field only.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub(super) fn best(self, collector: &mut Collector<'_, 's>) -> Result<()> {
        if !self.others.is_empty() {
            collector.in_order = false;
            collector.restriction = collector.restriction.again();
            collector.restriction.excluded.extend(self.without_scores());
        }
        let (terms, chain) = self.lists;
        phrase::best(cpu::tier(), terms, chain, scorer(self.plan, self.part, self.longest)?, collector)
    }

    /// How many documents have it.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub(super) fn count(self, options: &Options, clock: &Clock) -> Result<u64> {
        let mut restriction = restriction(self.plan, self.part, self.number, options, clock)?;
        let mut count = 0;
        if !self.others.is_empty() {
            let others = Clause { terms: self.without_scores(), required: true };
            count = found::count(cpu::tier(), self.part.segment.documents(), vec![others], &mut restriction, clock)?;
            restriction = restriction.again();
            restriction.excluded.extend(self.without_scores());
        }
        let (terms, chain) = self.lists;
        Ok(count + phrase::count(cpu::tier(), terms, chain, restriction, clock)?)
    }

    fn without_scores(&self) -> Vec<Term<'s>> {
        self.others.iter().map(|(_, source)| Term::without_scores(cpu::tier(), source.clone())).collect()
    }
}
