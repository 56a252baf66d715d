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

/// As [`failed`], unless the error carries one of ours.
pub(crate) fn failed_within(path: &Path, error: std::io::Error) -> Error {
    error.downcast().unwrap_or_else(|error| failed(path, error))
}

/// The error for what is no regular file.
pub(crate) fn not_regular() -> std::io::Error {
    std::io::Error::other("not a regular file")
}

/// The error for a symbolic link where there must be none.
pub(crate) fn is_a_link() -> std::io::Error {
    std::io::Error::other("it is a symbolic link, which is not followed here")
}

/// Creates a file for writing, which replaces one that is there, but neither a link nor anything else.
pub(crate) fn create_fresh(path: &Path) -> std::io::Result<File> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(meta) if meta.is_file() => std::fs::remove_file(path)?,
        Ok(meta) if meta.is_symlink() => return Err(is_a_link()),
        Ok(_) => return Err(not_regular()),
    }
    // With O_EXCL no link is followed that has come meanwhile.
    OpenOptions::new().write(true).create_new(true).open(path)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_created_anew_and_never_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("new"), folder.path().join("victim"));
        fs::write(&victim, "stays").unwrap();
        create_fresh(&path).unwrap();
        // Another name of a file is removed, not overwritten.
        fs::remove_file(&path).unwrap();
        fs::hard_link(&victim, &path).unwrap();
        create_fresh(&path).unwrap();
        assert_eq!(
            (fs::read_to_string(&victim).unwrap(), fs::read_to_string(&path).unwrap()),
            ("stays".into(), "".into())
        );
        fs::remove_file(&path).unwrap();
        for target in [&victim, &folder.path().join("absent")] {
            std::os::unix::fs::symlink(target, &path).unwrap();
            assert_eq!(
                create_fresh(&path).unwrap_err().to_string(),
                "it is a symbolic link, which is not followed here"
            );
            fs::remove_file(&path).unwrap();
        }
        assert!(!folder.path().join("absent").exists());
        fs::create_dir(&path).unwrap();
        assert_eq!(create_fresh(&path).unwrap_err().to_string(), "not a regular file");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "stays");
    }
}
