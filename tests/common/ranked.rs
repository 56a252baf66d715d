//! Indexes of random documents, and queries of them that are answered by the device and by the CPU.

use super::random::Random;
use super::skipped;
use postings::analysis::Analyzer;
use postings::device;
use postings::engine::{self, Offload, Settings};
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer};
use postings::rank::Bm25;
use postings::search::{Asked, Condition, Filter, Found, Index, Matching, Options};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of a word, of which the first are much more frequent than the last.
pub fn word(random: &mut Random, words: u64) -> u64 {
    (random.zipf(1.0, words as f64) - 1.0) as u64
}

/// How long tests wait for a device: PoCL compiles a kernel when it is first launched, which takes some ten seconds for one
/// with all codecs.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn settings() -> Settings {
    let device = std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into());
    Settings { device, offload: Offload::Always, device_timeout: PATIENCE, ..Settings::default() }
}

/// Whether there is a device; if not, prints that the test is skipped.
pub fn has_device() -> bool {
    let named = settings().device;
    let found = device::select(&named).expect("a usable device").is_some();
    if !found {
        skipped(&format!("no OpenCL device {named:?}"));
    }
    found
}

/// A folder that is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("postings-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub const TITLE: usize = 0;
pub const BODY: usize = 1;
pub const TAG: usize = 2;

pub fn schema() -> Schema {
    let field = |name: &str, kind, weight| Field { weight, ..Field::new(name, kind) };
    let fields =
        vec![field("title", Kind::Text, 2.5), field("body", Kind::Text, 1.0), field("tag", Kind::Keyword, 1.0)];
    Schema { fields, positions: true, analyzer: Analyzer::new(Default::default()).unwrap(), codecs: Default::default() }
}

/// How an index is made.
#[derive(Clone, Copy)]
pub struct Shape {
    pub documents: u64,
    pub commits: u64,
    pub words: u64,
    /// Words of a body, at most.
    pub length: u64,
    pub deletes: bool,
    pub optimize: Option<bool>,
}

pub fn build(folder: &Path, schema: Schema, shape: Shape) -> Index {
    let mut random = Random(shape.documents * 2 + 1);
    let mut writer = Writer::open(folder, Some(schema), postings::index::WriterOptions::default()).unwrap();
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

pub const SMALL: Shape = Shape { documents: 900, commits: 1, words: 300, length: 30, deletes: false, optimize: None };

/// The device belongs to one test at a time.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches by the device, and checks that it did not fail: the engine would use the CPU silently. It must be the caller's
/// [`turn`].
pub fn by_device<'q, Q: Copy + Into<Asked<'q>>>(
    index: &Index,
    queries: &[Q],
    options: &Options,
    settings: &Settings,
) -> Vec<Found> {
    let before = engine::stats();
    let found = engine::search_batch(index, queries, options, settings).unwrap();
    let after = engine::stats();
    assert_eq!(after.device_failures, before.device_failures, "the device failed");
    // Several devices share a large batch.
    assert!(after.device_calls > before.device_calls, "not by the device");
    found
}

/// Compares the device with the CPU.
pub fn check(index: &Index, queries: &[String], options: &Options, settings: &Settings) {
    let _turn = turn();
    check_in_turn(index, queries, options, settings);
}

/// The same if it is the caller's [`turn`].
pub fn check_in_turn(index: &Index, queries: &[String], options: &Options, settings: &Settings) {
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

pub fn all_options() -> Vec<Options> {
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
        let tags = Condition::Keywords(TAG, vec![b"t1".to_vec(), b"t4".to_vec()]);
        all.push(Options { filter: Filter::new(tags).unwrap(), total: true, ..usual });
    }
    all
}
