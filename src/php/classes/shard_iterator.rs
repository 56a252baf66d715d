//! The class `Postings\Yioop\ShardIterator`, over a shard's dictionary.

use crate::php::call::check;
use crate::php::exception::{Outcome, Thrown};
use crate::php::ffi::ends_for_memory;
use crate::php::foreach::{Iterate, iterator_class};
use crate::php::output::{self, List};
use crate::yioop::Shard;
use crate::yioop::shard::{Dictionary, Key, Record};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use std::sync::Arc;

/// What the dictionary says of a word's list.
pub fn record_list(record: &Record) -> Outcome<List> {
    Ok(List::of_doc_ids(&[record.first_offset, record.last_offset, record.documents])?)
}

pub struct Object {
    /// Borrows from `shard`; declared before it, so dropped before it.
    records: Dictionary<'static>,
    shard: Arc<Shard>,
    current: Option<(Key, Record)>,
}

impl Object {
    /// An iterator that stands at the first record.
    pub fn new(shard: Arc<Shard>) -> Outcome<Object> {
        let mut object = Object { records: dictionary(&shard), shard, current: None };
        object.advance()?;
        Ok(object)
    }
}

/// The dictionary of a shard, for an object that keeps the shard.
fn dictionary(shard: &Arc<Shard>) -> Dictionary<'static> {
    // SAFETY: the shard lies on the heap. Both callers store the dictionary in an object whose `shard` is this one, is
    // never replaced, and is dropped after it.
    let shard: &'static Shard = unsafe { &*Arc::as_ptr(shard) };
    shard.dictionary()
}

iterator_class!(Object, "Postings\\Yioop\\ShardIterator");

impl Iterate for Object {
    const KEY: DataType = DataType::String;
    const CURRENT: DataType = DataType::Array;

    fn valid(&self) -> bool {
        self.current.is_some()
    }

    fn key(&self, target: &mut Zval) -> Outcome {
        match &self.current {
            Some((key, _)) => output::bytes(target, key)?,
            None => target.set_null(),
        }
        Ok(())
    }

    fn current(&mut self, target: &mut Zval) -> Outcome {
        match &self.current {
            Some(_) if ends_for_memory() => return Err(Thrown),
            Some((_, record)) => record_list(record)?.store(target),
            None => target.set_null(),
        }
        Ok(())
    }

    fn advance(&mut self) -> Outcome {
        self.current = None;
        if let Some(next) = self.records.next() {
            self.current = Some(check(next, 1)?);
        }
        Ok(())
    }

    fn rewind(&mut self) -> Outcome {
        self.records = dictionary(&self.shard);
        self.advance()
    }
}
