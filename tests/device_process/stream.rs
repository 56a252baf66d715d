//! Streams when a device fails, and when the process forks while threads work: each query once, with what the CPU finds.

use super::forks::in_child;
use super::ranked::{QUERIES, settings, two_segments};
use super::{calls, has_device, warnings};
use postings::Error;
use postings::engine::Settings;
use postings::engine::stream::{Stream, Taken};
use postings::search::{Found, Index, Matching, Options};
use std::collections::BTreeSet;
use std::time::Duration;

const ROUNDS: usize = 40;

fn options() -> Options {
    Options { matching: Matching::Any, limit: 20, ..Options::default() }
}

fn expected(index: &Index) -> Vec<Found> {
    index.search_batch(&QUERIES, &options(), 1).expect("the CPU does not fail")
}

/// Takes what is done; false if nothing is. Queries were pushed in rounds, so tickets say which they are.
fn take(stream: &Stream, expected: &[Found], seen: &mut BTreeSet<u64>) -> bool {
    let Ok(Taken::Found(found)) = stream.take(64, Duration::from_secs(60)) else { panic!("a query failed") };
    for (ticket, found) in &found {
        assert_eq!(*found, expected[*ticket as usize % QUERIES.len()], "ticket {ticket}");
        assert!(seen.insert(*ticket), "ticket {ticket} twice");
    }
    !found.is_empty()
}

/// Threads push, one takes: each answer comes once.
fn answers_are_right(index: &Index, settings: &Settings) {
    let expected = expected(index);
    let stream = Stream::new(index, &options(), settings, 100_000).expect("a stream");
    let all = 3 * ROUNDS * QUERIES.len();
    let mut seen = BTreeSet::new();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    stream.push_all(&QUERIES).expect("there is room");
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
        while seen.len() < all {
            if stream.untaken() > 0 {
                assert!(take(&stream, &expected, &mut seen), "nothing in a minute");
            }
        }
    });
    assert_eq!(stream.untaken(), 0);
}

/// Every call of the device fails. The reason is told once.
pub fn device_fails() {
    if !has_device() {
        return;
    }
    let (_folder, index) = two_segments();
    answers_are_right(&index, &settings());
    let (on_cpu, on_device, failures) = calls();
    assert_eq!((on_cpu, on_device), ((3 * ROUNDS * QUERIES.len()) as u64, 0));
    assert!(failures > 0);
    let warnings = warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("POSTINGS_DEVICE_FAULT"), "{warnings:?}");
}

/// Many steps fail, one here and one there. Single queries first, so that there are many calls.
pub fn device_fails_now_and_then() {
    if !has_device() {
        return;
    }
    let (_folder, index) = two_segments();
    let stream = Stream::new(&index, &options(), &settings(), 100).expect("a stream");
    let (expected, mut seen) = (expected(&index), BTreeSet::new());
    for query in QUERIES.iter().cycle().take(12 * QUERIES.len()) {
        stream.push(query).expect("there is room");
        while !take(&stream, &expected, &mut seen) {}
    }
    assert_eq!(seen.len(), 12 * QUERIES.len());
    drop(stream);
    answers_are_right(&index, &settings());
    let (_, on_device, failures) = calls();
    assert!(failures >= 6 && on_device >= 20, "{failures} failures, {on_device} calls");
    let warnings = warnings();
    assert!((2..=4).contains(&warnings.len()), "each reason once: {warnings:?}");
}

/// A process forks again and again while the threads of a stream work, also for the first time. The child cannot use the
/// stream; whatever else it does, it finds nothing locked.
pub fn forked_meanwhile() {
    if !has_device() {
        return;
    }
    let (_folder, index) = two_segments();
    let expected = expected(&index);
    let mut seen = BTreeSet::new();
    let stream = Stream::new(&index, &options(), &settings(), 100_000).expect("a stream");
    for round in 0..20u64 {
        for _ in 0..10 {
            stream.push_all(&QUERIES).expect("there is room");
        }
        std::thread::sleep(Duration::from_micros(300 * round));
        in_child(|| {
            assert!(matches!(stream.push("w1"), Err(Error::File { .. })));
            assert!(matches!(stream.take(10, Duration::from_secs(60)), Err(Error::File { .. })));
            // Its own has threads, but no device.
            let own = Stream::new(&index, &options(), &settings(), 100_000).expect("a stream");
            own.push_all(&QUERIES).expect("there is room");
            let mut seen = BTreeSet::new();
            while seen.len() < QUERIES.len() {
                assert!(take(&own, &expected, &mut seen));
            }
        });
    }
    while stream.untaken() > 0 {
        assert!(take(&stream, &expected, &mut seen));
    }
    assert_eq!(seen.len(), 200 * QUERIES.len());
    let (_, on_device, failures) = calls();
    assert!(on_device > 0 && failures == 0, "{on_device} {failures}");
    // A child that drops it.
    in_child(|| drop(stream));
}
