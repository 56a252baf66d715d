//! Results into PHP: arrays and strings are allocated once, at their size, and filled in place.
//!
//! | file | what |
//! |---|---|
//! | [`size`] | how large arrays and strings may be |
//! | [`no_room`] | why PHP does not get a result |
//! | [`table`] | arrays in memory |
//! | [`list`], [`map`], [`record`] | arrays under construction |
//! | [`text`] | strings under construction |
//! | [`doc_ids`] | docIDs from the engine, straight into an array or a string |

mod doc_ids;
mod list;
mod map;
mod no_room;
mod record;
mod size;
mod table;
mod text;

pub use doc_ids::{DocIds, Packed};
pub use list::{List, Singles};
pub use map::Map;
pub use no_room::NoRoom;
pub use record::Record;
pub use text::{Text, bytes, words};

/// A number of things as PHP has it: what leaves tell may add up to more.
pub fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
