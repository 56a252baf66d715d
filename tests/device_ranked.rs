//! Compares ranked search on a device with the CPU, on PoCL or on the device that `POSTINGS_TEST_DEVICE` names: the same
//! ids, order and scores, to the last bit.

mod random_common;

use postings::analysis::Analyzer;
use postings::device;
use postings::engine::{self, Offload, Settings};
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer};
use postings::rank::Bm25;
use postings::search::{Filter, Found, Index, Matching, Options};
use random_common::Random;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of a word, of which the first are much more frequent than the last.
fn word(random: &mut Random, words: u64) -> u64 {
    (random.zipf(1.0, words as f64) - 1.0) as u64
}

fn settings() -> Settings {
    let device = std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into());
    Settings { device, offload: Offload::Always, ..Settings::default() }
}

/// Whether there is a device; if not, prints that the test is skipped.
fn has_device() -> bool {
    let named = settings().device;
    let found = device::select(&named).expect("a usable device").is_some();
    if !found {
        // Not `eprintln!`: the harness captures its output and hides it if the test passes.
        let _ = std::io::stderr().write_all(format!("SKIPPED: no OpenCL device {named:?}\n").as_bytes());
    }
    found
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("postings-device-ranked-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const TITLE: usize = 0;
const BODY: usize = 1;
const TAG: usize = 2;

fn schema() -> Schema {
    let field = |name: &str, kind, weight| Field { name: name.into(), kind, weight, stored: false };
    let fields =
        vec![field("title", Kind::Text, 2.5), field("body", Kind::Text, 1.0), field("tag", Kind::Keyword, 1.0)];
    Schema { fields, positions: true, analyzer: Analyzer::new(Default::default()).unwrap(), codecs: Default::default() }
}

/// How an index is made.
#[derive(Clone, Copy)]
struct Shape {
    documents: u64,
    commits: u64,
    words: u64,
    /// Words of a body, at most.
    length: u64,
    deletes: bool,
    optimize: Option<bool>,
}

fn build(folder: &Path, shape: Shape) -> Index {
    let mut random = Random(shape.documents * 2 + 1);
    let mut writer = Writer::open(folder, Some(schema()), postings::index::Options::default()).unwrap();
    for id in 0..shape.documents {
        let mut tokens = |most: u64| -> Vec<Vec<u8>> {
            (0..random.below(most + 1)).map(|_| format!("w{}", word(&mut random, shape.words)).into_bytes()).collect()
        };
        let (title, mut body) = (tokens(4), tokens(shape.length));
        if id % 977 == 3 {
            // Frequencies that have no code of their own.
            body.extend((0..250 + id % 20).map(|_| b"w1".to_vec()));
        }
        let values = vec![
            (TITLE, Value::Tokens(title)),
            (BODY, Value::Tokens(body)),
            (TAG, Value::Keywords(vec![format!("t{}", id % 7).into_bytes()])),
        ];
        writer.add(Id::Int(id as i64), Document { values }).unwrap();
        if (id + 1) % shape.documents.div_ceil(shape.commits) == 0 {
            writer.commit().unwrap();
        }
    }
    if shape.deletes {
        for id in (0..shape.documents).filter(|id| id % 5 == 1) {
            writer.delete(&Id::Int(id as i64)).unwrap();
        }
    }
    writer.commit().unwrap();
    if let Some(reorder) = shape.optimize {
        writer.optimize(reorder).unwrap();
    }
    Index::open(folder).unwrap()
}

fn queries(words: u64, count: usize) -> Vec<String> {
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

/// The device belongs to one test at a time.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches by the device, and checks that it did not fail: the engine would use the CPU silently.
fn by_device(index: &Index, queries: &[&str], options: &Options, settings: &Settings) -> Vec<Found> {
    let _turn = turn();
    let before = engine::stats();
    let found = engine::search_batch(index, queries, options, settings).unwrap();
    let after = engine::stats();
    assert_eq!(after.device_failures, before.device_failures, "the device failed");
    assert_eq!(after.device_calls, before.device_calls + 1, "not by the device");
    found
}

fn check(index: &Index, queries: &[String], options: &Options, settings: &Settings) {
    let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
    let expected = index.search_batch(&queries, options, 1).unwrap();
    let found = by_device(index, &queries, options, settings);
    for ((query, found), expected) in queries.iter().zip(&found).zip(&expected) {
        assert_eq!(found.total, expected.total, "{query} {options:?}");
        let place = found.hits.iter().zip(&expected.hits).position(|(a, b)| a != b);
        if let Some(at) = place {
            panic!("{query}, hit {at}: {:?}, not {:?}; {options:?}", found.hits[at], expected.hits[at]);
        }
        assert_eq!(found.hits.len(), expected.hits.len(), "{query} {options:?}");
    }
}

fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
        for limit in [1, 10, 300] {
            all.push(Options { limit, matching, ..Options::default() });
        }
        let usual = Options { matching, ..Options::default() };
        all.push(Options { total: true, ..usual.clone() });
        all.push(Options { offset: 7, limit: 12, ..usual.clone() });
        all.push(Options { bm25: Bm25::new(0.9, 0.4).unwrap(), weights: vec![(TITLE, 0.0)], ..usual.clone() });
        all.push(Options {
            bm25: Bm25::new(0.0, 1.0).unwrap(),
            weights: vec![(TITLE, 1e3), (BODY, 1e-2)],
            ..usual.clone()
        });
        let tags = Filter::Keywords(vec![b"t1".to_vec(), b"t4".to_vec()]);
        all.push(Options { filter: vec![(TAG, tags)], total: true, ..usual });
    }
    all
}

fn compare(name: &str, shape: Shape) {
    if !has_device() {
        return;
    }
    let folder = Folder::new(name);
    let index = build(&folder.0, shape);
    for options in all_options() {
        check(&index, &queries(shape.words, 90), &options, &settings());
    }
}

/// Scores that the CPU cannot add up exactly either: 2^30 times as great as others.
#[test]
fn weights_far_apart() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("weights");
    let index = build(&folder.0, SMALL);
    let weights = vec![(TITLE, 1e6), (BODY, 1e-3)];
    for matching in [Matching::All, Matching::Any] {
        let options = Options { matching, weights: weights.clone(), limit: 50, ..Options::default() };
        let queries = queries(SMALL.words, 60);
        let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
        let expected = index.search_batch(&queries, &options, 1).unwrap();
        for (found, expected) in by_device(&index, &queries, &options, &settings()).iter().zip(&expected) {
            assert_eq!(found.hits.len(), expected.hits.len());
            let near = |(a, b): (f64, f64)| (a - b).abs() <= 1e-14 * b;
            assert!(found.hits.iter().zip(&expected.hits).all(|(a, b)| near((a.score, b.score))));
        }
    }
}

const SMALL: Shape = Shape { documents: 900, commits: 1, words: 300, length: 30, deletes: false, optimize: None };

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
    let folder = Folder::new("cache");
    let shape = Shape { documents: 30_000, words: 2_000, length: 30, ..SMALL };
    let index = build(&folder.0, shape);
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
    let folder = Folder::new("parts");
    let shape = Shape { documents: 3_000, commits: 3, words: 4_000, length: 20, deletes: true, optimize: None };
    let index = build(&folder.0, shape);
    // Enough terms for several parts.
    let queries = queries(shape.words, 4_000);
    for device_memory in [0, 650_000] {
        let settings = Settings { device_memory, ..settings() };
        for matching in [Matching::All, Matching::Any, Matching::AllThenAny] {
            let evictions = device::cache_stats().evictions;
            check(&index, &queries, &Options { matching, total: true, ..Options::default() }, &settings);
            let evicted = device::cache_stats().evictions - evictions;
            assert!(device_memory == 0 || evicted > 100, "{evicted} items were evicted of {device_memory} bytes");
        }
    }
}

/// OR as the papers have it, for benchmarks: with an accumulator per document of the collection.
#[test]
fn plain_accumulators() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("plain");
    let shape = Shape { documents: 9_000, commits: 3, deletes: true, ..SMALL };
    let index = build(&folder.0, shape);
    let queries = queries(shape.words, 60);
    let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
    let device = device::select(&settings().device).unwrap().unwrap();
    for options in all_options().iter().filter(|options| options.matching == Matching::Any) {
        let expected = index.search_batch(&queries, options, 1).unwrap();
        let _turn = turn();
        let failures = engine::stats().device_failures;
        let before = (device::plain_accumulators(true), device.set_profiling(true));
        let found = engine::search_batch(&index, &queries, options, &settings());
        let kernels = device.take_kernel_times();
        device::plain_accumulators(before.0);
        device.set_profiling(before.1);
        assert_eq!(found.unwrap(), expected, "{options:?}");
        assert_eq!(engine::stats().device_failures, failures);
        let kernels: Vec<&str> = kernels.unwrap().iter().map(|time| time.kernel).collect();
        assert!(kernels.contains(&"plain_add") && !kernels.contains(&"rank_any"), "{kernels:?}");
    }
}
