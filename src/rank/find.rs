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
//!   several leading terms are added up in an array of [`WINDOW`] documents.
//!
//! Scores are sums of `f32` in `f64`. Such sums are exact as long as the largest addend is not 2^29 times the smallest,
//! so that the order of addition does not matter.

use super::collector::Collector;
use super::term::Term;

/// Documents whose scores are added up at a time.
const WINDOW: usize = 4096;

/// A part of a query: a word in each field that it is searched in. A document has the clause if it has one of the terms.
pub struct Clause<'s> {
    /// The terms; at least one.
    pub terms: Vec<Term<'s>>,
}

impl Clause<'_> {
    fn postings(&self) -> usize {
        self.terms.iter().map(Term::len).sum()
    }
}

/// Documents that may become hits, ascending, with the scores of the terms seen so far.
#[derive(Default)]
struct Candidates {
    doc_ids: Vec<u32>,
    scores: Vec<f64>,
}

impl Candidates {
    fn clear(&mut self) {
        self.doc_ids.clear();
        self.scores.clear();
    }

    #[inline]
    fn push(&mut self, doc_id: u32, score: f64) {
        self.doc_ids.push(doc_id);
        self.scores.push(score);
    }

    /// Keeps the candidates for which `change` returns a new score.
    #[inline]
    fn retain(&mut self, mut change: impl FnMut(u32, f64) -> Option<f64>) {
        let mut kept = 0;
        for at in 0..self.doc_ids.len() {
            let doc_id = self.doc_ids[at];
            if let Some(score) = change(doc_id, self.scores[at]) {
                self.doc_ids[kept] = doc_id;
                self.scores[kept] = score;
                kept += 1;
            }
        }
        self.doc_ids.truncate(kept);
        self.scores.truncate(kept);
    }

    fn offer(&self, collector: &mut Collector) {
        for (&doc_id, &score) in self.doc_ids.iter().zip(&self.scores) {
            collector.offer(doc_id, score);
        }
    }
}

/// The sum of bounds, as `f64`.
fn sum(bounds: &[f32]) -> f64 {
    bounds.iter().map(|&bound| f64::from(bound)).sum()
}

/// The best documents with all clauses.
pub fn all<'s>(mut clauses: Vec<Clause<'s>>, collector: &mut Collector<'_, 's>) {
    if clauses.is_empty() {
        return;
    }
    clauses.sort_by_key(Clause::postings);
    let (lead, others) = clauses.split_at_mut(1);
    let lead = &mut lead[0].terms;
    let mut leaders: Vec<usize> = (0..lead.len()).collect();
    let mut window = Window::new();
    let mut candidates = Candidates::default();
    // The bounds of the other clauses, and those of each and all that follow.
    let mut bounds = vec![0.0; others.len() + 1];
    let mut next = 0;
    while let Some((first, last)) = range(lead, &leaders, next) {
        next = last.saturating_add(1);
        let floor = collector.floor();
        let of_lead: f64 = leaders.iter().map(|&at| f64::from(lead[at].bound_between(first, last))).sum();
        for (at, clause) in others.iter_mut().enumerate().rev() {
            let of_clause: f64 = clause.terms.iter_mut().map(|term| f64::from(term.bound_between(first, last))).sum();
            bounds[at] = bounds[at + 1] + of_clause;
        }
        if of_lead + bounds[0] > floor {
            window.candidates(lead, &mut leaders, first, last, floor - bounds[0], collector, &mut candidates);
            for (at, clause) in others.iter_mut().enumerate() {
                if candidates.doc_ids.is_empty() {
                    break;
                }
                require(clause, &mut candidates, collector.floor(), bounds[at + 1]);
            }
            candidates.offer(collector);
        }
        if last == u32::MAX {
            break;
        }
    }
}

/// Keeps the candidates that have the clause and can still exceed `floor`, the rest of the clauses adding `rest` at most.
fn require(clause: &mut Clause, candidates: &mut Candidates, floor: f64, rest: f64) {
    if let [term] = &mut clause.terms[..] {
        return candidates.retain(|doc_id, score| {
            let block = term.seek(doc_id)?;
            if score + f64::from(term.bound(block)) + rest <= floor {
                return None;
            }
            Some(score + f64::from(term.probe(doc_id)?))
        });
    }
    candidates.retain(|doc_id, score| {
        let mut bound = score + rest;
        for term in &mut clause.terms {
            if let Some(block) = term.seek(doc_id) {
                bound += f64::from(term.bound(block));
            }
        }
        if bound <= floor {
            return None;
        }
        let (mut score, mut has) = (score, false);
        for term in &mut clause.terms {
            if let Some(more) = term.probe(doc_id) {
                score += f64::from(more);
                has = true;
            }
        }
        has.then_some(score)
    });
}

/// Keeps the candidates that can still exceed `floor`, and adds the term's scores to theirs.
fn add(term: &mut Term, candidates: &mut Candidates, floor: f64, rest: f64) {
    candidates.retain(|doc_id, score| {
        let Some(block) = term.seek(doc_id) else { return (score + rest > floor).then_some(score) };
        if score + f64::from(term.bound(block)) + rest <= floor {
            return None;
        }
        Some(score + term.probe(doc_id).map_or(0.0, f64::from))
    });
}

/// The next range of docIDs, from `next` on, in which a leading term has documents: as far as the bounds of its block
/// hold, but not too short.
fn range(terms: &mut [Term], leaders: &[usize], next: u32) -> Option<(u32, u32)> {
    let (mut first, mut last) = (u32::MAX, u32::MAX);
    let mut any = false;
    for &at in leaders {
        let term = &mut terms[at];
        if let Some(block) = term.seek(next) {
            any = true;
            first = first.min(term.first_possible(block).max(next));
            last = last.min(term.last(block));
        }
    }
    let short = if leaders.len() > 1 { WINDOW as u32 - 1 } else { 0 };
    any.then(|| (first, last.max(first.saturating_add(short))))
}

/// The best documents with any of the terms.
pub fn any<'s>(mut terms: Vec<Term<'s>>, collector: &mut Collector<'_, 's>) {
    terms.sort_by(|a, b| a.most().total_cmp(&b.most()));
    let mut window = Window::new();
    let mut candidates = Candidates::default();
    let mut bounds = vec![0.0f32; terms.len()];
    // Terms by the bound of the range, and the sums of the bounds up to each.
    let mut order: Vec<usize> = (0..terms.len()).collect();
    let mut sums = vec![0.0f64; terms.len() + 1];
    let all: Vec<usize> = order.clone();
    let most: Vec<f32> = terms.iter().map(Term::most).collect();
    let mut essential = 0;
    let mut next = 0;
    loop {
        let floor = collector.floor();
        while essential < terms.len() && sum(&most[..=essential]) <= floor {
            essential += 1;
        }
        let Some((first, last)) = range(&mut terms, &all[essential..], next) else { return };
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
            let (others, leaders) = order.split_at_mut(others);
            let rest = sums[others.len()];
            window.candidates(&mut terms, leaders, first, last, floor - rest, collector, &mut candidates);
            for (at, &term) in others.iter().enumerate().rev() {
                if candidates.doc_ids.is_empty() {
                    break;
                }
                add(&mut terms[term], &mut candidates, collector.floor(), sums[at]);
            }
            candidates.offer(collector);
        }
        if last == u32::MAX {
            return;
        }
    }
}

/// Adds up the scores of the leading terms.
struct Window {
    /// The scores of [`WINDOW`] documents; 0 between uses.
    scores: Box<[f64; WINDOW]>,
    /// Which of them have one.
    touched: [u64; WINDOW / 64],
}

impl Window {
    fn new() -> Window {
        Window { scores: vec![0.0; WINDOW].try_into().unwrap_or_else(|_| unreachable!()), touched: [0; WINDOW / 64] }
    }

    /// The documents in `first..=last` that have one of the leading terms with a score above `least` and that count.
    #[expect(clippy::too_many_arguments, reason = "one call in each of two loops")]
    fn candidates(
        &mut self,
        terms: &mut [Term],
        leaders: &mut [usize],
        first: u32,
        last: u32,
        least: f64,
        collector: &Collector,
        candidates: &mut Candidates,
    ) {
        candidates.clear();
        if let &mut [leader] = leaders {
            return one(&mut terms[leader], first, last, least, collector, candidates);
        }
        let mut next = first;
        while let Some((from, _)) = range(terms, leaders, next).filter(|&(from, _)| from <= last) {
            let to = from.saturating_add(WINDOW as u32 - 1).min(last);
            for &leader in &*leaders {
                self.add(&mut terms[leader], from, to);
            }
            self.take(from, least, collector, candidates);
            if to == last {
                break;
            }
            next = to + 1;
        }
    }

    /// Adds the scores of a term's documents in `from..=to`.
    fn add(&mut self, term: &mut Term, from: u32, to: u32) {
        let Some(mut block) = term.seek(from) else { return };
        while block < term.blocks() && term.first_possible(block) <= to {
            let (doc_ids, scores) = term.scored_block(block);
            let start = doc_ids.partition_point(|&doc_id| doc_id < from);
            for (&doc_id, &score) in doc_ids[start..].iter().zip(&scores[start..]) {
                if doc_id > to {
                    break;
                }
                let at = (doc_id - from) as usize % WINDOW;
                self.scores[at] += f64::from(score);
                self.touched[at / 64] |= 1 << (at % 64);
            }
            block += 1;
        }
    }

    /// Moves the documents with a score above `least` to the candidates, and clears all.
    fn take(&mut self, from: u32, least: f64, collector: &Collector, candidates: &mut Candidates) {
        for (at, touched) in self.touched.iter_mut().enumerate() {
            let mut bits = std::mem::take(touched);
            while bits != 0 {
                let place = 64 * at + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let score = std::mem::take(&mut self.scores[place]);
                let doc_id = from + place as u32;
                if score > least && collector.restriction.allows(doc_id) {
                    candidates.push(doc_id, score);
                }
            }
        }
    }
}

/// The documents of one term in `first..=last` with a score above `least` that count.
fn one(term: &mut Term, first: u32, last: u32, least: f64, collector: &Collector, candidates: &mut Candidates) {
    let Some(mut block) = term.seek(first) else { return };
    while block < term.blocks() && term.first_possible(block) <= last {
        if f64::from(term.bound(block)) > least {
            let (doc_ids, scores) = term.scored_block(block);
            let start = doc_ids.partition_point(|&doc_id| doc_id < first);
            for (&doc_id, &score) in doc_ids[start..].iter().zip(&scores[start..]) {
                if doc_id > last {
                    break;
                }
                let score = f64::from(score);
                if score > least && collector.restriction.allows(doc_id) {
                    candidates.push(doc_id, score);
                }
            }
        }
        block += 1;
    }
}
