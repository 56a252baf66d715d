//! Paths out of arguments: only those that open_basedir allows.

use super::exception::{self, Outcome};
use super::ffi;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path that open_basedir allows, as the system finds it.
pub fn allowed(path: &[u8]) -> Outcome<Cow<'_, Path>> {
    if !ffi::is_in_basedir(path) {
        let path = String::from_utf8_lossy(path);
        return Err(exception::index(&format!("{path}: open_basedir does not allow it")));
    }
    known(path)
}

fn known(path: &[u8]) -> Outcome<Cow<'_, Path>> {
    found(path).ok_or_else(|| exception::index(&unknown(path)))
}

/// A path of which open_basedir allows all files that begin with it and end with one of `suffixes`.
pub fn allowed_with<'p>(base: &'p [u8], suffixes: &[&str]) -> Outcome<Cow<'p, Path>> {
    for suffix in suffixes {
        allowed(&[base, suffix.as_bytes()].concat())?;
    }
    known(base)
}

/// What to say of a path that is not [`found`].
pub fn unknown(path: &[u8]) -> String {
    format!("{}: cannot be followed from the folder of the script", String::from_utf8_lossy(path))
}

/// The path by which the system finds a script's one; `None` if there is none. Where requests are threads, each has a folder
/// of its own that paths begin in.
pub fn found(path: &[u8]) -> Option<Cow<'_, Path>> {
    if path.starts_with(b"/") || !ffi::has_threads() {
        return Some(Cow::Borrowed(Path::new(OsStr::from_bytes(path))));
    }
    Some(Cow::Owned(PathBuf::from(OsString::from_vec(ffi::from_root(path)?))))
}
