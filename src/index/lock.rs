//! [`Lock`]: lets at most one writer have an index.
//!
//! The lock is the kernel's (`flock`) on a file that stays. The kernel releases it when the process ends, however it
//! ends, so no lock is ever stale. The file holds the process id of its holder, for messages only. A process forked by the
//! holder keeps the lock until it ends too or the holder releases it.

use super::storage;
use crate::base::error::{Error, Result};
use crate::base::process::{self, Process};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The lock of an index, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    file: fs::File,
    holder: Process,
}

impl Lock {
    /// Locks the index in that folder, without waiting.
    ///
    /// # Errors
    /// [`Error::File`], naming the holder's process id if the index is locked.
    pub fn take(folder: &Path) -> Result<Lock> {
        let path = folder.join("lock");
        let failed = |error: io::Error| storage::failed(&path, &error);
        loop {
            let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let mut file = open.map_err(failed)?;
            if let Err(error) = flock(&file, libc::LOCK_EX | libc::LOCK_NB) {
                if error.kind() != io::ErrorKind::WouldBlock {
                    return Err(failed(error));
                }
                return Err(is_held(folder, &mut file));
            }
            // Someone may have removed the file, and another writer may have locked a new one.
            let (ours, there) = (file.metadata().map_err(failed)?, fs::metadata(&path));
            if !there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
                continue;
            }
            // For messages only: a full disk is no reason not to write.
            let _ = file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
            return Ok(Lock { file, holder: process::current() });
        }
    }

    /// Checks that the lock is still that of the folder: if someone removed the folder or its files, another writer may
    /// have made an index there.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn check(&self, folder: &Path) -> Result<()> {
        let path = folder.join("lock");
        let ours = self.file.metadata().map_err(|error| storage::failed(&path, &error))?;
        match fs::metadata(&path) {
            Ok(there) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => Ok(()),
            _ => {
                let what = "its files were removed or replaced while this writer was open, so it cannot go on".into();
                Err(Error::File { path: folder.display().to_string(), what })
            }
        }
    }

    /// Whether this process is the one that took the lock.
    pub fn is_ours(&self) -> bool {
        self.holder == process::current()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough if a forked process has the file too, and a forked process must not release it.
        if self.is_ours() {
            let _ = flock(&self.file, libc::LOCK_UN);
        }
    }
}

fn is_held(folder: &Path, file: &mut fs::File) -> Error {
    let mut holder = String::new();
    let read = file.take(20).read_to_string(&mut holder);
    let what = match holder.trim().parse::<u32>() {
        Ok(id) if read.is_ok() && id == std::process::id() => {
            "is being written by this process, through another writer: use that one, or end it first".into()
        }
        Ok(id) if read.is_ok() => format!("is being written by process {id}"),
        _ => "is being written by another process".into(),
    };
    Error::File { path: folder.display().to_string(), what }
}

fn flock(file: &fs::File, operation: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is that of an open file; the call touches no memory.
    match unsafe { libc::flock(file.as_raw_fd(), operation) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_of_a_folder_that_was_replaced_is_noticed() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("index");
        fs::create_dir(&folder).unwrap();
        let old = Lock::take(&folder).unwrap();
        old.check(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert!(old.check(&folder).is_err());
        fs::create_dir(&folder).unwrap();
        let new = Lock::take(&folder).unwrap();
        assert!(old.check(&folder).is_err());
        new.check(&folder).unwrap();
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("lock")).unwrap(), std::process::id().to_string());
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains("is being written by this process"), "{error}");
        fs::write(folder.path().join("lock"), "1234").unwrap();
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is being written by process 1234"), "{error}");
        fs::write(folder.path().join("lock"), "what?").unwrap();
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is being written by another process"), "{error}");
        drop(lock);
        // What the file says does not lock.
        drop(Lock::take(folder.path()).unwrap());
        assert!(Lock::take(&folder.path().join("absent")).is_err());
    }

    #[test]
    fn a_lock_file_that_was_removed_locks_nobody_out_and_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = Lock::take(folder.path()).unwrap();
        fs::remove_file(folder.path().join("lock")).unwrap();
        drop(Lock::take(folder.path()).unwrap());
    }
}
