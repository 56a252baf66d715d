//! Hits in the order of fields, ids or scores, or of insertion.

use super::Index;
use super::condition::EVERYTHING;
use super::cursors::of_segment;
use super::options::Options;
use super::order::{Direction, SortKey, SortValue};
use super::plan::QueryPlan;
use super::sort::{self, Reader};
use super::walk::{Walk, Wanted};
use crate::base::bits::has_bit;
use crate::base::cpu;
use crate::base::error::Result;
use crate::index::segment::Column;
use crate::index::snapshot::SnapshotSegment;
use crate::rank::clause::{Clause, deciding};
use crate::rank::{Clock, Hit, few, found};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The first `wanted` hits in the order that the options say, or of insertion; with their scores.
///
/// Keys that are numbers are those of all segments. Values of keyword fields, and ids, have numbers in their segment only: so
/// the first hits of each segment are found by these, and those of all by the values.
pub(super) fn sorted(
    index: &Index,
    plan: &QueryPlan,
    options: &Options,
    needs_all: bool,
    wanted: usize,
    clock: &Clock,
) -> Result<Vec<Hit>> {
    let parts = index.snapshot().parts();
    let is_local = parts.len() > 1 && options.sort.iter().any(|&(key, _)| sort::is_local(index, key));
    let after = match &options.after {
        Some(after) => Some((after, sort::ordinal(index, after.doc_id)?)),
        None => None,
    };
    let has_scores = options.sort.iter().any(|&(key, _)| key == SortKey::Score) && !plan.clauses.is_empty();
    let mut top = Sorted::new(options, wanted);
    let mut of_segments: Vec<(Vec<SortValue>, Hit)> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let cursors = || -> Result<_> {
            let of_segment = of_segment(plan, part, number, options, needs_all, clock)?;
            Ok(of_segment.map(|(clauses, restriction)| (deciding(clauses), restriction)))
        };
        let Some((clauses, restriction)) = cursors()? else { continue };
        // Scores are asked for after the cursors of the clauses have gone on.
        let scored = match has_scores {
            true => of_segment(plan, part, number, options, false, clock)?.map(|(clauses, _)| clauses),
            false => None,
        };
        let offers = Offers::new(part, number, options, scored.unwrap_or_default())?;
        top.after = match after {
            // Without keys, or of a query without words, only the order of insertion counts.
            Some((after, ordinal)) => Some((sort::keys_after(part, options, after, clock)?, ordinal)),
            None => None,
        };
        // Scores are of documents that ascend, and what is put together among other documents is so once.
        let walk = match (offers.numbers, &options.sort[..]) {
            (Some(numbers), [(SortKey::Field(field), _), ..]) if !has_scores && plan.rarest_first.is_none() => {
                let from = top.after.as_ref().map_or(f64::NEG_INFINITY, |(keys, _)| keys[0]);
                let wanted = Wanted {
                    clauses: &clauses,
                    restriction: &restriction,
                    range: options.filter.condition().map_or(EVERYTHING, |condition| condition.range_of(*field)),
                    hits: wanted,
                    from,
                };
                Walk::new(numbers, || part.segment.in_order(*field), &wanted)?
            }
            _ => None,
        };
        // Cursors go through the segment once.
        let mut unused = Some((clauses, restriction));
        let mut cursors = || match unused.take() {
            Some(unused) => Ok(Some(unused)),
            None => cursors(),
        };
        // Whether a walk found all hits, or which documents it came to before it gave up.
        let (mut is_done, mut walked) = (false, None);
        if let Some(mut walk) = walk {
            let mut doc_ids = Vec::new();
            while !top.is_after(&walk, &offers) && walk.next(&mut doc_ids) {
                let Some((clauses, mut restriction)) = cursors()? else { break };
                few::matching(cpu::tier(), &mut doc_ids, clauses, &mut restriction, clock);
                doc_ids.iter().for_each(|&doc_id| offers.offer(&mut top, doc_id));
                top.cut();
            }
            is_done = top.is_after(&walk, &offers);
            #[cfg(test)]
            super::tests::walk::ENDS.with_borrow_mut(|ends| ends.push((walk.has_begun(), is_done)));
            if !is_done {
                walked = Some(walk.walked()?);
            }
        }
        if !is_done && let Some((clauses, mut restriction)) = cursors()? {
            let documents = part.segment.documents();
            let found = found::found(cpu::tier(), documents, clauses, &mut restriction, clock)?;
            // In order of insertion the first ones are enough.
            let _ = found.try_for_each(|doc_id| {
                if offers.ordinals.is_none() && top.is_full() {
                    return ControlFlow::Break(());
                }
                if walked.as_ref().is_none_or(|walked| !has_bit(walked, doc_id)) {
                    offers.offer(&mut top, doc_id);
                }
                ControlFlow::Continue(())
            });
        }
        clock.check()?;
        if is_local {
            for (keys, hit) in top.take() {
                clock.check()?;
                of_segments.push((sort::values_of(&part.segment, options, &hit, &keys)?, hit));
            }
        }
    }
    let mut hits = match is_local {
        false => top.into_hits(),
        true => {
            let directions = options.sort.iter().map(|&(_, direction)| direction);
            of_segments.sort_unstable_by(|a, b| {
                sort::compare(&a.0, &b.0, directions.clone()).then_with(|| a.1.ordinal.cmp(&b.1.ordinal))
            });
            of_segments.truncate(wanted);
            of_segments.into_iter().map(|(_, hit)| hit).collect()
        }
    };
    if !plan.clauses.is_empty() {
        score(index, plan, options, &mut hits, clock)?;
    }
    Ok(hits)
}

/// What makes hits of a segment's documents.
struct Offers<'s> {
    options: &'s Options,
    number: u32,
    base: u64,
    ordinals: Option<&'s [u32]>,
    readers: Vec<Reader<'s>>,
    /// What most sorts begin with is read without asking each time what it is.
    numbers: Option<(Column<'s>, Direction)>,
    scored: RefCell<Vec<Clause<'s>>>,
}

impl<'s> Offers<'s> {
    fn new(
        part: &'s SnapshotSegment,
        number: usize,
        options: &'s Options,
        scored: Vec<Clause<'s>>,
    ) -> Result<Offers<'s>> {
        let readers = options.sort.iter().map(|&(key, _)| Reader::new(&part.segment, key));
        let readers = readers.collect::<Result<Vec<Reader>>>()?;
        let numbers = match (&readers[..], &options.sort[..]) {
            ([Reader::Number(column), ..], [(_, direction), ..]) if !column.has_several() => {
                Some((*column, *direction))
            }
            _ => None,
        };
        let ordinals = part.segment.kept_ordinals()?;
        let scored = RefCell::new(scored);
        Ok(Offers { options, number: number as u32, base: part.base, ordinals, readers, numbers, scored })
    }

    #[inline(always)]
    fn ordinal(&self, doc_id: u32) -> u64 {
        self.base + u64::from(self.ordinals.map_or(doc_id, |ordinals| ordinals[doc_id as usize]))
    }

    /// Takes a document that matches. docIDs must not decrease if scores are asked for.
    #[inline(always)]
    fn offer(&self, top: &mut Sorted, doc_id: u32) {
        let score = || score_of(&mut self.scored.borrow_mut(), doc_id);
        let first_key = match &self.numbers {
            Some((column, direction)) => sort::directed(column.get(doc_id), *direction),
            None => self
                .readers
                .first()
                .map_or(f64::NEG_INFINITY, |reader| reader.first_key(doc_id, self.options.sort[0].1, top.worst, score)),
        };
        if first_key > top.worst {
            return;
        }
        let hit = Hit { score: 0.0, ordinal: self.ordinal(doc_id), segment: self.number, doc_id };
        let keys = self.readers.iter().zip(&self.options.sort).enumerate();
        let keys = keys.map(|(at, (reader, (_, direction)))| match at {
            0 => first_key,
            _ => reader.key(doc_id, *direction, score),
        });
        top.push(hit, keys);
    }
}

/// The score of a document. docIDs must not decrease.
fn score_of(clauses: &mut [Clause], doc_id: u32) -> f64 {
    let terms = clauses.iter_mut().flat_map(|clause| &mut clause.terms);
    terms.filter_map(|term| term.probe(doc_id)).map(f64::from).sum()
}

/// The first hits by some numbers.
struct Sorted<'o> {
    options: &'o Options,
    wanted: usize,
    /// Keys, smaller ones first, and hits: up to [`room`](Self::room), of which the first are kept now and then.
    hits: Vec<(Vec<f64>, Hit)>,
    /// What a hit must come before.
    last: Option<(Vec<f64>, u64)>,
    /// Its first key: a greater one comes too late, whatever the others are.
    worst: f64,
    /// What a hit must come after.
    after: Option<(Vec<f64>, u64)>,
    keys: Vec<f64>,
}

/// The order of hits with these keys and ordinals.
fn order(a: (&[f64], u64), b: (&[f64], u64)) -> Ordering {
    let keys = a.0.iter().zip(b.0).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    keys.unwrap_or_else(|| a.1.cmp(&b.1))
}

fn of_hits(a: &(Vec<f64>, Hit), b: &(Vec<f64>, Hit)) -> Ordering {
    order((&a.0, a.1.ordinal), (&b.0, b.1.ordinal))
}

impl<'o> Sorted<'o> {
    fn new(options: &'o Options, wanted: usize) -> Self {
        Sorted { options, wanted, hits: Vec::new(), last: None, worst: f64::INFINITY, after: None, keys: Vec::new() }
    }

    fn room(&self) -> usize {
        2 * self.wanted + 100
    }

    /// Whether hits that come later in order of insertion cannot be among the first any more.
    fn is_full(&self) -> bool {
        self.options.sort.is_empty() && self.hits.len() >= self.wanted
    }

    fn push(&mut self, hit: Hit, keys: impl Iterator<Item = f64>) {
        self.keys.clear();
        self.keys.extend(keys);
        let compared = |other: &(Vec<f64>, u64)| order((&self.keys, hit.ordinal), (&other.0, other.1));
        if self.last.as_ref().is_some_and(|last| compared(last).is_gt())
            || self.after.as_ref().is_some_and(|after| compared(after).is_le())
        {
            return;
        }
        self.hits.push((self.keys.clone(), hit));
        if self.hits.len() >= self.room() {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.hits.len() >= self.wanted && self.wanted > 0 {
            let (_, last, _) = self.hits.select_nth_unstable_by(self.wanted - 1, of_hits);
            self.worst = last.0.first().copied().unwrap_or(f64::INFINITY);
            self.last = Some((last.0.clone(), last.1.ordinal));
        }
        self.hits.truncate(self.wanted);
    }

    /// Whether nothing that a walk has not come to can be among the first.
    fn is_after(&self, walk: &Walk, offers: &Offers) -> bool {
        let next = walk.peek();
        if next.is_none() && walk.is_in_range() {
            return true;
        }
        let Some((last, ordinal)) = &self.last else { return false };
        match next {
            Some((_, key)) if key != self.worst => key > self.worst,
            Some((doc_id, _)) => last.len() == 1 && offers.ordinal(doc_id) > *ordinal,
            // Those without a number come last.
            None => self.worst < f64::INFINITY,
        }
    }

    /// The first hits so far, in any order; none remain.
    fn take(&mut self) -> Vec<(Vec<f64>, Hit)> {
        self.cut();
        (self.last, self.worst) = (None, f64::INFINITY);
        std::mem::take(&mut self.hits)
    }

    fn into_hits(mut self) -> Vec<Hit> {
        self.cut();
        self.hits.sort_unstable_by(of_hits);
        self.hits.into_iter().map(|(_, hit)| hit).collect()
    }
}

/// Fills in the scores of hits.
fn score(index: &Index, plan: &QueryPlan, options: &Options, hits: &mut [Hit], clock: &Clock) -> Result<()> {
    let mut scores: HashMap<(u32, u32), f64> = HashMap::new();
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        let mut doc_ids: Vec<u32> =
            hits.iter().filter(|hit| hit.segment == number as u32).map(|hit| hit.doc_id).collect();
        if doc_ids.is_empty() {
            continue;
        }
        doc_ids.sort_unstable();
        let Some((mut clauses, _)) = of_segment(plan, part, number, options, false, clock)? else { continue };
        for doc_id in doc_ids {
            scores.insert((number as u32, doc_id), score_of(&mut clauses, doc_id));
        }
    }
    for hit in hits {
        hit.score = scores.get(&(hit.segment, hit.doc_id)).copied().unwrap_or(0.0);
    }
    Ok(())
}
