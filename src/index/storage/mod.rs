//! All writing of an index's files: creating, writing, making durable, renaming and removing.
//!
//! Everything goes through here so that tests can fail each single operation, end the process at it, or replay what is
//! left after a loss of power.

use crate::base::error::Result;
pub(crate) use crate::base::files::failed;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// A file that is being written. Give it a buffer ([`std::io::BufWriter`]); each write is one of the system's.
#[derive(Debug)]
pub(crate) struct File {
    file: fs::File,
    path: PathBuf,
}

impl File {
    /// Creates an empty file, in the place of one that is there.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn create(path: &Path) -> Result<File> {
        File::open(path, OpenOptions::new().write(true).create(true).truncate(true))
    }

    /// Creates an empty file where there is none.
    ///
    /// # Errors
    /// [`Error::File`], also if there is one.
    pub(crate) fn create_new(path: &Path) -> Result<File> {
        File::open(path, OpenOptions::new().write(true).create_new(true))
    }

    fn open(path: &Path, options: &OpenOptions) -> Result<File> {
        let opened = gate(Operation::Create, path).and_then(|()| options.open(path));
        let file = opened.map_err(|error| failed(path, &error))?;
        done(Operation::Create, path, None);
        Ok(File { file, path: path.into() })
    }

    /// Has the system begin to write the content to the disk, without waiting: a later [`sync`] takes less time then.
    pub(crate) fn start(&self) {
        #[cfg(target_os = "linux")]
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
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a file of those bytes. It is durable after [`sync`].
///
/// # Errors
/// [`Error::File`].
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes).map_err(|error| failed(path, &error))?;
    file.start();
    Ok(())
}

/// Makes the content of a file durable (fsync).
///
/// # Errors
/// [`Error::File`]. Trying again does not help, even if it succeeds: the content may be lost, and has to be written anew.
pub(crate) fn sync(path: &Path) -> Result<()> {
    let synced = gate(Operation::Sync, path).and_then(|()| fs::File::open(path)?.sync_all());
    synced.map_err(|error| failed(path, &error))?;
    done(Operation::Sync, path, None);
    Ok(())
}

/// Gives a file another name, in the place of the file that has it. Durable after [`sync_folder`].
///
/// # Errors
/// [`Error::File`].
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    gate(Operation::Rename, from).and_then(|()| fs::rename(from, to)).map_err(|error| failed(to, &error))?;
    done(Operation::Rename, from, Some(to));
    Ok(())
}

/// Removes a file.
///
/// # Errors
/// [`Error::File`].
pub(crate) fn remove(path: &Path) -> Result<()> {
    gate(Operation::Remove, path).and_then(|()| fs::remove_file(path)).map_err(|error| failed(path, &error))?;
    done(Operation::Remove, path, None);
    Ok(())
}

/// Makes durable which files a folder has (fsync).
///
/// # Errors
/// [`Error::File`].
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    let synced = gate(Operation::SyncFolder, path).and_then(|()| fs::File::open(path)?.sync_all());
    synced.map_err(|error| failed(path, &error))?;
    done(Operation::SyncFolder, path, None);
    Ok(())
}

/// Creates a folder and those that it lies in, unless they are there, and makes them durable.
///
/// # Errors
/// [`Error::File`].
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_folder(above)?;
    match gate(Operation::CreateFolder, path).and_then(|()| fs::create_dir(path)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(path, &error)),
        _ => {}
    }
    // Who may not read the folder above can still use the one inside.
    let _ = sync_folder(above);
    Ok(())
}

/// What is done to a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Write,
    Sync,
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
