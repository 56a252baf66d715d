//! The best of a few documents, or those that match, each of which is looked up in the lists: what a rare filter leaves, or
//! what comes first in some order, or what has been found already. Of what a filter leaves, documents with any of some terms come
//! term by term.

use super::candidates::Candidates;
use super::clause::{Clause, terms};
use super::clock::Clock;
use super::collector::{Collector, Restriction};
use super::costs::{DECODED, IN_BITS, looked_up};
use super::matching::{retain, retain_if, retain_in_bits};
use super::term::Term;
use crate::base::tiers::tiered;
use crate::index::segment::Allowed;
use smallvec::SmallVec;

/// How many postings are ranked in the time that looking one document up in a list takes: where documents must have a clause, as most
/// blocks are skipped then, and where they need not.
const LOOK_UP: usize = 32;
const LOOK_UP_TOGETHER: usize = 4;

/// With more terms than this, the few documents that pass a filter are not looked for term by term.
const FEW_TERMS: usize = 32;

/// Looking up the scores of a document that is known to match takes as long as so many postings of the rarest clause.
const FOUND: usize = 4;

/// Documents that are looked up together; fewer, if they are known to match, as the threshold that they leave bounds the next.
const TOGETHER: usize = 1024;
const FOUND_TOGETHER: usize = 256;

/// Whether the documents that pass a filter are so few that [`passing`] takes less time than ranking all.
pub fn pays(allowed: &Allowed, clauses: &[Clause]) -> bool {
    allowed.few.as_ref().is_some_and(|few| is_term_by_term(clauses) || few.len() < most(clauses))
}

/// Whether the few documents that pass a filter are looked for term by term: one of the terms is enough, and these are not too many.
fn is_term_by_term(clauses: &[Clause]) -> bool {
    let is_any = clauses.len() == 1 || !clauses.iter().any(|clause| clause.required);
    is_any && clauses.iter().map(|clause| clause.terms.len()).sum::<usize>() <= FEW_TERMS
}

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
    leave_out(of_list, &mut 0, doc_ids);
}

/// Takes out those of `others`, of which those before `next` precede; all ascend, across calls too.
#[inline(always)]
fn leave_out(others: &mut Vec<u32>, next: &mut usize, doc_ids: &mut Vec<u32>) {
    // Ends the search of the last document, and is none.
    others.push(u32::MAX);
    let kept = retain_if(doc_ids, |doc_id| {
        while others[*next] < doc_id {
            *next += 1;
        }
        others[*next] != doc_id
    });
    doc_ids.truncate(kept);
    others.pop();
}

tiered! {
    /// The best of these documents, which ascend and have all required clauses, and one clause at least. The others only add to their scores.
    pub fn found<'a, 'c, 's>(
        doc_ids: &'a [u32], clauses: Vec<Clause<'s>>, collector: &'a mut Collector<'c, 's>,
    ) -> () = found_on_tier;
}

#[inline(always)]
fn found_on_tier<'s>(doc_ids: &[u32], clauses: Vec<Clause<'s>>, collector: &mut Collector<'_, 's>) {
    let (mut required, mut optional) = divided(clauses);
    rank(doc_ids, true, &mut required, &mut optional, collector);
}

tiered! {
    /// The best of the few documents that pass the collector's filter, with all required clauses, and one clause at least. The others only
    /// add to their scores.
    pub fn passing<'a, 'c, 's>(
        allowed: &'a Allowed, clauses: Vec<Clause<'s>>, collector: &'a mut Collector<'c, 's>,
    ) -> () = passing_on_tier;
}

#[inline(always)]
fn passing_on_tier<'s>(allowed: &Allowed, clauses: Vec<Clause<'s>>, collector: &mut Collector<'_, 's>) {
    let few = allowed.few.as_deref().unwrap_or_default();
    if is_term_by_term(&clauses) {
        return any(few, allowed, &mut greatest_first(clauses), collector);
    }
    let (mut required, mut optional) = divided(clauses);
    rank(few, false, &mut required, &mut optional, collector);
}

/// The clauses that documents must have, those with the fewest postings first, and the terms of the others.
#[inline(always)]
fn divided(clauses: Vec<Clause>) -> (Vec<Clause>, Vec<Term>) {
    let (mut required, optional): (Vec<Clause>, Vec<Clause>) = clauses.into_iter().partition(|clause| clause.required);
    required.iter_mut().flat_map(|clause| &mut clause.terms).for_each(Term::compute_max_score);
    required.sort_by_key(Clause::postings);
    (required, greatest_first(optional))
}

/// The terms of some clauses, those that can add the most first.
#[inline(always)]
fn greatest_first(clauses: Vec<Clause>) -> Vec<Term> {
    let mut terms = terms(clauses);
    terms.iter_mut().for_each(Term::compute_max_score);
    terms.sort_by(|a, b| b.max_score().total_cmp(&a.max_score()));
    terms
}

/// Offers the best of the few documents that pass a filter with any of the terms, of which those that can add the most come first: the
/// documents with the first term, with what the other ones add to their scores, then those with the next that lack it, until those that are
/// left cannot exceed the threshold together (MaxScore, term by term).
#[inline(always)]
fn any<'s>(few: &[u32], allowed: &Allowed, terms: &mut [Term<'s>], collector: &mut Collector<'_, 's>) {
    let bounds: SmallVec<[f64; 8]> = terms.iter().map(|term| term.max_score().into()).collect();
    let rest = sums_from(&bounds);
    let places: SmallVec<[usize; 8]> = terms.iter().map(Term::place).collect();
    let mut found = Vec::new();
    // Those that have been looked at, and those of the present term.
    let (mut seen, mut of_term) = (Vec::new(), Vec::new());
    let mut candidates = Candidates::default();
    for at in 0..terms.len() {
        let (mut block, mut seen_before) = (0, 0);
        while block < terms[at].blocks() {
            let least = collector.threshold() - rest[at + 1];
            if bounds[at] <= least {
                return;
            }
            let (term, others) = terms[at..].split_first_mut().unwrap_or_else(|| unreachable!());
            found.clear();
            if look_up_pays(few, allowed, term) {
                found.extend_from_slice(few);
                let kept = retain(term, &mut found);
                found.truncate(kept);
                term.return_to(places[at]);
                block = term.blocks();
            } else {
                block = append_passing(term, block, least, allowed, &mut found);
            }
            leave_out(&mut seen, &mut seen_before, &mut found);
            of_term.extend_from_slice(&found);
            for some in found.chunks(FOUND_TOGETHER) {
                if collector.clock.is_over() {
                    return;
                }
                candidates.begin(some, collector);
                candidates.add_known(term, collector.threshold(), bounds[at], rest[at + 1]);
                for (term, other) in others.iter_mut().zip(at + 1..) {
                    candidates.add(term, collector.threshold(), bounds[other], rest[other + 1]);
                }
                candidates.offer(collector);
            }
        }
        // Those of the next term begin anew.
        collector.in_order = false;
        collector.restriction = collector.restriction.again();
        seen.append(&mut of_term);
        seen.sort();
        terms.iter_mut().zip(&places).for_each(|(term, &place)| term.return_to(place));
    }
}

/// Whether looking the documents that pass a filter up in a term's list takes less time than looking its documents up in the set of those.
fn look_up_pays(few: &[u32], allowed: &Allowed, term: &Term) -> bool {
    let by_list = (DECODED + IN_BITS) * term.postings();
    term.bits().is_some() || !allowed.is_sieve() || looked_up(std::slice::from_ref(term)) * few.len() < by_list
}

/// Blocks that are decoded between two looks at the threshold.
const TILE_BLOCKS: usize = 16;

/// Adds those documents of some blocks of a term, from `block` on, that pass a filter and may have scores above `least`. Returns the block
/// after these.
#[inline(always)]
fn append_passing(term: &mut Term, block: usize, least: f64, allowed: &Allowed, to: &mut Vec<u32>) -> usize {
    let end = term.blocks().min(block + TILE_BLOCKS);
    let mut next = block;
    while next < end {
        let begin = next;
        while next < end && f64::from(term.block_max(next)) > least {
            next += 1;
        }
        if begin < next {
            let before = to.len();
            term.append(begin..next, to);
            let kept = retain_in_bits(allowed.words(), &mut to[before..]);
            to.truncate(before + kept);
        }
        next += 1;
    }
    end
}

/// The sums of some bounds from each on.
#[inline(always)]
fn sums_from(bounds: &[f64]) -> SmallVec<[f64; 9]> {
    let mut sums = SmallVec::from_elem(0.0, bounds.len() + 1);
    for (at, bound) in bounds.iter().enumerate().rev() {
        sums[at] = sums[at + 1] + bound;
    }
    sums
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
    let bounds: SmallVec<[f64; 8]> = of_required.chain(optional.iter().map(of_term)).collect();
    let rest = sums_from(&bounds);
    // Without any of the terms the score is 0, which is none.
    let least = if required.is_empty() { 0.0 } else { f64::NEG_INFINITY };
    let mut candidates = Candidates::default();
    for doc_ids in doc_ids.chunks(if are_found { FOUND_TOGETHER } else { TOGETHER }) {
        if collector.clock.is_over() {
            return;
        }
        candidates.begin(doc_ids, collector);
        for (at, clause) in required.iter_mut().enumerate() {
            let (threshold, bound, rest) = (collector.threshold(), bounds[at], rest[at + 1]);
            match are_found {
                true => candidates.require_known(clause, threshold, bound, rest),
                false => candidates.require(clause, threshold, bound, rest),
            }
        }
        for (at, term) in (required.len()..).zip(&mut *optional) {
            candidates.add(term, collector.threshold().max(least), bounds[at], rest[at + 1]);
        }
        candidates.offer(collector);
    }
}
