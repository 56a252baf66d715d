//! Yioop's posting format and its shard files.

pub mod score;

use crate::error::{Error, Result};

/// A posting: the doc index, and the positions of the term in the document, increasing.
pub type Posting = (u32, Vec<u32>);

/// The doc indexes of a list of postings, in its order.
pub fn doc_indexes(_postings: &[u8]) -> Result<Vec<u32>> {
    Err(Error::Argument("not built yet".into()))
}

/// All postings of a list.
pub fn unpack_postings(_postings: &[u8]) -> Result<Vec<Posting>> {
    Err(Error::Argument("not built yet".into()))
}

/// A posting as Yioop writes it.
pub fn pack_posting(_doc_index: u32, _positions: &[u32]) -> Result<Vec<u8>> {
    Err(Error::Argument("not built yet".into()))
}

/// The list with `offset` added to each doc index.
pub fn add_doc_index(_postings: &[u8], _offset: i64) -> Result<Vec<u8>> {
    Err(Error::Argument("not built yet".into()))
}

/// The doc indexes that all lists have, ascending, with the byte offset of the posting in each list.
pub fn intersect(_lists: &[&[u8]]) -> Result<Vec<(u32, Vec<u32>)>> {
    Err(Error::Argument("not built yet".into()))
}
