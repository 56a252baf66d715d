//! What was typed, as the analyzers of the fields read it.
//!
//! Each analyzer reads it once, for the fields that have it, and what two of them make of the same word or phrase is one
//! clause: a document has it if one of the fields has what its analyzer makes of it.
//!
//! # What an analyzer leaves out
//! A stop word of one analyzer is a word to another. If documents had to have it, those that are found by fields of the first
//! would have to have it in others. So a clause is *optional* if an analyzer of a searched field leaves it out: documents that
//! have it score more. Analyzers that leave nothing of the query do not count, as no document is found by their fields.

use super::options::Options;
use super::plan::Fields;
use super::{Index, with_scratch};
use crate::index::Analyzed;
use crate::query::{self, Atom, Clause, Query};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;

/// A clause as it was typed: how often, and what is looked for in which fields.
pub(super) struct Typed<'q> {
    /// As one of the analyzers reads it; all agree on what is not its atom.
    pub(super) clause: &'q Clause,
    pub(super) times: usize,
    pub(super) parts: SmallVec<[Part<'q>; 1]>,
    /// Whether documents need not have it even if they must have all.
    pub(super) optional: bool,
}

impl<'q> Typed<'q> {
    fn is_as(&self, other: &Typed<'q>) -> bool {
        self.clause.head() == other.clause.head() && self.parts == other.parts
    }
}

/// What is looked for in fields with one analyzer.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Part<'q> {
    pub(super) atom: &'q Atom,
    pub(super) fields: Fields,
}

/// The most words of a query, times the fields that each is looked for in. A prefix or a fuzzy word is one, a phrase as many
/// as it has. Clauses that exceed it are left out. The cursor of a word takes some 4 KB.
pub const MOST_LEAVES: usize = 1 << 12;

/// So many clauses are compared with each other, which needs no table.
const FEW: usize = 8;

impl Index {
    /// A query as each of the [analyzers](crate::index::Schema::analyzed) reads it with these options, with these text fields
    /// for names; clauses have indices of them. It is empty for an analyzer that none of them has. Never fails.
    pub(super) fn read(&self, text: &str, texts: &[usize], options: &Options) -> SmallVec<[Query; 1]> {
        let schema = self.schema();
        let names: SmallVec<[&str; 8]> = texts.iter().map(|&field| &*schema.fields[field].name).collect();
        let read = |Analyzed { analyzer, fields }: &Analyzed| {
            if !fields.iter().any(|field| texts.contains(field)) {
                return Query { read: text.len(), ..Query::default() };
            }
            let mut query = with_scratch(|scratch| {
                query::parse(text, &names, schema.positions, options.reading(), analyzer, scratch)
            });
            if let Some(synonyms) = &options.synonyms {
                synonyms.apply(&mut query, schema.positions, analyzer);
            }
            query
        };
        let mut queries: SmallVec<[Query; 1]> = self.analyzed().iter().map(read).collect();
        if queries.len() > 1 {
            // What is too much for one of them is for all.
            let read = queries.iter().map(|query| query.read).min().unwrap_or(0);
            queries.iter_mut().for_each(|query| query.clauses.retain(|clause| clause.at < read));
        }
        queries
    }
}

/// The clauses in the order in which they were typed, each once. `searched`: the fields in which
/// clauses without a field are looked for, of `texts`, those that can be named.
pub(super) fn typed<'q>(
    analyzed: &[Analyzed],
    queries: &'q [Query],
    texts: &[usize],
    searched: &[usize],
) -> Vec<Typed<'q>> {
    let among = |fields: &[usize], of: &[usize]| fields.iter().copied().filter(|field| of.contains(field)).collect();
    let searched: SmallVec<[Fields; 1]> = analyzed.iter().map(|analyzed| among(&analyzed.fields, searched)).collect();
    let fields = |clause: &Clause, by: usize| match clause.field {
        Some(at) => texts.get(at).copied().into_iter().collect(),
        None if clause.exclude => among(&analyzed[by].fields, texts),
        None => searched[by].clone(),
    };
    if let [query] = queries {
        // What the only analyzer leaves out is no clause.
        let of_clause = |clause: &'q Clause| {
            let parts = smallvec![Part { atom: &clause.atom, fields: fields(clause, 0) }];
            Typed { clause, times: 1, parts, optional: false }
        };
        return distinct(query.clauses.iter().map(of_clause).collect());
    }
    // The analyzers of searched fields that leave something of the query.
    let is_unnamed = |clause: &Clause| !clause.exclude && clause.field.is_none();
    let counts: SmallVec<[bool; 8]> = (queries.iter().zip(&searched))
        .map(|(query, searched)| !searched.is_empty() && query.clauses.iter().any(is_unnamed))
        .collect();
    let clauses = aligned(analyzed, queries, texts);
    let of_typed = |(clause, atoms): (&'q Clause, Read<'q>)| {
        let is_left_out = |of: usize| counts[of] && atoms.iter().all(|(by, _)| *by != of);
        let optional = is_unnamed(clause) && (0..counts.len()).any(is_left_out);
        let parts = atoms.into_iter().map(|(by, atom)| Part { atom, fields: fields(clause, by) });
        Typed { clause, times: 1, parts: parts.collect(), optional }
    };
    distinct(clauses.into_iter().map(of_typed).collect())
}

/// Leaves out the clauses that are more than a query may have.
pub(super) fn cut(typed: &mut Vec<Typed>) {
    let mut leaves = 0;
    let most = typed.iter().position(|typed| {
        leaves += typed.parts.iter().map(|part| part.fields.len() * part.atom.word_count()).sum::<usize>();
        leaves > MOST_LEAVES
    });
    if let Some(most) = most {
        log::info!("a query has {} different clauses, of which the first {most} count", typed.len());
        typed.truncate(most);
    }
}

/// What analyzers, by their numbers, make of a clause.
type Read<'q> = SmallVec<[(usize, &'q Atom); 1]>;

/// The clauses of several analyzers in the order in which they were typed, with what each that does not leave them out makes of them.
fn aligned<'q>(analyzed: &[Analyzed], queries: &'q [Query], texts: &[usize]) -> Vec<(&'q Clause, Read<'q>)> {
    // A field that is named has one analyzer.
    let is_of = |by: usize, clause: &Clause| {
        clause.field.is_none_or(|at| texts.get(at).is_some_and(|field| analyzed[by].fields.contains(field)))
    };
    let mut rest: Vec<_> = (queries.iter().enumerate())
        .map(|(by, query)| query.clauses.iter().filter(move |clause| is_of(by, clause)).peekable())
        .collect();
    let mut clauses = Vec::new();
    while let Some(at) = rest.iter_mut().filter_map(|rest| rest.peek().map(|clause| clause.at)).min() {
        let next = |(by, rest): (usize, &mut std::iter::Peekable<_>)| {
            Some((by, rest.next_if(|clause: &&'q Clause| clause.at == at)?))
        };
        let of: Vec<(usize, &Clause)> = rest.iter_mut().enumerate().filter_map(next).collect();
        if let Some(&(_, first)) = of.first() {
            clauses.push((first, of.into_iter().map(|(by, clause)| (by, &clause.atom)).collect()));
        }
    }
    clauses
}

/// The clauses in the order in which they were typed, each once, with how often.
fn distinct(clauses: Vec<Typed>) -> Vec<Typed> {
    if clauses.len() <= FEW && (1..clauses.len()).all(|at| clauses[..at].iter().all(|one| !one.is_as(&clauses[at]))) {
        return clauses;
    }
    let mut places = HashMap::new();
    let mut times: Vec<usize> = Vec::with_capacity(clauses.len());
    let is_first: Vec<bool> = (clauses.iter())
        .map(|clause| {
            let at = *places.entry((clause.clause.head(), &clause.parts)).or_insert(times.len());
            match times.get_mut(at) {
                Some(times) => *times += 1,
                None => times.push(1),
            }
            at + 1 == times.len() && times[at] == 1
        })
        .collect();
    drop(places);
    let first = clauses.into_iter().zip(is_first).filter(|(_, is_first)| *is_first).map(|(clause, _)| clause);
    first.zip(times).map(|(clause, times)| Typed { times, ..clause }).collect()
}
