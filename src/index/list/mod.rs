//! The postings of a term in a segment: docIDs, frequencies, positions and block maxima.
//!
//! A list of at most 128 postings is a stream of bytes ([`short`]), as most terms are rare; a longer one has parts that
//! are decoded block by block, and alone ([`long`]), with one of several codecs for frequencies and positions
//! ([`values`]). The dictionary's value of a term is the byte of the section of lists at which its list begins, times
//! two, plus 1 if it is long.

mod bits;
pub mod champions;
mod long;
pub mod maxima;
mod short;
#[cfg(test)]
mod tests;
mod values;

pub use long::{DENSE, DocIds, Positions, View, has, rank};
pub(in crate::index) use short::Numbers;
pub use values::{BlockCodec, Blocks, Codecs};

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::codec::BLOCK;
use byteorder::{ByteOrder, LittleEndian};

/// The postings of a term in a segment.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'p> {
    /// Documents containing the term, as strictly increasing docIDs. At least one.
    pub doc_ids: &'p [u32],
    /// How often each contains it, at least 1; empty for keyword fields. In a weights field, the [code](crate::index::impacts) of each
    /// weight, and 1.
    pub frequencies: &'p [u32],
    /// The positions in the first document, strictly increasing, then those in the next; empty if the index keeps none.
    pub positions: &'p [u32],
    /// The length byte of each document of the segment; empty for fields whose scores do not depend on it.
    pub lengths: &'p [u8],
}

/// Which parts the lists of a field have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListParts {
    /// Frequencies (and block maxima): text and weights fields.
    pub frequencies: bool,
    /// Positions.
    pub positions: bool,
    /// The codecs of both in long lists.
    pub codecs: Codecs,
}

/// Decoded postings; vectors are reused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decoded {
    /// See [`Postings::doc_ids`].
    pub doc_ids: Vec<u32>,
    /// See [`Postings::frequencies`].
    pub frequencies: Vec<u32>,
    /// See [`Postings::positions`].
    pub positions: Vec<u32>,
}

/// Decoded postings without positions.
#[derive(Debug)]
pub struct Columns {
    /// See [`Postings::doc_ids`]. There may be none.
    pub doc_ids: Vec<u32>,
    /// Frequencies less 1, as many.
    pub less_one: Vec<u32>,
}

/// Bytes of zeros that must follow the last list of a section, because decoders read whole vectors.
pub const PADDING: usize = 1024;

/// Long lists begin at multiples of so many bytes.
pub const ALIGNMENT: usize = 4;

const NAME: &str = "index";

fn corrupt(item: &str, what: impl Into<String>) -> Error {
    Error::corrupt(NAME, item, 0, what)
}

/// Appends the postings of a term to `out`, whose front stands at byte `at` of the field's section of lists (a multiple
/// of [`ALIGNMENT`]). Returns the value for the dictionary, by which the list is found again. `documents` is the number of documents
/// of the segment, `codecs` are those of its long lists.
///
/// # Errors
/// [`Error::Argument`] if the list or the section grows too large.
pub fn encode(postings: &Postings, documents: u32, codecs: Codecs, at: u64, out: &mut Vec<u8>) -> Result<u64> {
    let is_long = is_long(postings.doc_ids.len());
    if is_long {
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
    }
    let place = at + out.len() as u64;
    if is_long {
        let mut words = Vec::new();
        long::encode(postings, documents, codecs, &mut words)?;
        let first = out.len();
        out.resize(first + 4 * words.len(), 0);
        LittleEndian::write_u32_into(&words, &mut out[first..]);
    } else {
        short::encode(postings, out);
    }
    Ok(moved(place)? | u64::from(is_long))
}

/// Appends the postings of a term of a run to `out`, whose front stands at byte `at` of the section, in the form of short lists,
/// however many they are. Returns the value by which the list is found again.
///
/// # Errors
/// [`Error::Argument`] if the section grows too large.
pub fn encode_stream(postings: &Postings, at: u64, out: &mut Vec<u8>) -> Result<u64> {
    let value = moved(at + out.len() as u64)?;
    short::encode(postings, out);
    Ok(value)
}

/// Whether so many postings make a long list.
pub fn is_long(postings: usize) -> bool {
    postings > short::MOST
}

/// What the values of lists grow by if these stand `bytes` bytes later.
///
/// # Errors
/// [`Error::Argument`] if the section grows too large.
pub fn moved(bytes: u64) -> Result<u64> {
    match bytes < 1 << 62 {
        true => Ok(bytes << 1),
        false => Err(Error::Argument("the lists of a segment are too large".into())),
    }
}

/// A list of a segment.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "a few per query, and never stored")]
pub enum List<'w> {
    /// The bytes of a short list, up to the end of the section.
    Short(&'w [u8]),
    /// A long one, which was not [checked](View::check).
    Long(View<'w>),
}

impl<'w> List<'w> {
    /// Finds the list with this value of the dictionary in its section, which is aligned to 4 bytes and ends with its
    /// padding. O(1): nothing is decoded.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn find(lists: &'w [u8], value: u64, documents: u32, parts: ListParts) -> Result<List<'w>> {
        let at = usize::try_from(value >> 1).unwrap_or(usize::MAX);
        let outside = || corrupt("dictionary", format!("a list at byte {at} of {}", lists.len()));
        let bytes = lists.get(at..).filter(|bytes| bytes.len() > PADDING).ok_or_else(outside)?;
        if value & 1 == 0 {
            return Ok(List::Short(bytes));
        }
        if cfg!(target_endian = "big") {
            return Err(Error::Argument("an index can only be read on little-endian machines".into()));
        }
        // SAFETY: any bytes are valid words.
        let (before, words, _) = unsafe { bytes.align_to::<u32>() };
        if !before.is_empty() {
            return Err(outside());
        }
        View::read(words, documents, parts).map(List::Long)
    }

    /// Postings of the list.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn count(&self) -> Result<usize> {
        match self {
            List::Short(bytes) => short::count(bytes, short::MOST),
            List::Long(view) => Ok(view.count),
        }
    }

    /// Checks what decoding a long list relies on; see [`View::check`]. Short lists are checked while they are decoded.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn check(&self, documents: u32) -> Result<()> {
        match self {
            List::Short(_) => Ok(()),
            List::Long(view) => view.check(documents),
        }
    }
}

/// The number of postings of the list with this value of the dictionary, given its first 8 bytes.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn count(front: &[u8], value: u64) -> Result<u32> {
    if value & 1 == 0 {
        return short::count(front, short::MOST).map(|count| count as u32);
    }
    let word = front.first_chunk().ok_or_else(|| corrupt("long list", "ends early"))?;
    Ok(u32::from_le_bytes(*word))
}

/// Bytes of the header of a long list.
pub const HEADER_BYTES: usize = 4 * long::HEADER;

/// The sum of the frequencies of a long list, given its header.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn long_occurrences(header: &[u8]) -> Result<u64> {
    let sum = header.get(4 * long::SUM..).and_then(|sum| sum.first_chunk());
    sum.map(|sum| u64::from_le_bytes(*sum)).ok_or_else(|| corrupt("long list", "ends early"))
}

/// Decodes a short list; positions only if they are `wanted`. `decoded` is cleared first. Returns the number of bytes read.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn decode_short(
    bytes: &[u8],
    documents: u32,
    parts: ListParts,
    wanted: bool,
    decoded: &mut Decoded,
) -> Result<usize> {
    decoded.clear();
    short::decode(bytes, short::MOST, documents, parts, wanted, decoded)
}

impl Decoded {
    /// Removes all postings; their memory stays.
    pub fn clear(&mut self) {
        self.doc_ids.clear();
        self.frequencies.clear();
        self.positions.clear();
    }
}

/// Decodes a whole list of the section `lists` (with its padding, aligned to 4 bytes), checking every part of it.
/// `documents` is the number of documents of the segment. `decoded` is cleared first.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn decode(lists: &[u8], value: u64, documents: u32, parts: ListParts, decoded: &mut Decoded) -> Result<()> {
    decoded.clear();
    append(lists, value, documents, parts, decoded)
}

/// As [`decode`], but appends to `decoded`.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn append(lists: &[u8], value: u64, documents: u32, parts: ListParts, decoded: &mut Decoded) -> Result<()> {
    let list = List::find(lists, value, documents, parts)?;
    list.check(documents)?;
    let view = match list {
        List::Short(bytes) => return short::decode(bytes, short::MOST, documents, parts, true, decoded).map(|_| ()),
        List::Long(view) => view,
    };
    // With what decoders write past the end.
    memory::reserve(&mut decoded.doc_ids, view.count + BLOCK)?;
    memory::reserve(&mut decoded.frequencies, view.frequencies.len() + BLOCK)?;
    view.append_doc_ids(&mut decoded.doc_ids);
    let first = decoded.frequencies.len();
    view.frequencies.append_to(&mut decoded.frequencies);
    let frequencies = &mut decoded.frequencies[first..];
    frequencies.iter_mut().for_each(|frequency| *frequency = frequency.wrapping_add(1));
    if let Some(positions) = view.positions {
        memory::reserve(&mut decoded.positions, positions.gaps.len() + BLOCK)?;
        let first = decoded.positions.len();
        positions.gaps.append_to(&mut decoded.positions);
        let mut rest = &mut decoded.positions[first..];
        for &mut frequency in frequencies {
            let (of_document, others) = rest.split_at_mut(frequency as usize);
            rest = others;
            let mut next = 0u32;
            for position in of_document {
                let at = next.checked_add(*position).and_then(|at| Some((at, at.checked_add(1)?)));
                let (at, after) = at.ok_or_else(|| corrupt("long list", "a position is too large"))?;
                (*position, next) = (at, after);
            }
        }
    }
    Ok(())
}

/// As [`append`], of a list that [`encode_stream`] has written.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn append_stream(lists: &[u8], value: u64, documents: u32, parts: ListParts, decoded: &mut Decoded) -> Result<()> {
    match List::find(lists, value, documents, parts)? {
        List::Short(bytes) => short::decode(bytes, documents as usize, documents, parts, true, decoded).map(|_| ()),
        List::Long(_) => Err(corrupt("list", "is none of a run")),
    }
}
