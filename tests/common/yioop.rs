//! Helpers of the Yioop tests, mainly for finding their data.

use flate2::read::GzDecoder;
use postings::yioop::shard::Shard;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The paths of a part of the test data: the committed excerpt, and the full set if it is present (in the folder that
/// `POSTINGS_SHARED` names, by default `../shared`).
pub fn data(committed: &str, full: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("POSTINGS_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let committed = root.join("tests/data").join(committed);
    assert!(committed.exists(), "{}", committed.display());
    let full = shared.join(full);
    std::iter::once(committed).chain(full.exists().then_some(full)).collect()
}

/// Opens the shard in a folder, after decompressing it if it is that of an excerpt.
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

/// The committed vectors of a file, and the full set if it is present.
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

/// Parses `[doc index, positions]`.
pub fn posting(value: &Value) -> (u32, Vec<u32>) {
    (number(&value[0]), numbers(&value[1]))
}
