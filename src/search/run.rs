//! Searching and counting: a plan is carried out segment by segment.

use super::asked::Asked;
use super::check::check;
use super::cursors::{of_segment, restriction};
use super::nearest::nearest;
use super::options::{End, Matching, Options};
use super::order::SortValue;
use super::phrases::OnePhrase;
use super::plan::QueryPlan;
use super::sorted::sorted;
use super::{Found, FoundHit, Index, distinct, facets, sort};
use crate::base::cpu;
use crate::base::error::{Error, Result};
use crate::index::segment::{Allowed, Ids};
use crate::index::snapshot::SnapshotSegment;
use crate::rank::block_max;
use crate::rank::clause::{Clause, terms};
use crate::rank::collector::{Collector, Restriction};
use crate::rank::few;
use crate::rank::found::{self, Documents};
use crate::rank::{Clock, Hit, TopK};
use smallvec::{SmallVec, smallvec};
use std::collections::HashSet;

/// The best hits of a query; those of one that is not finished at the `end` are unknown.
pub(super) fn search(index: &Index, asked: Asked<'_>, options: &Options, end: End) -> Result<Found> {
    check(index, options)?;
    match in_time(index, asked, options, &end.clock()) {
        Err(Error::Expired) => Ok(Found::late()),
        found => found,
    }
}

pub(super) fn in_time(index: &Index, asked: Asked<'_>, options: &Options, clock: &Clock) -> Result<Found> {
    let plan = QueryPlan::new(index, asked, options, clock)?;
    let live = usize::try_from(index.documents()).unwrap_or(usize::MAX);
    let wanted = options.offset.saturating_add(options.limit).min(live);
    if plan.nothing || wanted == 0 {
        let mut found = Found::default();
        add_counts(index, &plan, options, None, &mut found, clock)?;
        return Ok(found);
    }
    // In the order of scores, and all that match count.
    let is_plain = options.is_by_score() && distinct::are_all(options);
    let needs_all = options.matching == Matching::All && plan.clauses.len() > 1;
    if needs_all && is_plain && options.wants_all() {
        return counted_first(index, &plan, options, wanted, clock);
    }
    let first = |wanted| first(index, &plan, options, wanted, clock);
    let (hits, with_all) = match options.distinct {
        Some(field) => (distinct::distinct(index, field, wanted, live, clock, |wanted| Ok(first(wanted)?.0))?, None),
        None => first(wanted)?,
    };
    // There are no more.
    let all = (hits.len() < wanted && distinct::are_all(options)).then_some(&hits[..]);
    let mut found = self::found(index, &hits, None, options)?;
    found.count_with_all(with_all, options);
    add_counts(index, &plan, options, all, &mut found, clock)?;
    Ok(found)
}

/// The first `wanted` hits, and how many of them have all words, if those with any follow.
fn first(
    index: &Index,
    plan: &QueryPlan,
    options: &Options,
    wanted: usize,
    clock: &Clock,
) -> Result<(Vec<Hit>, Option<usize>)> {
    let mut hits = top(index, plan, options, options.matching != Matching::Any, wanted, clock)?;
    let with_all = (options.matching == Matching::AllThenAny).then_some(hits.len());
    // Who has the only clause has all.
    let all_is_any = plan.clauses.len() == 1 && !plan.none_has_all;
    if options.matching == Matching::AllThenAny && hits.len() < wanted && !all_is_any {
        let has: HashSet<(u32, u32)> = hits.iter().map(|hit| (hit.segment, hit.doc_id)).collect();
        let any = top(index, plan, options, false, wanted, clock)?;
        hits.extend(any.into_iter().filter(|hit| !has.contains(&(hit.segment, hit.doc_id))));
        hits.truncate(wanted);
    }
    Ok((hits, with_all))
}

/// Total and facets, if they are asked for; `all` documents that match may be known.
fn add_counts(
    index: &Index,
    plan: &QueryPlan,
    options: &Options,
    all: Option<&[Hit]>,
    found: &mut Found,
    clock: &Clock,
) -> Result<()> {
    if let Some(fields) = &options.facets {
        let (facets, total) = facets::of_plan(index, plan, options, fields, all, &mut |_, _| Ok(()), clock)?;
        found.facets = Some(facets);
        found.total = options.total.then_some(total);
    } else if options.total {
        found.total = Some(match all {
            Some(all) => all.len() as u64,
            None if plan.nothing => 0,
            None => count_plan(index, plan, options, clock)?,
        });
    }
    Ok(())
}

/// The hits of a page, with their ids.
pub(super) fn found(index: &Index, hits: &[Hit], total: Option<u64>, options: &Options) -> Result<Found> {
    /// The ids of so many hits are on their way while one is read.
    const AHEAD: usize = 16;
    let hits = &hits[options.offset.min(hits.len())..];
    let hits = &hits[..options.limit.min(hits.len())];
    let mut found = Found { hits: Vec::with_capacity(hits.len()), total, ..Found::default() };
    let parts = index.snapshot().parts();
    let mut ids: SmallVec<[Option<Ids>; 1]> = smallvec![None; parts.len()];
    let ids = &mut ids[..];
    let origin = options.origin();
    for hit in hits.iter().take(AHEAD) {
        ids_of(ids, parts, hit.segment)?.prefetch(hit.doc_id);
    }
    for (at, hit) in hits.iter().enumerate() {
        if let Some(later) = hits.get(at + AHEAD) {
            ids_of(ids, parts, later.segment)?.prefetch(later.doc_id);
        }
        let id = ids_of(ids, parts, hit.segment)?.get(hit.doc_id)?.to_id();
        let part = &parts[hit.segment as usize];
        let distance = match origin {
            Some((field, origin)) => part.segment.points(field)?.get(hit.doc_id)?.map(|point| origin.distance(point)),
            None => None,
        };
        found.hits.push(FoundHit { id, score: hit.score, doc_id: part.base + u64::from(hit.doc_id), distance });
    }
    Ok(found)
}

/// The ids of a segment, which are found once.
fn ids_of<'i, 's>(ids: &'i mut [Option<Ids<'s>>], parts: &'s [SnapshotSegment], segment: u32) -> Result<&'i Ids<'s>> {
    match &mut ids[segment as usize] {
        Some(ids) => Ok(ids),
        none => Ok(none.insert(parts[segment as usize].segment.ids()?)),
    }
}

/// The best `wanted` hits.
fn top(
    index: &Index,
    plan: &QueryPlan,
    options: &Options,
    needs_all: bool,
    wanted: usize,
    clock: &Clock,
) -> Result<Vec<Hit>> {
    if needs_all && plan.none_has_all {
        return Ok(Vec::new());
    }
    if plan.clauses.is_empty() || !options.is_by_score() {
        if let Some(hits) = nearest(index, plan, options, needs_all, wanted, clock)? {
            return Ok(hits);
        }
        return sorted(index, plan, options, needs_all, wanted, clock);
    }
    let after = match options.after.as_ref().map(|after| (&after.values[..], after.doc_id)) {
        Some(([SortValue::Number(score)], doc_id)) => Some((*score, sort::ordinal(index, doc_id)?)),
        _ => None,
    };
    let mut top = TopK::new(wanted);
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        let phrase = if options.wants_all() { None } else { OnePhrase::new(plan, part, number, clock)? };
        if let Some(phrase) = phrase {
            let restriction = Restriction { after, ..restriction(plan, part, number, options, clock)? };
            let mut collector = collector(&mut top, restriction, part, number, clock)?;
            if let Some(of_others) = phrase.of_others(clock)? {
                rank(vec![of_others], Ranked::All, &mut collector);
            }
            phrase.best(&mut collector)?;
            continue;
        }
        let Some((clauses, restriction)) = of_segment(plan, part, number, options, needs_all, clock)? else {
            continue;
        };
        let restriction = Restriction { after, ..restriction };
        let few = restriction.allowed.clone().filter(|allowed| few::pays(allowed, &clauses));
        let ranked = few.as_deref().map_or(Ranked::All, Ranked::Passing);
        rank(clauses, ranked, &mut collector(&mut top, restriction, part, number, clock)?);
        clock.check()?;
    }
    Ok(top.into_hits())
}

/// What the search of a segment reports to.
fn collector<'c, 's>(
    top: &'c mut TopK,
    restriction: Restriction<'s>,
    part: &'s SnapshotSegment,
    number: usize,
    clock: &'c Clock,
) -> Result<Collector<'c, 's>> {
    let ordinals = part.segment.kept_ordinals()?;
    let in_order = ordinals.is_none();
    Ok(Collector { top, restriction, segment: number as u32, base: part.base, ordinals, in_order, clock })
}

/// Which documents of a segment are ranked.
enum Ranked<'d> {
    /// Those that match.
    All,
    /// Those of a few that pass the filter.
    Passing(&'d Allowed),
    /// These, which are all that match and have all clauses that documents must have.
    Found(&'d [u32]),
}

/// The best documents of a segment.
fn rank<'s>(mut clauses: Vec<Clause<'s>>, ranked: Ranked, collector: &mut Collector<'_, 's>) {
    let tier = cpu::tier();
    match ranked {
        Ranked::All => {}
        Ranked::Passing(allowed) => return few::passing(tier, allowed, clauses, collector),
        Ranked::Found(doc_ids) => return few::found(tier, doc_ids, clauses, collector),
    }
    let required = clauses.iter().filter(|clause| clause.required).count();
    if let [Clause { terms, .. }] = &mut clauses[..]
        && let [term] = &mut terms[..]
    {
        block_max::one(tier, term, collector);
    } else if required == 0 || clauses.len() == 1 {
        block_max::any(tier, terms(clauses), collector);
    } else if clauses.len() == required {
        block_max::all(tier, clauses, Vec::new(), collector);
    } else {
        let (required, optional) = clauses.into_iter().partition(|clause| clause.required);
        block_max::all(tier, required, terms(optional), collector);
    }
}

/// The best hits of a query with all words, and how many documents match or what they have in some fields: these are found first, so
/// where they are few, only they are ranked.
fn counted_first(index: &Index, plan: &QueryPlan, options: &Options, wanted: usize, clock: &Clock) -> Result<Found> {
    let fields = options.facets.as_deref().unwrap_or_default();
    let mut top = TopK::new(wanted);
    let mut rank = |number: usize, documents: &Documents| {
        let part = &index.snapshot().parts()[number];
        let Some((clauses, restriction)) = of_segment(plan, part, number, options, true, clock)? else {
            return Ok(());
        };
        let (ranked, restriction) = match documents {
            Documents::List(doc_ids) if doc_ids.len() < few::most_found(&clauses) => {
                (Ranked::Found(doc_ids), Restriction::default())
            }
            _ => (Ranked::All, restriction),
        };
        self::rank(clauses, ranked, &mut collector(&mut top, restriction, part, number, clock)?);
        clock.check()
    };
    let (facets, total) = facets::of_plan(index, plan, options, fields, None, &mut rank, clock)?;
    let found = found(index, &top.into_hits(), options.total.then_some(total), options)?;
    Ok(Found { facets: options.facets.is_some().then_some(facets), ..found })
}

pub(super) fn count(index: &Index, asked: Asked<'_>, options: &Options) -> Result<u64> {
    check(index, options)?;
    let clock = &options.end().clock();
    let plan = QueryPlan::new(index, asked, options, clock)?;
    if plan.nothing { Ok(0) } else { count_plan(index, &plan, options, clock) }
}

/// With [`Matching::AllThenAny`] documents with any word count, as they follow those with all.
fn count_plan(index: &Index, plan: &QueryPlan, options: &Options, clock: &Clock) -> Result<u64> {
    let needs_all = options.matching == Matching::All;
    if needs_all && plan.none_has_all {
        return Ok(0);
    }
    let mut count = 0;
    for (number, part) in index.snapshot().parts().iter().enumerate() {
        if let Some(phrase) = OnePhrase::new(plan, part, number, clock)? {
            count += phrase.count(options, clock)?;
            continue;
        }
        let Some((clauses, mut restriction)) = of_segment(plan, part, number, options, needs_all, clock)? else {
            continue;
        };
        count += found::count(cpu::tier(), part.segment.documents(), clauses, &mut restriction, clock)?;
        clock.check()?;
    }
    Ok(count)
}
