//! The postings of a term: docIDs, frequencies, positions and block maxima. (In the making: signatures are fixed.)

use crate::error::Result;

/// The postings of a term in a segment.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'p> {
    /// Documents containing the term, as strictly increasing docIDs. At least one.
    pub doc_ids: &'p [u32],
    /// How often each contains it, at least 1; empty for keyword fields.
    pub frequencies: &'p [u32],
    /// The positions in the first document, ascending, then those in the next; empty if the index keeps none.
    pub positions: &'p [u32],
    /// The length byte of each document of the segment; empty for keyword fields.
    pub lengths: &'p [u8],
}

/// Which parts the lists of a field have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// Frequencies (and block maxima): text fields.
    pub frequencies: bool,
    /// Positions.
    pub positions: bool,
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

/// Appends the postings of a term to `out`, which will stand at byte `at` of the field's section of lists (a multiple of
/// 64 plus `out`'s length before the call is where the record begins; padding is added as needed). Returns the value
/// for the dictionary, by which the list is found again.
///
/// # Errors
/// [`Error::Argument`](crate::Error::Argument) if the section grows too large.
pub fn encode(postings: &Postings, documents: u32, at: u64, out: &mut Vec<u8>) -> Result<u64> {
    let _ = (postings, documents, at, out);
    todo!()
}

/// Bytes of zeros that must follow the last list of a section, because decoders read whole vectors.
pub const PADDING: usize = 1024;

/// Decodes a whole list of the section `lists` (with its padding), checking every part of it. `documents` is the number of
/// documents of the segment.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn decode(lists: &[u8], value: u64, documents: u32, parts: Parts, decoded: &mut Decoded) -> Result<()> {
    let _ = (lists, value, documents, parts, decoded);
    todo!()
}
