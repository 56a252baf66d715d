//! Paths out of arguments: only those that open_basedir allows.

use super::call::{Call, parse};
use super::exception::{self, Outcome, Thrown};
use super::ffi;
use ext_php_rs::types::ZendStr;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

/// A path that open_basedir allows, as the system finds it.
pub fn allowed(path: &[u8]) -> Outcome<Cow<'_, Path>> {
    allowed_or(exception::index, path)
}

/// The same with another exception.
pub fn allowed_or(throw: fn(&str) -> Thrown, path: &[u8]) -> Outcome<Cow<'_, Path>> {
    if !ffi::is_in_basedir(path) {
        let path = String::from_utf8_lossy(path);
        return Err(throw(&format!("{path}: open_basedir does not allow it")));
    }
    found(throw, path)
}

/// The one argument of a function, a path that open_basedir allows.
pub fn argument(call: &mut Call) -> Outcome<PathBuf> {
    let mut given: *mut ZendStr = null_mut();
    parse!(call, c"P", &raw mut given)?;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    Ok(allowed(unsafe { &*given }.as_bytes())?.into_owned())
}

/// A path of which open_basedir allows all files that begin with it and end with one of `suffixes`.
pub fn allowed_with<'p>(base: &'p [u8], suffixes: &[&str]) -> Outcome<Cow<'p, Path>> {
    for suffix in suffixes {
        allowed(&[base, suffix.as_bytes()].concat())?;
    }
    found(exception::index, base)
}

/// The path by which the system finds a script's one. Where requests are threads, each has a folder of its own that paths
/// begin in.
fn found(throw: fn(&str) -> Thrown, path: &[u8]) -> Outcome<Cow<'_, Path>> {
    if path.starts_with(b"/") || !ffi::has_threads() {
        return Ok(Cow::Borrowed(Path::new(OsStr::from_bytes(path))));
    }
    let found = ffi::from_root(path).ok_or_else(|| {
        let path = String::from_utf8_lossy(path);
        throw(&format!("{path}: cannot be followed from the folder of the script"))
    })?;
    Ok(Cow::Owned(PathBuf::from(OsString::from_vec(found))))
}
