//! Results into PHP: arrays and strings are allocated once, at their size, and filled in place.
//!
//! | file | what |
//! |---|---|
//! | [`size`] | how large arrays and strings may be |
//! | [`table`] | arrays in memory |
//! | [`list`], [`map`], [`record`] | arrays under construction |
//! | [`text`] | strings under construction |
//! | [`doc_ids`] | docIDs from the engine, straight into an array or a string |

mod doc_ids;
mod list;
mod map;
mod record;
mod size;
mod table;
mod text;

pub use doc_ids::{DocIds, Packed};
pub use list::{List, Singles};
pub use map::Map;
pub use record::Record;
pub use text::{Text, bytes, words};

use super::exception::{self, Thrown};
use size::TooLong;

/// Why PHP does not get a result.
#[derive(Debug, Clone, Copy)]
pub enum NoRoom {
    /// memory_limit does not allow it. The caller returns to PHP at once with `null`, and PHP ends the script with its
    /// ordinary fatal error.
    MemoryLimit,
    /// No array or string of PHP is that long.
    TooLong(usize),
}

impl From<TooLong> for NoRoom {
    fn from(TooLong(len): TooLong) -> NoRoom {
        NoRoom::TooLong(len)
    }
}

impl From<NoRoom> for Thrown {
    fn from(reason: NoRoom) -> Thrown {
        match reason {
            NoRoom::MemoryLimit => Thrown,
            NoRoom::TooLong(len) => exception::error(&format!(
                "a result of {len} elements is too long: an array of PHP holds at most {}",
                size::MOST_ELEMENTS
            )),
        }
    }
}
