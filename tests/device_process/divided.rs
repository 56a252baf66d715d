//! Several devices that divide an index by segments: what the CPU finds, and each list on one device only.

use super::ranked::{Folder, QUERIES, many_segments};
use super::{always, calls, has_device, named, skip, warnings};
use postings::device;
use postings::engine::{self, Division, Settings, Warming};
use postings::search::{Index, Matching, Options};
use std::time::Duration;

fn settings(division: Division) -> Settings {
    Settings { division, ..always(&named()) }
}

/// An index, if there are two devices; otherwise says that the case is skipped.
fn index() -> Option<(Folder, Index)> {
    if !has_device() {
        return None;
    }
    device::select(&named()).expect("it opens");
    if device::twins(&named()).len() != 2 {
        skip(&format!("no second device {:?}", named()));
        return None;
    }
    Some(many_segments())
}

/// Searches in each way, with many hits and with few, and compares; returns the number of batches.
fn results_are_right(index: &Index, settings: &Settings) -> u64 {
    let mut batches = 0;
    for matching in [Matching::Any, Matching::All, Matching::AllThenAny] {
        for (limit, total) in [(20, false), (3, true), (400, true)] {
            let options = Options { matching, limit, total, ..Options::default() };
            let found = engine::search_batch(index, &QUERIES, &options, settings).expect("somebody steps in");
            let expected = index.search_batch(&QUERIES, &options, 1).expect("the CPU does not fail");
            assert_eq!(found, expected, "{options:?}");
            batches += 1;
        }
    }
    batches
}

pub fn by_segments() {
    let Some((_folder, index)) = index() else { return };
    let batches = results_are_right(&index, &settings(Division::Segments));
    let (on_cpu, on_device, failures) = calls();
    assert!(on_cpu == 0 && failures == 0 && on_device >= 2 * batches, "{on_cpu} {on_device} {failures}");
    let divided = device::cache_stats();
    results_are_right(&index, &settings(Division::Segments));
    assert_eq!(device::cache_stats().misses, divided.misses, "segments stay where they are");
    // Both have a table, and otherwise each has its own. One device alone has to have all.
    for device in device::twins(&named()) {
        device.forget_lists().expect("it works");
    }
    results_are_right(&index, &settings(Division::Queries));
    let table = 256 << 10;
    let whole = device::cache_stats().bytes;
    assert!(divided.bytes.abs_diff(whole + table) < 64 << 10, "{} bytes, {whole} on one device", divided.bytes);
    // A query alone is divided, too.
    let options = Options { matching: Matching::Any, ..Options::default() };
    let before = calls().1;
    let found = engine::search(&index, QUERIES[0], &options, &settings(Division::Segments)).expect("no error");
    assert_eq!(found, index.search(QUERIES[0], &options).expect("no error"));
    assert_eq!(calls().1, before + 2);
}

/// The lists of the index fit on one device, or only on both together.
pub fn if_there_is_no_room() {
    let Some((_folder, index)) = index() else { return };
    let options = Options { matching: Matching::Any, ..Options::default() };
    let search = |device_memory| {
        let settings = Settings { device_memory, ..settings(Division::Auto) };
        let before = calls().1;
        let found = engine::search_batch(&index, &QUERIES, &options, &settings).expect("no error");
        assert_eq!(found, index.search_batch(&QUERIES, &options, 1).expect("no error"));
        calls().1 - before
    };
    assert_eq!(search(0), 1, "a small batch is for one device");
    let lists = device::cache_stats().bytes;
    for device in device::twins(&named()) {
        device.forget_lists().expect("it works");
    }
    // The table of the field has to fit as well.
    let little = lists - 20_000;
    assert_eq!(search(little), 2);
    let misses = device::cache_stats().misses;
    for _ in 0..3 {
        assert_eq!(search(little), 2);
    }
    let stats = device::cache_stats();
    assert_eq!((stats.misses, stats.evictions), (misses, 0), "everything is there");
}

pub fn and_warmed() {
    let Some((_folder, index)) = index() else { return };
    let options = Options { matching: Matching::Any, ..Options::default() };
    let settings = settings(Division::Segments);
    let mut warming = Warming::new(&index, &options, &settings);
    warming.add(&QUERIES).expect("queries");
    let lists = warming.send().expect("no error");
    assert!(lists >= 10 * index.snapshot().parts().len(), "{lists} lists");
    let stats = device::cache_stats();
    let positions = 2 * index.snapshot().parts().len();
    assert_eq!(stats.misses, (lists + 2 + positions) as u64, "and a table on each, and positions of a phrase's words");
    results_are_right(&index, &settings);
    assert_eq!(device::cache_stats().misses, stats.misses);
    assert_eq!(calls().2, 0);
}

/// What one device fails at is done by the other.
pub fn and_one_fails() {
    let Some((_folder, index)) = index() else { return };
    for _ in 0..2 {
        results_are_right(&index, &settings(Division::Segments));
    }
    let (on_cpu, _, failures) = calls();
    assert_eq!((on_cpu, failures), (0, 1));
    assert_eq!((warnings().len(), device::twins(&named()).len()), (1, 2));
}

/// The other one has all segments from then on.
pub fn and_one_hangs() {
    let Some((_folder, index)) = index() else { return };
    let settings = Settings { device_timeout: Duration::from_secs(5), ..settings(Division::Segments) };
    results_are_right(&index, &settings);
    let (on_cpu, _, failures) = calls();
    assert_eq!((on_cpu, failures), (0, 1));
    assert_eq!((warnings().len(), device::twins(&named()).len()), (1, 1));
    results_are_right(&index, &settings);
    assert_eq!((calls().0, calls().2), (0, 1));
}

pub fn and_all_fail() {
    let Some((_folder, index)) = index() else { return };
    let batches = results_are_right(&index, &settings(Division::Segments));
    assert_eq!(calls(), (batches, 0, 2 * batches));
    assert_eq!(warnings().len(), 1);
}
