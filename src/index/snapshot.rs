//! [`Snapshot`]: an index as of one commit, for reading.
//!
//! A snapshot never changes and never waits: it consists of maps of immutable files, which stay readable when a writer
//! removes the files. Opening reads the manifest and what is new since the snapshot that this process opened before: a
//! process keeps the latest snapshots of the indexes that it used last ([`KEPT`], [`KEPT_SEGMENTS`]), so that one that
//! opens an index anew for each request, as PHP does, maps and checks each file once.

use super::deleted::Deleted;
use super::manifest::{self, Entry, Manifest};
use super::schema::Schema;
use super::segment::Segment;
use super::storage::{self, FileIdentity, Folder};
use crate::base::error::{Error, Result};
use crate::base::identity::Identity;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, TryLockError};
use std::time::Instant;

/// How many indexes a process keeps open. The files of a kept snapshot take no memory but what is cached of them; files
/// that a writer has removed take their place on the disk until the process opens the index again, or ends.
pub const KEPT: usize = 8;

/// How many segments of kept snapshots a process has open. Each takes a file descriptor.
pub const KEPT_SEGMENTS: usize = 256;

/// How often opening starts again because a writer has replaced the manifest meanwhile. A try takes less time than a
/// commit, so the second almost always succeeds.
const TRIES: usize = 100;

/// An index as of one commit.
#[derive(Debug)]
pub struct Snapshot {
    path: PathBuf,
    /// Device and inode of the folder.
    folder: (u64, u64),
    manifest: Manifest,
    /// The manifest as it was read: equal bytes are the same commit of the same index.
    bytes: Vec<u8>,
    parts: Vec<SnapshotSegment>,
    documents: u64,
    live: u64,
    identity: Identity,
    /// From when on searches compare the lengths of files, in nanoseconds of the [clock](now).
    check_from: AtomicU64,
}

/// Searches compare lengths of files again after so many nanoseconds: it takes a system call for each segment.
const CHECK_AFTER: u64 = 1_000_000;

/// Nanoseconds since the first call.
fn now() -> u64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// A segment of a snapshot.
#[derive(Debug, Clone)]
pub struct SnapshotSegment {
    /// The segment.
    pub segment: Arc<Segment>,
    /// Its deleted documents, if there are any.
    pub deleted: Option<Arc<Deleted>>,
    /// The number of documents in the parts before, deleted ones included.
    pub base: u64,
    entry: Entry,
    file: FileIdentity,
}

impl SnapshotSegment {
    /// What the manifest says of it.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Whether a document is not deleted.
    pub fn is_live(&self, doc_id: u32) -> bool {
        self.deleted.as_ref().is_none_or(|deleted| !deleted.contains(doc_id))
    }

    /// The number of documents that are not deleted.
    pub fn live(&self) -> u32 {
        self.entry.meta.documents - self.entry.deleted.map_or(0, |deleted| deleted.count)
    }
}

impl Snapshot {
    /// Opens the index in a folder as of its last commit. Costs some system calls if this process has that commit open;
    /// otherwise also mapping and checking the files that are new to it. Relative paths are resolved now, symbolic links
    /// at each call.
    ///
    /// # Errors
    /// [`Error::Missing`] if there is no index, [`Error::File`] if a file cannot be read, [`Error::Corrupt`] if one is damaged.
    pub fn open(path: &Path) -> Result<Arc<Snapshot>> {
        let path = std::path::absolute(path).map_err(|error| storage::failed(path, &error))?;
        let folder = open_folder(&path)?;
        let known = KNOWN.get(folder.identity()?);
        Snapshot::open_after(&folder, known.as_ref())
    }

    /// The same, but the process does not keep what it opens for the next time.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub(super) fn open_once(path: &Path) -> Result<Arc<Snapshot>> {
        let path = std::path::absolute(path).map_err(|error| storage::failed(path, &error))?;
        Snapshot::in_folder(&open_folder(&path)?)
    }

    /// The same in an open folder.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub(super) fn in_folder(folder: &Folder) -> Result<Arc<Snapshot>> {
        Snapshot::last(folder, KNOWN.get(folder.identity()?).as_ref())
    }

    /// The index as of its last commit: this snapshot if it is current, otherwise a new one.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub fn reload(self: &Arc<Self>) -> Result<Arc<Snapshot>> {
        Snapshot::open_after(&open_folder(&self.path)?, Some(self))
    }

    /// Whether there was no commit since. Costs reading the manifest.
    ///
    /// # Errors
    /// [`Error::File`] if the manifest cannot be read.
    pub fn is_current(&self) -> Result<bool> {
        Ok(read(&open_folder(&self.path)?)? == self.bytes)
    }

    /// Opens the index, using what `before` has of it, and keeps it.
    fn open_after(folder: &Folder, before: Option<&Arc<Snapshot>>) -> Result<Arc<Snapshot>> {
        Snapshot::last(folder, before).inspect(|snapshot| KNOWN.keep(snapshot))
    }

    fn last(folder: &Folder, before: Option<&Arc<Snapshot>>) -> Result<Arc<Snapshot>> {
        let mut bytes = read(folder)?;
        for _ in 0..TRIES {
            let error = match Snapshot::of(folder, &bytes, before) {
                Ok(snapshot) => return Ok(snapshot),
                Err(error) => error,
            };
            // A writer may have merged and removed a segment since the manifest was read.
            let again = read(folder)?;
            if again == bytes {
                return Err(error);
            }
            bytes = again;
        }
        let what = format!("was written anew {TRIES} times while it was being opened");
        Err(Error::File { path: folder.path().display().to_string(), what })
    }

    /// The snapshot of a manifest of those bytes.
    fn of(folder: &Folder, bytes: &[u8], before: Option<&Arc<Snapshot>>) -> Result<Arc<Snapshot>> {
        let place = folder.identity()?;
        let before = before.filter(|before| before.folder == place);
        if let Some(before) = before.filter(|before| before.bytes == bytes)
            && before.parts.iter().all(|part| part.is_unchanged(folder))
        {
            return Ok(before.clone());
        }
        let mut manifest = Manifest::parse(bytes, &folder.path_of(manifest::NAME))?;
        let is_like = |before: &&Arc<Snapshot>| {
            let Manifest { identity, schema, .. } = &before.manifest;
            // Segments know the fields of the index that they were opened for.
            *identity == manifest.identity && schema.fields == manifest.schema.fields
        };
        let before = before.filter(is_like);
        if let Some(before) = before.filter(|before| before.manifest.schema == manifest.schema) {
            manifest.schema = before.manifest.schema.clone();
        }
        let mut parts = Vec::with_capacity(manifest.segments.len());
        let (mut documents, mut live) = (0u64, 0u64);
        for entry in &manifest.segments {
            let meta = &entry.meta;
            let same = |part: &&SnapshotSegment| part.entry.meta == *meta && part.is_unchanged(folder);
            let known = before.and_then(|before| before.parts.iter().find(same));
            let (segment, file) = match known {
                Some(part) => (part.segment.clone(), part.file),
                None => {
                    let name = manifest::segment_name(meta.number);
                    let identity = folder.status(&name);
                    let identity = identity.map_err(|error| storage::failed(&folder.path_of(&name), &error))?;
                    (Segment::open_in(folder, &name, meta, manifest.schema.clone())?, identity)
                }
            };
            let deleted = match (&entry.deleted, known) {
                (None, _) => None,
                (Some(deleted), Some(part)) if part.entry.deleted == Some(*deleted) => part.deleted.clone(),
                (Some(deleted), _) => Some(Arc::new(Deleted::read(folder, meta, deleted)?)),
            };
            let part = SnapshotSegment { segment, deleted, base: documents, entry: *entry, file };
            documents += u64::from(meta.documents);
            live += u64::from(part.live());
            parts.push(part);
        }
        let identity = Identity::new();
        Ok(Arc::new(Snapshot {
            path: folder.path().into(),
            folder: place,
            manifest,
            bytes: bytes.into(),
            parts,
            documents,
            live,
            identity,
            check_from: AtomicU64::new(0),
        }))
    }

    /// Tells it from all other snapshots of this process.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Device and inode of the folder in which it was opened.
    pub(super) fn place(&self) -> (u64, u64) {
        self.folder
    }

    /// The manifest as it was read.
    pub(super) fn manifest_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The absolute path of the index.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the index, which tells it from others, and that of the commit. A copy has those of its original.
    pub fn commit(&self) -> (u64, u64) {
        (self.manifest.identity, self.manifest.generation)
    }

    /// The number of the commit: 1 for an index that was just created.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// The fields and the analyzer.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.manifest.schema
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The segments, in order of insertion.
    pub fn parts(&self) -> &[SnapshotSegment] {
        &self.parts
    }

    /// Notices files that were truncated since they were opened: reading what is no longer there would end the process.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn check_files(&self) -> Result<()> {
        self.parts.iter().try_for_each(|part| part.segment.check_file())
    }

    /// The same, if that was not done within the last millisecond: for searches, some of which take a microsecond.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn check_files_lately(&self) -> Result<()> {
        let now = now();
        if now < self.check_from.load(Relaxed) {
            return Ok(());
        }
        self.check_files()?;
        self.check_from.store(now + CHECK_AFTER, Relaxed);
        Ok(())
    }

    /// The number of documents in all segments, deleted ones included.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The number of documents that are not deleted.
    pub fn live(&self) -> u64 {
        self.live
    }
}

impl SnapshotSegment {
    fn is_unchanged(&self, folder: &Folder) -> bool {
        folder.status(&manifest::segment_name(self.entry.meta.number)).is_ok_and(|file| file == self.file)
    }
}

fn open_folder(path: &Path) -> Result<Folder> {
    Folder::open(path).map_err(|error| match (error, fs::metadata(path)) {
        (Error::File { path, what }, Err(error)) if error.kind() == ErrorKind::NotFound => {
            Error::Missing { path, what }
        }
        (error, _) => error,
    })
}

/// The bytes of the manifest of an index.
fn read(folder: &Folder) -> Result<Vec<u8>> {
    Manifest::read(folder)?.ok_or_else(|| Error::Missing {
        path: folder.path().display().to_string(),
        what: "is not an index: it has no file named manifest".into(),
    })
}

/// Lets go of what this process keeps of the index in that folder (device and inode), so that its files take no room.
pub(super) fn forget(folder: (u64, u64)) {
    KNOWN.forget(folder);
}

/// The snapshots that this process keeps, the one used last at the end.
struct Known(Mutex<Vec<Arc<Snapshot>>>);

static KNOWN: Known = Known(Mutex::new(Vec::new()));

impl Known {
    /// Runs `with` unless another thread is in here, or was when this process was forked.
    fn with<T>(&self, with: impl FnOnce(&mut Vec<Arc<Snapshot>>) -> T) -> Option<T> {
        match self.0.try_lock() {
            Ok(mut known) => Some(with(&mut known)),
            Err(TryLockError::Poisoned(known)) => Some(with(&mut known.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn get(&self, folder: (u64, u64)) -> Option<Arc<Snapshot>> {
        self.with(|known| known.iter().find(|snapshot| snapshot.folder == folder).cloned()).flatten()
    }

    fn forget(&self, folder: (u64, u64)) {
        // Dropped after the lock is released, as in `keep`.
        let _dropped = self.with(|known| known.extract_if(.., |other| other.folder == folder).collect::<Vec<_>>());
    }

    fn keep(&self, snapshot: &Arc<Snapshot>) {
        // What is dropped here is dropped after the lock is released: unmapping takes time.
        let _dropped = self.with(|known| {
            let mut dropped: Vec<_> = known.extract_if(.., |other| other.folder == snapshot.folder).collect();
            known.push(snapshot.clone());
            let too_many = |known: &[Arc<Snapshot>]| {
                let segments: usize = known.iter().map(|snapshot| snapshot.parts.len()).sum();
                known.len() > KEPT || (known.len() > 1 && segments > KEPT_SEGMENTS)
            };
            while too_many(known) {
                dropped.push(known.remove(0));
            }
            dropped
        });
    }
}
