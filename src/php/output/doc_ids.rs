//! docIDs from the engine, straight into an array or a string.

use super::list::List;
use super::no_room::NoRoom;
use super::text::Text;
use crate::codec::Sink;
use ext_php_rs::types::Zval;

/// A list of docIDs that come from the engine.
pub struct DocIds(Result<List, NoRoom>);

impl DocIds {
    /// Waits for docIDs.
    pub fn new() -> DocIds {
        DocIds(List::with_room(0))
    }

    /// The list, once they are all there.
    pub fn finish(self) -> Result<List, NoRoom> {
        self.0
    }
}

impl Sink for DocIds {
    fn expect(&mut self, count: usize) -> bool {
        self.0 = List::with_room(count);
        self.0.is_ok()
    }

    fn take(&mut self, doc_ids: &[u32]) {
        if let Ok(list) = &mut self.0 {
            list.push_doc_ids(doc_ids);
        }
    }
}

/// A string of docIDs, as little-endian `u32`, that come from the engine.
pub struct Packed(Result<Text, NoRoom>);

impl Packed {
    /// Waits for docIDs.
    pub fn new() -> Packed {
        Packed(Text::with_room(0))
    }

    /// Makes the string the value of `target`, once they are all there.
    pub fn store(self, target: &mut Zval) -> Result<(), NoRoom> {
        self.0.map(|text| text.store(target))
    }
}

impl Sink for Packed {
    fn expect(&mut self, count: usize) -> bool {
        // More docIDs than there are overflow nothing.
        self.0 = Text::with_room(count.saturating_mul(4));
        self.0.is_ok()
    }

    fn take(&mut self, doc_ids: &[u32]) {
        if let Ok(text) = &mut self.0 {
            text.push_words(doc_ids);
        }
    }
}
