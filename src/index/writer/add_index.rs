//! Taking the documents of another index as they are.

use super::open::differences;
use super::{Writer, WriterSegment};
use crate::base::error::{Error, Result};
use crate::index::deleted::Deleted;
use crate::index::manifest;
use crate::index::segment::{Segment, SegmentMeta};
use crate::index::snapshot::{Snapshot, SnapshotSegment};
use crate::index::storage::Folder;
use crate::index::{Kind, Schema};
use std::path::Path;

impl Writer {
    /// Adds the documents of another index's last commit, from the next commit on, without analysing them again; returns how
    /// many. They come after all documents of this one, also those that were not committed, and replace those with the same
    /// ids. The files become hard links if the file system allows them, otherwise copies, whose checksums are compared. The
    /// other index may have a writer.
    ///
    /// # Errors
    /// [`Error::Missing`] if there is no index; [`Error::Argument`] if it is this one, or has other fields or analyzers;
    /// [`Error::File`], [`Error::Corrupt`] if something cannot be read or written. No document was added then. The error says
    /// so if pending changes are lost.
    pub fn add_index(&mut self, path: &Path) -> Result<u64> {
        self.check()?;
        let source = Snapshot::open_once(path)?;
        if source.place() == self.folder.identity()? {
            return Err(Error::Argument(format!("the index {} cannot be added to itself", path.display())));
        }
        let differences = all_differences(&self.schema, source.schema());
        if !differences.is_empty() {
            return Err(Error::Argument(format!(
                "the index {} cannot be added to {}, which was created otherwise: {}",
                path.display(),
                self.path().display(),
                differences.join("; ")
            )));
        }
        self.flush()?;
        self.lock.check(&self.folder)?;
        self.check_files()?;
        source.check_files()?;
        let from = Folder::open(source.path()).ok();
        let parts = source.parts().iter().filter(|part| part.live() > 0);
        let parts: Result<Vec<_>> = parts.map(|part| self.take(part, from.as_ref())).collect();
        parts.and_then(|parts| self.append(parts)).inspect_err(|_| self.clean())?;
        if let Err(error) = self.merge_many() {
            // The documents are added all the same. The commit merges, and fails if a segment is damaged.
            log::warn!("merging is left to the commit: {error}");
        }
        Ok(source.live())
    }

    /// A segment of another index as one of this one, which nothing names yet.
    fn take(&mut self, part: &SnapshotSegment, from: Option<&Folder>) -> Result<WriterSegment> {
        let number = self.next;
        self.next += 1;
        let meta = SegmentMeta { number, ..part.entry().meta };
        part.segment.put_in(&self.folder, number, from)?;
        let segment = Segment::open_in(&self.folder, &manifest::segment_name(number), &meta, self.schema.clone())?;
        let deleted = part.deleted.as_deref().map(Deleted::try_clone).transpose()?;
        Ok(WriterSegment { segment, deleted, saved: None })
    }
}

/// In what two schemas differ, except for codecs and weights. Segments number their fields, so the order counts.
fn all_differences(own: &Schema, other: &Schema) -> Vec<String> {
    let mut differences = differences(own, other);
    let more = other.names().into_iter().filter(|name| own.field(name).is_none());
    differences.extend(more.map(|name| format!("it has no field \"{name}\"")));
    let kinds = |schema: &Schema| -> Vec<(String, Kind)> {
        schema.fields.iter().map(|field| (field.name.to_string(), field.kind)).collect()
    };
    if differences.is_empty() && kinds(own) != kinds(other) {
        differences.push("its fields are in another order".into());
    }
    differences
}
