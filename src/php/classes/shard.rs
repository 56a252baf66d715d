//! The class `Postings\Yioop\Shard`.

use super::shard_iterator::{self, record_list};
use crate::php::call::{Call, check, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method};
use crate::php::declare::{function, nullable};
use crate::php::exception::{self, Outcome};
use crate::php::foreach::{self, Aggregate, get_iterator};
use crate::php::output::{self, List, Record, Text};
use crate::php::{input, path};
use crate::yioop;
use crate::yioop::shard::Key;
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};
use std::sync::Arc;

pub struct Object(Arc<yioop::Shard>);

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\Yioop\\Shard";
    const INTERFACES: &'static [ClassEntryInfo] = &[(ce::aggregate, "IteratorAggregate")];

    fn methods() -> Vec<Method> {
        let key = || Arg::new("wordKey", DataType::String);
        vec![
            static_method(
                function("open", handler!(open), DataType::object("self")).arg(Arg::new("path", DataType::String)),
            ),
            method(function("header", handler!(header), DataType::Array)),
            method(nullable("lookup", handler!(lookup), DataType::Array).arg(key())),
            method(function("postings", handler!(postings), DataType::String).arg(key())),
            method(
                function("postingsAt", handler!(postings_at), DataType::String)
                    .arg(Arg::new("firstOffset", DataType::Long))
                    .arg(Arg::new("lastOffset", DataType::Long)),
            ),
            method(function("document", handler!(document), DataType::Array).arg(Arg::new("docIndex", DataType::Long))),
            get_iterator::<Object>(),
        ]
    }

    fn finish() {
        foreach::over_aggregate::<Object>();
    }
}

impl Aggregate for Object {
    type Iterator = shard_iterator::Object;

    fn iterator(&self) -> Outcome<shard_iterator::Object> {
        shard_iterator::Object::new(self.0.clone())
    }
}

/// The shard of a value; `None` if it is no `Shard`.
pub fn of(value: &Zval) -> Option<Arc<yioop::Shard>> {
    class::value_of::<Object>(value).map(|object| object.0.clone())
}

fn this(call: &mut Call) -> Outcome<Arc<yioop::Shard>> {
    Ok(class::this::<Object>(call)?.0.clone())
}

fn open(call: &mut Call) -> Outcome {
    let mut path: *mut ZendStr = std::ptr::null_mut();
    parse!(call, c"P", &raw mut path)?;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let path = path::allowed_or(exception::error, unsafe { &*path }.as_bytes())?;
    let shard = check(yioop::Shard::open(path.as_os_str()), 1)?;
    class::store(Object(Arc::new(shard)), call.result)
}

fn header(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let header = *this(call)?.header();
    let number = |record: Record, (name, value): (&str, u32)| record.field(name, i64::from(value));
    [
        ("prefixes_len", header.prefixes_len),
        ("words_len", header.words_len),
        ("word_docs_len", header.word_docs_len),
        ("doc_map_len", header.doc_map_len),
        ("generation", header.generation),
        ("docs_per_generation", header.docs_per_generation),
        ("documents", header.documents),
        ("links", header.links),
        ("documents_len", header.documents_len),
        ("links_len", header.links_len),
    ]
    .into_iter()
    .fold(Record::new(), number)
    .store(call.result);
    Ok(())
}

fn key(call: &Call) -> Outcome<Key> {
    let bytes = call.bytes()?;
    bytes.try_into().map_err(|_| exception::argument_value(1, &format!("must be 20 bytes, {} given", bytes.len())))
}

fn lookup(call: &mut Call) -> Outcome {
    let key = key(call)?;
    let record = check(this(call)?.lookup(&key), 1)?;
    match record {
        Some(record) => record_list(&record)?.store(call.result),
        None => call.result.set_null(),
    }
    Ok(())
}

fn postings(call: &mut Call) -> Outcome {
    let key = key(call)?;
    let shard = BailoutGuard::new(this(call)?);
    match check(shard.lookup(&key), 1)? {
        Some(record) => read_postings(&shard, record.first_offset, record.last_offset, call.result),
        None => Ok(output::bytes(call.result, &[])?),
    }
}

/// Reads postings into a string, for which memory_limit has to have room first.
fn read_postings(shard: &yioop::Shard, first: u32, last: u32, target: &mut Zval) -> Outcome {
    let len = check(shard.postings_len(first, last), 1)?;
    let mut postings = Text::with_room(len)?;
    check(shard.read_postings_at(first, last, postings.push_zeros(len)), 1)?;
    postings.store(target);
    Ok(())
}

fn postings_at(call: &mut Call) -> Outcome {
    let (mut first, mut last) = (0i64, 0i64);
    parse!(call, c"ll", &raw mut first, &raw mut last)?;
    let (first, last) = (input::number(first, 1)?, input::number(last, 2)?);
    let shard = BailoutGuard::new(this(call)?);
    read_postings(&shard, first, last, call.result)
}

fn document(call: &mut Call) -> Outcome {
    let doc_index = input::number(call.int()?, 1)?;
    let document = check(this(call)?.document(doc_index), 1)?;
    let keys = BailoutGuard::new(document.keys);
    let mut list = List::with_room(keys.len())?;
    for key in keys.iter() {
        let mut value = Zval::new();
        output::bytes(&mut value, key)?;
        list.push(value);
    }
    Record::new()
        .field("summary_offset", i64::from(document.summary_offset))
        .field("length", i64::from(document.length))
        .field("is_link", document.is_link)
        .field("keys", list.into_zval())
        .store(call.result);
    Ok(())
}
