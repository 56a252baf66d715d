//! The documents of a segment in the order of a numeric field, kept in memory once the field was sorted by several times.

use super::Segment;
use super::numbers::Column;
use crate::base::error::Result;
use crate::base::memory::{collected, room};

/// So many searches ask for an order before it is made: that takes as long as some hundred, and a process may end soon.
const ASKED: u64 = 3;

/// The documents that have a number, by their numbers, equal ones in the order of insertion.
fn in_order(column: &Column, ordinals: Option<&[u32]>) -> Result<Box<[u32]>> {
    let mut keys: Vec<(u64, u32, u32)> = room(column.documents())?;
    let ordinal = |doc_id: u32| ordinals.map_or(doc_id, |ordinals| ordinals[doc_id as usize]);
    keys.extend((0..).zip(column.keys()).filter_map(|(doc_id, key)| Some((key?, ordinal(doc_id), doc_id))));
    keys.sort_unstable();
    Ok(collected(keys.into_iter().map(|(.., doc_id)| doc_id))?.into())
}

impl Segment {
    /// The documents that have a number in a field, by their numbers, equal ones in the order of insertion; `None` if they have
    /// several, if there are few, and the first times. Making it takes some 60 ns per document, and then it takes 4 bytes of each while the segment is open.
    ///
    /// # Errors
    /// As [`column`](Segment::column); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn in_order(&self, field: usize) -> Result<Option<&[u32]>> {
        let column = self.column(field)?;
        let order =
            self.kept_after(ASKED, &self.orders[field], &column, || in_order(&column, self.kept_ordinals()?))?;
        Ok(order.map(|documents| &**documents))
    }
}
