//! Lists on a device, on one that fails, and on one that is measured.

use super::{always, calls, has_device, named, results_are_right};
use postings::engine::{self, Offload, Settings};
use postings::{Codec, Error, PostingList, device};

pub fn open_fails() {
    if !has_device() {
        return;
    }
    for _ in 0..2 {
        assert!(matches!(device::select(&named()), Err(Error::Device(_))));
    }
    results_are_right(&always(&named()));
    assert_eq!(calls(), (2, 0, 2));
}

pub fn device_does_it() {
    if !has_device() {
        return;
    }
    results_are_right(&always(&named()));
    let stats = engine::stats();
    assert_eq!(calls(), (0, 2, 0));
    assert!(stats.bytes_to_device > 0 && stats.bytes_from_device >= 40_000);
}

/// Every device call fails, and the operation runs on the CPU instead.
pub fn calls_fail() {
    if !has_device() {
        return;
    }
    results_are_right(&always(&named()));
    assert_eq!(calls(), (2, 0, 2));
}

/// The cost model measures its rates, caches them and finds them again. Small work stays on the CPU.
pub fn auto_is_prepared() {
    if !has_device() {
        return;
    }
    let settings = Settings { device: named(), offload: Offload::Auto, ..Settings::default() };
    assert!(engine::prepare(&settings).expect("it can be measured"));
    let folder = std::env::var("POSTINGS_CACHE_DIR").expect("set for each case");
    let kept = std::fs::read_dir(folder)
        .expect("the cache folder")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("rates-")));
    assert_eq!(kept.count(), 1);
    let measured = engine::stats();
    assert!(measured.bytes_from_device > 0);
    assert!(engine::prepare(&settings).expect("it is known"));
    assert_eq!(engine::stats(), measured, "nothing is measured twice");
    let list = PostingList::encode(&[1, 2, 3], Codec::ALL[0]).expect("sorted");
    assert_eq!(engine::decode(&list, &settings), [1, 2, 3]);
    assert_eq!((engine::stats().cpu_calls, engine::stats().device_calls), (1, 0));
    results_are_right(&settings);
}
