//! Tests sessions, memory and programs with the kernels of `test.cl`, on PoCL or the device that `POSTINGS_TEST_DEVICE`
//! names.

use super::memory::{ALIGNMENT, PADDING, Slot};
use super::program::{KernelOf, Source};
use super::session::{Arg, Session};
use super::*;
use crate::base::skipped::skipped;
use crate::{Codec, Error, PostingList};
use std::path::PathBuf;
use std::time::Duration;

/// How long a command may take: on a busy machine PoCL answers late.
const PATIENCE: Duration = Duration::from_secs(120);

static SOURCE: Source = Source { name: "test", parts: &[include_str!("test.cl")] };
const SUM: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "sum" };
const ADD: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "add" };
/// Work-items per work-group; the kernel has the same constant.
const GROUP: usize = 64;
const TASKS: Slot = Slot(0);
const RESULTS: Slot = Slot(1);

/// What names the device of the tests.
fn named() -> String {
    std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into())
}

/// The device of the tests; if there is none, that is said.
pub(crate) fn test_device() -> Option<Device> {
    let device = select(&named()).unwrap();
    if device.is_none() {
        skipped(&format!("no OpenCL device {:?}", named()));
    }
    device.map(|device| device.with_timeout(PATIENCE))
}

/// A new handle of the device, so that tests do not share one.
fn device() -> Option<Device> {
    // Selecting a device first makes this process the owner of OpenCL.
    test_device()?;
    let found = platform::enumerate();
    let index = platform::choose(&found, &named()).expect("select found it");
    Some(Device::open(&found[index]).expect("a second context").with_timeout(PATIENCE))
}

fn list(seed: u32, len: u32) -> PostingList {
    let doc_ids: Vec<u32> = (0..len).map(|i| seed % 1000 + i * (1 + seed % 7) + (i * seed) % (1 + seed % 7)).collect();
    let codec = Codec::ALL[seed as usize % Codec::COUNT];
    PostingList::encode(&doc_ids, codec).unwrap()
}

/// Sums the words of all lists, with their padding, on the device.
fn sums(session: &mut Session, lists: &[PostingList]) -> crate::Result<Vec<u32>> {
    let mut at = Vec::new();
    session.resident(lists.iter(), &mut at)?;
    assert_eq!(at.len(), lists.len());
    assert!(at.iter().all(|at| at % ALIGNMENT as u64 == 0));
    let tasks: Vec<u32> = at
        .iter()
        .zip(lists)
        .flat_map(|(&at, list)| [at as u32, (at >> 32) as u32, (sent(list).count() + PADDING) as u32])
        .collect();
    session.upload(TASKS, &tasks)?;
    session.scratch(RESULTS, lists.len())?;
    let args = [Arg::Arena, Arg::Slot(TASKS), Arg::Slot(RESULTS), Arg::U32(lists.len() as u32)];
    // SAFETY: there is one work-group per list; `resident` placed the words of each and the padding that the kernel
    // reads, and `RESULTS` has a word per list.
    unsafe { session.launch(SUM, lists.len(), GROUP, &args)? };
    let mut sums = vec![7];
    session.read(RESULTS, 0..lists.len(), &mut sums)?;
    assert_eq!(sums.remove(0), 7, "read appends");
    Ok(sums)
}

/// The words of a list that are sent: its own, and the last docIDs that it derives.
fn sent(list: &PostingList) -> impl Iterator<Item = &u32> {
    list.words().iter().chain(list.derived_last_doc_ids())
}

fn expected(lists: &[PostingList]) -> Vec<u32> {
    lists.iter().map(|list| sent(list).fold(0, |sum: u32, &word| sum.wrapping_add(word))).collect()
}

#[test]
fn lists_become_resident_and_stay() {
    let Some(device) = device() else { return };
    let mut session = device.lock().unwrap();
    let lists: Vec<PostingList> = (0..300).map(|seed| list(seed, seed * 37 % 2000)).collect();
    assert_eq!(sums(&mut session, &lists).unwrap(), expected(&lists));
    // Repeated lists, and lists in another order.
    let again: Vec<PostingList> = lists.iter().rev().chain(&lists).cloned().collect();
    assert_eq!(sums(&mut session, &again).unwrap(), expected(&again));
    let more: Vec<PostingList> = lists.iter().take(3).cloned().chain([list(1001, 5), list(1001, 5)]).collect();
    assert_eq!(sums(&mut session, &more).unwrap(), expected(&more));
    drop(session);
    assert!(lists.iter().all(|list| device.is_resident(list)));
    device.forget_lists().unwrap();
    assert!(!device.is_resident(&lists[0]));
}

#[test]
fn arena_grows_reuses_and_starts_over() {
    let Some(device) = device() else { return };
    let most = 1_250_000;
    device.limit_arena(most);
    let mut session = device.lock().unwrap();
    let mut kept = vec![list(2, 100)];
    assert_eq!(sums(&mut session, &kept).unwrap(), expected(&kept));
    // The arena outgrows its first buffer, then fills up with live lists, then with lists that no longer exist.
    for round in 0..40 {
        let batch: Vec<PostingList> = (0..4).map(|i| list(10 * round + i, 150_000)).collect();
        assert_eq!(sums(&mut session, &batch).unwrap(), expected(&batch), "round {round}");
        if round < 20 {
            kept.extend(batch);
        }
        let (capacity, tail) = session.arena_use();
        assert!(tail <= capacity && capacity <= most, "{tail} {capacity}");
    }
    let words: usize = kept.iter().map(|list| list.words().len()).sum();
    assert!(words > most, "the test must overflow the arena: {words}");
    let error = sums(&mut session, &kept).unwrap_err();
    assert!(matches!(&error, Error::Device(what) if what.contains("do not fit")), "{error}");
    // The device still works after the error.
    assert_eq!(sums(&mut session, &kept[..9]).unwrap(), expected(&kept[..9]));
}

#[test]
fn transfers_of_all_sizes() {
    let Some(device) = device() else { return };
    let mut session = device.lock().unwrap();
    let sizes: [usize; 13] =
        [0, 1, 3, 1023, 1024, 1025, 16 << 10, (16 << 10) + 1, 70_001, 1 << 20, 2 << 20, (5 << 20) + 3, 9 << 20];
    for (number, n) in sizes.into_iter().enumerate() {
        let words: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        session.upload(RESULTS, &words).unwrap();
        let args = [Arg::Slot(RESULTS), Arg::U64(n as u64), Arg::U32(number as u32)];
        // SAFETY: the kernel writes `n` words, and `upload` made the buffer at least that large.
        unsafe { session.launch(ADD, n.div_ceil(GROUP), GROUP, &args).unwrap() };
        let mut back = Vec::new();
        session.read(RESULTS, 0..n, &mut back).unwrap();
        assert!(back.iter().zip(&words).all(|(b, w)| *b == w.wrapping_add(number as u32)), "{n}");
        assert_eq!(back.len(), n);
        if n > 10 {
            let mut part = Vec::new();
            session.read(RESULTS, 3..n - 1, &mut part).unwrap();
            assert!(part == back[3..n - 1]);
        }
    }
    session.upload_bytes(RESULTS, b"abcde").unwrap();
    let mut back = Vec::new();
    session.read(RESULTS, 0..2, &mut back).unwrap();
    assert_eq!(back, [u32::from_le_bytes(*b"abcd"), u32::from(b'e')]);
    session.fill(RESULTS, 5, 9).unwrap();
    session.read(RESULTS, 0..5, &mut back).unwrap();
    assert_eq!(back[2..], [9; 5]);
}

#[test]
fn each_set_of_options_is_a_program_of_its_own() {
    let Some(device) = device() else { return };
    let mut session = device.lock().unwrap();
    session.upload(RESULTS, &[0]).unwrap();
    let mut back = Vec::new();
    for by in [1, 20, 1, 300, 20] {
        let options = format!("-DBY={by}");
        let kernel = KernelOf { source: &SOURCE, options: &options, name: "add_option" };
        // SAFETY: one work-item writes one word, which the buffer has.
        unsafe { session.launch(kernel, 1, 1, &[Arg::Slot(RESULTS)]).unwrap() };
    }
    session.read(RESULTS, 0..1, &mut back).unwrap();
    assert_eq!(back, [1 + 20 + 1 + 300 + 20]);
    let without = KernelOf { source: &SOURCE, options: "", name: "add_option" };
    // SAFETY: nothing is launched, because without the option there is no such kernel.
    assert!(unsafe { session.launch(without, 1, 1, &[Arg::Slot(RESULTS)]) }.is_err());
}

#[test]
fn wrong_uses_are_errors() {
    let Some(device) = device() else { return };
    let mut session = device.lock().unwrap();
    session.scratch(RESULTS, 10).unwrap();
    let (_, room) = session.arena_use();
    assert_eq!(room, 0);
    assert!(session.read(RESULTS, 0..usize::MAX, &mut Vec::new()).is_err());
    assert!(session.read(Slot(5), 0..1, &mut Vec::new()).is_err());
    assert!(session.scratch(Slot(2), usize::MAX / 8).is_err());
    // SAFETY: each of these fails before anything is launched.
    unsafe {
        assert!(session.launch(ADD, 1, 1 << 20, &[]).is_err());
        assert!(session.launch(ADD, 1, 0, &[]).is_err());
        assert!(session.launch(ADD, 1, 1, &[Arg::U32(1)]).is_err());
        assert!(session.launch(KernelOf { source: &SOURCE, options: "", name: "absent" }, 1, 1, &[]).is_err());
    }
    static BROKEN: Source = Source { name: "broken", parts: &["kernel void f() { undeclared(); }"] };
    for _ in 0..2 {
        // SAFETY: nothing is launched, because the build fails.
        let launched = unsafe { session.launch(KernelOf { source: &BROKEN, options: "", name: "f" }, 1, 1, &[]) };
        let error = launched.unwrap_err().to_string();
        assert!(error.contains("undeclared"), "the build log: {error}");
    }
    // A session that ends with unfinished commands does not disturb the next one.
    session.upload(TASKS, &[1; 5000]).unwrap();
    drop(session);
    let lists = [list(4, 900)];
    assert_eq!(sums(&mut device.lock().unwrap(), &lists).unwrap(), expected(&lists));
}

#[test]
fn threads_take_turns() {
    let Some(device) = device() else { return };
    let device = &device;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for round in 0..20 {
                    let lists: Vec<PostingList> = (0..5).map(|i| list(100 * thread + 5 * round + i, 3000)).collect();
                    assert_eq!(sums(&mut device.lock().unwrap(), &lists).unwrap(), expected(&lists));
                }
            });
        }
    });
}

#[test]
fn kernels_are_timed_on_request() {
    let Some(device) = device() else { return };
    let lists = [list(6, 5000)];
    sums(&mut device.lock().unwrap(), &lists).unwrap();
    assert_eq!(device.take_kernel_times().unwrap(), []);
    device.set_profiling(true);
    sums(&mut device.lock().unwrap(), &lists).unwrap();
    let times = device.take_kernel_times().unwrap();
    assert_eq!(times.len(), 1);
    assert!(times[0].kernel == "sum" && times[0].nanoseconds > 0);
    assert_eq!(device.take_kernel_times().unwrap(), []);
}

#[test]
fn bytes_are_counted() {
    let Some(device) = device() else { return };
    let lists = [list(8, 50_000)];
    let before = (bytes_to_device(), bytes_from_device());
    sums(&mut device.lock().unwrap(), &lists).unwrap();
    // Not equality, because other tests run at the same time.
    assert!(bytes_to_device() - before.0 >= lists[0].size() as u64);
    assert!(bytes_from_device() - before.1 >= 4);
}

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("postings-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const IN_CHILD: &str = "POSTINGS_TEST_CHILD";

/// Runs a test of this binary in a separate process and returns what it printed.
fn child(test: &str, variables: &[(&str, &str)]) -> String {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("device::tests::{test}"), "--nocapture", "--test-threads=1"])
        .env(IN_CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    printed
}

#[test]
fn programs_are_kept_between_processes() {
    if std::env::var_os(IN_CHILD).is_some() {
        let device = device().unwrap();
        let lists = [list(1, 3000), list(2, 3000)];
        assert_eq!(sums(&mut device.lock().unwrap(), &lists).unwrap(), expected(&lists));
        return;
    }
    if device().is_none() {
        return;
    }
    let folder = Folder::new("programs");
    let run = || child("programs_are_kept_between_processes", &[("POSTINGS_CACHE_DIR", folder.0.to_str().unwrap())]);
    let file = || -> (PathBuf, u64) {
        use std::os::unix::fs::MetadataExt;
        let entries = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap());
        // The folder also holds the verdict of the trial.
        let files: Vec<_> = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("test-")).collect();
        assert_eq!(files.len(), 1);
        (files[0].path(), files[0].metadata().unwrap().ino())
    };
    print!("{}", run());
    let (path, written) = file();
    // The file is kept open, so that its inode number cannot be reused.
    let held = std::fs::File::open(&path).unwrap();
    print!("{}", run());
    assert_eq!(file().1, written, "the second process uses the file as it is");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    run();
    assert_ne!(file().1, written, "a damaged file is made anew");
    drop(held);
}

#[test]
fn faults_come_on_request() {
    if let Some(fault) = std::env::var_os(IN_CHILD).and_then(|_| std::env::var("POSTINGS_DEVICE_FAULT").ok()) {
        let opened = select(&named());
        if fault == "open" {
            for error in [opened.err().unwrap(), select(&named()).err().unwrap()] {
                assert!(error.to_string().contains("Open fails"), "{error}");
            }
            return;
        }
        let device = opened.unwrap().unwrap();
        for _ in 0..2 {
            let error = sums(&mut device.lock().unwrap(), &[list(1, 3000)]).unwrap_err().to_string();
            assert!(error.to_lowercase().contains(&format!("{fault} fails")), "{error}");
        }
        return;
    }
    if device().is_none() {
        return;
    }
    for fault in ["open", "alloc", "build", "launch", "read"] {
        child("faults_come_on_request", &[("POSTINGS_DEVICE_FAULT", fault)]);
    }
}

/// A batch in many chunks, in the middle of which a step fails. The batch is an error, and the next one is right, although
/// commands of the first may still have been on their way.
#[test]
fn batches_survive_faults() {
    const TEST: &str = "batches_survive_faults";
    let queries: Vec<Vec<PostingList>> = (1..60)
        .map(|query| {
            // In one codec, so that there is one program.
            let of = |step: u32, len: u32| {
                let doc_ids: Vec<u32> = (0..len).map(|i| i * step).collect();
                PostingList::encode(&doc_ids, Codec::default()).unwrap()
            };
            vec![of(query % 7 + 2, 300 * query), of(2, 20_000)]
        })
        .collect();
    if std::env::var_os(IN_CHILD).is_some() {
        let device = device().unwrap();
        for counts in [false, true] {
            let failed = match counts {
                false => device.intersect_batch_in(&queries, 4, 2).map(drop),
                true => device.intersect_count_batch_in(&queries, 4).map(drop),
            };
            assert_eq!(failed.is_err(), !counts, "{failed:?}");
            let found = device.intersect_batch_in(&queries, 4, 2).unwrap().0;
            for (query, found) in queries.iter().zip(found.iter()) {
                let mut wanted = Vec::new();
                crate::intersect::intersect(query, &mut wanted);
                assert_eq!(found, wanted);
            }
        }
        return;
    }
    if device().is_none() {
        return;
    }
    for fault in ["launch:1", "launch:2", "launch:3", "launch:9", "read:1", "read:2", "read:8", "alloc:2", "alloc:12"] {
        child(TEST, &[("POSTINGS_DEVICE_FAULT", fault)]);
    }
}
