//! [`Lock`]: lets at most one writer have an index.
//!
//! The lock is the kernel's (`flock`) on a file that stays. The kernel releases it when the process ends, however it
//! ends, so no lock is ever stale. A process forked by the holder keeps the lock until it ends too or the holder releases
//! it.
//!
//! Whoever can open the file can lock it (`fcntl` locks are no better: a shared one needs a readable file only, and keeps
//! writers out as well). So those who may only read the index must not be able to open it: the file is readable by those
//! alone who may write to it.
//!
//! While it is locked the file holds the process id of its holder, padded with spaces, for messages only. A file with
//! anything else in it is never written to, and none is ever truncated.

use super::storage::{self, Folder};
use crate::base::error::{Error, Result};
use crate::base::files::not_regular;
use crate::base::process::{self, Process};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::sync::{Mutex, TryLockError};

/// The name of the file.
pub(super) const NAME: &str = "lock";

/// The bytes of a process id in the file.
const WIDTH: usize = 10;

/// The lock of an index, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    file: fs::File,
    holder: Process,
    /// Device and inode.
    identity: (u64, u64),
    /// Whether the process id is in the file.
    is_signed: bool,
}

/// The locks of this process, and of those that it was forked from.
static HELD: Mutex<Vec<(Process, (u64, u64))>> = Mutex::new(Vec::new());

/// Runs `with`, unless another thread was in here when this process was forked: it will never leave.
fn with_held<T>(with: impl FnOnce(&mut Vec<(Process, (u64, u64))>) -> T) -> Option<T> {
    for _ in 0..1000 {
        match HELD.try_lock() {
            Ok(mut held) => return Some(with(&mut held)),
            Err(TryLockError::Poisoned(held)) => return Some(with(&mut held.into_inner())),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

impl Lock {
    /// Locks the index in that folder, without waiting.
    ///
    /// # Errors
    /// [`Error::Locked`], with what is known of the holder, if the index is locked; [`Error::File`].
    pub fn take(folder: &Folder) -> Result<Lock> {
        let failed = |error: io::Error| storage::failed(&folder.path_of(NAME), &error);
        loop {
            let file = open(folder).map_err(failed)?;
            let meta = file.metadata().map_err(failed)?;
            if !meta.is_file() {
                return Err(failed(not_regular()));
            }
            let identity = (meta.dev(), meta.ino());
            if let Err(error) = flock(&file, libc::LOCK_EX | libc::LOCK_NB) {
                if error.kind() != io::ErrorKind::WouldBlock {
                    return Err(failed(error));
                }
                return Err(is_held(folder, &file, identity));
            }
            // Someone may have removed the file, and another writer may have locked a new one.
            if !folder.status(NAME).is_ok_and(|there| there.is_file(&meta)) {
                continue;
            }
            close_to_readers(&file, &meta);
            let holder = process::current();
            with_held(|held| held.push((holder, identity)));
            // A full disk is no reason not to write.
            let is_signed = sign(&file, &std::process::id().to_string());
            return Ok(Lock { file, holder, identity, is_signed });
        }
    }

    /// Checks that the lock is still that of the folder, and the folder that of its path: if someone removed the folder or
    /// its files, another writer may have made an index there.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn check(&self, folder: &Folder) -> Result<()> {
        let failed = |error: io::Error| storage::failed(&folder.path_of(NAME), &error);
        let ours = self.file.metadata().map_err(failed)?;
        if folder.is_in_place() && folder.status(NAME).is_ok_and(|there| there.is_file(&ours)) {
            return Ok(());
        }
        let what = "its files were removed or replaced while this writer was open, so it cannot go on".into();
        Err(Error::File { path: folder.path().display().to_string(), what })
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
            if self.is_signed {
                sign(&self.file, "");
            }
            with_held(|held| held.retain(|held| *held != (self.holder, self.identity)));
            let _ = flock(&self.file, libc::LOCK_UN);
        }
    }
}

/// Opens the file, and creates it if need be.
fn open(folder: &Folder) -> io::Result<fs::File> {
    loop {
        match folder.open_at(NAME, libc::O_RDWR, 0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        // Not readable for groups and others until it is known that they may write.
        match folder.open_at(NAME, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL, 0o622) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created,
        }
    }
}

/// Lets groups and others read the file if they may write to it, and only then. Older versions let everyone read it.
fn close_to_readers(file: &fs::File, meta: &fs::Metadata) {
    let mode = meta.mode() & 0o7777;
    let wanted = mode & !0o044 | (mode & 0o022) << 1;
    if mode != wanted {
        // Only the owner can.
        let _ = file.set_permissions(Permissions::from_mode(wanted));
    }
}

/// What a lock's file holds: at most a process id. `None` if it is another file.
fn content(file: &fs::File) -> Option<String> {
    let mut bytes = [0; WIDTH + 1];
    let read = file.read_at(&mut bytes, 0).ok()?;
    let text = std::str::from_utf8(&bytes[..read]).ok()?;
    let is_ours = read <= WIDTH && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
    is_ours.then(|| text.trim().to_owned())
}

/// Writes a process id into the file, or nothing; tells whether it could.
fn sign(file: &fs::File, id: &str) -> bool {
    content(file).is_some() && file.write_all_at(format!("{id:<WIDTH$}").as_bytes(), 0).is_ok()
}

fn is_held(folder: &Folder, file: &fs::File, identity: (u64, u64)) -> Error {
    let ours = (process::current(), identity);
    let what = if with_held(|held| held.contains(&ours)) == Some(true) {
        "is being written by this process, through another writer: use that one, or end it first".into()
    } else {
        // Files of older versions keep the id of a writer that has ended, and a container may have the same id again.
        let named = content(file).and_then(|id| id.parse::<u32>().ok()).filter(|&id| id != std::process::id());
        match named {
            Some(id) if exists(id) => format!("is locked, by process {id} as its file {NAME} says"),
            Some(id) => format!(
                "is locked; process {id}, which wrote to it last, is not to be seen, so it is a child of that process, or \
                 another process that has locked the file {NAME}"
            ),
            None => format!("is locked by another process, which has not left its id in the file {NAME}"),
        }
    };
    Error::Locked { path: folder.path().display().to_string(), what }
}

/// Whether this process can see one with that id.
fn exists(id: u32) -> bool {
    let Ok(id @ 1..) = libc::pid_t::try_from(id) else { return false };
    // SAFETY: signal 0 is sent to nobody.
    let sent = unsafe { libc::kill(id, 0) } == 0;
    sent || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
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
    use std::fs::OpenOptions;
    use std::path::Path;

    fn take(folder: &Path) -> Result<Lock> {
        Lock::take(&Folder::open_to_write(folder)?)
    }

    #[test]
    fn a_lock_of_a_folder_that_was_replaced_is_noticed() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("index");
        let open = || {
            fs::create_dir(&path).unwrap();
            Folder::open_to_write(&path).unwrap()
        };
        let before = open();
        let old = Lock::take(&before).unwrap();
        old.check(&before).unwrap();
        fs::remove_dir_all(&path).unwrap();
        assert!(old.check(&before).is_err());
        let after = open();
        let new = Lock::take(&after).unwrap();
        assert!(old.check(&before).is_err() && old.check(&after).is_err());
        new.check(&after).unwrap();
        // The lock goes with the folder.
        fs::rename(&path, top.path().join("renamed")).unwrap();
        assert!(new.check(&after).is_err());
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let lock = take(folder.path()).unwrap();
        let refused = || take(folder.path()).unwrap_err().to_string();
        assert_eq!(fs::read_to_string(&path).unwrap().trim(), std::process::id().to_string());
        assert!(refused().contains("is being written by this process"));
        // What the file says does not change what this process knows.
        fs::write(&path, "1").unwrap();
        assert!(refused().contains("is being written by this process"));
        drop(lock);
        assert_eq!(fs::read_to_string(&path).unwrap().trim(), "");
        drop(take(folder.path()).unwrap());
        assert!(take(&folder.path().join("absent")).is_err());
    }

    #[test]
    fn only_what_is_known_of_the_holder_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        drop(take(folder.path()).unwrap());
        // As by a program that is no writer.
        let other = OpenOptions::new().read(true).open(&path).unwrap();
        flock(&other, libc::LOCK_SH).unwrap();
        let refused = || take(folder.path()).unwrap_err().to_string();
        assert!(refused().ends_with("is locked by another process, which has not left its id in the file lock"));
        fs::write(&path, "1").unwrap();
        assert!(refused().ends_with("is locked, by process 1 as its file lock says"), "{}", refused());
        for gone in ["4294967295", "4194305   ", "0"] {
            fs::write(&path, gone).unwrap();
            assert!(refused().contains(&format!("process {}, which wrote to it last, is not to be seen", gone.trim())));
        }
        for unknown in ["what?", "", "-1", "99999999999", &std::process::id().to_string()] {
            fs::write(&path, unknown).unwrap();
            assert!(refused().contains("which has not left its id"), "{}", refused());
        }
    }

    #[test]
    fn who_may_only_read_cannot_open_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        drop(take(folder.path()).unwrap());
        let mode = || fs::metadata(&path).unwrap().mode() & 0o777;
        assert_eq!(mode() >> 1 & 0o22, mode() & 0o22 & mode() >> 1, "who may read may write: {:o}", mode());
        for (before, after) in [(0o644, 0o600), (0o664, 0o660), (0o666, 0o666), (0o620, 0o660), (0o600, 0o600)] {
            fs::set_permissions(&path, Permissions::from_mode(before)).unwrap();
            drop(take(folder.path()).unwrap());
            assert_eq!(mode(), after, "{before:o}");
        }
    }

    #[test]
    fn another_file_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        for other in ["what?", "12345678901", "12\n34"] {
            fs::write(&path, other).unwrap();
            drop(take(folder.path()).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
        // Those of older versions are.
        fs::write(&path, "4194304").unwrap();
        let lock = take(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().trim(), std::process::id().to_string());
        drop(lock);
    }

    #[test]
    fn links_and_other_things_are_refused() {
        let top = tempfile::tempdir().unwrap();
        let (folder, path) = (top.path().join("index"), top.path().join("index/lock"));
        fs::create_dir(&folder).unwrap();
        fs::write(top.path().join("victim"), "77").unwrap();
        for target in ["../victim", "../absent"] {
            std::os::unix::fs::symlink(target, &path).unwrap();
            let error = take(&folder).unwrap_err().to_string();
            assert!(error.contains("index/lock: it is a symbolic link"), "{error}");
            fs::remove_file(&path).unwrap();
        }
        assert_eq!(fs::read_to_string(top.path().join("victim")).unwrap(), "77");
        assert!(!top.path().join("absent").exists());
        let name = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: the path ends in zero.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let error = take(&folder).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
    }

    #[test]
    fn a_lock_file_that_was_removed_locks_nobody_out_and_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = take(folder.path()).unwrap();
        fs::remove_file(folder.path().join(NAME)).unwrap();
        drop(take(folder.path()).unwrap());
    }
}
