//! [`Candidates`]: documents that may become hits, ascending, with the scores of the terms seen so far.

use super::clause::Clause;
use super::collector::Collector;
use super::term::Term;
use crate::index::list::has;

/// Documents that may become hits.
#[derive(Default)]
pub(super) struct Candidates {
    doc_ids: Vec<u32>,
    scores: Vec<f64>,
    len: usize,
    /// Those that a list contains.
    present: Vec<u32>,
    /// The frequencies, less 1, of those found in a list; which these are, where they stand, and their scores.
    less_one: Vec<u32>,
    found: Vec<u32>,
    found_at: Vec<u32>,
    more: Vec<f64>,
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
        if least == f64::NEG_INFINITY {
            return;
        }
        let mut kept = 0;
        for at in 0..self.len {
            let (doc_id, score) = (self.doc_ids[at], self.scores[at]);
            self.doc_ids[kept] = doc_id;
            self.scores[kept] = score;
            kept += usize::from(score > least);
        }
        self.len = kept;
    }

    /// Keeps the candidates that have the clause and can still exceed `threshold`. The clause adds `bound` at most, and the
    /// rest of the clauses `rest`.
    #[inline(always)]
    pub(super) fn require(&mut self, clause: &mut Clause, threshold: f64, bound: f64, rest: f64) {
        self.cut(threshold - bound - rest);
        if let [term] = &mut clause.terms[..] {
            return self.require_term(term, threshold, rest);
        }
        let mut kept = 0;
        for at in 0..self.len {
            let (doc_id, mut score) = (self.doc_ids[at], self.scores[at]);
            let mut bound = score + rest;
            for term in &mut clause.terms {
                if let Some(block) = term.seek(doc_id) {
                    bound += f64::from(term.block_max(block));
                }
            }
            if bound <= threshold {
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

    /// Finds the candidates that the list of a term contains, if that can be done faster than one by one.
    #[inline(always)]
    fn look_up(&mut self, term: &mut Term) -> bool {
        if self.len < MANY {
            return false;
        }
        self.present.clear();
        self.present.extend_from_slice(&self.doc_ids[..self.len]);
        let Some(count) = term.retain(&mut self.present) else { return false };
        self.present.truncate(count);
        // Ends the search of the last one.
        self.present.push(u32::MAX);
        true
    }

    /// [`require`](Self::require) for a clause of one term.
    #[inline(always)]
    fn require_term(&mut self, term: &mut Term, threshold: f64, rest: f64) {
        let has_it = self.presence(term);
        let any_score = threshold == f64::NEG_INFINITY;
        self.less_one.clear();
        self.less_one.reserve(self.len);
        let (mut kept, mut next) = (0, 0);
        for at in 0..self.len {
            let (doc_id, score) = (self.doc_ids[at], self.scores[at]);
            if !has_it.may_contain(&self.present, &mut next, doc_id) {
                continue;
            }
            let Some(block) = term.seek(doc_id) else { break };
            if !any_score && score + f64::from(term.block_max(block)) + rest <= threshold {
                continue;
            }
            if let Some(less_one) = term.less_one_in(block, doc_id) {
                (self.doc_ids[kept], self.scores[kept]) = (doc_id, score);
                self.less_one.push(less_one);
                kept += 1;
            }
        }
        self.len = kept;
        term.scorer().add(term.tier(), &self.doc_ids[..kept], &self.less_one, &mut self.scores[..kept]);
    }

    /// Keeps the candidates that can still exceed `threshold`, and adds the term's scores to theirs. The term adds `bound` at
    /// most, and others `rest`.
    #[inline(always)]
    pub(super) fn add(&mut self, term: &mut Term, threshold: f64, bound: f64, rest: f64) {
        self.cut(threshold - bound - rest);
        let has_it = self.presence(term);
        self.less_one.clear();
        self.found.clear();
        self.found_at.clear();
        let (mut kept, mut next) = (0, 0);
        for at in 0..self.len {
            let (doc_id, score) = (self.doc_ids[at], self.scores[at]);
            (self.doc_ids[kept], self.scores[kept]) = (doc_id, score);
            let mut can_exceed = score + rest > threshold;
            if has_it.may_contain(&self.present, &mut next, doc_id)
                && let Some(block) = term.seek(doc_id)
            {
                if score + f64::from(term.block_max(block)) + rest <= threshold {
                    continue;
                }
                if let Some(less_one) = term.less_one_in(block, doc_id) {
                    self.less_one.push(less_one);
                    self.found.push(doc_id);
                    self.found_at.push(kept as u32);
                    can_exceed = true;
                }
            }
            kept += usize::from(can_exceed);
        }
        self.len = kept;
        if self.found.is_empty() {
            return;
        }
        self.more.clear();
        self.more.resize(self.found.len(), 0.0);
        term.scorer().add(term.tier(), &self.found, &self.less_one, &mut self.more);
        for (&at, more) in self.found_at.iter().zip(&self.more) {
            self.scores[at as usize] += more;
        }
    }

    /// How to find out whether a candidate has the term: by its bit set, or by looking all up at once.
    #[inline(always)]
    fn presence<'s>(&mut self, term: &mut Term<'s>) -> Presence<'s> {
        if let Some(bits) = term.bits() {
            return Presence::Bits(bits);
        }
        if self.look_up(term) { Presence::LookedUp } else { Presence::Unknown }
    }

    #[inline(always)]
    pub(super) fn offer(&self, collector: &mut Collector) {
        for (&doc_id, &score) in self.doc_ids[..self.len].iter().zip(&self.scores) {
            collector.offer(doc_id, score);
        }
    }
}

/// From this many on, candidates are looked up together.
const MANY: usize = 4;
