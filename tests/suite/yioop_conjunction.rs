//! Queries over shards: compares searching lists with reading them whole, and our answers with Yioop's.

use crate::common::yioop;
use postings::yioop::score::{Phrase, PhrasePart, Query, Weights, round};
use postings::yioop::{Conjunction, Generation, List, Matches, Shard, intersect_flat, pack_posting, probe};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A temporary file, removed when dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Writes a shard with these lists and a doc map of `documents` entries of three units each.
fn shard(name: &str, lists: &[Vec<u8>], documents: u32) -> (Temporary, Shard, Vec<(u32, u32)>) {
    let mut word_docs = Vec::new();
    let mut ranges = Vec::new();
    for list in lists {
        ranges.push((word_docs.len() as u32, (word_docs.len() + list.len() - 4) as u32));
        word_docs.extend_from_slice(list);
    }
    let mut doc_map = Vec::new();
    for document in 0..documents {
        doc_map.extend_from_slice(&(7 * document).to_be_bytes());
        doc_map.extend_from_slice(&(60u32 << 8 | 4).to_be_bytes());
        doc_map.extend_from_slice(format!("u{document:07}h{document:07}r{document:07}").as_bytes());
        doc_map.extend_from_slice(&[[0; 8], [0xff; 8]].concat());
    }
    let header = [0, 0, word_docs.len() as u32, doc_map.len() as u32, 0, documents, documents, 0, 60 * documents, 0];
    let mut file: Vec<u8> = header.iter().flat_map(|number| number.to_be_bytes()).collect();
    file.extend(word_docs);
    file.extend(doc_map);
    let path = std::env::temp_dir().join(format!("postings-{}-{name}", std::process::id()));
    std::fs::write(&path, file).unwrap();
    let shard = Shard::open(&path).unwrap();
    (Temporary(path), shard, ranges)
}

fn list(docs: impl Iterator<Item = u32>, positions: &[u32]) -> Vec<u8> {
    docs.flat_map(|doc| pack_posting(doc, positions).unwrap()).collect()
}

fn read(shard: &Shard, ranges: &[(u32, u32)]) -> Vec<Vec<u8>> {
    ranges.iter().map(|&(first, last)| shard.postings_at(first, last).unwrap()).collect()
}

fn whole(shard: &Shard, ranges: &[(u32, u32)]) -> Matches {
    let lists = read(shard, ranges);
    intersect_flat(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap()
}

fn documents(conjunction: &mut Conjunction) -> Vec<postings::yioop::Hit> {
    std::iter::from_fn(|| conjunction.next_hit().unwrap()).collect()
}

#[test]
fn searching_finds_what_reading_finds() {
    let common = list((0..20_000).map(|doc| 3 * doc), &[1, 2, 300, 301]);
    let other = list((0..20_000).filter(|doc| doc % 7 != 3).map(|doc| 3 * doc), &[5]);
    let short = list([3u32, 4, 30, 29_994].into_iter(), &[9]);
    let (_file, shard, ranges) = shard("search", &[common, other, short], 20_000);
    for order in [[2, 0, 1], [0, 2, 1], [1, 0, 2]] {
        let asked = order.map(|at| ranges[at]);
        let (lists, matches) = probe::gather(&shard, &asked).unwrap().expect("four documents make searching pay");
        assert_eq!(matches, whole(&shard, &asked));
        assert_eq!(matches.docs, [3, 29_994]);
        assert_eq!(lists.iter().filter(|list| list.whole().is_none()).count(), 2);
    }
}

#[test]
fn every_document_is_found_by_searching() {
    let common: Vec<u32> = (0..12_000).map(|doc| 5 * doc + doc % 4).collect();
    for &doc in common.iter().step_by(97).chain(&[common[0], common[11_999]]) {
        for target in [doc.saturating_sub(1), doc, doc + 1] {
            let lists = [list([target].into_iter(), &[3]), list(common.iter().copied(), &[1, 40, 500])];
            let (_file, shard, ranges) = shard("every", &lists, 1);
            let (_, matches) = probe::gather(&shard, &ranges).unwrap().unwrap();
            assert_eq!(matches, whole(&shard, &ranges), "{target}");
        }
    }
}

#[test]
fn lists_that_a_search_cannot_take_are_read() {
    let rare = || list([9_000u32].into_iter(), &[3]);
    // Postings that are longer than what a probe reads.
    let long: Vec<u32> = (1..2_000).map(|position| 100 * position).collect();
    let common = list((0..40).map(|doc| 1_000 * doc), &long);
    let (_file, long, ranges) = shard("cannot", &[rare(), common], 1);
    assert!(probe::gather(&long, &ranges).unwrap().is_none());
    // Short lists are not worth searching.
    let (_file, shard, ranges) = shard("short", &[rare(), list(0..100, &[1])], 1);
    assert!(probe::gather(&shard, &ranges).unwrap().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn lists_in_disorder_are_searched_as_they_are_read(
        rare in prop::collection::btree_set(0u32..30_000, 1..5),
        changes in prop::collection::vec((0usize..20_000, 0usize..20_000, any::<bool>()), 1..6),
        order in any::<bool>(),
    ) {
        let mut docs: Vec<u32> = (0..20_000).map(|doc| doc + doc / 2).collect();
        for (from, to, swap) in changes {
            if swap {
                docs.swap(from, to);
            } else {
                docs[from] = docs[to];
            }
        }
        // The rare documents, plus two that are out of order in the other list.
        let mut rare: Vec<u32> = rare.into_iter().collect();
        rare.extend(docs.windows(2).filter(|pair| pair[0] >= pair[1]).flatten().take(2));
        rare.sort_unstable();
        rare.dedup();
        let mut lists = [list(rare.into_iter(), &[3]), list(docs.into_iter(), &[1, 40, 500])];
        if order {
            lists.reverse();
        }
        let (_file, shard, ranges) = shard("disorder", &lists, 1);
        let (excerpts, matches) = probe::gather(&shard, &ranges).unwrap().expect("the long list is searched");
        prop_assert_eq!(&matches, &whole(&shard, &ranges));
        // A searched list has one excerpt per match. They are in the order of their offsets, because `from` searches
        // them.
        for list in &excerpts {
            if let List::Excerpts { postings, .. } = list {
                prop_assert!(postings.is_sorted_by(|one, other| one.0 < other.0));
                prop_assert_eq!(postings.len(), matches.docs.len());
            }
        }
    }
}

#[test]
fn places_outside_the_lists_are_refused_before_a_search() {
    let lists = [list([9_000u32].into_iter(), &[3]), list((0..20_000).map(|doc| 3 * doc), &[1, 40, 500])];
    let (_file, shard, ranges) = shard("outside", &lists, 1);
    let end = ranges[1].1;
    for wrong in
        [(0, u32::MAX - 3), (0, u32::MAX), (ranges[1].0, end + 4), (ranges[1].0 + 2, end), (ranges[1].0, end - 1)]
    {
        let read = shard.postings_at(wrong.0, wrong.1).unwrap_err();
        let searched = probe::gather(&shard, &[ranges[0], wrong]).unwrap_err();
        assert_eq!(searched.to_string(), read.to_string());
    }
}

#[test]
fn searched_and_read_lists_score_alike() {
    let common = list((0..20_000).map(|doc| 3 * doc), &[1, 61, 300]);
    let (_file, shard, ranges) = shard("score", &[list([3u32, 30_000, 59_997].into_iter(), &[60]), common], 20_000);
    let shard = Arc::new(shard);
    let (searched, matches) = probe::gather(&shard, &ranges).unwrap().unwrap();
    let read = read(&shard, &ranges).into_iter().map(List::Whole).collect();
    let phrase = || {
        let word = |list| PhrasePart::Word { list, length: 1 };
        vec![Phrase::new(vec![word(0), word(1)]).unwrap()]
    };
    let hits = |lists: Vec<List>| {
        let generation = Generation { shard: shard.clone(), lists, matches: matches.clone() };
        let query = Query::new(2, vec![0, 1], phrase()).unwrap();
        documents(&mut Conjunction::new(vec![generation], query, Weights::default(), round).unwrap())
    };
    let found = hits(searched);
    assert_eq!(found.iter().map(|hit| hit.doc_index).collect::<Vec<_>>(), [3, 30_000, 59_997]);
    assert_eq!(found, hits(read));
}

#[test]
fn yioops_queries_have_its_answers() {
    yioop::data("yioop/shard-short", "yioop/shard-30k").iter().for_each(|folder| compare_with_yioop(folder));
}

fn compare_with_yioop(folder: &Path) {
    let shard = Arc::new(yioop::open_shard(folder));
    let terms: std::collections::HashMap<String, [u8; 20]> = std::fs::read_to_string(folder.join("terms.tsv"))
        .unwrap()
        .lines()
        .map(|line| {
            let mut fields = line.split('\t');
            let term = fields.next().unwrap().to_string();
            (term, yioop::unhex(fields.next().unwrap()).try_into().unwrap())
        })
        .collect();
    for line in yioop::json_lines(&folder.join("queries.jsonl")) {
        let ranges: Vec<(u32, u32)> = line["terms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|term| shard.lookup(&terms[term.as_str().unwrap()]).unwrap().unwrap())
            .map(|record| (record.first_offset, record.last_offset))
            .collect();
        let expected: Vec<u32> =
            line["doc_indexes"].as_array().unwrap().iter().map(|doc| doc.as_u64().unwrap() as u32).collect();
        let matches = whole(&shard, &ranges);
        assert_eq!(matches.docs, expected, "{}", line["terms"]);
        let lists = match probe::gather(&shard, &ranges).unwrap() {
            Some((lists, searched)) => {
                assert_eq!(searched, matches, "{}", line["terms"]);
                lists
            }
            None => read(&shard, &ranges).into_iter().map(List::Whole).collect(),
        };
        let query = Query::new(ranges.len(), (0..ranges.len()).collect(), Vec::new()).unwrap();
        let generation = Generation { shard: shard.clone(), lists, matches };
        let mut conjunction = Conjunction::new(vec![generation], query, Weights::default(), round).unwrap();
        assert_eq!(conjunction.len(), expected.len());
        let hits = documents(&mut conjunction);
        assert_eq!(hits.iter().map(|hit| hit.doc_index).collect::<Vec<_>>(), expected);
        assert!(hits.iter().all(|hit| hit.relevance.is_finite() && hit.proximity > 0.0));
    }
}
