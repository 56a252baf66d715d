//! Removing an index, emptying it, deleting many documents, and waiting for another writer.

use super::faults::child;
use super::*;
use crate::index::removal::{exists, remove};
use crate::index::storage::faults::{Fault, Watch};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

const FOLDER: &str = "POSTINGS_TEST_FOLDER";

/// A commit with a deletion, and one document that is not committed but has a file.
fn filled(folder: &Path) -> Writer {
    let mut writer = create(folder);
    for number in 0..10 {
        writer.add(id(number), document(b"text")).unwrap();
    }
    writer.commit().unwrap();
    writer.delete(&id(4)).unwrap();
    writer.commit().unwrap();
    writer.add(id(11), document(b"more")).unwrap();
    writer.flush().unwrap();
    writer
}

#[test]
fn nothing_of_a_removed_index_stays_and_nothing_else_goes() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("index");
    assert_eq!((exists(&folder).unwrap(), remove(&folder).unwrap()), (false, false));
    let writer = filled(&folder);
    let snapshot = Snapshot::open(&folder).unwrap();
    let before = names(&folder);
    assert!(matches!(remove(&folder), Err(Error::Locked { .. })), "there is a writer");
    assert_eq!((exists(&folder).unwrap(), names(&folder)), (true, before));
    drop(writer);
    fs::write(folder.join("0.segment"), "left by a writer").unwrap();
    assert!(remove(&folder).unwrap());
    assert!(!folder.exists());
    assert_eq!(read(&snapshot).len(), 9, "readers go on");
    assert!(matches!(Snapshot::open(&folder), Err(Error::Missing { .. })));
    assert!(matches!(snapshot.reload(), Err(Error::Missing { .. })));

    drop(filled(&folder));
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    fs::create_dir(folder.join("more")).unwrap();
    assert!(remove(&folder).unwrap());
    assert_eq!(names(&folder), ["more", "notes.txt"]);
    assert_eq!((exists(&folder).unwrap(), remove(&folder).unwrap()), (false, false));
    assert!(matches!(Snapshot::open(&folder), Err(Error::Missing { .. })));
    assert!(matches!(Writer::open(&folder, None, WriterOptions::default()), Err(Error::Missing { .. })));

    // A link to a folder would lead nowhere without it.
    drop(filled(&folder));
    let link = top.path().join("link");
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    fs::remove_file(folder.join("notes.txt")).unwrap();
    fs::remove_dir(folder.join("more")).unwrap();
    assert!(exists(&link).unwrap() && remove(&link).unwrap());
    assert_eq!(names(&folder), [""; 0]);
    drop(filled(&link));
}

/// The filter of ids is made of what is there after `clear`, and that is gone then.
#[test]
fn ids_are_found_after_clearing_and_rolling_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = filled(folder.path());
    let model = committed(folder.path());
    writer.clear().unwrap();
    for number in 20..25 {
        writer.add(id(number), document(b"new")).unwrap();
        writer.flush().unwrap();
    }
    assert!(writer.filter.is_some());
    writer.rollback().unwrap();
    assert_eq!(writer.delete(&id(4)), Ok(false));
    assert!(writer.delete(&id(5)).unwrap());
    writer.add(id(6), document(b"text")).unwrap();
    writer.commit().unwrap();
    assert_eq!(committed(folder.path()).len(), model.len() - 1);
}

#[test]
fn what_is_no_index_or_leads_elsewhere_stays() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("index");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("manifest"), "{\"name\": \"a web application\"}").unwrap();
    fs::write(folder.join("7.segment"), "of something else").unwrap();
    let error = remove(&folder).unwrap_err().to_string();
    assert!(error.ends_with("manifest: is not the manifest of an index, so nothing is removed"), "{error}");
    assert_eq!(names(&folder), ["7.segment", "manifest"]);
    fs::remove_file(folder.join("manifest")).unwrap();
    assert!(!remove(&folder).unwrap());
    assert!(!remove(&folder.join("7.segment")).unwrap());
    fs::remove_file(folder.join("7.segment")).unwrap();

    drop(filled(&folder));
    let outside = top.path().join("outside");
    fs::write(&outside, "PMAN").unwrap();
    for name in ["1.segment", "manifest", "lock"] {
        let path = folder.join(name);
        let kept = folder.join("kept");
        fs::rename(&path, &kept).unwrap();
        std::os::unix::fs::symlink(&outside, &path).unwrap();
        let before = names(&folder);
        let error = remove(&folder).unwrap_err().to_string();
        assert!(error.contains("symbolic link"), "{error}");
        assert_eq!(names(&folder), before);
        fs::rename(&kept, &path).unwrap();
    }
    assert_eq!(fs::read(&outside).unwrap(), b"PMAN");
    // A damaged one goes.
    fs::write(folder.join("manifest"), "PMAN?").unwrap();
    assert!(remove(&folder).unwrap() && !folder.exists());
}

#[test]
fn a_removal_that_fails_anywhere_can_be_repeated() {
    for at in 0.. {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("index");
        drop(filled(&folder));
        let watch = Watch::new(&folder, Some((at, Fault::From(libc::EIO))));
        let removed = remove(&folder);
        let failed = watch.operations().len() > at;
        drop(watch);
        if !failed {
            removed.unwrap();
            assert!(at > 4 && !folder.exists());
            break;
        }
        assert!(removed.is_err(), "{at}");
        // It is whole or gone.
        if exists(&folder).unwrap() {
            assert_eq!(committed(&folder).len(), 9);
        } else {
            assert!(matches!(Snapshot::open(&folder), Err(Error::Missing { .. })));
        }
        let left = ["manifest", "manifest.tmp"].iter().any(|name| folder.join(name).exists());
        assert_eq!(remove(&folder).unwrap(), left, "{at}");
        assert!(!exists(&folder).unwrap());
        drop(filled(&folder));
    }
}

#[test]
fn an_index_is_emptied_by_a_commit() {
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let options = WriterOptions { threads, ..WriterOptions::default() };
        drop(filled(folder.path()));
        let mut writer = Writer::open(folder.path(), None, options).unwrap();
        let before = committed(folder.path());
        writer.add(id(20), document(b"pending")).unwrap();
        writer.flush().unwrap();
        writer.add(id(21), document(b"pending, too")).unwrap();
        writer.clear().unwrap();
        assert!(writer.has_pending());
        assert_eq!(committed(folder.path()), before);
        assert!(
            !writer.delete(&id(1)).unwrap() && !writer.delete(&id(20)).unwrap() && !writer.delete(&id(21)).unwrap()
        );
        writer.rollback().unwrap();
        assert!(!writer.has_pending());
        assert!(writer.delete(&id(1)).unwrap());
        writer.clear().unwrap();
        writer.add(id(1), document(b"again")).unwrap();
        let generation = writer.commit().unwrap();
        assert_eq!(committed(folder.path()), [(id(1), b"again".to_vec())]);
        writer.clear().unwrap();
        assert_eq!(writer.commit().unwrap(), generation + 1);
        assert_eq!((committed(folder.path()), names(folder.path())), (vec![], vec!["lock".into(), "manifest".into()]));
        writer.clear().unwrap();
        assert!(!writer.has_pending(), "it is empty already");
        writer.add(id(2), document(b"new")).unwrap();
        writer.optimize(true).unwrap();
        drop(writer);
        assert_eq!(committed(folder.path()), [(id(2), b"new".to_vec())]);
        assert_clean(folder.path());
    }
}

#[test]
fn sets_of_documents_are_deleted_pending_ones_too() {
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let options = WriterOptions { threads, ..WriterOptions::default() };
        drop(filled(folder.path()));
        let mut writer = Writer::open(folder.path(), None, options).unwrap();
        writer.add(id(20), document(b"four")).unwrap();
        writer.write(Form::Run).unwrap();
        writer.add(id(21), document(b"longer")).unwrap();
        let wanted = |segment: &Segment| {
            segment.dictionary(0)?;
            let mut set = vec![0; segment.documents().div_ceil(64) as usize];
            for doc_id in 0..segment.documents() {
                if segment.number(2, doc_id)? == Some(4.0) {
                    set[doc_id as usize / 64] |= 1 << (doc_id % 64);
                }
            }
            Ok(set)
        };
        let fails = |_: &Segment| Err(Error::Panicked);
        assert_eq!(writer.delete_sets(fails), Err(Error::Panicked));
        assert_eq!(writer.delete_sets(wanted).unwrap(), 9 + 1, "one was deleted before");
        assert_eq!(writer.delete_sets(wanted).unwrap(), 0);
        assert_eq!(committed(folder.path()).len(), 9);
        writer.commit().unwrap();
        assert_eq!(committed(folder.path()), [(id(21), b"longer".to_vec())]);
        assert_eq!(writer.delete_sets(|_| Ok(vec![u64::MAX])).unwrap(), 1);
        assert_eq!(writer.delete_sets(|_| Ok(Vec::new())).unwrap(), 0);
        writer.commit().unwrap();
        assert_eq!(committed(folder.path()), []);
    }
}

/// Holds the index until a line comes, then commits.
#[test]
#[ignore = "run by another test"]
fn holds_until_told() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let mut writer = create(Path::new(&folder));
    println!("\nopened");
    std::io::stdin().lines().next();
    writer.add(Id::Int(1), document(b"by the first")).unwrap();
    writer.commit().unwrap();
}

#[test]
fn a_writer_waits_for_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = child("life::holds_until_told", folder.path());
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map(std::result::Result::unwrap).any(|line| line == "opened"));
    let options = |wait| WriterOptions { wait, ..WriterOptions::default() };
    let short = options(Duration::from_millis(5));
    assert!(matches!(Writer::open(folder.path(), None, short), Err(Error::Locked { .. })));
    // The other one goes on once this one has begun to wait.
    let asked = std::cell::Cell::new(0);
    let stdin = std::cell::RefCell::new(child.stdin.take().unwrap());
    let interrupted = || {
        if asked.replace(asked.get() + 1) == 2 {
            writeln!(stdin.borrow_mut(), "go on").unwrap();
        }
        false
    };
    let long = options(Duration::from_secs(600));
    let mut writer = Writer::open_unless(folder.path(), Some(schema()), long, &interrupted).unwrap();
    assert!(asked.get() >= 3);
    writer.add(Id::Int(2), document(b"by the second")).unwrap();
    writer.commit().unwrap();
    child.wait().unwrap();
    assert_eq!(committed(folder.path()).len(), 2, "it has what the first one committed");
    let interrupted = || true;
    assert!(matches!(Writer::open_unless(folder.path(), None, long, &interrupted), Err(Error::Locked { .. })));
}

#[test]
fn a_writer_that_waits_makes_the_index_anew_if_it_was_removed() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("index");
    let first = std::cell::RefCell::new(Some(filled(&folder)));
    let interrupted = || {
        if first.borrow_mut().take().is_some() {
            assert!(remove(&folder).unwrap());
        }
        false
    };
    let long = WriterOptions { wait: Duration::from_secs(600), ..WriterOptions::default() };
    let writer = Writer::open_unless(&folder, Some(schema()), long, &interrupted).unwrap();
    assert_eq!(writer.generation(), 1);
    assert_eq!(committed(&folder), []);
}
