//! [`SegmentWriter`]: writes a segment file from front to back. [`Spill`]: bytes that wait for their place in it.

use super::SegmentMeta;
use super::format::{self, ALIGNMENT, CHUNK, Extent, FieldCounts, Flags, Frame, Section};
use super::run::Form;
use crate::base::error::Result;
use crate::base::files::{failed, failed_within};
use crate::base::huge_pages;
use crate::index::list::Codecs;
use crate::index::storage::{self, Folder};
use crate::index::{Kind, Schema, manifest};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes gathered before they are written, at a multiple of as many: with so many at a time the system keeps the file in
/// [huge pages](crate::base::huge_pages). A multiple of [`CHUNK`].
const BUFFER: usize = huge_pages::PAGE;
const _: () = assert!(BUFFER.is_multiple_of(CHUNK));

/// What a segment has besides what its schema says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Has {
    /// Documents in another order than that of insertion.
    pub reordered: bool,
    /// Stored values of forms of version 3.
    pub new_forms: bool,
    /// Documents with several numbers in a field.
    pub several: bool,
    /// Words beside stems.
    pub words: bool,
    /// What it is.
    pub form: Form,
}

/// Writes one segment. A file that is not finished is removed when the writer is dropped.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    folder: Folder,
    name: String,
    path: PathBuf,
    file: storage::File,
    buffer: Vec<u8>,
    /// Bytes that have left the buffer.
    written: u64,
    number: u64,
    frame: Frame,
    /// By field, whether it has words beside stems.
    words: Box<[bool]>,
    finished: bool,
}

impl SegmentWriter {
    /// Creates the file, which must not exist.
    pub fn create(
        folder: &Folder,
        number: u64,
        documents: u32,
        Has { reordered, new_forms, several, words, form }: Has,
        schema: &Schema,
    ) -> Result<SegmentWriter> {
        let name = manifest::segment_name(number);
        let (file, path) = (folder.create_new(&name)?, folder.path_of(&name));
        let run = form == Form::Run;
        let fields = schema.fields.iter().map(|field| (field.kind as u8, FieldCounts::default())).collect();
        let frame = Frame {
            documents,
            flags: Flags {
                pairs: !run && format::has_pairs(documents as usize, schema),
                frequent: !run && format::has_frequent(documents as usize, schema),
                positions: schema.positions,
                reordered,
                new_forms,
                several,
                words,
                new_kinds: schema.fields.iter().any(|field| field.kind == Kind::Geo),
                vectors: schema.fields.iter().any(|field| field.kind == Kind::Vector),
                weights: schema.fields.iter().any(|field| field.kind == Kind::Weights),
                champions: !run && format::has_champions(documents, schema),
                run,
                codecs: schema.codecs,
            },
            extents: Vec::new(),
            fields,
            checksums: Vec::new(),
        };
        let words = (0..schema.fields.len()).map(|field| format::has_words(frame.flags, schema, field)).collect();
        let mut buffer = Vec::with_capacity(BUFFER);
        buffer.extend(format::header(documents, frame.flags));
        let folder = folder.clone();
        Ok(SegmentWriter { folder, name, path, file, buffer, written: 0, number, frame, words, finished: false })
    }

    /// What it is.
    pub fn form(&self) -> Form {
        self.frame.flags.form()
    }

    /// The codecs of its long lists.
    pub fn codecs(&self) -> Codecs {
        self.frame.flags.codecs
    }

    /// How many documents it is to have.
    pub fn documents(&self) -> u32 {
        self.frame.documents
    }

    /// Whether it is a text field.
    pub fn is_text(&self, field: usize) -> bool {
        self.frame.fields[field].0 == Kind::Text as u8
    }

    /// Whether it is to have pairs of that field's words.
    pub fn has_pairs(&self, field: usize) -> bool {
        self.frame.flags.pairs && self.is_text(field)
    }

    /// Whether it is to have frequent words of that field.
    pub fn has_frequent(&self, field: usize) -> bool {
        self.frame.flags.frequent && self.is_text(field)
    }

    /// Whether it is to have that field's words beside stems.
    pub fn has_words(&self, field: usize) -> bool {
        self.words[field]
    }

    /// Fills the last chunk with zeros.
    pub fn end_chunk(&mut self) {
        self.buffer.resize(self.buffer.len().next_multiple_of(CHUNK), 0);
    }

    /// The file as far as it is written, which ends with a chunk, and where a section is in it.
    pub fn map_section(&mut self, section: Section, field: u8) -> Result<(Mmap, Range<usize>)> {
        self.end_chunk();
        self.empty().map_err(|error| failed(&self.path, error))?;
        let (file, _) = self.folder.open_file(&self.name).map_err(|error| failed(&self.path, error))?;
        // SAFETY: what is written is not changed any more, and nobody else knows of the file.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| failed(&self.path, error))?;
        Ok((map, self.place(section, field)))
    }

    /// Where a section that is written is in the file; nowhere if there is none.
    pub fn place(&self, section: Section, field: u8) -> Range<usize> {
        let extent = self.frame.extents.iter().find(|extent| (extent.section, extent.field) == (section, field));
        extent.map_or(0..0, |extent| extent.offset as usize..(extent.offset + extent.length) as usize)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Nothing yet, to be kept beside the segment.
    pub fn spill(&self) -> Spill {
        Spill::new(&self.folder, self.number)
    }

    /// Writes one section.
    pub fn section<T>(
        &mut self,
        section: Section,
        field: u8,
        write: impl FnOnce(&mut Self) -> io::Result<T>,
    ) -> Result<T> {
        self.begin(section, field)?;
        let result = write(self).map_err(|error| failed_within(&self.path, error))?;
        self.end();
        Ok(result)
    }

    /// Begins a section; what is written up to [`SegmentWriter::end`] is its contents.
    pub fn begin(&mut self, section: Section, field: u8) -> Result<()> {
        let gap = self.position().next_multiple_of(ALIGNMENT as u64) - self.position();
        self.write_all(&[0; ALIGNMENT][..gap as usize]).map_err(|error| failed(&self.path, error))?;
        self.frame.extents.push(Extent { section, field, offset: self.position(), length: 0 });
        Ok(())
    }

    /// Ends the section that was begun last.
    pub fn end(&mut self) {
        let position = self.position();
        if let Some(extent) = self.frame.extents.last_mut() {
            extent.length = position - extent.offset;
        }
    }

    /// Sets what the footer says of a field.
    pub fn set_counts(&mut self, field: usize, counts: FieldCounts) {
        self.frame.fields[field].1 = counts;
    }

    fn position(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Writes out the buffer, of which the last chunk may be a part only if nothing follows.
    fn empty(&mut self) -> io::Result<()> {
        self.frame.checksums.extend(self.buffer.chunks(CHUNK).map(crc32fast::hash));
        self.file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the footer. The file is not durable yet: file and folder have to be synchronised.
    pub fn finish(mut self) -> Result<SegmentMeta> {
        let result = self.close();
        let (bytes, footer_crc) = result.map_err(|error| failed(&self.path, error))?;
        // A run does not stay.
        if self.form() == Form::Segment {
            self.file.start();
        }
        self.finished = true;
        Ok(SegmentMeta { number: self.number, documents: self.frame.documents, bytes, footer_crc })
    }

    fn close(&mut self) -> io::Result<(u64, u32)> {
        self.empty()?;
        let (footer, checksum) = self.frame.footer();
        self.file.write_all(&footer)?;
        Ok((self.written + footer.len() as u64, checksum))
    }
}

impl Write for SegmentWriter {
    /// Takes all bytes: `fst` adds them to its checksum before it knows how many are taken.
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let full = BUFFER - self.written as usize % BUFFER;
            let (fits, others) = rest.split_at(rest.len().min(full - self.buffer.len()));
            self.buffer.extend_from_slice(fits);
            rest = others;
            if self.buffer.len() == full {
                self.empty()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for SegmentWriter {
    fn drop(&mut self) {
        if !self.finished {
            // The error that led here is the one to report.
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// Bytes that are kept in memory while they are few, then in a file without a name beside the segment.
#[derive(Debug)]
pub(super) struct Spill {
    folder: Folder,
    number: u64,
    memory: Vec<u8>,
    file: Option<File>,
}

impl Spill {
    /// Bytes kept in memory at most, about.
    pub const MEMORY: usize = 1 << 20;

    /// Nothing yet.
    pub fn new(folder: &Folder, number: u64) -> Spill {
        Spill { folder: folder.clone(), number, memory: Vec::new(), file: None }
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = self.folder.nameless(&format!("{}.spill", self.number));
                none.insert(file.map_err(io::Error::other)?)
            }
        };
        file.write_all(&self.memory)?;
        self.memory.clear();
        Ok(())
    }

    /// Copies all of it to `out`.
    pub fn copy_to(mut self, out: &mut impl Write) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(0))?;
            let mut buffer = vec![0; 1 << 16];
            loop {
                match file.read(&mut buffer)? {
                    0 => break,
                    read => out.write_all(&buffer[..read])?,
                }
            }
        }
        out.write_all(&self.memory)
    }
}

impl Write for Spill {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.memory.len() + bytes.len() > Spill::MEMORY && !self.memory.is_empty() {
            self.spill()?;
        }
        self.memory.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::segment::tests::schema;
    use crate::index::storage::faults::Watch;
    use crate::index::storage::power_loss::Event;

    #[test]
    fn whole_huge_pages_are_written_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let watch = Watch::new(folder.path(), None);
        let has = Has { reordered: false, new_forms: false, several: false, words: false, form: Form::Segment };
        let to = Folder::open_to_write(folder.path()).unwrap();
        let mut writer = SegmentWriter::create(&to, 1, 1, has, &schema(true)).unwrap();
        let bytes: Vec<u8> = (0..BUFFER as u32 * 2 + 12_345).map(|at| (at.wrapping_mul(at) >> 7) as u8).collect();
        let write = |out: &mut SegmentWriter| bytes.chunks(99_999).try_for_each(|piece| out.write_all(piece));
        writer.section(Section::Lists, 0, write).unwrap();
        let (map, range) = writer.map_section(Section::Lists, 0).unwrap();
        assert!(map[range] == bytes);
        writer.section(Section::Dictionary, 0, write).unwrap();
        let (map, range) = writer.map_section(Section::Dictionary, 0).unwrap();
        assert!(map[range] == bytes);
        let path = writer.path().to_path_buf();
        let meta = writer.finish().unwrap();
        assert_eq!(std::fs::metadata(path).unwrap().len(), meta.bytes);
        let ends: Vec<usize> = (watch.events().iter())
            .filter_map(|event| if let Event::Written(_, bytes) = event { Some(bytes.len()) } else { None })
            .scan(0, |end, length| {
                *end += length;
                Some(*end)
            })
            .collect();
        // Besides these, before the sections were mapped, and at the end.
        let whole: Vec<usize> = ends.iter().copied().filter(|end| end.is_multiple_of(BUFFER)).collect();
        assert_eq!(whole, [1, 2, 3, 4].map(|page| page * BUFFER));
        assert_eq!(ends.len(), whole.len() + 3, "{ends:?}");
    }

    #[test]
    fn spilled_bytes_come_back() {
        let folder = tempfile::tempdir().unwrap();
        for length in [0, 10, Spill::MEMORY, Spill::MEMORY + 1, 3 * Spill::MEMORY + 5] {
            let bytes: Vec<u8> = (0..length).map(|i| ((i * i) >> 7) as u8).collect();
            let mut spill = Spill::new(&Folder::open_to_write(folder.path()).unwrap(), 1);
            for piece in bytes.chunks(1000) {
                spill.write_all(piece).unwrap();
            }
            let mut out = Vec::new();
            spill.copy_to(&mut out).unwrap();
            assert!(out == bytes, "{length}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
