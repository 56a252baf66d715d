//! The k best documents of a segment, without scoring all that match.
//!
//! Both ways go through the segment in ranges of docIDs and keep *candidates*: documents with the scores that they have
//! so far. A range in which the bounds of all terms add up to no more than the threshold is skipped. Otherwise some terms
//! *lead*: the candidates are their documents. The other terms are asked about the candidates that remain, and before each
//! question those are dropped that cannot reach the threshold any more, first by the bound of the range, then by that of
//! the block in which the document would be.
//!
//! * [`all`]: the rarest clause leads. With its scores known, most candidates are dropped before another list is touched
//!   (score-first block-max AND, as in Lucene 10).
//! * [`any`]: terms whose bounds together do not exceed the threshold cannot make a hit alone; the others lead (MaxScore:
//!   Turtle and Flood 1995; with bounds of blocks: Ding and Suel 2011, in ranges of documents: Lucene 10). Scores of
//!   several leading terms are added up in an array of `WINDOW` documents.
//!
//! Scores are sums of `f32` in `f64`. Such sums are exact as long as the largest addend is not 2^29 times the smallest,
//! so that the order of addition does not matter.

use super::candidates::Candidates;
use super::clause::Clause;
use super::collector::Collector;
use super::term::Term;
use super::tiers::tiered;
use super::window::{Window, range};

tiered! {
    /// The best documents with all clauses.
    pub fn all<'c, 's>(clauses: Vec<Clause<'s>>, collector: &mut Collector<'c, 's>) -> () = all_on_tier;
}

#[inline(always)]
fn all_on_tier<'s>(mut clauses: Vec<Clause<'s>>, collector: &mut Collector<'_, 's>) {
    if clauses.is_empty() {
        return;
    }
    clauses.sort_by_key(Clause::postings);
    let (lead, others) = clauses.split_at_mut(1);
    let lead = &mut lead[0].terms;
    // Clauses that are bit sets sift the leading documents before these are scored.
    let sieve = |clause: &Clause<'s>| if let [term] = &clause.terms[..] { term.bits() } else { None };
    let sieves: Vec<&[u32]> = others.iter().filter_map(sieve).collect();
    let leaders: Vec<usize> = (0..lead.len()).collect();
    let mut window = Window::new();
    let mut candidates = Candidates::default();
    // The bounds of each of the other clauses, and those of each and all that follow.
    let mut own = vec![0.0; others.len()];
    let mut bounds = vec![0.0; others.len() + 1];
    let primed = if others.is_empty() { primed(lead, collector) } else { f64::NEG_INFINITY };
    let mut next = 0;
    while let Some((first, last)) = range(lead, &leaders, next) {
        if collector.clock.is_over() {
            return;
        }
        next = last.saturating_add(1);
        let floor = collector.floor().max(primed);
        let of_lead: f64 = leaders.iter().map(|&at| f64::from(lead[at].bound_between(first, last))).sum();
        for (at, clause) in others.iter_mut().enumerate().rev() {
            own[at] = clause.terms.iter_mut().map(|term| f64::from(term.bound_between(first, last))).sum();
            bounds[at] = bounds[at + 1] + own[at];
        }
        if of_lead + bounds[0] > floor {
            let least = floor - bounds[0];
            window.candidates(lead, &leaders, &sieves, first, last, least, collector, &mut candidates);
            for (at, clause) in others.iter_mut().enumerate() {
                if candidates.is_empty() || collector.clock.is_over() {
                    break;
                }
                candidates.require(clause, collector.floor(), own[at], bounds[at + 1]);
            }
            candidates.offer(collector);
        }
        if last == u32::MAX {
            break;
        }
    }
}

/// A threshold to begin with: what the best blocks of a term alone give. Documents that equal it are hits.
#[inline(always)]
fn primed(terms: &mut [Term], collector: &Collector) -> f64 {
    let k = collector.top.k();
    if k == 0 || !collector.restriction.is_none() {
        return f64::NEG_INFINITY;
    }
    // Terms are ordered by what they add at most, so the last ones give the most.
    let of_terms = terms.iter_mut().rev().map(|term| term.likely_threshold(k));
    of_terms.into_iter().find(|threshold| threshold.is_finite()).unwrap_or(f64::NEG_INFINITY).next_down()
}

tiered! {
    /// The best documents with any of the terms.
    pub fn any<'c, 's>(terms: Vec<Term<'s>>, collector: &mut Collector<'c, 's>) -> () = any_on_tier;
}

#[inline(always)]
fn any_on_tier<'s>(mut terms: Vec<Term<'s>>, collector: &mut Collector<'_, 's>) {
    terms.sort_by(|a, b| a.most().total_cmp(&b.most()));
    let mut window = Window::new();
    let mut candidates = Candidates::default();
    let mut bounds = vec![0.0f32; terms.len()];
    // Terms by the bound of the range, and the sums of the bounds up to each.
    let mut order: Vec<usize> = (0..terms.len()).collect();
    let mut sums = vec![0.0f64; terms.len() + 1];
    let all: Vec<usize> = order.clone();
    let most: Vec<f32> = terms.iter().map(Term::most).collect();
    let primed = primed(&mut terms, collector);
    // The sum of the bounds of those that are not essential, and of the first that may be.
    let (mut essential, mut sum) = (0, most.first().copied().map_or(0.0, f64::from));
    let mut next = 0;
    loop {
        let floor = collector.floor().max(primed);
        while essential < terms.len() && sum <= floor {
            essential += 1;
            sum += most.get(essential).copied().map_or(0.0, f64::from);
        }
        let Some((first, last)) = range(&mut terms, &all[essential..], next) else { return };
        if collector.clock.is_over() {
            return;
        }
        next = last.saturating_add(1);
        for (term, bound) in terms.iter_mut().zip(&mut bounds) {
            *bound = term.bound_between(first, last);
        }
        order.sort_unstable_by(|&a, &b| bounds[a].total_cmp(&bounds[b]));
        for (at, &term) in order.iter().enumerate() {
            sums[at + 1] = sums[at] + f64::from(bounds[term]);
        }
        let others = sums[1..].partition_point(|&sum| sum <= floor);
        if others < terms.len() {
            let (others, leaders) = order.split_at(others);
            let least = floor - sums[others.len()];
            window.candidates(&mut terms, leaders, &[], first, last, least, collector, &mut candidates);
            for (at, &term) in others.iter().enumerate().rev() {
                if candidates.is_empty() || collector.clock.is_over() {
                    break;
                }
                candidates.add(&mut terms[term], collector.floor().max(primed), bounds[term].into(), sums[at]);
            }
            candidates.offer(collector);
        }
        if last == u32::MAX {
            return;
        }
    }
}
