//! Compounds by definition: an index whose analyzer cuts them holds what one holds whose texts say the parts after each of
//! them, and a compound that was typed is itself or all of its parts.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::index::{Document, Field, Value, WriterOptions};
use crate::query;
use std::collections::BTreeSet;

/// Words as they are typed, and their parts.
const TYPED: [(&str, &[&str]); 9] = [
    ("dampf", &[]),
    ("Schiff", &[]),
    ("fahrt", &[]),
    ("schiffs", &[]),
    ("Dampfschiff", &["dampf", "schiff"]),
    ("dampfschifffahrt", &["dampf", "schiff", "fahrt"]),
    ("Schiffsfahrt", &["schiff", "fahrt"]),
    ("Fahrtenfahrt", &["fahrt", "fahrt"]),
    ("rot", &[]),
];

fn parts_of(typed: &str) -> &'static [&'static str] {
    TYPED.iter().find(|(word, _)| *word == typed).map_or(&[], |(_, parts)| parts)
}

fn schema(language: Option<&str>, positions: bool, compounds: bool) -> Schema {
    let compounds = if compounds { vec!["Dampf".into(), "schiff".into(), "fahrt".into()] } else { Vec::new() };
    let language = language.map(str::to_owned);
    let analyzer = Analyzer::new(AnalyzerOptions { language, compounds, ..AnalyzerOptions::default() }).unwrap();
    let field = |name: &str| Field { stored: true, ..Field::new(name, Kind::Text) };
    Schema { fields: vec![field("title"), field("body")], analyzer, positions, codecs: index::Codecs::default() }
}

/// The words of a document's two fields.
type Words = [Vec<&'static str>; 2];

fn index_of(folder: &Path, schema: Schema, documents: &[Words], text: impl Fn(&[&str]) -> String) -> Index {
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    for (id, words) in (0..).zip(documents) {
        let value = |field: usize| (field, Value::Text(text(&words[field]).into()));
        writer.add(Id::Int(id), Document { values: vec![value(0), value(1)] }).unwrap();
        if id % 3 == 2 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

/// A clause: its sign, and words, in quotes if there are several.
type Clause = (&'static str, Vec<&'static str>);

fn clause_text((sign, words): &Clause) -> String {
    match &words[..] {
        [word] => format!("{sign}{word}"),
        _ => format!("{sign}\"{}\"", words.join(" ")),
    }
}

/// The terms of words in order: of each its own, then those of its parts.
fn terms(words: &[&str], analyzer: &Analyzer) -> Vec<String> {
    let all = words.iter().flat_map(|word| [&[*word], parts_of(word)].concat());
    all.map(|word| analyzer.stem(&word.to_lowercase()).into_owned()).collect()
}

/// Whether a field has what was typed.
fn has(field: &[&str], (sign, typed): &Clause, positions: bool, analyzer: &Analyzer) -> bool {
    let field = terms(field, analyzer);
    let term = |word: &str| analyzer.stem(&word.to_lowercase()).into_owned();
    match &typed[..] {
        [word] => {
            let parts = parts_of(word);
            let all = || !parts.is_empty() && parts.iter().all(|part| field.contains(&term(part)));
            field.contains(&term(word)) || *sign != "-" && all()
        }
        words if positions => {
            let phrase = terms(words, analyzer);
            // What comes after the last word's own term does not matter.
            let length = phrase.len() - parts_of(words[words.len() - 1]).len();
            field.windows(length).any(|window| window == &phrase[..length])
        }
        words => words.iter().all(|word| field.contains(&term(word))),
    }
}

fn a_word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TYPED.map(|(word, _)| word).to_vec())
}

fn ids(index: &Index, query: &str, matching: Matching) -> BTreeSet<i64> {
    let options = Options { limit: 1000, matching, ..Options::default() };
    let found = index.search(query, &options).unwrap();
    assert_eq!(index.count(query, &options).unwrap(), found.hits.len() as u64);
    found.hits.iter().map(|hit| if let Id::Int(id) = hit.id { id } else { panic!("{:?}", hit.id) }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn compounds_are_found_by_their_parts(
        documents in prop::collection::vec([prop::collection::vec(a_word(), 0..4), prop::collection::vec(a_word(), 0..4)], 1..9),
        queries in prop::collection::vec(
            prop::collection::vec((prop::sample::select(vec!["", "", "", "-", "+"]), prop::collection::vec(a_word(), 1..3)), 1..4), 1..16),
        positions in any::<bool>(),
        stems in any::<bool>(),
    ) {
        let (folder, by_hand) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let schema = |compounds| schema(stems.then_some("german"), positions, compounds);
        let index = index_of(folder.path(), schema(true), &documents, |words| words.join(" "));
        let said = |words: &[&str]| {
            words.iter().flat_map(|word| [&[*word], parts_of(word)].concat()).collect::<Vec<_>>().join(" ")
        };
        let twin = index_of(by_hand.path(), schema(false), &documents, said);
        for field in [0, 1] {
            prop_assert_eq!(index.terms(b"", field, 99).unwrap(), twin.terms(b"", field, 99).unwrap());
            prop_assert_eq!(index.suggest("d", Some(field), 9).unwrap(), twin.suggest("d", Some(field), 9).unwrap());
        }
        // Lengths and positions too.
        for query in ["dampf", "schiff rot", "\"schiff fahrt\"", "\"fahrt rot\"", "\"rot dampf\"~2", "da*", "schif~"] {
            let found = |index: &Index| index.search(query, &Options::default()).unwrap().hits;
            prop_assert_eq!(found(&index), found(&twin), "{}", query);
        }
        let analyzer = index.schema().analyzer.clone();
        for query in queries {
            let text = query.iter().map(clause_text).collect::<Vec<_>>().join(" ");
            for matching in [Matching::All, Matching::Any] {
                let is_hit = |words: &&Words| {
                    let any_field = |clause: &Clause| match clause {
                        // Without positions each word, as it is, may be in another field, unless it is excluded.
                        ("" | "+", typed) if typed.len() > 1 && !positions => {
                            let one = |word: &&'static str| words.iter().any(|field| has(field, &("-", vec![word]), positions, &analyzer));
                            match matching == Matching::Any && clause.0.is_empty() {
                                true => typed.iter().any(one),
                                false => typed.iter().all(one),
                            }
                        }
                        _ => words.iter().any(|field| has(field, clause, positions, &analyzer)),
                    };
                    let (excluded, wanted): (Vec<&Clause>, Vec<&Clause>) = query.iter().partition(|clause| clause.0 == "-");
                    let needed = |clause: &&&Clause| matching == Matching::All || clause.0 == "+";
                    !excluded.into_iter().any(any_field)
                        && wanted.iter().filter(needed).all(|clause| any_field(clause))
                        && (wanted.is_empty() || wanted.iter().any(|clause| any_field(clause)))
                };
                let expected: BTreeSet<i64> = (0..).zip(&documents).filter(|(_, words)| is_hit(words)).map(|(id, _)| id).collect();
                prop_assert_eq!(ids(&index, &text, matching), expected, "{} {:?}", text, matching);
            }
        }
    }
}

#[test]
fn compounds_with_options() {
    let folder = tempfile::tempdir().unwrap();
    let of = |title: &[&'static str], body: &[&'static str]| [title.to_vec(), body.to_vec()];
    let documents = [of(&["Dampfschiff"], &[]), of(&["Schiff"], &["dampf"]), of(&["rot"], &["schiff", "rot", "dampf"])];
    let index = index_of(folder.path(), schema(Some("german"), true, true), &documents, |words| words.join(" "));
    let found = |query: &str, options: Options| {
        let hits = index.search(query, &options).unwrap().hits;
        hits.iter().map(|hit| if let Id::Int(id) = hit.id { id } else { panic!() }).collect::<Vec<_>>()
    };
    assert_eq!(found("dampfschiff", Options::default()), [0, 2], "both parts in one field");
    assert_eq!(found("Dampfschif", Options { typos: query::Typos::Auto, ..Options::default() }), [0]);
    assert_eq!(found("dampfschiff", Options { typos: query::Typos::Auto, ..Options::default() }), [0, 2]);
    assert_eq!(found("rot dampfschi", Options { prefix: true, ..Options::default() }), [] as [i64; 0]);
    assert_eq!(found("dampfschi", Options { prefix: true, ..Options::default() }), [0]);
    assert_eq!(found("dampfschiff", Options { words: 1, ..Options::default() }), [0, 2], "one word was typed");
    assert_eq!(found("-dampfschiff", Options::default()), [1, 2]);
    let explained = index.explain("dampfschiff", &Id::Int(0), &Options::default()).unwrap().unwrap();
    assert!(explained.matches && explained.score > index.search("schiff", &Options::default()).unwrap().hits[0].score);
    let mut synonyms = query::Synonyms::default();
    let analyzer = &index.schema().analyzer;
    assert!(synonyms.add(analyzer, "Dampfschiff", "rot") && synonyms.add(analyzer, "kahn", "Dampfschiff"));
    let with = |synonyms: &query::Synonyms| Options { synonyms: Some(synonyms.clone().into()), ..Options::default() };
    assert_eq!(found("dampfschiff", with(&synonyms)).len(), 2);
    assert_eq!(found("kahn", with(&synonyms)), [0]);
    let similar = index.best_words(&Like { id: Some(Id::Int(0)), text: None }, 9, &Options::default()).unwrap().0;
    let similar: BTreeSet<&str> = similar.split(' ').map(|word| word.split('^').next().unwrap()).collect();
    assert_eq!(similar, BTreeSet::from(["\"Dampf\"", "\"schiff\""]), "the compound is in no other document");

    let marked = |query: &str, text: &str| {
        let matches = index.matches(query, text, &Options::default(), None).unwrap();
        assert!(matches.windows(2).all(|two| two[0].start <= two[1].start && two[0].end < two[1].end), "{matches:?}");
        query::highlight(text, &matches, &query::Style { before: "<", after: ">", escape: false })
    };
    assert_eq!(marked("schiff", "Das DAMPFSCHIFF, Schiffe"), "Das DAMPF<SCHIFF>, <Schiffe>");
    assert_eq!(marked("dampfschiff", "Das Dampfschiff; Dampf im Schiff"), "Das <Dampfschiff>; <Dampf> im <Schiff>");
    assert_eq!(marked("\"schiff rot\"", "Dampfschiff rot"), "Dampf<schiff rot>");
    assert_eq!(marked("\"dampfschiff rot\"", "Dampfschiff rot, rot"), "<Dampfschiff rot>, rot");
}
