//! Explains scores.

use super::asked::Asked;
use super::check::{check, check_fused};
use super::cursors::{term, without_scores};
use super::fused::{self, Fused};
use super::leaf::{Leaf, Weighted};
use super::options::{Matching, Options};
use super::plan::{PlannedClause, QueryPlan};
use super::{Index, filter};
use crate::base::bits::has_bit;
use crate::base::error::{Error, Result};
use crate::index::length;
use crate::index::snapshot::SnapshotSegment;
use crate::rank::Clock;
use std::collections::HashSet;

/// What the score of a document for a query consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The score: the sum of the parts'.
    pub score: f64,
    /// Whether the document is a hit.
    pub matches: bool,
    /// What each clause adds in each field.
    pub parts: Vec<TermScore>,
    /// What the list of query and vectors makes of it, if there are [vectors](Asked::nearest).
    pub fused: Option<Fused>,
}

/// What a clause adds in a field.
#[derive(Debug, Clone, PartialEq)]
pub struct TermScore {
    /// The clause as it was understood.
    pub clause: String,
    /// The name of the field.
    pub field: String,
    /// The same as the clause, or the words that it stands for.
    pub term: String,
    /// How often the field has it; 1 of a weights field.
    pub frequency: u32,
    /// The field's length in tokens, or its number of weights, as rounded in the index.
    pub length: u32,
    /// Documents of the index that contain it (of a phrase: its rarest term).
    pub documents: u64,
    /// Its idf.
    pub idf: f64,
    /// By how much it counts for less than what was typed: 1 unless a prefix or a fuzzy word stands for other words.
    pub discount: f64,
    /// The weight: idf · (k1 + 1) · weight of the field · how often it was typed · discount. Of a term with a weight, that of the query;
    /// the score is its product with that of the document.
    pub weight: f64,
    /// What it adds to the score.
    pub score: f64,
}

pub(super) fn explain(index: &Index, asked: Asked<'_>, doc_id: u64, options: &Options) -> Result<Explanation> {
    let mut explanation = of_query(index, asked, doc_id, options)?;
    if !asked.nearest.is_empty() {
        check_fused(index, asked.nearest, options)?;
        let of_text = explanation.matches.then_some(explanation.score);
        explanation.fused = Some(fused::explain(index, asked, (doc_id, of_text), options, &Clock::never())?);
    }
    Ok(explanation)
}

fn of_query(index: &Index, asked: Asked<'_>, doc_id: u64, options: &Options) -> Result<Explanation> {
    check(index, options)?;
    let plan = QueryPlan::new(index, asked, options, &Clock::never())?;
    let parts = index.snapshot().parts();
    let number = parts.partition_point(|part| part.base <= doc_id).saturating_sub(1);
    let part = &parts[number];
    let local =
        u32::try_from(doc_id - part.base).map_err(|_| Error::Argument(format!("there is no document {doc_id}")))?;
    let mut explanation = Explanation { score: 0.0, matches: false, parts: Vec::new(), fused: None };
    let mut clauses = HashSet::new();
    let mut lengths = Vec::new();
    scores(&plan, part, number, local, |clause, leaf, frequency, score| {
        clauses.insert(clause);
        lengths.push(leaf.leaf.field());
        explanation.score += f64::from(score);
        explanation.parts.push(TermScore {
            clause: leaf.leaf.typed(),
            field: index.schema().fields[leaf.leaf.field()].name.clone(),
            term: leaf.leaf.words(),
            frequency,
            length: 0,
            documents: leaf.documents,
            idf: leaf.idf,
            discount: leaf.leaf.discount().into(),
            weight: leaf.query_weight().into(),
            score: score.into(),
        });
    })?;
    for (field, part_of_score) in lengths.into_iter().zip(&mut explanation.parts) {
        let byte = part.segment.lengths(field)?[local as usize];
        part_of_score.length = length::decode(byte);
    }
    let has_enough = match options.matching {
        Matching::All => {
            let has = |(at, clause): (usize, &PlannedClause)| clause.optional || clauses.contains(&at);
            plan.clauses.iter().enumerate().all(has) && (plan.clauses.is_empty() || !clauses.is_empty())
        }
        _ if plan.clauses.iter().any(|clause| clause.required) => {
            plan.clauses.iter().enumerate().all(|(at, clause)| !clause.required || clauses.contains(&at))
        }
        _ => plan.clauses.is_empty() || !clauses.is_empty(),
    };
    explanation.matches = !plan.nothing && has_enough && !is_left_out(&plan, part, number, local, options)?;
    Ok(explanation)
}

/// The scores of a document, leaf by leaf, with the frequencies.
fn scores<'p>(
    plan: &'p QueryPlan,
    part: &SnapshotSegment,
    number: usize,
    doc_id: u32,
    mut take: impl FnMut(usize, &'p Weighted, u32, f32),
) -> Result<()> {
    for (at, clause) in plan.clauses.iter().enumerate() {
        for leaf in &clause.leaves {
            let Some(mut term) = term(plan, part, number, leaf, &Clock::never())? else { continue };
            let Some(score) = term.probe(doc_id) else { continue };
            let frequency = match leaf.leaf {
                Leaf::Weight { .. } => 1,
                _ => term.frequency(doc_id).unwrap_or(0),
            };
            take(at, leaf, frequency, score);
        }
    }
    Ok(())
}

/// Whether a document is excluded, or does not meet the filters.
fn is_left_out(
    plan: &QueryPlan,
    part: &SnapshotSegment,
    number: usize,
    doc_id: u32,
    options: &Options,
) -> Result<bool> {
    for leaf in &plan.excluded {
        if without_scores(part, number, leaf, &Clock::never())?.is_some_and(|mut term| term.contains(doc_id)) {
            return Ok(true);
        }
    }
    let allowed = filter::allowed(part, options, &Clock::never())?;
    Ok(allowed.is_some_and(|allowed| !has_bit(&allowed.bits, doc_id)))
}
