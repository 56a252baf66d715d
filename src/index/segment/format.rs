//! The frame of a segment file: header, table of sections, footer.
//!
//! ```text
//! header    64 bytes: "PSEG", version u32, documents u32, flags u32, zeros
//! sections  each at a multiple of 64 bytes; zeros between them
//! footer    sections u32, fields u32, chunks u32, documents u32, flags u32, zero u32
//!           per section, in the order of the file: kind u8, field u8, 6 zeros, offset u64, length u64
//!           per field: kind u8, 3 zeros, documents u32, tokens u64, terms u64
//!           per chunk of 16 KiB of everything before the footer: CRC-32 u32
//! tail      24 bytes: length of the footer u64, CRC-32 of the footer and that length u32, zero u32, "PSEG-end"
//! ```
//! All numbers are little-endian. A field of 255 is that of sections that belong to none. Flags: bit 0: positions; bit 1:
//! reordered; bit 2: stored values of forms that came with version 3; bit 3: fields of kinds that came with version 4; bit 4:
//! words beside stems; bit 5: several numbers of a document; bit 6: pairs of words; bit 7: frequent words; bits 8–15 and
//! 16–23: the codecs of frequencies and positions; bit 24: vectors; bit 25: weights; bit 26: champions; bit 27: a run.
//! Segments are of the oldest version that has what they have, so that older releases can read them: of version 1 if both
//! codecs are 0, otherwise of version 2; with bit 2 of version 3, with one of bits 3–7 of version 4, with one of bits 24–27 of
//! version 5.
//!
//! A segment may have fewer fields than its index: those that were added later.

use super::run::Form;
use crate::index::list::{Codecs, champions};
use crate::index::{Kind, Schema};

/// The first four bytes of a segment.
pub(super) const MAGIC: [u8; 4] = *b"PSEG";
/// Its last eight.
pub(super) const END: [u8; 8] = *b"PSEG-end";
/// The newest version of the format.
pub(super) const VERSION: u32 = 5;
/// The bytes of a footer before its rows.
pub(super) const FOOTER_HEAD: usize = 24;
/// The bytes of a section or a field in a footer.
pub(super) const FOOTER_ROW: usize = 24;
/// The bytes of the header.
pub(super) const HEADER: usize = 64;
/// The bytes after the footer.
pub(super) const TAIL: usize = 24;
/// Each CRC is that of this many bytes; the last may be of fewer.
pub(super) const CHUNK: usize = 16 << 10;
/// Sections begin at multiples of this.
pub(super) const ALIGNMENT: usize = 64;
/// The field of sections that belong to none.
pub(super) const NO_FIELD: u8 = 255;

/// What a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Section {
    /// Encoded lists of a field with terms, with [`PADDING`](crate::index::list::PADDING).
    Lists = 0,
    /// `fst` map of a field with terms: term → value of [`encode`](crate::index::list::encode).
    Dictionary = 1,
    /// Length bytes of a text or weights field.
    Lengths = 2,
    /// The column of a numeric field.
    Numbers = 3,
    /// The callers' ids of the documents.
    Ids = 4,
    /// docIDs in order of the hashes of their ids.
    IdIndex = 5,
    /// Compressed blocks of stored values.
    Stored = 6,
    /// Where those blocks are.
    StoredDirectory = 7,
    /// Insertion ranks of reordered documents.
    Ordinals = 8,
    /// The points of a geo field.
    Points = 9,
    /// Words of a text field whose terms are stems.
    Words = 10,
    /// Which common words follow each other in a text field.
    Pairs = 11,
    /// Encoded lists of such pairs, with [`PADDING`](crate::index::list::PADDING).
    PairLists = 12,
    /// The frequent words of a text field.
    Frequent = 13,
    /// The vectors of a vector field.
    Vectors = 14,
    /// Their codes.
    Codes = 15,
    /// Their clusters.
    Clusters = 16,
    /// The terms of a field with terms, in a [run](super::run), each with a value as in the dictionary of others.
    Terms = 17,
}

impl Section {
    pub(super) const ALL: [Section; 18] = [
        Section::Lists,
        Section::Dictionary,
        Section::Lengths,
        Section::Numbers,
        Section::Ids,
        Section::IdIndex,
        Section::Stored,
        Section::StoredDirectory,
        Section::Ordinals,
        Section::Points,
        Section::Words,
        Section::Pairs,
        Section::PairLists,
        Section::Frequent,
        Section::Vectors,
        Section::Codes,
        Section::Clusters,
        Section::Terms,
    ];

    /// Its name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Section::Lists => "lists",
            Section::Dictionary => "dictionary",
            Section::Lengths => "lengths",
            Section::Numbers => "numbers",
            Section::Ids => "ids",
            Section::IdIndex => "index of ids",
            Section::Stored => "stored values",
            Section::StoredDirectory => "directory of stored values",
            Section::Ordinals => "ordinals",
            Section::Points => "points",
            Section::Words => "words",
            Section::Pairs => "pairs",
            Section::PairLists => "lists of pairs",
            Section::Frequent => "frequent words",
            Section::Vectors => "vectors",
            Section::Codes => "codes of vectors",
            Section::Clusters => "clusters of vectors",
            Section::Terms => "terms",
        }
    }

    /// Where a file of that form has the terms of a field.
    pub(super) fn of_terms(form: Form) -> Section {
        match form {
            Form::Segment => Section::Dictionary,
            Form::Run => Section::Terms,
        }
    }

    /// Whether a segment of that schema may have the section for that field.
    pub(super) fn belongs(self, field: u8, schema: &Schema) -> bool {
        let kind = schema.fields.get(field as usize).map(|field| field.kind);
        match self {
            Section::Lists | Section::Dictionary | Section::Terms => kind.is_some_and(Kind::has_terms),
            Section::Lengths => kind.is_some_and(Kind::has_lengths),
            Section::Words | Section::Pairs | Section::PairLists | Section::Frequent => kind == Some(Kind::Text),
            Section::Numbers => kind == Some(Kind::Numeric),
            Section::Points => kind == Some(Kind::Geo),
            Section::Vectors | Section::Codes | Section::Clusters => kind == Some(Kind::Vector),
            _ => field == NO_FIELD,
        }
    }
}

/// The sections that every segment of a schema with such flags has.
pub(super) fn required(schema: &Schema, flags: Flags) -> impl Iterator<Item = (Section, u8)> {
    let terms = Section::of_terms(flags.form());
    let fields = schema.fields.iter().zip(0u8..).flat_map(move |(field, number)| {
        let sections: &[Section] = match field.kind {
            Kind::Text | Kind::Weights => &[Section::Lists, Section::Lengths],
            Kind::Keyword => &[Section::Lists],
            Kind::Numeric => &[Section::Numbers],
            Kind::Stored => &[],
            Kind::Geo => &[Section::Points],
            Kind::Vector => &[Section::Vectors, Section::Codes],
        };
        let terms = field.kind.has_terms().then_some(terms);
        let is_text = field.kind == Kind::Text;
        let words = has_words(flags, schema, number.into()).then_some(Section::Words);
        let pairs = [Section::Pairs, Section::PairLists].into_iter().filter(move |_| is_text && flags.pairs);
        let frequent = (is_text && flags.frequent).then_some(Section::Frequent);
        sections
            .iter()
            .copied()
            .chain(terms)
            .chain(words)
            .chain(pairs)
            .chain(frequent)
            .map(move |section| (section, number))
    });
    fields.chain([Section::Ids, Section::Stored, Section::StoredDirectory].map(|section| (section, NO_FIELD)))
}

/// Whether a field has words beside stems in a segment with such flags.
pub(super) fn has_words(flags: Flags, schema: &Schema, field: usize) -> bool {
    flags.words && schema.fields[field].kind == Kind::Text && schema.analyzer_of(field).stems()
}

/// Smaller segments are written without pairs and frequent words: there, positions are compared, and all words looked at, in
/// less than a millisecond. Tests have small ones.
const LARGE: usize = if cfg!(any(test, fuzzing)) { 4 } else { 1 << 17 };

/// Fields with no more terms have no frequent words kept apart.
pub(super) const FEW_TERMS: usize = if cfg!(any(test, fuzzing)) { 8 } else { 1 << 14 };

/// Whether a segment is written with frequent words.
pub(super) fn has_frequent(documents: usize, schema: &Schema) -> bool {
    documents >= LARGE && schema.fields.iter().any(|field| field.kind == Kind::Text)
}

/// Whether lists of a segment are written with champions.
pub(super) fn has_champions(documents: u32, schema: &Schema) -> bool {
    champions::may_be(documents) && schema.fields.iter().any(|field| field.kind == Kind::Text)
}

/// Whether a segment is written with pairs.
pub(super) fn has_pairs(documents: usize, schema: &Schema) -> bool {
    has_frequent(documents, schema) && schema.positions
}

/// Where a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub section: Section,
    pub field: u8,
    pub offset: u64,
    pub length: u64,
}

/// What is counted of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldCounts {
    /// Documents with at least one term in the field (text and keyword fields) or with a number.
    pub documents: u32,
    /// The sum of the documents' lengths, exact (text fields).
    pub tokens: u64,
    /// Distinct terms.
    pub terms: u64,
}

/// What header and footer say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub documents: u32,
    pub flags: Flags,
    pub extents: Vec<Extent>,
    pub fields: Vec<(u8, FieldCounts)>,
    pub checksums: Vec<u32>,
}

/// The flags of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flags {
    /// Whether lists have positions.
    pub positions: bool,
    /// Whether docIDs are in another order than that of insertion.
    pub reordered: bool,
    /// Whether stored values may have forms of version 3.
    pub new_forms: bool,
    /// Whether there are fields of kinds of version 4.
    pub new_kinds: bool,
    /// Whether text fields have words beside stems.
    pub words: bool,
    /// Whether documents may have several numbers in a field.
    pub several: bool,
    /// Whether text fields have pairs of common words.
    pub pairs: bool,
    /// Whether text fields have frequent words kept apart.
    pub frequent: bool,
    /// Whether there are vector fields.
    pub vectors: bool,
    /// Whether there are weights fields.
    pub weights: bool,
    /// Whether lists of text fields may have champions.
    pub champions: bool,
    /// Whether it is a [run](super::run).
    pub run: bool,
    /// The codecs of long lists.
    pub codecs: Codecs,
}

impl Flags {
    /// The word in the file.
    fn word(self) -> u32 {
        let [frequencies, positions] = self.codecs.numbers();
        let first = [self.positions, self.reordered, self.new_forms, self.new_kinds];
        let second = [self.words, self.several, self.pairs, self.frequent];
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        let [low, high] =
            [byte([first, second].as_flattened()), byte(&[self.vectors, self.weights, self.champions, self.run])];
        u32::from_le_bytes([low, frequencies, positions, high])
    }

    /// Reads the word of a file; what is wrong with it if it is none.
    pub(super) fn parse(word: u32) -> Result<Flags, String> {
        let [low, frequencies, positions, high] = word.to_le_bytes();
        if high > 15 {
            return Err(format!("flags {word:#x}"));
        }
        let codecs = Codecs::from_numbers([frequencies, positions])
            .map_err(|number| format!("no codec of frequencies or positions has the number {number}"))?;
        let [positions, reordered, new_forms, new_kinds, words, several, pairs, frequent] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(|bit| low >> bit & 1 != 0);
        let [vectors, weights, champions, run] = [0, 1, 2, 3].map(|bit| high >> bit & 1 != 0);
        Ok(Flags {
            positions,
            reordered,
            new_forms,
            new_kinds,
            words,
            several,
            pairs,
            frequent,
            vectors,
            weights,
            champions,
            run,
            codecs,
        })
    }

    /// What the file is.
    pub(super) fn form(self) -> Form {
        if self.run { Form::Run } else { Form::Segment }
    }

    /// The oldest version with such flags.
    fn version(self) -> u32 {
        match self.codecs == Codecs::FIRST {
            _ if self.vectors || self.weights || self.champions || self.run => VERSION,
            _ if self.new_kinds || self.words || self.several || self.pairs || self.frequent => 4,
            _ if self.new_forms => 3,
            true => 1,
            false => 2,
        }
    }
}

/// The header of a segment.
pub(super) fn header(documents: u32, flags: Flags) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&MAGIC);
    header[4..8].copy_from_slice(&flags.version().to_le_bytes());
    header[8..12].copy_from_slice(&documents.to_le_bytes());
    header[12..16].copy_from_slice(&flags.word().to_le_bytes());
    header
}

impl Frame {
    /// Footer and tail, and the CRC in the tail.
    pub fn footer(&self) -> (Vec<u8>, u32) {
        let counts = [self.extents.len(), self.fields.len(), self.checksums.len(), self.documents as usize];
        let mut out = Vec::new();
        for count in counts {
            out.extend((count as u32).to_le_bytes());
        }
        out.extend(self.flags.word().to_le_bytes());
        out.extend([0; 4]);
        for extent in &self.extents {
            out.extend([extent.section as u8, extent.field, 0, 0, 0, 0, 0, 0]);
            out.extend(extent.offset.to_le_bytes());
            out.extend(extent.length.to_le_bytes());
        }
        for (kind, counts) in &self.fields {
            out.extend([*kind, 0, 0, 0]);
            out.extend(counts.documents.to_le_bytes());
            out.extend(counts.tokens.to_le_bytes());
            out.extend(counts.terms.to_le_bytes());
        }
        out.extend(self.checksums.iter().flat_map(|checksum| checksum.to_le_bytes()));
        out.extend((out.len() as u64).to_le_bytes());
        let checksum = crc32fast::hash(&out);
        out.extend(checksum.to_le_bytes());
        out.extend([0; 4]);
        out.extend(END);
        (out, checksum)
    }
}

/// The number at `at`.
///
/// # Panics
/// If it is not within `bytes`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// The number at `at`.
///
/// # Panics
/// If it is not within `bytes`.
#[inline]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
