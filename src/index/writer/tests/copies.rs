//! Copies of an index in other folders: after any changes, faults, kills and losses of power.

use super::faults::child;
use super::*;
use crate::index::removal;
use crate::index::storage::Operation;
use crate::index::storage::faults::{Fault, Watch};
use crate::index::storage::power_loss::{Left, after_power_loss};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Files by what they are, with what they had when they were first seen.
#[derive(Default)]
struct Frozen(Vec<(fs::File, Vec<u8>)>);

impl Frozen {
    /// Remembers the files of an index.
    fn see(&mut self, folder: &Path) {
        for name in names(folder).iter().filter(|name| manifest::number_of(name).is_some()) {
            let meta = fs::metadata(folder.join(name)).unwrap();
            let is_known = |(file, _): &(fs::File, _)| {
                let known = file.metadata().unwrap();
                (known.dev(), known.ino()) == (meta.dev(), meta.ino())
            };
            if !self.0.iter().any(is_known) {
                self.0.push((fs::File::open(folder.join(name)).unwrap(), fs::read(folder.join(name)).unwrap()));
            }
        }
    }

    fn assert_unchanged(&self) {
        use std::io::Seek;
        for (file, content) in &self.0 {
            let mut file = file;
            let mut now = Vec::new();
            file.rewind().unwrap();
            file.read_to_end(&mut now).unwrap();
            assert!(now == *content, "a file that was written was changed");
        }
    }
}

/// Fails unless the files that a snapshot says there are are those of the folder, with these lengths and checksums.
fn assert_files(folder: &Path) {
    let files = Snapshot::open(folder).unwrap().files();
    assert_eq!(files.last().unwrap().name, manifest::NAME);
    let mut found: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    found.push("lock");
    found.sort_unstable();
    assert_eq!(found, names(folder));
    for file in &files {
        let bytes = fs::read(folder.join(&file.name)).unwrap();
        assert_eq!(bytes.len() as u64, file.bytes, "{}", file.name);
        let crc = match file.name.ends_with(".segment") {
            false => {
                let (all, crc) = bytes.split_last_chunk::<4>().unwrap();
                assert_eq!(u32::from_le_bytes(*crc), crc32fast::hash(all));
                crc
            }
            true => bytes.last_chunk::<16>().unwrap().first_chunk::<4>().unwrap(),
        };
        assert_eq!(file.crc, u32::from_le_bytes(*crc), "{}", file.name);
    }
}

#[derive(Debug, Clone)]
enum Step {
    Add(u64, Vec<u8>),
    Delete(u64),
    Write(Form),
    Commit,
    Optimize,
    Rollback,
    /// By the writer.
    Copy,
    /// By a reader that was opened then.
    Open,
    CopyOpened,
    DropCopy,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0u64..40, "[a-d ]{0,12}").prop_map(|(id, text)| Step::Add(id, text.into_bytes())),
        4 => (0u64..40).prop_map(Step::Delete),
        3 => Just(Step::Write(Form::Segment)),
        2 => Just(Step::Write(Form::Run)),
        5 => Just(Step::Commit),
        1 => Just(Step::Optimize),
        1 => Just(Step::Rollback),
        3 => Just(Step::Copy),
        1 => Just(Step::Open),
        2 => Just(Step::CopyOpened),
        1 => Just(Step::DropCopy),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_copy_is_the_commit(steps in proptest::collection::vec(step(), 0..160), links in any::<bool>()) {
        let top = tempfile::tempdir().unwrap();
        let (folder, target) = (top.path().join("index"), top.path().join("copy"));
        let no_links = (0, Fault::Of(Operation::Link, libc::EXDEV));
        let _watch = Watch::new(&target, (!links).then_some(no_links));
        let mut writer = create(&folder);
        let mut opened = Snapshot::open(&folder).unwrap();
        let (mut pending, mut visible) = (Model::new(), Model::new());
        let mut frozen = Frozen::default();
        // A reader of the copy that goes on from commit to commit, and the number of the copy's.
        let mut reader: Option<Arc<Snapshot>> = None;
        let mut copied = 0;
        for step in steps {
            match step {
                Step::Add(number, text) => {
                    writer.add(id(number), document(&text)).unwrap();
                    replace(&mut pending, id(number), &text);
                }
                Step::Delete(number) => {
                    writer.delete(&id(number)).unwrap();
                    pending.retain(|(other, _)| *other != id(number));
                }
                Step::Write(form) => writer.write(form).unwrap(),
                Step::Commit | Step::Optimize => {
                    if let Step::Commit = step { writer.commit() } else { writer.optimize(false) }.unwrap();
                    visible = pending.clone();
                    frozen.see(&folder);
                }
                Step::Rollback => {
                    writer.rollback().unwrap();
                    pending = visible.clone();
                }
                Step::Open => opened = Snapshot::open(&folder).unwrap(),
                Step::DropCopy => {
                    removal::remove(&target).unwrap();
                    (reader, copied) = (None, 0);
                }
                Step::CopyOpened if opened.generation() < copied => {
                    let error = opened.copy_to(&target).unwrap_err().to_string();
                    prop_assert!(error.contains(&format!("has commit {copied}, which is later than")), "{}", error);
                }
                Step::Copy | Step::CopyOpened => {
                    let (generation, model) = match step {
                        Step::Copy => (writer.generation(), visible.clone()),
                        _ => (opened.generation(), read(&opened)),
                    };
                    match step {
                        Step::Copy => writer.copy_to(&target).unwrap(),
                        _ => opened.copy_to(&target).unwrap(),
                    }
                    copied = generation;
                    let now = match reader {
                        Some(reader) => reader.reload().unwrap(),
                        None => Snapshot::open(&target).unwrap(),
                    };
                    prop_assert_eq!(now.generation(), generation);
                    prop_assert_eq!(read(&now), model);
                    assert_clean(&target);
                    assert_files(&target);
                    frozen.see(&target);
                    reader = Some(now);
                }
            }
            frozen.assert_unchanged();
        }
        drop(writer);
        // A copy is an index in its own right, and the other one does not notice.
        if copied > 0 {
            let before = committed(&folder);
            let mut model = committed(&target);
            let mut writer = Writer::open(&target, None, WriterOptions::default()).unwrap();
            writer.add(id(5), document(b"on")).unwrap();
            replace(&mut model, id(5), b"on");
            writer.optimize(false).unwrap();
            prop_assert_eq!(committed(&target), model);
            prop_assert_eq!(committed(&folder), before);
            frozen.assert_unchanged();
        }
    }
}

/// An index with two commits, the second with deleted documents in the segment of the first.
fn two_commits(folder: &Path) -> Writer {
    let mut writer = create(folder);
    (0..100).for_each(|number| writer.add(id(number), document(b"some text")).unwrap());
    writer.commit().unwrap();
    (0..10).for_each(|number| writer.add(id(number), document(b"other text")).unwrap());
    writer.commit().unwrap();
    writer
}

#[test]
fn files_are_shared_until_the_source_has_lost_them() {
    let top = tempfile::tempdir().unwrap();
    let [folder, target, late] = ["index", "deep/copy", "late"].map(|name| top.path().join(name));
    let mut writer = two_commits(&folder);
    let opened = Snapshot::open(&folder).unwrap();
    opened.copy_to(&target).unwrap();
    let file = |folder: &Path, name: &str| fs::metadata(folder.join(name)).unwrap().ino();
    for name in ["1.segment", "1-3.deleted", "2.segment"] {
        assert_eq!(file(&folder, name), file(&target, name), "{name}");
    }
    assert_ne!(file(&folder, manifest::NAME), file(&target, manifest::NAME));
    writer.optimize(false).unwrap();
    assert_eq!(names(&folder), ["3.segment", "lock", "manifest"]);
    // Neither the files nor even the folder need to have their names.
    fs::rename(&folder, top.path().join("renamed")).unwrap();
    opened.copy_to(&late).unwrap();
    assert_eq!(committed(&late), committed(&target));
    assert_clean(&late);
    let error = writer.copy_to(&target).unwrap_err().to_string();
    assert!(error.contains("removed or replaced while this writer was open"), "{error}");
}

#[test]
fn what_is_there_is_taken_only_if_it_is_the_same() {
    let top = tempfile::tempdir().unwrap();
    let [folder, target] = ["index", "copy"].map(|name| top.path().join(name));
    let writer = two_commits(&folder);
    writer.copy_to(&target).unwrap();
    // Removed, cut, damaged, and of equal length and footer, but not made by this copy.
    let whole = fs::read(folder.join("1.segment")).unwrap();
    let damaged = {
        let mut bytes = whole.clone();
        bytes[70] ^= 1;
        bytes
    };
    for bytes in [None, Some(&whole[..100]), Some(b"other"), Some(&[0; 0])] {
        fs::remove_file(target.join("1.segment")).unwrap();
        fs::remove_file(target.join("1-3.deleted")).unwrap();
        if let Some(bytes) = bytes {
            fs::write(target.join("1.segment"), bytes).unwrap();
            fs::write(target.join("1-3.deleted"), bytes).unwrap();
        }
        writer.copy_to(&target).unwrap();
        assert_eq!(committed(&target), committed(&folder));
        assert_clean(&target);
    }
    removal::remove(&target).unwrap();
    fs::create_dir(&target).unwrap();
    // As an interrupted copy leaves it: the content need not have become durable.
    fs::write(target.join(manifest::TEMPORARY), b"PMAN").unwrap();
    fs::write(target.join("1.segment"), damaged).unwrap();
    fs::write(target.join("99.segment"), "").unwrap();
    fs::write(target.join("mine.txt"), "mine").unwrap();
    writer.copy_to(&target).unwrap();
    assert_eq!(committed(&target), committed(&folder));
    assert_eq!(fs::read(target.join("1.segment")).unwrap(), whole);
    assert_eq!(names(&target), ["1-3.deleted", "1.segment", "2.segment", "lock", "manifest", "mine.txt"]);
}

/// In a process of its own, which may open ever more files.
#[test]
#[ignore = "run by another test"]
fn copying_with_few_open_files() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let [folder, target] = ["index", "copy"].map(|name| Path::new(&folder).join(name));
    let _no_links = Watch::new(&target, Some((0, Fault::Of(Operation::Link, libc::EXDEV))));
    let mut writer = two_commits(&folder);
    writer.copy_to(&target).unwrap();
    let before = committed(&target);
    writer.delete(&id(50)).unwrap();
    writer.commit().unwrap();
    let snapshot = Snapshot::open_once(&folder).unwrap();
    let limit = |files: u64| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `limit` is a limit that the calls read and write.
        unsafe {
            assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
            limit.rlim_cur = files;
            assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
        }
    };
    let free = || fs::File::open("/dev/null").unwrap().as_raw_fd() as u64;
    for more in 0.. {
        limit(free() + more);
        let copied = snapshot.copy_to(&target);
        limit(1000);
        match copied {
            Err(error) => {
                assert!(error.to_string().contains("Too many open files"), "{error}");
                assert_eq!(committed(&target), before);
            }
            Ok(()) => {
                assert_eq!(committed(&target), committed(&folder));
                assert!(more > 2);
                break;
            }
        }
    }
    println!("\nall went well");
}

#[test]
fn what_cannot_be_opened_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let output = child("copies::copying_with_few_open_files", folder.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nall went well"), "{output:?}");
}

#[test]
fn a_first_copy_can_be_interrupted_twice() {
    let folder = tempfile::tempdir().unwrap();
    let writer = two_commits(folder.path());
    for at in 0.. {
        let target = tempfile::tempdir().unwrap();
        for (name, bytes) in [(manifest::TEMPORARY, "PMAN"), ("1.segment", "half"), ("99.segment", "")] {
            fs::write(target.path().join(name), bytes).unwrap();
        }
        // Also what would clean up fails.
        let watch = Watch::new(target.path(), Some((at, Fault::From(libc::EIO))));
        let is_over = writer.copy_to(target.path()).is_ok();
        drop(watch);
        writer.copy_to(target.path()).unwrap();
        assert_eq!(committed(target.path()), committed(folder.path()));
        assert_clean(target.path());
        if is_over {
            assert!(at > 8, "{at} operations");
            break;
        }
    }
}

#[test]
fn damage_is_not_copied() {
    let top = tempfile::tempdir().unwrap();
    let [folder, target] = ["index", "copy"].map(|name| top.path().join(name));
    drop(two_commits(&folder));
    let mut bytes = fs::read(folder.join("2.segment")).unwrap();
    bytes[70] ^= 1;
    fs::write(folder.join("2.segment"), bytes).unwrap();
    let snapshot = Snapshot::open_once(&folder).unwrap();
    let watch = Watch::new(&target, Some((0, Fault::Of(Operation::Link, libc::EPERM))));
    let error = snapshot.copy_to(&target).unwrap_err();
    assert!(matches!(&error, Error::Corrupt { item, .. } if item.contains("index/2.segment")), "{error}");
    assert_eq!(names(&target), ["lock"]);
    drop(watch);
    fs::OpenOptions::new().write(true).open(folder.join("2.segment")).unwrap().set_len(10).unwrap();
    let error = snapshot.copy_to(&target).unwrap_err().to_string();
    assert!(error.contains("10 bytes; there were"), "{error}");
}

#[test]
fn folders_that_are_something_else_are_refused_and_stay() {
    let top = tempfile::tempdir().unwrap();
    let [folder, target] = ["index", "copy"].map(|name| top.path().join(name));
    let mut writer = two_commits(&folder);
    let snapshot = Snapshot::open(&folder).unwrap();
    let link = top.path().join("link");
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    for itself in [&folder, &link, &folder.join("../index")] {
        assert!(matches!(snapshot.copy_to(itself), Err(Error::Argument(_))));
        assert!(matches!(writer.copy_to(itself), Err(Error::Argument(_))));
    }
    let refused = |what: &str| {
        let before = names(&target);
        let error = snapshot.copy_to(&target).unwrap_err();
        assert!(error.to_string().contains(what) && error.to_string().contains("copy"), "{error}");
        assert_eq!(names(&target), before, "{what}");
        error
    };
    let other = create(&target);
    assert!(matches!(refused("is being written by this process"), Error::Locked { .. }));
    drop(other);
    assert!(matches!(refused("has another index than"), Error::File { .. }));
    fs::write(target.join("manifest"), b"PMAN, but not really").unwrap();
    assert!(matches!(refused("manifest"), Error::Corrupt { .. }));
    fs::remove_file(target.join("manifest")).unwrap();
    fs::write(target.join("7.segment"), b"").unwrap();
    refused("7.segment is there, but no manifest");
    fs::remove_file(target.join("7.segment")).unwrap();
    std::os::unix::fs::symlink("elsewhere", target.join("manifest.tmp")).unwrap();
    refused("manifest.tmp: it is a symbolic link");
    fs::remove_file(target.join("manifest.tmp")).unwrap();
    std::os::unix::fs::symlink("elsewhere", target.join("1.segment")).unwrap();
    refused("1.segment is there, but no manifest");
    fs::remove_file(target.join("1.segment")).unwrap();
    snapshot.copy_to(&target).unwrap();

    // Two writers went on from the same commit.
    let mut second = Writer::open(&target, None, WriterOptions::default()).unwrap();
    second.add(id(200), document(b"there")).unwrap();
    second.commit().unwrap();
    drop(second);
    refused("has commit 4, which is later than commit 3 of");
    writer.add(id(201), document(b"here")).unwrap();
    writer.commit().unwrap();
    let error = writer.copy_to(&target).unwrap_err().to_string();
    assert!(error.contains("has another commit 4 than"), "{error}");
    writer.delete(&id(202)).unwrap();
    writer.delete(&id(50)).unwrap();
    writer.commit().unwrap();
    let error = writer.copy_to(&target).unwrap_err().to_string();
    assert!(error.contains("has commits of another writer than") && error.contains("segment 3."), "{error}");
    removal::remove(&target).unwrap();
    writer.copy_to(&target).unwrap();
    // Again, and the second has merged all that both had.
    let mut second = Writer::open(&target, None, WriterOptions::default()).unwrap();
    second.add(id(203), document(b"there")).unwrap();
    second.optimize(false).unwrap();
    drop(second);
    writer.add(id(204), document(b"here")).unwrap();
    writer.commit().unwrap();
    writer.delete(&id(51)).unwrap();
    writer.commit().unwrap();
    let theirs = committed(&target);
    let error = writer.copy_to(&target).unwrap_err().to_string();
    assert!(error.contains("has commits of another writer than"), "{error}");
    assert_eq!(committed(&target), theirs);
    removal::remove(&target).unwrap();
    writer.copy_to(&target).unwrap();
    assert_eq!(committed(&target), committed(&folder));

    fs::write(top.path().join("file"), "").unwrap();
    assert!(matches!(snapshot.copy_to(&top.path().join("file")), Err(Error::File { .. })));
    assert!(matches!(snapshot.copy_to(&top.path().join("file/in")), Err(Error::File { .. })));
}

/// The folders and models of a copy that is brought up to date: an index as of three commits, and what the copy has before.
struct Stages {
    commits: Vec<(Arc<Snapshot>, Model)>,
    _top: tempfile::TempDir,
}

fn stages() -> Stages {
    let top = tempfile::tempdir().unwrap();
    let mut writer = create(top.path());
    let mut commits = Vec::new();
    let mut commit = |writer: &mut Writer, optimize: bool| {
        if optimize { writer.optimize(false) } else { writer.commit() }.unwrap();
        // Not the one that the process keeps.
        let snapshot = Snapshot::open_once(top.path()).unwrap();
        let model = read(&snapshot);
        commits.push((snapshot, model));
    };
    (0..30).for_each(|number| writer.add(id(number), document(b"one")).unwrap());
    commit(&mut writer, false);
    (0..5).for_each(|number| writer.add(id(number), document(b"two")).unwrap());
    commit(&mut writer, false);
    assert!(writer.delete(&id(9)).unwrap());
    commit(&mut writer, true);
    writer.add(id(40), document(b"four")).unwrap();
    commit(&mut writer, false);
    drop(writer);
    Stages { commits, _top: top }
}

/// How many operations each copy of the stages takes, with links or without.
fn count_operations(stages: &Stages, fault: Option<(usize, Fault)>) -> Vec<usize> {
    let top = tempfile::tempdir().unwrap();
    let watch = Watch::new(top.path(), fault);
    let counts = stages.commits.iter().map(|(snapshot, _)| {
        let before = watch.operations().len();
        snapshot.copy_to(top.path()).unwrap();
        watch.operations().len() - before
    });
    counts.collect()
}

/// The folder's commit: its number among the stages, and one more; 0 without an index.
fn stage_of(folder: &Path, stages: &Stages) -> usize {
    if !removal::exists(folder).unwrap() {
        return 0;
    }
    let snapshot = Snapshot::open_once(folder).unwrap();
    let at = stages.commits.iter().position(|(other, _)| other.generation() == snapshot.generation()).unwrap();
    assert_eq!(read(&snapshot), stages.commits[at].1);
    at + 1
}

#[test]
fn after_a_failure_the_copy_is_one_of_both_commits() {
    let stages = stages();
    // The second and the last commits have no files in common with what the source still has.
    let mut failed = 0;
    for (from, to) in [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 4)] {
        let mut at = 0;
        loop {
            let top = tempfile::tempdir().unwrap();
            let target = top.path().join("copy");
            fs::create_dir(&target).unwrap();
            fs::write(target.join("mine.txt"), "").unwrap();
            if from > 0 {
                stages.commits[from - 1].0.copy_to(&target).unwrap();
            }
            let fault = if at % 2 == 0 { Fault::Once(libc::ENOSPC) } else { Fault::From(libc::EIO) };
            let watch = Watch::new(&target, Some((at / 2, fault)));
            let result = stages.commits[to - 1].0.copy_to(&target);
            let is_over = watch.operations().len() <= at / 2;
            drop(watch);
            let found = stage_of(&target, &stages);
            match &result {
                Ok(()) => assert_eq!(found, to),
                Err(error) => {
                    let said_so = error.to_string().contains("the commit is visible");
                    assert!(matches!(error, Error::File { .. }));
                    assert_eq!(found, if said_so { to } else { from }, "{error}");
                    if !said_so && at % 2 == 0 {
                        let left = names(&target).iter().filter(|name| manifest::number_of(name).is_some()).count();
                        let before = if from == 0 { 0 } else { stages.commits[from - 1].0.files().len() - 1 };
                        assert_eq!(left, before, "what takes room goes: {:?}", names(&target));
                    }
                    failed += 1;
                }
            }
            stages.commits[to - 1].0.copy_to(&target).unwrap();
            assert_eq!(stage_of(&target, &stages), to);
            assert!(target.join("mine.txt").exists());
            fs::remove_file(target.join("mine.txt")).unwrap();
            assert_clean(&target);
            if is_over {
                break;
            }
            at += 1;
        }
    }
    assert!(failed > 60, "{failed}");
}

const FOLDER: &str = "POSTINGS_TEST_FOLDER";
const AT: &str = "POSTINGS_TEST_AT";

/// Copies the index in `index` to `copy`, in a process of its own.
#[test]
#[ignore = "run by another test"]
fn killed_while_copying() {
    let (Some(folder), Ok(at)) = (std::env::var_os(FOLDER), std::env::var(AT)) else {
        return;
    };
    let folder = PathBuf::from(folder);
    let _watch = Watch::new(&folder.join("copy"), Some((at.parse().unwrap(), Fault::Kill)));
    Snapshot::open(&folder.join("index")).unwrap().copy_to(&folder.join("copy")).unwrap();
    println!("\ncopied");
}

#[test]
fn after_a_kill_the_copy_is_one_of_both_commits() {
    for is_first in [true, false] {
        for at in 0.. {
            let top = tempfile::tempdir().unwrap();
            let [folder, target] = ["index", "copy"].map(|name| top.path().join(name));
            let mut writer = two_commits(&folder);
            let old = committed(&folder);
            if !is_first {
                writer.copy_to(&target).unwrap();
                (0..60).for_each(|number| writer.add(id(number), document(b"new")).unwrap());
                writer.delete(&id(90)).unwrap();
                writer.commit().unwrap();
            }
            let new = committed(&folder);
            let child = child("copies::killed_while_copying", top.path()).env(AT, at.to_string()).spawn();
            let output = child.unwrap().wait_with_output().unwrap();
            let is_done = output.status.success();
            match removal::exists(&target).unwrap() {
                false => assert!(is_first && !is_done),
                true if is_done => assert_eq!(committed(&target), new),
                true => assert!([&old, &new].contains(&&committed(&target))),
            }
            if at % 3 == 2 && !is_done && target.exists() {
                // What an interrupted copy leaves can also be removed.
                removal::remove(&target).unwrap();
                assert!(!target.exists() || !names(&target).iter().any(|name| name.ends_with("segment")));
            }
            writer.copy_to(&target).unwrap();
            assert_eq!(committed(&target), new);
            assert_clean(&target);
            if is_done {
                assert!(at > 8, "{at} operations");
                break;
            }
        }
    }
}

#[test]
fn after_a_loss_of_power_the_copy_is_one_of_both_commits() {
    let stages = stages();
    for no_links in [None, Some((0, Fault::Of(Operation::Link, libc::EXDEV)))] {
        let counts = count_operations(&stages, no_links);
        assert!(counts.iter().all(|&count| count >= 6), "{counts:?}");
        let top = tempfile::tempdir().unwrap();
        let watch = Watch::new(top.path(), no_links);
        let mut acknowledged = vec![0];
        for (snapshot, _) in &stages.commits {
            snapshot.copy_to(top.path()).unwrap();
            acknowledged.push(watch.events().len());
        }
        let events = watch.events();
        drop(watch);
        for count in 0..=events.len() {
            let done = acknowledged.iter().filter(|&&at| at <= count).count() - 1;
            let orderly = [Left::Nothing, Left::Names, Left::Removals, Left::Renames];
            // Without an index, chance may take the old name of its manifest and not give the new one; no file system does.
            let chances = if done == 0 { 0 } else { 6 };
            let by_chance = (0..chances).map(|chance| Left::Some(count as u64 * 6 + chance));
            for left in orderly.into_iter().chain(by_chance) {
                let after = tempfile::tempdir().unwrap();
                for (name, content) in after_power_loss(&events[..count], left) {
                    fs::write(after.path().join(name), content).unwrap();
                }
                let found = stage_of(after.path(), &stages);
                assert!(found == done || found == done + 1, "{count} events, {left:?}: {found}, {done} copies");
                let last = &stages.commits[stages.commits.len() - 1];
                last.0.copy_to(after.path()).unwrap();
                assert_eq!(committed(after.path()), last.1);
                assert_clean(after.path());
            }
        }
    }
}
