//! Opening files of which only the name is known, and errors of files.

use crate::base::error::Error;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What happened to a file, usually by the operating system's account.
pub(crate) fn failed(path: &Path, error: impl Display) -> Error {
    Error::File { path: path.display().to_string(), what: error.to_string() }
}

/// The error for what is no regular file.
pub(crate) fn not_regular() -> std::io::Error {
    std::io::Error::other("not a regular file")
}

/// Opens a regular file for reading, and gives its length. Anything else may have taken its place since the caller
/// looked, so that opening it must neither wait (a pipe without a writer, a serial line) nor give the process a
/// controlling terminal. O_NONBLOCK does not change how a regular file is read, so it stays set.
pub(crate) fn open_regular(path: &Path) -> std::io::Result<(File, u64)> {
    // std opens all files with O_CLOEXEC.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() { Ok((file, meta.len())) } else { Err(not_regular()) }
}
