//! What a search finds, by definition: every document is looked at, in double precision.

use super::super::{Condition, Direction, Index, MOST_WORDS, Matching, Options, SortKey};
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::index::segment::{Dictionary, Segment};
use crate::index::{Codecs, Document, Field, Id, Kind, Schema, Value, length};
use crate::query::Typos;
use crate::query::fuzzy::{self, tests::distance};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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

/// What words also stand for. None is looked up again.
pub(super) const SYNONYMS: [(&str, &str); 5] =
    [("abc", "b"), ("abc", "ab a"), ("b", "abc"), ("zebra", "nobody"), ("nobody", "a")];

pub(super) fn schema(positions: bool) -> Schema {
    schema_in(None, positions)
}

pub(super) fn schema_in(language: Option<&str>, positions: bool) -> Schema {
    let field = |name: &str, kind, number: usize| Field {
        weight: if kind == Kind::Text { WEIGHTS[number] as f32 } else { 1.0 },
        stored: number == TITLE,
        ..Field::new(name, kind)
    };
    let fields = vec![
        field("title", Kind::Text, TITLE),
        field("tag", Kind::Keyword, TAG),
        field("body", Kind::Text, BODY),
        field("price", Kind::Numeric, PRICE),
        field("note", Kind::Text, NOTE),
        field("serial", Kind::Numeric, SERIAL),
    ];
    let language = language.map(str::to_owned);
    let analyzer = Analyzer::new(AnalyzerOptions { language, ..AnalyzerOptions::default() }).unwrap();
    Schema { fields, positions, codecs: Codecs::default(), analyzer }
}

/// A document: words of the text fields, keywords, and numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Doc {
    pub(super) id: i64,
    pub(super) texts: [Vec<String>; 3],
    pub(super) tags: Vec<String>,
    pub(super) prices: Vec<f64>,
    /// Whether its words are added as terms, without an analyzer.
    pub(super) as_terms: bool,
}

impl Doc {
    pub(super) fn document(&self, serial: usize) -> Document {
        let mut values = vec![(SERIAL, Value::Number(serial as f64))];
        for ((field, _), words) in TEXTS.iter().zip(&self.texts) {
            values.push(match self.as_terms {
                true => (*field, Value::Tokens(words.iter().map(|word| word.clone().into()).collect())),
                false => (*field, Value::Text(words.join(" ").into())),
            });
        }
        values.push((TAG, Value::Keywords(self.tags.iter().map(|tag| tag.clone().into()).collect())));
        match self.prices[..] {
            [] => (),
            [price] => values.push((PRICE, Value::Number(price))),
            ref prices => values.push((PRICE, Value::List(prices.iter().copied().map(Value::Number).collect()))),
        }
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
    /// Words of a phrase, moved by so many in all.
    Near(Vec<String>, u32),
}

#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) exclude: bool,
    pub(super) required: bool,
    pub(super) boost: f64,
    /// An index into [`TEXTS`].
    pub(super) field: Option<usize>,
    pub(super) atom: Atom,
}

/// What is typed.
pub(super) fn typed(query: &[Clause]) -> String {
    let clauses = query.iter().map(|Clause { exclude, required, boost, field, atom }| {
        let sign = if *exclude {
            "-"
        } else if *required {
            "+"
        } else {
            ""
        };
        let field = field.map_or(String::new(), |field| format!("{}:", TEXTS[field].1));
        let atom = match atom {
            Atom::Word(word) => word.clone(),
            Atom::Phrase(words) => format!("\"{}\"", words.join(" ")),
            Atom::Prefix(prefix) => format!("{prefix}*"),
            Atom::Fuzzy(word, distance) => format!("{word}~{distance}"),
            Atom::Near(words, slop) => format!("\"{}\"~{slop}", words.join(" ")),
        };
        let boost = if *boost == 1.0 { String::new() } else { format!("^{boost}") };
        format!("{sign}{field}{atom}{boost}")
    });
    clauses.collect::<Vec<_>>().join(" ")
}

/// The documents of a snapshot in the order of their insertion, with deleted ones that no merge has removed: they count
/// for N, n and the average length.
pub(super) struct Definition {
    pub(super) docs: Vec<Doc>,
    pub(super) live: Vec<bool>,
    /// Per document and field, the terms.
    terms: Vec<[Vec<String>; 3]>,
    /// Per field, how many documents have each term.
    containing: BTreeMap<usize, HashMap<String, u64>>,
    /// The same of words.
    words: BTreeMap<usize, BTreeMap<String, u64>>,
    positions: bool,
    analyzer: Analyzer,
    /// Per field, if terms are stems: words, and terms whose words are not known. After a merge there may be words of
    /// documents that are gone, which only the index knows.
    known: BTreeMap<usize, [BTreeSet<String>; 2]>,
}

impl Definition {
    /// `versions` are all documents that were ever added, by serial number.
    pub(super) fn new(index: &Index, versions: &[Doc]) -> Definition {
        let (positions, analyzer) = (index.schema().positions, index.schema().analyzer.clone());
        let known = if analyzer.stems() { known(index) } else { BTreeMap::new() };
        let (docs, live, terms, containing, words) = Default::default();
        let mut definition = Definition { docs, live, terms, containing, words, positions, analyzer, known };
        for part in index.snapshot().parts() {
            let segment: &Segment = &part.segment;
            let mut doc_ids: Vec<u32> = (0..segment.documents()).collect();
            doc_ids.sort_by_key(|&doc_id| segment.ordinal(doc_id).unwrap());
            for doc_id in doc_ids {
                let serial = segment.number(SERIAL, doc_id).unwrap().unwrap();
                let doc = versions[serial as usize].clone();
                assert_eq!(segment.id(doc_id).unwrap(), Id::Int(doc.id));
                let term = |word: &String| if doc.as_terms { word.clone() } else { definition.term(word) };
                definition.terms.push(doc.texts.each_ref().map(|words| words.iter().map(term).collect()));
                definition.docs.push(doc);
                definition.live.push(part.deleted.as_ref().is_none_or(|deleted| !deleted.contains(doc_id)));
            }
        }
        for (field, _) in TEXTS {
            let mut containing: HashMap<String, u64> = HashMap::new();
            for terms in definition.terms(field) {
                let different: HashSet<&String> = terms.iter().collect();
                different.into_iter().for_each(|term| *containing.entry(term.clone()).or_default() += 1);
            }
            definition.containing.insert(field, containing);
            let mut words: BTreeMap<String, u64> = BTreeMap::new();
            for doc in &definition.docs {
                let different: HashSet<&String> = doc.words(field).iter().collect();
                different.into_iter().for_each(|word| *words.entry(word.clone()).or_default() += 1);
            }
            definition.words.insert(field, words);
        }
        definition
    }

    /// The words of a field, with the number of documents containing each.
    pub(super) fn words(&self, field: usize, accepts: impl Fn(&str) -> bool) -> BTreeMap<String, u64> {
        self.words[&field].iter().filter(|(word, _)| accepts(word)).map(|(word, &n)| (word.clone(), n)).collect()
    }

    /// The terms of each document's field.
    fn terms(&self, field: usize) -> impl Iterator<Item = &Vec<String>> {
        let number = TEXTS.iter().position(|text| text.0 == field).unwrap();
        self.terms.iter().map(move |terms| &terms[number])
    }

    fn term(&self, word: &str) -> String {
        self.analyzer.stem(word).into_owned()
    }

    /// What terms of a field count for, by what their words do, or they themselves.
    fn nearest(
        &self,
        field: usize,
        of_word: &dyn Fn(&str) -> Option<f64>,
        of_term: &dyn Fn(&str) -> Option<f64>,
        typed: Option<&str>,
    ) -> BTreeMap<String, f64> {
        let mut nearest: BTreeMap<String, f64> = BTreeMap::new();
        let mut add = |term: String, of: f64| {
            let best = nearest.entry(term).or_insert(of);
            *best = best.max(of);
        };
        match self.known.get(&field) {
            None => self.words[&field].keys().for_each(|word| {
                if let Some(of) = of_word(word) {
                    add(word.clone(), of);
                }
            }),
            Some([words, terms]) => {
                words
                    .iter()
                    .filter_map(|word| Some((word, of_word(word)?)))
                    .for_each(|(word, of)| add(self.term(word), of));
                terms
                    .iter()
                    .filter_map(|term| Some((term, of_term(term)?)))
                    .for_each(|(term, of)| add(term.clone(), of));
            }
        }
        if let Some(typed) = typed {
            add(self.term(typed), 1.0);
        }
        nearest
    }

    fn idf(&self, containing: u64) -> f64 {
        let (all, containing) = (self.docs.len() as f64, containing as f64);
        (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln()
    }

    /// What an atom is in a field: the idf, with what it counts for less than what was typed, and the frequency in each
    /// document; once for each distance.
    fn leaves(&self, atom: &Atom, edits: u8, start: bool, exclude: bool, field: usize) -> Vec<(f64, Vec<usize>)> {
        let expanded = |of_word: &dyn Fn(&str) -> Option<f64>, of_term: &dyn Fn(&str) -> Option<f64>, typed| {
            let terms = self.nearest(field, of_word, of_term, typed).into_iter();
            let containing = &self.containing[&field];
            let counted = |(term, of): (String, f64)| Some((of, *containing.get(&term)?, term));
            let mut terms: Vec<_> = terms.filter_map(counted).collect();
            terms.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
            terms.truncate(MOST_WORDS);
            let leaf = |of: f64| {
                let common = terms.iter().filter(|term| term.0 >= of).map(|term| term.1).max();
                let counting: HashSet<&String> = terms.iter().filter(|term| term.0 == of).map(|term| &term.2).collect();
                if counting.is_empty() {
                    return (0.0, Vec::new());
                }
                let frequency = |terms: &Vec<String>| terms.iter().filter(|term| counting.contains(term)).count();
                (of * self.idf(common.unwrap_or(0)), self.terms(field).map(frequency).collect())
            };
            [1.0, 0.75, 0.5, 0.25].map(leaf).to_vec()
        };
        match atom {
            Atom::Word(word) => {
                let of_word = |other: &str| like(word, word, other, edits, start);
                let of_term = |other: &str| like(word, &self.term(word), other, edits, start);
                expanded(&of_word, &of_term, Some(word))
            }
            Atom::Prefix(prefix) => {
                let of = |word: &str| {
                    let whole = if word == prefix { 1.0 } else { 0.75 };
                    word.starts_with(prefix).then_some(whole)
                };
                expanded(&of, &of, None)
            }
            Atom::Fuzzy(word, distance) => {
                let of = |other: &str| {
                    let within = |most: u8| fuzzy::accepts(&fuzzy::automaton(word, most), other);
                    (0..=*distance).find(|&edits| within(edits)).map(|edits| 0.5f64.powi(edits.into()))
                };
                expanded(&of, &of, None)
            }
            Atom::Phrase(words) | Atom::Near(words, _) => {
                let slop = if let Atom::Near(_, slop) = atom { *slop } else { 0 };
                let words: Vec<String> = words.iter().map(|word| self.term(word)).collect();
                let containing = &self.containing[&field];
                let idf = words.iter().map(|word| self.idf(containing.get(word).copied().unwrap_or(0))).sum();
                let frequency = |terms: &Vec<String>| match exclude && !self.positions {
                    true => usize::from(words.iter().all(|word| terms.contains(word))),
                    false => near(terms, &words, slop.into()),
                };
                vec![(idf, self.terms(field).map(frequency).collect())]
            }
        }
    }

    /// The documents that match all words of a query, or any, with their scores, in the order of their insertion.
    pub(super) fn find(&self, query: &[Clause], needs_all: bool, options: &Options) -> Vec<(usize, f64)> {
        let (k1, b) = (f64::from(options.bm25.k1), f64::from(options.bm25.b));
        let mut weights = WEIGHTS.to_vec();
        options.weights.iter().for_each(|&(field, weight)| weights[field] = f64::from(weight));
        let mut excluded = vec![false; self.docs.len()];
        let mut scores = vec![0.0; self.docs.len()];
        let mut wanted = false;
        let counting = self.first_words(query, options.words);
        let some_required = !needs_all && counting.iter().any(|clause| clause.required && !clause.exclude);
        let mut matching = vec![needs_all || some_required; self.docs.len()];
        for (place, Clause { exclude, required, boost, field, atom }) in counting.iter().enumerate() {
            let is_last = place + 1 == query.len() && options.prefix && !exclude;
            // Without positions a phrase is its words.
            let atoms: Vec<Atom> = match atom {
                Atom::Phrase(words) | Atom::Near(words, _) if !self.positions && !exclude => {
                    words.iter().cloned().map(Atom::Word).collect()
                }
                atom => vec![atom.clone()],
            };
            let is_phrase = matches!(atom, Atom::Phrase(_) | Atom::Near(..));
            for atom in atoms {
                let edits = match (options.typos, &atom) {
                    (Typos::UpTo(edits), Atom::Word(_)) if !exclude && !is_phrase => edits,
                    (Typos::Auto, Atom::Word(word)) if !exclude && !is_phrase => {
                        [0, 0, 0, 0, 1, 1, 1, 1, 2][word.len().min(8)]
                    }
                    _ => 0,
                };
                let start = is_last && !is_phrase;
                let mut has = vec![false; self.docs.len()];
                for (number, &(at, _)) in TEXTS.iter().enumerate() {
                    let weight = match field {
                        Some(field) if *field != number => continue,
                        _ if options.fields.as_ref().is_some_and(|fields| !fields.contains(&at)) => continue,
                        _ if options.fields.is_some() && weights[at] == 0.0 => 1.0,
                        Some(_) if weights[at] == 0.0 => 1.0,
                        None if weights[at] == 0.0 && !exclude => continue,
                        _ => weights[at],
                    };
                    let tokens: usize = self.docs.iter().map(|doc| doc.texts[number].len()).sum();
                    let average = tokens as f64 / self.docs.len() as f64;
                    let mut leaves = self.leaves(&atom, edits, start, *exclude, at);
                    let word = match &atom {
                        Atom::Word(word) => Some(word),
                        // What is left of a phrase.
                        Atom::Phrase(words) | Atom::Near(words, _) if words.len() == 1 => words.first(),
                        _ => None,
                    };
                    if let (Some(word), false, Some(_)) = (word, *exclude, &options.synonyms) {
                        for (_, synonym) in SYNONYMS.iter().filter(|(of, _)| of == word) {
                            let words: Vec<String> = synonym.split(' ').map(str::to_owned).collect();
                            let synonym =
                                if let [word] = &words[..] { Atom::Word(word.clone()) } else { Atom::Phrase(words) };
                            leaves.extend(self.leaves(&synonym, 0, false, true, at));
                        }
                    }
                    let leaves = leaves.iter().flat_map(|(idf, frequencies)| {
                        frequencies.iter().enumerate().map(move |(doc, &frequency)| (*idf, doc, frequency))
                    });
                    for (idf, doc, frequency) in leaves.filter(|leaf| leaf.2 > 0) {
                        has[doc] = true;
                        if !exclude {
                            let length = self.docs[doc].texts[number].len() as u32;
                            let length = f64::from(length::decode(length::encode(length)));
                            let tf = frequency as f64;
                            scores[doc] +=
                                boost * weight * idf * (k1 + 1.0) * tf / (tf + k1 * (1.0 - b + b * length / average));
                        }
                    }
                }
                if *exclude {
                    excluded.iter_mut().zip(has).for_each(|(excluded, has)| *excluded |= has);
                    continue;
                }
                wanted = true;
                for (matching, has) in matching.iter_mut().zip(has) {
                    *matching = match () {
                        () if needs_all || some_required => *matching && (has || !needs_all && !required),
                        () => *matching || has,
                    };
                }
            }
        }
        let is_hit = |doc: &usize| {
            self.live[*doc] && (matching[*doc] || !wanted) && !excluded[*doc] && passes(&self.docs[*doc], options)
        };
        (0..self.docs.len()).filter(is_hit).map(|doc| (doc, scores[doc])).collect()
    }

    /// The words of a query that count.
    fn first_words(&self, query: &[Clause], mut most: usize) -> Vec<Clause> {
        let mut first = Vec::new();
        for clause in query {
            let mut clause = clause.clone();
            if let Atom::Phrase(words) | Atom::Near(words, _) = &mut clause.atom {
                if clause.exclude && !self.positions {
                    let mut seen = HashSet::new();
                    words.retain(|word| seen.insert(self.term(word)));
                }
                words.truncate(most);
                most -= words.len();
                if words.is_empty() {
                    break;
                }
            } else if most == 0 {
                break;
            } else {
                most -= 1;
            }
            first.push(clause);
        }
        first
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
                SortKey::Field(PRICE) => {
                    let least = |doc: &Doc| doc.prices.iter().copied().reduce(f64::min);
                    let greatest = |doc: &Doc| doc.prices.iter().copied().reduce(f64::max);
                    let price = |doc: &Doc| if ascends { least(doc) } else { greatest(doc) };
                    by_values(price(first), price(second), ascends, f64::total_cmp)
                }
                SortKey::Field(TAG) => {
                    let tag = |doc: &Doc| if ascends { doc.tags.iter().min() } else { doc.tags.iter().max() }.cloned();
                    by_values(tag(first), tag(second), ascends, String::cmp)
                }
                SortKey::Field(field) => panic!("nothing is sorted by {field}"),
                SortKey::Score => by_values(Some(a.1), Some(b.1), ascends, f64::total_cmp),
                SortKey::Id => by_values(Some(first.id), Some(second.id), ascends, i64::cmp),
                SortKey::Distance(..) => panic!("these documents have no points"),
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

/// The words beside stems, and the terms of segments that do not know all words.
fn known(index: &Index) -> BTreeMap<usize, [BTreeSet<String>; 2]> {
    let keys = |dictionary: &Dictionary| {
        let (mut terms, mut keys) = (dictionary.terms().unwrap(), Vec::new());
        while let Some((term, ..)) = terms.next().unwrap() {
            keys.push(String::from_utf8(term.to_vec()).unwrap());
        }
        keys
    };
    let of_field = |&(field, _): &(usize, &str)| {
        let [mut words, mut terms] = [BTreeSet::new(), BTreeSet::new()];
        for part in index.snapshot().parts() {
            let known = part.segment.words(field).unwrap();
            words.extend(known.into_iter().flat_map(|known| keys(known.map())));
            if known.is_none_or(|known| !known.all_known()) {
                terms.extend(keys(part.segment.dictionary(field).unwrap()));
            }
        }
        (field, [words, terms])
    };
    TEXTS.iter().map(of_field).collect()
}

/// What a word or term of a document counts for where a plain word was typed that forgives typos, or is a prefix. Whole ones
/// are compared with `whole`, beginnings with what was typed.
fn like(typed: &str, whole: &str, other: &str, edits: u8, start: bool) -> Option<f64> {
    if whole == other {
        return Some(1.0);
    }
    let within = |word: &str, other: &str| match edits {
        0 => (word == other).then_some(0),
        _ => Some(distance(word, other)).filter(|&of| of <= edits.into()),
    };
    let of_whole = within(whole, other).map(|of| 0.5f64.powi(of as i32));
    let starts = (1..=other.len())
        .filter(|&end| start && other.is_char_boundary(end))
        .filter_map(|end| within(typed, &other[..end]));
    let start = starts.min().map(|of| if of == 0 { 0.75 } else { 0.5f64.powi(of as i32) });
    let best = of_whole.into_iter().chain(start).max_by(f64::total_cmp);
    let first = typed.chars().next();
    best.filter(|_| first == other.chars().next() || whole.chars().next() != first)
}

/// In how many windows of differences, each beginning with one, every word of a phrase has a position of its own.
fn near(text: &[String], phrase: &[String], slop: i64) -> usize {
    fn fits(text: &[String], phrase: &[String], word: usize, start: i64, slop: i64, used: &mut Vec<usize>) -> bool {
        let is_in = |at: usize| (start..=start + slop).contains(&(at as i64 - word as i64));
        word == phrase.len()
            || (0..text.len()).filter(|&at| text[at] == phrase[word] && is_in(at)).any(|at| {
                if used.contains(&at) {
                    return false;
                }
                used.push(at);
                let fits = fits(text, phrase, word + 1, start, slop, used);
                used.pop();
                fits
            })
    }
    let mut starts: Vec<i64> = Vec::new();
    for (word, of_phrase) in phrase.iter().enumerate() {
        starts.extend((0..text.len()).filter(|&at| text[at] == *of_phrase).map(|at| at as i64 - word as i64));
    }
    starts.sort_unstable();
    starts.dedup();
    starts.into_iter().filter(|&start| fits(text, phrase, 0, start, slop, &mut Vec::new())).count()
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
        Condition::Range(_, low, high) => doc.prices.iter().any(|price| low <= price && price <= high),
        Condition::Numbers(_, numbers) => doc.prices.iter().any(|price| numbers.contains(price)),
        Condition::Exists(TAG) => !doc.tags.is_empty(),
        Condition::Exists(PRICE) => !doc.prices.is_empty(),
        Condition::Exists(field) => !doc.words(*field).is_empty(),
        Condition::Ids(ids) => ids.contains(&Id::Int(doc.id)),
        Condition::Within(..) => panic!("these documents have no points"),
        Condition::DocIds(_) => panic!("documents do not know their docIDs"),
    }
}
