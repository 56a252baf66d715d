//! Searching, counting, sorting, facets: a plan is carried out segment by segment.

use super::options::{Direction, Matching, Options};
use super::plan::{Plan, Weighted};
use super::{Found, FoundHit, Index, filter, lists, words};
use crate::base::cpu;
use crate::base::error::{Error, Result};
use crate::index::Kind;
use crate::index::segment::{Column, Ids};
use crate::index::snapshot::SnapshotSegment;
use crate::rank::clause::Clause;
use crate::rank::collector::{Collector, Restriction};
use crate::rank::find;
use crate::rank::matching;
use crate::rank::score::Scorer;
use crate::rank::term::Term;
use crate::rank::{Hit, Norms, TopK};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

pub(super) fn search(index: &Index, text: &str, options: &Options) -> Result<Found> {
    filter::check(index, options)?;
    let plan = Plan::new(index, text, options)?;
    let live = usize::try_from(index.documents()).unwrap_or(usize::MAX);
    let wanted = options.offset.saturating_add(options.limit).min(live);
    let mut found = Found::default();
    if plan.nothing || wanted == 0 {
        found.total =
            options.total.then(|| if plan.nothing { Ok(0) } else { count_plan(index, &plan, options) }).transpose()?;
        return Ok(found);
    }
    let mut hits = top(index, &plan, options, options.matching != Matching::Any, wanted)?;
    let then_any = options.matching == Matching::AllThenAny && hits.len() < wanted;
    if then_any {
        let has: HashSet<(u32, u32)> = hits.iter().map(|hit| (hit.segment, hit.doc_id)).collect();
        let any = top(index, &plan, options, false, wanted)?;
        hits.extend(any.into_iter().filter(|hit| !has.contains(&(hit.segment, hit.doc_id))));
        hits.truncate(wanted);
    }
    if options.total {
        found.total = Some(match hits.len() < wanted {
            // There are no more.
            true => hits.len() as u64,
            false => count_plan(index, &plan, options)?,
        });
    }
    self::found(index, hits, found.total, options)
}

/// The hits of a page, with their ids.
pub(super) fn found(
    index: &Index,
    hits: impl IntoIterator<Item = Hit>,
    total: Option<u64>,
    options: &Options,
) -> Result<Found> {
    let hits = hits.into_iter().skip(options.offset).take(options.limit);
    let mut found = Found { hits: Vec::with_capacity(hits.size_hint().0), total, ..Found::default() };
    let parts = index.snapshot().parts();
    let mut ids: Vec<Option<Ids>> = vec![None; parts.len()];
    for hit in hits {
        let part = &parts[hit.segment as usize];
        let ids = match &mut ids[hit.segment as usize] {
            Some(ids) => ids,
            none => none.insert(part.segment.ids()?),
        };
        let id = ids.get(hit.doc_id)?.to_id();
        found.hits.push(FoundHit { id, score: hit.score, doc_id: part.base + u64::from(hit.doc_id) });
    }
    Ok(found)
}

/// The best `wanted` hits.
fn top(index: &Index, plan: &Plan, options: &Options, needs_all: bool, wanted: usize) -> Result<Vec<Hit>> {
    if needs_all && plan.none_has_all {
        return Ok(Vec::new());
    }
    if plan.clauses.is_empty() || !options.sort.is_empty() {
        return sorted(index, plan, options, needs_all, wanted);
    }
    let mut top = TopK::new(wanted);
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        let Some((clauses, restriction)) = of_segment(plan, part, number, options, needs_all)? else { continue };
        let ordinals = part.segment.kept_ordinals()?;
        let mut collector = Collector { top: &mut top, restriction, segment: number as u32, base: part.base, ordinals };
        if needs_all || clauses.len() == 1 {
            find::all(cpu::tier(), clauses, &mut collector);
        } else {
            find::any(cpu::tier(), clauses.into_iter().flat_map(|clause| clause.terms).collect(), &mut collector);
        }
    }
    Ok(top.into_hits())
}

/// The clauses in a segment, and which documents count; `None` if no document of the segment can match.
fn of_segment<'s>(
    plan: &'s Plan,
    part: &'s SnapshotSegment,
    number: usize,
    options: &Options,
    needs_all: bool,
) -> Result<Option<(Vec<Clause<'s>>, Restriction<'s>)>> {
    let mut clauses = Vec::with_capacity(plan.clauses.len());
    for clause in &plan.clauses {
        let terms = clause.leaves.iter().map(|leaf| term(plan, part, number, leaf));
        let terms: Vec<Term> = terms.filter_map(Result::transpose).collect::<Result<_>>()?;
        if !terms.is_empty() {
            clauses.push(Clause { terms });
        } else if needs_all {
            return Ok(None);
        }
    }
    if clauses.is_empty() && !plan.clauses.is_empty() {
        return Ok(None);
    }
    let excluded = plan.excluded.iter().map(|leaf| without_scores(part, number, leaf));
    let restriction = Restriction {
        deleted: part.deleted.as_ref().map(|deleted| deleted.words()),
        allowed: plan.allowed(&part.segment, number, options)?,
        excluded: excluded.filter_map(Result::transpose).collect::<Result<_>>()?,
    };
    Ok(Some((clauses, restriction)))
}

/// The postings of a leaf in a segment, with scores.
fn term<'s>(plan: &'s Plan, part: &'s SnapshotSegment, number: usize, leaf: &'s Weighted) -> Result<Option<Term<'s>>> {
    let Some(source) = lists::source(&part.segment, number, leaf)? else { return Ok(None) };
    let field = leaf.leaf.field();
    let scorer = Scorer {
        weight: leaf.weight,
        norms: plan.norms[field].as_ref().unwrap_or(Norms::NONE),
        lengths: part.segment.padded_lengths(field)?,
    };
    Ok(Some(Term::new(cpu::tier(), scorer, source)))
}

/// The postings of a leaf in a segment.
fn without_scores<'s>(part: &'s SnapshotSegment, number: usize, leaf: &Weighted) -> Result<Option<Term<'s>>> {
    let source = lists::source(&part.segment, number, leaf)?;
    Ok(source.map(|source| Term::without_scores(cpu::tier(), source)))
}

/// The postings of a keyword.
fn keyword(part: &SnapshotSegment, field: usize, value: u64) -> Result<Term<'_>> {
    let source = lists::of_term(&part.segment, field, value)?;
    Ok(Term::without_scores(cpu::tier(), source))
}

pub(super) fn count(index: &Index, text: &str, options: &Options) -> Result<u64> {
    filter::check(index, options)?;
    let plan = Plan::new(index, text, options)?;
    if plan.nothing { Ok(0) } else { count_plan(index, &plan, options) }
}

/// With [`Matching::AllThenAny`] documents with any word count, as they follow those with all.
fn count_plan(index: &Index, plan: &Plan, options: &Options) -> Result<u64> {
    count_matching(index, plan, options, options.matching == Matching::All)
}

fn count_matching(index: &Index, plan: &Plan, options: &Options, needs_all: bool) -> Result<u64> {
    if needs_all && plan.none_has_all {
        return Ok(0);
    }
    let mut count = 0;
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        let Some((mut clauses, mut restriction)) = of_segment(plan, part, number, options, needs_all)? else {
            continue;
        };
        let simple = restriction.is_none() && clauses.iter().all(|clause| clause.terms.len() == 1);
        count += if simple && !clauses.is_empty() && (needs_all || clauses.len() == 1) {
            matching::count_all(cpu::tier(), clauses.into_iter().flat_map(|clause| clause.terms).collect())
        } else {
            matching::count(cpu::tier(), part.segment.documents(), &mut clauses, needs_all, &mut restriction)
        };
    }
    Ok(count)
}

/// The first `wanted` hits in the order of numeric fields, or of insertion; with their scores.
fn sorted(index: &Index, plan: &Plan, options: &Options, needs_all: bool, wanted: usize) -> Result<Vec<Hit>> {
    let mut top = Sorted::new(options, wanted);
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        let Some((mut clauses, mut restriction)) = of_segment(plan, part, number, options, needs_all)? else {
            continue;
        };
        let columns = options.sort.iter().map(|&(field, _)| part.segment.column(field));
        let columns = columns.collect::<Result<Vec<Column>>>()?;
        let ordinals = part.segment.kept_ordinals()?;
        matching::matching(part.segment.documents(), &mut clauses, needs_all, &mut restriction, |first, bits| {
            if ordinals.is_none() && top.is_full() {
                return;
            }
            matching::for_each_bit(first, bits, |doc_id| {
                let ordinal = ordinals.map_or(doc_id, |ordinals| ordinals[doc_id as usize]);
                let hit = Hit { score: 0.0, ordinal: part.base + u64::from(ordinal), segment: number as u32, doc_id };
                top.push(hit, columns.iter().map(|column| column.get(doc_id)));
            });
        });
    }
    let mut hits = top.into_hits();
    if !plan.clauses.is_empty() {
        score(index, plan, options, &mut hits)?;
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
fn score(index: &Index, plan: &Plan, options: &Options, hits: &mut [Hit]) -> Result<()> {
    let mut scores: HashMap<(u32, u32), f64> = HashMap::new();
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        let mut doc_ids: Vec<u32> =
            hits.iter().filter(|hit| hit.segment == number as u32).map(|hit| hit.doc_id).collect();
        if doc_ids.is_empty() {
            continue;
        }
        doc_ids.sort_unstable();
        let Some((mut clauses, _)) = of_segment(plan, part, number, options, false)? else { continue };
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

pub(super) fn facets(
    index: &Index,
    field: usize,
    text: &str,
    options: &Options,
    limit: usize,
) -> Result<Vec<(Vec<u8>, u64)>> {
    filter::check(index, options)?;
    let named =
        index.schema().fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
    if named.kind != Kind::Keyword {
        return Err(Error::Argument(format!("facets are values of keyword fields, and {} is none", named.name)));
    }
    let plan = Plan::new(index, text, options)?;
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        if plan.nothing {
            break;
        }
        let needs_all = options.matching == Matching::All;
        let Some((mut clauses, mut restriction)) = of_segment(&plan, part, number, options, needs_all)? else {
            continue;
        };
        let mut set = Vec::with_capacity(part.segment.documents().div_ceil(64) as usize);
        matching::matching(part.segment.documents(), &mut clauses, needs_all, &mut restriction, |_, bits| {
            set.extend_from_slice(bits);
        });
        let mut values = part.segment.dictionary(field)?.stream();
        while let Some((value, at)) = fst::Streamer::next(&mut values) {
            let count = matching::count_in(cpu::tier(), &set, &mut keyword(part, field, at)?);
            if count > 0 {
                match counts.get_mut(value) {
                    Some(sum) => *sum += count,
                    None => {
                        counts.insert(value.to_vec(), count);
                    }
                }
            }
        }
    }
    let mut counts: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
    words::best(&mut counts, limit);
    Ok(counts)
}

/// The scores of a document, leaf by leaf, with the frequencies.
pub(super) fn parts_of_score<'p>(
    plan: &'p Plan,
    part: &SnapshotSegment,
    number: usize,
    doc_id: u32,
    mut take: impl FnMut(usize, &'p Weighted, u32, f32),
) -> Result<()> {
    for (at, clause) in plan.clauses.iter().enumerate() {
        for leaf in &clause.leaves {
            let Some(mut term) = term(plan, part, number, leaf)? else { continue };
            let Some(score) = term.probe(doc_id) else { continue };
            take(at, leaf, term.frequency(doc_id).unwrap_or(0), score);
        }
    }
    Ok(())
}

/// Whether a document is excluded, or does not meet the filters.
pub(super) fn is_left_out(
    plan: &Plan,
    part: &SnapshotSegment,
    number: usize,
    doc_id: u32,
    options: &Options,
) -> Result<bool> {
    for leaf in &plan.excluded {
        if without_scores(part, number, leaf)?.is_some_and(|mut term| term.contains(doc_id)) {
            return Ok(true);
        }
    }
    let allowed = plan.allowed(&part.segment, number, options)?;
    Ok(allowed.is_some_and(|allowed| !crate::base::bits::has_bit(&allowed, doc_id)))
}
