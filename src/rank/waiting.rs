//! [`Waiting`] and [`WaitingOfLeads`]: candidates of several ranges, which wait for the terms that did not give them.
//!
//! Lists are asked about all of them at once: what asking a list takes is mostly the same for many as for the few of one range.

use super::accumulators::Accumulators;
use super::candidates::Candidates;
use super::clause::Clause;
use super::collector::Collector;
use super::term::Term;

/// With so many candidates, or after so many ranges that gave some, lists are asked about them: what they make of these raises the threshold
/// for others.
const ENOUGH: usize = if cfg!(any(test, fuzzing)) { 8 } else { 1024 };
const RANGES: usize = 8;

/// Candidates of ranges in all of which the same clauses, and optional terms, are yet to be asked.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) candidates: Candidates,
    /// How many there are of ranges that were noted, and how many ranges gave some; if any did, the rest counts.
    noted: usize,
    ranges: usize,
    /// Where each term stood in the first of the ranges.
    places: Vec<usize>,
    /// What each clause or optional term adds at most, in all of them; and what those add together that are asked after it.
    upper: Vec<f64>,
    rest: Vec<f64>,
}

impl Waiting {
    /// Whether lists are to be asked.
    #[inline(always)]
    pub(super) fn are_enough(&self) -> bool {
        self.noted >= ENOUGH || self.ranges >= RANGES
    }

    /// Notes what is known of a range whose candidates have been added: where terms stand, and what clauses and optional terms add at most,
    /// in the same order for each range. Returns whether these candidates are the first.
    #[inline(always)]
    pub(super) fn note<'t, 's: 't>(
        &mut self,
        terms: impl Iterator<Item = &'t Term<'s>>,
        upper: impl Iterator<Item = f64>,
    ) -> bool {
        let before = std::mem::replace(&mut self.noted, self.candidates.accumulators.len());
        if self.noted == before {
            return false;
        }
        self.ranges += 1;
        if before == 0 {
            self.places.clear();
            self.places.extend(terms.map(Term::place));
            self.upper.clear();
            self.upper.extend(upper);
            return true;
        }
        for (all, of_range) in self.upper.iter_mut().zip(upper) {
            *all = all.max(of_range);
        }
        false
    }

    /// Whether there were candidates; from now on, there are none.
    #[inline(always)]
    fn take(&mut self) -> bool {
        self.ranges = 0;
        std::mem::take(&mut self.noted) > 0
    }

    /// Sends terms back to where they stood in the first of the ranges, or, the second time, forth again.
    #[inline(always)]
    fn send<'t, 's: 't>(&mut self, terms: impl Iterator<Item = &'t mut Term<'s>>) {
        for (term, place) in terms.zip(&mut self.places) {
            let now = term.place();
            term.return_to(std::mem::replace(place, now));
        }
    }

    /// Offers what is left.
    #[inline(always)]
    fn offer(&mut self, collector: &mut Collector) {
        self.candidates.offer(collector);
        self.candidates.accumulators.clear();
    }

    /// Asks clauses, which candidates must have, and then optional terms about the candidates, and offers what is left.
    #[inline(always)]
    pub(super) fn complete<'s>(
        &mut self,
        clauses: &mut [Clause<'s>],
        optional: &mut [Term<'s>],
        initial: f64,
        collector: &mut Collector,
    ) {
        if !self.take() {
            return;
        }
        self.send(clauses.iter_mut().flat_map(|clause| &mut clause.terms).chain(&mut *optional));
        self.rest.clear();
        self.rest.resize(self.upper.len(), 0.0);
        for at in (1..self.upper.len()).rev() {
            self.rest[at - 1] = self.rest[at] + self.upper[at];
        }
        let threshold = collector.threshold().max(initial);
        let mut bounds = self.upper.iter().zip(&self.rest);
        for (clause, (&upper, &rest)) in clauses.iter_mut().zip(&mut bounds) {
            if self.candidates.is_empty() || collector.clock.is_over() {
                break;
            }
            self.candidates.require(clause, threshold, upper, rest);
        }
        for (term, (&upper, &rest)) in optional.iter_mut().zip(&mut bounds) {
            if self.candidates.is_empty() || collector.clock.is_over() {
                break;
            }
            self.candidates.add(term, threshold, upper, rest);
        }
        self.offer(collector);
        self.send(clauses.iter_mut().flat_map(|clause| &mut clause.terms).chain(optional));
    }
}

/// Candidates of ranges in all of which the same of some terms lead, and the others are optional.
pub(super) struct WaitingOfLeads {
    waiting: Waiting,
    /// Which terms lead.
    leads: Vec<bool>,
    /// Those that do not.
    others: Vec<usize>,
}

impl WaitingOfLeads {
    pub(super) fn new(terms: usize) -> WaitingOfLeads {
        WaitingOfLeads { waiting: Waiting::default(), leads: vec![false; terms], others: Vec::with_capacity(terms) }
    }

    /// The candidates.
    #[inline(always)]
    pub(super) fn accumulators(&mut self) -> &mut Accumulators {
        &mut self.waiting.candidates.accumulators
    }

    /// Whether lists are to be asked.
    #[inline(always)]
    pub(super) fn are_enough(&self) -> bool {
        self.waiting.are_enough()
    }

    /// Whether candidates with the scores of these terms can wait with those that are there.
    #[inline(always)]
    pub(super) fn fits(&self, leads: &[usize]) -> bool {
        self.waiting.noted == 0
            || leads.len() + self.others.len() == self.leads.len() && leads.iter().all(|&lead| self.leads[lead])
    }

    /// Notes a range whose candidates have been added, with the scores of `leads`, and what terms add there at most.
    #[inline(always)]
    pub(super) fn note(&mut self, terms: &[Term], leads: &[usize], upper: &[f32]) {
        if !self.waiting.note(terms.iter(), upper.iter().map(|&upper| upper.into())) {
            return;
        }
        self.leads.fill(false);
        for &lead in leads {
            self.leads[lead] = true;
        }
        self.others.clear();
        self.others.extend((0..terms.len()).filter(|&term| !self.leads[term]));
    }

    /// Asks the other terms about the candidates, those that can add the most first, and offers what is left.
    #[inline(always)]
    pub(super) fn complete(&mut self, terms: &mut [Term], initial: f64, collector: &mut Collector) {
        let WaitingOfLeads { waiting, others, .. } = self;
        if !waiting.take() {
            return;
        }
        waiting.send(terms.iter_mut());
        let Waiting { candidates, upper, rest, .. } = waiting;
        others.sort_unstable_by(|&a, &b| upper[a].total_cmp(&upper[b]));
        rest.clear();
        let mut sum = 0.0;
        for &other in &*others {
            rest.push(sum);
            sum += upper[other];
        }
        let threshold = collector.threshold().max(initial);
        for (&other, &rest) in others.iter().zip(&*rest).rev() {
            if candidates.is_empty() || collector.clock.is_over() {
                break;
            }
            candidates.add(&mut terms[other], threshold, upper[other], rest);
        }
        waiting.offer(collector);
        waiting.send(terms.iter_mut());
    }
}
