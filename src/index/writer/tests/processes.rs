//! Several writers, forked writers, and readers beside a writer.

use super::faults::child;
use super::*;
use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const FOLDER: &str = "POSTINGS_TEST_FOLDER";

/// Opens the index and waits to be killed.
#[test]
#[ignore = "run by another test"]
fn holds_the_index() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let mut writer = create(Path::new(&folder));
    writer.add(Id::Int(1), document(b"never committed")).unwrap();
    writer.flush().unwrap();
    println!("\nopened");
    std::thread::sleep(std::time::Duration::from_secs(600));
}

#[test]
fn there_is_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Writer::open(folder.path(), None, WriterOptions::default());
    let writer = create(folder.path());
    let error = open().unwrap_err().to_string();
    assert!(error.contains("is being written by this process"), "{error}");
    drop(writer);
    drop(open().unwrap());

    let mut child = child("processes::holds_the_index", folder.path()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map(std::result::Result::unwrap).any(|line| line == "opened"));
    let error = open().unwrap_err().to_string();
    assert!(error.ends_with(&format!("is locked, by process {} as its file lock says", child.id())), "{error}");
    assert_eq!(committed(folder.path()), [], "readers do not care");
    child.kill().unwrap();
    child.wait().unwrap();
    // The lock's file is still there, with the number of a process that is not.
    assert_eq!(fs::read_to_string(folder.path().join("lock")).unwrap().trim(), child.id().to_string());
    drop(open().unwrap());
    assert_clean(folder.path());
}

/// In a process of its own, which has one thread.
#[test]
#[ignore = "run by another test"]
fn forks() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let mut writer = create(folder);
    writer.add(Id::Int(1), document(b"first")).unwrap();
    writer.commit().unwrap();
    writer.add(Id::Int(2), document(b"second")).unwrap();
    writer.flush().unwrap();
    let snapshot = Snapshot::open(folder).unwrap();
    // SAFETY: the child runs what follows and exits.
    let forked = unsafe { libc::fork() };
    if forked == 0 {
        let well = std::panic::catch_unwind(move || {
            let refused =
                |error: Error| error.to_string().contains("belongs to the process that this one was forked from");
            assert!(refused(writer.add(Id::Int(3), document(b"x")).unwrap_err()));
            assert!(refused(writer.delete(&Id::Int(1)).unwrap_err()));
            assert!(refused(writer.commit().unwrap_err()));
            assert!(refused(writer.optimize(false).unwrap_err()));
            assert!(refused(writer.rollback().unwrap_err()));
            drop(writer);
            // The parent still has the lock, and its files.
            assert!(Writer::open(folder, None, WriterOptions::default()).is_err());
            assert_eq!(read(&snapshot.reload().unwrap()).len(), 1);
        });
        // SAFETY: ends the child.
        unsafe { libc::_exit(i32::from(well.is_err())) };
    }
    let mut status = -1;
    // SAFETY: `status` is a valid place for the child's status.
    assert_eq!(unsafe { libc::waitpid(forked, &mut status, 0) }, forked);
    assert_eq!(status, 0);
    writer.commit().unwrap();
    assert_eq!(committed(folder).len(), 2);

    // A child that lives longer than its parent's writer does not keep the lock.
    // SAFETY: the child sleeps until it is killed.
    let sleeper = unsafe { libc::fork() };
    if sleeper == 0 {
        loop {
            std::thread::sleep(std::time::Duration::from_secs(600));
        }
    }
    drop(writer);
    let reopened = Writer::open(folder, None, WriterOptions::default());
    // SAFETY: ends and reaps the child.
    unsafe {
        libc::kill(sleeper, libc::SIGKILL);
        libc::waitpid(sleeper, &mut status, 0);
    }
    drop(reopened.unwrap());
    println!("\nall went well");
}

#[test]
fn a_forked_writer_refuses_to_work() {
    let folder = tempfile::tempdir().unwrap();
    let output = child("processes::forks", folder.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nall went well"), "{output:?}");
}

#[test]
fn readers_always_see_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let (mut opened, mut last) = (0, 0);
                    let mut snapshot = Snapshot::open(folder.path()).unwrap();
                    while !done.load(Relaxed) {
                        snapshot = match opened % 2 {
                            0 => Snapshot::open(folder.path()).unwrap(),
                            _ => snapshot.reload().unwrap(),
                        };
                        // Commit n + 1 has documents of numbers below n, in order.
                        let documents = read(&snapshot);
                        assert_eq!(documents.len() as u64, snapshot.generation() - 1);
                        assert!((0..).map(id).zip(&documents).all(|(id, (other, _))| id == *other));
                        assert!(snapshot.generation() >= last);
                        last = snapshot.generation();
                        opened += 1;
                    }
                    opened
                })
            })
            .collect();
        for number in 0..400 {
            writer.add(id(number), document(b"some text")).unwrap();
            if number % 50 == 49 { writer.optimize(false) } else { writer.commit() }.unwrap();
        }
        done.store(true, Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 10);
        }
    });
}

#[test]
fn a_writer_whose_folder_was_replaced_does_not_commit() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("index");
    let mut old = create(&folder);
    old.add(id(1), document(b"old")).unwrap();
    old.commit().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut new = create(&folder);
    new.add(id(2), document(b"new")).unwrap();
    new.commit().unwrap();
    let _ = old.add(id(3), document(b"ghost"));
    let error = old.commit().unwrap_err().to_string();
    assert!(error.contains("removed or replaced"), "{error}");
    drop(old);
    assert_eq!(read(&Snapshot::open(&folder).unwrap()), [(id(2), b"new".to_vec())]);
    new.add(id(4), document(b"more")).unwrap();
    new.commit().unwrap();
}
