//! The ranked index: what is stored, and how it is written and read. `search` asks it questions.
//!
//! | file | what |
//! |---|---|
//! | [`schema`] | the fields of an index |
//! | [`document`] | what a caller puts in: ids, values, documents |
//! | [`segment`] | the immutable files that an index consists of |
//! | [`length`] | lengths of texts as one byte |

pub mod document;
pub mod length;
pub mod list;
pub mod schema;
pub mod segment;

pub use document::{Document, Id, LONGEST_KEYWORD, LONGEST_TERM, Value};
pub use schema::{Field, Kind, Schema};
