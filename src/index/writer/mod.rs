//! [`Writer`]: changes an index.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | opening, adding and deleting |
//! | `flush` | pending documents become segments, on one thread or several |
//! | `commit` | merging, and the new manifest |
//! | `pending` | documents that wait for several threads |
//! | `filter` | which ids the index may have |
//!
//! Documents are gathered in memory up to a budget and then written as a segment, which no manifest names yet. A commit
//! writes what is left, merges segments, writes the docIDs deleted since the last commit, makes all of it durable, and
//! replaces the manifest by renaming a new one. Only then does it remove files that the manifest no longer names. Files
//! that no manifest names were left by a writer that ended early; the next writer removes them when it opens the index.

mod commit;
mod filter;
mod flush;
mod pending;

#[cfg(test)]
mod tests;

use super::deleted::Deleted;
use super::document::{Document, Id};
use super::list::{BlockCodec, Codecs};
use super::lock::Lock;
use super::manifest::{self, DeletedMeta, Entry, Manifest};
use super::schema::Schema;
use super::segment::{Segment, SegmentBuilder, SegmentMeta};
use super::storage::{self, Folder};
use crate::base::error::{Error, Result};
use crate::base::threads;
use filter::Filter;
use pending::Buffer;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// How a [`Writer`] works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Bytes of memory for pending documents and what writing them takes, 64 MiB by default and at least
    /// [`Options::LEAST_MEMORY`]. Maps of files, and a bit per document of segments with deleted ones, come in addition.
    pub memory: usize,
    /// How many threads analyse documents and merge segments, 1 by default; 0 stands for one per core. Documents are
    /// analysed by one thread per 30 MiB of `memory` at most: 64 MiB per thread is good. Threads end with the call that
    /// started them.
    pub threads: usize,
    /// The codec of frequencies in what is written from now on; `None`: what the index has, or the schema says.
    pub frequency_codec: Option<BlockCodec>,
    /// That of positions.
    pub position_codec: Option<BlockCodec>,
}

impl Default for Options {
    fn default() -> Self {
        Options { memory: 64 << 20, threads: 1, frequency_codec: None, position_codec: None }
    }
}

impl Options {
    /// The least memory with which a writer works, in bytes.
    pub const LEAST_MEMORY: usize = 16 << 20;

    fn memory(&self) -> usize {
        self.memory.max(Options::LEAST_MEMORY)
    }

    /// The memory for the builders of several threads. The rest is for the documents that wait for them: in builders they
    /// take about as much again, and the writing of segments takes some in addition.
    fn builders(&self) -> usize {
        self.memory() / 16 * 11
    }

    fn threads(&self) -> usize {
        threads::at_most(self.threads, usize::MAX)
    }

    /// A schema with the codecs that they name.
    fn applied(&self, schema: &Arc<Schema>) -> Arc<Schema> {
        let Codecs { frequencies, positions } = schema.codecs;
        let codecs = Codecs {
            frequencies: self.frequency_codec.unwrap_or(frequencies),
            positions: self.position_codec.unwrap_or(positions),
        };
        if codecs == schema.codecs { schema.clone() } else { Arc::new(Schema { codecs, ..(**schema).clone() }) }
    }
}

/// Changes an index. There is at most one per index; readers go on meanwhile.
///
/// Nothing is visible or durable before [`Writer::commit`]. Dropping the writer drops what was not committed.
#[derive(Debug)]
pub struct Writer {
    folder: Folder,
    options: Options,
    /// The last commit.
    committed: Manifest,
    /// That of the index, with the codecs of what is written from now on.
    schema: Arc<Schema>,
    /// The last commit is visible, but the folder could not be made durable.
    unsure: bool,
    /// What the next commit will have, in order of insertion.
    parts: Vec<Part>,
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
struct Part {
    segment: Arc<Segment>,
    deleted: Option<Deleted>,
    /// The file that `deleted` was read from; `None` if there is none, or it has changed since.
    saved: Option<DeletedMeta>,
}

impl Part {
    fn meta(&self) -> SegmentMeta {
        self.segment.meta()
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
    /// Opens the index in a folder for writing. If there is none, and there is a schema, creates it, and the folder. An
    /// index that exists keeps its codecs, whatever those of the schema, unless the options name others: these are for what
    /// is written from now on, and [`optimize`](Writer::optimize) rewrites the rest.
    ///
    /// # Errors
    /// [`Error::File`] if it is being written already (with the process id of who does), there is no index, or a file
    /// cannot be read or written; [`Error::Argument`] if the index has another schema; [`Error::Corrupt`] if it is damaged.
    pub fn open(path: &Path, schema: Option<Schema>, options: Options) -> Result<Writer> {
        match &schema {
            Some(schema) => {
                manifest::check_schema(schema)?;
                if !has_manifest(path) {
                    schema.check_names()?;
                }
                storage::create_folder(path)?;
            }
            None if !has_manifest(path) => {
                let what = "there is no index: to create one, say which fields it has".into();
                return Err(Error::File { path: path.display().to_string(), what });
            }
            None => {}
        }
        let folder = fs::canonicalize(path).map_err(|error| storage::failed(path, &error))?;
        let folder = Folder::open_to_write(&folder)?;
        let lock = Lock::take(&folder)?;
        folder.refuse_link(manifest::TEMPORARY)?;
        let committed = match (Manifest::read(&folder)?, schema) {
            (Some(bytes), schema) => {
                let manifest = Manifest::parse(&bytes, &folder.path_of(manifest::NAME))?;
                if let Some(schema) = schema {
                    check_same(&manifest.schema, &schema, path)?;
                }
                manifest
            }
            (None, Some(schema)) => {
                schema.check_names()?;
                if let Some((name, _)) = files(&folder)?.first() {
                    let what =
                        format!("{name} is there, but no manifest: the index is damaged, or not one of this library");
                    return Err(Error::File { path: path.display().to_string(), what });
                }
                let manifest = Manifest::new((*options.applied(&Arc::new(schema))).clone())?;
                commit::replace(&folder, &manifest, &[])?;
                folder.sync_all()?;
                manifest
            }
            (None, None) => {
                return Err(Error::File { path: path.display().to_string(), what: "has no manifest".into() });
            }
        };
        let litter = files(&folder)?;
        let past = litter.iter().map(|(_, number)| number.saturating_add(1)).max().unwrap_or(0);
        let schema = options.applied(&committed.schema);
        let mut writer = Writer {
            next: committed.next.max(past),
            parts: parts(&folder, &committed)?,
            pending: Pending::new(&schema, &options),
            schema,
            folder,
            options,
            committed,
            unsure: false,
            filter: None,
            lookups: 0,
            lost: None,
            lock,
        };
        // A writer may have ended between renaming the manifest and making that durable.
        writer.folder.sync_all()?;
        writer.clean();
        Ok(writer)
    }

    /// The fields and the analyzer, and the codecs of what is written.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How it works.
    pub fn options(&self) -> &Options {
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
        if self.pending.is_full(&self.options) {
            self.flush()?;
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
        for (at, part) in self.parts.iter().enumerate().rev().filter(|_| may_be_there) {
            part.segment.check_file()?;
            if let Some(doc_id) = part.segment.find(id)?.filter(|&doc_id| part.is_live(doc_id)) {
                found = Some((at, doc_id));
                break;
            }
        }
        if let Some((at, _)) = found {
            self.parts[at].prepare_to_delete()?;
        }
        let was_pending = match &mut self.pending {
            Pending::Builder(builder) => builder.remove(id),
            Pending::Buffer(buffer, _) => buffer.delete(id),
        };
        if let Some((at, doc_id)) = found {
            self.parts[at].delete(doc_id);
        }
        Ok(found.is_some() || was_pending)
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
        // It may contain ids that are not there, which is allowed.
        self.parts = parts(&self.folder, &self.committed)?;
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
        self.parts.iter().try_for_each(|part| part.segment.check_file())
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
        let Ok(files) = files(&self.folder) else {
            return;
        };
        let mut named: HashSet<String> = HashSet::new();
        named.extend(self.parts.iter().map(|part| manifest::segment_name(part.meta().number)));
        for Entry { meta, deleted } in &self.committed.segments {
            named.insert(manifest::segment_name(meta.number));
            named.extend(deleted.map(|deleted| manifest::deleted_name(meta.number, deleted.generation)));
        }
        let temporary = self.folder.status(manifest::TEMPORARY).is_ok().then_some(manifest::TEMPORARY);
        let unnamed = files.iter().map(|(name, _)| name.as_str()).filter(|&name| !named.contains(name));
        for name in unnamed.chain(temporary) {
            if let Err(error) = self.folder.remove(name) {
                log::warn!("a file that is no longer needed stays: {error}");
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.lock.is_ours() {
            self.parts.clear();
            self.clean();
        }
    }
}

impl Pending {
    fn new(schema: &Arc<Schema>, options: &Options) -> Pending {
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

    fn is_full(&self, options: &Options) -> bool {
        match self {
            Pending::Builder(builder) => builder.is_full() || builder.memory() >= options.memory(),
            Pending::Buffer(buffer, _) => buffer.memory() >= options.memory() - options.builders(),
        }
    }
}

/// The segments and deleted documents of a commit.
fn parts(folder: &Folder, manifest: &Manifest) -> Result<Vec<Part>> {
    let part = |entry: &Entry| {
        let meta = &entry.meta;
        let deleted = entry.deleted.map(|deleted| Deleted::read(folder, meta, &deleted));
        let name = manifest::segment_name(meta.number);
        Ok(Part {
            segment: Segment::open_in(folder, &name, meta, manifest.schema.clone())?,
            deleted: deleted.transpose()?,
            saved: entry.deleted,
        })
    };
    manifest.segments.iter().map(part).collect()
}

/// The files of segments in a folder, whoever wrote them, with the numbers of their segments. Others are none of ours.
fn files(folder: &Folder) -> Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for name in folder.names()? {
        if let Some(name) = name.to_str()
            && let Some(number) = manifest::number_of(name)
        {
            files.push((name.to_owned(), number));
        }
    }
    Ok(files)
}

/// Whether there is an index, be it a damaged one.
fn has_manifest(path: &Path) -> bool {
    !matches!(path.join(manifest::NAME).symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound)
}

/// Whether a schema is that of the index at `path`.
fn check_same(index: &Schema, given: &Schema, path: &Path) -> Result<()> {
    let mut differences = Vec::new();
    for field in &index.fields {
        let Some(other) = given.field(&field.name).map(|number| &given.fields[number]) else {
            differences.push(format!("it has a field \"{}\"", field.name));
            continue;
        };
        let name = &field.name;
        if field.kind != other.kind {
            differences.push(format!("field \"{name}\" is {:?}, not {:?}", field.kind, other.kind));
        }
        if field.weight != other.weight {
            differences.push(format!("field \"{name}\" has weight {}, not {}", field.weight, other.weight));
        }
        if field.stored != other.stored {
            differences.push(format!("field \"{name}\" is {}stored", if field.stored { "" } else { "not " }));
        }
    }
    for field in given.fields.iter().filter(|field| index.field(&field.name).is_none()) {
        differences.push(format!("it has no field \"{}\"", field.name));
    }
    if differences.is_empty() && index.fields != given.fields {
        let names: Vec<&str> = index.fields.iter().map(|field| field.name.as_str()).collect();
        differences.push(format!("its fields are in the order {}", names.join(", ")));
    }
    if index.positions != given.positions {
        differences.push(format!("it has {}positions", if index.positions { "" } else { "no " }));
    }
    if index.analyzer != given.analyzer {
        let (is, given) = (index.analyzer.describe(), given.analyzer.describe());
        differences.push(format!("its analyzer is {is}, not {given}"));
    }
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::Argument(format!(
        "the index {} was created otherwise: {}. Open it without fields and analyzer to go on with its own, or create a new \
         index in another folder and add the documents again",
        path.display(),
        differences.join("; ")
    )))
}
