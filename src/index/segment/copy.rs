//! The file of an open segment in another folder.

use super::Segment;
use super::format::CHUNK;
use crate::base::error::{Error, Result};
use crate::base::files::failed;
use crate::base::huge_pages;
use crate::base::memory::zeros;
use crate::index::manifest;
use crate::index::storage::{FileIdentity, Folder};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes that are read and written at once, for [huge pages](huge_pages); a multiple of [`CHUNK`].
const BUFFER: usize = huge_pages::PAGE;

impl Segment {
    /// Whether that is its file, under whatever name.
    pub(in crate::index) fn is_file(&self, there: &FileIdentity) -> bool {
        self.file.metadata().is_ok_and(|own| there.is_file(&own))
    }

    /// Makes its file that of segment `number` of another folder, which has none of that name: a hard link if the file still
    /// has its name in the folder `from` and the system allows it, otherwise a copy. Returns whether it is a copy, which is
    /// durable after [`Folder::sync`]; a link has the content that was durable before.
    ///
    /// # Errors
    /// [`Error::File`]; [`Error::Corrupt`] if a checksum differs while the bytes are copied. Nothing is left then.
    pub(in crate::index) fn put_in(&self, to: &Folder, number: u64, from: Option<&Folder>) -> Result<bool> {
        let name = manifest::segment_name(number);
        if self.link_in(to, &name, from)? {
            return Ok(false);
        }
        self.check_file()?;
        let mut out = to.create_new(&name)?;
        let copied = self.copy_to(&mut out, &to.path_of(&name));
        match copied {
            Ok(()) => out.start(),
            // The error that led here is the one to report.
            Err(_) => drop(to.remove(&name)),
        }
        copied.map(|()| true)
    }

    fn link_in(&self, to: &Folder, name: &str, from: Option<&Folder>) -> Result<bool> {
        let own = self.path.file_name().and_then(|name| name.to_str());
        let (Some(from), Some(own)) = (from, own) else { return Ok(false) };
        if to.link(from, own, name).is_err() {
            return Ok(false);
        }
        // The name may lead to another index's file by now.
        if to.status(name).is_ok_and(|linked| self.is_file(&linked)) {
            return Ok(true);
        }
        to.remove(name)?;
        Ok(false)
    }

    /// Copies all bytes, and compares the checksums of all before the footer.
    fn copy_to(&self, out: &mut impl Write, target: &Path) -> Result<()> {
        let mut buffer = zeros::<u8>(BUFFER)?;
        let mut checksums = self.frame.checksums.iter();
        let (mut at, body, end) = (0, self.body, self.meta.bytes as usize);
        while at < end {
            let stop = if at < body { body } else { end };
            let bytes = &mut buffer[..BUFFER.min(stop - at)];
            // Read, not mapped: a file that is truncated meanwhile is an error.
            self.file.read_exact_at(bytes, at as u64).map_err(|error| failed(&self.path, error))?;
            if at < body {
                for (chunk, checksum) in bytes.chunks(CHUNK).zip(&mut checksums) {
                    if crc32fast::hash(chunk) != *checksum {
                        let item = format!("the bytes of {}", self.path.display());
                        return Err(Error::corrupt("segment", item, at, "their checksum differs"));
                    }
                }
            }
            out.write_all(bytes).map_err(|error| failed(target, error))?;
            at += bytes.len();
        }
        Ok(())
    }
}
