//! A full disk.

use super::faults::child;
use super::*;
use crate::base::skipped::skipped;
use std::ffi::CString;

const FOLDER: &str = "POSTINGS_TEST_FOLDER";

/// Files of this process cannot grow beyond some size: writes fail with `EFBIG` in the middle of their bytes.
#[test]
#[ignore = "run by another test"]
fn files_cannot_grow() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let mut writer = create(folder);
    let mut model = Model::new();
    for number in 0..10 {
        writer.add(id(number), document(b"short")).unwrap();
        replace(&mut model, id(number), b"short");
    }
    writer.commit().unwrap();
    let limit = |bytes: u64| {
        let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: `limit` is a valid limit; nothing else in this process handles SIGXFSZ.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
        }
    };
    let text = |number: u64| (0..500).map(|word| format!("{} ", word * number)).collect::<String>().into_bytes();
    for bytes in [0, 1, 100, 2_000, 20_000, 60_000] {
        for threads in [1, 2] {
            drop(writer);
            let options = WriterOptions { threads, ..WriterOptions::default() };
            writer = Writer::open(folder, None, options).unwrap();
            (100..200).for_each(|number| writer.add(id(number), document(&text(number))).unwrap());
            limit(bytes);
            let error = writer.commit().unwrap_err();
            assert!(error.to_string().contains("File too large"), "{error}");
            assert_eq!(committed(folder), model);
            limit(libc::RLIM_INFINITY);
            // One thread's documents are lost, several threads' are not.
            assert_eq!(writer.lost.is_some(), threads == 1);
            writer.rollback().unwrap();
            assert_clean(folder);
        }
    }
    writer.add(id(100), document(b"one more")).unwrap();
    replace(&mut model, id(100), b"one more");
    writer.commit().unwrap();
    assert_eq!(committed(folder), model);
    println!("\nall went well");
}

#[test]
fn a_file_that_cannot_grow_is_an_error_and_leaves_the_last_commit() {
    let folder = tempfile::tempdir().unwrap();
    let output = child("disk::files_cannot_grow", folder.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nall went well"), "{output:?}");
}

/// A file system in memory of 2 MB; needs root.
#[test]
fn a_full_disk_is_an_error_and_leaves_the_last_commit() {
    on_small_disk(|top| fills_up(&top.join("index"), |size| mount(top, libc::MS_REMOUNT, size).unwrap()));
}

/// Runs a test on a file system of its own.
fn on_small_disk(test: impl Fn(&Path) + std::panic::RefUnwindSafe) {
    let top = tempfile::tempdir().unwrap();
    if let Err(error) = mount(top.path(), 0, "size=2m") {
        skipped(&format!("cannot mount a file system: {error}"));
        return;
    }
    let result = std::panic::catch_unwind(|| test(top.path()));
    let path = CString::new(top.path().as_os_str().as_encoded_bytes()).unwrap();
    // SAFETY: the path is a string that ends in zero.
    assert_eq!(unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) }, 0);
    result.unwrap();
}

/// If files cannot be linked, they are copied; a copy that does not fit leaves what was there.
#[test]
fn copies_to_a_full_disk_leave_what_was_there() {
    on_small_disk(|top| {
        let (here, target, joined) = (tempfile::tempdir().unwrap(), top.join("copy"), top.join("joined"));
        let mut source = create(here.path());
        source.add(id(1), document(b"small")).unwrap();
        source.commit().unwrap();
        source.copy_to(&target).unwrap();
        let small = committed(here.path());
        assert_eq!(committed(&target), small);
        let mut writer = create(&joined);
        assert_eq!(writer.add_index(here.path()).unwrap(), 1);
        writer.commit().unwrap();
        let mut noise = crate::base::noise::Noise(7);
        let mut text = || (0..60_000).map(|_| format!("{:x} ", noise.below(1 << 40))).collect::<String>();
        for number in 2..6 {
            source.add(id(number), document(text().as_bytes())).unwrap();
        }
        source.commit().unwrap();
        let before = names(&target);
        let error = source.copy_to(&target).unwrap_err().to_string();
        assert!(error.contains("No space left on device"), "{error}");
        assert_eq!((committed(&target), names(&target)), (small.clone(), before));
        let before = names(&joined);
        let error = writer.add_index(here.path()).unwrap_err().to_string();
        assert!(error.contains("No space left on device"), "{error}");
        assert_eq!((names(&joined), writer.has_pending()), (before, false));
        mount(top, libc::MS_REMOUNT, "size=64m").unwrap();
        source.copy_to(&target).unwrap();
        assert_eq!(committed(&target), committed(here.path()));
        assert_eq!(writer.add_index(here.path()).unwrap(), 5);
        writer.commit().unwrap();
        assert_eq!(committed(&joined), committed(here.path()));
    });
}

fn mount(at: &Path, flags: libc::c_ulong, options: &str) -> std::io::Result<()> {
    let (path, options) = (CString::new(at.as_os_str().as_encoded_bytes())?, CString::new(options)?);
    // SAFETY: all arguments are strings that end in zero.
    match unsafe { libc::mount(c"none".as_ptr(), path.as_ptr(), c"tmpfs".as_ptr(), flags, options.as_ptr().cast()) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

fn fills_up(folder: &Path, room: impl Fn(&str)) {
    let mut writer = create(folder);
    let mut model = Model::new();
    let text =
        |number: u64| (0..300).map(|word| format!("{:x} ", (word * 31 + number) * 0x9E37_79B9)).collect::<String>();
    let mut failures = 0;
    for number in 0u64.. {
        let added = text(number).into_bytes();
        writer.add(id(number), document(&added)).unwrap();
        match writer.commit() {
            Ok(_) => replace(&mut model, id(number), &added),
            Err(error) => {
                assert!(error.to_string().contains("No space left on device"), "{error}");
                assert_eq!(committed(folder), model);
                // As it comes: the same writer, or the next one.
                if number % 2 == 0 {
                    writer.rollback().unwrap();
                } else {
                    drop(writer);
                    writer = Writer::open(folder, None, WriterOptions::default()).unwrap();
                }
                assert_clean(folder);
                failures += 1;
            }
        }
        if failures == 20 {
            break;
        }
    }
    assert!(model.len() > 20, "{}", model.len());
    let (gone, stay) = model.split_at(model.len() / 4 * 3);
    gone.iter().for_each(|(id, _)| assert!(writer.delete(id).unwrap()));
    // Even deleting takes some room, until what is mostly deleted has been written anew.
    room("size=4m");
    writer.commit().unwrap();
    assert_eq!(committed(folder), stay);
    room("size=2m");
    writer.add(Id::Int(-5), document(b"fits again")).unwrap();
    writer.commit().unwrap();
    assert_clean(folder);
}
