//! Symbolic links in the folder of an index, which somebody may have put there who may not read or write their targets.

use super::*;
use std::os::unix::fs::symlink;

/// An index with a file of each kind, in `index`, and a file `victim` beside it.
fn index() -> (tempfile::TempDir, std::path::PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("index");
    let mut writer = create(&folder);
    (0..20).for_each(|number| writer.add(id(number), document(b"some text")).unwrap());
    writer.commit().unwrap();
    writer.delete(&id(3)).unwrap();
    writer.commit().unwrap();
    drop(writer);
    fs::write(top.path().join("victim"), "7").unwrap();
    (top, folder)
}

fn assert_says_so(error: &Error, name: &str) {
    assert!(matches!(error, Error::File { path, .. } if path.ends_with(&format!("/{name}"))), "{error}");
    assert!(error.to_string().contains("it is a symbolic link"), "{error}");
}

#[test]
fn links_to_files_of_an_index_are_not_followed() {
    let (top, folder) = index();
    let all = names(&folder);
    assert_eq!(all, ["1-3.deleted", "1.segment", "lock", "manifest"]);
    for name in &all {
        let (file, elsewhere) = (folder.join(name), top.path().join("elsewhere"));
        fs::rename(&file, &elsewhere).unwrap();
        let content = fs::read(&elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert_says_so(&Writer::open(&folder, None, WriterOptions::default()).unwrap_err(), name);
        assert_says_so(&Writer::open(&folder, Some(schema()), WriterOptions::default()).unwrap_err(), name);
        match Snapshot::open(&folder) {
            Err(error) => assert_says_so(&error, name),
            // Readers need no lock.
            Ok(snapshot) => assert!(name == "lock" && snapshot.live() == 19, "{name}"),
        }
        assert_eq!(fs::read(&elsewhere).unwrap(), content, "{name}");
        fs::rename(&elsewhere, &file).unwrap();
    }
    assert_eq!(committed(&folder).len(), 19);
    // The folder itself may be one.
    symlink(&folder, top.path().join("link")).unwrap();
    assert_eq!(committed(&top.path().join("link")).len(), 19);
    drop(Writer::open(&top.path().join("link"), None, WriterOptions::default()).unwrap());
}

#[test]
fn nothing_is_written_through_a_link() {
    for target in ["victim", "absent"] {
        let (top, folder) = index();
        // A new index.
        for name in ["lock", "manifest.tmp", "manifest"] {
            let new = top.path().join(format!("new-{name}"));
            fs::create_dir(&new).unwrap();
            symlink(top.path().join(target), new.join(name)).unwrap();
            assert_says_so(&Writer::open(&new, Some(schema()), WriterOptions::default()).unwrap_err(), name);
        }
        // One that is there.
        symlink(top.path().join(target), folder.join("manifest.tmp")).unwrap();
        assert_says_so(&Writer::open(&folder, None, WriterOptions::default()).unwrap_err(), "manifest.tmp");
        fs::remove_file(folder.join("manifest.tmp")).unwrap();
        let mut writer = Writer::open(&folder, None, WriterOptions::default()).unwrap();
        // The next segment, its file of deleted docIDs, and the next manifest.
        let next = format!("{}.segment", writer.next);
        symlink(top.path().join(target), folder.join(&next)).unwrap();
        writer.add(id(1000), document(b"more")).unwrap();
        let error = writer.commit().unwrap_err().to_string();
        assert!(error.contains(&format!("{next}: it is a symbolic link")), "{error}");
        writer.rollback().unwrap();
        assert!(!folder.join(&next).is_symlink(), "what is not committed is removed, links too");
        for name in ["1-4.deleted", "manifest.tmp"] {
            symlink(top.path().join(target), folder.join(name)).unwrap();
            assert!(writer.delete(&id(5)).unwrap());
            assert_says_so(&writer.commit().unwrap_err(), name);
            writer.rollback().unwrap();
        }
        assert_eq!(fs::read_to_string(top.path().join("victim")).unwrap(), "7");
        assert!(!top.path().join("absent").exists());
        writer.delete(&id(5)).unwrap();
        writer.commit().unwrap();
        drop(writer);
        assert_clean(&folder);
        assert_eq!(committed(&folder).len(), 18);
    }
}

#[test]
fn a_manifest_that_was_left_is_removed_not_overwritten() {
    let (top, folder) = index();
    let mut writer = Writer::open(&folder, None, WriterOptions::default()).unwrap();
    // As a crash leaves it, but for the other name.
    fs::hard_link(top.path().join("victim"), folder.join("manifest.tmp")).unwrap();
    writer.delete(&id(5)).unwrap();
    writer.commit().unwrap();
    assert_eq!(fs::read_to_string(top.path().join("victim")).unwrap(), "7");
    fs::create_dir(folder.join("manifest.tmp")).unwrap();
    writer.delete(&id(6)).unwrap();
    let error = writer.commit().unwrap_err().to_string();
    assert!(error.contains("manifest.tmp: not a regular file"), "{error}");
    fs::remove_dir(folder.join("manifest.tmp")).unwrap();
    writer.commit().unwrap();
    assert_eq!(committed(&folder).len(), 17);
}

#[test]
fn what_is_spilled_goes_through_no_link() {
    let (top, folder) = index();
    let mut writer = Writer::open(&folder, None, WriterOptions::default()).unwrap();
    symlink(top.path().join("victim"), folder.join(format!("{}.spill", writer.next))).unwrap();
    // A dictionary of more than a megabyte.
    for number in 0..120u64 {
        let words =
            (0..1000).map(|word| format!("{:016x} ", (number * 1000 + word).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        writer.add(id(number), document(words.collect::<String>().as_bytes())).unwrap();
    }
    let error = writer.commit().unwrap_err().to_string();
    assert!(error.contains(".spill: it is a symbolic link"), "{error}");
    assert_eq!(fs::read_to_string(top.path().join("victim")).unwrap(), "7");
}
