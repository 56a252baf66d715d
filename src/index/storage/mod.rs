//! The files of an index: reading, creating, writing, making durable, renaming and removing.
//!
//! All of it is relative to the descriptor of the index's [`Folder`], and never through a symbolic link: a check of the
//! folder's path (PHP's `open_basedir`) would be worth nothing if a link in the folder could lead elsewhere. The folder's
//! own path may have links.
//!
//! Everything goes through here also so that tests can fail each single operation, end the process at it, or replay what
//! is left after a loss of power.

mod create_folder;
mod link;

use crate::base::error::Result;
pub(crate) use crate::base::files::failed;
use crate::base::files::{is_a_link, not_regular};
pub(crate) use create_folder::create_folder;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open folder. Its files are found even if it is renamed meanwhile.
#[derive(Debug, Clone)]
pub struct Folder {
    descriptor: Arc<fs::File>,
    path: Arc<Path>,
}

/// Tells a file from another of the same name, and from itself before it was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    inode: u64,
    bytes: i64,
    changed: (i64, i64),
}

impl FileIdentity {
    /// Whether it is the same file, changed or not.
    pub(crate) fn is_file(&self, file: &fs::Metadata) -> bool {
        (self.device, self.inode) == (file.dev(), file.ino())
    }
}

impl Folder {
    /// Opens a folder for reading the files of which one knows the names: it need not be readable itself.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub fn open(path: &Path) -> Result<Folder> {
        Folder::with(path, libc::O_PATH)
    }

    /// Opens a folder for changing what is in it.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub(crate) fn open_to_write(path: &Path) -> Result<Folder> {
        Folder::with(path, 0)
    }

    fn with(path: &Path, flags: libc::c_int) -> Result<Folder> {
        let descriptor = OpenOptions::new().read(true).custom_flags(flags | libc::O_DIRECTORY).open(path);
        let descriptor = descriptor.map_err(|error| failed(path, &error))?;
        Ok(Folder { descriptor: Arc::new(descriptor), path: path.into() })
    }

    /// The path with which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file, for messages.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether its path still leads to it.
    pub(crate) fn is_in_place(&self) -> bool {
        let opened = self.identity();
        opened.is_ok_and(|opened| fs::metadata(&self.path).is_ok_and(|there| (there.dev(), there.ino()) == opened))
    }

    /// Device and inode.
    pub(crate) fn identity(&self) -> Result<(u64, u64)> {
        let meta = self.descriptor.metadata().map_err(|error| failed(&self.path, &error))?;
        Ok((meta.dev(), meta.ino()))
    }

    /// What is under a name. Of a symbolic link, the link itself.
    pub(crate) fn status(&self, name: &str) -> io::Result<FileIdentity> {
        let stat = self.stat(name)?;
        Ok(FileIdentity {
            device: stat.st_dev,
            inode: stat.st_ino,
            bytes: stat.st_size,
            changed: (stat.st_mtime, stat.st_mtime_nsec),
        })
    }

    fn stat(&self, name: &str) -> io::Result<libc::stat> {
        let name = CString::new(name)?;
        // SAFETY: zeros are a value of the structure; the descriptor is open, the name ends in zero.
        unsafe {
            let mut stat = std::mem::zeroed();
            let flags = libc::AT_SYMLINK_NOFOLLOW;
            match libc::fstatat(self.descriptor.as_raw_fd(), name.as_ptr(), &raw mut stat, flags) {
                0 => Ok(stat),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    /// Fails if there is a symbolic link under that name.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub(crate) fn refuse_link(&self, name: &str) -> Result<()> {
        match self.stat(name) {
            Ok(stat) if stat.st_mode & libc::S_IFMT == libc::S_IFLNK => Err(failed(&self.path_of(name), is_a_link())),
            _ => Ok(()),
        }
    }

    /// Opens what is under a name, which must not be a link.
    pub(crate) fn open_at(&self, name: &str, flags: libc::c_int, mode: libc::mode_t) -> io::Result<fs::File> {
        let name = CString::new(name)?;
        let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
        // SAFETY: the descriptor is open, and the name ends in zero.
        let opened = unsafe { libc::openat(self.descriptor.as_raw_fd(), name.as_ptr(), flags, mode) };
        match opened {
            -1 => match io::Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::ELOOP) => Err(is_a_link()),
                error => Err(error),
            },
            // SAFETY: it was opened just now, for nobody else.
            descriptor => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }.into()),
        }
    }

    /// Opens a regular file for reading, and gives its length.
    pub(crate) fn open_file(&self, name: &str) -> io::Result<(fs::File, u64)> {
        let file = self.open_at(name, libc::O_RDONLY, 0)?;
        let meta = file.metadata()?;
        if meta.is_file() { Ok((file, meta.len())) } else { Err(not_regular()) }
    }

    /// The names in the folder.
    pub(crate) fn names(&self) -> Result<Vec<OsString>> {
        let failed = |error: io::Error| failed(&self.path, &error);
        let again = self.open_at(".", libc::O_RDONLY | libc::O_DIRECTORY, 0).map_err(failed)?.into_raw_fd();
        let mut names = Vec::new();
        // SAFETY: the stream takes the descriptor, or it is closed here; an entry is used before the next is read.
        unsafe {
            let stream = libc::fdopendir(again);
            if stream.is_null() {
                let error = io::Error::last_os_error();
                libc::close(again);
                return Err(failed(error));
            }
            let end = loop {
                *libc::__errno_location() = 0;
                let entry = libc::readdir(stream);
                if entry.is_null() {
                    break io::Error::last_os_error();
                }
                let name = CStr::from_ptr((*entry).d_name.as_ptr());
                names.push(OsStr::from_bytes(name.to_bytes()).to_owned());
            };
            libc::closedir(stream);
            if end.raw_os_error() != Some(0) {
                return Err(failed(end));
            }
        }
        Ok(names)
    }

    /// Creates an empty file. What an earlier writer left under that name is removed first.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File), also if it is a link or no regular file.
    pub(crate) fn create(&self, name: &str) -> Result<File> {
        self.make_way(name)?;
        self.create_new(name)
    }

    /// Removes the file of that name, if there is one.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File), also if it is a link or no regular file.
    pub(crate) fn make_way(&self, name: &str) -> Result<()> {
        self.remove_stale(name, Folder::remove)
    }

    fn remove_stale(&self, name: &str, remove: impl FnOnce(&Folder, &str) -> Result<()>) -> Result<()> {
        let failed = |error: io::Error| failed(&self.path_of(name), &error);
        match self.stat(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(failed(error)),
            Ok(stat) => match stat.st_mode & libc::S_IFMT {
                libc::S_IFREG => remove(self, name),
                libc::S_IFLNK => Err(failed(is_a_link())),
                _ => Err(failed(not_regular())),
            },
        }
    }

    /// Creates an empty file where there is none.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File), also if there is one.
    pub(crate) fn create_new(&self, name: &str) -> Result<File> {
        let path = self.path_of(name);
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL;
        let opened = gate(Operation::Create, &path).and_then(|()| self.open_at(name, flags, 0o666));
        let file = opened.map_err(|error| self.not_created(name, error))?;
        done(Operation::Create, &path, None);
        Ok(File { file, path })
    }

    /// A file without a name, for reading and writing. For a moment it has this one.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub(crate) fn nameless(&self, name: &str) -> Result<fs::File> {
        let failed = |error: io::Error| failed(&self.path_of(name), &error);
        self.remove_stale(name, |folder, name| folder.unlink(name).map_err(failed))?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
        let file = self.open_at(name, flags, 0o666).map_err(|error| self.not_created(name, error))?;
        self.unlink(name).map_err(failed)?;
        Ok(file)
    }

    /// With O_EXCL a link is a file that exists.
    fn not_created(&self, name: &str, error: io::Error) -> crate::Error {
        match self.refuse_link(name) {
            Err(link) if error.kind() == io::ErrorKind::AlreadyExists => link,
            _ => failed(&self.path_of(name), &error),
        }
    }

    /// Writes a file of those bytes, in the place of what an earlier writer left. It is durable after
    /// [`sync`](Self::sync).
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut file = self.create(name)?;
        file.write_all(bytes).map_err(|error| failed(&self.path_of(name), &error))?;
        file.start();
        Ok(())
    }

    /// Makes the content of a file durable (fsync).
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File). Trying again does not help, even if it succeeds: the content may be lost, and
    /// has to be written anew.
    pub(crate) fn sync(&self, name: &str) -> Result<()> {
        let path = self.path_of(name);
        let synced = gate(Operation::Sync, &path).and_then(|()| self.open_file(name)?.0.sync_all());
        synced.map_err(|error| failed(&path, &error))?;
        done(Operation::Sync, &path, None);
        Ok(())
    }

    /// Gives a file another name, in the place of the file that has it. Durable after [`sync_all`](Self::sync_all).
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<()> {
        let [path, new_path] = [from, to].map(|name| self.path_of(name));
        let renamed = gate(Operation::Rename, &path).and_then(|()| {
            let (from, to) = (CString::new(from)?, CString::new(to)?);
            let here = self.descriptor.as_raw_fd();
            // SAFETY: the descriptor is open, and both names end in zero.
            match unsafe { libc::renameat(here, from.as_ptr(), here, to.as_ptr()) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
        renamed.map_err(|error| failed(&new_path, &error))?;
        done(Operation::Rename, &path, Some(&new_path));
        Ok(())
    }

    /// Removes a file, or a link.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        let path = self.path_of(name);
        gate(Operation::Remove, &path).and_then(|()| self.unlink(name)).map_err(|error| failed(&path, &error))?;
        done(Operation::Remove, &path, None);
        Ok(())
    }

    fn unlink(&self, name: &str) -> io::Result<()> {
        let name = CString::new(name)?;
        // SAFETY: the descriptor is open, and the name ends in zero.
        match unsafe { libc::unlinkat(self.descriptor.as_raw_fd(), name.as_ptr(), 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Makes durable which files the folder has (fsync).
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File).
    pub(crate) fn sync_all(&self) -> Result<()> {
        let synced = gate(Operation::SyncFolder, &self.path).and_then(|()| self.descriptor.sync_all());
        synced.map_err(|error| failed(&self.path, &error))?;
        done(Operation::SyncFolder, &self.path, None);
        Ok(())
    }
}

/// A file that is being written. Give it a buffer ([`std::io::BufWriter`]); each write is one of the system's.
#[derive(Debug)]
pub(crate) struct File {
    file: fs::File,
    path: PathBuf,
}

impl File {
    /// Has the system begin to write the content to the disk, without waiting: a later [`Folder::sync`] takes less time
    /// then.
    pub(crate) fn start(&self) {
        // SAFETY: the descriptor is that of an open file; the call touches no memory. It is a hint: failures do not matter.
        unsafe {
            libc::sync_file_range(self.file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE);
        }
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        gate(Operation::Write, &self.path).inspect_err(|_| {
            // As a disk that becomes full within the bytes.
            let _ = self.file.write(&bytes[..bytes.len() / 2]);
        })?;
        let count = self.file.write(bytes)?;
        #[cfg(test)]
        faults::wrote(&self.path, &bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is done to a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Write,
    Sync,
    Link,
    Rename,
    Remove,
    SyncFolder,
    CreateFolder,
}

/// Comes before each operation.
#[inline(always)]
fn gate(operation: Operation, path: &Path) -> io::Result<()> {
    #[cfg(test)]
    return faults::gate(operation, path);
    #[cfg(not(test))]
    {
        let _ = (operation, path);
        Ok(())
    }
}

/// Comes after operations that change what a loss of power leaves.
#[inline(always)]
fn done(operation: Operation, path: &Path, to: Option<&Path>) {
    #[cfg(test)]
    faults::done(operation, path, to);
    #[cfg(not(test))]
    let _ = (operation, path, to);
}

#[cfg(test)]
pub(crate) mod faults;
#[cfg(test)]
pub(crate) mod power_loss;
