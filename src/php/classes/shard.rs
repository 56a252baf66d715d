//! The class `Postings\Yioop\Shard`, and the iterator over its dictionary.

use super::call::{Call, Outcome, check, function, handler, parse};
use super::output::{self, List, Record};
use super::posting_list::{Constants, no_constructor};
use super::{exception, ffi};
use crate::yioop::shard::{Dictionary, Key};
use crate::yioop::{self, shard};
use ext_php_rs::args::Arg;
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::class::{ClassEntryInfo, ClassMetadata, ConstructorMeta, RegisteredClass};
use ext_php_rs::convert::IntoZval;
use ext_php_rs::flags::{ClassFlags, DataType, MethodFlags};
use ext_php_rs::types::{ZendClassObject, ZendObject, ZendStr, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

pub const NAME: &str = "Postings\\Yioop\\Shard";
const RECORDS_NAME: &str = "Postings\\Yioop\\ShardIterator";

/// The Rust side of a `Shard` object.
pub struct Object(Arc<yioop::Shard>);

static METADATA: ClassMetadata<Object> = ClassMetadata::new(&[]);

impl RegisteredClass for Object {
    const CLASS_NAME: &'static str = NAME;
    const BUILDER_MODIFIER: Option<fn(ClassBuilder) -> ClassBuilder> = None;
    const EXTENDS: Option<ClassEntryInfo> = None;
    const IMPLEMENTS: &'static [ClassEntryInfo] = &[(ce::aggregate, "IteratorAggregate")];
    const FLAGS: ClassFlags = ClassFlags::Final.union(ClassFlags::NoDynamicProperties);

    fn get_metadata() -> &'static ClassMetadata<Self> {
        &METADATA
    }

    fn method_builders() -> Vec<(FunctionBuilder<'static>, MethodFlags)> {
        let key = || Arg::new("wordKey", DataType::String);
        let (public, of_class) = (MethodFlags::Public, MethodFlags::Public.union(MethodFlags::Static));
        vec![
            (
                function("open", handler!(open), DataType::object("self")).arg(Arg::new("path", DataType::String)),
                of_class,
            ),
            (function("header", handler!(header), DataType::Array), public),
            (FunctionBuilder::new("lookup", handler!(lookup)).returns(DataType::Array, false, true).arg(key()), public),
            (function("postings", handler!(postings), DataType::String).arg(key()), public),
            (
                function("postingsAt", handler!(postings_at), DataType::String)
                    .arg(Arg::new("firstOffset", DataType::Long))
                    .arg(Arg::new("lastOffset", DataType::Long)),
                public,
            ),
            (
                function("document", handler!(document), DataType::Array).arg(Arg::new("docIndex", DataType::Long)),
                public,
            ),
            (function("getIterator", handler!(get_iterator), DataType::object("Iterator")), public),
        ]
    }

    fn constructor() -> Option<ConstructorMeta<Self>> {
        no_constructor()
    }

    fn constants() -> Constants {
        &[]
    }
}

fn uninitialised() -> super::call::Thrown {
    exception::error("Postings\\Yioop\\Shard object has not been initialised")
}

/// The shard of a value; `None` where it is no `Shard`, an exception where the object holds none.
pub fn of(value: &Zval) -> Option<Outcome<Arc<yioop::Shard>>> {
    let object = ZendClassObject::<Object>::from_zend_obj(value.object()?)?;
    Some(object.obj.as_ref().map(|object| object.0.clone()).ok_or_else(uninitialised))
}

fn this(call: &mut Call) -> Outcome<Arc<yioop::Shard>> {
    call.this()
        .and_then(|this: &mut ZendObject| ZendClassObject::<Object>::from_zend_obj_mut(this))
        .map(|object| object.0.clone())
        .ok_or_else(uninitialised)
}

fn open(call: &mut Call) -> Outcome {
    let mut path: *mut ZendStr = std::ptr::null_mut();
    parse!(call, c"P", &raw mut path)?;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let path = unsafe { &*path }.as_bytes();
    if !ffi::is_in_basedir(path) {
        let path = String::from_utf8_lossy(path);
        return Err(exception::error(&format!("{path}: open_basedir does not allow it")));
    }
    let shard = check(yioop::Shard::open(OsStr::from_bytes(path)), 1)?;
    ZendClassObject::new(Object(Arc::new(shard)))
        .set_zval(call.result, false)
        .map_err(|error| exception::error(&error.to_string()))
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

fn record_list(record: &shard::Record) -> Outcome<List> {
    Ok(List::of_doc_ids(&[record.first_offset, record.last_offset, record.documents])?)
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
    let bytes = BailoutGuard::new(check(this(call)?.postings(&key), 1)?.unwrap_or_default());
    Ok(output::bytes(call.result, &bytes)?)
}

fn postings_at(call: &mut Call) -> Outcome {
    let (mut first, mut last) = (0i64, 0i64);
    parse!(call, c"ll", &raw mut first, &raw mut last)?;
    let offset = |value: i64, argument: u32| {
        u32::try_from(value)
            .map_err(|_| exception::argument_value(argument, &format!("must be from 0 to {}, {value} given", u32::MAX)))
    };
    let (first, last) = (offset(first, 1)?, offset(last, 2)?);
    let bytes = BailoutGuard::new(check(this(call)?.postings_at(first, last), 1)?);
    Ok(output::bytes(call.result, &bytes)?)
}

fn document(call: &mut Call) -> Outcome {
    let doc_index = call.int()?;
    let Ok(doc_index) = u32::try_from(doc_index) else {
        return Err(exception::argument_value(1, &format!("must be from 0 to {}, {doc_index} given", u32::MAX)));
    };
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

fn get_iterator(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let mut records = Records { records: None, shard: this(call)?, current: None };
    records.rewind()?;
    ZendClassObject::new(records).set_zval(call.result, false).map_err(|error| exception::error(&error.to_string()))
}

/// The Rust side of the iterator over a dictionary.
pub struct Records {
    /// Borrows from `shard`; declared before it, so dropped before it.
    records: Option<Dictionary<'static>>,
    shard: Arc<yioop::Shard>,
    current: Option<(Key, shard::Record)>,
}

impl Records {
    fn rewind(&mut self) -> Outcome {
        // SAFETY: the shard lies on the heap, owned by `self.shard`, which is never replaced and outlives `records`.
        let shard: &'static yioop::Shard = unsafe { &*Arc::as_ptr(&self.shard) };
        self.records = Some(shard.dictionary());
        self.advance()
    }

    fn advance(&mut self) -> Outcome {
        self.current = None;
        if let Some(next) = self.records.as_mut().and_then(Iterator::next) {
            self.current = Some(check(next, 1)?);
        }
        Ok(())
    }
}

static RECORDS: ClassMetadata<Records> = ClassMetadata::new(&[]);

impl RegisteredClass for Records {
    const CLASS_NAME: &'static str = RECORDS_NAME;
    const BUILDER_MODIFIER: Option<fn(ClassBuilder) -> ClassBuilder> = None;
    const EXTENDS: Option<ClassEntryInfo> = None;
    const IMPLEMENTS: &'static [ClassEntryInfo] = &[(ce::iterator, "Iterator")];
    const FLAGS: ClassFlags = ClassFlags::Final.union(ClassFlags::NoDynamicProperties);

    fn get_metadata() -> &'static ClassMetadata<Self> {
        &RECORDS
    }

    fn method_builders() -> Vec<(FunctionBuilder<'static>, MethodFlags)> {
        let nullable = |name: &str, handler, kind| FunctionBuilder::new(name, handler).returns(kind, false, true);
        [
            nullable("current", handler!(current), DataType::Array),
            nullable("key", handler!(current_key), DataType::String),
            function("next", handler!(next), DataType::Void),
            function("rewind", handler!(rewind), DataType::Void),
            function("valid", handler!(valid), DataType::Bool),
        ]
        .map(|method| (method, MethodFlags::Public))
        .into()
    }

    fn constructor() -> Option<ConstructorMeta<Self>> {
        no_constructor()
    }

    fn constants() -> Constants {
        &[]
    }
}

fn records<'a>(call: &'a mut Call) -> Outcome<&'a mut ZendClassObject<Records>> {
    call.no_arguments()?;
    call.this()
        .and_then(|this: &mut ZendObject| ZendClassObject::<Records>::from_zend_obj_mut(this))
        .ok_or_else(|| exception::error("Postings\\Yioop\\ShardIterator object has not been initialised"))
}

fn current(call: &mut Call) -> Outcome {
    match records(call)?.current {
        Some((_, record)) => record_list(&record)?.store(call.result),
        None => call.result.set_null(),
    }
    Ok(())
}

fn current_key(call: &mut Call) -> Outcome {
    match records(call)?.current {
        Some((key, _)) => output::bytes(call.result, &key)?,
        None => call.result.set_null(),
    }
    Ok(())
}

fn next(call: &mut Call) -> Outcome {
    records(call)?.advance()
}

fn rewind(call: &mut Call) -> Outcome {
    records(call)?.rewind()
}

fn valid(call: &mut Call) -> Outcome {
    let valid = records(call)?.current.is_some();
    call.result.set_bool(valid);
    Ok(())
}
