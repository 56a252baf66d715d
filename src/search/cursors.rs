//! The terms of a planned query in a segment, and which of its documents count.

use super::among::Among;
use super::leaf::{Leaf, Weighted};
use super::options::{Matching, Options};
use super::plan::{PlannedClause, QueryPlan};
use super::{filter, lists};
use crate::base::cpu;
use crate::base::error::Result;
use crate::index::snapshot::SnapshotSegment;
use crate::rank::clause::Clause;
use crate::rank::collector::Restriction;
use crate::rank::score::{Saturations, Scorer};
use crate::rank::term::{Source, Term};
use crate::rank::{Clock, Norms};

/// The clauses in a segment, those that documents must have [required](Clause::required), and which documents count; `None`
/// if no document of the segment can match.
pub(super) fn of_segment<'s>(
    plan: &'s QueryPlan,
    part: &'s SnapshotSegment,
    number: usize,
    options: &Options,
    needs_all: bool,
    clock: &Clock,
) -> Result<Option<(Vec<Clause<'s>>, Restriction<'s>)>> {
    let order = plan.rarest_first.as_ref().filter(|_| plan.needs_all(needs_all));
    // Where those with any word follow those with all, what is put together for these is asked for again.
    let is_for_all = options.matching != Matching::AllThenAny;
    let required = plan.clauses.iter().filter(|clause| is_for_all && clause.is_required(needs_all));
    let mut among: Option<Among> = None;
    let mut clauses = Vec::with_capacity(plan.clauses.len());
    for at in 0..plan.clauses.len() {
        clock.check()?;
        let clause = &plan.clauses[order.map_or(at, |order| order[at])];
        let mut terms: Vec<Term> = Vec::with_capacity(clause.leaves.len());
        for leaf in &clause.leaves {
            let source = match &among {
                Some(among) if leaf.is_union() => among.source(&part.segment, number, leaf, clock)?,
                _ => {
                    let required = || words(required.clone(), part, number, clock);
                    lists::source_within(&part.segment, number, leaf, required, clock)?
                }
            };
            if let Some(source) = source {
                terms.push(scored(plan, part, leaf, source)?);
            }
        }
        let is_required = clause.is_required(needs_all);
        if terms.is_empty() {
            if is_required {
                return Ok(None);
            }
            continue;
        }
        if order.is_some() && among.is_none() {
            among = Some(Among::new(part.segment.documents(), terms.iter().map(Term::source))?);
        }
        clauses.push(Clause { terms, required: is_required });
    }
    if clauses.is_empty() && !plan.clauses.is_empty() {
        return Ok(None);
    }
    Ok(Some((clauses, restriction(plan, part, number, options, clock)?)))
}

/// Those of some clauses that are words, in a segment.
fn words<'s>(
    clauses: impl Iterator<Item = &'s PlannedClause>,
    part: &'s SnapshotSegment,
    number: usize,
    clock: &Clock,
) -> Result<Vec<Clause<'s>>> {
    let is_word = |leaf: &Weighted| matches!(leaf.leaf, Leaf::Term { .. });
    let of_words = clauses.filter(|clause| clause.leaves.iter().all(is_word));
    of_words
        .map(|clause| {
            let terms = clause.leaves.iter().map(|leaf| without_scores(part, number, leaf, clock));
            let terms = terms.filter_map(Result::transpose).collect::<Result<_>>()?;
            Ok(Clause { terms, required: true })
        })
        .collect()
}

/// Which documents of a segment count.
pub(super) fn restriction<'s>(
    plan: &QueryPlan,
    part: &'s SnapshotSegment,
    number: usize,
    options: &Options,
    clock: &Clock,
) -> Result<Restriction<'s>> {
    let excluded = plan.excluded.iter().map(|leaf| without_scores(part, number, leaf, clock));
    Ok(Restriction {
        deleted: part.deleted.as_ref().map(|deleted| deleted.words()),
        allowed: filter::allowed(part, options, clock)?,
        after: None,
        excluded: excluded.filter_map(Result::transpose).collect::<Result<_>>()?,
    })
}

/// The postings of a leaf in a segment, with scores.
pub(super) fn term<'s>(
    plan: &'s QueryPlan,
    part: &'s SnapshotSegment,
    number: usize,
    leaf: &'s Weighted,
    clock: &Clock,
) -> Result<Option<Term<'s>>> {
    let source = lists::source(&part.segment, number, leaf, clock)?;
    source.map(|source| scored(plan, part, leaf, source)).transpose()
}

/// Postings of a leaf in a segment, with its scores.
#[inline(always)]
pub(super) fn scored<'s>(
    plan: &'s QueryPlan,
    part: &'s SnapshotSegment,
    leaf: &Weighted,
    source: Source<'s>,
) -> Result<Term<'s>> {
    Ok(Term::new(cpu::tier(), scorer(plan, part, leaf)?, source))
}

/// What the scores of a leaf depend on in a segment.
pub(super) fn scorer<'s>(plan: &'s QueryPlan, part: &'s SnapshotSegment, leaf: &Weighted) -> Result<Scorer<'s>> {
    let field = leaf.leaf.field();
    let saturations = match part.segment.schema().fields[field].weights {
        Some(precision) => Saturations::Impacts(precision),
        None => Saturations::Bm25 {
            norms: plan.norms[field].as_deref().unwrap_or(Norms::NONE),
            lengths: part.segment.lengths(field)?,
        },
    };
    Ok(Scorer { weight: leaf.weight, saturations })
}

/// The postings of a leaf in a segment.
pub(super) fn without_scores<'s>(
    part: &'s SnapshotSegment,
    number: usize,
    leaf: &Weighted,
    clock: &Clock,
) -> Result<Option<Term<'s>>> {
    let source = lists::source(&part.segment, number, leaf, clock)?;
    Ok(source.map(|source| Term::without_scores(cpu::tier(), source)))
}
