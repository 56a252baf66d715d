//! Segments: the immutable files that an index consists of.
//!
//! | file | what |
//! |---|---|
//! | [`build`] | documents in memory → a segment |
//! | `terms`, `invert` | numbers for terms; tokens in the order of documents → postings in the order of terms |
//! | [`merge`], `plan` | several segments → one, without deleted documents |
//! | [`reorder`] | an order of documents in which lists are shorter |
//! | `format` | header, table of sections, footer |
//! | `file`, `write` | files from front to back; the sections with terms |
//! | `ids`, `numbers`, `stored`, `packed` | the sections of documents |
//! | `part` | one section of an open segment |
//!
//! A segment has a section per field and purpose. Each is at a multiple of 64 bytes, so that lists can be used where they
//! are mapped. Every 16 KiB of the file has a CRC-32 in the footer: opening reads and checks header and footer alone
//! (some 40 KB for a file of 150 MB), and every other part is checked when it is first used in a process. Bytes that have
//! passed are those that were written, but whoever reads them checks counts and offsets all the same.

pub mod build;
mod file;
mod format;
mod hash;
mod ids;
mod invert;
pub mod merge;
mod numbers;
mod packed;
mod part;
mod plan;
pub mod reorder;
mod stored;
mod terms;
mod write;

#[cfg(test)]
mod tests;

pub use build::SegmentBuilder;
pub use format::{FieldCounts, Section};
pub use ids::{IdRef, Ids};
pub(super) use merge::merge;
pub use numbers::Column;
pub use plan::Input;

use crate::base::error::{Error, Result};
use crate::base::files::failed;
use crate::base::identity::Identity;
use crate::index::list::{self, Codecs, Decoded, List, Parts, View};
use crate::index::storage::Folder;
use crate::index::{Id, Kind, Schema, Value};
use format::{CHUNK, Extent, Frame, NO_FIELD};
use memmap2::Mmap;
use part::Part;
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, RwLock};

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

/// Bytes of a mapped file that outlive borrows of the segment.
#[derive(Debug, Clone)]
pub struct Bytes {
    map: Arc<Mmap>,
    begin: usize,
    end: usize,
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.map[self.begin..self.end]
    }
}

/// The terms of a field, in order, each with the value by which its list is found.
pub type Dictionary = fst::Map<Bytes>;

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
    indices: Vec<[u16; 9]>,
    /// A bit per chunk whose checksum has been compared.
    checked: Box<[AtomicU64]>,
    /// Per section, whether all its chunks have.
    whole: Box<[AtomicBool]>,
    dictionaries: Box<[OnceLock<Dictionary>]>,
    /// Long lists that were checked, by field and value.
    sound: RwLock<HashSet<(u8, u64)>>,
    /// See [`kept_ordinals`](Self::kept_ordinals).
    ordinals: OnceLock<Box<[u32]>>,
    identity: Identity,
}

/// An error in a list, with the name of the file.
#[cold]
fn named(part: &Part, error: Error) -> Error {
    match error {
        Error::Corrupt { item, offset, what, .. } => part.corrupt(offset, format!("{item}: {what}")),
        other => other,
    }
}

impl Segment {
    /// Opens the file at `path`, of which the manifest says `meta`. Header and footer are read and checked: some 50 µs for
    /// a file of 150 MB.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be opened or mapped; [`Error::Corrupt`], which names file and part, if it is
    /// damaged, another one, or of another schema.
    pub fn open(path: &Path, meta: &SegmentMeta, schema: Arc<Schema>) -> Result<Arc<Segment>> {
        let (folder, name) = (path.parent().unwrap_or(Path::new("/")), path.file_name().unwrap_or_default());
        Segment::open_in(&Folder::open(folder)?, &name.to_string_lossy(), meta, schema)
    }

    /// As [`open`](Self::open), in an open folder.
    pub(super) fn open_in(
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
        let frame = Frame::parse(&map, meta, &schema).map_err(bad)?;
        let mut indices = vec![[0; 9]; schema.fields.len() + 1];
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
            sound: RwLock::default(),
            ordinals: OnceLock::new(),
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
        self.frame.fields.get(field).map(|field| field.1).ok_or_else(|| self.no_field(field, "such"))
    }

    /// All of a section, `field` being 255 for those of no field. The first call reads it and compares its checksums.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such section, [`Error::Corrupt`] if it is damaged.
    pub fn section(&self, section: Section, field: usize) -> Result<&[u8]> {
        self.part(section, field)?.all()
    }

    /// All of a section, without comparing checksums: for lists, whose structure is checked when they are found and of
    /// which [`Segment::range`] checks the part in use.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such section.
    fn unchecked(&self, section: Section, field: usize) -> Result<&[u8]> {
        let extent = self.extent(self.part(section, field)?.index);
        Ok(&self.map[extent.offset as usize..][..extent.length as usize])
    }

    /// The terms of a text or keyword field. The first call reads the whole dictionary.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn dictionary(&self, field: usize) -> Result<&Dictionary> {
        let Some(place) = self.dictionaries.get(field) else { return Err(self.no_field(field, "such")) };
        if let Some(dictionary) = place.get() {
            return Ok(dictionary);
        }
        let part = self.part(Section::Dictionary, field)?;
        part.all()?;
        let begin = self.extent(part.index).offset as usize;
        let bytes = Bytes { map: self.map.clone(), begin, end: begin + part.len() };
        let map = fst::Map::new(bytes).map_err(|error| part.corrupt(0, error.to_string()))?;
        if map.len() as u64 != self.frame.fields[field].1.terms {
            return Err(part.corrupt(0, format!("{} terms, not {}", map.len(), self.frame.fields[field].1.terms)));
        }
        Ok(place.get_or_init(|| map))
    }

    /// The value by which the list of a term is found in the field's lists, if the segment has the term.
    ///
    /// # Errors
    /// As [`Segment::section`].
    #[inline]
    pub fn term(&self, field: usize, term: &[u8]) -> Result<Option<u64>> {
        Ok(self.dictionary(field)?.get(term))
    }

    /// Which parts the lists of a field have.
    pub fn parts(&self, field: usize) -> Parts {
        let text = self.schema.fields.get(field).is_some_and(|field| field.kind == Kind::Text);
        Parts { frequencies: text, positions: text && self.schema.positions, codecs: self.codecs() }
    }

    /// The list of a term, given its value: a long one as a view, a short one decoded, with positions only if they are
    /// `wanted`. The first call for a long list reads it, compares its checksums and checks its structure; later ones are
    /// O(1).
    ///
    /// # Errors
    /// [`Error::Corrupt`], which names file and field.
    pub fn list(&self, field: usize, value: u64, wanted: bool, decoded: &mut Decoded) -> Result<Option<View<'_>>> {
        let part = self.part(Section::Lists, field)?;
        let named = |error| named(&part, error);
        let (documents, parts) = (self.documents(), self.parts(field));
        let list = List::find(self.unchecked(Section::Lists, field)?, value, documents, parts).map_err(named)?;
        let start = (value >> 1) as usize;
        let view = match list {
            List::Long(view) => view,
            List::Short(bytes) => {
                let length = list::decode_short(bytes, documents, parts, wanted, decoded).map_err(named)?;
                return part.range(start, length).map(|_| None);
            }
        };
        let key = (field as u8, value);
        if !self.sound.read().is_ok_and(|sound| sound.contains(&key)) {
            part.range(start, view.bytes())?;
            list.check(documents).map_err(named)?;
            if let Ok(mut sound) = self.sound.write() {
                sound.insert(key);
            }
        }
        Ok(Some(view))
    }

    /// How many documents contain a term, given its value.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn documents_with(&self, field: usize, value: u64) -> Result<u64> {
        let part = self.part(Section::Lists, field)?;
        // A posting list begins with its length.
        let start = (value >> 1) as usize;
        let front = part.range(start, 8.min(part.len().saturating_sub(start)))?;
        list::count(front, value).map(u64::from).map_err(|error| named(&part, error))
    }

    /// As [`lengths`](Self::lengths), followed by four readable bytes of anything.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn padded_lengths(&self, field: usize) -> Result<&[u8]> {
        let part = self.part(Section::Lengths, field)?;
        let begin = self.extent(part.index).offset as usize;
        // The footer comes after the last section.
        part.all().map(|lengths| &self.map[begin..begin + lengths.len() + 4])
    }

    /// Decodes the whole list of a term, given its value.
    ///
    /// # Errors
    /// [`Error::Corrupt`], which names file and field.
    pub fn decode(&self, field: usize, value: u64, decoded: &mut Decoded) -> Result<()> {
        let part = self.part(Section::Lists, field)?;
        list::decode(part.all()?, value, self.documents(), self.parts(field), decoded)
            .map_err(|error| named(&part, error))
    }

    /// The length bytes of a text field, one per document.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn lengths(&self, field: usize) -> Result<&[u8]> {
        self.section(Section::Lengths, field)
    }

    /// The numbers of a numeric field, for many documents.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn column(&self, field: usize) -> Result<Column<'_>> {
        Column::parse(self.part(Section::Numbers, field)?, self.documents())
    }

    /// The number of a document, if it has one.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn number(&self, field: usize, doc: u32) -> Result<Option<f64>> {
        Ok(self.column(field)?.get(doc))
    }

    /// The ids, for many documents.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn ids(&self) -> Result<Ids<'_>> {
        Ids::parse(self.part_of_none(Section::Ids)?, self.documents())
    }

    /// The id of a document.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, [`Error::Corrupt`].
    pub fn id(&self, doc: u32) -> Result<Id> {
        Ok(self.ids()?.get(doc)?.to_id())
    }

    /// The document that has an id, deleted or not.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn find<'i>(&self, id: impl Into<IdRef<'i>>) -> Result<Option<u32>> {
        let (id, ids) = (id.into(), self.ids()?);
        if ids.increases() { ids.search(id) } else { ids.look_up(self.part_of_none(Section::IdIndex)?, id) }
    }

    /// The rank of a document in the order of insertion: its docID, unless the segment is reordered.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, [`Error::Corrupt`].
    #[inline]
    pub fn ordinal(&self, doc: u32) -> Result<u32> {
        if self.is_reordered() {
            return ids::ordinal(self.part_of_none(Section::Ordinals)?, self.documents(), doc);
        }
        if doc < self.documents() {
            Ok(doc)
        } else {
            Err(Error::Argument(format!("document {doc} of {}", self.documents())))
        }
    }

    /// The ranks of all documents, if the segment is reordered; each rank occurs once.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn ordinals(&self) -> Result<Option<Vec<u32>>> {
        match self.is_reordered() {
            true => ids::ordinals(self.part_of_none(Section::Ordinals)?, self.documents()).map(Some),
            false => Ok(None),
        }
    }

    /// As [`ordinals`](Self::ordinals), decoded by the first call and kept: four bytes per document.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn kept_ordinals(&self) -> Result<Option<&[u32]>> {
        if !self.is_reordered() {
            return Ok(None);
        }
        if let Some(ordinals) = self.ordinals.get() {
            return Ok(Some(ordinals));
        }
        let ordinals = self.ordinals()?.unwrap_or_default().into_boxed_slice();
        Ok(Some(self.ordinals.get_or_init(|| ordinals)))
    }

    /// The stored values of a document, by field number, in the order in which they were given.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such document, [`Error::Corrupt`].
    pub fn stored(&self, doc: u32) -> Result<Vec<(usize, Value)>> {
        self.all_stored()?.get(self.ordinal(doc)?)
    }

    fn all_stored(&self) -> Result<stored::Stored<'_>> {
        Ok(stored::Stored {
            blocks: self.part_of_none(Section::Stored)?,
            directory: self.part_of_none(Section::StoredDirectory)?,
            documents: self.documents(),
            fields: self.schema.fields.len(),
        })
    }

    fn part(&self, section: Section, field: usize) -> Result<Part<'_>> {
        let row = if field == usize::from(NO_FIELD) { self.schema.fields.len() } else { field };
        match self.indices.get(row).map(|row| row[section as usize]) {
            Some(index) if index != 0 => Ok(Part { segment: self, index: index as usize - 1 }),
            _ => Err(self.no_field(field, section.name())),
        }
    }

    /// A section that belongs to no field.
    fn part_of_none(&self, section: Section) -> Result<Part<'_>> {
        self.part(section, NO_FIELD.into()).map_err(|_| {
            Error::corrupt(
                "segment",
                format!("footer of {}", self.path.display()),
                self.body,
                format!("no {}", section.name()),
            )
        })
    }

    #[inline]
    fn extent(&self, index: usize) -> &Extent {
        &self.frame.extents[index]
    }

    #[cold]
    fn no_field(&self, field: usize, what: &str) -> Error {
        match self.schema.fields.get(field) {
            Some(field) => Error::Argument(format!("the field {} has no {what}", field.name)),
            None => Error::Argument(format!("no {what} of field {field}")),
        }
    }

    /// The name of a section, for messages.
    fn name_of(&self, extent: &Extent) -> String {
        let field = self.schema.fields.get(usize::from(extent.field));
        let field = field.map(|field| format!(" of the field {}", field.name)).unwrap_or_default();
        format!("{}{field} in {}", extent.section.name(), self.path.display())
    }

    fn checked_section(&self, index: usize) -> Result<&[u8]> {
        let extent = &self.frame.extents[index];
        let (begin, length) = (extent.offset as usize, extent.length as usize);
        if !self.whole[index].load(Relaxed) {
            self.check(index, begin, begin + length)?;
            self.whole[index].store(true, Relaxed);
        }
        Ok(&self.map[begin..begin + length])
    }

    #[inline]
    fn checked_range(&self, index: usize, start: usize, length: usize) -> Result<&[u8]> {
        let extent = &self.frame.extents[index];
        let section = extent.length as usize;
        if start > section || length > section - start {
            let part = Part { segment: self, index };
            return Err(
                part.corrupt(start.min(section), format!("{length} bytes are wanted in a section of {section}"))
            );
        }
        let begin = extent.offset as usize + start;
        if !self.whole[index].load(Relaxed) {
            self.check(index, begin, begin + length)?;
        }
        Ok(&self.map[begin..begin + length])
    }

    /// Compares the checksums of the chunks that hold the bytes from `begin` to `end`, unless that was done.
    fn check(&self, index: usize, begin: usize, end: usize) -> Result<()> {
        for chunk in begin / CHUNK..end.div_ceil(CHUNK) {
            let (word, bit) = (&self.checked[chunk / 64], 1 << (chunk % 64));
            // The bytes never change, so nothing has to be ordered with them.
            if word.load(Relaxed) & bit != 0 {
                continue;
            }
            let bytes = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.body);
            let checksum = crc32fast::hash(&self.map[bytes.clone()]);
            if checksum != self.frame.checksums[chunk] {
                let what = format!("the checksum of its bytes {}..{} differs", bytes.start, bytes.end);
                let extent = self.extent(index);
                return Err(Error::corrupt(
                    "segment",
                    self.name_of(extent),
                    bytes.start.max(extent.offset as usize),
                    what,
                ));
            }
            word.fetch_or(bit, Relaxed);
        }
        Ok(())
    }
}
