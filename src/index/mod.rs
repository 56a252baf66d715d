//! The ranked index: what is stored, and how it is written and read. `search` asks it questions.
//!
//! | file | what |
//! |---|---|
//! | [`schema`] | the fields of an index |
//! | [`document`] | what a caller puts in: ids, values, documents |
//! | [`values`] | what a value is for fields of each kind |
//! | [`length`] | lengths of texts as one byte |
//! | [`impacts`] | weights of terms in few bits |
//! | [`segment`] | the immutable files with documents, lists and dictionaries |
//! | [`deleted`] | which documents of a segment are deleted |
//! | [`manifest`] | of what an index consists, as of one commit |
//! | [`removal`] | whether there is an index; removing one |
//! | [`snapshot`] | an index as of one commit, for reading |
//! | [`writer`] | adding, deleting, committing |
//! | [`copy`] | a commit in another folder; of which files it consists |
//! | `policy` | which segments a commit merges |
//! | `lock` | at most one writer |
//! | `storage` | the files: all reading and writing |

pub mod copy;
pub mod deleted;
pub mod document;
pub mod impacts;
pub mod length;
pub mod list;
mod lock;
pub mod manifest;
mod policy;
pub mod removal;
pub mod schema;
pub mod segment;
pub mod snapshot;
mod storage;
pub mod values;
pub mod writer;

pub use deleted::Deleted;
pub use document::{Document, Id, LONGEST_KEYWORD, Value};
pub use list::{BlockCodec, Codecs};
pub use schema::{Analyzed, Field, Kind, Schema, Uses};
pub use snapshot::Snapshot;
pub use writer::{Writer, WriterOptions};
