//! Yioop's shard files: the inverted index of one generation of documents.
//!
//! All numbers are big-endian `u32`.
//!
//! ```text
//! header      ten numbers: the lengths of the four regions in bytes, generation, documents per generation,
//!             documents, links, total length of documents, of links
//! prefixes    for each p = 0 …, at 8·p: byte offset into the dictionary of the first record whose key begins with
//!             the two bytes p, and how many such records there are; eight times 0xFF if there is none
//! dictionary  records of 32 bytes, by increasing key: key (20 bytes), generation, first offset into word_docs, length
//! word_docs   posting lists
//! doc map     entries, at 16 · doc index: summary offset, length and number of keys, keys (8 bytes each), 8 bytes of
//!             0xFF if the number of keys is even
//! ```
//! A record's length also gives the number of documents: if its top bit is set, the next 15 bits are the number of
//! documents and the low 16 the bytes of the list; otherwise it is all bytes, and a quarter of that stands for the
//! number of documents.
//!
//! # Why the file is read, not mapped
//! If another process shortens a mapped file, the next access kills the reader with SIGBUS, and Yioop rewrites shards
//! in place (`save` truncates first). No check before the access can exclude that, a library inside PHP should not
//! catch the signal, and copying the file costs more than a query reads. So each part is read when it is asked for,
//! with `pread`: a look-up costs two small reads (some microseconds from the page cache), and a read past the end is an
//! error. Only the header is kept between calls, so what is read is checked each time, and a file that changes while
//! open gives errors or the new contents, never a crash.

use crate::base::error::{Error, Result};
use crate::base::files::{not_regular, open_regular};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const NAME: &str = "shard";
const HEADER: u64 = 40;
const RECORD: u64 = 32;
/// Records that the iteration over the dictionary reads at once.
const RECORDS_AT_ONCE: u64 = 512;
/// The unit of the doc map.
const UNIT: u64 = 16;
const LINK: u32 = 1 << 23;

/// A word's key: what Yioop makes of the word by hashing.
pub type Key = [u8; 20];

/// The counts of a shard's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the prefix index; 0 if the shard was saved without a dictionary.
    pub prefixes_len: u32,
    /// Bytes of the dictionary; 0 if the shard was saved without one.
    pub words_len: u32,
    /// Bytes of all posting lists.
    pub word_docs_len: u32,
    /// Bytes of the doc map.
    pub doc_map_len: u32,
    /// The generation: which shard of the index this is.
    pub generation: u32,
    /// Documents that a generation takes.
    pub docs_per_generation: u32,
    /// Documents in this one.
    pub documents: u32,
    /// Links, which have entries in the doc map as documents do.
    pub links: u32,
    /// The documents' lengths together, in words.
    pub documents_len: u32,
    /// The links' lengths together, in words.
    pub links_len: u32,
}

/// What the dictionary says of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The generation that the postings are in.
    pub generation: u32,
    /// Where the word's list begins in word_docs, in bytes.
    pub first_offset: u32,
    /// Where the list's last word (of 32 bits) begins, as Yioop counts: the list ends 4 bytes after it.
    pub last_offset: u32,
    /// Documents that have the word, or for long lists (from 32,767 bytes) a quarter of the list's bytes instead.
    pub documents: u32,
}

/// An entry of the doc map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where the site keeps the document's summary.
    pub summary_offset: u32,
    /// Length in words, 23 bits. (Archive crawls keep a rank in bits 22 … 19.)
    pub length: u32,
    /// Whether it is a link to a document, not a document.
    pub is_link: bool,
    /// Its keys: hashes of its address, text and host, followed by scores.
    pub keys: Vec<[u8; 8]>,
}

/// A shard file, open for reading. The header is read once; everything else when it is asked for.
#[derive(Debug)]
pub struct Shard {
    file: File,
    path: PathBuf,
    header: Header,
}

/// Bytes of a shard's doc map that were read ahead. See [`Shard::document_in`].
#[derive(Debug)]
pub struct Window {
    begin: u64,
    bytes: Vec<u8>,
    /// How many bytes to read at once.
    ahead: u64,
}

impl Default for Window {
    fn default() -> Self {
        Window { begin: 0, bytes: Vec::new(), ahead: 4096 }
    }
}

impl Window {
    /// `len` bytes from byte `begin` of the file, which has `left` bytes of the doc map from there on, at least `len`.
    fn bytes(&mut self, shard: &Shard, begin: u64, len: usize, left: u64, item: &impl Fn() -> String) -> Result<&[u8]> {
        let inside = begin >= self.begin && begin + len as u64 <= self.begin + self.bytes.len() as u64;
        if !inside {
            self.bytes.clear();
            self.bytes = shard.read(begin, left.min(self.ahead.max(len as u64)) as usize, &item())?;
            self.begin = begin;
        }
        let at = (begin - self.begin) as usize;
        Ok(&self.bytes[at..at + len])
    }
}

/// A part of the file.
#[derive(Debug, Clone, Copy)]
struct Region {
    begin: u64,
    len: u64,
}

impl Shard {
    /// Opens a shard file and checks its header against its length.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be opened or is not a regular file; [`Error::Corrupt`] if it is shorter or longer
    /// than its header says.
    pub fn open(path: impl AsRef<Path>) -> Result<Shard> {
        let path = path.as_ref().to_path_buf();
        let failed = |error: std::io::Error| Error::File { path: path.display().to_string(), what: error.to_string() };
        // Asked before it is opened too, because opening a device may have effects of its own.
        if !std::fs::metadata(&path).map_err(failed)?.is_file() {
            return Err(failed(not_regular()));
        }
        let (file, file_len) = open_regular(&path).map_err(failed)?;
        let mut shard = Shard { file, path, header: Header::parse([0; 10]) };
        let header = shard.read(0, HEADER as usize, "header")?;
        shard.header = Header::parse(std::array::from_fn(|i| number(&header, i)));
        shard.check_header(file_len)?;
        Ok(shard)
    }

    fn check_header(&self, file_len: u64) -> Result<()> {
        let header = &self.header;
        let wrong = |offset, what: String| Err(Error::corrupt(NAME, "header", offset, what));
        let total = HEADER
            + [header.prefixes_len, header.words_len, header.word_docs_len, header.doc_map_len]
                .map(u64::from)
                .iter()
                .sum::<u64>();
        if total != file_len {
            return wrong(
                0,
                format!("it and the regions that it tells of take {total} bytes, the file has {file_len}"),
            );
        }
        if u64::from(header.words_len) % RECORD != 0 {
            return wrong(4, format!("the dictionary's length {} is no multiple of 32", header.words_len));
        }
        if !header.prefixes_len.is_multiple_of(8) || (header.prefixes_len != 0 && header.prefixes_len < 8 << 16) {
            return wrong(0, format!("a prefix index of {} bytes does not cover all prefixes", header.prefixes_len));
        }
        if header.words_len != 0 && header.prefixes_len == 0 {
            return wrong(0, "there is a dictionary, but no prefix index".into());
        }
        if !header.word_docs_len.is_multiple_of(4) {
            return wrong(8, format!("the posting lists' length {} is no multiple of 4", header.word_docs_len));
        }
        if u64::from(header.doc_map_len) % UNIT != 0 {
            return wrong(12, format!("the doc map's length {} is no multiple of 16", header.doc_map_len));
        }
        Ok(())
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the file has a dictionary of its own. Where it has none, the site's dictionary has the records.
    pub fn has_dictionary(&self) -> bool {
        self.header.prefixes_len != 0
    }

    fn prefixes(&self) -> Region {
        Region { begin: HEADER, len: self.header.prefixes_len.into() }
    }

    fn words(&self) -> Region {
        let before = self.prefixes();
        Region { begin: before.begin + before.len, len: self.header.words_len.into() }
    }

    fn word_docs(&self) -> Region {
        let before = self.words();
        Region { begin: before.begin + before.len, len: self.header.word_docs_len.into() }
    }

    fn doc_map(&self) -> Region {
        let before = self.word_docs();
        Region { begin: before.begin + before.len, len: self.header.doc_map_len.into() }
    }

    /// Reads bytes that lie inside the file as it was when it was opened; `what` names them in errors.
    fn read(&self, offset: u64, len: usize, what: &str) -> Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.read_into(offset, &mut bytes, what)?;
        Ok(bytes)
    }

    /// As [`read`](Self::read), to fill `bytes`.
    fn read_into(&self, offset: u64, bytes: &mut [u8], what: &str) -> Result<()> {
        let len = bytes.len();
        self.file.read_exact_at(bytes, offset).map_err(|error| {
            if error.kind() == std::io::ErrorKind::UnexpectedEof {
                Error::corrupt(NAME, what, offset as usize, format!("the file ends before its {len} bytes do"))
            } else {
                Error::File { path: self.path.display().to_string(), what: error.to_string() }
            }
        })
    }

    /// What the dictionary says of a word; `None` if the shard does not have it. Two small reads.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; [`Error::Argument`] if the shard was saved without a dictionary.
    pub fn lookup(&self, key: &Key) -> Result<Option<Record>> {
        if !self.has_dictionary() {
            return Err(Error::Argument(format!("{}: the shard was saved without a dictionary", self.path.display())));
        }
        let prefix = u64::from(u16::from_be_bytes([key[0], key[1]]));
        let at = self.prefixes().begin + 8 * prefix;
        let item = || format!("prefix {prefix:#06x}");
        let entry = self.read(at, 8, &item())?;
        if entry == [0xFF; 8] {
            return Ok(None);
        }
        let (offset, count) = (u64::from(number(&entry, 0)), u64::from(number(&entry, 1)));
        let words = self.words();
        if offset % RECORD != 0 || offset + count * RECORD > words.len {
            let what = format!("{count} records at byte {offset} of a dictionary of {} bytes", words.len);
            return Err(Error::corrupt(NAME, item(), at as usize, what));
        }
        // As many keys as hash to one prefix: a few, or up to the whole dictionary in a hostile file.
        let (mut low, mut high) = (0, count);
        while high - low > RECORDS_AT_ONCE {
            let middle = low + (high - low) / 2;
            let record = self.read(words.begin + offset + middle * RECORD, RECORD as usize, "dictionary")?;
            if record[..20] <= key[..] { low = middle } else { high = middle }
        }
        let begin = words.begin + offset + low * RECORD;
        let records = self.read(begin, ((high - low) * RECORD) as usize, "dictionary")?;
        let (records, _) = records.as_chunks::<{ RECORD as usize }>();
        match records.binary_search_by(|record| record[..20].cmp(key)) {
            Ok(i) => self.record(&records[i], begin + i as u64 * RECORD).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Checks the record that stands at byte `at` of the file.
    fn record(&self, record: &[u8; RECORD as usize], at: u64) -> Result<Record> {
        let (generation, first_offset, len) = (number(record, 5), number(record, 6), number(record, 7));
        let (len, documents) = if len >> 31 == 1 { (len & 0xFFFF, len >> 16 & 0x7FFF) } else { (len, len / 4) };
        let end = u64::from(first_offset) + u64::from(len);
        if len == 0 || !len.is_multiple_of(4) || !first_offset.is_multiple_of(4) || end > self.word_docs().len {
            return Err(Error::corrupt(
                NAME,
                format!("record {}", (at - self.words().begin) / RECORD),
                at as usize,
                format!("a list of {len} bytes at byte {first_offset} of {} bytes of lists", self.header.word_docs_len),
            ));
        }
        Ok(Record { generation, first_offset, last_offset: first_offset + (len - 4), documents })
    }

    /// The posting list of a word, raw; `None` if the shard does not have the word. One read more than
    /// [`lookup`](Self::lookup).
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup). The postings themselves are not checked.
    pub fn postings(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.lookup(key)?.map(|record| self.postings_at(record.first_offset, record.last_offset)).transpose()
    }

    /// The bytes of word_docs from `first_offset` to the word at `last_offset`, which is included: a posting list, if
    /// the offsets are those of a [`Record`] or of the site's own dictionary. One read.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are no such bytes; [`Error::Corrupt`] if the file has become shorter.
    pub fn postings_at(&self, first_offset: u32, last_offset: u32) -> Result<Vec<u8>> {
        let (begin, len) = self.check_postings(first_offset, last_offset)?;
        self.read(begin, len, "postings")
    }

    /// How many bytes [`postings_at`](Self::postings_at) would read.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are no such bytes.
    pub fn postings_len(&self, first_offset: u32, last_offset: u32) -> Result<usize> {
        Ok(self.check_postings(first_offset, last_offset)?.1)
    }

    /// As [`postings_at`](Self::postings_at), into memory of the caller, as long as
    /// [`postings_len`](Self::postings_len) says.
    ///
    /// # Errors
    /// As [`postings_at`](Self::postings_at); [`Error::Argument`] for memory of another length.
    pub fn read_postings_at(&self, first_offset: u32, last_offset: u32, postings: &mut [u8]) -> Result<()> {
        let (begin, len) = self.check_postings(first_offset, last_offset)?;
        if postings.len() != len {
            return Err(Error::Argument(format!("{len} bytes of postings do not fit {} bytes", postings.len())));
        }
        self.read_into(begin, postings, "postings")
    }

    /// Where in the file those bytes are, and how many: see [`postings_at`](Self::postings_at).
    pub(super) fn check_postings(&self, first_offset: u32, last_offset: u32) -> Result<(u64, usize)> {
        let region = self.word_docs();
        let (first, end) = (u64::from(first_offset), u64::from(last_offset) + 4);
        if first % 4 != 0 || end % 4 != 0 || end <= first || end > region.len {
            return Err(Error::Argument(format!(
                "no postings from byte {first_offset} to the word at {last_offset}: the lists have {} bytes",
                region.len
            )));
        }
        Ok((region.begin + first, (end - first) as usize))
    }

    /// The entry of the doc map at a doc index. An entry has to begin there, as with those of postings; the bytes
    /// inside an entry would be taken for another entry. One read, or two for more than 13 keys.
    ///
    /// # Errors
    /// [`Error::Argument`] if the doc map is shorter; [`Error::Corrupt`] if the entry does not end
    /// within it.
    pub fn document(&self, doc_index: u32) -> Result<Document> {
        self.document_and_len(doc_index).map(|(document, _)| document)
    }

    /// As [`document`](Self::document), for a caller that asks for many in ascending order: entries near each other
    /// come with one read. The window belongs to this shard alone.
    pub fn document_in(&self, doc_index: u32, window: &mut Window) -> Result<Document> {
        self.document_through(doc_index, window).map(|(document, _)| document)
    }

    /// The entry, and its length in bytes.
    fn document_and_len(&self, doc_index: u32) -> Result<(Document, u64)> {
        self.document_through(doc_index, &mut Window { ahead: 112, ..Window::default() })
    }

    fn document_through(&self, doc_index: u32, window: &mut Window) -> Result<(Document, u64)> {
        let region = self.doc_map();
        let at = u64::from(doc_index) * UNIT;
        if at >= region.len {
            return Err(Error::Argument(format!(
                "no document has the doc index {doc_index}: the doc map has {} units",
                region.len / UNIT
            )));
        }
        let item = || format!("document {doc_index}");
        let begin = region.begin + at;
        let left = region.len - at;
        // The lengths are multiples of 16, so an entry has its first two numbers.
        let info = number(window.bytes(self, begin, 8, left, &item)?, 1);
        let keys = (info & 0xFF) as usize;
        let len = 8 + 8 * (keys + usize::from(keys.is_multiple_of(2)));
        if len as u64 > left {
            let what = format!("it has {keys} keys, but only {left} bytes are left in the doc map");
            return Err(Error::corrupt(NAME, item(), begin as usize, what));
        }
        let entry = window.bytes(self, begin, len, left, &item)?;
        let document = Document {
            summary_offset: number(entry, 0),
            length: info >> 8 & (LINK - 1),
            is_link: info >> 8 & LINK != 0,
            keys: entry[8..8 + 8 * keys].as_chunks().0.to_vec(),
        };
        Ok((document, len as u64))
    }

    /// All entries of the doc map with their doc indexes, in order. Ends after the first error.
    pub fn documents(&self) -> impl Iterator<Item = Result<(u32, Document)>> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let region = self.doc_map();
            if at >= region.len {
                return None;
            }
            let doc_index = (at / UNIT) as u32;
            let entry = self.document_and_len(doc_index);
            at = entry.as_ref().map_or(region.len, |(_, len)| at + len);
            Some(entry.map(|(document, _)| (doc_index, document)))
        })
    }

    /// All records of the dictionary with their keys, in its order, which is checked; none if the shard was saved
    /// without a dictionary. Ends after the first error. Reads 16 KiB at a time.
    pub fn dictionary(&self) -> Dictionary<'_> {
        Dictionary { shard: self, next: 0, chunk: Vec::new(), chunk_at: 0, last_key: None }
    }
}

/// The records of a dictionary. See [`Shard::dictionary`].
#[derive(Debug)]
pub struct Dictionary<'a> {
    shard: &'a Shard,
    /// The next record, in bytes of the dictionary; at its end or beyond, there is none.
    next: u64,
    chunk: Vec<u8>,
    /// Where the chunk begins in the dictionary.
    chunk_at: u64,
    last_key: Option<Key>,
}

impl Dictionary<'_> {
    fn read_next(&mut self, words: Region) -> Result<(Key, Record)> {
        if self.next >= self.chunk_at + self.chunk.len() as u64 {
            let len = (words.len - self.next).min(RECORDS_AT_ONCE * RECORD) as usize;
            self.chunk = self.shard.read(words.begin + self.next, len, "dictionary")?;
            self.chunk_at = self.next;
        }
        let in_chunk = (self.next - self.chunk_at) as usize;
        let at = words.begin + self.next;
        let Some(bytes) = self.chunk[in_chunk..].first_chunk() else {
            return Err(Error::corrupt(NAME, "dictionary", at as usize, "it ends within a record"));
        };
        let record = self.shard.record(bytes, at)?;
        let mut key = [0; 20];
        key.copy_from_slice(&bytes[..20]);
        if self.last_key.is_some_and(|last| last >= key) {
            let item = format!("record {}", self.next / RECORD);
            return Err(Error::corrupt(NAME, item, at as usize, "its key is not greater than the one before it"));
        }
        self.last_key = Some(key);
        self.next += RECORD;
        Ok((key, record))
    }
}

impl Iterator for Dictionary<'_> {
    type Item = Result<(Key, Record)>;

    fn next(&mut self) -> Option<Self::Item> {
        let words = self.shard.words();
        if self.next >= words.len {
            return None;
        }
        let record = self.read_next(words);
        if record.is_err() {
            self.next = words.len;
        }
        Some(record)
    }
}

impl Header {
    /// From the ten numbers, in the order of the file.
    fn parse(numbers: [u32; 10]) -> Header {
        Header {
            prefixes_len: numbers[0],
            words_len: numbers[1],
            word_docs_len: numbers[2],
            doc_map_len: numbers[3],
            generation: numbers[4],
            docs_per_generation: numbers[5],
            documents: numbers[6],
            links: numbers[7],
            documents_len: numbers[8],
            links_len: numbers[9],
        }
    }
}

/// The `i`th number of `bytes`, which are long enough.
fn number(bytes: &[u8], i: usize) -> u32 {
    u32::from_be_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may have taken the file's place: opening returns at once. (It would wait for a writer of the pipe.)
    #[test]
    fn only_regular_files_are_opened() {
        let pipe = std::env::temp_dir().join(format!("postings-{}-pipe", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let opened = open_regular(&pipe);
        std::fs::remove_file(&pipe).unwrap();
        assert_eq!(opened.unwrap_err().to_string(), "not a regular file");
        for path in [Path::new("/dev/null"), &std::env::temp_dir()] {
            assert_eq!(open_regular(path).unwrap_err().to_string(), "not a regular file");
        }
        let (_, len) = open_regular(Path::new(file!())).unwrap();
        assert_eq!(len, std::fs::metadata(file!()).unwrap().len());
    }
}
