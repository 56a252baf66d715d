//! Yioop's posting lists and shard files.
//!
//! | what | where |
//! |---|---|
//! | the format: words, postings and positions, doc indexes with SIMD | [`format`] |
//! | intersection of lists | [`intersect()`] |
//! | shard files | [`Shard`] |
//! | intersection of a rare word's list with long ones, on the file | [`probe`] |
//! | relevance, proximity, phrases | [`score`] |
//! | a query over shards | [`Conjunction`] |
//! | Yioop's small helper functions | [`queue`] |

mod conjunction;
pub mod format;
mod intersect;
pub mod probe;
pub mod queue;
pub mod score;
pub mod shard;

pub use conjunction::{Conjunction, Generation, Hit};
pub use format::postings::{self, MAX_DOC_INDEX, Posting, PostingRef, Postings};
pub use format::postings::{add_doc_index, pack_posting, unpack_postings};
pub(crate) use format::scan::{Located, check};
pub use format::scan::{doc_indexes, doc_indexes_to};
pub(crate) use intersect::intersect_located;
pub use intersect::{Matches, intersect, intersect_flat};
pub use probe::List;
pub use shard::Shard;
