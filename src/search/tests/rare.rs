//! What a filter leaves few documents of: they are looked up in the lists. The same are among the hits without the filter.

use super::*;
use crate::analysis::{Analyzer, AnalyzerOptions};
use crate::index::{Document, Field, Value, WriterOptions};
use crate::rank::{Clock, few};
use crate::search::cursors::of_segment;
use crate::search::plan::QueryPlan;

const DOCUMENTS: u32 = 6000;

/// Word i is in one of i + 2 documents; every document has a seller of a few.
fn text(doc: u32) -> String {
    let has = |word: &u32| doc.wrapping_mul(0x9E37_79B9).rotate_left(5 * word).is_multiple_of(word + 2);
    let words: Vec<String> =
        (0..12).filter(has).flat_map(|word| [format!("w{word}"), format!("w{}", word / 2)]).collect();
    words.join(" ")
}

pub(super) fn index_of(folder: &Path) -> Index {
    let analyzer = Analyzer::new(AnalyzerOptions::default()).unwrap();
    let field = |name: &str, kind| Field::new(name, kind);
    let fields = vec![
        field("title", Kind::Text),
        field("body", Kind::Text),
        field("seller", Kind::Keyword),
        field("price", Kind::Numeric),
    ];
    let schema = Schema { fields, analyzer, positions: true, codecs: index::Codecs::default() };
    let mut writer = Writer::open(folder, Some(schema), WriterOptions::default()).unwrap();
    for doc in 0..DOCUMENTS {
        let values = vec![
            (0, Value::Text(text(doc + 7).into())),
            (1, Value::Text(text(doc).into())),
            (2, Value::Keywords(vec![format!("s{}", doc % 400).into()])),
            (3, Value::Number(f64::from(doc % 777) / 8.0)),
        ];
        writer.add(Id::Int(doc.into()), Document { values }).unwrap();
        if doc == DOCUMENTS / 4 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    for doc in (0..DOCUMENTS).step_by(11) {
        writer.delete(&Id::Int(doc.into())).unwrap();
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

#[test]
fn few_documents_are_ranked_as_all_are() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path());
    let queries = [
        "w0 w1",
        "w0",
        "+w3 w0 w9",
        "w4 w0 w2 -w1",
        "w0 -w1",
        "\"w0 w1\" w2",
        "w* w5",
        "title:w4 w0^3",
        "w1 w2 w3 w4 w5 w6 w7",
        "w9 none",
        "+w11 +w0",
    ];
    let conditions = || {
        [
            Condition::Keywords(2, vec![b"s33".to_vec()]),
            Condition::Keywords(2, vec![b"s33".to_vec(), b"s12".to_vec(), b"no".to_vec()]),
            Condition::Ids((100..140).map(Id::Int).collect()),
            Condition::All(vec![Condition::Keywords(2, vec![b"s5".to_vec()]), Condition::Range(3, 10.0, 60.0)]),
            Condition::Range(3, 10.0, 12.0),
        ]
    };
    let mut found = 0;
    for query in queries {
        for condition in conditions() {
            for matching in [Matching::All, Matching::Any] {
                // All hits, of which those that pass are picked.
                let all = Options { matching, limit: DOCUMENTS as usize, ..Options::default() };
                let mut passing = index.search(query, &all).unwrap().hits;
                let doc_ids =
                    index.matching(&Options { filter: filter(condition.clone()), ..Options::default() }).unwrap();
                passing.retain(|hit| doc_ids.contains(&hit.doc_id));
                for limit in [3, 100] {
                    let options = Options {
                        filter: filter(condition.clone()),
                        matching,
                        limit,
                        total: true,
                        ..Options::default()
                    };
                    let few = index.search(query, &options).unwrap();
                    assert_eq!(few.total, Some(passing.len() as u64), "{query} {condition:?} {matching:?}");
                    assert_eq!(few.hits, passing[..passing.len().min(limit)], "{query} {condition:?} {matching:?}");
                    found += few.hits.len();
                    if let Some(first) = few.hits.first() {
                        let after = Some(After { values: vec![SortValue::Number(first.score)], doc_id: first.doc_id });
                        let next = index.search(query, &Options { after, ..options }).unwrap();
                        assert_eq!(next.hits, passing[1..passing.len().min(limit + 1)], "{query} {condition:?}");
                    }
                }
            }
        }
    }
    assert!(found > 1000, "{found}");
    // That is how they were found.
    let options = Options { filter: filter(conditions()[0].clone()), ..Options::default() };
    let plan = QueryPlan::new(&index, "w0 w1".into(), &options, &Clock::never()).unwrap();
    let part = &index.snapshot().parts()[1];
    let (clauses, restriction) = of_segment(&plan, part, 1, &options, true, &Clock::never()).unwrap().unwrap();
    let allowed = restriction.allowed.unwrap();
    assert!((5..20).contains(&allowed.count) && few::pays(&allowed, &clauses) && few::most(&clauses) < 500);
}

/// Where all documents are counted anyway, only those found are ranked, if these are few.
#[test]
fn hits_are_the_same_beside_totals_and_facets() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path());
    let queries = [
        "w0 w1",
        "w0 w2",
        "w7 w9",
        "w6 w8 w10",
        "+w7 +w9 w0 w3",
        "w7 w9 -w1",
        "\"w3 w7\" w9",
        "w* w9 w7",
        "w7 w9 w11 w8",
        "w9 none",
    ];
    let condition = Condition::Range(3, 10.0, 60.0);
    let found_first = |query: &str, options: &Options| {
        let plan = QueryPlan::new(&index, query.into(), options, &Clock::never()).unwrap();
        let part = &index.snapshot().parts()[1];
        let (clauses, _) = of_segment(&plan, part, 1, options, true, &Clock::never()).unwrap()?;
        Some((index.count(query, options).unwrap() as usize) < few::most_found(&clauses))
    };
    let mut ways = HashMap::new();
    for query in queries {
        for filter in [Options::default().filter, filter(condition.clone())] {
            for (limit, fields) in [(1, None), (3, Some(vec![0])), (10, None), (200, Some(vec![1]))] {
                let options = Options { filter: filter.clone(), fields, limit, ..Options::default() };
                assert_eq!(options.matching, Matching::All);
                let hits = index.search(query, &options).unwrap().hits;
                let count = index.count(query, &options).unwrap();
                let facets = index.facets(2, query, &options, 7).unwrap();
                for (total, wants_facets) in [(true, false), (false, true), (true, true)] {
                    let asked = wants_facets.then(|| vec![(2, 7)]);
                    let found = index.search(query, &Options { total, facets: asked, ..options.clone() }).unwrap();
                    assert_eq!(found.hits, hits, "{query} {options:?}");
                    assert_eq!(found.total, total.then_some(count), "{query} {options:?}");
                    let of_fields = found.facets.map(|fields| fields.into_iter().map(|of| of.facet).collect());
                    assert_eq!(of_fields, wants_facets.then(|| vec![Facet::Values(facets.clone())]), "{query}");
                }
                *ways.entry(found_first(query, &options)).or_insert(0) += 1;
            }
        }
    }
    assert!(ways[&Some(true)] > 10 && ways[&Some(false)] > 10, "{ways:?}");
}

/// Buckets are made when a range is asked for again.
#[test]
fn ranges_stay_the_same_when_they_are_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(folder.path());
    for (low, high) in [(10.0, 20.0), (0.125, 0.125), (-5.0, 3.0), (90.0, f64::INFINITY), (96.99, 97.01), (1.01, 1.02)]
    {
        let expected =
            (0..DOCUMENTS).filter(|doc| doc % 11 != 0 && (low..=high).contains(&(f64::from(doc % 777) / 8.0))).count();
        for _ in 0..4 {
            let options = Options { filter: filter(Condition::Range(3, low, high)), ..Options::default() };
            assert_eq!(index.count("", &options).unwrap(), expected as u64, "{low} to {high}");
        }
    }
}
