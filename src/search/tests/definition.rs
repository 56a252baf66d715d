//! What a search finds, by definition: every document is looked at, in double precision.

use super::super::{Condition, Direction, Index, MOST_WORDS, Matching, Options, SortKey};
use crate::index::segment::Segment;
use crate::index::{Codecs, Document, Field, Id, Kind, Schema, Value, length};
use crate::query::fuzzy;
use std::cmp::Ordering;
use std::collections::BTreeMap;

pub(super) const TITLE: usize = 0;
pub(super) const TAG: usize = 1;
pub(super) const BODY: usize = 2;
pub(super) const PRICE: usize = 3;
pub(super) const NOTE: usize = 4;
/// A number that no other version of a document has, to recognize them by.
const SERIAL: usize = 5;
/// Numbers and names of the text fields, which are not neighbours.
pub(super) const TEXTS: [(usize, &str); 3] = [(TITLE, "title"), (BODY, "body"), (NOTE, "note")];
const WEIGHTS: [f64; 5] = [2.0, 0.0, 1.0, 0.0, 0.5];

pub(super) fn schema(positions: bool) -> Schema {
    let field = |name: &str, kind, number: usize| Field {
        name: name.into(),
        kind,
        weight: if kind == Kind::Text { WEIGHTS[number] as f32 } else { 1.0 },
        stored: number == TITLE,
    };
    let fields = vec![
        field("title", Kind::Text, TITLE),
        field("tag", Kind::Keyword, TAG),
        field("body", Kind::Text, BODY),
        field("price", Kind::Numeric, PRICE),
        field("note", Kind::Text, NOTE),
        field("serial", Kind::Numeric, SERIAL),
    ];
    let analyzer = crate::analysis::Analyzer::new(crate::analysis::AnalyzerOptions::default()).unwrap();
    Schema { fields, positions, codecs: Codecs::default(), analyzer }
}

/// A document: words of the text fields, keywords, and a number.
#[derive(Debug, Clone, Default)]
pub(super) struct Doc {
    pub(super) id: i64,
    pub(super) texts: [Vec<String>; 3],
    pub(super) tags: Vec<String>,
    pub(super) price: Option<f64>,
}

impl Doc {
    pub(super) fn document(&self, serial: usize) -> Document {
        let mut values = vec![(SERIAL, Value::Number(serial as f64))];
        for ((field, _), words) in TEXTS.iter().zip(&self.texts) {
            values.push((*field, Value::Text(words.join(" ").into())));
        }
        values.push((TAG, Value::Keywords(self.tags.iter().map(|tag| tag.clone().into()).collect())));
        values.extend(self.price.map(|price| (PRICE, Value::Number(price))));
        Document { values }
    }

    fn words(&self, field: usize) -> &[String] {
        &self.texts[TEXTS.iter().position(|text| text.0 == field).unwrap()]
    }
}

#[derive(Debug, Clone)]
pub(super) enum Atom {
    Word(String),
    Phrase(Vec<String>),
    Prefix(String),
    Fuzzy(String, u8),
}

#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) exclude: bool,
    /// An index into [`TEXTS`].
    pub(super) field: Option<usize>,
    pub(super) atom: Atom,
}

/// What is typed.
pub(super) fn typed(query: &[Clause]) -> String {
    let clauses = query.iter().map(|Clause { exclude, field, atom }| {
        let minus = if *exclude { "-" } else { "" };
        let field = field.map_or(String::new(), |field| format!("{}:", TEXTS[field].1));
        let atom = match atom {
            Atom::Word(word) => word.clone(),
            Atom::Phrase(words) => format!("\"{}\"", words.join(" ")),
            Atom::Prefix(prefix) => format!("{prefix}*"),
            Atom::Fuzzy(word, distance) => format!("{word}~{distance}"),
        };
        format!("{minus}{field}{atom}")
    });
    clauses.collect::<Vec<_>>().join(" ")
}

/// The documents of a snapshot in the order of their insertion, with deleted ones that no merge has removed: they count
/// for N, n and the average length.
pub(super) struct Definition {
    pub(super) docs: Vec<Doc>,
    pub(super) live: Vec<bool>,
    positions: bool,
}

impl Definition {
    /// `versions` are all documents that were ever added, by serial number.
    pub(super) fn new(index: &Index, versions: &[Doc]) -> Definition {
        let mut definition = Definition { docs: Vec::new(), live: Vec::new(), positions: index.schema().positions };
        for part in index.snapshot().parts() {
            let segment: &Segment = &part.segment;
            let mut doc_ids: Vec<u32> = (0..segment.documents()).collect();
            doc_ids.sort_by_key(|&doc_id| segment.ordinal(doc_id).unwrap());
            for doc_id in doc_ids {
                let serial = segment.number(SERIAL, doc_id).unwrap().unwrap();
                let doc = versions[serial as usize].clone();
                assert_eq!(segment.id(doc_id).unwrap(), Id::Int(doc.id));
                definition.docs.push(doc);
                definition.live.push(part.deleted.as_ref().is_none_or(|deleted| !deleted.contains(doc_id)));
            }
        }
        definition
    }

    /// The words of a field, with the number of documents containing each.
    pub(super) fn words(&self, field: usize, accepts: impl Fn(&str) -> bool) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        for doc in &self.docs {
            let mut words: Vec<&String> = doc.words(field).iter().filter(|word| accepts(word)).collect();
            words.sort();
            words.dedup();
            for word in words {
                *found.entry(word.clone()).or_default() += 1;
            }
        }
        found
    }

    fn idf(&self, containing: u64) -> f64 {
        let (all, containing) = (self.docs.len() as f64, containing as f64);
        (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln()
    }

    /// The idf of an atom in a field, and its frequency in each document.
    fn leaf(&self, atom: &Atom, exclude: bool, field: usize) -> (f64, Vec<usize>) {
        let one_of = |words: BTreeMap<String, u64>| {
            let mut words: Vec<_> = words.into_iter().collect();
            words.sort_by_key(|(_, containing)| u64::MAX - containing);
            words.truncate(MOST_WORDS);
            let idf = self.idf(words.iter().map(|word| word.1).max().unwrap_or(0));
            let words: BTreeMap<String, u64> = words.into_iter().collect();
            let frequency = |doc: &Doc| doc.words(field).iter().filter(|word| words.contains_key(*word)).count();
            (idf, self.docs.iter().map(frequency).collect())
        };
        match atom {
            Atom::Word(word) => one_of(self.words(field, |other| other == word)),
            Atom::Prefix(prefix) => one_of(self.words(field, |word| word.starts_with(prefix))),
            Atom::Fuzzy(word, distance) => {
                let automaton = fuzzy::automaton(word, *distance);
                one_of(self.words(field, |other| fuzzy::accepts(&automaton, other)))
            }
            Atom::Phrase(words) => {
                let containing = self.words(field, |word| words.iter().any(|other| other == word));
                let idf = words.iter().map(|word| self.idf(containing.get(word).copied().unwrap_or(0))).sum();
                let frequency = |doc: &Doc| match exclude && !self.positions {
                    true => usize::from(words.iter().all(|word| doc.words(field).contains(word))),
                    false => doc.words(field).windows(words.len()).filter(|some| *some == words).count(),
                };
                (idf, self.docs.iter().map(frequency).collect())
            }
        }
    }

    /// The documents that match all words of a query, or any, with their scores, in the order of their insertion.
    pub(super) fn find(&self, query: &[Clause], needs_all: bool, options: &Options) -> Vec<(usize, f64)> {
        let (k1, b) = (f64::from(options.bm25.k1), f64::from(options.bm25.b));
        let mut weights = WEIGHTS.to_vec();
        options.weights.iter().for_each(|&(field, weight)| weights[field] = f64::from(weight));
        let mut matching: Vec<bool> = vec![needs_all; self.docs.len()];
        let mut excluded = vec![false; self.docs.len()];
        let mut scores = vec![0.0; self.docs.len()];
        let mut wanted = false;
        for Clause { exclude, field, atom } in query {
            // Without positions a phrase is its words.
            let atoms: Vec<Atom> = match atom {
                Atom::Phrase(words) if !self.positions && !exclude => words.iter().cloned().map(Atom::Word).collect(),
                atom => vec![atom.clone()],
            };
            for atom in atoms {
                let mut has = vec![false; self.docs.len()];
                for (number, &(at, _)) in TEXTS.iter().enumerate() {
                    let weight = match field {
                        Some(field) if *field != number => continue,
                        Some(_) if weights[at] == 0.0 => 1.0,
                        None if weights[at] == 0.0 && !exclude => continue,
                        _ => weights[at],
                    };
                    let tokens: usize = self.docs.iter().map(|doc| doc.texts[number].len()).sum();
                    let average = tokens as f64 / self.docs.len() as f64;
                    let (idf, frequencies) = self.leaf(&atom, *exclude, at);
                    for (doc, &frequency) in frequencies.iter().enumerate().filter(|(_, frequency)| **frequency > 0) {
                        has[doc] = true;
                        if !exclude {
                            let length = self.docs[doc].texts[number].len() as u32;
                            let length = f64::from(length::decode(length::encode(length)));
                            let tf = frequency as f64;
                            scores[doc] +=
                                weight * idf * (k1 + 1.0) * tf / (tf + k1 * (1.0 - b + b * length / average));
                        }
                    }
                }
                if *exclude {
                    excluded.iter_mut().zip(has).for_each(|(excluded, has)| *excluded |= has);
                    continue;
                }
                wanted = true;
                for (matching, has) in matching.iter_mut().zip(has) {
                    *matching = if needs_all { *matching && has } else { *matching || has };
                }
            }
        }
        let is_hit = |doc: &usize| {
            self.live[*doc] && (matching[*doc] || !wanted) && !excluded[*doc] && passes(&self.docs[*doc], options)
        };
        (0..self.docs.len()).filter(is_hit).map(|doc| (doc, scores[doc])).collect()
    }

    /// Those that match, in groups that follow each other.
    pub(super) fn groups(&self, query: &[Clause], options: &Options) -> Vec<Vec<(usize, f64)>> {
        match options.matching {
            Matching::All => vec![self.find(query, true, options)],
            Matching::Any => vec![self.find(query, false, options)],
            Matching::AllThenAny => {
                let all = self.find(query, true, options);
                let mut any = self.find(query, false, options);
                any.retain(|(doc, _)| all.iter().all(|(other, _)| other != doc));
                vec![all, any]
            }
        }
    }

    /// How two documents with these scores are ordered if the query says by what.
    pub(super) fn sorted(&self, a: (usize, f64), b: (usize, f64), options: &Options) -> Ordering {
        let (first, second) = (&self.docs[a.0], &self.docs[b.0]);
        for &(key, direction) in &options.sort {
            let ascends = direction == Direction::Ascending;
            let order = match key {
                SortKey::Field(PRICE) => by_values(first.price, second.price, ascends, f64::total_cmp),
                SortKey::Field(TAG) => {
                    let tag = |doc: &Doc| if ascends { doc.tags.iter().min() } else { doc.tags.iter().max() }.cloned();
                    by_values(tag(first), tag(second), ascends, String::cmp)
                }
                SortKey::Field(field) => panic!("nothing is sorted by {field}"),
                SortKey::Score => by_values(Some(a.1), Some(b.1), ascends, f64::total_cmp),
                SortKey::Id => by_values(Some(first.id), Some(second.id), ascends, i64::cmp),
            };
            if order.is_ne() {
                return order;
            }
        }
        a.0.cmp(&b.0)
    }
}

fn by_values<T>(a: Option<T>, b: Option<T>, ascends: bool, order: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if ascends => order(&a, &b),
        (Some(a), Some(b)) => order(&b, &a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn passes(doc: &Doc, options: &Options) -> bool {
    options.filter.condition().is_none_or(|condition| holds(doc, condition))
}

fn holds(doc: &Doc, condition: &Condition) -> bool {
    match condition {
        Condition::All(of) => of.iter().all(|of| holds(doc, of)),
        Condition::Any(of) => of.iter().any(|of| holds(doc, of)),
        Condition::Not(of) => !holds(doc, of),
        Condition::Keywords(_, values) => doc.tags.iter().any(|tag| values.iter().any(|value| value == tag.as_bytes())),
        Condition::Range(_, low, high) => doc.price.is_some_and(|price| *low <= price && price <= *high),
        Condition::Numbers(_, numbers) => doc.price.is_some_and(|price| numbers.contains(&price)),
        Condition::Exists(TAG) => !doc.tags.is_empty(),
        Condition::Exists(PRICE) => doc.price.is_some(),
        Condition::Exists(field) => !doc.words(*field).is_empty(),
        Condition::Ids(ids) => ids.contains(&Id::Int(doc.id)),
        Condition::DocIds(_) => panic!("documents do not know their docIDs"),
    }
}
