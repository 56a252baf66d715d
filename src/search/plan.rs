//! [`Plan`]: a query as leaves with weights, for all segments alike.

use super::options::{Matching, Options};
use super::{Index, filter, words};
use crate::base::error::{Error, Result};
use crate::index::segment::Segment;
use crate::index::{Kind, Schema};
use crate::query::{Atom, Clause, Query};
use crate::rank::Norms;
use crate::rank::bm25::idf;
use crate::rank::term::Source;
use once_cell::unsync::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What one list of postings is made of, in one field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Leaf {
    /// A term.
    Term { field: usize, term: String },
    /// Terms at these offsets.
    Phrase { field: usize, offsets: Vec<u32>, terms: Vec<String> },
    /// Terms that count as one: those that begin with a prefix, or resemble a word.
    Words { field: usize, typed: String, words: Vec<Vec<u8>> },
    /// Terms that a document must have all.
    Together { field: usize, terms: Vec<String> },
}

impl Leaf {
    /// The number of the field.
    pub(super) fn field(&self) -> usize {
        match self {
            Leaf::Term { field, .. }
            | Leaf::Phrase { field, .. }
            | Leaf::Words { field, .. }
            | Leaf::Together { field, .. } => *field,
        }
    }

    fn terms(&self) -> Vec<&[u8]> {
        match self {
            Leaf::Term { term, .. } => vec![term.as_bytes()],
            Leaf::Phrase { terms, .. } | Leaf::Together { terms, .. } => {
                terms.iter().map(|term| term.as_bytes()).collect()
            }
            Leaf::Words { words, .. } => words.iter().map(|word| &word[..]).collect(),
        }
    }

    /// The terms that it stands for, for explanations.
    pub(super) fn words(&self) -> String {
        let words: Vec<_> = self.terms().into_iter().map(String::from_utf8_lossy).collect();
        words.join(" ")
    }

    /// What was typed, for explanations.
    pub(super) fn typed(&self) -> String {
        match self {
            Leaf::Term { term, .. } => term.clone(),
            Leaf::Phrase { terms, .. } | Leaf::Together { terms, .. } => format!("\"{}\"", terms.join(" ")),
            Leaf::Words { typed, .. } => typed.clone(),
        }
    }
}

/// A leaf with what is known of it in the whole index.
pub(super) struct Weighted {
    /// What it is.
    pub(super) leaf: Leaf,
    /// Per segment and term, the dictionary's value.
    pub(super) values: Vec<Vec<Option<u64>>>,
    /// Per segment, the postings of a leaf that is put together of several lists, once that was done.
    pub(super) joined: Vec<OnceCell<Option<Source<'static>>>>,
    /// The most documents, in all segments, that contain one of its terms.
    pub(super) documents: u64,
    /// At most so many documents, in all segments, contain it.
    pub(super) at_most: u64,
    /// Postings that are read to put its own together, or what takes as long; 0 if it is a term.
    pub(super) joins: u64,
    /// Its idf; of a phrase the sum of those of its terms.
    pub(super) idf: f64,
    /// BM25's weight, with that of the field and how often the clause was typed.
    pub(super) weight: f32,
}

/// A clause: in each field in which it is searched, a leaf.
pub(super) struct PlannedClause {
    /// A document has the clause if it has one of them.
    pub(super) leaves: Vec<Weighted>,
}

/// A query for all segments.
pub(super) struct Plan {
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
    /// Per segment, the documents that meet the filters, once that was asked for.
    allowed: Vec<OnceCell<Option<Rc<Vec<u64>>>>>,
}

impl Plan {
    /// # Errors
    /// [`Error::Argument`] for weights that do not fit; [`Error::Corrupt`].
    pub(super) fn new(index: &Index, text: &str, options: &Options) -> Result<Plan> {
        let query = index.parse(text);
        let weights = weights(index, options)?;
        let typed_something = !text.trim().is_empty();
        let mut plan = Plan {
            clauses: Vec::new(),
            excluded: Vec::new(),
            // Text without any words finds nothing; no text at all finds everything.
            nothing: typed_something && query.clauses.is_empty(),
            none_has_all: false,
            norms: vec![None; weights.len()],
            allowed: vec![OnceCell::new(); index.snapshot().parts().len()],
        };
        let texts: Vec<usize> = index.text_fields().collect();
        for (clause, times) in distinct(&query) {
            let fields: Vec<usize> = match clause.field {
                Some(at) => texts.get(at).copied().into_iter().collect(),
                None if clause.exclude => texts.clone(),
                None => texts.iter().copied().filter(|&field| weights[field] > 0.0).collect(),
            };
            let mut leaves = Vec::new();
            for field in fields {
                // A field that is named counts, even if it is not searched otherwise.
                let weight = if weights[field] > 0.0 { weights[field] } else { 1.0 };
                let leaf = leaf(index, &clause.atom, field)?;
                let weighted = weighted(index, leaf, weight * times as f32, options)?;
                if weighted.documents > 0 {
                    if !clause.exclude && plan.norms[field].is_none() {
                        plan.norms[field] = Some(index.norms(field, &options.bm25));
                    }
                    leaves.push(weighted);
                }
            }
            if clause.exclude {
                plan.excluded.extend(leaves);
            } else if !leaves.is_empty() {
                plan.clauses.push(PlannedClause { leaves });
            } else {
                plan.none_has_all = true;
                plan.nothing |= options.matching == Matching::All;
            }
        }
        // Words that no document has: nothing matches any of them.
        let wanted = query.clauses.iter().any(|clause| !clause.exclude);
        plan.nothing |= wanted && plan.clauses.is_empty();
        Ok(plan)
    }

    /// The documents of the segment with that number that meet the filters; `None` if there are no filters.
    pub(super) fn allowed(&self, segment: &Segment, number: usize, options: &Options) -> Result<Option<Rc<Vec<u64>>>> {
        let allowed = || filter::allowed(segment, &options.filter).map(|allowed| allowed.map(Rc::new));
        self.allowed[number].get_or_try_init(allowed).cloned()
    }
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

/// The weight of each field; 0 for those that are not searched.
fn weights(index: &Index, options: &Options) -> Result<Vec<f32>> {
    let fields = &index.schema().fields;
    let weight = |field: &crate::index::Field| if field.kind == Kind::Text { field.weight } else { 0.0 };
    let mut weights: Vec<f32> = fields.iter().map(weight).collect();
    for &(field, weight) in &options.weights {
        let named = fields.get(field).ok_or_else(|| Error::Argument(format!("there is no field {field}")))?;
        if named.kind != Kind::Text {
            return Err(Error::Argument(format!("the field {} has no weight, as it is not searched", named.name)));
        }
        if !(0.0..=Schema::GREATEST_WEIGHT).contains(&weight) {
            let (name, most) = (&named.name, Schema::GREATEST_WEIGHT);
            return Err(Error::Argument(format!("the weight of {name} must be from 0 to {most}, {weight} given")));
        }
        weights[field] = weight;
    }
    Ok(weights)
}

fn leaf(index: &Index, atom: &Atom, field: usize) -> Result<Leaf> {
    Ok(match atom {
        Atom::Term(term) => Leaf::Term { field, term: term.clone() },
        Atom::Phrase(terms) => Leaf::Phrase {
            field,
            offsets: terms.iter().map(|&(offset, _)| offset).collect(),
            terms: terms.iter().map(|(_, term)| term.clone()).collect(),
        },
        Atom::All(terms) => Leaf::Together { field, terms: terms.clone() },
        Atom::Prefix(prefix) => {
            Leaf::Words { field, typed: format!("{prefix}*"), words: words::with_prefix(index, prefix, field)? }
        }
        Atom::Fuzzy { word, distance } => Leaf::Words {
            field,
            typed: format!("{word}~{distance}"),
            words: words::resembling(index, word, *distance, field)?,
        },
    })
}

/// Looking a posting up and comparing its positions takes as long as reading so many.
const WITH_POSITIONS: u64 = 8;
/// Clearing the counters of so many documents takes as long as reading a posting.
const OF_ARRAY: u64 = 8;

fn weighted(index: &Index, leaf: Leaf, weight: f32, options: &Options) -> Result<Weighted> {
    let field = leaf.field();
    let parts = index.snapshot().parts();
    let terms = leaf.terms();
    let mut values = vec![vec![None; terms.len()]; parts.len()];
    let mut containing = vec![0u64; terms.len()];
    for (part, values) in parts.iter().zip(&mut values) {
        for ((term, value), containing) in terms.iter().zip(values).zip(&mut containing) {
            *value = part.segment.term(field, term)?;
            if let Some(value) = *value {
                *containing += part.segment.documents_with(field, value)?;
            }
        }
    }
    let all = index.snapshot().documents();
    let sum = || containing.iter().sum::<u64>();
    let (documents, at_most, joins, idf) = match leaf {
        Leaf::Phrase { .. } | Leaf::Together { .. } => {
            let every = containing.iter().copied().min().unwrap_or(0);
            let is_phrase = matches!(leaf, Leaf::Phrase { .. });
            // A phrase is looked for in the documents of its rarest term.
            let joins = if is_phrase { WITH_POSITIONS * every * terms.len() as u64 } else { sum() };
            (every, every, joins, containing.iter().map(|&containing| idf(all, containing)).sum())
        }
        _ => {
            let most = containing.iter().copied().max().unwrap_or(0);
            // Frequencies are added up in an array of all documents.
            let joins = if terms.len() > 1 { sum() + all / OF_ARRAY } else { 0 };
            (most, sum().min(all), joins, idf(all, most))
        }
    };
    let factor = (1.0 + f64::from(options.bm25.k1)) * f64::from(weight);
    let joined = (0..parts.len()).map(|_| OnceCell::new()).collect();
    Ok(Weighted { leaf, values, joined, documents, at_most, joins, idf, weight: (idf * factor) as f32 })
}
