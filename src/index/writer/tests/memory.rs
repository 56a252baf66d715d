//! No more memory: an error, not the end of the process.

use super::faults::child;
use super::*;

const FOLDER: &str = "POSTINGS_TEST_FOLDER";

/// Lets this process have `more` bytes of addresses beyond those that it has; `None`: as many as it likes.
fn limit(more: Option<u64>) {
    let pages: u64 = fs::read_to_string("/proc/self/statm").unwrap().split(' ').next().unwrap().parse().unwrap();
    let limit = more.map_or(libc::RLIM_INFINITY, |more| pages * 4096 + more);
    let limit = libc::rlimit { rlim_cur: limit, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is a valid limit.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

#[test]
#[ignore = "run by another test"]
fn memory_ends() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let words = |number: u64| {
        let word = |word: u64| format!("{:x} ", (number * 20_000 + word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        (0..20_000).map(word).collect::<String>().into_bytes()
    };
    let mut model = Model::new();
    // With several threads, documents wait as they are, so that adding one takes nothing.
    let options = WriterOptions { memory: 4 << 30, threads: 1, ..WriterOptions::default() };
    let mut writer = Writer::open(folder, Some(schema()), options).unwrap();
    // Ids of both kinds, and documents that replace the one before.
    let id = |number: u64| id(1000 + number - number % 7 / 6);
    let documents: Vec<_> = (0..200).map(|number| (id(number), document(&words(number)))).collect();
    let (mut added, mut failure) = (0, None);
    limit(Some(32 << 20));
    for (id, document) in documents {
        match writer.add(id, document) {
            Ok(()) => added += 1,
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    limit(None);
    assert!(matches!(failure, Some(Error::OutOfMemory { .. })), "{failure:?}");
    assert!(added > 5, "{added}");
    // What was added stays, and the document that was not has left nothing.
    (0..added).for_each(|number| replace(&mut model, id(number), &words(number)));
    writer.add(id(1000), document(b"one more")).unwrap();
    replace(&mut model, id(1000), b"one more");
    writer.commit().unwrap();
    assert!(committed(folder) == model, "{added}");
    println!("\nall went well");
}

#[test]
fn what_has_no_memory_is_an_error_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = child("memory::memory_ends", folder.path()).stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nall went well"), "{output:?}");
}
