//! Compares ranked search on a device with the CPU, on PoCL or on the device that `POSTINGS_TEST_DEVICE` names: the same
//! ids, order and scores, to the last bit.

use crate::common::random::Random;
use crate::common::ranked::{
    BODY, Folder, SMALL, Shape, TITLE, all_options, build, by_device, check, check_in_turn, has_device, schema,
    settings, turn, word,
};
use postings::device;
use postings::engine::Settings;
use postings::search::{Matching, Options};

pub fn queries(words: u64, count: usize) -> Vec<String> {
    let mut random = Random(77);
    let mut queries = Vec::new();
    for at in 0..count {
        let terms = 1 + random.below(4);
        let mut words: Vec<String> = (0..terms).map(|_| format!("w{}", word(&mut random, words))).collect();
        match at % 11 {
            1 => words.push(format!("-w{}", word(&mut random, 40))),
            2 => words[0] = format!("title:{}", words[0]),
            3 => words.push(words[0].clone()),
            4 => words.push("unknown".into()),
            5 => words.push(format!("\"w{} w{}\"", word(&mut random, 10), word(&mut random, 10))),
            6 => words.push("w1*".into()),
            7 => words.extend((0..30).map(|_| format!("w{}", word(&mut random, 500)))),
            _ => {}
        }
        queries.push(words.join(" "));
    }
    queries.push(String::new());
    queries.push("-w1".into());
    queries
}

fn compare(name: &str, shape: Shape) {
    if !has_device() {
        return;
    }
    let folder = Folder::new(&format!("ranked-{name}"));
    let index = build(&folder.0, schema(), shape);
    for options in all_options() {
        check(&index, &queries(shape.words, 90), &options, &settings());
    }
}

/// Weights as far apart as they may be.
#[test]
fn weights_far_apart() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("ranked-weights");
    let index = build(&folder.0, schema(), SMALL);
    let weights = vec![(TITLE, 1e3), (BODY, 1e-3)];
    for matching in [Matching::All, Matching::Any] {
        let options = Options { matching, weights: weights.clone(), limit: 50, ..Options::default() };
        let queries = queries(SMALL.words, 60);
        let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
        let expected = index.search_batch(&queries, &options, 1).unwrap();
        let _turn = turn();
        for (found, expected) in by_device(&index, &queries, &options, &settings()).iter().zip(&expected) {
            assert_eq!(found.hits.len(), expected.hits.len());
            let near = |(a, b): (f64, f64)| (a - b).abs() <= 1e-14 * b;
            assert!(found.hits.iter().zip(&expected.hits).all(|(a, b)| near((a.score, b.score))));
        }
    }
}

#[test]
fn one_small_segment() {
    compare("small", SMALL);
}

#[test]
fn many_segments_with_deleted_documents() {
    compare("segments", Shape { documents: 4_000, commits: 5, deletes: true, ..SMALL });
}

#[test]
fn many_tiles_in_another_order() {
    compare("tiles", Shape { documents: 30_000, words: 3_000, length: 20, optimize: Some(true), ..SMALL });
}

/// Documents with equal scores, of which there are more than candidates.
#[test]
fn ties() {
    compare("ties", Shape { documents: 20_000, words: 5, length: 1, ..SMALL });
}

#[test]
fn a_cache_that_is_too_small() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("ranked-cache");
    let shape = Shape { documents: 30_000, words: 2_000, length: 30, ..SMALL };
    let index = build(&folder.0, schema(), shape);
    for device_memory in [3_000_000, 1_200_000, 600_000, 100_000, 0] {
        let settings = Settings { device_memory, ..settings() };
        for matching in [Matching::All, Matching::Any] {
            check(&index, &queries(shape.words, 40), &Options { matching, ..Options::default() }, &settings);
        }
    }
    assert!(device::cache_stats().evictions > 0);
}

/// Parts of a batch follow each other on the device: what one needs is sent, and evicts others, while kernels run.
#[test]
fn parts_of_a_batch() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("ranked-parts");
    let shape = Shape { documents: 3_000, commits: 3, words: 4_000, length: 20, deletes: true, optimize: None };
    let index = build(&folder.0, schema(), shape);
    // Enough terms for several parts.
    let queries = queries(shape.words, 4_000);
    for device_memory in [0, 650_000] {
        let settings = Settings { device_memory, ..settings() };
        for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
            let _turn = turn();
            let evictions = device::cache_stats().evictions;
            check_in_turn(&index, &queries, &Options { matching, total: true, ..Options::default() }, &settings);
            let evicted = device::cache_stats().evictions - evictions;
            assert!(device_memory == 0 || evicted > 100, "{evicted} items were evicted of {device_memory} bytes");
        }
    }
}
