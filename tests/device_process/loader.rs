//! Without a loader, with libraries and drivers that misbehave, and with an environment that changes.

use super::forks::in_child;
use super::{LIBRARY, always, calls, has_device, named, results_are_right, warnings};
use postings::{device, engine};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How often the fake library was loaded, by any process of this case.
fn loads() -> usize {
    let log = std::env::var("FAKE_OPENCL_LOG").expect("set for each case");
    std::fs::read_to_string(log).map_or(0, |log| log.lines().count())
}

/// Runs another case with the environment of this one, including its cache folder.
fn also(case: &str) {
    let status = Command::new(std::env::current_exe().expect("this binary")).args(["--case", case]).status();
    assert!(status.expect("a child process").success(), "{case}");
}

pub fn loader_absent() {
    assert_eq!(device::devices("auto"), []);
    for selector in ["auto", "portable", "0:0", "none", ""] {
        assert!(device::select(selector).expect("nothing fails").is_none());
    }
    results_are_right(&always("auto"));
    assert_eq!(calls(), (2, 0, 0));
    // Without a device, a fork changes nothing and is not warned about.
    in_child(|| {
        assert!(device::select("auto").expect("nothing fails").is_none());
        results_are_right(&always("auto"));
        assert_eq!(engine::stats().device_failures, 0);
    });
}

/// The driver fails in the trial's child. This process does not load it, warns once, and works.
pub fn driver_fails() {
    let before = loads();
    assert_eq!(device::devices("auto"), []);
    for selector in ["auto", "portable", "0:0"] {
        assert!(device::select(selector).expect("nothing fails").is_none());
    }
    results_are_right(&always("portable"));
    assert_eq!(calls(), (2, 0, 0));
    assert_eq!(loads() - before, 1, "in the child alone");
    let warnings = warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let wanted = std::env::var("FAKE_OPENCL").expect("set for this case");
    let what = match wanted.split(':').next() {
        Some("abort") => "was killed by SIGABRT",
        Some("segv") => "was killed by SIGSEGV",
        Some("exit") => "ended with status 3",
        _ => "took longer than 0.5 s",
    };
    assert!(warnings[0].contains("OpenCL is not used") && warnings[0].contains(what), "{warnings:?}");
}

pub fn verdicts_are_kept() {
    if warnings_of_an_earlier_process() {
        return;
    }
    // The first process ran the trial; the next one uses its verdict.
    assert_eq!(loads(), 1);
    also("verdicts_are_kept");
    assert_eq!(loads(), 1);
    // Other drivers: the same bytes in a new file.
    let file = std::env::var("FAKE_OPENCL_FILE").expect("set for each case");
    let bytes = std::fs::read(&file).expect("the library");
    std::fs::rename(&file, format!("{file}.old")).expect("renamed");
    std::fs::write(&file, bytes).expect("written");
    also("driver_aborts_when_loaded");
    assert_eq!(loads(), 2);
}

/// Looks for devices, which fails. Returns whether the warning says that an earlier process found that out.
fn warnings_of_an_earlier_process() -> bool {
    assert_eq!(device::devices("auto"), []);
    let warnings = warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("SIGABRT"), "{warnings:?}");
    warnings[0].contains("earlier process")
}

/// After a passed trial the process loads the driver itself, and the next process does so without a child.
pub fn good_verdicts_are_kept() {
    let before = loads();
    assert_eq!(device::devices("auto"), []);
    assert_eq!(warnings(), [""; 0]);
    match before {
        0 => {
            assert_eq!(loads(), 2, "the child and this process");
            also("good_verdicts_are_kept");
        }
        _ => assert_eq!(loads(), before + 1, "this process alone"),
    }
}

/// The trial's child sends no signal when it ends, and no `wait` sees it.
pub fn trial_disturbs_nobody() {
    static SIGNALS: AtomicUsize = AtomicUsize::new(0);
    extern "C" fn count(_: i32) {
        SIGNALS.fetch_add(1, Relaxed);
    }
    // SAFETY: the handler only increments an atomic counter.
    unsafe { libc::signal(libc::SIGCHLD, count as extern "C" fn(i32) as libc::sighandler_t) };
    let before = loads();
    assert_eq!(device::devices("auto"), []);
    assert!(loads() > before);
    assert_eq!(SIGNALS.load(Relaxed), 0);
    let mut status = 0;
    // SAFETY: `status` has room for the status of a child.
    assert_eq!(unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) }, -1, "no child is left");
    in_child(|| ());
    assert!(SIGNALS.load(Relaxed) > 0, "the handler works");
}

pub fn opencl_off() {
    device::allow_opencl(false);
    assert_eq!(device::devices("auto"), []);
    assert!(device::select("portable").expect("nothing fails").is_none());
    results_are_right(&always("portable"));
    assert_eq!(calls(), (2, 0, 0));
    assert_eq!(loads(), 0, "no library is loaded");
    device::allow_opencl(true);
    assert_eq!(device::devices("auto"), []);
    assert!(loads() > 0, "now it is");
}

/// Devices are refused while a variable that drivers read differs from its original value. The reason is logged once.
pub fn environment_changed() {
    let _taken = postings::base::cpu::tier();
    let before = std::env::var_os("OCL_ICD_VENDORS");
    // SAFETY: this process has one thread.
    unsafe { std::env::set_var("OCL_ICD_VENDORS", "/nonexistent") };
    let error = device::select("portable").err().expect("refused").to_string();
    assert!(error.contains("OCL_ICD_VENDORS"), "{error}");
    assert!(device::select("portable").expect("told once").is_none());
    assert_eq!(device::devices("auto"), []);
    results_are_right(&always("portable"));
    assert_eq!(warnings(), [""; 0], "select has told");
    // SAFETY: as above.
    match before {
        Some(value) => unsafe { std::env::set_var("OCL_ICD_VENDORS", value) },
        None => unsafe { std::env::remove_var("OCL_ICD_VENDORS") },
    }
    if has_device() {
        assert!(device::select(&named()).expect("it opens").is_some());
    }
}

/// What a driver changes while one thread waits for it is no change to the others.
pub fn environment_changed_by_the_driver() {
    let _taken = postings::base::cpu::tier();
    std::thread::scope(|scope| {
        let look = |late: u64| {
            std::thread::sleep(std::time::Duration::from_millis(late));
            device::select("auto").expect("nothing has changed").is_none()
        };
        let threads: Vec<_> = (0..40).map(|at| scope.spawn(move || look(10 * at))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().expect("no panic")));
    });
    assert!(loads() > 0);
}

/// A later change of our own variables has no effect.
pub fn library_named_late() {
    let _taken = postings::base::cpu::tier();
    // SAFETY: this process has one thread.
    unsafe { std::env::set_var(LIBRARY, std::env::var("FAKE_OPENCL_FILE").expect("set for each case")) };
    device::devices("auto");
    assert_eq!(loads(), 0);
}
