//! Yioop's posting format and its shard files.
//!
//! Yioop keeps for each word a list of *postings*, one behind the other: the doc index, and the positions of the word
//! in the document. A doc index counts 16-byte units of the shard's doc map, so it is not dense. Each posting is one
//! [Modified 9](crate::codec::modified9) list of its own:
//!
//! | form | first value | then | used where |
//! |---|---|---|---|
//! | joint | 2^27 + doc index · 2^9 + first position | the gaps between positions | 2^15 ≤ doc index < 2^18, first position < 2^9 |
//! | separate | doc index + 1 | first position, then the gaps | everywhere else |
//!
//! The two are told apart by bit 2^27 of the first value, so a doc index is at most [`MAX_DOC_INDEX`].
//!
//! One check is behind all functions here: a list that one of them takes is taken by all, and they all see the same
//! postings. It asks that every posting is whole, that each word is as Yioop writes it, and that positions fit in 32
//! bits. It does not ask that doc indexes rise, because Yioop's own lists may break that: it joined doc index 262,143
//! with a first position from 512 on, though they do not fit, and what can be read there is a small doc index.
//!
//! | what | where |
//! |---|---|
//! | postings and positions, one by one; packing; moving doc indexes | [`postings`] |
//! | doc indexes of a list, with SIMD | [`doc_indexes()`] |
//! | intersection of lists | [`intersect()`] |
//! | Yioop's small helper functions | [`queue`] |
//! | shard files | [`Shard`] |
//! | relevance, proximity, phrases | [`score`] |
//! | a query over an index, document by document | [`Conjunction`] |
//! | intersection of a rare word's list with long ones, on the file | [`probe`] |

mod conjunction;
mod doc_indexes;
mod intersect;
pub mod postings;
pub mod probe;
pub mod queue;
pub mod score;
pub mod shard;

pub use conjunction::{Conjunction, Generation, Hit, List};
pub(crate) use doc_indexes::{Located, check};
pub use doc_indexes::{doc_indexes, doc_indexes_to};
pub(crate) use intersect::intersect_located;
pub use intersect::{Matches, intersect, intersect_flat};
pub use postings::{MAX_DOC_INDEX, Posting, PostingRef, Postings, add_doc_index, pack_posting, unpack_postings};
pub use shard::Shard;
