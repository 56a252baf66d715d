//! The ranked index: what is stored, and how it is written and read. `search` asks it questions.
//!
//! | file | what |
//! |---|---|
//! | [`schema`] | the fields of an index |
//! | [`document`] | what a caller puts in: ids, values, documents |
//! | [`length`] | lengths of texts as one byte |
//! | `storage` | all writing of files |

pub mod document;
pub mod length;
pub mod list;
pub mod schema;
mod storage;

pub use document::{Document, Id, LONGEST_KEYWORD, LONGEST_TERM, Value};
pub use schema::{Field, Kind, Schema};
