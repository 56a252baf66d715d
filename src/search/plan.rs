//! [`QueryPlan`]: a query as leaves with weights, for all segments alike.

use super::Index;
use super::expansion::{Budget, Class, Expansion, expand, is_expanded};
use super::leaf::{Leaf, Weighted, weighted};
use super::options::{Matching, Options};
use crate::base::error::{Error, Result};
use crate::index::{Field, Kind, Schema};
use crate::query::{Atom, Clause, Query};
use crate::rank::{Clock, Norms};
use std::collections::HashMap;

/// A clause: in each field in which it is searched, a leaf.
pub(super) struct PlannedClause {
    /// Whether documents must have it, even if they need not have all clauses.
    pub(super) required: bool,
    /// A document has the clause if it has one of them.
    pub(super) leaves: Vec<Weighted>,
}

/// A query for all segments.
pub(super) struct QueryPlan {
    /// Clauses that count for the score.
    pub(super) clauses: Vec<PlannedClause>,
    /// What excludes documents.
    pub(super) excluded: Vec<Weighted>,
    /// Whether nothing can match.
    pub(super) nothing: bool,
    /// Whether no document has all clauses, as one of them is in none.
    pub(super) none_has_all: bool,
    /// By field number; `None` for fields that are not searched.
    pub(super) norms: Vec<Option<Norms>>,
    /// If documents must have all clauses: the order in which their postings are to be found, where it is worth it that the
    /// first provides the documents [among](super::among) which the others are put together.
    pub(super) rarest_first: Option<Vec<usize>>,
}

/// Other clauses are put together among the documents of one that has at most one in so many of their postings.
const WORTH: u64 = 2;

impl QueryPlan {
    /// # Errors
    /// [`Error::Argument`] for weights that do not fit; [`Error::Corrupt`]; [`Error::Expired`].
    pub(super) fn new(index: &Index, text: &str, options: &Options, clock: &Clock) -> Result<QueryPlan> {
        let weights = weights(index, options)?;
        let texts = texts(index, options)?;
        let query = index.read(text, &texts, options);
        let typed_something = !text.trim().is_empty();
        let mut plan = QueryPlan {
            clauses: Vec::new(),
            excluded: Vec::new(),
            // Text without any words finds nothing; no text at all finds everything.
            nothing: typed_something && query.clauses.is_empty(),
            none_has_all: false,
            norms: vec![None; weights.len()],
            rarest_first: None,
        };
        let typed = in_fields(&texts, distinct(&query), &weights, options);
        let expanded: Vec<(&Atom, &[usize])> = typed
            .iter()
            .flat_map(|typed| typed.clause.atom.alternatives().iter().map(|atom| (atom, &typed.fields[..])))
            .filter(|(atom, _)| is_expanded(atom))
            .collect();
        let mut expansions = expand(index, &expanded, options, clock)?.into_iter();
        let mut budget = Budget::new(index, options);
        for typed in &typed {
            clock.check()?;
            let weigh = |leaf: Leaf| {
                // A field that is named counts, even if it is not searched otherwise.
                let weight = weights[leaf.field()];
                let weight = if weight > 0.0 { weight } else { 1.0 };
                weighted(index, leaf, weight * typed.times as f32 * typed.clause.boost.factor(), options)
            };
            let mut of_atom = |atom: &Atom| -> Result<Vec<Weighted>> {
                let leaves = match is_expanded(atom) {
                    true => leaves(atom, expansions.next().unwrap_or_default()),
                    false => typed.fields.iter().map(|&field| leaf(atom, field)).collect(),
                };
                leaves.into_iter().map(weigh).collect()
            };
            let mut fits = |atom: &Atom, leaves: &[Weighted]| {
                let is_joined = matches!(atom, Atom::Phrase(_) | Atom::Near { .. } | Atom::All(_));
                !is_joined || budget.take(leaves.iter().map(|leaf| leaf.at_most).sum())
            };
            if let Atom::OneOf(atoms) = &typed.clause.atom {
                let mut all = Vec::new();
                for atom in atoms {
                    let leaves = of_atom(atom)?;
                    match fits(atom, &leaves) {
                        true => all.extend(leaves),
                        false => log::info!("the phrases of a query have too many postings: a synonym is left out"),
                    }
                }
                plan.add(index, all, typed.clause, options);
                continue;
            }
            let leaves = of_atom(&typed.clause.atom)?;
            if fits(&typed.clause.atom, &leaves) {
                plan.add(index, leaves, typed.clause, options);
                continue;
            }
            log::info!(
                "the phrases of a query have too many postings: one is looked up as words, or ignored if excluded"
            );
            for atom in typed.clause.atom.words().filter(|_| !typed.clause.exclude) {
                let leaves = typed.fields.iter().map(|&field| weigh(leaf(&atom, field)));
                plan.add(index, leaves.collect::<Result<_>>()?, typed.clause, options);
            }
        }
        // Words that no document has: nothing matches any of them.
        let wanted = query.clauses.iter().any(|clause| !clause.exclude);
        plan.nothing |= wanted && plan.clauses.is_empty();
        plan.rarest_first = rarest_first(&plan.clauses);
        Ok(plan)
    }

    /// Adds a clause, of whose leaves those count that are in some document.
    fn add(&mut self, index: &Index, mut leaves: Vec<Weighted>, clause: &Clause, options: &Options) {
        leaves.retain(|leaf| leaf.documents > 0);
        if clause.exclude {
            self.excluded.extend(leaves);
        } else if leaves.is_empty() {
            self.none_has_all = true;
            self.nothing |= clause.required || options.matching == Matching::All;
        } else {
            for leaf in &leaves {
                let field = leaf.leaf.field();
                self.norms[field].get_or_insert_with(|| index.norms(field, &options.bm25));
            }
            self.clauses.push(PlannedClause { required: clause.required, leaves });
        }
    }
}

fn rarest_first(clauses: &[PlannedClause]) -> Option<Vec<usize>> {
    let joins = |clause: &PlannedClause| {
        clause.leaves.iter().filter(|leaf| leaf.is_union()).map(|leaf| leaf.joins).sum::<u64>()
    };
    if clauses.iter().all(|clause| joins(clause) == 0) {
        return None;
    }
    let at_most = |at: usize| clauses[at].leaves.iter().map(|leaf| leaf.at_most).sum::<u64>();
    let mut order: Vec<usize> = (0..clauses.len()).collect();
    order.sort_by_key(|&at| at_most(at));
    let (&first, others) = order.split_first()?;
    let others: u64 = others.iter().map(|&at| joins(&clauses[at])).sum();
    (others / WORTH > at_most(first)).then_some(order)
}

/// A clause as it was typed: how often, and in which fields it is looked for.
struct Typed<'q> {
    clause: &'q Clause,
    times: usize,
    fields: Vec<usize>,
}

/// The most words of a query, times the fields that each is looked for in. A prefix or a fuzzy word is one, a phrase as many
/// as it has. Clauses that exceed it are left out. The cursor of a word takes some 4 KB.
pub const MOST_LEAVES: usize = 1 << 12;

/// The clauses with their fields, as many as a query may have.
fn in_fields<'q>(
    texts: &[usize],
    clauses: Vec<(&'q Clause, usize)>,
    weights: &[f32],
    options: &Options,
) -> Vec<Typed<'q>> {
    let is_searched = |field: &usize| weights[*field] > 0.0 || options.fields.is_some();
    let searched: Vec<usize> = texts.iter().copied().filter(is_searched).collect();
    let count = clauses.len();
    let mut typed: Vec<Typed> = Vec::with_capacity(count.min(MOST_LEAVES));
    let mut leaves = 0;
    for (clause, times) in clauses {
        let fields = match clause.field {
            Some(at) => texts.get(at).copied().into_iter().collect(),
            None if clause.exclude => texts.to_vec(),
            None => searched.clone(),
        };
        leaves += fields.len() * clause.atom.word_count();
        if leaves > MOST_LEAVES {
            log::info!("a query has {count} different clauses, of which the first {} count", typed.len());
            break;
        }
        typed.push(Typed { clause, times, fields });
    }
    typed
}

/// The clauses in the order in which they were typed, each once, with how often.
fn distinct(query: &Query) -> Vec<(&Clause, usize)> {
    let clauses = &query.clauses;
    let mut distinct: Vec<(&Clause, usize)> = Vec::with_capacity(clauses.len());
    if clauses.len() <= FEW {
        for clause in clauses {
            match distinct.iter_mut().find(|(other, _)| *other == clause) {
                Some((_, times)) => *times += 1,
                None => distinct.push((clause, 1)),
            }
        }
        return distinct;
    }
    let mut places: HashMap<&Clause, usize> = HashMap::new();
    for clause in clauses {
        let at = *places.entry(clause).or_insert_with(|| {
            distinct.push((clause, 0));
            distinct.len() - 1
        });
        distinct[at].1 += 1;
    }
    distinct
}

/// So many clauses are compared with each other, which needs no table.
const FEW: usize = 8;

/// The text fields that a query can ask for.
pub(super) fn texts(index: &Index, options: &Options) -> Result<Vec<usize>> {
    let Some(fields) = &options.fields else { return Ok(index.text_fields().collect()) };
    let mut fields = fields.clone();
    fields.sort_unstable();
    fields.dedup();
    for &field in &fields {
        match index.schema().fields.get(field) {
            Some(Field { kind: Kind::Text, .. }) => (),
            Some(field) => {
                return Err(Error::Argument(format!("the field {} is not text: it is not searched", field.name)));
            }
            None => return Err(Error::Argument(format!("there is no field {field}"))),
        }
    }
    Ok(fields)
}

/// The weight of each field; 0 for those that are not searched.
fn weights(index: &Index, options: &Options) -> Result<Vec<f32>> {
    options.bm25.check()?;
    let fields = &index.schema().fields;
    let weight = |field: &crate::index::Field| if field.kind == Kind::Text { field.weight } else { 0.0 };
    let mut weights: Vec<f32> = fields.iter().map(weight).collect();
    for &(field, weight) in &options.weights {
        let named = fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
        if named.kind != Kind::Text {
            return Err(Error::Argument(format!("the field {} has no weight, as it is not searched", named.name)));
        }
        if weight != 0.0 && !Schema::WEIGHTS.contains(&weight) {
            let (name, least, most) = (&named.name, Schema::WEIGHTS.start(), Schema::WEIGHTS.end());
            return Err(Error::Argument(format!(
                "the weight of {name} must be 0 or from {least} to {most}, {weight} given"
            )));
        }
        weights[field] = weight;
    }
    Ok(weights)
}

fn leaf(atom: &Atom, field: usize) -> Leaf {
    match atom {
        Atom::Term(term) => Leaf::Term { field, term: term.clone() },
        Atom::Phrase(terms) | Atom::Near { terms, .. } => Leaf::Phrase {
            field,
            offsets: terms.iter().map(|&(offset, _)| offset).collect(),
            terms: terms.iter().map(|(_, term)| term.clone()).collect(),
            slop: if let Atom::Near { slop, .. } = atom { *slop } else { 0 },
        },
        Atom::All(terms) => Leaf::Together { field, terms: terms.clone() },
        Atom::Prefix(_) | Atom::Fuzzy { .. } | Atom::Like { .. } | Atom::OneOf(_) => {
            words(atom, field, Class::default())
        }
    }
}

/// The leaves of a prefix or a fuzzy word: in each field, one for each distance.
fn leaves(atom: &Atom, expansion: Expansion) -> Vec<Leaf> {
    let of_field = |(field, classes): (usize, Vec<Class>)| classes.into_iter().map(move |of| words(atom, field, of));
    expansion.into_iter().flat_map(of_field).collect()
}

fn words(atom: &Atom, field: usize, class: Class) -> Leaf {
    let Class { discount, common, terms } = class;
    let typed = match atom {
        Atom::Prefix(prefix) => format!("{prefix}*"),
        Atom::Fuzzy { word, distance } => format!("{word}~{distance}"),
        Atom::Like { word, edits, start, .. } => {
            let edits = if *edits > 0 { format!("~{edits}") } else { String::new() };
            format!("{word}{edits}{}", if *start { "*" } else { "" })
        }
        Atom::Term(_) | Atom::Phrase(_) | Atom::Near { .. } | Atom::All(_) | Atom::OneOf(_) => String::new(),
    };
    let mut words: Vec<Vec<u8>> = terms.into_iter().map(|(term, _)| term).collect();
    words.sort_unstable();
    Leaf::Words { field, typed, words, discount, common }
}
