//! [`Window`]: adds up the scores of several terms in a range of documents.

use super::accumulators::{Accumulators, GROUP};
use super::collector::{Collector, Restriction};
use super::score::Chosen;
use super::term::Term;
use crate::base::cpu::Tier;
use crate::index::segment::Allowed;
use std::sync::Arc;

/// Documents whose scores are added up at a time.
pub(super) const WINDOW: usize = 4096;

/// To look for a candidate in a list costs about as much as to add the scores of so many of its documents.
const ONE_BY_ONE: usize = 8;

/// After so many documents, those with a score that may suffice are counted anew.
const RECOUNT: usize = 1024;

/// From this many postings in a window on, all of its groups are looked at instead of those that were touched.
const DENSE: usize = 1024;

/// With fewer postings than this per window, on average, they are sorted instead of added up there.
const SPARSE: usize = 8;

/// All groups of a window.
const ALL: u64 = u64::MAX;

/// The scores of a range of documents.
pub(super) struct Window {
    /// A filter that is asked before scores.
    sieve: Option<Arc<Allowed>>,
    /// 0 for documents without a score; empty until several terms lead.
    scores: Vec<f64>,
    /// Which groups of them have any.
    touched: u64,
    /// Postings that are sorted: the docID in the upper half, the bits of the score in the lower one.
    postings: Vec<u64>,
    chosen: Chosen,
    /// How many scores exceeded what was needed lately, in 1/256.
    above: usize,
}

impl Window {
    pub(super) fn new(restriction: &Restriction) -> Window {
        let sieve = restriction.sieve().cloned();
        Window { sieve, scores: Vec::new(), touched: 0, postings: Vec::new(), chosen: Chosen::default(), above: 256 }
    }

    /// Adds the documents in `first..=last` that have one of the leading terms with a score above `least` and that count.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one call in each of three loops")]
    pub(super) fn candidates(
        &mut self,
        terms: &mut [Term],
        leads: &[usize],
        bit_sets: &[&[u32]],
        first: u32,
        last: u32,
        least: f64,
        collector: &Collector,
        candidates: &mut Accumulators,
    ) {
        if let &[lead] = leads {
            return self.one(&mut terms[lead], bit_sets, first, last, least, collector, candidates);
        }
        let windows = (last - first) as usize / WINDOW + 1;
        if expected(terms, leads, first, last) < SPARSE * windows {
            return self.sparse(terms, leads, first, last, least, collector, candidates);
        }
        if self.scores.is_empty() {
            self.scores.resize(WINDOW, 0.0);
        }
        let (tier, mut next) = (terms[0].tier(), first);
        while let Some((from, _)) = range(terms, leads, next).filter(|&(from, _)| from <= last) {
            let to = from.saturating_add(WINDOW as u32 - 1).min(last);
            let expected = expected(terms, leads, from, to);
            for &lead in leads {
                let term = &mut terms[lead];
                match self.sieve {
                    Some(_) => self.add_sifted(term, from, to),
                    None if expected < DENSE => self.add::<true>(term, from, to),
                    None => self.add::<false>(term, from, to),
                }
            }
            self.take(tier, from, least, collector, candidates);
            if to == last {
                break;
            }
            next = to + 1;
        }
    }

    /// The same for several terms with few postings in the range.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one call")]
    fn sparse(
        &mut self,
        terms: &mut [Term],
        leads: &[usize],
        first: u32,
        last: u32,
        least: f64,
        collector: &Collector,
        candidates: &mut Accumulators,
    ) {
        self.postings.clear();
        for &lead in leads {
            let term = &mut terms[lead];
            let Some(mut block) = term.seek(first) else { continue };
            while block < term.blocks() && term.first_possible(block) <= last {
                let (doc_ids, scores) = term.scored_block(block);
                let within = within(doc_ids, first, last);
                let postings = doc_ids[within.clone()].iter().zip(&scores[within]);
                let number = |(&doc_id, score): (&u32, &f32)| u64::from(doc_id) << 32 | u64::from(score.to_bits());
                self.postings.extend(postings.map(number));
                block += 1;
            }
        }
        self.postings.sort_unstable();
        let before = candidates.len();
        candidates.reserve(self.postings.len());
        for of_document in self.postings.chunk_by(|a, b| a >> 32 == b >> 32) {
            let sum = of_document.iter().map(|&posting| f64::from(f32::from_bits(posting as u32))).sum();
            candidates.push_if(sum > needed(least), (of_document[0] >> 32) as u32, sum);
        }
        keep_allowed(candidates, before, collector);
    }

    /// The same for many terms, in a range of a window at most. `order` are terms by their upper bounds there, of which `sums` are
    /// the sums, and the first `left` need not be looked at to find candidates. Of these, those come too, the greatest bounds first, whose
    /// documents cost less than the candidates would, one by one. Returns how many are left: the scores of the others are in
    /// the candidates.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one call")]
    pub(super) fn candidates_of_many(
        &mut self,
        terms: &mut [Term],
        order: &[usize],
        sums: &[f64],
        mut left: usize,
        (first, last): (u32, u32),
        threshold: f64,
        collector: &Collector,
        candidates: &mut Accumulators,
    ) -> usize {
        self.scores.resize(WINDOW, 0.0);
        for &at in &order[left..] {
            self.add::<false>(&mut terms[at], first, last);
        }
        loop {
            let least = needed(threshold - sums[left]);
            let above = self.scores.iter().filter(|&&score| score > least).count();
            let (before, mut added) = (left, 0);
            while left > 0 && above > 0 && added < RECOUNT {
                let term = &mut terms[order[left - 1]];
                let expected = term.expected(first, last);
                if expected > ONE_BY_ONE * above {
                    break;
                }
                self.add::<false>(term, first, last);
                added += expected;
                left -= 1;
            }
            if left == before {
                break;
            }
        }
        self.take(terms[0].tier(), first, threshold - sums[left], collector, candidates);
        left
    }

    /// Whether a filter is asked before scores.
    pub(super) fn has_sieve(&self) -> bool {
        self.sieve.is_some()
    }

    /// Adds the scores of a term's documents in `from..=to`, and notes which groups these are, or all of them.
    #[inline(always)]
    fn add<const TOUCH: bool>(&mut self, term: &mut Term, from: u32, to: u32) {
        let Some(mut block) = term.seek(from) else { return };
        let mut touched = if TOUCH { self.touched } else { ALL };
        let sums: &mut [f64; WINDOW] = (&mut self.scores[..WINDOW]).try_into().unwrap_or_else(|_| unreachable!());
        while block < term.blocks() && term.first_possible(block) <= to {
            let (doc_ids, scores) = term.scored_block(block);
            let within = within(doc_ids, from, to);
            for (&doc_id, &score) in doc_ids[within.clone()].iter().zip(&scores[within]) {
                let at = (doc_id - from) as usize % WINDOW;
                sums[at] += f64::from(score);
                if TOUCH {
                    touched |= 1 << (at / GROUP);
                }
            }
            block += 1;
        }
        self.touched = touched;
    }

    /// The same, of documents that pass the sieve.
    #[inline(always)]
    fn add_sifted(&mut self, term: &mut Term, from: u32, to: u32) {
        let (Some(sieve), Some(mut block)) = (&self.sieve, term.seek(from)) else { return };
        let tier = term.tier();
        let chosen = &mut self.chosen;
        while block < term.blocks() && term.first_possible(block) <= to {
            let doc_ids = term.load(block);
            let within = within(doc_ids, from, to);
            chosen.take_all(doc_ids, within.start, within.end);
            chosen.keep_in(tier, sieve.words());
            if chosen.len >= FEW {
                term.score_block(block);
            }
            for &index in &chosen.indices[..chosen.len] {
                let (doc_id, score) = term.scored_at(block, index as usize);
                let at = (doc_id - from) as usize % WINDOW;
                self.scores[at] += f64::from(score);
                self.touched |= 1 << (at / GROUP);
            }
            block += 1;
        }
    }

    /// Moves the documents with a score above `least` that count to the candidates, and clears all.
    #[inline(always)]
    fn take(&mut self, tier: Tier, from: u32, least: f64, collector: &Collector, candidates: &mut Accumulators) {
        const { assert!(WINDOW / GROUP == u64::BITS as usize) };
        let groups = std::mem::take(&mut self.touched);
        let before = candidates.len();
        candidates.take_above(tier, from, self.scores.as_chunks_mut().0, groups, needed(least));
        keep_allowed(candidates, before, collector);
    }
}

/// What sums must exceed that need to be above `least`. Documents without a score have 0, which is no score: all are positive.
#[inline(always)]
fn needed(least: f64) -> f64 {
    least.max(0.0)
}

/// Keeps, from the one at `from` on, the candidates that count.
#[inline(always)]
pub(super) fn keep_allowed(candidates: &mut Accumulators, from: usize, collector: &Collector) {
    if collector.restriction.has_sets() {
        candidates.keep_if(from, |doc_id, _| collector.restriction.allows(doc_id));
    }
}

/// About how many postings of some terms are in `from..=to`.
#[inline(always)]
pub(super) fn expected(terms: &mut [Term], of: &[usize], from: u32, to: u32) -> usize {
    of.iter().map(|&at| terms[at].expected(from, to)).sum()
}

/// The next range of docIDs, from `next` on, in which a leading term has documents: as far as the bounds of its block
/// hold, but not too short.
#[inline(always)]
pub(super) fn range(terms: &mut [Term], leads: &[usize], next: u32) -> Option<(u32, u32)> {
    let (mut first, mut last) = (u32::MAX, u32::MAX);
    let mut any = false;
    for &at in leads {
        let term = &mut terms[at];
        if let Some(block) = term.seek(next) {
            any = true;
            first = first.min(term.first_possible(block).max(next));
            last = last.min(term.last(block));
        }
    }
    let short = if leads.len() > 1 { WINDOW as u32 - 1 } else { 0 };
    any.then(|| (first, last.max(first.saturating_add(short))))
}

/// The indices of the docIDs in `from..=to`.
#[inline(always)]
pub(super) fn within(doc_ids: &[u32], from: u32, to: u32) -> std::ops::Range<usize> {
    let start = match doc_ids.first() {
        Some(&lowest) if lowest < from => doc_ids.partition_point(|&doc_id| doc_id < from),
        _ => 0,
    };
    let end = match doc_ids.last() {
        Some(&highest) if highest > to => doc_ids.partition_point(|&doc_id| doc_id <= to),
        _ => doc_ids.len(),
    };
    start..end.max(start)
}

impl Window {
    /// The documents of one term in `first..=last` with a score above `least` that count and are in all `bit_sets`.
    ///
    /// If most scores exceed `least`, bit sets come first, so that fewer documents are scored; otherwise scores, as the
    /// bit sets then have less to do.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one call")]
    fn one(
        &mut self,
        term: &mut Term,
        bit_sets: &[&[u32]],
        first: u32,
        last: u32,
        least: f64,
        collector: &Collector,
        candidates: &mut Accumulators,
    ) {
        let Some(mut block) = term.seek(first) else { return };
        let tier = term.tier();
        let restricted = collector.restriction.has_sets();
        let chosen = &mut self.chosen;
        while block < term.blocks() && term.first_possible(block) <= last {
            if least == f64::NEG_INFINITY || f64::from(term.block_max(block)) > least {
                let doc_ids = term.load(block);
                let range = within(doc_ids, first, last);
                let scores_first = self.above < ABOVE || bit_sets.is_empty();
                if self.sieve.is_none() && scores_first && range.len() >= FEW {
                    let (before, asked) = (candidates.len(), range.len());
                    let (doc_ids, scores) = term.scored_block(block);
                    candidates.push_above(tier, &doc_ids[range.clone()], &scores[range], least);
                    bit_sets.iter().for_each(|bits| candidates.keep_in(tier, before, bits, f64::INFINITY));
                    keep_allowed(candidates, before, collector);
                    self.above = (7 * self.above + 256 * (candidates.len() - before) / asked) / 8;
                    block += 1;
                    continue;
                }
                chosen.take_all(doc_ids, range.start, range.end);
                if let Some(sieve) = &self.sieve {
                    chosen.keep_in(tier, sieve.words());
                }
                if !scores_first {
                    bit_sets.iter().for_each(|bits| chosen.keep_in(tier, bits));
                }
                let asked = chosen.len;
                if asked >= FEW || term.is_scored(block) {
                    chosen.keep_above(tier, term.score_block(block), least);
                    if scores_first {
                        bit_sets.iter().for_each(|bits| chosen.keep_in(tier, bits));
                    }
                    let (_, scores) = term.scored_block(block);
                    candidates.reserve(chosen.len);
                    for at in 0..chosen.len {
                        let (doc_id, index) = (chosen.doc_ids[at], chosen.indices[at]);
                        let counts = !restricted || collector.restriction.allows(doc_id);
                        candidates.push_if(counts, doc_id, scores[index as usize].into());
                    }
                    // A running average, in 1/256.
                    if let Some(share) = (256 * chosen.len).checked_div(asked) {
                        self.above = (7 * self.above + share) / 8;
                    }
                } else {
                    candidates.reserve(chosen.len);
                    for at in 0..chosen.len {
                        let (doc_id, score) = term.scored_at(block, chosen.indices[at] as usize);
                        let counts = !restricted || collector.restriction.allows(doc_id);
                        candidates.push_if(counts && f64::from(score) > least, doc_id, score.into());
                    }
                }
            }
            block += 1;
        }
    }
}

/// Fewer documents of a block than this are scored one by one.
const FEW: usize = 24;

/// Bit sets come first if more scores than this, in 1/256, exceed what is needed.
const ABOVE: usize = 100;
