//! Segments: the immutable files that an index consists of.
//!
//! | file | what |
//! |---|---|
//! | [`build`] | documents in memory → a segment |
//! | `texts` | values of text fields → tokens |
//! | `terms`, `stems`, `invert` | numbers for terms, and for words beside stems; tokens in the order of documents → postings in the order of terms |
//! | [`merge`], `merge_plan`, `merge_terms` | several segments → one, without deleted documents; which go where; lists |
//! | `run` | segments that only a merge reads |
//! | [`reorder`] | an order of documents in which lists are shorter |
//! | `format`, `footer` | header, table of sections, footer; reading and checking them |
//! | `file`, `list_writer`, `map_writer`, `write` | files from front to back; sections of lists; maps of terms; the sections with terms |
//! | `words` | the section of words whose terms are stems |
//! | `frequent` | the section of frequent words |
//! | `pairs`, `gather`, `write_pairs` | documents in which one common word follows another; finding them; writing them |
//! | `ids`, `numbers`, `points`, `vectors`, `clusters`, `stored`, `ordinals`, `packed` | the sections of documents |
//! | [`buckets`] | the numbers of a field in 16 bits each, for ranges |
//! | `in_order` | documents by the numbers of a field, for sorting |
//! | `section` | one section of an open segment; checksums |
//! | `copy` | the file of an open segment in another folder |
//! | `dictionary`, `term_walk` | [`Dictionary`]: terms and their values, and walks through them |
//! | `lists`, `documents` | what an open segment has: terms and lists; ids and values |
//! | `kept`, `joined`, `passing`, `accepted` | what is kept if it is wanted again: postings that were put together of several lists; documents that pass a filter; words that an automaton accepts |
//! | `keyword_column`, `few_values` | the values of a keyword field by document, made of its lists when that is first asked for; those of a field that has few |
//!
//! A segment has a section per field and purpose. Each is at a multiple of 64 bytes, so that lists can be used where they
//! are mapped. Every 16 KiB of the file has a CRC-32 in the footer: opening reads and checks header and footer alone
//! (some 40 KB for a file of 150 MB), and every other part is checked when it is first used in a process. Bytes that have
//! passed are those that were written, but whoever reads them checks counts and offsets all the same.

mod accepted;
mod buckets;
pub mod build;
mod clusters;
mod copy;
mod dictionary;
mod documents;
mod few_values;
mod file;
mod footer;
mod format;
mod frequent;
mod gather;
mod hash;
mod ids;
mod in_order;
mod invert;
mod joined;
mod kept;
mod keyword_column;
mod list_writer;
mod lists;
mod map_writer;
pub mod merge;
mod merge_plan;
mod merge_terms;
mod numbers;
mod ordinals;
mod packed;
mod pairs;
mod passing;
mod points;
pub mod reorder;
mod run;
mod section;
mod sorter;
mod stems;
mod stored;
mod term_walk;
mod terms;
mod texts;
mod token_store;
mod tokens;
mod vectors;
mod weights;
mod words;
mod write;
mod write_pairs;

#[cfg(test)]
mod tests;

pub use accepted::Accepted;
pub use build::SegmentBuilder;
pub use clusters::ClusterColumn;
pub use dictionary::{Dictionary, Source, Terms, Union};
pub use few_values::{FEW_VALUES, FewValue};
pub use format::{FieldCounts, Section};
pub use frequent::Level;
pub use ids::{IdRef, Ids};
pub use joined::Joined;
pub use keyword_column::{KeywordColumn, Number, Numbers};
pub(super) use merge::merge;
pub use merge_plan::Input;
pub use numbers::Column;
pub use pairs::Pair;
pub use passing::Allowed;
pub use points::{Candidates, PointColumn, Points};
pub use run::Form;
pub use stored::{values_from_bytes, values_length, values_to_bytes};
pub use vectors::{CodeColumn, Gathered, VectorColumn};
pub use words::Words;

use crate::base::error::{Error, Result};
use crate::base::files::failed;
use crate::base::huge_pages;
use crate::base::identity::Identity;
use crate::index::Schema;
use crate::index::list::Codecs;
use crate::index::storage::Folder;
use accepted::KeptAccepted;
use buckets::Buckets;
use format::{Frame, NO_FIELD};
use joined::KeptJoined;
use memmap2::Mmap;
use pairs::Pairs;
use passing::KeptPassing;
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// What a manifest keeps of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentMeta {
    /// Its number, which names its file.
    pub number: u64,
    /// Its documents, deleted ones too.
    pub documents: u32,
    /// The length of its file.
    pub bytes: u64,
    /// The CRC-32 of its footer, which has those of everything else.
    pub footer_crc: u32,
}

/// Bytes that outlive borrows of the segment.
#[derive(Debug, Clone)]
pub enum Bytes {
    /// Of the mapped file.
    Mapped {
        /// The file.
        map: Arc<Mmap>,
        /// Where they begin.
        begin: usize,
        /// Where they end.
        end: usize,
    },
    /// Of what the file lacks.
    Own(Arc<[u8]>),
}

impl AsRef<[u8]> for Bytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        match self {
            Bytes::Mapped { map, begin, end } => &map[*begin..*end],
            Bytes::Own(bytes) => bytes,
        }
    }
}

/// With fewer documents, looking at all of them takes microseconds.
const WORTH_KEEPING: u32 = 1 << 12;

/// What is made of a column and kept, once it was asked for some times.
#[derive(Debug)]
struct KeptLater<T> {
    made: OnceLock<T>,
    asked: AtomicU64,
}

impl<T> Default for KeptLater<T> {
    fn default() -> Self {
        KeptLater { made: OnceLock::new(), asked: AtomicU64::new(0) }
    }
}

/// An open segment: a file mapped into memory. It can be used by any number of threads.
///
/// The file must not be changed or truncated while it is open. A program that does so anyway is noticed by
/// [`Segment::check_file`] if it happens before a search or a change; during one, the system ends the process (SIGBUS).
#[derive(Debug)]
pub struct Segment {
    path: PathBuf,
    file: File,
    map: Arc<Mmap>,
    meta: SegmentMeta,
    schema: Arc<Schema>,
    frame: Frame,
    /// Bytes before the footer.
    body: usize,
    /// By field (then [`NO_FIELD`]) and section, one more than the index in the table of sections.
    indices: Vec<[u16; Section::ALL.len()]>,
    /// A bit per chunk whose checksum has been compared.
    checked: Box<[AtomicU64]>,
    /// Per section, whether all its chunks have.
    whole: Box<[AtomicBool]>,
    dictionaries: Box<[OnceLock<Dictionary>]>,
    /// By field; see [`words`](Self::words).
    words: Box<[OnceLock<Words>]>,
    /// By field; see [`pair`](Self::pair).
    pairs: Box<[OnceLock<Pairs>]>,
    /// By field; see [`frequent`](Self::frequent).
    frequent: Box<[OnceLock<Box<[Level]>>]>,
    /// Long lists that were checked, by index in the table of sections and value.
    sound: RwLock<HashSet<(u16, u64)>>,
    /// The length bytes of text fields that it does not have, with what pads them.
    no_lengths: OnceLock<Box<[u8]>>,
    /// See [`kept_ordinals`](Self::kept_ordinals).
    ordinals: OnceLock<Box<[u32]>>,
    /// By field; see [`keyword_column`](Self::keyword_column).
    keyword_columns: Box<[OnceLock<KeywordColumn>]>,
    /// By field; see [`few_values`](Self::few_values).
    few_values: Box<[OnceLock<Box<[FewValue]>>]>,
    /// By field; see [`add_between`](Self::add_between).
    buckets: Box<[KeptLater<Buckets>]>,
    /// By field, whether its clusters have been checked; see [`clusters`](Self::clusters).
    clusters: Box<[OnceLock<()>]>,
    /// See [`joined`](Self::joined).
    joined: KeptJoined,
    /// See [`passing`](Self::passing).
    passing: KeptPassing,
    /// See [`accepted`](Self::accepted).
    accepted: KeptAccepted,
    /// By field; see [`in_order`](Self::in_order).
    orders: Box<[KeptLater<Box<[u32]>>]>,
    /// See [`id_ranks`](Self::id_ranks).
    id_ranks: OnceLock<Box<[u32]>>,
    /// Held while one of the columns above is made, so that threads do not make the same one.
    making: Mutex<()>,
    identity: Identity,
}

impl Segment {
    /// Opens the file at `path`, of which the manifest says `meta`. Header and footer are read and checked: some 50 µs for
    /// a file of 150 MB.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be opened or mapped; [`Error::Corrupt`], which names file and part, if it is
    /// damaged, another one, or of another schema.
    pub fn open(path: &Path, meta: &SegmentMeta, schema: Arc<Schema>) -> Result<Arc<Segment>> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default();
        Segment::open_in(&Folder::open(folder)?, &name.to_string_lossy(), meta, schema)
    }

    /// As [`open`](Self::open), in an open folder.
    pub(super) fn open_in(
        folder: &Folder,
        name: &str,
        meta: &SegmentMeta,
        schema: Arc<Schema>,
    ) -> Result<Arc<Segment>> {
        Segment::open_as(Form::Segment, folder, name, meta, schema)
    }

    /// The same of a file of that form.
    pub(super) fn open_as(
        form: Form,
        folder: &Folder,
        name: &str,
        meta: &SegmentMeta,
        schema: Arc<Schema>,
    ) -> Result<Arc<Segment>> {
        let path = &*folder.path_of(name);
        let (file, length) = folder.open_file(name).map_err(|error| failed(path, error))?;
        let bad = |(at, part, what): (usize, &str, String)| {
            Error::corrupt("segment", format!("{part} of {}", path.display()), at, what)
        };
        if length != meta.bytes {
            let what = format!("{length} bytes; {} were committed", meta.bytes);
            return Err(bad((length.min(meta.bytes) as usize, "length", what)));
        }
        // SAFETY: segments are never changed once they are written, and the documentation demands that nobody else does;
        // the map lives as long as anything that borrows from it.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| failed(path, error))?;
        huge_pages::advise_map(&map);
        let frame = Frame::parse(&map, meta, &schema).map_err(bad)?;
        if frame.flags.form() != form {
            return Err(bad((0, "flags", format!("not those of a {form}"))));
        }
        let mut indices = vec![[0; Section::ALL.len()]; schema.fields.len() + 1];
        for (extent, index) in frame.extents.iter().zip(1..) {
            let field = if extent.field == NO_FIELD { schema.fields.len() } else { extent.field.into() };
            indices[field][extent.section as usize] = index;
        }
        let footer = 24 + 24 * (frame.extents.len() + frame.fields.len()) + 4 * frame.checksums.len();
        let segment = Segment {
            path: path.to_path_buf(),
            file,
            meta: *meta,
            body: map.len() - format::TAIL - footer,
            map: Arc::new(map),
            indices,
            checked: (0..frame.checksums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            whole: frame.extents.iter().map(|_| AtomicBool::new(false)).collect(),
            dictionaries: schema.fields.iter().map(|_| OnceLock::new()).collect(),
            words: schema.fields.iter().map(|_| OnceLock::new()).collect(),
            pairs: schema.fields.iter().map(|_| OnceLock::new()).collect(),
            frequent: schema.fields.iter().map(|_| OnceLock::new()).collect(),
            sound: RwLock::default(),
            no_lengths: OnceLock::new(),
            ordinals: OnceLock::new(),
            keyword_columns: schema.fields.iter().map(|_| OnceLock::new()).collect(),
            few_values: schema.fields.iter().map(|_| OnceLock::new()).collect(),
            buckets: schema.fields.iter().map(|_| KeptLater::default()).collect(),
            clusters: schema.fields.iter().map(|_| OnceLock::new()).collect(),
            joined: KeptJoined::default(),
            passing: KeptPassing::default(),
            accepted: KeptAccepted::default(),
            orders: schema.fields.iter().map(|_| KeptLater::default()).collect(),
            id_ranks: OnceLock::new(),
            making: Mutex::new(()),
            identity: Identity::new(),
            schema,
            frame,
        };
        Ok(Arc::new(segment))
    }

    /// Checks that the file is still as long as it was.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn check_file(&self) -> Result<()> {
        let length = self.file.metadata().map_err(|error| failed(&self.path, error))?.len();
        match length == self.meta.bytes {
            true => Ok(()),
            false => {
                Err(failed(&self.path, format!("{length} bytes; there were {} when it was opened", self.meta.bytes)))
            }
        }
    }

    /// What is kept at that place, made the first time; threads that come meanwhile wait for it.
    fn kept<'k, T>(&self, place: &'k OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&'k T> {
        if let Some(kept) = place.get() {
            return Ok(kept);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = place.get() {
            return Ok(kept);
        }
        let made = make()?;
        Ok(place.get_or_init(|| made))
    }

    /// The same of a column, if it was asked for more than so many times; `None` otherwise, if documents are few, and if some
    /// have several numbers.
    fn kept_after<'k, T>(
        &self,
        times: u64,
        place: &'k KeptLater<T>,
        column: &Column,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Option<&'k T>> {
        let suits = self.documents() >= WORTH_KEEPING && !column.has_several();
        if !suits || place.asked.fetch_add(1, Ordering::Relaxed) < times {
            return Ok(None);
        }
        self.kept(&place.made, make).map(Some)
    }

    /// Tells it from all other segments that this process has opened.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// What the manifest says of it.
    pub fn meta(&self) -> SegmentMeta {
        self.meta
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fields.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many documents it has, deleted ones too. At least 1.
    pub fn documents(&self) -> u32 {
        self.frame.documents
    }

    /// The codecs of its long lists, whatever those of the index are now.
    pub fn codecs(&self) -> Codecs {
        self.frame.flags.codecs
    }

    /// Whether docIDs are in another order than that of insertion.
    pub fn is_reordered(&self) -> bool {
        self.frame.flags.reordered
    }

    /// What is counted of a field.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such field.
    pub fn counts(&self, field: usize) -> Result<FieldCounts> {
        match self.frame.fields.get(field) {
            Some((_, counts)) => Ok(*counts),
            None if self.lacks(field) => Ok(FieldCounts::default()),
            None => Err(self.no_field(field, "such")),
        }
    }

    /// Whether a field of the index was added since the segment was written.
    #[inline]
    pub(super) fn lacks(&self, field: usize) -> bool {
        (self.frame.fields.len()..self.schema.fields.len()).contains(&field)
    }

    /// Whether it has all fields of the index.
    pub(in crate::index) fn has_all_fields(&self) -> bool {
        self.frame.fields.len() == self.schema.fields.len()
    }

    /// What it has besides what its schema says.
    fn flags(&self) -> format::Flags {
        self.frame.flags
    }

    #[cold]
    fn no_field(&self, field: usize, what: &str) -> Error {
        match self.schema.fields.get(field) {
            Some(field) => Error::Argument(format!("the field {} has no {what}", field.name)),
            None => Error::Argument(format!("no {what} of field {field}")),
        }
    }
}
