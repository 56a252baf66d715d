//! Documents that are like others, and how often there are words, by their definitions.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions, Scratch};
use crate::engine::{Settings, similar};
use crate::index::{Document, Field, Value};
use crate::rank::bm25::idf;

const FIELDS: [&str; 2] = ["title", "text"];

fn schema() -> Schema {
    let field = |name: &str| Field { weight: 1.5, stored: true, ..Field::new(name, Kind::Text) };
    let options = AnalyzerOptions { language: Some("english".into()), ..AnalyzerOptions::default() };
    let fields = FIELDS.map(field).into();
    Schema { fields, analyzer: Analyzer::new(options).unwrap(), positions: true, codecs: index::Codecs::default() }
}

/// Texts by id, title and text; commits after those with a true. Some are replaced, some deleted.
fn documents() -> impl Strategy<Value = Vec<(i64, String, String, bool)>> {
    let word = proptest::sample::select(vec![
        "fast",
        "lists",
        "list",
        "Codec",
        "codecs",
        "a",
        "the",
        "full-text",
        "x.y",
        "it's",
        "検索語",
        "צה\"ל",
        "of",
        "running",
    ]);
    let text = || proptest::collection::vec(word.clone(), 0..8).prop_map(|words| words.join(" "));
    proptest::collection::vec((0..12i64, text(), text(), any::<bool>()), 1..20)
}

/// The query for a text, by the definition.
fn by_definition(index: &Index, texts: &[&str], with_itself: bool, words: usize) -> Vec<(String, f64)> {
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    for text in texts {
        index.schema().analyzer.tokens(text, &mut Scratch::new(), |token| {
            *times.entry(token.term.to_owned()).or_default() += 1;
        });
    }
    let in_field = |term: &str, field: usize| {
        let first = index.terms(term.as_bytes(), field, 1).unwrap().pop();
        first.filter(|(other, _)| other == term.as_bytes()).map_or(0, |(_, documents)| documents)
    };
    let mut weights: Vec<(String, f64)> = Vec::new();
    for (term, times) in times {
        let documents = in_field(&term, 0).max(in_field(&term, 1));
        if documents > u64::from(with_itself) {
            weights.push((term, times as f64 * idf(index.snapshot().documents(), documents)));
        }
    }
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    weights.truncate(words);
    weights
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn similar_documents_are_those_of_a_search(documents in documents(), words in 1..8usize, offset in 0..3usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(folder.path(), Some(schema()), index::WriterOptions::default()).unwrap();
        let mut last: BTreeMap<i64, (String, String)> = BTreeMap::new();
        for (id, title, text, commits) in &documents {
            let value = |text: &str| Value::Text(text.into());
            writer.add(Id::Int(*id), Document { values: vec![(0, value(title)), (1, value(text))] }).unwrap();
            last.insert(*id, (title.clone(), text.clone()));
            if *commits {
                writer.commit().unwrap();
            }
        }
        writer.commit().unwrap();
        let index = Index::open(folder.path()).unwrap();
        let options = Options { limit: 4, offset, ..Options::default() };
        let everything = Options { limit: usize::MAX, matching: Matching::Any, ..Options::default() };
        let mut likes = Vec::new();
        let mut expected = Vec::new();
        for (&id, (title, text)) in &last {
            let doc_id = index.doc_id(&Id::Int(id)).unwrap().unwrap();
            for (like, texts, itself) in [
                (Like { id: Some(Id::Int(id)), text: None }, vec![&title[..], text], Some(doc_id)),
                (Like { id: None, text: Some(text) }, vec![&text[..]], None),
                (Like { id: Some(Id::Int(id)), text: Some("codec") }, vec!["codec"], Some(doc_id)),
            ] {
                let best = by_definition(&index, &texts, itself.is_some(), words);
                let (query, of) = index.best_words(&like, words, &options).unwrap();
                prop_assert_eq!(of, itself);
                // The query has these terms, with their part of the greatest weight.
                let [parsed] = &index.read(&query, &[0, 1], &options)[..] else { panic!("one analyzer") };
                prop_assert_eq!(parsed.clauses.len(), best.len());
                for (clause, (term, weight)) in parsed.clauses.iter().zip(&best) {
                    prop_assert_eq!(&clause.atom, &crate::query::Atom::Term(term.clone()));
                    let part = (weight / best[0].1).max(0.001);
                    prop_assert!((f64::from(clause.boost.factor()) - part).abs() < 0.0006);
                }
                let mut hits = match query.is_empty() {
                    true => Vec::new(),
                    false => index.search(&query, &everything).unwrap().hits,
                };
                hits.retain(|hit| Some(hit.doc_id) != itself);
                expected.push(hits.into_iter().skip(offset).take(4).collect::<Vec<_>>());
                likes.push(like);
            }
        }
        let settings = Settings::default();
        let found = similar(&index, &likes, words, &options, &settings).unwrap();
        prop_assert_eq!(found.iter().map(|found| &found.hits).collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
        for (like, expected) in likes.iter().zip(&expected) {
            let one = similar(&index, std::slice::from_ref(like), words, &options, &settings).unwrap();
            prop_assert_eq!(&one[0].hits, expected);
        }
    }
}

#[test]
fn occurrences_are_counted_in_all_segments() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(folder.path(), Some(schema()), index::WriterOptions::default()).unwrap();
    let mut expected = 0;
    // Short lists and long ones.
    for (commit, documents) in [3, 200, 1000].into_iter().enumerate() {
        for at in 0..documents {
            let text = "many ".repeat(1 + at % 7);
            expected += 1 + at as u64 % 7;
            let id = Id::Int((1000 * commit + at) as i64);
            writer.add(id, Document { values: vec![(1, Value::Text(text.into()))] }).unwrap();
        }
        writer.commit().unwrap();
    }
    let index = Index::open(folder.path()).unwrap();
    assert_eq!(index.occurrences(b"mani", 1), Ok(expected));
    assert_eq!((index.occurrences(b"mani", 0), index.occurrences(b"many", 1)), (Ok(0), Ok(0)));
    assert!(index.occurrences(b"mani", 2).is_err());
    // Deleted documents count until they are merged away.
    for at in 0..1000 {
        writer.delete(&Id::Int(2000 + at)).unwrap();
    }
    let left: u64 = [3, 200u64].iter().map(|&documents| (0..documents).map(|at| 1 + at % 7).sum::<u64>()).sum();
    writer.optimize(false).unwrap();
    assert_eq!(Index::open(folder.path()).unwrap().occurrences(b"mani", 1), Ok(left));
}
