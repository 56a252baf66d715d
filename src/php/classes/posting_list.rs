//! The class `Postings\PostingList`.

use super::codec::Choice;
use super::posting_list_iterator;
use crate::codec::Options;
use crate::php::call::{Call, check, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method, uninitialised};
use crate::php::declare::{MAY_BE_DOUBLE, MAY_BE_STRING, function, nullable, widen};
use crate::php::enumeration::{self, Enumeration};
use crate::php::exception::{self, Outcome};
use crate::php::foreach::{self, Aggregate, get_iterator};
use crate::php::zend::{Key, elements, long};
use crate::php::{ffi, ini, input, output};
use crate::{Codec, PostingList, engine};
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::ffi::{zend_class_entry, zend_unserialize_data};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};
use std::ffi::{c_int, c_uchar};

pub const NAME: &str = "Postings\\PostingList";

/// Bytes that encoding takes per docID at most: a word, in a vector that doubles.
const ENCODED: usize = 8;
/// Bytes that an intersection takes per docID of the result at most: the same.
const INTERSECTED: usize = 8;

/// The argument of `encode` that holds the options of the codec.
const OPTIONS_ARGUMENT: u32 = 3;

/// `list` is `None` only between the creation of an object by `unserialize` and the call of `__unserialize`, or if that
/// failed.
#[derive(Clone, Default)]
pub struct Object {
    list: Option<PostingList>,
}

class!(Object);

impl Class for Object {
    const NAME: &'static str = NAME;
    const INTERFACES: &'static [ClassEntryInfo] = &[(ce::countable, "Countable"), (ce::aggregate, "IteratorAggregate")];

    fn methods() -> Vec<Method> {
        let list = || DataType::object("self");
        let other = |name: &'static str| Arg::new(name, DataType::object(NAME));
        vec![
            static_method(
                function("encode", handler!(encode, with names), list())
                    .arg(Arg::new("docIds", DataType::Array))
                    .arg(
                        Arg::new("codec", DataType::object(Choice::NAME))
                            .default(format!("\\Postings\\Codec::{}", Codec::default().php_case())),
                    )
                    // One less is required than stand before this, if the last is variadic.
                    .not_required()
                    .arg(Arg::new("options", DataType::Long).is_variadic()),
            ),
            static_method(function("fromBytes", handler!(from_bytes), list()).arg(Arg::new("bytes", DataType::String))),
            method(function("toBytes", handler!(to_bytes), DataType::String)),
            method(function("codec", handler!(codec_of), DataType::object(Choice::NAME))),
            method(function("options", handler!(options_of), DataType::Array)),
            method(function("count", handler!(count), DataType::Long)),
            method(function("toArray", handler!(to_array), DataType::Array)),
            method(function("toPacked", handler!(to_packed), DataType::String)),
            get_iterator::<Object>(),
            method(function("contains", handler!(contains), DataType::Bool).arg(Arg::new("docId", DataType::Long))),
            method(
                nullable("nextGreaterOrEqual", handler!(next_greater_or_equal), DataType::Long)
                    .arg(Arg::new("docId", DataType::Long)),
            ),
            method(function("intersect", handler!(intersect), DataType::Array).arg(other("others").is_variadic())),
            method(function("intersectList", handler!(intersect_list), list()).arg(other("others").is_variadic())),
            method(function("equals", handler!(equals), DataType::Bool).arg(other("other"))),
            method(function("__serialize", handler!(serialize), DataType::Array)),
            method(
                function("__unserialize", handler!(unserialize), DataType::Void).arg(Arg::new("data", DataType::Array)),
            ),
        ]
    }

    fn blank() -> Option<Self> {
        Some(Object::default())
    }

    fn copy(&self) -> Option<Self> {
        Some(self.clone())
    }

    /// `serialize`, a `==` that means the docIDs, `foreach`, and strings as docIDs.
    fn finish() {
        let class = class::entry::<Object>();
        // SAFETY: MINIT calls this, when the entry and the handlers may be written to.
        unsafe {
            (*class).ce_flags &= !ext_php_rs::ffi::ZEND_ACC_NOT_SERIALIZABLE;
            (*class).unserialize = Some(refuse_old_format);
            (*class::handlers::<Object>()).compare = Some(compare);
            widen(&raw const (*class).function_table, "encode", 0, MAY_BE_STRING);
            widen(&raw const (*class).function_table, "encode", 2, MAY_BE_DOUBLE);
        }
        foreach::over_aggregate::<Object>();
    }
}

impl Aggregate for Object {
    type Iterator = posting_list_iterator::Object;

    fn iterator(&self) -> Outcome<posting_list_iterator::Object> {
        Ok(posting_list_iterator::Object::new(self.list()?))
    }
}

impl Object {
    fn list(&self) -> Outcome<PostingList> {
        self.list.clone().ok_or_else(uninitialised::<Object>)
    }
}

/// Refuses data of PHP's old serialization format, `C:`, which has no place for what `__unserialize` takes. PHP would
/// otherwise make an object without a list out of it.
///
/// # Safety
/// PHP calls it, while it unserializes.
unsafe extern "C" fn refuse_old_format(
    _: *mut Zval,
    _: *mut zend_class_entry,
    _: *const c_uchar,
    _: usize,
    _: *mut zend_unserialize_data,
) -> c_int {
    exception::corrupt("posting list: serialized data: is of the format C:, and lists are written as O:");
    ffi::FAILURE
}

/// `==` between two lists compares their docIDs; lists have no order, so `<` and `>` are false. All other comparisons are
/// those of PHP's own objects.
///
/// # Safety
/// PHP calls it, with two values, at least one of them a list.
unsafe extern "C" fn compare(left: *mut Zval, right: *mut Zval) -> c_int {
    const UNCOMPARABLE: c_int = 1;
    // SAFETY: PHP compares two values that live.
    let pair = unsafe {
        (left.as_ref().and_then(class::value_of::<Object>), right.as_ref().and_then(class::value_of::<Object>))
    };
    let (Some(left_list), Some(right_list)) = pair else {
        // SAFETY: as above, at least one is an object. No value of this frame needs dropping, should PHP jump over it.
        return unsafe { ffi::zend_std_compare_objects(left, right) };
    };
    let equal = std::panic::catch_unwind(|| match (&left_list.list, &right_list.list) {
        (Some(left), Some(right)) => left.equals(right),
        _ => false,
    });
    if equal.unwrap_or(false) { 0 } else { UNCOMPARABLE }
}

/// The list of a value: `None` if it is no `PostingList`, an exception if the object holds no list.
pub fn of(value: &Zval) -> Option<Outcome<PostingList>> {
    class::value_of::<Object>(value).map(Object::list)
}

/// The posting lists of all arguments.
pub fn lists(call: &Call) -> Outcome<Vec<PostingList>> {
    let mut lists = input::with_room(call.count() as usize + 1)?;
    for index in 0..call.count() {
        lists.push(list(call.argument(index), index + 1)?);
    }
    Ok(lists)
}

/// Checks that there is memory for what these lists have in common: at most all docIDs of the shortest.
pub fn ensure_intersection(lists: &[PostingList]) -> Outcome {
    ensure_intersections(&[lists])
}

/// Checks that there is memory for the results of all queries.
pub fn ensure_intersections(queries: &[impl AsRef<[PostingList]>]) -> Outcome {
    let doc_ids: usize = queries.iter().filter_map(|lists| lists.as_ref().iter().map(PostingList::len).min()).sum();
    input::ensure_memory(INTERSECTED * doc_ids)
}

/// The posting list of one argument.
fn list(value: &Zval, argument: u32) -> Outcome<PostingList> {
    of(value.dereference()).unwrap_or_else(|| {
        let kind = exception::type_name(value.dereference());
        Err(exception::argument_type(argument, &format!("must be of type {NAME}, {kind} given")))
    })
}

/// The queries of an `array<array<PostingList>>` argument, in its order.
pub fn queries(array: &ZendHashTable, argument: u32) -> Outcome<Vec<Vec<PostingList>>> {
    let mut queries = input::with_room(array.len())?;
    for (index, (_, query)) in elements(array).enumerate() {
        queries.push(lists_of(query, index, argument)?);
    }
    Ok(queries)
}

fn lists_of(query: &Zval, index: usize, argument: u32) -> Outcome<Vec<PostingList>> {
    let wrong = |value: &Zval, place: &str| {
        let kind = exception::type_name(value);
        exception::argument_type(argument, &format!("must contain only arrays of {NAME}, {kind} given {place} {index}"))
    };
    let array = query.array().ok_or_else(|| wrong(query, "as query"))?;
    let mut lists = input::with_room(array.len())?;
    for (at, (_, value)) in elements(array).enumerate() {
        lists.push(of(value).unwrap_or_else(|| Err(wrong(value, &format!("at index {at} of query"))))?);
    }
    Ok(lists)
}

fn this(call: &mut Call) -> Outcome<PostingList> {
    class::this::<Object>(call)?.list()
}

/// Makes a new object with that list the value of `target`.
pub fn store(list: PostingList, target: &mut Zval) -> Outcome {
    class::store(Object { list: Some(list) }, target)
}

fn encode(call: &mut Call) -> Outcome {
    let mut doc_ids: *mut Zval = std::ptr::null_mut();
    let mut case: *mut Zval = std::ptr::null_mut();
    parse!(call, c"z|O", &raw mut doc_ids, &raw mut case, enumeration::class::<Choice>())?;
    // SAFETY: parsing set the pointers to arguments in the frame; the second stays null if it was left out.
    let (doc_ids, case) = unsafe { (&*doc_ids, case.as_ref()) };
    let choice = match case.and_then(Zval::object) {
        Some(case) => enumeration::of(case)?,
        None => Choice::Codec(Codec::default()),
    };
    let options = options(call)?;
    let codec = match choice {
        Choice::Codec(codec) => Some(codec),
        Choice::Auto => None,
    };
    let known = match codec {
        Some(codec) => codec.check_options(&options),
        None => Options::named("auto", &[], &options).map(drop),
    };
    check(known, OPTIONS_ARGUMENT)?;
    let doc_ids = input::doc_ids(doc_ids, 1)?;
    input::ensure_memory(ENCODED * doc_ids.len())?;
    let encoded = match codec {
        Some(codec) => PostingList::encode_with(&doc_ids, codec, &options),
        None => PostingList::encode_auto(&doc_ids),
    };
    let list = check(encoded, 1)?;
    store(list, call.result)
}

/// The options of a codec among the arguments, by name.
fn options<'c>(call: &'c Call) -> Outcome<Vec<(&'c str, f64)>> {
    let Some(named) = call.extra_named_arguments() else { return Ok(Vec::new()) };
    let mut options = input::with_room(named.len())?;
    for (key, value) in elements(named) {
        // Keys of named arguments are strings, and the names of all options are UTF-8.
        let Key::String(name) = key else { continue };
        // SAFETY: the key is a string of the table, which lives as long as the call.
        let name = unsafe { &*name.cast::<ZendStr>() }.as_str().unwrap_or_default();
        let Some(number) = long(value).map(|whole| whole as f64).or_else(|| value.double()) else {
            let kind = exception::type_name(value);
            let what = format!("must have numbers only, {kind} given as '{name}'");
            return Err(exception::argument_type(OPTIONS_ARGUMENT, &what));
        };
        options.push((name, number));
    }
    Ok(options)
}

fn options_of(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let list = this(call)?;
    let record = list.options().into_iter().fold(output::Record::new(), |record, (option, value)| {
        let mut field = Zval::new();
        match value {
            Some(value) if option.is_whole => field.set_long(value as i64),
            Some(value) => field.set_double(value),
            None => field.set_null(),
        }
        record.field(option.name, field)
    });
    record.store(call.result);
    Ok(())
}

fn from_bytes(call: &mut Call) -> Outcome {
    let bytes = call.bytes()?;
    input::ensure_memory(bytes.len())?;
    let list = check(PostingList::from_bytes(bytes), 1)?;
    store(list, call.result)
}

fn to_bytes(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let list = BailoutGuard::new(this(call)?);
    Ok(list.in_parts(|parts| output::words(call.result, &parts))?)
}

fn codec_of(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let codec = this(call)?.codec();
    enumeration::store(Choice::Codec(codec), call.result)
}

fn count(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let count = this(call)?.len() as i64;
    call.result.set_long(count);
    Ok(())
}

fn to_array(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let list = BailoutGuard::new((this(call)?, ini::settings()));
    let mut doc_ids = output::DocIds::new();
    engine::decode_to(&list.0, &list.1, &mut doc_ids);
    doc_ids.finish()?.store(call.result);
    Ok(())
}

fn to_packed(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let list = BailoutGuard::new((this(call)?, ini::settings()));
    let mut doc_ids = output::Packed::new();
    engine::decode_to(&list.0, &list.1, &mut doc_ids);
    Ok(doc_ids.store(call.result)?)
}

fn contains(call: &mut Call) -> Outcome {
    let doc_id = call.int()?;
    let list = this(call)?;
    call.result.set_bool(u32::try_from(doc_id).is_ok_and(|doc_id| list.contains(doc_id)));
    Ok(())
}

fn next_greater_or_equal(call: &mut Call) -> Outcome {
    let doc_id = call.int()?;
    let list = this(call)?;
    // Below 0 every docID is greater; above 2^32 - 1 none is.
    match u32::try_from(doc_id.max(0)).ok().and_then(|doc_id| list.next_geq(doc_id)) {
        Some(next) => call.result.set_long(i64::from(next)),
        None => call.result.set_null(),
    }
    Ok(())
}

fn intersect(call: &mut Call) -> Outcome {
    let mut lists = lists(call)?;
    lists.insert(0, this(call)?);
    ensure_intersection(&lists)?;
    let doc_ids = BailoutGuard::new(engine::intersect(&lists, &ini::settings()));
    drop(lists);
    output::List::of_doc_ids(&doc_ids)?.store(call.result);
    Ok(())
}

fn intersect_list(call: &mut Call) -> Outcome {
    let mut lists = lists(call)?;
    lists.insert(0, this(call)?);
    ensure_intersection(&lists)?;
    let list = check(engine::intersect_list(&lists), 1)?;
    store(list, call.result)
}

fn equals(call: &mut Call) -> Outcome {
    let mut other: *mut Zval = std::ptr::null_mut();
    parse!(call, c"O", &raw mut other, class::entry::<Object>())?;
    // SAFETY: parsing set it to an argument in the frame.
    let other = list(unsafe { &*other }, 1)?;
    let equal = this(call)?.equals(&other);
    call.result.set_bool(equal);
    Ok(())
}

/// The key under which `__serialize` keeps the byte format.
const BYTES: &str = "bytes";

fn serialize(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let list = BailoutGuard::new(this(call)?);
    let mut value = Zval::new();
    list.in_parts(|parts| output::words(&mut value, &parts))?;
    output::Record::new().field(BYTES, value).store(call.result);
    Ok(())
}

fn unserialize(call: &mut Call) -> Outcome {
    let mut data: *mut Zval = std::ptr::null_mut();
    parse!(call, c"a", &raw mut data)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let data: Option<&ZendHashTable> = unsafe { &*data }.dereference().array();
    let bytes = data.filter(|data| data.len() == 1).and_then(|data| data.get(BYTES)).map(Zval::dereference);
    let Some(bytes) = bytes.and_then(Zval::zend_str) else {
        return Err(exception::corrupt("posting list: serialized data: is not an array with the one string 'bytes'"));
    };
    input::ensure_memory(bytes.len())?;
    let list = check(PostingList::from_bytes(bytes.as_bytes()), 1)?;
    let object = class::this::<Object>(call)?;
    if object.list.is_some() {
        return Err(exception::error("Postings\\PostingList objects cannot be changed"));
    }
    object.list = Some(list);
    Ok(())
}
