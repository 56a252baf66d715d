//! [`Statistics`]: what scores depend on besides the documents that are scored, apart from the index that has them.
//!
//! Scores are computed from the documents and tokens of the whole index, from how many documents contain each term, and from
//! what prefixes and fuzzy words stand for. If several indexes have a part of the documents each, the sum of their statistics
//! is what one index of all documents would know, and each of them, told the sum, scores its hits as that index would.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | what is told of some queries, and sums |
//! | [`whole`](Whole) | the one place that says what a query's plan knows of the whole: the index, or statistics |
//! | `bytes` | statistics as bytes |
//!
//! # What prefixes and fuzzy words stand for
//! Of the words of all indexes those count that are closest, of these those in the most documents, up to a limit. An index tells
//! of more than the limit ([`MOST_TOLD`]), and in how many documents those are at most that it leaves out. So a sum knows
//! whether it knows all that is within the limit; otherwise a search that asks for it is an error.
//!
//! # Second rounds
//! Where terms are stems, what a prefix stands for follows from the words of all indexes, and an index cannot tell of a stem
//! whose word only another one has. Such terms are counted in a second round: an index that is given a sum tells of all that
//! a search by that sum asks for.

mod bytes;
mod whole;

pub(super) use whole::Whole;

use super::words::{Of, Word};
use crate::base::error::{Error, Result};
use crate::base::fnv1a::fnv1a;
use crate::base::identity::Identity;
use crate::index::{Kind, Schema};
use crate::query::Atom;
use crate::vector::Shape;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// More words of a field are not told of what a prefix or a fuzzy word stands for: sixteen times as many as
/// [count](super::MOST_WORDS), so that those in few documents may differ from index to index.
pub const MOST_TOLD: usize = 16 * super::MOST_WORDS;

/// More documents are not told of, so that no sum of counts is too large for a number.
const MOST_DOCUMENTS: u64 = 1 << 48;

/// How far words can be: the [classes](Word::class).
const CLASSES: usize = super::pattern::DISCOUNTS.len();

/// In the order of their bytes.
type ByBytes<T> = BTreeMap<Box<[u8]>, T>;

/// What some queries need to know of the documents of one or more indexes.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// Of the schema: equal ones make the same terms of texts.
    fingerprint: u64,
    /// How many indexes are told of.
    indexes: u32,
    documents: u64,
    /// The text fields.
    fields: Vec<Field>,
    /// By field and term.
    terms: BTreeMap<u8, ByBytes<Count>>,
    /// By field, what is looked through, and what was typed.
    expansions: BTreeMap<(u8, u8), ByBytes<Expansion>>,
    /// Tells it from others of this process.
    identity: Identity,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    number: u8,
    name: String,
    tokens: u64,
}

/// In how many documents a term is, in those indexes that tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Count {
    documents: u64,
    indexes: u32,
}

/// The words that something typed stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Expansion {
    words: ByBytes<Told>,
    /// By class, in how many documents words are at most that are not told of.
    rest: [u64; CLASSES],
    indexes: u32,
}

/// What is told of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    class: u8,
    documents: u64,
    /// At most so many more have it, in indexes that do not tell of it.
    more: u64,
}

impl PartialEq for Statistics {
    fn eq(&self, other: &Self) -> bool {
        let all = |of: &Self| (of.fingerprint, of.indexes, of.documents);
        all(self) == all(other)
            && self.fields == other.fields
            && self.terms == other.terms
            && self.expansions == other.expansions
    }
}

impl Statistics {
    fn new(fingerprint: u64, documents: u64, fields: Vec<Field>) -> Statistics {
        let (terms, expansions) = Default::default();
        Statistics { fingerprint, indexes: 1, documents, fields, terms, expansions, identity: Identity::new() }
    }

    /// Of the documents of all parts.
    ///
    /// # Errors
    /// [`Error::Statistics`] if there are none, they are of different schemas, or of more than 2^48 documents.
    pub fn sum<'s>(parts: impl IntoIterator<Item = &'s Statistics>) -> Result<Statistics> {
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or_else(|| Error::Statistics("there are no statistics to sum up".into()))?;
        let mut sum = Statistics { identity: Identity::new(), ..first.clone() };
        parts.try_for_each(|part| sum.add(part)).map(|()| sum)
    }

    fn add(&mut self, other: &Statistics) -> Result<()> {
        if self.fingerprint != other.fingerprint || self.fields.len() != other.fields.len() {
            return Err(Error::Statistics(format!(
                "statistics of different schemas or analyzers cannot be summed up: {:016x} and {:016x}",
                self.fingerprint, other.fingerprint
            )));
        }
        self.indexes = self.indexes.saturating_add(other.indexes);
        self.documents = self.documents.saturating_add(other.documents);
        if self.documents > MOST_DOCUMENTS {
            return Err(Error::Statistics(format!("statistics of more than {MOST_DOCUMENTS} documents")));
        }
        for (field, added) in self.fields.iter_mut().zip(&other.fields) {
            field.tokens = field.tokens.saturating_add(added.tokens);
        }
        for (&field, terms) in &other.terms {
            let sums = self.terms.entry(field).or_default();
            for (term, count) in terms {
                let sum = sums.entry(term.clone()).or_default();
                sum.documents = sum.documents.saturating_add(count.documents);
                sum.indexes = sum.indexes.saturating_add(count.indexes);
            }
        }
        for (&of, expansions) in &other.expansions {
            let sums = self.expansions.entry(of).or_default();
            for (typed, expansion) in expansions {
                match sums.get_mut(typed) {
                    Some(sum) => sum.add(expansion),
                    None => drop(sums.insert(typed.clone(), expansion.clone())),
                }
            }
        }
        Ok(())
    }

    /// Documents, those counted that are deleted but not yet removed by a merge.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// How many indexes it tells of.
    pub fn indexes(&self) -> u32 {
        self.indexes
    }

    /// The names of the text fields, and how many tokens all documents have there.
    pub fn tokens(&self) -> impl Iterator<Item = (&str, u64)> {
        self.fields.iter().map(|field| (&*field.name, field.tokens))
    }

    /// How many terms and words it tells of.
    pub fn len(&self) -> usize {
        let words = self.expansions.values().flat_map(BTreeMap::values).map(|expansion| expansion.words.len());
        self.terms.values().map(BTreeMap::len).sum::<usize>() + words.sum::<usize>()
    }

    /// Whether it tells of no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fields have other norms by other statistics.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    fn tokens_of(&self, field: usize) -> u64 {
        let at = self.fields.iter().find(|of| usize::from(of.number) == field);
        at.map_or(0, |of| of.tokens)
    }

    fn term(&self, field: usize, term: &[u8]) -> Option<Count> {
        self.terms.get(&number(field))?.get(term).copied()
    }

    fn expansion(&self, field: usize, of: Of, typed: &[u8]) -> Option<&Expansion> {
        self.expansions.get(&(number(field), of as u8))?.get(typed)
    }
}

impl Expansion {
    fn add(&mut self, other: &Expansion) {
        let rest_of = |rest: &[u64; CLASSES], class: u8| rest.get(usize::from(class)).copied().unwrap_or(0);
        for (word, told) in &mut self.words {
            match other.words.get(word) {
                Some(more) => {
                    told.documents = told.documents.saturating_add(more.documents);
                    told.more = told.more.saturating_add(more.more);
                }
                None => told.more = told.more.saturating_add(rest_of(&other.rest, told.class)),
            }
        }
        for (word, told) in &other.words {
            if !self.words.contains_key(word) {
                let more = told.more.saturating_add(rest_of(&self.rest, told.class));
                self.words.insert(word.clone(), Told { more, ..*told });
            }
        }
        self.rest.iter_mut().zip(other.rest).for_each(|(sum, added)| *sum = sum.saturating_add(added));
        self.indexes = self.indexes.saturating_add(other.indexes);
    }

    /// The `limit` first words that are known of, and whether they are the first of all, and counted.
    fn closest(&self, limit: usize) -> (Vec<Word>, bool) {
        let word = |class, documents, term: &[u8]| Word { class, documents: Reverse(documents), term: term.to_vec() };
        let told = self.words.iter().filter(|(_, told)| told.documents > 0 || told.more > 0);
        let mut first: Vec<(Word, u64)> =
            told.map(|(term, told)| (word(told.class, told.documents, term), told.more)).collect();
        first.sort_unstable();
        let others = first.split_off(limit.min(first.len()));
        let are_counted = first.iter().all(|(_, more)| *more == 0);
        let are_first = match first.last().filter(|_| first.len() == limit) {
            // Of equal ones, the bytes decide, which are not known of others.
            Some((last, _)) => {
                let too_late = |(of, more): &(Word, u64)| {
                    (of.class, Reverse(of.documents.0.saturating_add(*more)), &of.term)
                        > (last.class, last.documents, &last.term)
                };
                let rest = (0u8..).zip(self.rest).filter(|(_, documents)| *documents > 0);
                others.iter().all(too_late)
                    && rest
                        .map(|(class, documents)| (class, Reverse(documents)))
                        .all(|of| of > (last.class, last.documents))
            }
            None => limit == 0 || self.rest == [0; CLASSES],
        };
        (first.into_iter().map(|(word, _)| word).collect(), are_counted && are_first)
    }
}

/// The `limit` most frequent values of several parts, each with how many have it, and whether others of the part were left out;
/// equal ones in the order of their bytes. `None` if these may be among them, or have a part in their numbers.
pub(super) fn most_frequent(
    parts: impl Iterator<Item = (Vec<(Vec<u8>, u64)>, bool)>,
    limit: usize,
) -> Option<Vec<(Vec<u8>, u64)>> {
    let mut all = Expansion::default();
    for (values, is_cut) in parts {
        let mut part = Expansion::default();
        // No other is in more than the last.
        part.rest[0] = if is_cut { values.last().map_or(u64::MAX, |last| last.1) } else { 0 };
        let told = |(value, documents): (Vec<u8>, u64)| (value.into(), Told { class: 0, documents, more: 0 });
        part.words = values.into_iter().map(told).collect();
        all.add(&part);
    }
    let (words, is_known) = all.closest(limit);
    is_known.then(|| words.into_iter().map(|word| (word.term, word.documents.0)).collect())
}

/// The number of a field, of which a schema has at most [`Schema::MOST_FIELDS`].
fn number(field: usize) -> u8 {
    u8::try_from(field).unwrap_or(u8::MAX)
}

/// What tells one that stands for words from others.
fn key(atom: &Atom) -> Box<[u8]> {
    let mut key = Vec::new();
    match atom {
        Atom::Prefix(prefix) => {
            key.push(b'*');
            key.extend(prefix.as_bytes());
        }
        Atom::Fuzzy { word, distance } => {
            key.extend([b'~', *distance]);
            key.extend(word.as_bytes());
        }
        Atom::Like { term, word, edits, start } => {
            key.extend([b'=', *edits, u8::from(*start), u8::from(term.is_some())]);
            key.extend(word.as_bytes());
            // Words have no such byte.
            key.push(0);
            key.extend(term.as_deref().unwrap_or_default().as_bytes());
        }
        Atom::Term(_) | Atom::Phrase(_) | Atom::Near { .. } | Atom::All(_) | Atom::OneOf(_) => (),
    }
    key.into()
}

/// A hash of what decides which terms texts have, and what they count for: fields with their weights, analyzers, positions; and
/// of what vectors are.
pub fn fingerprint(schema: &Schema) -> u64 {
    let mut all = Vec::new();
    let mut add = |bytes: &[u8]| {
        all.extend((bytes.len() as u64).to_le_bytes());
        all.extend(bytes);
    };
    for field in &schema.fields {
        add(field.name.as_bytes());
        add(&[field.kind as u8]);
        if field.kind == Kind::Text {
            add(&field.weight.to_le_bytes());
        }
        if let Some(precision) = field.weights {
            add(&[precision.bits()]);
        }
        if let Some(Shape { dimensions, metric, precision }) = field.vector {
            add(&dimensions.to_le_bytes());
            add(&[metric as u8, precision.bits()]);
        }
    }
    add(&[u8::from(schema.positions)]);
    for analyzed in schema.analyzed() {
        add(&analyzed.analyzer.to_bytes());
        add(&analyzed.fields.iter().map(|&field| number(field)).collect::<Vec<_>>());
    }
    fnv1a(&all)
}
