//! An index in another folder, as of one commit, while writers go on; and of which files a commit consists.
//!
//! Files of an index never change, so a copy shares them by hard links where the file system lets it. The folder becomes an
//! index of its own, with its own lock, which is held meanwhile. New files come first, then the manifest, as in a commit, and
//! then what it does not name is removed: at any moment the folder has the commit from before or the new one.
//!
//! A first copy that is interrupted leaves a `manifest.tmp`, by which the next one (and a [removal](super::removal)) knows
//! that the files beside it are an index's. Of what is there only files are trusted that the folder's manifest names as the
//! new one does, or that are the source's own: others may not have become durable.

use super::deleted::Deleted;
use super::lock::Lock;
use super::manifest::{self, DeletedMeta, Entry, Manifest};
use super::removal::{files, has_one, remove_unnamed};
use super::segment::{Segment, SegmentMeta};
use super::snapshot::{Snapshot, SnapshotSegment};
use super::storage::{self, Folder};
use crate::base::error::{Error, Result};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFile {
    /// Its name in the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The CRC-32 that it ends with: of a segment's footer, which has those of everything else, or of all before.
    pub crc: u32,
}

impl Snapshot {
    /// The files of this commit, in an order in which they can be copied: the manifest last. They stay in the folder until a
    /// writer commits without them.
    pub fn files(&self) -> Vec<CommitFile> {
        let mut files = Vec::new();
        for Entry { meta, deleted } in &self.manifest().segments {
            let name = manifest::segment_name(meta.number);
            files.push(CommitFile { name, bytes: meta.bytes, crc: meta.footer_crc });
            files.extend(deleted.map(|deleted| CommitFile {
                name: manifest::deleted_name(meta.number, deleted.generation),
                bytes: Deleted::file_bytes(meta.documents),
                crc: deleted.crc,
            }));
        }
        let bytes = self.manifest_bytes();
        let crc = bytes.last_chunk().map_or(0, |crc| u32::from_le_bytes(*crc));
        files.push(CommitFile { name: manifest::NAME.into(), bytes: bytes.len() as u64, crc });
        files
    }

    /// Makes a folder an index as of this commit, durably: creates it, or brings it up to date if it has an earlier commit
    /// of this index. Files are hard links if the file system allows them, otherwise copies, whose checksums are compared.
    /// Files of others stay.
    ///
    /// # Errors
    /// [`Error::Locked`] if a writer has the folder; [`Error::Argument`] if it is that of this index; [`Error::File`] if it
    /// has another index, a later commit, or one of another history, and if something cannot be read or written;
    /// [`Error::Corrupt`] if a file is damaged. The folder has what it had before then, or, if only its last step failed,
    /// which the error says, the new commit already.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        self.check_files()?;
        if fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == self.place()) {
            return Err(Error::Argument(format!("{} is the folder of the index itself", path.display())));
        }
        storage::create_folder(path)?;
        let real = fs::canonicalize(path).map_err(|error| storage::failed(path, &error))?;
        let folder = Folder::open_to_write(&real)?;
        let lock = Lock::take(&folder)?;
        lock.check(&folder)?;
        folder.refuse_link(manifest::TEMPORARY)?;
        let there = match Manifest::read(&folder)? {
            Some(bytes) => Some((Manifest::parse(&bytes, &folder.path_of(manifest::NAME))?, bytes)),
            None => None,
        };
        let before = there.as_ref().map(|(manifest, _)| manifest);
        match before {
            Some(before) => self.check_history(before, &folder)?,
            None => check_free(&folder)?,
        }
        let source = Folder::open(self.path()).ok();
        let source = source.as_ref();
        let mut copy = Copy { of: self, folder: &folder, source, before, new: Vec::new(), is_visible: false };
        let is_same = there.as_ref().is_some_and(|(_, bytes)| bytes == self.manifest_bytes());
        let made = copy.make(is_same);
        let named = match made {
            Ok(()) => Some(self.manifest()),
            // Until it is certain that the new manifest stays, the files of both stay.
            Err(_) if copy.is_visible => return made,
            Err(_) => before,
        };
        remove_unnamed(&folder, &named.into_iter().flat_map(Manifest::names).collect());
        made
    }

    /// Whether a folder with that manifest may become one with this.
    fn check_history(&self, before: &Manifest, folder: &Folder) -> Result<()> {
        let (new, own) = (self.manifest(), self.path().display());
        let refused = |what: String| {
            let what = format!("{what}. Nothing was changed: remove that index first, or take another folder");
            Err(Error::File { path: folder.path().display().to_string(), what })
        };
        let (there, here) = (before.generation, new.generation);
        if before.identity != new.identity {
            return refused(format!("has another index than {own}"));
        }
        if there > here {
            return refused(format!("has commit {there}, which is later than commit {here} of {own}"));
        }
        if there == here && before != new {
            return refused(format!("has another commit {there} than {own}"));
        }
        for Entry { meta, deleted } in &new.segments {
            let differs = match before.segments.iter().find(|old| old.meta.number == meta.number) {
                // Later segments have later numbers.
                None => meta.number < before.next,
                Some(old) => {
                    let is_later = deleted.is_some_and(|deleted| deleted.generation > there);
                    old.meta != *meta || old.deleted != *deleted && !is_later
                }
            };
            if differs {
                return refused(format!(
                    "has commits of another writer than {own}: they differ in segment {}",
                    meta.number
                ));
            }
        }
        Ok(())
    }
}

/// Fails if a folder without a manifest has files that look like an index's, unless a copy that was interrupted left them.
fn check_free(folder: &Folder) -> Result<()> {
    match files(folder)?.first() {
        Some((name, _)) if !has_one(folder)? => {
            let what = format!("{name} is there, but no manifest: the index is damaged, or not one of this library");
            Err(Error::File { path: folder.path().display().to_string(), what })
        }
        _ => Ok(()),
    }
}

/// Whether a file of the folder's own commit is whole. Fails if that cannot be known, for example because the process has too
/// many open files: it must not be replaced then, because the same may keep another one from being written.
fn is_whole<T>(opened: Result<T>) -> Result<bool> {
    match opened {
        Ok(_) => Ok(true),
        Err(Error::Corrupt { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A copy that is being made.
struct Copy<'c> {
    of: &'c Snapshot,
    folder: &'c Folder,
    /// The folder of the index, if it is still there.
    source: Option<&'c Folder>,
    /// What the folder has.
    before: Option<&'c Manifest>,
    /// Files that were written and are not durable.
    new: Vec<String>,
    /// The manifest was replaced.
    is_visible: bool,
}

impl Copy<'_> {
    fn make(&mut self, is_same: bool) -> Result<()> {
        let Copy { of, folder, before, .. } = *self;
        if before.is_none() {
            let left = files(folder)?;
            if !left.is_empty() {
                // They go before the file by which they are known as an index's is replaced.
                left.iter().try_for_each(|(name, _)| folder.make_way(name))?;
                folder.sync_all()?;
            }
            // It must be there whenever one of the files is.
            folder.write(manifest::TEMPORARY, of.manifest_bytes())?;
            folder.sync(manifest::TEMPORARY)?;
            folder.sync_all()?;
        }
        let mut is_done = is_same;
        for part in of.parts() {
            is_done &= self.segment(part)?;
            is_done &= self.deleted(part)?;
        }
        if !is_done {
            if before.is_some() {
                folder.write(manifest::TEMPORARY, of.manifest_bytes())?;
                folder.sync(manifest::TEMPORARY)?;
            }
            self.new.iter().try_for_each(|name| folder.sync(name))?;
            // The files that the manifest names must be in the folder whenever the manifest is.
            folder.sync_all()?;
            folder.rename(manifest::TEMPORARY, manifest::NAME)?;
            self.is_visible = true;
        }
        folder.sync_all().map_err(|error| {
            let what = format!("{error}; the commit is visible, but a loss of power may undo it: try again");
            Error::File { path: folder.path().display().to_string(), what }
        })
    }

    /// Sees to the file of a segment; returns whether it was there.
    fn segment(&mut self, part: &SnapshotSegment) -> Result<bool> {
        let (meta, segment) = (part.entry().meta, &part.segment);
        let name = manifest::segment_name(meta.number);
        match self.folder.status(&name) {
            Ok(file) if segment.is_file(&file) => return Ok(true),
            Ok(_) if self.has(&meta, None) && is_whole(self.opens(segment, &name, &meta))? => return Ok(true),
            Ok(_) => self.folder.make_way(&name)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(storage::failed(&self.folder.path_of(&name), &error)),
        }
        if segment.put_in(self.folder, meta.number, self.source)? {
            self.opens(segment, &name, &meta)?;
            self.new.push(name);
        }
        Ok(false)
    }

    /// Compares length, header and footer of a file with those of a segment.
    fn opens(&self, segment: &Segment, name: &str, meta: &SegmentMeta) -> Result<()> {
        Segment::open_in(self.folder, name, meta, segment.schema().clone()).map(drop)
    }

    /// Sees to the file of a segment's deleted documents; returns whether it was there, or none is needed.
    fn deleted(&mut self, part: &SnapshotSegment) -> Result<bool> {
        let (meta, folder) = (part.entry().meta, self.folder);
        let (Some(of_file), Some(deleted)) = (part.entry().deleted, &part.deleted) else { return Ok(true) };
        let name = manifest::deleted_name(meta.number, of_file.generation);
        let read = || Deleted::read(folder, &meta, &of_file);
        if self.has(&meta, Some(of_file)) && folder.status(&name).is_ok() && is_whole(read())? {
            return Ok(true);
        }
        folder.make_way(&name)?;
        if self.source.is_some_and(|source| folder.link(source, &name, &name).is_ok()) {
            if read().is_ok() {
                return Ok(false);
            }
            // The name may lead to another index's file by now.
            folder.remove(&name)?;
        }
        deleted.write(folder, &name, meta.number)?;
        read()?;
        self.new.push(name);
        Ok(false)
    }

    /// Whether the folder's manifest names such a segment, and that file of deleted documents if one is given.
    fn has(&self, meta: &SegmentMeta, deleted: Option<DeletedMeta>) -> bool {
        let mut entries = self.before.into_iter().flat_map(|before| &before.segments);
        entries.any(|entry| entry.meta == *meta && (deleted.is_none() || entry.deleted == deleted))
    }
}
