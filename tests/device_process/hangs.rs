//! A device that never completes a command, or that is gone: the CPU's results once the time is up, one warning, one failure
//! counted, and no device from then on. The process ends as usual.

use super::ranked::{QUERIES, all_options, expected, two_segments};
use super::{always, calls, has_device, named, results_are_right, skip, warnings};
use postings::engine::{self, Settings, Warming};
use postings::search::{Found, Index, Matching, Options};
use postings::{Codec, PostingList, device};
use std::time::Duration;

/// How long the device is waited for.
pub const TIMEOUT: Duration = Duration::from_millis(300);
/// Longer than a case may take.
const FOREVER: Duration = Duration::from_secs(3600);

fn settings() -> Settings {
    Settings { device_timeout: TIMEOUT, ..always(&named()) }
}

/// Whether the device is gone, and does not just hang.
fn loses() -> bool {
    std::env::var("POSTINGS_DEVICE_FAULT").expect("set for this case").starts_with("lose")
}

/// Runs `work`, the first to use the device, which it loses.
pub fn is_lost_by(work: impl FnOnce()) {
    let kept = device::select(&named()).expect("it opens").expect("it is there");
    let before = calls();
    work();
    assert!(kept.is_lost());
    let after = calls();
    assert_eq!((after.1, after.2), (before.1, before.2 + 1), "one failure");
    assert!(device::select(&named()).expect("no error any more").is_none());
    assert!(device::twins(&named()).is_empty());
    // If it were waited for again, this case would not end.
    assert!(kept.with_timeout(FOREVER).decode(&list()).is_err());
    drop(kept);
    // Later calls do not try it.
    results_are_right(&settings());
    assert_eq!(calls(), (after.0 + 2, after.1, after.2));
    assert_eq!(one_warning().matches("no longer uses the device").count(), 1);
}

fn one_warning() -> String {
    let warnings = warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let reason = if loses() { "a command failed" } else { "no answer for 300ms" };
    assert!(warnings[0].contains(reason), "{warnings:?}");
    warnings[0].clone()
}

fn list() -> PostingList {
    let doc_ids: Vec<u32> = (0..50_000).map(|at| at * 3).collect();
    PostingList::encode(&doc_ids, Codec::default()).expect("sorted")
}

pub fn decoding() {
    if has_device() {
        is_lost_by(|| assert_eq!(engine::decode(&list(), &settings()), list().decode()));
    }
}

pub fn intersecting() {
    if has_device() {
        is_lost_by(|| assert_eq!(engine::intersect(&[list(), list()], &settings()), list().decode()));
    }
}

/// Several chunks, which take turns in the lanes.
pub fn batch() {
    if has_device() {
        let lists: Vec<PostingList> = (1..9)
            .map(|step| {
                PostingList::encode(&(0..2_000 * step).step_by(step as usize).collect::<Vec<u32>>(), Codec::default())
            })
            .collect::<Result<_, _>>()
            .expect("sorted");
        let queries: Vec<Vec<PostingList>> =
            (0..5_000).map(|at| vec![lists[at % 8].clone(), lists[at / 8 % 8].clone()]).collect();
        let never = Settings { offload: engine::Offload::Never, ..settings() };
        let expected = engine::intersect_batch(&queries, &never).expect("room");
        is_lost_by(|| assert!(engine::intersect_batch(&queries, &settings()).expect("room") == expected));
    }
}

fn search(index: &Index, queries: &[&str], options: &Options) -> Vec<Found> {
    engine::search_batch(index, queries, options, &settings()).expect("the CPU steps in")
}

pub fn ranked_query() {
    if has_device() {
        let (_folder, index) = two_segments();
        let options = Options { matching: Matching::Any, ..Options::default() };
        let expected = index.search(QUERIES[0], &options).expect("the CPU does not fail");
        is_lost_by(|| {
            let found = engine::search(&index, QUERIES[0], &options, &settings()).expect("the CPU steps in");
            assert_eq!(found, expected);
        });
    }
}

pub fn ranked_batch() {
    if has_device() {
        let (_folder, index) = two_segments();
        let expected = all_options().map(|options| expected(&index, &options));
        is_lost_by(|| {
            for (options, expected) in all_options().iter().zip(&expected) {
                assert_eq!(search(&index, &QUERIES, options), *expected);
            }
        });
    }
}

/// The deadline comes while the device is waited for: what it has not answered has expired.
pub fn ranked_batch_with_deadline() {
    if has_device() {
        let (_folder, index) = two_segments();
        let options = Options { deadline: Some(TIMEOUT / 3), ..Options::default() };
        is_lost_by(|| {
            let found = search(&index, &QUERIES, &options);
            assert_eq!(found.len(), QUERIES.len());
            // Another thread may have answered the query with a phrase.
            let expired = found.iter().filter(|found| found.expired).count();
            assert!(expired + 1 >= QUERIES.len(), "{found:?}");
        });
    }
}

pub fn warming() {
    if has_device() {
        let (_folder, index) = two_segments();
        let options = Options { matching: Matching::Any, ..Options::default() };
        is_lost_by(|| {
            let mut warming = Warming::new(&index, &options, &settings());
            warming.add(&QUERIES).expect("queries");
            assert_eq!(warming.send().expect("the device's failure is no error"), 0);
        });
        assert_eq!(search(&index, &QUERIES, &options), expected(&index, &options));
    }
}

/// The first calls are answered by the device.
pub fn after_it_has_worked() {
    if has_device() {
        // Kernels may be compiled at their first launch, which takes some time.
        let patient = always(&named());
        for _ in 0..4 {
            assert_eq!(engine::decode(&list(), &patient), list().decode());
        }
        assert_eq!(calls(), (0, 4, 0));
        decoding();
    }
}

/// Threads that wait for the device while another finds out that it hangs.
pub fn several_threads() {
    if has_device() {
        let kept = device::select(&named()).expect("it opens").expect("it is there");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..3 {
                        assert_eq!(engine::decode(&list(), &settings()), list().decode());
                    }
                });
            }
        });
        assert!(kept.is_lost());
        let (on_cpu, on_device, failures) = calls();
        assert!(on_cpu == 12 && on_device == 0 && (1..=4).contains(&failures), "{on_cpu} {on_device} {failures}");
        one_warning();
    }
}

/// The device hangs when the cost model measures it.
pub fn measuring() {
    if has_device() {
        let settings = Settings { offload: engine::Offload::Auto, ..settings() };
        assert!(engine::prepare(&settings).is_err());
        assert!(!engine::prepare(&settings).expect("no error any more"));
        results_are_right(&settings);
        assert_eq!(calls(), (2, 0, 0));
    }
}

/// Of two devices one hangs in the middle of a batch. The other does its part, and is the one that is used from then on.
pub fn one_of_two() {
    if !has_device() {
        return;
    }
    device::select(&named()).expect("it opens");
    if device::twins(&named()).len() != 2 {
        return skip(&format!("no second device {:?}", named()));
    }
    let (_folder, index) = two_segments();
    let queries: Vec<&str> = QUERIES.iter().copied().cycle().take(2_000).collect();
    let options = Options { matching: Matching::Any, ..Options::default() };
    let expected = index.search_batch(&queries, &options, 1).expect("the CPU does not fail");
    // The other one must not be taken for lost while it compiles its kernels.
    let settings = Settings { device_timeout: Duration::from_secs(5), ..settings() };
    let find = || engine::search_batch(&index, &queries, &options, &settings).expect("the others step in");
    assert!(find() == expected);
    let (on_cpu, on_device, failures) = calls();
    assert!(on_cpu == 0 && on_device >= 1 && failures == 1, "{on_cpu} {on_device} {failures}");
    assert_eq!(device::twins(&named()).len(), 1);
    assert!(!device::select(&named()).expect("it is open").expect("the other").is_lost());
    assert!(find() == expected);
    assert_eq!(calls(), (0, on_device + 1, 1), "one call of the other, and no failure any more");
    assert_eq!(warnings().len(), 1, "{:?}", warnings());
}

/// Some commands of the device have no memory. The calls that they belong to fail, and later ones are right on the device:
/// lists are sent again.
pub fn runs_out_of_memory() {
    if !has_device() {
        return;
    }
    let (_folder, index) = two_segments();
    let settings = always(&named());
    for _ in 0..4 {
        results_are_right(&settings);
        for options in all_options() {
            let found = engine::search_batch(&index, &QUERIES, &options, &settings).expect("the CPU steps in");
            assert_eq!(found, expected(&index, &options));
        }
    }
    let (on_cpu, on_device, failures) = calls();
    assert_eq!((on_cpu, on_device, failures), (3, 17, 3));
    assert!(!device::select(&named()).expect("it is open").expect("it is there").is_lost());
    assert_eq!(warnings().len(), 1, "{:?}", warnings());
}

/// A command fails, and so does waiting for what was submitted with it: nothing is known of the device any more.
pub fn lost_while_settling() {
    if !has_device() {
        return;
    }
    let settings = always(&named());
    for _ in 0..3 {
        results_are_right(&settings);
    }
    assert_eq!(calls(), (6, 0, 2));
    assert!(device::select(&named()).expect("no error any more").is_none());
    assert_eq!(warnings().len(), 2, "{:?}", warnings());
}
