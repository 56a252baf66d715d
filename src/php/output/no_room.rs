//! Why PHP does not get a result.

use super::size::{self, TooLong};
use crate::php::exception::{self, Thrown};

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
