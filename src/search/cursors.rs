//! The terms of a planned query in a segment, and which of its documents count.

use super::among::Among;
use super::leaf::{Leaf, Weighted};
use super::options::{Matching, Options};
use super::plan::QueryPlan;
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
    let mut among: Option<Among> = None;
    let mut clauses = Vec::with_capacity(plan.clauses.len());
    for at in 0..plan.clauses.len() {
        clock.check()?;
        let clause = &plan.clauses[order.map_or(at, |order| order[at])];
        let mut terms: Vec<Term> = Vec::with_capacity(clause.leaves.len());
        for leaf in &clause.leaves {
            let source = match &among {
                _ if leaf.is_phrase() => {
                    let within = required_words(plan, part, number, options, needs_all, clock)?;
                    lists::phrase_within(&part.segment, number, leaf, within, clock)?
                }
                None => lists::source(&part.segment, number, leaf, clock)?,
                Some(among) => among.source(&part.segment, number, leaf, clock)?,
            };
            if let Some(source) = source {
                terms.push(with_scores(plan, part, leaf, source)?);
            }
        }
        let required = clause.is_required(needs_all);
        if terms.is_empty() {
            if required {
                return Ok(None);
            }
            continue;
        }
        if order.is_some() && among.is_none() {
            among = Some(Among::new(part.segment.documents(), terms.iter().map(Term::source))?);
        }
        clauses.push(Clause { terms, required });
    }
    if clauses.is_empty() && !plan.clauses.is_empty() {
        return Ok(None);
    }
    Ok(Some((clauses, restriction(plan, part, number, options, clock)?)))
}

/// The clauses of words that all documents must have that [`of_segment`] can find.
fn required_words<'s>(
    plan: &'s QueryPlan,
    part: &'s SnapshotSegment,
    number: usize,
    options: &Options,
    needs_all: bool,
    clock: &Clock,
) -> Result<Vec<Clause<'s>>> {
    // What is found for some may be asked for again, for others.
    if options.matching == Matching::AllThenAny {
        return Ok(Vec::new());
    }
    let is_word = |leaf: &Weighted| matches!(leaf.leaf, Leaf::Term { .. });
    let clauses = plan.clauses.iter().filter(|clause| clause.is_required(needs_all));
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
    source.map(|source| with_scores(plan, part, leaf, source)).transpose()
}

fn with_scores<'s>(
    plan: &'s QueryPlan,
    part: &'s SnapshotSegment,
    leaf: &'s Weighted,
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
