//! Where the data of the Yioop tests is.
#![allow(dead_code, reason = "each test file uses a part")]

use flate2::read::GzDecoder;
use postings::yioop::shard::Shard;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Says that something is skipped. Not by `eprintln!`: the harness keeps what that prints where a test passes. In one
/// piece, as other tests print too.
pub fn skipped(what: &str) {
    let _ = std::io::stderr().write_all(format!("SKIPPED: {what}\n").as_bytes());
}

/// The places of a part of the test data: the excerpt that is committed, and the full set if it is there (in the folder
/// that `POSTINGS_SHARED` names, `../shared` if not set).
pub fn data(committed: &str, full: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("POSTINGS_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let committed = root.join("tests/data").join(committed);
    assert!(committed.exists(), "{}", committed.display());
    let full = shared.join(full);
    std::iter::once(committed).chain(full.exists().then_some(full)).collect()
}

/// Opens the shard of a folder; an excerpt's is compressed.
pub fn open_shard(folder: &Path) -> Shard {
    static OPENED: AtomicUsize = AtomicUsize::new(0);

    let whole = folder.join("shard");
    if whole.exists() {
        return Shard::open(whole).unwrap();
    }
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(folder.join("shard.gz")).unwrap()).read_to_end(&mut bytes).unwrap();
    let name = format!("postings-{}-shard-{}", std::process::id(), OPENED.fetch_add(1, Relaxed));
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, bytes).unwrap();
    let shard = Shard::open(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    shard
}

pub fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The committed vectors of a file, and the full set where it is there.
pub fn vectors(file: &str) -> Vec<Value> {
    let files = data(&format!("yioop/{file}"), &format!("yioop/vectors/{file}"));
    let vectors: Vec<Value> = files.iter().flat_map(|path| json_lines(path)).collect();
    assert!(!vectors.is_empty());
    vectors
}

pub fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

pub fn bytes(value: &Value) -> Vec<u8> {
    unhex(value.as_str().unwrap())
}

pub fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

pub fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// `[doc index, positions]`.
pub fn posting(value: &Value) -> (u32, Vec<u32>) {
    (number(&value[0]), numbers(&value[1]))
}
