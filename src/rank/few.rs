//! The best of a few documents, or those that match, each of which is looked up in the lists: what a rare filter leaves, or
//! what comes first in some order, or what has been found already.

use super::candidates::Candidates;
use super::clause::{Clause, terms};
use super::clock::Clock;
use super::collector::{Collector, Restriction};
use super::matching::{retain, retain_if};
use super::term::Term;
use crate::base::tiers::tiered;

/// How many postings are ranked in the time that looking one document up in a list takes: where documents must have a clause, as most
/// blocks are skipped then, and where they need not.
const LOOK_UP: usize = 32;
const LOOK_UP_TOGETHER: usize = 4;

/// Looking up the scores of a document that is known to match takes as long as so many postings of the rarest clause.
const FOUND: usize = 4;

/// Documents that are looked up together; fewer, if they are known to match, as the threshold that they leave bounds the next.
const TOGETHER: usize = 1024;
const FOUND_TOGETHER: usize = 64;

/// So many documents are looked up in the time that ranking all takes.
pub fn most(clauses: &[Clause]) -> usize {
    let terms: usize = clauses.iter().map(|clause| clause.terms.len()).sum();
    // A clause that documents must have bounds what is ranked.
    let required = clauses.iter().filter(|clause| clause.required).map(Clause::postings).min();
    let ranked = required.unwrap_or_else(|| clauses.iter().map(Clause::postings).sum());
    ranked / terms.max(1) / if required.is_some() { LOOK_UP } else { LOOK_UP_TOGETHER }
}

/// So many documents that are known to match are ranked in the time that ranking all takes.
pub fn most_found(clauses: &[Clause]) -> usize {
    let required = clauses.iter().filter(|clause| clause.required);
    required.map(Clause::postings).min().unwrap_or(0) / FOUND
}

tiered! {
    /// Keeps those of some documents, which ascend, that match: that have all clauses. Any of them once the time of `clock` is over.
    pub fn matching<'a, 's>(
        doc_ids: &'a mut Vec<u32>, clauses: Vec<Clause<'s>>, restriction: &'a mut Restriction<'s>,
        clock: &'a Clock,
    ) -> () = matching_on_tier;
}

#[inline(always)]
fn matching_on_tier(doc_ids: &mut Vec<u32>, mut clauses: Vec<Clause>, restriction: &mut Restriction, clock: &Clock) {
    doc_ids.retain(|&doc_id| restriction.allows(doc_id));
    let mut kept = doc_ids.len();
    clauses.sort_by_key(Clause::look_up_order);
    for clause in &mut clauses {
        if clock.is_over() {
            return;
        }
        kept = clause.retain(&mut doc_ids[..kept]);
    }
    doc_ids.truncate(kept);
    let mut of_term = Vec::new();
    for term in &mut restriction.excluded {
        if clock.is_over() || doc_ids.is_empty() {
            return;
        }
        exclude(term, doc_ids, &mut of_term);
    }
}

/// An excluded list with so many times fewer postings than there are documents is gone through; in others documents are looked up.
const FEWER: usize = 2;

/// Takes out the documents of a list; `of_list` is reused.
#[inline(always)]
fn exclude(term: &mut Term, doc_ids: &mut Vec<u32>, of_list: &mut Vec<u32>) {
    of_list.clear();
    if FEWER * term.postings() < doc_ids.len() {
        for block in 0..term.blocks() {
            of_list.extend_from_slice(term.load(block));
        }
    } else {
        of_list.extend_from_slice(doc_ids);
        let count = retain(term, of_list);
        of_list.truncate(count);
    }
    // Ends the search of the last document, and is none.
    of_list.push(u32::MAX);
    let mut next = 0;
    let kept = retain_if(doc_ids, |doc_id| {
        while of_list[next] < doc_id {
            next += 1;
        }
        of_list[next] != doc_id
    });
    doc_ids.truncate(kept);
}

tiered! {
    /// The best of these documents, which ascend, with all required clauses, and one clause at least. The others only add to
    /// their scores. If they `are_found`, all have all clauses.
    pub fn few<'a, 'c, 's>(
        doc_ids: &'a [u32], are_found: bool, clauses: Vec<Clause<'s>>, collector: &'a mut Collector<'c, 's>,
    ) -> () = few_on_tier;
}

#[inline(always)]
fn few_on_tier<'s>(doc_ids: &[u32], are_found: bool, clauses: Vec<Clause<'s>>, collector: &mut Collector<'_, 's>) {
    let (mut required, optional): (Vec<Clause>, Vec<Clause>) = clauses.into_iter().partition(|clause| clause.required);
    let mut optional = terms(optional);
    required.iter_mut().flat_map(|clause| &mut clause.terms).chain(&mut optional).for_each(Term::compute_max_score);
    required.sort_by_key(Clause::postings);
    optional.sort_by(|a, b| b.max_score().total_cmp(&a.max_score()));
    rank(doc_ids, are_found, &mut required, &mut optional, collector);
}

/// Offers those of some documents, which ascend, that match, by clauses that they must have and terms that add to their scores. All
/// match, if they `are_found`.
#[inline(always)]
pub(super) fn rank<'s>(
    doc_ids: &[u32],
    are_found: bool,
    required: &mut [Clause<'s>],
    optional: &mut [Term<'s>],
    collector: &mut Collector<'_, 's>,
) {
    // The upper bounds of all clauses, and of those from each on.
    let of_term = |term: &Term| f64::from(term.max_score());
    let of_required = required.iter().map(|clause| clause.terms.iter().map(of_term).sum());
    let bounds: Vec<f64> = of_required.chain(optional.iter().map(of_term)).collect();
    let mut rest = vec![0.0; bounds.len() + 1];
    for (at, bound) in bounds.iter().enumerate().rev() {
        rest[at] = rest[at + 1] + bound;
    }
    // Without any of the terms the score is 0, which is none.
    let least = if required.is_empty() { 0.0 } else { f64::NEG_INFINITY };
    let mut candidates = Candidates::default();
    for doc_ids in doc_ids.chunks(if are_found { FOUND_TOGETHER } else { TOGETHER }) {
        if collector.clock.is_over() {
            return;
        }
        candidates.accumulators.clear();
        candidates.accumulators.reserve(doc_ids.len());
        for &doc_id in doc_ids {
            candidates.accumulators.push_if(collector.restriction.allows(doc_id), doc_id, 0.0);
        }
        for (at, clause) in required.iter_mut().enumerate() {
            let (threshold, bound, rest) = (collector.threshold(), bounds[at], rest[at + 1]);
            match &mut clause.terms[..] {
                [term] if are_found => candidates.add_known(term, threshold, bound, rest),
                _ => candidates.require(clause, threshold, bound, rest),
            }
        }
        for (at, term) in (required.len()..).zip(&mut *optional) {
            candidates.add(term, collector.threshold().max(least), bounds[at], rest[at + 1]);
        }
        candidates.offer(collector);
    }
}
