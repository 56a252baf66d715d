//! [`Candidates`]: documents that may become hits, and what further terms make of them.

use super::accumulators::Accumulators;
use super::clause::{Clause, Present};
use super::collector::Collector;
use super::term::Term;
use super::window::within;
use crate::index::list::has;
use smallvec::SmallVec;

/// Documents that may become hits.
#[derive(Default)]
pub(super) struct Candidates {
    /// With the scores of the terms seen so far.
    pub(super) accumulators: Accumulators,
    /// Those that a list contains, and then `u32::MAX`.
    present: Vec<u32>,
}

/// What is known of which candidates have a term.
enum Presence<'s> {
    Bits(&'s [u32]),
    /// The candidates that have it are in `present`.
    LookedUp,
    Unknown,
}

impl Presence<'_> {
    /// Whether a candidate has the term, or that is not known yet.
    #[inline(always)]
    fn may_contain(&self, present: &[u32], next: &mut usize, doc_id: u32) -> bool {
        match self {
            Presence::Bits(bits) => has(bits, doc_id),
            Presence::LookedUp => {
                let is = present[*next] == doc_id;
                *next += usize::from(is);
                is
            }
            Presence::Unknown => true,
        }
    }
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
        for &doc_id in doc_ids {
            self.accumulators.push_if(collector.restriction.allows(doc_id), doc_id, 0.0);
        }
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
        self.present.clear();
        self.present.extend_from_slice(&doc_ids[within(doc_ids, first, last)]);
        for clause in &mut *others {
            if self.present.is_empty() {
                return;
            }
            let kept = clause.retain_to_score(&mut self.present);
            self.present.truncate(kept);
        }
        self.accumulators.reserve(self.present.len());
        for &doc_id in &self.present {
            if let Some(score) = lead.score_in(block, doc_id) {
                self.accumulators.push_if(collector.restriction.allows(doc_id), doc_id, score.into());
            }
        }
        let (doc_ids, sums) = self.accumulators.parts();
        for clause in others {
            for term in &mut clause.terms {
                for (&mut doc_id, sum) in doc_ids.iter_mut().zip(&mut *sums) {
                    if let Some(more) = term.probe(doc_id) {
                        *sum += f64::from(more);
                    }
                }
            }
        }
    }

    /// Keeps the candidates that have the clause and can still exceed `threshold`. The clause adds `bound` at most, and the
    /// rest of the clauses `rest`.
    #[inline(always)]
    pub(super) fn require(&mut self, clause: &mut Clause, threshold: f64, bound: f64, rest: f64) {
        if let [term] = &mut clause.terms[..] {
            self.accumulators.keep_above(term.tier(), threshold - bound - rest);
            return self.require_term(term, threshold, rest);
        }
        let Some(first) = clause.terms.first() else { return self.accumulators.clear() };
        self.accumulators.keep_above(first.tier(), threshold - bound - rest);
        let mut present = Present::new(&mut clause.terms, self.accumulators.doc_ids());
        let (doc_ids, sums) = self.accumulators.parts();
        let mut kept = 0;
        // The terms that a candidate has, each with the block in which it is.
        let mut found: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        for at in 0..doc_ids.len() {
            let (doc_id, mut score) = (doc_ids[at], sums[at]);
            found.clear();
            let mut bound = score + rest;
            for (term, of_clause) in clause.terms.iter_mut().enumerate() {
                if present.has(term, doc_id)
                    && let Some(block) = of_clause.seek(doc_id)
                {
                    found.push((term, block));
                    if threshold > f64::NEG_INFINITY {
                        bound += f64::from(of_clause.block_max(block));
                    }
                }
            }
            if found.is_empty() || bound <= threshold {
                continue;
            }
            for &(term, block) in &found {
                if let Some(more) = clause.terms[term].score_in(block, doc_id) {
                    score += f64::from(more);
                }
            }
            (doc_ids[kept], sums[kept]) = (doc_id, score);
            kept += 1;
        }
        self.accumulators.truncate(kept);
    }

    /// [`require`](Self::require) for a clause of one term.
    #[inline(always)]
    fn require_term(&mut self, term: &mut Term, threshold: f64, rest: f64) {
        let has_it = self.sift(term, f64::INFINITY);
        self.score(term, &has_it, threshold, rest);
    }

    /// [`require`](Self::require) for a term that all candidates have.
    #[inline(always)]
    pub(super) fn add_known(&mut self, term: &mut Term, threshold: f64, bound: f64, rest: f64) {
        self.accumulators.keep_above(term.tier(), threshold - bound - rest);
        self.score(term, &Presence::Unknown, threshold, rest);
    }

    /// Keeps the candidates that have the term and can still exceed `threshold`, and adds the term's scores to theirs.
    #[inline(always)]
    fn score(&mut self, term: &mut Term, has_it: &Presence, threshold: f64, rest: f64) {
        let any_score = threshold == f64::NEG_INFINITY;
        let (doc_ids, sums) = self.accumulators.parts();
        let (mut kept, mut next) = (0, 0);
        for at in 0..doc_ids.len() {
            let (doc_id, score) = (doc_ids[at], sums[at]);
            if !has_it.may_contain(&self.present, &mut next, doc_id) {
                continue;
            }
            let Some(block) = term.seek(doc_id) else { break };
            if !any_score && score + f64::from(term.block_max(block)) + rest <= threshold {
                continue;
            }
            if let Some(more) = term.score_in(block, doc_id) {
                (doc_ids[kept], sums[kept]) = (doc_id, score + f64::from(more));
                kept += 1;
            }
        }
        self.accumulators.truncate(kept);
    }

    /// Keeps the candidates that can still exceed `threshold`, and adds the term's scores to theirs. The term adds `bound` at
    /// most, and others `rest`.
    #[inline(always)]
    pub(super) fn add(&mut self, term: &mut Term, threshold: f64, bound: f64, rest: f64) {
        self.accumulators.keep_above(term.tier(), threshold - bound - rest);
        let has_it = self.sift(term, threshold - rest);
        let (doc_ids, sums) = self.accumulators.parts();
        let (mut kept, mut next) = (0, 0);
        for at in 0..doc_ids.len() {
            let (doc_id, mut score) = (doc_ids[at], sums[at]);
            let mut can_exceed = score + rest > threshold;
            if has_it.may_contain(&self.present, &mut next, doc_id)
                && let Some(block) = term.seek(doc_id)
            {
                if score + f64::from(term.block_max(block)) + rest <= threshold {
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
    /// a sum above `alone`; keeps all if neither can be done.
    #[inline(always)]
    fn sift<'s>(&mut self, term: &mut Term<'s>, alone: f64) -> Presence<'s> {
        if let Some(bits) = term.bits() {
            self.accumulators.keep_in(term.tier(), 0, bits, alone);
            return Presence::Bits(bits);
        }
        if !self.look_up(term) {
            return Presence::Unknown;
        }
        self.accumulators.keep_found(term.tier(), &self.present, alone);
        Presence::LookedUp
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

/// From this many on, candidates are looked up together.
const MANY: usize = 4;
