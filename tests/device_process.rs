//! How the device layer behaves in a process: without a loader, with strange selectors, before and after a fork.
//!
//! It has its own `main`, because a fork needs a process with one thread. Each case runs in a child process. Cases that
//! need a device are skipped visibly if there is none.

#[path = "process_common/ranked.rs"]
mod ranked;
#[path = "process_common/stream.rs"]
mod stream;

use postings::engine::{self, Offload, Settings};
use postings::{Codec, Error, PostingList, device};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

type Case = (&'static str, &'static [(&'static str, &'static str)], fn());

const LIBRARY: &str = "POSTINGS_OPENCL_LIBRARY";
/// As the value of a variable, stands for the path of the library built from `tests/fake_opencl.c`.
const FAKE: &str = "{fake}";

const CASES: &[Case] = &[
    ("loader_absent", &[(LIBRARY, "/nonexistent/libOpenCL.so.1")], loader_absent),
    ("loader_without_functions", &[(LIBRARY, "libm.so.6")], loader_absent),
    ("no_platform", &[(LIBRARY, FAKE)], loader_absent),
    ("driver_aborts_when_loaded", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "abort:load")], driver_fails),
    ("driver_aborts_with_platforms", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "abort:platforms")], driver_fails),
    ("driver_crashes_with_devices", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "segv:devices")], driver_fails),
    ("driver_exits", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "exit:platforms")], driver_fails),
    (
        "driver_hangs",
        &[(LIBRARY, FAKE), ("FAKE_OPENCL", "hang:devices"), ("POSTINGS_OPENCL_SECONDS", "0.5")],
        driver_fails,
    ),
    ("verdicts_are_kept", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "abort:devices")], verdicts_are_kept),
    ("good_verdicts_are_kept", &[(LIBRARY, FAKE)], good_verdicts_are_kept),
    ("trial_disturbs_nobody", &[(LIBRARY, FAKE)], trial_disturbs_nobody),
    ("opencl_off", &[(LIBRARY, FAKE)], opencl_off),
    ("environment_changed", &[], environment_changed),
    (
        "environment_changed_by_the_driver",
        &[(LIBRARY, FAKE), ("FAKE_OPENCL", "setenv:platforms")],
        environment_changed_by_the_driver,
    ),
    ("library_named_late", &[], library_named_late),
    ("hostile_selectors", &[], hostile_selectors),
    ("selectors_agree", &[], selectors_agree),
    ("forked_after_use", &[], forked_after_use),
    ("forked_with_the_same_id", &[], forked_with_the_same_id),
    ("forked_before_use", &[], forked_before_use),
    ("device_does_it", &[], device_does_it),
    ("build_fails", &[("POSTINGS_DEVICE_FAULT", "build")], calls_fail),
    ("launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch")], calls_fail),
    ("read_fails", &[("POSTINGS_DEVICE_FAULT", "read")], calls_fail),
    ("alloc_fails", &[("POSTINGS_DEVICE_FAULT", "alloc")], calls_fail),
    ("auto_is_prepared", &[], auto_is_prepared),
    ("open_fails", &[("POSTINGS_DEVICE_FAULT", "open")], open_fails),
    ("ranked_open_fails", &[("POSTINGS_DEVICE_FAULT", "open")], ranked::device_fails),
    ("ranked_alloc_fails", &[("POSTINGS_DEVICE_FAULT", "alloc")], ranked::device_fails),
    ("ranked_build_fails", &[("POSTINGS_DEVICE_FAULT", "build")], ranked::device_fails),
    ("ranked_launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch")], ranked::device_fails),
    ("ranked_read_fails", &[("POSTINGS_DEVICE_FAULT", "read")], ranked::device_fails),
    // A program that was not built once is not built again.
    ("ranked_first_build_fails", &[("POSTINGS_DEVICE_FAULT", "build:1")], ranked::device_fails),
    ("ranked_first_launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch:1")], ranked::device_fails_once),
    ("ranked_third_launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch:3")], ranked::device_fails_once),
    ("ranked_second_read_fails", &[("POSTINGS_DEVICE_FAULT", "read:2")], ranked::device_fails_once),
    (
        "ranked_fails_now_and_then",
        &[(
            "POSTINGS_DEVICE_FAULT",
            "alloc:1,alloc:3,alloc:5,alloc:8,launch:1,launch:3,launch:8,launch:17,launch:30,read:1,read:4,read:6,build:2",
        )],
        ranked::device_fails_now_and_then,
    ),
    ("forked_after_ranking", &[], ranked::forked_after_ranking),
    ("segments_are_replaced", &[], ranked::segments_are_replaced),
    ("segments_are_replaced_meanwhile", &[], ranked::segments_are_replaced_meanwhile),
    ("stream_open_fails", &[("POSTINGS_DEVICE_FAULT", "open")], stream::device_fails),
    ("stream_alloc_fails", &[("POSTINGS_DEVICE_FAULT", "alloc")], stream::device_fails),
    ("stream_launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch")], stream::device_fails),
    ("stream_read_fails", &[("POSTINGS_DEVICE_FAULT", "read")], stream::device_fails),
    (
        "stream_fails_now_and_then",
        &[(
            "POSTINGS_DEVICE_FAULT",
            "alloc:1,alloc:3,alloc:5,launch:1,launch:3,launch:8,launch:17,read:1,read:4,read:6",
        )],
        stream::device_fails_now_and_then,
    ),
    ("stream_forked_meanwhile", &[], stream::forked_meanwhile),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--case") {
        let name = arguments.next().expect("a case");
        log::set_logger(&WARNINGS).expect("the first logger");
        log::set_max_level(log::LevelFilter::Warn);
        CASES.iter().find(|case| case.0 == name).expect("a known case").2();
        return;
    }
    let top = std::env::temp_dir().join(format!("postings-process-{}", std::process::id()));
    let fake = top.join("libfake.so");
    std::fs::create_dir_all(&top).expect("a folder for the tests");
    build_fake(&fake);
    println!("\nrunning {} cases", CASES.len());
    let (mut passed, mut failed, mut skips) = (0, 0, 0);
    for (name, variables, _) in CASES {
        // Cases share a cache folder, so programs are built only once. Cases that inspect the folder have their own.
        let own = *name == "auto_is_prepared" || variables.iter().any(|&(_, value)| value == FAKE);
        let output = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--case", name])
            .env("POSTINGS_CACHE_DIR", top.join(if own { name } else { "cache" }))
            .env("FAKE_OPENCL_LOG", top.join(name).with_extension("log"))
            .env("FAKE_OPENCL_FILE", &fake)
            .envs(variables.iter().map(|&(name, value)| (name, value.replace(FAKE, fake.to_str().expect("UTF-8")))))
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
    let _ = std::fs::remove_dir_all(&top);
    println!("\nprocesses: {passed} passed, {failed} failed, {skips} skipped");
    std::process::exit(i32::from(failed > 0));
}

/// Builds the misbehaving library with the C compiler, which building this crate needs too.
fn build_fake(file: &Path) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_opencl.c");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let built = Command::new(compiler).args(["-shared", "-fPIC", "-o"]).arg(file).arg(source).status();
    assert!(built.expect("a C compiler").success(), "{source} does not build");
}

/// A logger that collects the warnings of this process.
struct Warnings(Mutex<Vec<String>>);

static WARNINGS: Warnings = Warnings(Mutex::new(Vec::new()));

impl log::Log for Warnings {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record) {
        if self.enabled(record.metadata()) {
            self.0.lock().expect("no panic while it is held").push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

fn warnings() -> Vec<String> {
    WARNINGS.0.lock().expect("no panic while it is held").clone()
}

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

fn named() -> String {
    std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into())
}

/// Whether there is a device to test with; if not, prints that the case is skipped. Uses OpenCL.
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
    let list = PostingList::encode(&doc_ids, Codec::default()).expect("sorted");
    assert_eq!(engine::decode(&list, settings), doc_ids);
    assert_eq!(engine::intersect_count(&[list.clone(), list], settings), 10_000);
}

/// Calls on the CPU and on the device, and failures of the device.
fn calls() -> (u64, u64, u64) {
    let stats = engine::stats();
    (stats.cpu_calls, stats.device_calls, stats.device_failures)
}

fn loader_absent() {
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
fn driver_fails() {
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

fn verdicts_are_kept() {
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
fn good_verdicts_are_kept() {
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
fn trial_disturbs_nobody() {
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

fn opencl_off() {
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
fn environment_changed() {
    let _taken = postings::cpu::tier();
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
fn environment_changed_by_the_driver() {
    let _taken = postings::cpu::tier();
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
fn library_named_late() {
    let _taken = postings::cpu::tier();
    // SAFETY: this process has one thread.
    unsafe { std::env::set_var(LIBRARY, std::env::var("FAKE_OPENCL_FILE").expect("set for each case")) };
    device::devices("auto");
    assert_eq!(loads(), 0);
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
    for _ in 0..1000 {
        let again = device::select(&named()).expect("it is open").expect("it is there");
        assert!(std::sync::Arc::ptr_eq(&one, &again));
    }
}

fn open_fails() {
    if !has_device() {
        return;
    }
    for _ in 0..2 {
        assert!(matches!(device::select(&named()), Err(Error::Device(_))));
    }
    results_are_right(&always(&named()));
    assert_eq!(calls(), (2, 0, 2));
}

fn device_does_it() {
    if !has_device() {
        return;
    }
    results_are_right(&always(&named()));
    let stats = engine::stats();
    assert_eq!(calls(), (0, 2, 0));
    assert!(stats.bytes_to_device > 0 && stats.bytes_from_device >= 40_000);
}

/// Every device call fails, and the operation runs on the CPU instead.
fn calls_fail() {
    if !has_device() {
        return;
    }
    results_are_right(&always(&named()));
    assert_eq!(calls(), (2, 0, 2));
}

/// The cost model measures its rates, caches them and finds them again. Small work stays on the CPU.
fn auto_is_prepared() {
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

fn forked_after_use() {
    if !has_device() {
        return;
    }
    let settings = always(&named());
    let kept = device::select(&named()).expect("it opens").expect("it is there");
    let list = PostingList::encode(&[1, 2, 3], Codec::ALL[0]).expect("sorted");
    in_child(|| {
        // The parent's device refuses to work; selecting one fails once, and from then on there is none.
        assert!(matches!(kept.decode(&list), Err(Error::Device(_))));
        results_are_right(&settings);
        assert_eq!(calls(), (2, 0, 1));
        assert!(device::select(&named()).expect("told once").is_none());
        assert!(device::devices(&named()).iter().all(|device| !device.selected));
        // A grandchild has no device either.
        in_child(|| assert!(device::select(&named()).expect("told").is_none()));
        drop(kept);
    });
    // The parent still has its device.
    results_are_right(&settings);
    assert!(device::select(&named()).expect("open").is_some());
}

/// A child in a separate PID namespace can have the same process id as its parent.
fn forked_with_the_same_id() {
    let outer = in_namespace(|| {
        if !has_device() {
            return;
        }
        let kept = device::select(&named()).expect("it opens").expect("it is there");
        let list = PostingList::encode(&[1, 2, 3], Codec::ALL[0]).expect("sorted");
        assert_eq!(std::process::id(), 1);
        let inner = in_namespace(|| {
            assert_eq!(std::process::id(), 1);
            assert!(matches!(kept.decode(&list), Err(Error::Device(_))));
            results_are_right(&always(&named()));
            assert_eq!(engine::stats().device_calls, 0);
        });
        assert!(inner, "a namespace in a namespace");
        assert_eq!(kept.decode(&list).expect("the parent goes on"), [1, 2, 3]);
    });
    if !outer {
        println!("skipped: this process may not make PID namespaces");
    }
}

/// Runs `work` in a child that is the first process of a new PID namespace; false if none can be created.
fn in_namespace(work: impl FnOnce()) -> bool {
    for flags in [libc::CLONE_NEWPID, libc::CLONE_NEWPID | libc::CLONE_NEWUSER] {
        // SAFETY: without a stack this is a fork, except that fork handlers do not run; this process has one thread of
        // its own.
        let pid = unsafe { libc::syscall(libc::SYS_clone, flags | libc::SIGCHLD, 0, 0, 0, 0) } as i32;
        if pid >= 0 {
            ends_well(pid, work);
            return true;
        }
    }
    false
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

/// Runs `work` in a forked child, which must exit successfully within a minute.
fn in_child(work: impl FnOnce()) {
    // SAFETY: this process has only one thread of its own; that a driver's threads are missing in the child is what
    // this tests.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork");
    ends_well(pid, work);
}

/// Runs `work` in the child, and waits for the child in the parent.
fn ends_well(pid: i32, work: impl FnOnce()) {
    if pid == 0 {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: `_exit` ends this child without the exit handlers, which belong to its parent.
        unsafe { libc::_exit(i32::from(ended.is_err())) };
    }
    let begun = Instant::now();
    let mut status = 0;
    // SAFETY: `pid` is a child of this process, and `status` has room for its status.
    while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the forked child hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(status, 0, "the forked child's status");
}
