//! Where the data of the Yioop tests is.
#![allow(dead_code, reason = "each test file uses a part")]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Says that something is skipped. Not by `eprintln!`: the harness keeps what that prints where a test passes. In one
/// piece, as other tests print too.
pub fn skipped(what: &str) {
    let _ = std::io::stderr().write_all(format!("SKIPPED: {what}\n").as_bytes());
}

/// The folder of shared data, or a part of it; `None`, with a word on stderr, where it is absent.
pub fn shared(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("POSTINGS_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let path = root.join(part);
    if !path.exists() {
        skipped(&format!("there is no {} (POSTINGS_SHARED names the folder)", path.display()));
        return None;
    }
    Some(path)
}

pub fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The committed vectors of a file, and the full set where it is there.
pub fn vectors(file: &str) -> Vec<Value> {
    let mut vectors = json_lines(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/yioop").join(file));
    assert!(!vectors.is_empty());
    if let Some(folder) = shared("yioop/vectors") {
        vectors.extend(json_lines(&folder.join(file)));
    }
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
