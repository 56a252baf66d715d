//! The nearest vectors by a device: the hits of the CPU, to the last bit of the scores.

use crate::common::random::Random;
use crate::common::ranked::{Folder, has_device, settings, turn};
use postings::device;
use postings::engine::{self, Offload, Settings};
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::{Asked, Condition, Filter, Found, Fusion, Index, Matching, Options};
use postings::vector::{Metric, Precision, Query, Shape};
use std::sync::Arc;

const TAG: usize = 0;
const VECTOR: usize = 1;
const BODY: usize = 2;

fn schema(shape: Shape) -> Schema {
    let field = |name: &str, kind, vector| Field { vector, ..Field::new(name, kind) };
    let fields = vec![
        field("tag", Kind::Keyword, None),
        field("embedding", Kind::Vector, Some(shape)),
        field("body", Kind::Text, None),
    ];
    Schema {
        fields,
        positions: true,
        analyzer: postings::analysis::Analyzer::new(Default::default()).unwrap(),
        codecs: Default::default(),
    }
}

/// How an index is made.
#[derive(Clone, Copy)]
struct Made {
    shape: Shape,
    documents: u64,
    commits: u64,
    deletes: bool,
    /// Whether some documents have no vector.
    missing: bool,
    optimize: Option<bool>,
}

const SMALL: Made = Made {
    shape: Shape { dimensions: 26, metric: Metric::Cosine, precision: Precision::Bits32 },
    documents: 700,
    commits: 1,
    deletes: false,
    missing: false,
    optimize: None,
};

fn index(folder: &Folder, made: Made, vector: &mut dyn FnMut(u64) -> Vec<f32>) -> Index {
    let mut writer = Writer::open(&folder.0, Some(schema(made.shape)), WriterOptions::default()).unwrap();
    for id in 0..made.documents {
        let tag = Value::Keywords(vec![format!("t{}", id % 7).into_bytes()]);
        let mut values = vec![(TAG, tag), (BODY, Value::Text(format!("w{} w{} ship", id % 3, id % 11).into()))];
        if !made.missing || id % 6 != 2 {
            values.push((VECTOR, Value::Vector(vector(id))));
        }
        writer.add(Id::Int(id as i64), Document { values }).unwrap();
        if (id + 1) % made.documents.div_ceil(made.commits) == 0 {
            writer.commit().unwrap();
        }
    }
    if made.deletes {
        for id in (0..made.documents).filter(|id| id % 5 == 1) {
            writer.delete(&Id::Int(id as i64)).unwrap();
        }
    }
    writer.commit().unwrap();
    if let Some(reorder) = made.optimize {
        writer.optimize(reorder).unwrap();
    }
    Index::open(&folder.0).unwrap()
}

/// A vector of noise.
fn noise(random: &mut Random, dimensions: u16) -> Vec<f32> {
    (0..dimensions).map(|_| (random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) + 1e-6).collect()
}

fn queries(shape: Shape, count: usize) -> Vec<Query> {
    let mut random = Random(99);
    (0..count).map(|_| Query::new(shape, &noise(&mut random, shape.dimensions)).unwrap()).collect()
}

/// What the device finds, which must be what the CPU does. Returns how many calls the CPU had.
fn check(index: &Index, queries: &[Query], options: &Options, settings: &Settings) -> u64 {
    let _turn = turn();
    let expected = index.nearest(VECTOR, queries, options, 1).unwrap();
    let before = engine::stats();
    let found = engine::nearest(index, VECTOR, queries, options, settings).unwrap();
    let after = engine::stats();
    assert_eq!(after.device_failures, before.device_failures, "the device failed");
    let scores = |found: &Found| found.hits.iter().map(|hit| hit.score.to_bits()).collect::<Vec<_>>();
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!((found, scores(found)), (expected, scores(expected)));
    }
    assert_eq!(found.len(), expected.len());
    assert!(after.device_calls > before.device_calls, "not by the device");
    after.cpu_calls - before.cpu_calls
}

/// All metrics and precisions.
fn shapes() -> impl Iterator<Item = (Metric, Precision)> {
    Metric::ALL.into_iter().flat_map(|metric| Precision::ALL.map(|precision| (metric, precision)))
}

/// All metrics, precisions and dimensions, each by the device alone.
#[test]
fn all_shapes() {
    if !has_device() {
        return;
    }
    for (at, dimensions) in [1, 33, 384, 1000].into_iter().enumerate() {
        for (metric, precision) in shapes() {
            let shape = Shape { dimensions, metric, precision };
            let folder = Folder::new(&format!("nearest-{dimensions}-{}-{}", metric.name(), precision.bits()));
            let (documents, mut random) = (400 + 150 * at as u64, Random(7));
            let index = index(&folder, Made { shape, documents, ..SMALL }, &mut |_| noise(&mut random, dimensions));
            let queries = queries(shape, 70);
            // 256 rows are a tile.
            for limit in [1, 10, 255, 256, 257] {
                let on_cpu = check(&index, &queries, &Options { limit, ..Options::default() }, &settings());
                // With one dimension there are only two directions, so all are equal.
                assert!(on_cpu == 0 || dimensions == 1, "{shape:?} {limit}");
            }
        }
    }
}

#[test]
fn segments_deletions_filters_and_offsets() {
    if !has_device() {
        return;
    }
    // Of the six, one with each metric, both precisions among them.
    for (number, (metric, precision)) in shapes().enumerate().filter(|(number, _)| [0, 3, 4].contains(number)) {
        let shape = Shape { dimensions: 40, metric, precision };
        let folder = Folder::new(&format!("nearest-segments-{number}"));
        let made = Made { shape, documents: 3_000, commits: 4, deletes: true, missing: true, ..SMALL };
        let optimize = (number == 3).then_some(true);
        let mut random = Random(3);
        let index = index(&folder, Made { optimize, ..made }, &mut |_| noise(&mut random, 40));
        let tag = |tag: &str| Filter::new(Condition::Keywords(TAG, vec![tag.as_bytes().to_vec()])).unwrap();
        for filter in [Filter::default(), tag("t3"), tag("none")] {
            for (limit, offset) in [(10, 0), (5, 20), (1023, 0), (1000, 24), (10, 10_000)] {
                let options = Options { limit, offset, filter: filter.clone(), ..Options::default() };
                if limit + offset <= 1024 {
                    check(&index, &queries(shape, 65), &options, &settings());
                } else {
                    let _turn = turn();
                    let queries = queries(shape, 3);
                    let found = engine::nearest(&index, VECTOR, &queries, &options, &settings()).unwrap();
                    assert_eq!(found, index.nearest(VECTOR, &queries, &options, 1).unwrap());
                }
            }
        }
    }
}

/// Rows come nearer and nearer, so that there are more candidates than room; many are equal.
#[test]
fn crowds_and_ties() {
    if !has_device() {
        return;
    }
    let shape = Shape { dimensions: 8, metric: Metric::Euclidean, precision: Precision::Bits32 };
    let folder = Folder::new("nearest-crowds");
    let made = Made { shape, documents: 40_000, ..SMALL };
    let ahead = index(&folder, made, &mut |id| vec![(80_000 - id) as f32; 8]);
    // So many that each has room for few candidates.
    let queries: Vec<Query> = (0..512).map(|at| Query::new(shape, &[(at + 1) as f32; 8]).unwrap()).collect();
    let options = Options { limit: 3, ..Options::default() };
    assert_eq!(check(&ahead, &queries, &options, &settings()), 0);
    let folder = Folder::new("nearest-ties");
    let ties = index(&folder, made, &mut |id| vec![(id / 20_000) as f32; 8]);
    assert_eq!(check(&ties, &queries, &options, &settings()), 1, "thousands are as near");
}

#[test]
fn extreme_numbers() {
    if !has_device() {
        return;
    }
    let numbers =
        [0.0, 1e-45, -1e-38, 1e-30, 1e-20, 1.0, -1.0, 3.0, 1e10, 1e17, -1e18, 1e19, 1e25, -1e30, 3.4e38, f32::MIN];
    let halves = [0.0, 6e-8, -1e-7, 6e-5, 1e-4, 1.0, -1.0, 3.0, 1e3, 1e4, -2e4, 3e4, 4e4, -5e4, 6e4, -65_504.0];
    for (metric, precision) in shapes() {
        let shape = Shape { dimensions: 5, metric, precision };
        let folder = Folder::new(&format!("nearest-extreme-{}-{}", metric.name(), precision.bits()));
        let mut random = Random(11);
        let mut vector = |numbers: &[f32], scale: u64| -> Vec<f32> {
            let mut one = || numbers[random.below(if scale == 0 { numbers.len() as u64 } else { scale }) as usize];
            (0..5).map(|at| if at == 0 { one() + 1e-3 } else { one() }).collect()
        };
        let of_index = if precision == Precision::Bits16 { &halves } else { &numbers };
        let made = Made { shape, documents: 1_500, ..SMALL };
        let index = index(&folder, made, &mut |id| vector(of_index, id % 10));
        let queries: Vec<Query> = (0..80).map(|at| Query::new(shape, &vector(&numbers, at % 10)).unwrap()).collect();
        check(&index, &queries, &Options::default(), &settings());
    }
}

/// What does not fit is the CPU's; what is sent stays, and leaves room for lists only if it must.
#[test]
fn memory() {
    if !has_device() {
        return;
    }
    let shape = Shape { dimensions: 100, metric: Metric::Dot, precision: Precision::Bits32 };
    let folder = Folder::new("nearest-memory");
    let mut random = Random(5);
    let made = Made { shape, documents: 5_000, commits: 2, ..SMALL };
    let index = index(&folder, made, &mut |_| noise(&mut random, 100));
    let (queries, options) = (queries(shape, 10), Options::default());
    check(&index, &queries, &options, &settings());
    let sent = || engine::stats().bytes_to_device;
    {
        let _turn = turn();
        let nearest = || engine::nearest(&index, VECTOR, &queries, &options, &settings()).unwrap();
        // Another test may have had the device, and little of its memory, since the vectors were sent.
        nearest();
        let before = sent();
        nearest();
        assert!(sent() - before < 100_000, "vectors are not sent again");
        let little = Settings { device_memory: 300_000, ..settings() };
        let before = engine::stats();
        let found = engine::nearest(&index, VECTOR, &queries, &options, &little).unwrap();
        let after = engine::stats();
        assert_eq!((after.device_calls, after.cpu_calls), (before.device_calls, before.cpu_calls + 1));
        assert_eq!(found, index.nearest(VECTOR, &queries, &options, 1).unwrap());
        assert!(device::cache_stats().bytes > 0);
    }
    check(&index, &queries, &options, &settings());
}

/// More queries than a sub-batch, and none.
#[test]
fn many_queries() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("nearest-many");
    let mut random = Random(13);
    let index = index(&folder, Made { documents: 300, ..SMALL }, &mut |_| noise(&mut random, 26));
    check(&index, &queries(SMALL.shape, 1_300), &Options { limit: 3, ..Options::default() }, &settings());
    let _turn = turn();
    assert_eq!(engine::nearest::<Query>(&index, VECTOR, &[], &Options::default(), &settings()).unwrap(), []);
    let options = Options { deadline: Some(std::time::Duration::ZERO), ..Options::default() };
    let late = engine::nearest(&index, VECTOR, &queries(SMALL.shape, 5), &options, &settings()).unwrap();
    assert!(late.len() == 5 && late.iter().all(|found| found.expired && found.hits.is_empty()));
}

/// Batches of words and vectors, beside such without vectors: words are ranked by the device, and vectors compared.
#[test]
fn fused_batches() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("nearest-fused");
    let mut random = Random(17);
    let made = Made { documents: 2_000, commits: 3, deletes: true, missing: true, ..SMALL };
    let index = index(&folder, made, &mut |_| noise(&mut random, 26));
    let vectors: Vec<[(usize, Arc<Query>); 1]> =
        queries(SMALL.shape, 60).into_iter().map(|query| [(VECTOR, Arc::new(query))]).collect();
    let texts = ["ship w5", "w0 w7", "w10", "", "nothing", "ship -w1"];
    let asked = |at: usize| {
        let nearest: &[_] = if at % 4 == 3 { &[] } else { &vectors[at] };
        Asked { text: texts[at % texts.len()], nearest, ..Asked::default() }
    };
    let asked: Vec<Asked> = (0..vectors.len()).map(asked).collect();
    let by_scores = Fusion::Scores { text: 1.0, fields: vec![(VECTOR, 2.0)] };
    for (matching, fusion) in
        [(Matching::All, Fusion::Ranks), (Matching::Any, Fusion::Ranks), (Matching::Any, by_scores)]
    {
        let _turn = turn();
        let ranks = fusion == Fusion::Ranks;
        let options = Options { matching, fusion, offset: 2, ..Options::default() };
        let before = engine::stats();
        let found = engine::search_batch(&index, &asked, &options, &settings()).unwrap();
        let calls = engine::stats().device_calls - before.device_calls;
        assert!(!ranks || calls >= 3, "{calls}");
        assert_eq!(found, index.search_batch(&asked, &options, 1).unwrap());
        assert!(found.iter().filter(|found| found.hits.len() == 10).count() > 40);
    }
}

/// An index without documents, and segments without vectors.
#[test]
fn nothing_to_find() {
    if !has_device() {
        return;
    }
    let folder = Folder::new("nearest-nothing");
    let empty = index(&folder, Made { documents: 0, ..SMALL }, &mut |_| unreachable!());
    let find = |index: &Index| {
        let _turn = turn();
        let queries = queries(SMALL.shape, 3);
        let found = engine::nearest(index, VECTOR, &queries, &Options::default(), &settings()).unwrap();
        assert_eq!(found, index.nearest(VECTOR, &queries, &Options::default(), 1).unwrap());
        assert!(found.len() == 3 && found.iter().all(|found| found.hits.is_empty()));
    };
    find(&empty);
    let folder = Folder::new("nearest-without");
    let mut writer = Writer::open(&folder.0, Some(schema(SMALL.shape)), WriterOptions::default()).unwrap();
    for id in 0..300 {
        writer.add(Id::Int(id), Document { values: vec![(TAG, Value::Keywords(vec![b"t".to_vec()]))] }).unwrap();
    }
    writer.commit().unwrap();
    find(&Index::open(&folder.0).unwrap());
}

/// With `auto`, little work is the CPU's: no device is asked, opened or sent anything.
#[test]
fn little_work_is_the_cpus() {
    let folder = Folder::new("nearest-little");
    let mut random = Random(17);
    let index = index(&folder, SMALL, &mut |_| noise(&mut random, 26));
    let settings = Settings { offload: Offload::Auto, ..settings() };
    let _turn = turn();
    let before = engine::stats();
    for _ in 0..20 {
        engine::nearest(&index, VECTOR, &queries(SMALL.shape, 100), &Options::default(), &settings).unwrap();
    }
    let after = engine::stats();
    assert_eq!((after.device_calls, after.bytes_to_device), (before.device_calls, before.bytes_to_device));
    assert_eq!(after.cpu_calls, before.cpu_calls + 20);
}
