//! Every single operation on files fails, ends the process, or is the last before a loss of power.

use super::*;
use crate::index::storage::faults::{Fault, Watch};
use crate::index::storage::power_loss::{Event, Left, after_power_loss};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// A call of the script.
#[derive(Debug, Clone, Copy)]
enum Call {
    Add(u64, &'static str),
    Delete(u64),
    Flush,
    /// As if memory were full.
    Fill,
    Commit,
    Optimize,
}

/// Additions, replacements, deletions in old and new segments, several segments per commit, merges, and segments of which
/// nothing is left.
const SCRIPT: &[Call] = &{
    use Call::*;
    [
        Add(1, "one"),
        Add(2, "two"),
        Add(3, "three"),
        Add(20, "twenty"),
        Add(21, "twenty-one"),
        Add(22, "twenty-two"),
        Commit,
        Add(2, "two again"),
        Delete(1),
        Flush,
        Add(4, "four"),
        Delete(4),
        Add(5, "five"),
        Commit,
        Delete(3),
        Commit,
        Add(6, "six"),
        Flush,
        Add(7, "seven"),
        Flush,
        Add(8, "eight"),
        Flush,
        Add(6, "six again"),
        Flush,
        Add(9, "nine"),
        Flush,
        Add(10, "ten"),
        Flush,
        Add(11, "eleven"),
        Flush,
        Add(12, "twelve"),
        Flush,
        Add(13, "thirteen"),
        Flush,
        Add(15, "fifteen"),
        Flush,
        Add(16, "sixteen"),
        Flush,
        Add(17, "seventeen"),
        Flush,
        Add(18, "eighteen"),
        Flush,
        Add(19, "nineteen"),
        Flush,
        Add(23, "twenty-three"),
        Flush,
        Add(24, "twenty-four"),
        Commit,
        Delete(8),
        Add(5, "five again"),
        Optimize,
        Add(14, "fourteen"),
        Fill,
        Add(30, "thirty"),
        Delete(14),
        Fill,
        Add(31, "thirty-one"),
        Commit,
    ]
};

/// Makes a call, and the same change to a model.
fn call(writer: &mut Writer, model: &mut Model, call: Call) -> Result<()> {
    match call {
        Call::Add(number, text) => {
            replace(model, id(number), text.as_bytes());
            writer.add(id(number), document(text.as_bytes()))
        }
        Call::Delete(number) => {
            model.retain(|(other, _)| *other != id(number));
            writer.delete(&id(number)).map(drop)
        }
        Call::Flush => writer.flush(),
        Call::Fill => writer.write(Form::Run),
        Call::Commit => writer.commit().map(drop),
        Call::Optimize => writer.optimize(false).map(drop),
    }
}

fn is_commit(call: Call) -> bool {
    matches!(call, Call::Commit | Call::Optimize)
}

/// The models of all commits: that of the empty index, and one per commit of the script.
fn models() -> Vec<Model> {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path());
    let (mut model, mut models) = (Model::new(), vec![Model::new()]);
    for &step in SCRIPT {
        call(&mut writer, &mut model, step).unwrap();
        if is_commit(step) {
            models.push(model.clone());
        }
    }
    models
}

/// The number of operations of the whole script.
fn operations() -> usize {
    let folder = tempfile::tempdir().unwrap();
    let watch = Watch::new(folder.path(), None);
    let mut writer = create(folder.path());
    let mut model = Model::new();
    SCRIPT.iter().for_each(|&step| call(&mut writer, &mut model, step).unwrap());
    drop(writer);
    watch.operations().len()
}

/// Opens an index after whatever happened to it, and goes on writing.
fn goes_on(folder: &Path, model: &Model) {
    let mut writer = create(folder);
    assert_clean(folder);
    assert_eq!(&committed(folder), model);
    writer.add(Id::Int(1_000_000), document(b"new")).unwrap();
    writer.commit().unwrap();
    let mut model = model.clone();
    replace(&mut model, Id::Int(1_000_000), b"new");
    assert_eq!(committed(folder), model);
    assert_clean(folder);
}

#[test]
fn the_script_covers_all_kinds_of_operations() {
    let folder = tempfile::tempdir().unwrap();
    let watch = Watch::new(folder.path(), None);
    let mut writer = create(folder.path());
    let mut model = Model::new();
    let mut merged = 0;
    for &step in SCRIPT {
        let before = writer.segments.len();
        call(&mut writer, &mut model, step).unwrap();
        merged += usize::from(matches!(step, Call::Commit) && writer.segments.len() < before);
    }
    assert!(merged > 0, "no commit merges");
    drop(writer);
    let operations = watch.operations();
    use crate::index::storage::Operation::*;
    for operation in [Create, Write, Sync, Rename, Remove, SyncFolder] {
        for end in [".segment", ".deleted", "manifest.tmp", ""] {
            let possible = match operation {
                Rename => end == "manifest.tmp",
                Remove => end == ".segment" || end == ".deleted",
                SyncFolder => end.is_empty(),
                _ => !end.is_empty(),
            };
            let is =
                |(other, name): &(_, std::ffi::OsString)| *other == operation && name.to_str().unwrap().ends_with(end);
            assert!(!possible || operations.iter().any(is), "{operation:?} {end}");
        }
    }
    assert!(operations.len() > 100, "{}", operations.len());
}

/// The writer is dropped at the first error.
#[test]
fn after_a_failure_the_last_commit_is_there() {
    let models = models();
    for at in 0..operations() {
        for fault in [Fault::Once(libc::ENOSPC), Fault::From(libc::EIO)] {
            let folder = tempfile::tempdir().unwrap();
            let watch = Watch::new(folder.path(), Some((at, fault)));
            let mut commits = 0;
            let mut failed = None;
            match Writer::open(folder.path(), Some(schema()), WriterOptions::default()) {
                Err(error) => failed = Some((Call::Commit, error)),
                Ok(mut writer) => {
                    let mut model = Model::new();
                    for &step in SCRIPT {
                        if let Err(error) = call(&mut writer, &mut model, step) {
                            failed = Some((step, error));
                            break;
                        }
                        commits += usize::from(is_commit(step));
                    }
                }
            }
            drop(watch);
            // Failing to remove a file is no failure; the script ends well then.
            let Some((step, error)) = failed else {
                assert_eq!(commits + 1, models.len());
                goes_on(folder.path(), &models[commits]);
                continue;
            };
            assert!(matches!(error, Error::File { .. }), "{error}");
            if !folder.path().join(manifest::NAME).exists() {
                assert_eq!(commits, 0, "operation {at}");
                goes_on(folder.path(), &Model::new());
                continue;
            }
            let found = committed(folder.path());
            let said_so = error.to_string().contains("the commit is visible");
            let expected = if said_so { commits + 1 } else { commits };
            assert!(!said_so || is_commit(step));
            assert_eq!(found, models[expected], "operation {at}, {fault:?}: {step:?}: {error}");
            goes_on(folder.path(), &found);
        }
    }
}

/// The writer goes on after an error: it commits again, or rolls back and repeats what was lost.
#[test]
fn after_a_failure_the_writer_goes_on() {
    let models = models();
    let (mut retried, mut lost) = (0, 0);
    for at in 0..operations() {
        // Several threads fail in the same places, mostly.
        for threads in 1..=if at % 4 == 0 { 2 } else { 1 } {
            let folder = tempfile::tempdir().unwrap();
            drop(create(folder.path()));
            let watch = Watch::new(folder.path(), Some((at, Fault::Once(libc::ENOSPC))));
            let options = WriterOptions { threads, ..WriterOptions::default() };
            let Ok(mut writer) = Writer::open(folder.path(), None, options) else {
                continue;
            };
            let mut model = Model::new();
            let (mut next, mut last) = (0, 0);
            let mut commits = 0;
            while let Some(&step) = SCRIPT.get(next) {
                match call(&mut writer, &mut model, step) {
                    Ok(()) if is_commit(step) => {
                        commits += 1;
                        (next, last) = (next + 1, next + 1);
                        assert_eq!(committed(folder.path()), models[commits], "operation {at}");
                    }
                    Ok(()) => next += 1,
                    Err(error) if writer.lost.is_some() => {
                        assert!(error.to_string().contains("are lost"), "{error}");
                        assert!(writer.add(id(1), document(b"x")).unwrap_err().to_string().contains("roll back"));
                        assert!(writer.commit().is_err() && writer.optimize(false).is_err());
                        writer.rollback().unwrap();
                        (next, model) = (last, models[commits].clone());
                        lost += 1;
                    }
                    Err(error) => {
                        assert!(!error.to_string().contains("are lost"), "{error}");
                        retried += 1;
                    }
                }
            }
            assert_eq!(committed(folder.path()), models[models.len() - 1]);
            drop(writer);
            drop(watch);
            goes_on(folder.path(), &models[models.len() - 1]);
        }
    }
    assert!(retried > 20 && lost > 20, "{retried} times retried, {lost} times lost");
}

const FOLDER: &str = "POSTINGS_TEST_FOLDER";
const AT: &str = "POSTINGS_TEST_AT";

/// Runs the script in a process of its own, and says so after each commit.
#[test]
#[ignore = "run by another test"]
fn killed_at_an_operation() {
    let (Some(folder), Ok(at)) = (std::env::var_os(FOLDER), std::env::var(AT)) else {
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    let _watch = Watch::new(&folder, Some((at.parse().unwrap(), Fault::Kill)));
    let mut writer = create(&folder);
    let mut model = Model::new();
    for &step in SCRIPT {
        call(&mut writer, &mut model, step).unwrap();
        if is_commit(step) {
            println!("\ncommitted");
        }
    }
}

/// A process that runs a test of this module.
pub(super) fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("index::writer::tests::{test}"), "--ignored", "--nocapture"]);
    command.env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

#[test]
fn after_a_kill_at_any_operation_the_last_commit_is_there() {
    let models = models();
    let operations = operations();
    let mut killed = 0;
    for at in 0..operations {
        let folder = tempfile::tempdir().unwrap();
        let child = child("faults::killed_at_an_operation", folder.path()).env(AT, at.to_string()).spawn();
        let output = child.unwrap().wait_with_output().unwrap();
        killed += usize::from(!output.status.success());
        let commits =
            BufReader::new(&output.stdout[..]).lines().filter(|line| line.as_ref().unwrap() == "committed").count();
        if !folder.path().join(manifest::NAME).exists() {
            assert_eq!(commits, 0);
            goes_on(folder.path(), &Model::new());
            continue;
        }
        let found = committed(folder.path());
        let next = models.get(commits + 1);
        assert!(found == models[commits] || Some(&found) == next, "operation {at}, {commits} commits: {found:?}");
        goes_on(folder.path(), &found);
    }
    assert_eq!(killed, operations, "a process ended by itself");
}

/// How often the power fails after each operation and leaves what chance wants.
const CHANCES: u64 = 6;

/// What is left by the promises of POSIX alone if the power fails after any operation.
#[test]
fn after_a_loss_of_power_the_last_commit_is_there() {
    let models = models();
    let folder = tempfile::tempdir().unwrap();
    let watch = Watch::new(folder.path(), None);
    let mut writer = create(folder.path());
    let mut model = Model::new();
    // How many events there were when each commit was acknowledged.
    let mut acknowledged = vec![watch.events().len()];
    for &step in SCRIPT {
        call(&mut writer, &mut model, step).unwrap();
        if is_commit(step) {
            acknowledged.push(watch.events().len());
        }
    }
    drop(writer);
    let events: Vec<Event> = watch.events();
    assert_eq!(acknowledged.len(), models.len());
    let mut others = 0;
    for count in acknowledged[0]..=events.len() {
        let commits = acknowledged.iter().filter(|&&at| at <= count).count() - 1;
        let orderly = [Left::Nothing, Left::Names, Left::Removals, Left::Renames];
        let by_chance = (0..CHANCES).map(|chance| Left::Some(count as u64 * CHANCES + chance));
        let orderly_files = orderly.map(|left| after_power_loss(&events[..count], left));
        for left in orderly.into_iter().chain(by_chance) {
            let after = tempfile::tempdir().unwrap();
            let files = after_power_loss(&events[..count], left);
            others += usize::from(!orderly_files.contains(&files));
            for (name, content) in files {
                fs::write(after.path().join(name), content).unwrap();
            }
            let found = committed(after.path());
            let next = models.get(commits + 1);
            assert!(found == models[commits] || Some(&found) == next, "{count} events, {left:?}, {commits} commits");
            goes_on(after.path(), &found);
        }
    }
    assert!(others > events.len(), "{others} of {} events: chance left nothing else", events.len());
}
