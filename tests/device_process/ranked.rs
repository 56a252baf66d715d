//! Ranked search when a device fails, when the process forks, and when segments are replaced: always what the CPU finds.

use super::forks::in_child;
use super::{calls, has_device, named, warnings};
use postings::analysis::Analyzer;
use postings::device;
use postings::engine::{self, Offload, Settings};
use postings::index::{self, Document, Field, Id, Kind, Schema, Value, Writer};
use postings::search::{Found, Index, Matching, Options};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub const QUERIES: [&str; 8] =
    ["w1 w2", "w3", "w0 w5 w7 w11", "w2 -w4", "body:w1 w9 w9", "unknown w6", "\"w0 w1\" w2", "w0 w1 w2 w3 w4 w5 w6"];

/// A folder with an index, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("postings-process-ranked-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    fn writer(&self) -> Writer {
        let body = Field::new("body", Kind::Text);
        let analyzer = Analyzer::new(Default::default()).expect("the usual options");
        let schema = Schema { fields: vec![body], positions: true, analyzer, codecs: Default::default() };
        Writer::open(&self.0, Some(schema), index::WriterOptions::default()).expect("a writer")
    }

    fn index(&self) -> Index {
        Index::open(&self.0).expect("an index")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Adds documents of words w0 to w39, of which the first are the most frequent, and commits.
fn add(writer: &mut Writer, ids: std::ops::Range<i64>) {
    for id in ids {
        let word = |at: i64| {
            let random = (id * 31 + at + 1).cast_unsigned().wrapping_mul(0x5851_F42D_4C95_7F2D) >> 40;
            (random % 40) * (random / 64 % 40) / 40
        };
        // Some have w0, w1 and so on in a row, so that all words of a query are in a document.
        let words = (0..id.cast_unsigned() % 9).chain((0..3 + id % 13).map(word));
        let tokens = words.map(|word| format!("w{word}").into_bytes()).collect();
        writer.add(Id::Int(id), Document { values: vec![(0, Value::Tokens(tokens))] }).expect("added");
    }
    writer.commit().expect("committed");
}

pub fn settings() -> Settings {
    Settings { device: named(), offload: Offload::Always, ..Settings::default() }
}

pub fn all_options() -> [Options; 3] {
    [Matching::Any, Matching::All, Matching::AllThenAny].map(|matching| Options {
        matching,
        limit: 20,
        ..Options::default()
    })
}

pub fn expected(index: &Index, options: &Options) -> Vec<Found> {
    let found = index.search_batch(&QUERIES, options, 1).expect("the CPU does not fail");
    assert!(found.iter().filter(|found| !found.hits.is_empty()).count() >= 7, "queries find something");
    found
}

fn found(index: &Index, options: &Options) -> Vec<Found> {
    engine::search_batch(index, &QUERIES, options, &settings()).expect("the CPU steps in")
}

/// Searches in each way, and compares.
fn results_are_right(index: &Index) {
    for options in all_options() {
        assert_eq!(found(index, &options), expected(index, &options), "{options:?}");
    }
}

/// Segments of different sizes, with deleted documents.
pub fn many_segments() -> (Folder, Index) {
    let folder = Folder::new();
    let mut writer = folder.writer();
    let ends = [0, 900, 1_500, 1_900, 2_300, 2_500];
    ends.windows(2).for_each(|ends| add(&mut writer, ends[0]..ends[1]));
    for id in (0..2_500).step_by(7) {
        assert!(writer.delete(&Id::Int(id)).expect("deleted"));
    }
    writer.commit().expect("committed");
    let index = folder.index();
    assert!(index.snapshot().parts().len() >= 4, "segments are not merged");
    (folder, index)
}

pub fn two_segments() -> (Folder, Index) {
    let folder = Folder::new();
    let mut writer = folder.writer();
    add(&mut writer, 0..1_000);
    add(&mut writer, 1_000..1_900);
    let index = folder.index();
    (folder, index)
}

/// Every batch fails on the device. The reason is told once.
pub fn device_fails() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    add(&mut folder.writer(), 0..2_000);
    let index = folder.index();
    for _ in 0..2 {
        results_are_right(&index);
    }
    assert_eq!(calls(), (6, 0, 6));
    let warnings = warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("POSTINGS_DEVICE_FAULT"), "{warnings:?}");
}

/// Only one step fails. The batch that it belongs to fails, and later ones are right on the device again.
pub fn device_fails_once() {
    if !has_device() {
        return;
    }
    let (_folder, index) = two_segments();
    for _ in 0..2 {
        results_are_right(&index);
    }
    assert_eq!(calls(), (1, 5, 1));
    assert_eq!(warnings().len(), 1);
}

/// Many steps fail, one here and one there.
pub fn device_fails_now_and_then() {
    if !has_device() {
        return;
    }
    let (_folder, index) = two_segments();
    for _ in 0..12 {
        results_are_right(&index);
    }
    let (on_cpu, on_device, failures) = calls();
    assert_eq!((on_cpu, on_cpu + on_device), (failures, 36));
    assert!(failures >= 6 && on_device >= 20, "{failures} failures");
    let warnings = warnings();
    assert!((2..=4).contains(&warnings.len()), "each reason once: {warnings:?}");
}

/// A child forked after its parent used the device searches on the CPU. The parent still has its device.
pub fn forked_after_ranking() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    add(&mut folder.writer(), 0..2_000);
    let index = folder.index();
    results_are_right(&index);
    assert_eq!(calls(), (0, 3, 0));
    in_child(|| {
        results_are_right(&index);
        assert_eq!(calls(), (3, 3, 1), "told once, then there is no device");
        assert_eq!(warnings().len(), 1);
        // Another commit, and the child's copies of what the parent had are dropped.
        let mut own = folder.index();
        assert!(!own.reload().expect("nothing new"));
        results_are_right(&own);
        drop(own);
    });
    results_are_right(&index);
    assert_eq!(calls(), (0, 6, 0));
    assert_eq!(warnings(), [""; 0]);
}

/// Bytes in the cache of what an index needs, alone.
fn bytes_alone(index: &Index) -> u64 {
    let device = device::select(&named()).expect("open").expect("there");
    device.forget_lists().expect("it works");
    assert_eq!(device::cache_stats().bytes, 0);
    results_are_right(index);
    device::cache_stats().bytes
}

/// What belongs to segments that a merge has replaced leaves the device with the next batch, and not before the last
/// index that uses it is gone.
pub fn segments_are_replaced() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let mut writer = folder.writer();
    add(&mut writer, 0..1_000);
    add(&mut writer, 1_000..1_900);
    let old = folder.index();
    results_are_right(&old);
    let of_old = device::cache_stats().bytes;
    assert!(of_old > 0);
    add(&mut writer, 1_900..2_500);
    for id in (0..2_500).step_by(3) {
        assert!(writer.delete(&Id::Int(id)).expect("deleted"));
    }
    writer.optimize(true).expect("optimized");
    let mut new = folder.index();
    results_are_right(&new);
    assert!(device::cache_stats().bytes > of_old, "the old index is still there");
    let misses = device::cache_stats().misses;
    results_are_right(&old);
    assert_eq!(device::cache_stats().misses, misses, "with its lists");
    drop(old);
    results_are_right(&new);
    let after = device::cache_stats();
    assert_eq!(after.misses, misses, "the lists of the new one have stayed");
    assert_eq!(after.bytes, bytes_alone(&new));
    // Reloading an index has the same effect as opening another.
    add(&mut writer, 3_000..3_400);
    writer.optimize(false).expect("optimized");
    assert!(new.reload().expect("reloaded"));
    results_are_right(&new);
    assert_eq!(device::cache_stats().bytes, bytes_alone(&new));
    assert_eq!(device::cache_stats().evictions, 0, "the cache was never full");
    assert_eq!(calls().2, 0);
}

/// Batches run in other threads while segments are replaced: an index keeps the commit that it was opened at.
pub fn segments_are_replaced_meanwhile() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let mut writer = folder.writer();
    add(&mut writer, 0..1_500);
    let old = folder.index();
    let options = &all_options();
    let of_old: Vec<Vec<Found>> = options.iter().map(|options| expected(&old, options)).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let with_old = scope.spawn(|| {
            let mut rounds = 0;
            while rounds < 3 || !stop.load(Relaxed) {
                let now: Vec<Vec<Found>> = options.iter().map(|options| found(&old, options)).collect();
                assert_eq!(now, of_old);
                rounds += 1;
            }
        });
        let with_new = scope.spawn(|| {
            let (mut new, mut rounds) = (folder.index(), 0);
            while rounds < 3 || !stop.load(Relaxed) {
                new.reload().expect("reloaded");
                results_are_right(&new);
                rounds += 1;
            }
        });
        for round in 0..6 {
            add(&mut writer, 10_000 + 300 * round..10_300 + 300 * round);
            assert!(writer.delete(&Id::Int(round * 7)).expect("deleted"));
            writer.optimize(round % 2 == 0).expect("optimized");
        }
        stop.store(true, Relaxed);
        with_old.join().expect("the old index");
        with_new.join().expect("the new index");
    });
    drop(old);
    let new = folder.index();
    results_are_right(&new);
    assert_eq!(device::cache_stats().bytes, bytes_alone(&new));
    let (on_cpu, on_device, failures) = calls();
    assert!((on_cpu, failures) == (0, 0) && on_device > 18, "{on_cpu} {on_device} {failures}");
}
