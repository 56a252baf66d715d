//! The class `Postings\PostingListIterator`, which `getIterator()` returns: decodes a block at a time.

use crate::PostingList;
use crate::codec::{BLOCK, BlockBuffer, block_buffer};
use crate::php::exception::{Outcome, Thrown};
use crate::php::ffi::ends_for_memory;
use crate::php::foreach::{Iterate, iterator_class};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;

pub struct Object {
    list: PostingList,
    /// The position, and key, of the current docID; the list's length past the end.
    at: usize,
    /// The block that `buffer` holds, if any.
    decoded: Option<usize>,
    buffer: Box<BlockBuffer>,
}

impl Object {
    /// An iterator before the first docID.
    pub fn new(list: PostingList) -> Object {
        Object { list, at: 0, decoded: None, buffer: Box::new(block_buffer()) }
    }
}

iterator_class!(Object, "Postings\\PostingListIterator");

impl Iterate for Object {
    const KEY: DataType = DataType::Long;
    const CURRENT: DataType = DataType::Long;

    fn valid(&self) -> bool {
        self.at < self.list.len()
    }

    fn key(&self, target: &mut Zval) -> Outcome {
        if self.valid() {
            target.set_long(self.at as i64);
        } else {
            target.set_null();
        }
        Ok(())
    }

    /// Decodes a block if the current docID is in another than the one before.
    fn current(&mut self, target: &mut Zval) -> Outcome {
        if !self.valid() {
            target.set_null();
            return Ok(());
        }
        let block = self.at / BLOCK;
        if self.decoded != Some(block) {
            if ends_for_memory() {
                return Err(Thrown);
            }
            self.list.decode_block(block, &mut self.buffer);
            self.decoded = Some(block);
        }
        target.set_long(i64::from(self.buffer[self.at % BLOCK]));
        Ok(())
    }

    fn advance(&mut self) -> Outcome {
        if self.valid() {
            self.at += 1;
        }
        Ok(())
    }

    fn rewind(&mut self) -> Outcome {
        self.at = 0;
        Ok(())
    }
}
