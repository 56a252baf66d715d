//! The k best documents of a segment, by block-max conjunction ([`all`]) and block-max MaxScore ([`any`]), and those of one term
//! ([`one`]); see the top of `rank/mod.rs`.

use super::candidates::Candidates;
use super::champions;
use super::clause::{Clause, terms};
use super::collector::Collector;
use super::few;
use super::found;
use super::initial;
use super::term::Term;
use super::waiting::{Waiting, WaitingOfLeads};
use super::window::{WINDOW, Window, expected, range};
use crate::base::tiers::tiered;

tiered! {
    /// The best documents with all clauses. The `optional` terms only add to their scores.
    pub fn all<'c, 's>(
        clauses: Vec<Clause<'s>>, optional: Vec<Term<'s>>, collector: &mut Collector<'c, 's>,
    ) -> () = all_on_tier;
}

#[inline(always)]
fn all_on_tier<'s>(mut clauses: Vec<Clause<'s>>, mut optional: Vec<Term<'s>>, collector: &mut Collector<'_, 's>) {
    if clauses.is_empty() {
        return;
    }
    clauses.iter_mut().for_each(|clause| clause.required = true);
    clauses.iter_mut().flat_map(|clause| &mut clause.terms).chain(&mut optional).for_each(Term::compute_max_score);
    let mut initial = f64::NEG_INFINITY;
    if let [lead] = &mut clauses[..] {
        initial = initial::threshold(&mut lead.terms, collector);
    }
    let of_required = clauses.iter().flat_map(|clause| &clause.terms).map(|term| f64::from(term.max_score())).sum();
    let mut parts = Parts { clauses, optional, of_required, until: f64::NEG_INFINITY };
    let (mut next, mut begins) = (Some(0), true);
    while let Some(first) = next {
        if !parts.divide(collector.threshold().max(initial)) {
            return;
        }
        next = match std::mem::take(&mut begins) && parts.finds_first(collector) {
            true => found_first(&mut parts, collector),
            false => parts_on_tier(&mut parts, first, initial, collector),
        };
    }
}

/// Documents with all clauses are found before any is scored if there are at most so many, or so many for each hit that is wanted: what
/// bounds would leave out is not worth going through the lists block by block. How many there are, the first ones tell.
const FEW: usize = if TESTS { 50 } else { 1000 };
const FEW_A_HIT: usize = if TESTS { 2 } else { 300 };
const FIRST: usize = if TESTS { 8 } else { 32 };

/// So many are found at a time.
const TOGETHER: usize = if TESTS { 16 } else { 1 << 14 };

/// Whether segments are small.
const TESTS: bool = cfg!(any(test, fuzzing));

/// The best of the documents with all clauses, if these are few, otherwise of the first ones. Returns from which document on there may be
/// more.
#[inline(always)]
fn found_first<'s>(parts: &mut Parts<'s>, collector: &mut Collector<'_, 's>) -> Option<u32> {
    let Parts { clauses, optional, .. } = parts;
    let few = FEW.max(FEW_A_HIT.saturating_mul(collector.top.k())).min(u32::MAX as usize) as u64;
    let last = clauses[0].terms.iter().map(|term| term.last(term.blocks() - 1)).max();
    let end = last.unwrap_or(0).saturating_add(1);
    let mut found = Vec::new();
    let mut next = found::some((0, end), clauses, collector.clock, |found| found.len() >= FIRST, &mut found);
    if let (Some(_), Some(&last)) = (next, found.last())
        && found.len() as u64 * u64::from(end) > few * (u64::from(last) + 1)
    {
        // Of the others, bounds may leave some out.
        found.truncate(FIRST);
        few::rank(&found, true, clauses, optional, collector);
        return found.last().map(|last| last + 1);
    }
    loop {
        few::rank(&found, true, clauses, optional, collector);
        let from = next?;
        found.clear();
        next = found::some((from, end), clauses, collector.clock, |found| found.len() >= TOGETHER, &mut found);
    }
}

/// What documents must have, and what only adds to their scores.
struct Parts<'s> {
    /// Those that are not `required` have become so: documents without any of their terms cannot exceed the threshold any more.
    clauses: Vec<Clause<'s>>,
    /// Those that add the most come first.
    optional: Vec<Term<'s>>,
    /// The upper bound of what documents must have from the beginning.
    of_required: f64,
    /// The parts are divided anew once the threshold is as high.
    until: f64,
}

impl Parts<'_> {
    /// Whether there are several clauses, and no filter is to sift the documents of the shortest.
    fn finds_first(&self, collector: &Collector) -> bool {
        self.clauses.len() > 1 && collector.restriction.sieve().is_none()
    }

    /// Divides optional terms into those of which documents must have one to exceed the threshold, and the others. Returns whether
    /// any document can.
    fn divide(&mut self, threshold: f64) -> bool {
        let of_optional = |clause: &mut Clause| !clause.required;
        self.optional.append(&mut terms(self.clauses.extract_if(.., of_optional)));
        self.optional.sort_by(|a, b| b.max_score().total_cmp(&a.max_score()));
        // What documents can reach that lack the terms before this one.
        let (mut term, mut without) = (self.optional.len(), self.of_required);
        while without <= threshold {
            let Some(before) = term.checked_sub(1) else { return false };
            term = before;
            without += f64::from(self.optional[term].max_score());
        }
        self.until = without;
        if term < self.optional.len() {
            let terms = self.optional.drain(..=term).collect();
            self.clauses.push(Clause { terms, required: false });
        }
        self.clauses.sort_by_key(Clause::postings);
        true
    }
}

/// The best documents from `next` on, until the parts are to be divided anew: then from the document that is returned on.
#[inline(always)]
fn parts_on_tier<'s>(
    parts: &mut Parts<'s>,
    mut next: u32,
    initial: f64,
    collector: &mut Collector<'_, 's>,
) -> Option<u32> {
    let Parts { clauses, optional, until, .. } = parts;
    let (lead, others) = clauses.split_at_mut(1);
    let lead = &mut lead[0].terms;
    // Clauses that are bit sets sift the lead's documents before these are scored.
    let bit_sets: Vec<&[u32]> = others.iter().filter_map(Clause::bits).collect();
    let leads: Vec<usize> = (0..lead.len()).collect();
    let mut window = Window::new(&collector.restriction);
    let mut waiting = Waiting::default();
    // The upper bounds of each of the other clauses and of the optional terms in the range.
    let mut upper = vec![0.0; others.len() + optional.len()];
    loop {
        let threshold = collector.threshold().max(initial);
        if threshold >= *until {
            // Candidates that waited have just raised it: none wait now.
            return Some(next);
        }
        let Some((first, last)) = range(lead, &leads, next) else { break };
        if collector.clock.is_over() {
            break;
        }
        next = last.saturating_add(1);
        let (mut of_lead, mut of_others) = (0.0, 0.0);
        // Until there is a threshold, nothing is compared with bounds. Many queries never have one: they have fewer hits than are wanted.
        if threshold > f64::NEG_INFINITY {
            of_lead = leads.iter().map(|&at| f64::from(lead[at].max_score_between(first, last))).sum();
            for (upper, clause) in upper.iter_mut().zip(&mut *others) {
                // No `map` here: its closure would run without the processor's features.
                *upper = 0.0;
                for term in &mut clause.terms {
                    *upper += f64::from(term.max_score_between(first, last));
                }
            }
            for (upper, term) in upper[others.len()..].iter_mut().zip(&mut *optional) {
                *upper = f64::from(term.max_score_if_any(first, last));
            }
            of_others = upper.iter().sum();
        }
        let finds_first = !others.is_empty() && leads.len() == 1 && !window.has_sieve();
        if threshold == f64::NEG_INFINITY && finds_first {
            // So it was in all ranges before: no candidates wait.
            let candidates = &mut waiting.candidates;
            candidates.with_all(&mut lead[0], others, (first, last), collector);
            for term in &mut *optional {
                candidates.add(term, threshold, 0.0, 0.0);
            }
            candidates.offer(collector);
            candidates.accumulators.clear();
        } else if of_lead + of_others > threshold {
            let least = threshold - of_others;
            let accumulators = &mut waiting.candidates.accumulators;
            window.candidates(lead, &leads, &bit_sets, first, last, least, collector, accumulators);
            let terms = others.iter().flat_map(|clause| &clause.terms).chain(&*optional);
            waiting.note(terms, upper.iter().copied());
            if waiting.are_enough() {
                waiting.complete(others, optional, initial, collector);
            }
        }
        if last == u32::MAX {
            break;
        }
    }
    waiting.complete(others, optional, initial, collector);
    None
}

tiered! {
    /// The best documents with a term: those of the blocks whose bounds, and whose groups' bounds, exceed the threshold.
    pub fn one<'c, 's>(term: &mut Term<'s>, collector: &mut Collector<'c, 's>) -> () = one_on_tier;
}

#[inline(always)]
fn one_on_tier<'s>(term: &mut Term<'s>, collector: &mut Collector<'_, 's>) {
    // Of a rare word, nothing is worth skipping.
    if term.blocks() == 1 {
        let (doc_ids, scores) = term.scored_block(0);
        for (&doc_id, &score) in doc_ids.iter().zip(scores) {
            if collector.restriction.allows(doc_id) {
                collector.offer(doc_id, score.into());
            }
        }
        return;
    }
    if champions::offer(term, collector) {
        return;
    }
    term.compute_max_score();
    let initial = initial::threshold(std::slice::from_mut(term), collector);
    let mut window = Window::new(&collector.restriction);
    let mut candidates = Candidates::default();
    for group in 0..term.groups() {
        if f64::from(term.group_max(group)) <= collector.threshold().max(initial) {
            continue;
        }
        if collector.clock.is_over() {
            return;
        }
        for block in term.group(group) {
            let threshold = collector.threshold().max(initial);
            if f64::from(term.block_max(block)) > threshold {
                let (first, last) = (term.first_possible(block), term.last(block));
                let term = std::slice::from_mut(term);
                let accumulators = &mut candidates.accumulators;
                accumulators.clear();
                window.candidates(term, &[0], &[], first, last, threshold, collector, accumulators);
                candidates.offer(collector);
            }
        }
    }
}

/// With so many terms, the scores of all documents of a window are added up to find candidates, if it is full.
const MANY: usize = 6;

/// A window is full if the terms that must be looked at have about so many postings in it. If they have fewer, to go through all of its
/// documents takes longer than to look candidates up.
const FULL: usize = 384;

tiered! {
    /// The best documents with any of the terms.
    pub fn any<'c, 's>(terms: Vec<Term<'s>>, collector: &mut Collector<'c, 's>) -> () = any_on_tier;
}

#[inline(always)]
fn any_on_tier<'s>(mut terms: Vec<Term<'s>>, collector: &mut Collector<'_, 's>) {
    terms.iter_mut().for_each(Term::compute_max_score);
    terms.sort_by(|a, b| a.max_score().total_cmp(&b.max_score()));
    let mut window = Window::new(&collector.restriction);
    let mut waiting = WaitingOfLeads::new(terms.len());
    let mut upper = vec![0.0f32; terms.len()];
    // Terms by their upper bounds in the range, and the sums of these up to each.
    let mut order: Vec<usize> = (0..terms.len()).collect();
    let mut sums = vec![0.0f64; terms.len() + 1];
    let all: Vec<usize> = order.clone();
    let max_scores: Vec<f64> = terms.iter().map(|term| term.max_score().into()).collect();
    let are_many = terms.len() >= MANY && !window.has_sieve();
    let initial = initial::threshold(&mut terms, collector);
    // How many terms are non-essential in the whole segment, and the sum of their upper bounds and of the next one's.
    let (mut non_essential, mut sum) = (0, max_scores.first().copied().unwrap_or(0.0));
    let mut next = 0;
    loop {
        let threshold = collector.threshold().max(initial);
        while non_essential < terms.len() && sum <= threshold {
            non_essential += 1;
            sum += max_scores.get(non_essential).copied().unwrap_or(0.0);
        }
        let Some((first, last)) = range(&mut terms, &all[non_essential..], next) else { break };
        if collector.clock.is_over() {
            break;
        }
        for (term, upper) in terms.iter_mut().zip(&mut upper) {
            *upper = term.max_score_if_any(first, last);
        }
        order.sort_unstable_by(|&a, &b| upper[a].total_cmp(&upper[b]));
        for (at, &term) in order.iter().enumerate() {
            sums[at + 1] = sums[at] + f64::from(upper[term]);
        }
        let non_essential_here = sums[1..].partition_point(|&sum| sum <= threshold);
        let of_window = last.min(first.saturating_add(WINDOW as u32 - 1));
        let is_full = are_many && expected(&mut terms, &order[non_essential_here..], first, of_window) >= FULL;
        let last = if is_full { of_window } else { last };
        next = last.saturating_add(1);
        if non_essential_here < terms.len() {
            let (mut left, range) = (non_essential_here, (first, last));
            if is_full || !waiting.fits(&order[left..]) {
                waiting.complete(&mut terms, initial, collector);
            }
            let accumulators = waiting.accumulators();
            if is_full {
                left = window.candidates_of_many(
                    &mut terms,
                    &order,
                    &sums,
                    left,
                    range,
                    threshold,
                    collector,
                    accumulators,
                );
            } else {
                let least = threshold - sums[left];
                window.candidates(&mut terms, &order[left..], &[], first, last, least, collector, accumulators);
            }
            waiting.note(&terms, &order[left..], &upper);
            if is_full || waiting.are_enough() {
                waiting.complete(&mut terms, initial, collector);
            }
        }
        if last == u32::MAX {
            break;
        }
    }
    waiting.complete(&mut terms, initial, collector);
}
