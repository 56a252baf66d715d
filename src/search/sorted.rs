//! Hits in the order of numeric fields, or of insertion.

use super::Index;
use super::cursors::of_segment;
use super::options::{Direction, Options};
use super::plan::QueryPlan;
use crate::base::error::Result;
use crate::index::segment::Column;
use crate::rank::matching;
use crate::rank::{Clock, Hit};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The first `wanted` hits in the order of numeric fields, or of insertion; with their scores.
pub(super) fn sorted(
    index: &Index,
    plan: &QueryPlan,
    options: &Options,
    needs_all: bool,
    wanted: usize,
    clock: &Clock,
) -> Result<Vec<Hit>> {
    let mut top = Sorted::new(options, wanted);
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        let Some((mut clauses, mut restriction)) = of_segment(plan, part, number, options, needs_all, clock)? else {
            continue;
        };
        let needs_all = matching::only_required(&mut clauses, needs_all);
        let columns = options.sort.iter().map(|&(field, _)| part.segment.column(field));
        let columns = columns.collect::<Result<Vec<Column>>>()?;
        let ordinals = part.segment.kept_ordinals()?;
        matching::matching(
            part.segment.documents(),
            &mut clauses,
            needs_all,
            &mut restriction,
            clock,
            |first, bits| {
                if ordinals.is_none() && top.is_full() {
                    return;
                }
                matching::for_each_bit(first, bits, |doc_id| {
                    let ordinal = ordinals.map_or(doc_id, |ordinals| ordinals[doc_id as usize]);
                    let hit =
                        Hit { score: 0.0, ordinal: part.base + u64::from(ordinal), segment: number as u32, doc_id };
                    top.push(hit, columns.iter().map(|column| column.get(doc_id)));
                });
            },
        );
        clock.check()?;
    }
    let mut hits = top.into_hits();
    if !plan.clauses.is_empty() {
        score(index, plan, options, &mut hits, clock)?;
    }
    Ok(hits)
}

/// The first hits by some numbers.
struct Sorted<'o> {
    options: &'o Options,
    wanted: usize,
    /// Keys, smaller ones first, and hits: up to [`room`](Self::room), of which the first are kept now and then.
    hits: Vec<(Vec<f64>, Hit)>,
    /// What a hit must come before.
    last: Option<(Vec<f64>, u64)>,
    keys: Vec<f64>,
}

/// The order of hits with these keys and ordinals.
fn order(a: (&[f64], u64), b: (&[f64], u64)) -> Ordering {
    let keys = a.0.iter().zip(b.0).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    keys.unwrap_or_else(|| a.1.cmp(&b.1))
}

impl<'o> Sorted<'o> {
    fn new(options: &'o Options, wanted: usize) -> Self {
        Sorted { options, wanted, hits: Vec::new(), last: None, keys: Vec::new() }
    }

    fn room(&self) -> usize {
        2 * self.wanted + 100
    }

    /// Whether hits that come later in order of insertion cannot be among the first any more.
    fn is_full(&self) -> bool {
        self.options.sort.is_empty() && self.hits.len() >= self.wanted
    }

    fn push(&mut self, hit: Hit, numbers: impl Iterator<Item = Option<f64>>) {
        self.keys.clear();
        self.keys.extend(numbers.zip(&self.options.sort).map(|(number, (_, direction))| match (number, direction) {
            // Documents without a number come last in both directions.
            (None, _) => f64::INFINITY,
            // -0 is 0.
            (Some(number), Direction::Ascending) => number + 0.0,
            (Some(number), Direction::Descending) => 0.0 - number,
        }));
        if self.last.as_ref().is_some_and(|last| order((&self.keys, hit.ordinal), (&last.0, last.1)).is_gt()) {
            return;
        }
        self.hits.push((self.keys.clone(), hit));
        if self.hits.len() >= self.room() {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.hits.len() > self.wanted && self.wanted > 0 {
            let (_, last, _) = self
                .hits
                .select_nth_unstable_by(self.wanted - 1, |a, b| order((&a.0, a.1.ordinal), (&b.0, b.1.ordinal)));
            self.last = Some((last.0.clone(), last.1.ordinal));
        }
        self.hits.truncate(self.wanted);
    }

    fn into_hits(mut self) -> Vec<Hit> {
        self.cut();
        self.hits.sort_unstable_by(|a, b| order((&a.0, a.1.ordinal), (&b.0, b.1.ordinal)));
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
            let terms = clauses.iter_mut().flat_map(|clause| &mut clause.terms);
            scores.insert((number as u32, doc_id), terms.filter_map(|term| term.probe(doc_id)).map(f64::from).sum());
        }
    }
    for hit in hits {
        hit.score = scores.get(&(hit.segment, hit.doc_id)).copied().unwrap_or(0.0);
    }
    Ok(())
}
