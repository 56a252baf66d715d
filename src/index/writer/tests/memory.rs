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
    for threads in [1, 2] {
        let options = WriterOptions { memory: 4 << 30, threads, ..WriterOptions::default() };
        let mut writer = Writer::open(folder, Some(schema()), options).unwrap();
        let (document_of, mut number) = (|number| document(&words(number)), 1000 * threads as u64);
        let mut next = document_of(number);
        limit(Some(96 << 20));
        // Also documents that replace one, and ids of both kinds.
        let error = loop {
            let id = id(number - number % 7 / 6);
            match writer.add(id.clone(), next) {
                Ok(()) => replace(&mut model, id, &words(number)),
                Err(error) => break error,
            }
            number += 1;
            assert!(number < 100_000);
            next = document_of(number);
        };
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        // What was added stays, and the document that was not has left nothing.
        limit(None);
        writer.commit().unwrap();
        drop(writer);
        assert!(number > 1010 && committed(folder) == model, "{number}");
    }
    // Neither does merging end it.
    let mut writer = Writer::open(folder, None, WriterOptions::default()).unwrap();
    let mut failed = 0;
    for more in [1 << 20, 4 << 20, 8 << 20] {
        limit(Some(more));
        let optimized = writer.optimize(true);
        limit(None);
        if let Err(error) = optimized {
            let text = error.to_string();
            assert!(text.contains("out of memory") || text.contains("Cannot allocate memory"), "{text}");
            failed += 1;
        }
        assert_eq!(committed(folder), model);
    }
    assert!(failed > 0);
    writer.optimize(true).unwrap();
    assert!(committed(folder) == model);
    println!("\nall went well");
}

#[test]
fn what_has_no_memory_is_an_error_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = child("memory::memory_ends", folder.path()).stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nall went well"), "{output:?}");
}
