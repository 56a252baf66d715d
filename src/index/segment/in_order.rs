//! The documents of a segment in the order of a numeric field, kept in memory once the field was sorted by several times.

use super::Segment;
use super::numbers::Column;
use crate::base::error::Result;
use crate::base::memory::{collected, room};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// An order is made if a segment has so many documents; with fewer, looking at all takes microseconds.
const LEAST: u32 = 1 << 12;

/// So many searches ask for an order before it is made: that takes as long as some hundred, and a process may end soon.
const ASKED: u64 = 3;

/// The order of a field's numbers, once it was made.
#[derive(Debug, Default)]
pub(super) struct KeptOrder {
    documents: OnceLock<Box<[u32]>>,
    /// How often it was asked for before.
    asked: AtomicU64,
}

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
        let suits = self.documents() >= LEAST && !column.has_several();
        let kept = self.orders.get(field).filter(|kept| suits && kept.asked.fetch_add(1, Ordering::Relaxed) >= ASKED);
        let Some(kept) = kept else { return Ok(None) };
        let ordinals = self.kept_ordinals()?;
        Ok(Some(self.kept(&kept.documents, || in_order(&column, ordinals))?))
    }
}
