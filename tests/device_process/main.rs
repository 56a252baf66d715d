//! How the device layer behaves in a process: without a loader, with strange selectors, before and after a fork, with a
//! device that fails, hangs or is lost.
//!
//! It has its own `main`, because a fork needs a process with one thread. Each case runs in a child process, and arguments
//! select those whose names contain one of them. Cases that need a device are skipped visibly if there is none.

mod divided;
mod forks;
mod hangs;
mod lists;
mod loader;
mod nearest;
mod ranked;
#[path = "../../src/base/skipped.rs"]
mod skipped;
mod stream;

use postings::engine::{self, Offload, Settings};
use postings::{Codec, PostingList, device};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

type Variables = &'static [(&'static str, &'static str)];
type Case = (&'static str, Variables, fn());

const LIBRARY: &str = "POSTINGS_OPENCL_LIBRARY";
/// As the value of a variable, stands for the path of the library built from `fake_opencl.c`.
const FAKE: &str = "{fake}";

/// Hides all NVIDIA devices but one: of two, the other would do the work of the one that hangs.
const ONE: (&str, &str) = ("CUDA_VISIBLE_DEVICES", "0");
const HANG: Variables = &[ONE, ("POSTINGS_DEVICE_FAULT", "hang")];
const LOSE: Variables = &[ONE, ("POSTINGS_DEVICE_FAULT", "lose")];
/// Which way of making products finds the nearest vectors.
const NEAREST: &str = "POSTINGS_DEVICE_NEAREST";
const PLAIN: (&str, &str) = (NEAREST, "plain");
/// Longer than PoCL takes to compile a kernel.
const PATIENCE: Duration = Duration::from_secs(120);
/// Gives PoCL two devices of the same name.
const TWO: (&str, &str) = ("POCL_DEVICES", "pthread pthread");

const CASES: &[Case] = &[
    ("loader_absent", &[(LIBRARY, "/nonexistent/libOpenCL.so.1")], loader::loader_absent),
    ("loader_without_functions", &[(LIBRARY, "libm.so.6")], loader::loader_absent),
    ("no_platform", &[(LIBRARY, FAKE)], loader::loader_absent),
    ("driver_aborts_when_loaded", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "abort:load")], loader::driver_fails),
    ("driver_aborts_with_platforms", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "abort:platforms")], loader::driver_fails),
    ("driver_crashes_with_devices", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "segv:devices")], loader::driver_fails),
    ("driver_exits", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "exit:platforms")], loader::driver_fails),
    (
        "driver_hangs",
        &[(LIBRARY, FAKE), ("FAKE_OPENCL", "hang:devices"), ("POSTINGS_OPENCL_SECONDS", "0.5")],
        loader::driver_fails,
    ),
    ("verdicts_are_kept", &[(LIBRARY, FAKE), ("FAKE_OPENCL", "abort:devices")], loader::verdicts_are_kept),
    ("good_verdicts_are_kept", &[(LIBRARY, FAKE)], loader::good_verdicts_are_kept),
    ("trial_disturbs_nobody", &[(LIBRARY, FAKE)], loader::trial_disturbs_nobody),
    ("opencl_off", &[(LIBRARY, FAKE)], loader::opencl_off),
    ("environment_changed", &[], loader::environment_changed),
    (
        "environment_changed_by_the_driver",
        &[(LIBRARY, FAKE), ("FAKE_OPENCL", "setenv:platforms")],
        loader::environment_changed_by_the_driver,
    ),
    ("library_named_late", &[], loader::library_named_late),
    ("hostile_selectors", &[], hostile_selectors),
    ("selectors_agree", &[], selectors_agree),
    ("forked_after_use", &[], forks::forked_after_use),
    ("forked_with_the_same_id", &[], forks::forked_with_the_same_id),
    ("forked_before_use", &[], forks::forked_before_use),
    ("device_does_it", &[], lists::device_does_it),
    ("build_fails", &[("POSTINGS_DEVICE_FAULT", "build")], lists::calls_fail),
    ("launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch")], lists::calls_fail),
    ("read_fails", &[("POSTINGS_DEVICE_FAULT", "read")], lists::calls_fail),
    ("alloc_fails", &[("POSTINGS_DEVICE_FAULT", "alloc")], lists::calls_fail),
    ("auto_is_prepared", &[], lists::auto_is_prepared),
    ("open_fails", &[("POSTINGS_DEVICE_FAULT", "open")], lists::open_fails),
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
            "alloc:1,alloc:3,alloc:5,alloc:8,launch:1,launch:3,launch:8,launch:17,launch:30,read:1,read:4,read:6",
        )],
        ranked::device_fails_now_and_then,
    ),
    ("decoding_hangs", HANG, hangs::decoding),
    ("intersecting_hangs", HANG, hangs::intersecting),
    ("batch_hangs", HANG, hangs::batch),
    ("batch_hangs_in_another_lane", &[ONE, ("POSTINGS_DEVICE_FAULT", "hang:2")], hangs::batch),
    ("ranked_query_hangs", HANG, hangs::ranked_query),
    ("ranked_batch_hangs", HANG, hangs::ranked_batch),
    ("ranked_batch_hangs_later", &[ONE, ("POSTINGS_DEVICE_FAULT", "hang:3")], hangs::ranked_batch),
    ("ranked_batch_hangs_until_its_deadline", HANG, hangs::ranked_batch_with_deadline),
    ("warming_hangs", HANG, hangs::warming),
    ("hangs_after_it_has_worked", &[ONE, ("POSTINGS_DEVICE_FAULT", "hang:5")], hangs::after_it_has_worked),
    ("hangs_for_several_threads", HANG, hangs::several_threads),
    ("auto_hangs", HANG, hangs::measuring),
    ("one_of_two_hangs", &[TWO, ("POSTINGS_DEVICE_FAULT", "hang:1")], hangs::one_of_two),
    ("decoding_loses_it", LOSE, hangs::decoding),
    ("intersecting_loses_it", LOSE, hangs::intersecting),
    ("batch_loses_it", LOSE, hangs::batch),
    ("ranked_query_loses_it", LOSE, hangs::ranked_query),
    ("ranked_batch_loses_it", LOSE, hangs::ranked_batch),
    ("warming_loses_it", LOSE, hangs::warming),
    (
        "runs_out_of_memory",
        &[ONE, ("POSTINGS_DEVICE_FAULT", "exhaust:2,exhaust:6,exhaust:20")],
        hangs::runs_out_of_memory,
    ),
    ("lost_while_settling", &[ONE, ("POSTINGS_DEVICE_FAULT", "exhaust:1,exhaust:2")], hangs::lost_while_settling),
    ("divided_by_segments", &[TWO], divided::by_segments),
    ("divided_if_there_is_no_room", &[TWO], divided::if_there_is_no_room),
    ("divided_and_warmed", &[TWO], divided::and_warmed),
    ("divided_and_one_fails", &[TWO, ("POSTINGS_DEVICE_FAULT", "launch:4")], divided::and_one_fails),
    ("divided_and_one_hangs", &[TWO, ("POSTINGS_DEVICE_FAULT", "hang:4")], divided::and_one_hangs),
    ("divided_and_all_fail", &[TWO, ("POSTINGS_DEVICE_FAULT", "launch")], divided::and_all_fail),
    ("forked_after_ranking", &[], ranked::forked_after_ranking),
    ("segments_are_replaced", &[], ranked::segments_are_replaced),
    ("segments_are_replaced_meanwhile", &[], ranked::segments_are_replaced_meanwhile),
    ("nearest_open_fails", &[("POSTINGS_DEVICE_FAULT", "open")], nearest::device_fails),
    ("nearest_alloc_fails", &[("POSTINGS_DEVICE_FAULT", "alloc")], nearest::device_fails),
    ("nearest_build_fails", &[("POSTINGS_DEVICE_FAULT", "build")], nearest::device_fails),
    ("nearest_launch_fails", &[("POSTINGS_DEVICE_FAULT", "launch")], nearest::device_fails),
    ("nearest_read_fails", &[("POSTINGS_DEVICE_FAULT", "read")], nearest::device_fails),
    ("nearest_fifth_launch_fails", &[PLAIN, ("POSTINGS_DEVICE_FAULT", "launch:5")], nearest::device_fails_once),
    ("nearest_second_read_fails", &[PLAIN, ("POSTINGS_DEVICE_FAULT", "read:2")], nearest::device_fails_once),
    ("nearest_plain", &[PLAIN], nearest::plain),
    ("nearest_emulated", &[(NEAREST, "emulated")], nearest::emulated),
    ("nearest_way_unknown", &[(NEAREST, "?")], nearest::plain),
    ("nearest_way_is_not_built", &[(NEAREST, "emulated"), ("POSTINGS_DEVICE_FAULT", "build:1")], nearest::plain),
    ("nearest_way_does_not_run", &[(NEAREST, "emulated"), ("POSTINGS_DEVICE_FAULT", "launch:1")], nearest::plain),
    ("nearest_hangs", HANG, nearest::is_lost),
    ("nearest_hangs_later", &[ONE, ("POSTINGS_DEVICE_FAULT", "hang:3")], nearest::is_lost),
    ("nearest_hangs_until_its_deadline", HANG, nearest::hangs_until_its_deadline),
    ("nearest_loses_it", LOSE, nearest::is_lost),
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
        std::process::exit(code());
    }
    let top = std::env::temp_dir().join(format!("postings-process-{}", std::process::id()));
    let fake = top.join("libfake.so");
    std::fs::create_dir_all(&top).expect("a folder for the tests");
    build_fake(&fake);
    let names = names();
    let is_named = |case: &&Case| names.is_empty() || names.iter().any(|name| case.0.contains(name));
    let cases: Vec<&Case> = CASES.iter().filter(is_named).collect();
    println!("\nrunning {} of {} cases", cases.len(), CASES.len());
    let (mut passed, mut failed, mut skips) = (0, 0, 0);
    for (name, variables, _) in cases {
        // Cases share a cache folder, so programs are built only once. Cases that inspect the folder have their own.
        let own = *name == "auto_is_prepared" || variables.iter().any(|&(_, value)| value == FAKE);
        let said = top.join(name).with_extension("out");
        let file = File::create(&said).expect("a file for what the case says");
        let child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--case", name])
            .env("POSTINGS_CACHE_DIR", top.join(if own { name } else { "cache" }))
            .env("FAKE_OPENCL_LOG", top.join(name).with_extension("log"))
            .env("FAKE_OPENCL_FILE", &fake)
            .envs(variables.iter().map(|&(name, value)| (name, value.replace(FAKE, fake.to_str().expect("UTF-8")))))
            .stderr(file.try_clone().expect("the same file"))
            .stdout(file)
            .spawn()
            .expect("a child process");
        let status = ended(child);
        let said = String::from_utf8_lossy(&std::fs::read(said).expect("what the case says")).into_owned();
        let (result, count) = match status {
            Some(status) if status.code() == Some(SKIPPED) => ("skipped", &mut skips),
            Some(status) if status.success() => ("ok", &mut passed),
            Some(_) => ("FAILED", &mut failed),
            None => ("FAILED: it does not end", &mut failed),
        };
        *count += 1;
        println!("case {name} ... {result}");
        if result.starts_with("FAILED") {
            println!("{said}");
        } else if result == "skipped" {
            said.lines().filter(|line| line.starts_with("SKIPPED")).for_each(|line| println!("{line}"));
        }
    }
    let _ = std::fs::remove_dir_all(&top);
    println!("\nprocesses: {passed} passed, {failed} failed, {skips} skipped");
    std::process::exit(i32::from(failed > 0));
}

/// The arguments that name cases; those of the usual harness that do not are passed over.
fn names() -> Vec<String> {
    const WITH_VALUE: [&str; 6] = ["--test-threads", "--skip", "--format", "--color", "--logfile", "-Z"];
    let (mut names, mut arguments) = (Vec::new(), std::env::args().skip(1));
    while let Some(argument) = arguments.next() {
        if WITH_VALUE.contains(&&*argument) {
            arguments.next();
        } else if !argument.starts_with('-') {
            names.push(argument);
        }
    }
    names
}

/// Waits for a case; `None` if it does not end.
fn ended(mut child: Child) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(300) {
        if let Some(status) = child.try_wait().expect("a child of this process") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().and_then(|()| child.wait()).expect("it can be ended");
    None
}

/// Builds the misbehaving library with the C compiler, which building this crate needs too.
fn build_fake(file: &Path) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/device_process/fake_opencl.c");
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

fn named() -> String {
    std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into())
}

/// The exit status of a process whose case is skipped.
const SKIPPED: i32 = 77;

static IS_SKIPPED: AtomicBool = AtomicBool::new(false);

/// Says why this case, or a part of it, is skipped: it counts as skipped unless it fails.
fn skip(why: &str) {
    IS_SKIPPED.store(true, Relaxed);
    skipped::skipped(why);
}

/// The exit status of a case that has not failed.
fn code() -> i32 {
    if IS_SKIPPED.load(Relaxed) { SKIPPED } else { 0 }
}

/// Whether there is a device to test with; if not, skips the case. Uses OpenCL.
fn has_device() -> bool {
    let has = device::devices(&named()).iter().any(|device| device.selected);
    if !has {
        skip(&format!("no OpenCL device {:?}", named()));
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
    assert!(one.is(&other));
    assert_eq!(one.info().name, info.name);
    for _ in 0..1000 {
        let again = device::select(&named()).expect("it is open").expect("it is there");
        assert!(one.is(&again));
    }
}
