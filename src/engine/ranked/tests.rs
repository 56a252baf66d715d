use super::*;
use crate::analysis::Analyzer;
use crate::device::tests::test_device;
use crate::engine::settings::Offload;
use crate::index::{Document, Field, Id, Kind, Schema, Value, Writer};
use crate::search::{Matching, MergingPart, Page, Statistics, merge};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// An index of 2,000 documents of words w0 to w123, of which the first are the most frequent.
pub(in crate::engine) fn index_of_words(folder: &Path) -> Index {
    index_of(folder, 0..2000)
}

/// Some of these documents.
fn index_of(folder: &Path, ids: Range<u64>) -> Index {
    let body = Field::new("body", Kind::Text);
    let schema = Schema {
        fields: vec![body],
        positions: true,
        analyzer: Analyzer::new(Default::default()).unwrap(),
        codecs: Default::default(),
    };
    let mut writer = Writer::open(folder, Some(schema), crate::index::WriterOptions::default()).unwrap();
    for id in ids {
        let words: Vec<String> = (1..12).map(|at| format!("w{}", id * at * 7919 % (3 + at * at))).collect();
        writer.add(Id::Int(id as i64), Document { values: vec![(0, Value::Text(words.join(" ").into()))] }).unwrap();
    }
    writer.commit().unwrap();
    Index::open(folder).unwrap()
}

/// As [`search_batch`], on these devices.
fn on(fleet: &Fleet, index: &Index, queries: &[&str], options: &Options, settings: &Settings) -> Vec<Found> {
    let queries: Vec<_> = queries.iter().map(|&query| query.into()).collect();
    let batch = Batch::new(index, &queries, options, settings);
    let end = options.end();
    let mut all = Vec::new();
    let mut put = |found| {
        all.extend::<Vec<Found>>(found);
        true
    };
    run::run(&batch, fleet, 10, end, &mut put).unwrap();
    all
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

/// Whoever asks may have enough after some hits. Two workers take turns, as they have the same device.
#[test]
fn hits_are_passed_on_in_order_until_nobody_wants_more() {
    let Some(device) = test_device() else { return };
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let texts: Vec<String> = (0..1500).map(|at| format!("w{} w{}", at % 7, at % 31)).collect();
    let queries: Vec<Asked> = texts.iter().map(|text| text.as_str().into()).collect();
    let options = Options { matching: Matching::Any, ..Options::default() };
    let expected = index.search_batch(&queries, &options, 2).unwrap();
    for (workers, threads) in [(1, 1), (1, 2), (2, 2), (1, 8), (2, 8)] {
        let fleet = Fleet::by_queries(vec![device.clone(); workers]);
        let settings = Settings { offload: Offload::Always, threads, ..Settings::default() };
        let batch = Batch::new(&index, &queries, &options, &settings);
        for most in [0, 700, usize::MAX] {
            let mut found: Vec<Found> = Vec::new();
            let mut put = |some: Vec<Found>| {
                assert!(found.len() <= most, "more was passed on");
                found.extend(some);
                found.len() <= most
            };
            run::run(&batch, &fleet, 10, options.end(), &mut put).unwrap();
            assert!(
                found[..] == expected[..found.len()] && found.len() >= most.min(1500),
                "{workers}, {threads}, {most}"
            );
        }
    }
}

/// A panic of whoever takes hits ends all threads, and comes back.
#[test]
fn a_panic_where_hits_are_taken_comes_back() {
    let Some(device) = test_device() else { return };
    let folder = tempfile::tempdir().unwrap();
    let index = index_of_words(folder.path());
    let queries: Vec<Asked> = vec!["w1 w2".into(); 400];
    let options = Options::default();
    let settings = Settings { offload: Offload::Always, threads: 3, ..Settings::default() };
    let batch = Batch::new(&index, &queries, &options, &settings);
    let fleet = Fleet::by_queries(vec![device]);
    let run = || run::run(&batch, &fleet, 10, options.end(), &mut |_| panic!("no more"));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"no more"));
}

/// Devices keep tables of fields: those of statistics are others than those of the index.
#[test]
fn shards_find_what_one_index_finds() {
    let Some(device) = test_device() else { return };
    let fleet = Fleet::by_queries(vec![device]);
    let folder = tempfile::tempdir().unwrap();
    let one = index_of_words(&folder.path().join("one"));
    let shards: Vec<Index> = [0..300, 300..1100, 1100..2000]
        .into_iter()
        .enumerate()
        .map(|(number, ids)| index_of(&folder.path().join(number.to_string()), ids))
        .collect();
    let queries: Vec<String> = (0..60)
        .map(|at| match at % 6 {
            1 => format!("\"w{} w{}\"", at % 5, at % 3),
            2 => format!("w{}* w{}", at % 4, at % 7),
            3 => format!("w{}~ -w{}", at % 13, at % 4),
            _ => format!("w{} w{} -w{}", at % 7, at % 31, at % 101),
        })
        .collect();
    let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
    let settings = Settings { offload: Offload::Always, ..Settings::default() };
    for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
        let options = Options { matching, total: true, ..Options::default() };
        let parts: Vec<Statistics> = shards.iter().map(|shard| shard.statistics(&queries, &options).unwrap()).collect();
        let given = Options { statistics: Some(Arc::new(Statistics::sum(&parts).unwrap())), ..options.clone() };
        let found: Vec<Vec<Found>> = shards
            .iter()
            .map(|shard| {
                // With its own statistics before and after.
                let own = on(&fleet, shard, &queries, &options, &settings);
                assert!(own == shard.search_batch(&queries, &options, 1).unwrap());
                let found = on(&fleet, shard, &queries, &given, &settings);
                assert!(found == shard.search_batch(&queries, &given, 1).unwrap(), "{matching:?}");
                assert!(own == on(&fleet, shard, &queries, &options, &settings));
                assert!(found != own);
                found
            })
            .collect();
        let page = Page::new(&options);
        for (at, wanted) in on(&fleet, &one, &queries, &options, &settings).iter().enumerate() {
            let part = |(shard, found): (&Index, &Vec<Found>)| MergingPart {
                page: &page,
                with_all: found[at].with_all,
                hits: found[at].hits.iter().map(|hit| shard.merging(&page, hit.doc_id, hit.score).unwrap()).collect(),
            };
            let parts: Vec<MergingPart> = shards.iter().zip(&found).map(part).collect();
            let places = merge(&parts, 0, options.limit).unwrap().0;
            let merged: Vec<(Id, u64)> = places
                .iter()
                .map(|&(part, hit)| &found[part][at].hits[hit])
                .map(|hit| (hit.id.clone(), hit.score.to_bits()))
                .collect();
            let wanted_hits: Vec<(Id, u64)> =
                wanted.hits.iter().map(|hit| (hit.id.clone(), hit.score.to_bits())).collect();
            assert_eq!(merged, wanted_hits, "{} {matching:?}", queries[at]);
            assert_eq!(found.iter().map(|found| found[at].total).sum::<Option<u64>>(), wanted.total);
        }
    }
}
