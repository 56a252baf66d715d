//! Pairs of common words: the documents in which one follows the other, so that a phrase of two common words is looked up, and is
//! not looked for in the positions of both (next-word indexes: Williams, Zobel and Bahle 2004).
//!
//! ```text
//! pairs          words u32, zero u32
//!                per word its value of the dictionary u64, ascending
//!                fst map: indices of both words in that table, u16 each, big-endian → value of the list
//! lists of pairs as those of terms, with frequencies and without positions
//! ```
//! Words of the table that have no list follow each other in no document. As the lists of terms do, those of pairs contain deleted
//! documents. They are made anew for each segment, of the lists of its words, so that merging need not care for them; small
//! segments have none.

use super::file::SegmentWriter;
use super::format::Section;
use super::gather::{self, Common, gather};
use super::section::SectionRef;
use super::write::{ListWriter, not_built};
use super::{Bytes, Dictionary, Segment};
use crate::base::error::Result;
use crate::index::list::{Decoded, ListParts, Postings, View};
use crate::index::{Kind, Schema};
use fst::MapBuilder;
use std::io::Write;

/// Segments of fewer documents have no pairs: there, positions are compared in less than a millisecond. Tests have small ones.
const FROM: u32 = if cfg!(any(test, fuzzing)) { 4 } else { 1 << 17 };

/// The bytes before the table of words.
const HEAD: usize = 8;

/// Whether a segment has pairs.
pub(super) fn has_pairs(documents: u32, schema: &Schema) -> bool {
    documents >= FROM && schema.positions && schema.fields.iter().any(|field| field.kind == Kind::Text)
}

/// Bytes that writing the pairs of a field takes at most, besides those of common words' positions in a few documents.
pub(super) fn memory(documents: usize, schema: &Schema) -> usize {
    if has_pairs(documents.min(u32::MAX as usize) as u32, schema) {
        gather::MEMORY + gather::BYTES * documents
    } else {
        0
    }
}

fn key(first: u16, second: u16) -> [u8; 4] {
    let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
    [a, b, c, d]
}

/// Writes the sections of a text field whose lists are written.
pub(super) fn write(
    writer: &mut SegmentWriter,
    field: u8,
    common: Common,
    documents: u32,
    lengths: &[u8],
) -> Result<()> {
    let parts = ListParts { frequencies: true, positions: true, codecs: writer.codecs() };
    let (map, lists) = writer.map_section(Section::Lists, field)?;
    let mut gathered = gather(&map[lists], common, lengths, parts)?;
    drop(map);
    let path = writer.path().to_owned();
    let mut lists = ListWriter::begin(writer, Section::PairLists, field)?;
    let mut keys = MapBuilder::memory();
    let (mut doc_ids, mut frequencies) = (Vec::new(), Vec::new());
    for first in 0..gathered.words.len() as u16 {
        for second in 0..gathered.words.len() as u16 {
            if !gathered.take(first, second, &mut doc_ids, &mut frequencies)? {
                continue;
            }
            let postings = Postings { doc_ids: &doc_ids, frequencies: &frequencies, positions: &[], lengths };
            let value = lists.list(&postings, documents)?;
            keys.insert(key(first, second), value).map_err(|error| not_built(&path, error))?;
        }
    }
    let writer = lists.end()?;
    let keys = keys.into_inner().map_err(|error| not_built(&path, error))?;
    writer.section(Section::Pairs, field, |out| {
        out.write_all(&(gathered.words.len() as u64).to_le_bytes())?;
        gathered.words.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))?;
        out.write_all(&keys)
    })
}

/// The pairs of a field in a segment.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The words' values of the dictionary, ascending.
    words: Box<[u64]>,
    lists: Dictionary,
}

impl Pairs {
    fn parse(part: SectionRef, bytes: impl FnOnce(usize) -> Bytes) -> Result<Pairs> {
        let all = part.all()?;
        let count = all.first_chunk().map_or(u64::MAX, |count| u64::from_le_bytes(*count));
        let words = usize::try_from(count).ok().filter(|&count| count <= usize::from(u16::MAX));
        let Some(table) = words.and_then(|count| all.get(HEAD..HEAD + 8 * count)) else {
            return Err(part.corrupt(0, format!("{count} words in {} bytes", all.len())));
        };
        let words: Box<[u64]> = table.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        if !words.is_sorted_by(|one, next| one < next) {
            return Err(part.corrupt(HEAD, "words do not ascend"));
        }
        let (begin, extent) = (HEAD + table.len(), part.segment.extent(part.index));
        let lists = Dictionary::new(bytes(begin), part.segment.name_of(extent), extent.offset as usize + begin)?;
        Ok(Pairs { words, lists })
    }
}

/// What a segment knows of two words that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// Nothing: positions tell.
    Unknown,
    /// They do so in no document.
    Nowhere,
    /// Those documents, by the value for [`Segment::pair_list`].
    List(u64),
}

impl Segment {
    /// The documents in which one word follows another, given their values of the dictionary, if the segment keeps them. The
    /// first call reads the table of a field.
    ///
    /// # Errors
    /// As [`Segment::section`].
    pub fn pair(&self, field: usize, first: u64, second: u64) -> Result<Pair> {
        let Some(place) = self.pairs.get(field).filter(|_| self.flags().pairs && !self.lacks(field)) else {
            return Ok(Pair::Unknown);
        };
        let pairs = self.kept(place, || {
            let part = self.section_ref(Section::Pairs, field)?;
            let begin = self.extent(part.index).offset as usize;
            let end = begin + part.len();
            Pairs::parse(part, |head| Bytes::Mapped { map: self.map.clone(), begin: begin + head, end })
        })?;
        let place = |word| pairs.words.binary_search(&word).ok().map(|place| place as u16);
        let (Some(first), Some(second)) = (place(first), place(second)) else { return Ok(Pair::Unknown) };
        Ok(pairs.lists.get(&key(first, second))?.map_or(Pair::Nowhere, Pair::List))
    }

    /// The list of a pair, given its value: as [`Segment::list`].
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt), which names file and field.
    pub fn pair_list(&self, field: usize, value: u64, decoded: &mut Decoded) -> Result<Option<View<'_>>> {
        let parts = ListParts { positions: false, ..self.parts(field) };
        self.list_in(Section::PairLists, field, value, parts, false, decoded)
    }
}
