//! CPU intersection of posting lists, shortest first, with block skipping.

use crate::codec::block_buffer;
use crate::list::{Cursor, PostingList};

/// Where the docIDs of a result go, so that one algorithm serves lists and counts.
pub trait Sink {
    /// Takes the next docIDs of the result, ascending.
    fn take(&mut self, doc_ids: &[u32]);
}

impl Sink for Vec<u32> {
    fn take(&mut self, doc_ids: &[u32]) {
        self.extend_from_slice(doc_ids);
    }
}

/// A [`Sink`] that counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u64);

impl Sink for Count {
    fn take(&mut self, doc_ids: &[u32]) {
        self.0 += doc_ids.len() as u64;
    }
}

/// Sends the docIDs that all `lists` have to `sink`, ascending; nothing where there is no list.
pub fn intersect(lists: &[PostingList], sink: &mut impl Sink) {
    let mut lists: Vec<&PostingList> = lists.iter().collect();
    lists.sort_by_key(|list| list.len());
    let Some((shortest, longer)) = lists.split_first() else { return };
    let mut cursors: Vec<Cursor> = longer.iter().map(|list| list.cursor()).collect();
    let mut buffer = block_buffer();
    for block in 0..shortest.blocks() {
        let mut doc_ids = shortest.decode_block(block, &mut buffer).to_vec();
        doc_ids.retain(|&doc_id| cursors.iter_mut().all(|cursor| cursor.next_geq(doc_id) == Some(doc_id)));
        sink.take(&doc_ids);
    }
}
