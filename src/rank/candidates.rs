//! [`Candidates`]: documents that may become hits, ascending, with the scores of the terms seen so far.

use super::collector::Collector;
use super::find::Clause;
use super::term::Term;

/// Documents that may become hits.
#[derive(Default)]
pub(super) struct Candidates {
    doc_ids: Vec<u32>,
    scores: Vec<f64>,
    len: usize,
}

impl Candidates {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes room for `more` candidates.
    #[inline(always)]
    pub(super) fn reserve(&mut self, more: usize) {
        if self.doc_ids.len() < self.len + more {
            let room = (self.len + more).next_power_of_two();
            self.doc_ids.resize(room, 0);
            self.scores.resize(room, 0.0);
        }
    }

    /// Adds a document if `is_candidate`; there must be room.
    #[inline(always)]
    pub(super) fn push_if(&mut self, is_candidate: bool, doc_id: u32, score: f64) {
        self.doc_ids[self.len] = doc_id;
        self.scores[self.len] = score;
        self.len += usize::from(is_candidate);
    }

    /// Keeps the candidates with a score above `least`.
    #[inline(always)]
    fn cut(&mut self, least: f64) {
        let mut kept = 0;
        for at in 0..self.len {
            let (doc_id, score) = (self.doc_ids[at], self.scores[at]);
            self.doc_ids[kept] = doc_id;
            self.scores[kept] = score;
            kept += usize::from(score > least);
        }
        self.len = kept;
    }

    /// Keeps the candidates that have the clause and can still exceed `floor`. The clause adds `bound` at most, and the
    /// rest of the clauses `rest`.
    #[inline(always)]
    pub(super) fn require(&mut self, clause: &mut Clause, floor: f64, bound: f64, rest: f64) {
        self.cut(floor - bound - rest);
        if let [term] = &mut clause.terms[..] {
            return self.require_term(term, floor, rest);
        }
        let mut kept = 0;
        for at in 0..self.len {
            let (doc_id, mut score) = (self.doc_ids[at], self.scores[at]);
            let mut bound = score + rest;
            for term in &mut clause.terms {
                if let Some(block) = term.seek(doc_id) {
                    bound += f64::from(term.bound(block));
                }
            }
            if bound <= floor {
                continue;
            }
            let mut has_one = false;
            for term in &mut clause.terms {
                if let Some(more) = term.probe(doc_id) {
                    score += f64::from(more);
                    has_one = true;
                }
            }
            (self.doc_ids[kept], self.scores[kept]) = (doc_id, score);
            kept += usize::from(has_one);
        }
        self.len = kept;
    }

    /// [`require`](Self::require) for a clause of one term.
    #[inline(always)]
    fn require_term(&mut self, term: &mut Term, floor: f64, rest: f64) {
        let bits = term.bits();
        let mut kept = 0;
        for at in 0..self.len {
            let (doc_id, score) = (self.doc_ids[at], self.scores[at]);
            if bits.is_some_and(|bits| !has(bits, doc_id)) {
                continue;
            }
            let Some(block) = term.seek(doc_id) else { break };
            if score + f64::from(term.bound(block)) + rest <= floor {
                continue;
            }
            if let Some(more) = term.probe(doc_id) {
                (self.doc_ids[kept], self.scores[kept]) = (doc_id, score + f64::from(more));
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Keeps the candidates that can still exceed `floor`, and adds the term's scores to theirs. The term adds `bound` at
    /// most, and others `rest`.
    #[inline(always)]
    pub(super) fn add(&mut self, term: &mut Term, floor: f64, bound: f64, rest: f64) {
        self.cut(floor - bound - rest);
        let bits = term.bits();
        let mut kept = 0;
        for at in 0..self.len {
            let (doc_id, mut score) = (self.doc_ids[at], self.scores[at]);
            let may_have = bits.is_none_or(|bits| has(bits, doc_id));
            if may_have && let Some(block) = term.seek(doc_id) {
                if score + f64::from(term.bound(block)) + rest <= floor {
                    continue;
                }
                score += term.probe(doc_id).map_or(0.0, f64::from);
            }
            (self.doc_ids[kept], self.scores[kept]) = (doc_id, score);
            kept += usize::from(score + rest > floor);
        }
        self.len = kept;
    }

    #[inline(always)]
    pub(super) fn offer(&self, collector: &mut Collector) {
        for (&doc_id, &score) in self.doc_ids[..self.len].iter().zip(&self.scores) {
            collector.offer(doc_id, score);
        }
    }
}

/// Whether a bit set has a document, which is below its number of documents.
#[inline(always)]
pub(super) fn has(bits: &[u32], doc_id: u32) -> bool {
    bits[doc_id as usize / 32] >> (doc_id % 32) & 1 == 1
}
