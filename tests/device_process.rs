//! What a process may expect of the device layer: without a loader, with strange selectors, before and after a fork.
//!
//! It has a `main` of its own, as a fork wants a process of one thread. Each case runs in a child process; those that
//! need an OpenCL driver for the CPU say so and are skipped where there is none.

use postings::engine::{self, Offload, Settings};
use postings::{Codec, Error, PostingList, device};
use std::process::Command;
use std::time::{Duration, Instant};

type Case = (&'static str, &'static [(&'static str, &'static str)], fn());

const CASES: &[Case] = &[
    ("loader_absent", &[("POSTINGS_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so.1")], loader_absent),
    ("loader_without_functions", &[("POSTINGS_OPENCL_LIBRARY", "libm.so.6")], loader_absent),
    ("no_platform", &[("OCL_ICD_VENDORS", "/nonexistent")], loader_absent),
    ("hostile_selectors", &[], hostile_selectors),
    ("selectors_agree", &[], selectors_agree),
    ("forked_after_use", &[], forked_after_use),
    ("forked_before_use", &[], forked_before_use),
    ("device_does_it", &[], device_does_it),
    ("build_fails", &[("POSTINGS_DEVICE_FAULT", "build")], calls_fail),
    ("launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch")], calls_fail),
    ("read_fails", &[("POSTINGS_DEVICE_FAULT", "read")], calls_fail),
    ("alloc_fails", &[("POSTINGS_DEVICE_FAULT", "alloc")], calls_fail),
    ("auto_is_prepared", &[], auto_is_prepared),
    ("open_fails", &[("POSTINGS_DEVICE_FAULT", "open")], open_fails),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--case") {
        let name = arguments.next().expect("a case");
        CASES.iter().find(|case| case.0 == name).expect("a known case").2();
        return;
    }
    println!("\nrunning {} cases", CASES.len());
    let (mut passed, mut failed, mut skips) = (0, 0, 0);
    for (name, variables, _) in CASES {
        let output = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--case", name])
            .envs(variables.iter().copied())
            .output()
            .expect("a child process");
        let skipped = String::from_utf8_lossy(&output.stdout).contains("skipped");
        let result = if !output.status.success() {
            "FAILED"
        } else if skipped {
            "skipped"
        } else {
            "ok"
        };
        println!("case {name} ... {result}");
        match result {
            "ok" => passed += 1,
            "skipped" => skips += 1,
            _ => failed += 1,
        }
        if !output.status.success() {
            println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        }
    }
    println!("\nprocesses: {passed} passed, {failed} failed, {skips} skipped");
    std::process::exit(i32::from(failed > 0));
}

fn named() -> String {
    std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into())
}

/// Whether there is a device to test with; else says that the case is skipped. Uses OpenCL.
fn has_device() -> bool {
    let has = device::devices(&named()).iter().any(|device| device.selected);
    if !has {
        println!("skipped: no OpenCL device {:?}", named());
    }
    has
}

fn always(device: &str) -> Settings {
    Settings { device: device.into(), offload: Offload::Always, ..Settings::default() }
}

fn results_are_right(settings: &Settings) {
    let doc_ids: Vec<u32> = (0..10_000).map(|i| i * 7).collect();
    let list = PostingList::encode(&doc_ids, Codec::QuasiSuccinct).expect("sorted");
    assert_eq!(engine::decode(&list, settings), doc_ids);
    assert_eq!(engine::intersect_count(&[list.clone(), list], settings), 10_000);
}

fn loader_absent() {
    let begun = Instant::now();
    assert_eq!(device::devices("auto"), []);
    for selector in ["auto", "portable", "0:0", "none", ""] {
        assert!(device::select(selector).expect("nothing fails").is_none());
    }
    results_are_right(&always("auto"));
    let stats = engine::stats();
    assert_eq!((stats.cpu_calls, stats.device_calls, stats.device_failures), (2, 0, 0));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // A fork costs nothing where there is nothing to protect.
    in_child(|| {
        assert!(device::select("auto").expect("nothing fails").is_none());
        results_are_right(&always("auto"));
        assert_eq!(engine::stats().device_failures, 0);
    });
}

fn hostile_selectors() {
    let long = "A".repeat(10 << 20);
    let many: Vec<String> = (0..10_000).map(|i| format!("no such device {i}")).collect();
    let strange =
        ["\0", "0:\0", "::::", "-1:-1", "18446744073709551616:0", "99:99", "\u{1F50E}", "%s%n", "../..", &long];
    for selector in strange.into_iter().chain(many.iter().map(String::as_str)) {
        assert!(device::select(selector).expect("nothing fails").is_none());
        assert!(device::devices(&selector[..selector.len().min(50)]).iter().all(|device| !device.selected));
    }
}

fn selectors_agree() {
    if !has_device() {
        return;
    }
    let one = device::select(&named()).expect("it opens").expect("it is there");
    let place = device::devices(&named()).iter().position(|device| device.selected).expect("one is selected");
    let info = &device::devices("none")[place];
    let other = device::select(&format!("{} / {}", info.platform, info.name)).expect("it opens").expect("it is there");
    assert!(std::sync::Arc::ptr_eq(&one, &other));
    assert_eq!(one.info().name, info.name);
    let begun = Instant::now();
    for _ in 0..100_000 {
        assert!(device::select(&named()).expect("it is open").is_some());
    }
    let each = begun.elapsed() / 100_000;
    println!("select: {each:?} a call");
    assert!(each < Duration::from_micros(20));
}

fn open_fails() {
    if !has_device() {
        return;
    }
    for _ in 0..2 {
        assert!(matches!(device::select(&named()), Err(Error::Device(_))));
    }
    results_are_right(&always(&named()));
    let stats = engine::stats();
    assert_eq!((stats.cpu_calls, stats.device_calls, stats.device_failures), (2, 0, 2));
}

fn device_does_it() {
    if !has_device() {
        return;
    }
    results_are_right(&always(&named()));
    let stats = engine::stats();
    assert_eq!((stats.cpu_calls, stats.device_calls, stats.device_failures), (0, 2, 0));
    assert!(stats.bytes_to_device > 0 && stats.bytes_from_device >= 40_000);
}

/// Every call to the device fails, and is done on the CPU instead.
fn calls_fail() {
    if !has_device() {
        return;
    }
    results_are_right(&always(&named()));
    let stats = engine::stats();
    assert_eq!((stats.cpu_calls, stats.device_calls, stats.device_failures), (2, 0, 2));
}

/// The cost model measures its rates, keeps them, and finds them again; and small work stays on the CPU.
fn auto_is_prepared() {
    if !has_device() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("postings-rates-{}", std::process::id()));
    // SAFETY: this process has one thread of its own, and no other reads the environment now.
    unsafe { std::env::set_var("POSTINGS_CACHE_DIR", &folder) };
    let settings = Settings { device: named(), offload: Offload::Auto, ..Settings::default() };
    assert!(engine::prepare(&settings).expect("it can be measured"));
    let kept = std::fs::read_dir(&folder)
        .expect("the cache folder")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("rates-")));
    assert_eq!(kept.count(), 1);
    std::fs::remove_dir_all(&folder).expect("the cache folder");
    let begun = Instant::now();
    assert!(engine::prepare(&settings).expect("it is known"));
    assert!(begun.elapsed() < Duration::from_millis(5), "{:?}", begun.elapsed());
    let list = PostingList::encode(&[1, 2, 3], Codec::Simple9).expect("sorted");
    assert_eq!(engine::decode(&list, &settings), [1, 2, 3]);
    assert_eq!((engine::stats().cpu_calls, engine::stats().device_calls), (1, 0));
    results_are_right(&settings);
}

fn forked_after_use() {
    if !has_device() {
        return;
    }
    let settings = always(&named());
    let kept = device::select(&named()).expect("it opens").expect("it is there");
    let list = PostingList::encode(&[1, 2, 3], Codec::Simple9).expect("sorted");
    in_child(|| {
        // The device that the parent held refuses; asking for one fails once, and from then on there is none.
        assert!(matches!(kept.decode(&list), Err(Error::Device(_))));
        results_are_right(&settings);
        let stats = engine::stats();
        assert_eq!((stats.cpu_calls, stats.device_calls, stats.device_failures), (2, 0, 1));
        assert!(device::select(&named()).expect("told once").is_none());
        assert!(device::devices(&named()).iter().all(|device| !device.selected));
        // A grandchild neither.
        in_child(|| assert!(device::select(&named()).expect("told").is_none()));
        drop(kept);
    });
    // The parent goes on.
    results_are_right(&settings);
    assert!(device::select(&named()).expect("open").is_some());
}

fn forked_before_use() {
    in_child(|| {
        if has_device() {
            assert!(device::select(&named()).expect("it opens").is_some());
        }
    });
    if has_device() {
        assert!(device::select(&named()).expect("it opens").is_some());
    }
}

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(code: i32) -> !;
}

/// Runs it in a forked child, which must end well within a minute.
fn in_child(work: impl FnOnce()) {
    const NOHANG: i32 = 1;
    // SAFETY: this process has one thread of its own (a driver's threads are what the test is about).
    let pid = unsafe { fork() };
    assert!(pid >= 0, "fork");
    if pid == 0 {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: ends this child without the handlers that belong to its parent.
        unsafe { _exit(i32::from(ended.is_err())) };
    }
    let begun = Instant::now();
    let mut status = 0;
    // SAFETY: a child of this process, and room for its status.
    while unsafe { waitpid(pid, &mut status, NOHANG) } == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the forked child hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(status, 0, "the forked child's status");
}
