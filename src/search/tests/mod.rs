//! Searches of generated indexes, compared with [`definition`].

mod analyzers;
mod champions;
mod codecs;
mod compounds;
mod conditions;
mod definition;
mod geo;
mod kept;
mod limits;
mod pages;
mod phrases;
mod rare;
mod similar;
mod statistics;
mod stemmed;
mod vectors;
pub(super) mod walk;
mod weights;

use super::*;
use crate::base::noise::Noise;
use crate::index::{self, Writer};
use definition::{Atom, BODY, Clause, Definition, Doc, NOTE, PRICE, TAG, TEXTS, TITLE, typed};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, HashMap};

/// Alike enough for prefixes and fuzzy words.
const WORDS: [&str; 14] =
    ["a", "ab", "abc", "abd", "acd", "b", "ba", "bac", "cab", "dab", "abcde", "abdce", "zz", "zebra"];

#[derive(Debug, Clone)]
enum Change {
    Add(Doc),
    Delete(i64),
}

/// How an index is cut and written.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// Whether there is only one commit.
    at_once: bool,
    threads: usize,
    optimize: Option<bool>,
    positions: bool,
    language: Option<&'static str>,
}

const PLAIN: Way = Way { at_once: false, threads: 1, optimize: None, positions: true, language: None };

fn build(folder: &Path, commits: &[Vec<Change>], way: Way) -> Index {
    let options = index::WriterOptions { threads: way.threads, ..index::WriterOptions::default() };
    let mut writer = Writer::open(folder, Some(definition::schema_in(way.language, way.positions)), options).unwrap();
    let mut serial = 0;
    for commit in commits {
        for change in commit {
            match change {
                Change::Add(doc) => {
                    writer.add(Id::Int(doc.id), doc.document(serial)).unwrap();
                    serial += 1;
                }
                Change::Delete(id) => {
                    writer.delete(&Id::Int(*id)).unwrap();
                }
            }
        }
        if !way.at_once {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    if let Some(reorder) = way.optimize {
        writer.optimize(reorder).unwrap();
    }
    Index::open(folder).unwrap()
}

/// The definition of an index, after a check that it has the documents that it should have.
fn define(index: &Index, commits: &[Vec<Change>]) -> Definition {
    let mut versions = Vec::new();
    let mut live: Vec<usize> = Vec::new();
    for change in commits.iter().flatten() {
        let (Change::Add(Doc { id, .. }) | Change::Delete(id)) = change;
        live.retain(|&serial: &usize| {
            let version: &Doc = &versions[serial];
            version.id != *id
        });
        if let Change::Add(doc) = change {
            live.push(versions.len());
            versions.push(doc.clone());
        }
    }
    let definition = Definition::new(index, &versions);
    let ids = |serials: &[usize]| serials.iter().map(|&serial| versions[serial].id).collect::<Vec<_>>();
    let there: Vec<i64> =
        definition.docs.iter().zip(&definition.live).filter(|(_, live)| **live).map(|(doc, _)| doc.id).collect();
    assert_eq!(there, ids(&live));
    assert_eq!(index.documents(), live.len() as u64);
    definition
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

/// Checks all that can be asked with a query.
fn check(index: &Index, definition: &Definition, query: &[Clause], options: &Options) {
    // Of fields that are not searched the name is text.
    let is_bound = |field: usize| options.fields.as_ref().is_none_or(|fields| fields.contains(&TEXTS[field].0));
    let bound = |clause: &Clause| Clause { field: clause.field.filter(|&field| is_bound(field)), ..clause.clone() };
    let query = &query.iter().map(bound).collect::<Vec<_>>()[..];
    let text = typed(query);
    let numbers: BTreeMap<i64, usize> = (0..definition.docs.len())
        .filter(|&doc| definition.live[doc])
        .map(|doc| (definition.docs[doc].id, doc))
        .collect();
    let number = |hit: &FoundHit| match hit.id {
        Id::Int(id) => numbers[&id],
        _ => panic!("{:?} is no id of these documents", hit.id),
    };

    // All hits: each group has the right documents and scores, in the order that its scores say.
    let everything = Options { limit: usize::MAX, offset: 0, ..options.clone() };
    let all = index.search(&text, &everything).unwrap();
    let mut rest = &all.hits[..];
    for mut group in definition.groups(query, &everything) {
        assert!(rest.len() >= group.len(), "{text} {options:?}: {} hits, not {}", rest.len(), group.len());
        let (hits, after) = rest.split_at(group.len());
        rest = after;
        if options.is_by_score() {
            let in_order =
                |a: &FoundHit, b: &FoundHit| a.score > b.score || (a.score == b.score && number(a) < number(b));
            assert!(hits.is_sorted_by(in_order), "{text} {options:?}: {hits:?}");
            let mut hits: Vec<(usize, f64)> = hits.iter().map(|hit| (number(hit), hit.score)).collect();
            hits.sort_by_key(|hit| hit.0);
            let same = hits.iter().zip(&group).all(|(a, b)| a.0 == b.0 && near(a.1, b.1));
            assert!(same, "{text} {options:?}: {hits:?} {group:?}");
        } else {
            // Scores that are equal in truth may differ a little here.
            let scores: HashMap<usize, f64> = hits.iter().map(|hit| (number(hit), hit.score)).collect();
            let with_score = |doc: usize| (doc, scores.get(&doc).copied().unwrap_or(f64::NAN));
            group.sort_by(|a, b| definition.sorted(with_score(a.0), with_score(b.0), options));
            let same = hits.iter().zip(&group).all(|(hit, other)| number(hit) == other.0 && near(hit.score, other.1));
            assert!(same, "{text} {options:?}: {hits:?} {group:?}");
        }
    }
    assert_eq!(rest, [], "{text} {options:?}");

    // Some of them.
    let groups = definition.groups(query, options);
    let total: usize = groups.iter().map(Vec::len).sum();
    let found = index.search(&text, options).unwrap();
    let wanted: Vec<FoundHit> = all.hits[..total].iter().skip(options.offset).take(options.limit).cloned().collect();
    assert_eq!(found.hits, wanted, "{text} {options:?}");
    assert_eq!(found.total, options.total.then_some(total as u64), "{text} {options:?}");
    assert_eq!(index.count(&text, options).unwrap(), total as u64, "{text} {options:?}");

    // Facets.
    let matching: Vec<usize> =
        definition.find(query, options.matching == Matching::All, options).into_iter().map(|(doc, _)| doc).collect();
    let mut facets: HashMap<Vec<u8>, u64> = HashMap::new();
    for &doc in &matching {
        let mut tags = definition.docs[doc].tags.clone();
        tags.sort();
        tags.dedup();
        tags.into_iter().for_each(|tag| *facets.entry(tag.into_bytes()).or_default() += 1);
    }
    let mut facets: Vec<(Vec<u8>, u64)> = facets.into_iter().collect();
    facets.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    facets.truncate(2);
    assert_eq!(index.facets(TAG, &text, options, 2).unwrap(), facets, "{text} {options:?}");
    pages::check(index, definition, &text, options, &all.hits, &matching, facets);

    // How scores come about: of the first hits and of some that are none.
    let scores: HashMap<usize, f64> = all.hits.iter().map(|hit| (number(hit), hit.score)).collect();
    for (id, doc) in numbers.iter().take(10) {
        let explanation = index.explain(&text, &Id::Int(*id), options).unwrap().unwrap();
        assert_eq!(explanation.matches, matching.contains(doc), "{text} {options:?} {id}");
        let sum: f64 = explanation.parts.iter().map(|part| part.score).sum();
        assert!(near(explanation.score, sum));
        if let (true, Some(&score)) = (explanation.matches, scores.get(doc)) {
            assert!(near(explanation.score, score), "{text} {options:?} {id}: {explanation:?} {score}");
        }
        for part in explanation.parts {
            let text = TEXTS.iter().position(|(_, name)| *name == part.field).unwrap();
            let length = definition.docs[*doc].texts[text].len() as u32;
            assert_eq!(part.length, index::length::decode(index::length::encode(length)));
            let tf = f64::from(part.frequency);
            assert!(tf > 0.0 && part.score <= part.weight * tf / (tf + f64::MIN_POSITIVE), "{part:?}");
        }
    }
}

/// Checks what can be asked without a query.
fn check_words(index: &Index, definition: &Definition) {
    for (field, _) in TEXTS {
        for (prefix, limit) in [("", 3), ("", usize::MAX), ("ab", 2), ("b", usize::MAX), ("zzz", 9)] {
            let words = definition.words(field, |word| word.starts_with(prefix)).into_iter();
            let words: Vec<(Vec<u8>, u64)> = words.map(|(word, n)| (word.into_bytes(), n)).take(limit).collect();
            assert_eq!(index.terms(prefix.as_bytes(), field, limit).unwrap(), words);
        }
        for word in WORDS.iter().step_by(3) {
            let doc_ids = index.postings(word.as_bytes(), field).unwrap().decode();
            let mut ids: Vec<Id> = doc_ids.iter().map(|&at| index.id(at.into()).unwrap().unwrap()).collect();
            let text = TEXTS.iter().position(|text| text.0 == field).unwrap();
            let has =
                |doc: &usize| definition.live[*doc] && definition.docs[*doc].texts[text].iter().any(|w| w == word);
            let mut wanted: Vec<Id> =
                (0..definition.docs.len()).filter(has).map(|doc| Id::Int(definition.docs[doc].id)).collect();
            ids.sort();
            wanted.sort();
            assert_eq!(ids, wanted, "{word}");
        }
    }
    for (typed, prefix, field) in [("zz ab", "ab", None), ("A", "a", Some(BODY)), ("-title:b", "b", Some(TITLE))] {
        let mut sums: HashMap<String, u64> = HashMap::new();
        for (at, _) in TEXTS.iter().filter(|text| field.is_none_or(|field| field == text.0)) {
            let words = definition.words(*at, |word| word.starts_with(prefix));
            words.into_iter().for_each(|(word, n)| *sums.entry(word).or_default() += n);
        }
        let mut sums: Vec<(String, u64)> = sums.into_iter().collect();
        sums.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        sums.truncate(4);
        assert_eq!(index.suggest(typed, field, 4).unwrap(), sums, "{typed}");
    }
    for (doc, _) in definition.docs.iter().zip(&definition.live).filter(|(_, live)| **live) {
        let doc_id = index.doc_id(&Id::Int(doc.id)).unwrap().unwrap();
        assert_eq!(index.id(doc_id).unwrap(), Some(Id::Int(doc.id)));
        let stored = index.stored(doc_id).unwrap();
        assert_eq!(stored, [(TITLE, Value::Text(doc.texts[0].join(" ").into()))]);
    }
}

fn words(most: usize) -> impl Strategy<Value = Vec<String>> {
    // Small numbers are frequent.
    let word = (0..WORDS.len(), 0..WORDS.len()).prop_map(|(a, b)| WORDS[a * b / WORDS.len()].to_owned());
    prop::collection::vec(word, 0..most)
}

fn doc() -> impl Strategy<Value = Doc> {
    let tags = prop::collection::vec(prop::sample::select(vec!["red", "green", "blue", ""]), 0..3);
    let number = prop::sample::select(vec![-1.5, 0.0, 2.0, 7.25]);
    let prices =
        prop_oneof![4 => prop::collection::vec(number.clone(), 0..2), 1 => prop::collection::vec(number, 0..5)];
    (0..30i64, words(4), words(60), words(9), tags, prices).prop_map(|(id, title, body, note, tags, prices)| Doc {
        id,
        texts: [title, body, note],
        tags: tags.into_iter().map(str::to_owned).collect(),
        prices,
        as_terms: false,
    })
}

fn commits() -> impl Strategy<Value = Vec<Vec<Change>>> {
    let change = prop_oneof![6 => doc().prop_map(Change::Add), 1 => (0..30i64).prop_map(Change::Delete)];
    prop::collection::vec(prop::collection::vec(change, 0..25), 1..5)
}

fn query() -> impl Strategy<Value = Vec<Clause>> {
    let word = || prop::sample::select([&WORDS[..], &["nobody"]].concat()).prop_map(str::to_owned);
    let phrase = (1..5usize, 2..6usize).prop_flat_map(|(different, length)| {
        prop::collection::vec(prop::sample::select(WORDS[..different].to_vec()).prop_map(str::to_owned), length)
    });
    let near = prop::collection::vec(prop::sample::select(WORDS[..5].to_vec()).prop_map(str::to_owned), 2..4);
    let atom = prop_oneof![
        5 => word().prop_map(Atom::Word),
        2 => phrase.prop_map(Atom::Phrase),
        1 => prop::sample::select(vec!["a", "ab", "z", "x"]).prop_map(|prefix| Atom::Prefix(prefix.into())),
        1 => (word(), 1..3u8).prop_map(|(word, distance)| Atom::Fuzzy(word, distance)),
        1 => (near, 1..5u32).prop_map(|(words, slop)| Atom::Near(words, slop)),
    ];
    let sign = prop::sample::select(vec![(false, false), (false, false), (false, false), (true, false), (false, true)]);
    let boost = prop::sample::select(vec![1.0, 1.0, 1.0, 2.5, 0.125]);
    let clause = (sign, boost, prop::option::weighted(0.3, 0..TEXTS.len()), atom);
    let clause =
        clause.prop_map(|((exclude, required), boost, field, atom)| Clause { exclude, required, boost, field, atom });
    prop::collection::vec(clause, 0..5)
}

fn filter(condition: Condition) -> Filter {
    Filter::new(condition).unwrap()
}

fn options() -> impl Strategy<Value = Options> {
    let matching = prop::sample::select(vec![Matching::All, Matching::Any, Matching::AllThenAny]);
    let filter = prop_oneof![2 => Just(Filter::default()), 3 => conditions::condition().prop_map(filter)];
    let directions = prop::sample::select(vec![Direction::Ascending, Direction::Descending]);
    let keys = vec![SortKey::Field(PRICE), SortKey::Field(TAG), SortKey::Score, SortKey::Id];
    let sort = prop::collection::vec((prop::sample::select(keys), directions), 1..4);
    let sort = prop_oneof![1 => Just(Vec::new()), 1 => sort];
    let weights = prop_oneof![
        3 => Just(Vec::new()),
        1 => Just(vec![(TITLE, 0.0), (NOTE, 3.0)]),
        1 => Just(vec![(TITLE, 0.0), (BODY, 0.0), (NOTE, 0.0)]),
    ];
    let bm25 = prop_oneof![3 => Just(Bm25::default()), 1 => Just(Bm25 { k1: 0.9, b: 0.4 }), 1 => Just(Bm25 { k1: 0.0, b: 1.0 })];
    let limit = prop_oneof![3 => 0..12usize, 1 => Just(1000)];
    let typos = vec![Typos::None, Typos::None, Typos::Auto, Typos::UpTo(1), Typos::UpTo(2)];
    let words = prop_oneof![5 => Just(usize::MAX), 1 => 1..6usize];
    let fields = prop::sample::select(vec![None, None, None, Some(vec![BODY]), Some(vec![NOTE, TITLE])]);
    let mut synonyms = Synonyms::default();
    let analyzer = definition::schema(true).analyzer;
    definition::SYNONYMS.iter().for_each(|(typed, of)| assert!(synonyms.add(&analyzer, typed, of)));
    let synonyms = prop::sample::select(vec![None, None, Some(Arc::new(synonyms))]);
    let read = (prop::sample::select(typos), prop::bool::weighted(0.3), words, fields, synonyms);
    (matching, filter, sort, weights, bm25, limit, (0..6usize, any::<bool>()), read).prop_map(
        |(matching, filter, sort, weights, bm25, limit, (offset, total), (typos, prefix, words, fields, synonyms))| {
            Options {
                limit,
                offset,
                matching,
                filter,
                sort,
                weights,
                total,
                bm25,
                typos,
                prefix,
                words,
                fields,
                synonyms,
                ..Options::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn small_indexes(
        commits in commits(),
        queries in prop::collection::vec((query(), options()), 1..24),
        optimize in prop::option::of(any::<bool>()),
        threads in 1..3usize,
        positions in prop::bool::weighted(0.8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), &commits, Way { at_once: false, threads, optimize, positions, language: None });
        let definition = define(&index, &commits);
        check_words(&index, &definition);
        for (query, options) in &queries {
            check(&index, &definition, query, options);
        }
    }

    #[test]
    fn results_do_not_depend_on_the_segments(
        commits in commits(),
        queries in prop::collection::vec(query(), 1..12),
        options in options(),
    ) {
        let mut first: Option<Vec<Found>> = None;
        for (at_once, threads, optimize) in
            [(false, 1, Some(false)), (false, 1, Some(true)), (true, 1, Some(false)), (false, 2, Some(false)), (true, 2, Some(true))]
        {
            let folder = tempfile::tempdir().unwrap();
            let index = build(folder.path(), &commits, Way { at_once, threads, optimize, ..PLAIN });
            let texts: Vec<String> = queries.iter().map(|query| typed(query)).collect();
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let mut found = index.search_batch(&texts, &options, threads).unwrap();
            for (one, text) in found.iter().zip(&texts) {
                prop_assert_eq!(one, &index.search(text, &options).unwrap());
            }
            // docIDs may differ.
            found.iter_mut().flat_map(|found| &mut found.hits).for_each(|hit| hit.doc_id = 0);
            prop_assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
        }
    }
}

/// A document in which each of [`WORDS`] is half as likely as the one before.
fn noisy_doc(id: i64, noise: &mut Noise) -> Doc {
    let mut doc = Doc { id, ..Doc::default() };
    for (text, filling) in [(0, 2), (1, 30), (2, 5)] {
        let filling = if noise.below(8) == 0 { 8 * filling } else { filling };
        let mut words: Vec<String> = (0..noise.below(filling)).map(|_| format!("f{}", noise.below(300))).collect();
        for (rank, word) in WORDS.iter().enumerate() {
            if noise.below(2 << (rank + usize::from(text != 1))) == 0 {
                for _ in 0..noise.below(4) + 1 {
                    words.insert(noise.below(words.len() + 1), (*word).to_owned());
                }
            }
        }
        doc.texts[text] = words;
    }
    doc.tags = ["red", "green", "blue"][noise.below(3)..].iter().map(|tag| (*tag).to_owned()).collect();
    let count = [0, 1, 1, 1, 1, 1, 1, 1, 2, 9][noise.below(10)];
    doc.prices = (0..count).map(|_| noise.below(40) as f64 / 4.0 - 3.0).collect();
    doc
}

/// Lists of many blocks, in segments of different sizes.
#[test]
fn large_index() {
    let mut noise = Noise(8);
    let commits: Vec<Vec<Change>> = [5000, 1500, 400, 30]
        .into_iter()
        .map(|number| {
            let change = |noise: &mut Noise| match noise.below(12) {
                0 => Change::Delete(noise.below(9000) as i64),
                _ => {
                    let id = noise.below(9000) as i64;
                    Change::Add(noisy_doc(id, noise))
                }
            };
            (0..number).map(|_| change(&mut noise)).collect()
        })
        .collect();
    let mut runner = TestRunner::deterministic();
    for optimize in [None, Some(true)] {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), &commits, Way { optimize, ..PLAIN });
        assert_eq!(index.snapshot().parts().len() > 1, optimize.is_none());
        let definition = define(&index, &commits);
        check_words(&index, &definition);
        for _ in 0..60 {
            let query = query().new_tree(&mut runner).unwrap().current();
            let options = options().new_tree(&mut runner).unwrap().current();
            check(&index, &definition, &query, &options);
        }
    }
}

fn word(word: impl Into<String>) -> Clause {
    Clause { exclude: false, required: false, boost: 1.0, field: None, atom: Atom::Word(word.into()) }
}

const MATCHINGS: [Matching; 3] = [Matching::All, Matching::Any, Matching::AllThenAny];

#[test]
fn long_queries() {
    let mut noise = Noise(3);
    let doc = |id| {
        let body = (0..8).map(|_| format!("w{}", noise.below(1500))).collect();
        Change::Add(Doc { id, texts: [vec!["same".into()], body, Vec::new()], ..Doc::default() })
    };
    let docs: Vec<Change> = (0..100).map(doc).collect();
    let folder = tempfile::tempdir().unwrap();
    let commits = [docs[..60].to_vec(), docs[60..].to_vec()];
    let index = build(folder.path(), &commits, PLAIN);
    let definition = define(&index, &commits);
    let mut query: Vec<Clause> = (0..10_000).map(|number| word(format!("w{}", number % 1300))).collect();
    for matching in MATCHINGS {
        check(&index, &definition, &query, &Options { matching, total: true, ..Options::default() });
    }
    query.clear();
    query.resize(10_000, word("same"));
    check(&index, &definition, &query, &Options::default());
}

#[test]
fn prefixes_of_many_words() {
    let doc = |id: i64| {
        let body = vec![format!("p{id}"), format!("p{}", id % 700), "q".into()];
        Change::Add(Doc { id, texts: [vec![], body, vec![]], ..Doc::default() })
    };
    let docs: Vec<Change> = (0..1500).map(doc).collect();
    let folder = tempfile::tempdir().unwrap();
    let commits = [docs[..1400].to_vec(), docs[1400..].to_vec()];
    let index = build(folder.path(), &commits, PLAIN);
    let definition = define(&index, &commits);
    assert!(definition.words(BODY, |word| word.starts_with('p')).len() > MOST_WORDS);
    for (query, matching) in [("p", Matching::All), ("p1", Matching::All), ("", Matching::Any)] {
        let prefix = Clause { atom: Atom::Prefix(query.into()), ..word("") };
        let query = if query.is_empty() { vec![word("q")] } else { vec![prefix, word("q")] };
        check(&index, &definition, &query, &Options { matching, limit: 20, ..Options::default() });
    }
}

#[test]
fn queries_without_words() {
    let mut noise = Noise(5);
    let docs: Vec<Change> = (0..200).map(|id| Change::Add(noisy_doc(200 - id, &mut noise))).collect();
    let commits = [docs, vec![Change::Delete(7), Change::Add(noisy_doc(190, &mut noise))]];
    let folder = tempfile::tempdir().unwrap();
    let index = build(folder.path(), &commits, PLAIN);
    let definition = define(&index, &commits);
    for matching in MATCHINGS {
        let options = Options { matching, total: true, limit: 1000, ..Options::default() };
        let ids = |text| index.search(text, &options).unwrap().hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>();
        let mut all: Vec<Id> = (1..=200).rev().filter(|id| ![7, 190].contains(id)).map(Id::Int).collect();
        all.push(Id::Int(190));
        for text in ["", " \n\t"] {
            assert_eq!(ids(text), all);
        }
        for text in ["...", "\"\"", "-", "*", "~2"] {
            assert_eq!(ids(text), [], "{text}");
            assert_eq!(index.count(text, &options).unwrap(), 0);
        }
        let without = Clause { exclude: true, ..word("a") };
        check(&index, &definition, std::slice::from_ref(&without), &options);
        check(&index, &definition, &[without, word("nobody")], &options);
        check(&index, &definition, &[word("nobody")], &options);
        check(&index, &definition, &[word("nobody"), word("a"), word("b")], &options);
    }
    let empty = tempfile::tempdir().unwrap();
    let index = build(empty.path(), &[], PLAIN);
    let definition = define(&index, &[]);
    check(&index, &definition, &[word("a")], &Options::default());
    check(&index, &definition, &[], &Options::default());
    check_words(&index, &definition);
}

#[test]
fn suggestions_complete_what_follows_a_field() {
    let doc = Doc { id: 1, texts: [vec!["abc".into()], vec!["abd".into()], vec![]], ..Doc::default() };
    let folder = tempfile::tempdir().unwrap();
    let index = build(folder.path(), &[vec![Change::Add(doc)]], PLAIN);
    let of = |text, field| -> Vec<String> {
        index.suggest(text, field, 9).unwrap().into_iter().map(|(word, _)| word).collect()
    };
    assert_eq!(of("x -ab", None), ["abc", "abd"]);
    assert_eq!(of("x \"ab", None), ["abc", "abd"]);
    assert_eq!(of("title:ab", None), ["abc"]);
    assert_eq!(of("-body:ab", None), ["abd"]);
    assert_eq!(of("title:ab", Some(BODY)), ["abd"]);
    assert_eq!(of("title:", None), [""; 0]);
    assert_eq!(of("ab ", None), [""; 0]);
    assert!(index.suggest("ab", Some(TAG), 9).is_err());
}
