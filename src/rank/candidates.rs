//! [`Candidates`]: documents that may become hits, and what further terms make of them.

use super::accumulators::Accumulators;
use super::clause::{Clause, Present};
use super::collector::Collector;
use super::term::{Term, Together};
use super::window::{keep_allowed, within};
use crate::codec::BLOCK;
use crate::index::list::has;
use smallvec::SmallVec;

/// Documents that may become hits.
#[derive(Default)]
pub(super) struct Candidates {
    /// With the scores of the terms seen so far.
    pub(super) accumulators: Accumulators,
    /// Those that have a term, then perhaps `u32::MAX`; and where among all candidates they are.
    present: Vec<u32>,
    places: Vec<u32>,
    together: Together,
}

impl Candidates {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.accumulators.len() == 0
    }

    /// Some documents, as far as they count.
    #[inline(always)]
    pub(super) fn begin(&mut self, doc_ids: &[u32], collector: &Collector) {
        self.accumulators.clear();
        self.accumulators.reserve(doc_ids.len());
        self.accumulators.push_all(doc_ids);
        keep_allowed(&mut self.accumulators, 0, collector);
    }

    /// The documents in `first..=last`, which lie in one block of a term, that have it and all other clauses, and that count, with their
    /// scores. They are found before any is scored: for as long as there is no threshold, scores leave nothing out.
    #[inline(always)]
    pub(super) fn with_all(
        &mut self,
        lead: &mut Term,
        others: &mut [Clause],
        (first, last): (u32, u32),
        collector: &Collector,
    ) {
        self.accumulators.clear();
        let Some(block) = lead.seek(first) else { return };
        let doc_ids = lead.load(block);
        let mut found = std::mem::take(&mut self.present);
        found.clear();
        found.extend_from_slice(&doc_ids[within(doc_ids, first, last)]);
        for clause in &mut *others {
            if found.is_empty() {
                break;
            }
            let kept = clause.retain_to_score(&mut found);
            found.truncate(kept);
        }
        self.begin(&found, collector);
        self.present = found;
        self.add_known(lead, f64::NEG_INFINITY, 0.0, 0.0);
        for clause in others {
            self.require_known(clause, f64::NEG_INFINITY, 0.0, 0.0);
        }
    }

    /// Keeps the candidates that have the clause and can still exceed `threshold`. The clause adds `bound` at most, and the
    /// rest of the clauses `rest`.
    #[inline(always)]
    pub(super) fn require(&mut self, clause: &mut Clause, threshold: f64, bound: f64, rest: f64) {
        match &mut clause.terms[..] {
            [term] => {
                self.accumulators.keep_above(term.tier(), threshold - bound - rest);
                match self.sift(term, f64::INFINITY) {
                    true => self.add_to_all(term, threshold, rest),
                    false => self.add_one_by_one(term, true, threshold, rest),
                }
            }
            terms => self.require_any(terms, false, threshold, bound, rest),
        }
    }

    /// [`require`](Self::require) for a clause of several terms, one of which all candidates may be `known` to have.
    #[inline(always)]
    fn require_any(&mut self, terms: &mut [Term], known: bool, threshold: f64, bound: f64, rest: f64) {
        let Some(tier) = terms.first().map(Term::tier) else { return self.accumulators.clear() };
        self.accumulators.keep_above(tier, threshold - bound - rest);
        let mut present = Present::new(terms, self.accumulators.doc_ids());
        if !known {
            self.accumulators.keep_if(0, |doc_id, _| present.has_any(doc_id));
        }
        // Those that the fewest candidates have come first: of the others, bounds of blocks then leave the most out.
        let mut order: SmallVec<[usize; 4]> = (0..terms.len()).collect();
        order.sort_by_key(|&term| present.of(term).len());
        for (&at, next) in order.iter().zip(1..) {
            let others: f64 = order[next..].iter().map(|&other| f64::from(terms[other].max_score())).sum();
            self.present.clear();
            self.present.extend_from_slice(present.of(at));
            self.locate(None);
            self.add_together(&mut terms[at], false, threshold, rest + others);
        }
        self.accumulators.keep_above(tier, threshold - rest);
    }

    /// [`require`](Self::require) for a clause that all candidates have.
    #[inline(always)]
    pub(super) fn require_known(&mut self, clause: &mut Clause, threshold: f64, bound: f64, rest: f64) {
        match &mut clause.terms[..] {
            [term] => self.add_known(term, threshold, bound, rest),
            terms => self.require_any(terms, true, threshold, bound, rest),
        }
    }

    /// The same for a term.
    #[inline(always)]
    pub(super) fn add_known(&mut self, term: &mut Term, threshold: f64, bound: f64, rest: f64) {
        self.accumulators.keep_above(term.tier(), threshold - bound - rest);
        self.add_to_all(term, threshold, rest);
    }

    /// Adds the scores of a term that all candidates have, and keeps those that can exceed `threshold` with others.
    #[inline(always)]
    fn add_to_all(&mut self, term: &mut Term, threshold: f64, rest: f64) {
        self.add_together(term, true, threshold, rest);
        self.accumulators.keep_above(term.tier(), threshold - rest);
    }

    /// Keeps the candidates that can still exceed `threshold`, and adds the term's scores to theirs. The term adds `bound` at
    /// most, and others `rest`.
    #[inline(always)]
    pub(super) fn add(&mut self, term: &mut Term, threshold: f64, bound: f64, rest: f64) {
        self.accumulators.keep_above(term.tier(), threshold - bound - rest);
        if !self.sift(term, threshold - rest) {
            return self.add_one_by_one(term, false, threshold, rest);
        }
        self.locate(term.bits());
        self.add_together(term, false, threshold, rest);
        self.accumulators.keep_above(term.tier(), threshold - rest);
    }

    /// Adds the scores of a term to those of the candidates that have it, which are all or those that were [located](Self::locate),
    /// unless these cannot exceed `threshold` with other terms, which add `rest` at most.
    #[inline(always)]
    fn add_together(&mut self, term: &mut Term, all: bool, threshold: f64, rest: f64) {
        let any_score = threshold == f64::NEG_INFINITY;
        let (doc_ids, sums) = self.accumulators.parts();
        if all {
            self.places.clear();
            self.places.extend(0..doc_ids.len() as u32);
        }
        let doc_ids = if all { &*doc_ids } else { &self.present[..self.places.len()] };
        for (doc_ids, places) in doc_ids.chunks(BLOCK).zip(self.places.chunks_mut(BLOCK)) {
            if doc_ids.len() < FEW {
                for (&doc_id, &place) in doc_ids.iter().zip(&*places) {
                    let sum = &mut sums[place as usize];
                    if let Some(block) = term.seek(doc_id)
                        && (any_score || *sum + f64::from(term.block_max(block)) + rest > threshold)
                        && let Some(more) = term.score_in(block, doc_id)
                    {
                        *sum += f64::from(more);
                    }
                }
                continue;
            }
            self.together.take(doc_ids);
            // To find out what bounds leave out takes as long as scoring documents of a bit set.
            let sifts = !any_score && term.bits().is_none() && self.together.are_sparse(term);
            if sifts {
                self.together.retain(term, places, |term, place, block| {
                    sums[place as usize] + f64::from(term.block_max(block)) + rest > threshold
                });
            }
            let scores = self.together.scores(term);
            if all && !sifts {
                let sums = &mut sums[places[0] as usize..];
                for (sum, &score) in sums.iter_mut().zip(scores) {
                    *sum += f64::from(score);
                }
            } else {
                for (&place, &score) in places.iter().zip(scores) {
                    sums[place as usize] += f64::from(score);
                }
            }
        }
    }

    /// The same if it is not known which have the term, which is `required` or not; keeps those that can exceed `threshold`.
    #[inline(always)]
    fn add_one_by_one(&mut self, term: &mut Term, required: bool, threshold: f64, rest: f64) {
        let any_score = threshold == f64::NEG_INFINITY;
        let (doc_ids, sums) = self.accumulators.parts();
        let mut kept = 0;
        for at in 0..doc_ids.len() {
            let (doc_id, mut score) = (doc_ids[at], sums[at]);
            let mut can_exceed = !required && score + rest > threshold;
            if let Some(block) = term.seek(doc_id) {
                if !any_score && score + f64::from(term.block_max(block)) + rest <= threshold {
                    continue;
                }
                if let Some(more) = term.score_in(block, doc_id) {
                    score += f64::from(more);
                    can_exceed = true;
                }
            }
            (doc_ids[kept], sums[kept]) = (doc_id, score);
            kept += usize::from(can_exceed);
        }
        self.accumulators.truncate(kept);
    }

    /// Finds out which candidates have the term, by its bit set or by looking all up at once, and keeps only these and those with
    /// a sum above `alone`. Returns false if neither can be done.
    #[inline(always)]
    fn sift(&mut self, term: &mut Term, alone: f64) -> bool {
        match term.bits() {
            Some(bits) => self.accumulators.keep_in(term.tier(), 0, bits, alone),
            None if !self.look_up(term) => return false,
            None => self.accumulators.keep_found(term.tier(), &self.present, alone),
        }
        true
    }

    /// Which candidates have a term, and where they are: by its bit set, if that is given, or by those in `present`, which ends with
    /// `u32::MAX`.
    #[inline(always)]
    fn locate(&mut self, bits: Option<&[u32]>) {
        let doc_ids = self.accumulators.doc_ids();
        self.places.resize(doc_ids.len(), 0);
        let mut count = 0;
        match bits {
            Some(bits) => {
                self.present.resize(doc_ids.len(), 0);
                for (place, &doc_id) in doc_ids.iter().enumerate() {
                    (self.present[count], self.places[count]) = (doc_id, place as u32);
                    count += usize::from(has(bits, doc_id));
                }
            }
            None => {
                for (place, &doc_id) in doc_ids.iter().enumerate() {
                    self.places[count] = place as u32;
                    count += usize::from(self.present[count] == doc_id);
                }
            }
        }
        self.places.truncate(count);
    }

    /// Finds the candidates that the list of a term contains, if that can be done faster than one by one.
    #[inline(always)]
    fn look_up(&mut self, term: &mut Term) -> bool {
        if self.accumulators.len() < MANY {
            return false;
        }
        self.present.clear();
        self.present.extend_from_slice(self.accumulators.doc_ids());
        let Some(count) = term.retain(&mut self.present) else { return false };
        self.present.truncate(count);
        // Ends the search of the last one.
        self.present.push(u32::MAX);
        true
    }

    #[inline(always)]
    pub(super) fn offer(&mut self, collector: &mut Collector) {
        let (doc_ids, sums) = self.accumulators.parts();
        for (&doc_id, &sum) in doc_ids.iter().zip(&*sums) {
            collector.offer(doc_id, sum);
        }
    }
}

/// Fewer candidates than this that have a term are scored one by one.
const FEW: usize = 8;

/// From this many on, candidates are looked up together.
const MANY: usize = 4;
