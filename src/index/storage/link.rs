//! Second names of files that are there already: hard links.

use super::{Folder, Operation, done, gate};
use std::ffi::CString;
use std::io;
use std::os::fd::AsRawFd;

impl Folder {
    /// Makes a hard link to a file of another folder, under a name that must be free. Of a symbolic link, one to the link
    /// itself. Durable after [`sync_all`](Self::sync_all).
    ///
    /// # Errors
    /// Those of the system, among them that the folders are on two file systems, that the file system has no hard links, or
    /// that the file is not the caller's.
    pub(crate) fn link(&self, from: &Folder, name: &str, new: &str) -> io::Result<()> {
        let path = self.path_of(new);
        gate(Operation::Link, &path)?;
        let (name, new) = (CString::new(name)?, CString::new(new)?);
        let [there, here] = [from, self].map(|folder| folder.descriptor.as_raw_fd());
        // SAFETY: both descriptors are open, and both names end in zero.
        if unsafe { libc::linkat(there, name.as_ptr(), here, new.as_ptr(), 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        done(Operation::Link, &path, None);
        Ok(())
    }
}
