use super::*;
use crate::analysis::Analyzer;
use crate::device::tests::test_device;
use crate::engine::settings::Offload;
use crate::index::{Document, Field, Id, Kind, Schema, Value, Writer};
use crate::search::Matching;
use std::path::Path;

/// An index of 2,000 documents of words w0 to w123, of which the first are the most frequent.
pub(in crate::engine) fn index_of_words(folder: &Path) -> Index {
    let body = Field { name: "body".into(), kind: Kind::Text, weight: 1.0, stored: false, analyzer: None };
    let schema = Schema {
        fields: vec![body],
        positions: true,
        analyzer: Analyzer::new(Default::default()).unwrap(),
        codecs: Default::default(),
    };
    let mut writer = Writer::open(folder, Some(schema), crate::index::WriterOptions::default()).unwrap();
    for id in 0..2000u64 {
        let words: Vec<String> = (1..12).map(|at| format!("w{}", id * at * 7919 % (3 + at * at))).collect();
        writer.add(Id::Int(id as i64), Document { values: vec![(0, Value::Text(words.join(" ").into()))] }).unwrap();
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

/// As [`search_batch`], on these devices.
fn on(fleet: &Fleet, index: &Index, queries: &[&str], options: &Options, settings: &Settings) -> Vec<Found> {
    let batch = Batch::new(index, queries, options, settings);
    let end = options.end();
    rest::answer(&batch, run::run(&batch, fleet, 10, end).unwrap(), end).unwrap()
}

/// With `auto` both sides take queries. Which of them they take depends on the time of day; the answers do not.
#[test]
fn answers_of_both_sides_are_those_of_the_cpu() {
    let Some(device) = test_device() else { return };
    let fleet = Fleet::by_queries(vec![device]);
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let queries: Vec<String> = (0..300)
        .map(|at| match at % 9 {
            4 => format!("\"w{} w{}\"", at % 5, at % 3),
            _ => format!("w{} w{} -w{}", at % 7, at % 31, at % 101),
        })
        .collect();
    let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
    let late = Options { deadline: Some(std::time::Duration::ZERO), ..Options::default() };
    let expired = |found: &[Found]| found.len() == queries.len() && found.iter().all(|found| *found == Found::late());
    assert!(expired(&index.search_batch(&queries, &late, 2).unwrap()));
    for offload in [Offload::Auto, Offload::Always] {
        let settings = Settings { offload, ..Settings::default() };
        let found = on(&fleet, &index, &queries, &late, &settings);
        assert!(expired(&found));
    }
    for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
        let options = Options { matching, total: true, deadline: Some(std::time::Duration::MAX), ..Options::default() };
        let expected = index.search_batch(&queries, &options, 1).unwrap();
        for (offload, threads) in [(Offload::Auto, 1), (Offload::Auto, 4), (Offload::Auto, 0), (Offload::Always, 3)] {
            let settings = Settings { offload, threads, ..Settings::default() };
            let found = on(&fleet, &index, &queries, &options, &settings);
            assert!(found == expected, "{matching:?}, {offload:?}, {threads} threads");
        }
    }
}
