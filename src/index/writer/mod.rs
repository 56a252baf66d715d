//! [`Writer`]: changes an index.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | adding, deleting, rolling back |
//! | `open` | opening the index, or creating it |
//! | [`options`](WriterOptions) | how a writer works |
//! | `flush` | pending documents become segments, on one thread or several |
//! | `commit` | merging, and the new manifest |
//! | `pending` | documents that wait for several threads |
//! | `filter` | which ids the index may have |
//! | `patience` | waiting for another writer |
//! | `sets` | deleting many documents at once |
//! | `add_index` | taking the documents of another index |
//!
//! Documents are gathered in memory up to a budget and then written as a run, which no manifest ever names. A commit
//! writes what is left, merges runs and segments, writes the docIDs deleted since the last commit, makes all of it durable, and
//! replaces the manifest by renaming a new one. Only then does it remove files that the manifest no longer names. Files
//! that no manifest names were left by a writer that ended early; the next writer removes them when it opens the index.

mod add_index;
mod commit;
mod filter;
mod flush;
mod open;
mod options;
mod patience;
mod pending;
mod sets;

#[cfg(test)]
mod tests;

use super::deleted::Deleted;
use super::document::{Document, Id};
use super::lock::Lock;
use super::manifest::{self, DeletedMeta, Manifest};
use super::removal;
use super::schema::Schema;
use super::segment::{Form, Segment, SegmentBuilder, SegmentMeta};
use super::snapshot::Snapshot;
use super::storage::Folder;
use crate::base::error::{Error, Result};
use filter::Filter;
use open::open_segments;
pub use options::WriterOptions;
use pending::Buffer;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Changes an index. There is at most one per index; readers go on meanwhile.
///
/// Nothing is visible or durable before [`Writer::commit`]. Dropping the writer drops what was not committed.
#[derive(Debug)]
pub struct Writer {
    folder: Folder,
    options: WriterOptions,
    /// The last commit.
    committed: Manifest,
    /// That of the index, with the codecs of what is written from now on.
    schema: Arc<Schema>,
    /// The last commit is visible, but the folder could not be made durable.
    unsure: bool,
    /// What the next commit will have, in order of insertion.
    segments: Vec<WriterSegment>,
    pending: Pending,
    /// The number of the next segment.
    next: u64,
    /// Which ids the parts may have, if that has been worth it.
    filter: Option<Filter>,
    /// How many ids were looked up without the filter.
    lookups: u64,
    /// Why pending changes are lost, until [`Writer::rollback`].
    lost: Option<String>,
    /// Released last.
    lock: Lock,
}

/// Documents that are not in a segment yet.
#[derive(Debug)]
enum Pending {
    /// Of one thread.
    Builder(Box<SegmentBuilder>),
    /// Of several. The builder stays empty and checks documents.
    Buffer(Buffer, Box<SegmentBuilder>),
}

/// A segment as it will be after the next commit.
#[derive(Debug)]
struct WriterSegment {
    segment: Arc<Segment>,
    deleted: Option<Deleted>,
    /// The file that `deleted` was read from; `None` if there is none, or it has changed since.
    saved: Option<DeletedMeta>,
}

impl WriterSegment {
    fn meta(&self) -> SegmentMeta {
        self.segment.meta()
    }

    fn is_run(&self) -> bool {
        self.segment.form() == Form::Run
    }

    fn deleted(&self) -> u32 {
        self.deleted.as_ref().map_or(0, |deleted| deleted.count())
    }

    fn is_live(&self, doc_id: u32) -> bool {
        self.deleted.as_ref().is_none_or(|deleted| !deleted.contains(doc_id))
    }

    /// Makes sure that [`delete`](Self::delete) needs no memory.
    fn prepare_to_delete(&mut self) -> Result<()> {
        if self.deleted.is_none() {
            self.deleted = Some(Deleted::none(self.segment.documents())?);
        }
        Ok(())
    }

    fn delete(&mut self, doc_id: u32) {
        let Some(deleted) = &mut self.deleted else { return };
        if deleted.insert(doc_id) {
            self.saved = None;
        }
    }
}

impl Writer {
    /// The fields and the analyzer, and the codecs of what is written.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How it works.
    pub fn options(&self) -> &WriterOptions {
        &self.options
    }

    /// The absolute path of the index.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The number of the last commit; 1 for an index that was just created.
    pub fn generation(&self) -> u64 {
        self.committed.generation
    }

    /// Adds a document, from the next commit on. A document with that id is replaced: it goes with that commit, and the new
    /// one counts as inserted last.
    ///
    /// # Errors
    /// [`Error::Argument`] if the document does not suit the schema, [`Error::OutOfMemory`] if there is no memory for it;
    /// nothing has changed then. If a segment had to be written: [`Error::File`]. It says so if pending changes are lost.
    pub fn add(&mut self, id: Id, document: Document) -> Result<()> {
        self.check()?;
        match &mut self.pending {
            Pending::Builder(builder) => builder.add(&id, &document)?,
            Pending::Buffer(buffer, checker) => {
                checker.check(&document)?;
                buffer.add(&id, &document)?;
            }
        }
        // It may be large, and what follows takes memory, too.
        drop(document);
        if self.pending.is_full(&self.options) {
            self.write(Form::Run)?;
            self.merge_many()?;
        }
        Ok(())
    }

    /// Deletes the document with that id, from the next commit on. Returns whether there is one.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a segment is damaged, [`Error::File`] if one was truncated; nothing has changed then.
    pub fn delete(&mut self, id: &Id) -> Result<bool> {
        self.check()?;
        // At most one of all documents with an id is not deleted.
        let mut found = None;
        let may_be_there = self.filter.as_ref().is_none_or(|filter| filter.may_contain(id.into()));
        for (at, part) in self.segments.iter().enumerate().rev().filter(|_| may_be_there) {
            part.segment.check_file()?;
            if let Some(doc_id) = part.segment.find(id)?.filter(|&doc_id| part.is_live(doc_id)) {
                found = Some((at, doc_id));
                break;
            }
        }
        if let Some((at, _)) = found {
            self.segments[at].prepare_to_delete()?;
        }
        let was_pending = match &mut self.pending {
            Pending::Builder(builder) => builder.remove(id),
            Pending::Buffer(buffer, _) => buffer.delete(id)?,
        };
        if let Some((at, doc_id)) = found {
            self.segments[at].delete(doc_id);
        }
        Ok(found.is_some() || was_pending)
    }

    /// Makes another folder an index as of the last commit: [`Snapshot::copy_to`].
    ///
    /// # Errors
    /// As [`Snapshot::copy_to`].
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        self.check_process()?;
        self.lock.check(&self.folder)?;
        Snapshot::in_folder(&self.folder)?.copy_to(path)
    }

    /// Whether there are changes that were not committed.
    pub fn has_pending(&self) -> bool {
        self.lost.is_some() || !self.pending.is_empty() || self.has_unpublished()
    }

    /// Drops all changes since the last commit.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Corrupt`] if files of the last commit cannot be opened.
    pub fn rollback(&mut self) -> Result<()> {
        self.check_process()?;
        self.pending = Pending::new(&self.schema, &self.options);
        // It lacks ids of these segments if it was made after `clear`.
        self.filter = None;
        self.segments = open_segments(&self.folder, &self.committed, &self.schema)?;
        self.lost = None;
        self.clean();
        Ok(())
    }

    fn check_process(&self) -> Result<()> {
        if !self.lock.is_ours() {
            return Err(self.failed("the writer belongs to the process that this one was forked from: open another"));
        }
        Ok(())
    }

    /// Notices segments that were truncated since they were opened: reading what is no longer there would end the process.
    fn check_files(&self) -> Result<()> {
        self.segments.iter().try_for_each(|part| part.segment.check_file())
    }

    /// Whether the writer can go on.
    fn check(&self) -> Result<()> {
        self.check_process()?;
        match &self.lost {
            None => Ok(()),
            Some(why) => {
                Err(self
                    .failed(format!("changes since the last commit were lost ({why}): roll back, and make them again")))
            }
        }
    }

    /// An error that names the folder.
    fn failed(&self, what: impl Into<String>) -> Error {
        Error::File { path: self.path().display().to_string(), what: what.into() }
    }

    /// Removes files of segments that are neither committed nor about to be. Failures are left to the next time.
    fn clean(&mut self) {
        // Until it is certain that the manifest stays, the files of the one before it stay.
        if self.unsure {
            return;
        }
        let pending = self.segments.iter().map(|part| manifest::segment_name(part.meta().number));
        let named: HashSet<String> = self.committed.names().chain(pending).collect();
        removal::remove_unnamed(&self.folder, &named);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.lock.is_ours() {
            self.segments.clear();
            self.clean();
        }
    }
}

impl Pending {
    fn new(schema: &Arc<Schema>, options: &WriterOptions) -> Pending {
        let builder = Box::new(SegmentBuilder::new(schema.clone()));
        match options.threads {
            1 => Pending::Builder(builder),
            _ => Pending::Buffer(Buffer::default(), builder),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Pending::Builder(builder) => builder.documents() == 0,
            Pending::Buffer(buffer, _) => buffer.is_empty(),
        }
    }

    fn is_full(&self, options: &WriterOptions) -> bool {
        match self {
            // It becomes a segment if it is committed before it is full.
            Pending::Builder(builder) => builder.is_full() || builder.memory(Form::Segment) >= options.memory(),
            Pending::Buffer(buffer, _) => buffer.memory() >= options.memory() - options.builders(),
        }
    }
}
