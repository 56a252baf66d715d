//! Paths out of arguments: only those that open_basedir allows.

use super::exception::{self, Outcome};
use super::ffi;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path that open_basedir allows.
pub fn allowed(path: &[u8]) -> Outcome<&Path> {
    if !ffi::is_in_basedir(path) {
        let path = String::from_utf8_lossy(path);
        return Err(exception::index(&format!("{path}: open_basedir does not allow it")));
    }
    Ok(Path::new(OsStr::from_bytes(path)))
}

/// A path of which open_basedir allows all files that begin with it and end with one of `suffixes`.
pub fn allowed_with<'p>(base: &'p [u8], suffixes: &[&str]) -> Outcome<&'p Path> {
    for suffix in suffixes {
        allowed(&[base, suffix.as_bytes()].concat())?;
    }
    Ok(Path::new(OsStr::from_bytes(base)))
}
