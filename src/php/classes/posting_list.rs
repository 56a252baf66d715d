//! The class `Postings\PostingList`.

use super::call::{Call, Outcome, check, function, handler, parse};
use super::{codec, exception, ffi, ini, input, iterator, output};
use crate::{Codec, PostingList, engine};
use ext_php_rs::args::Arg;
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::class::{ClassEntryInfo, ClassMetadata, ConstructorMeta, ConstructorResult, RegisteredClass};
use ext_php_rs::convert::IntoZvalDyn;
use ext_php_rs::describe::DocComments;
use ext_php_rs::exception::PhpException;
use ext_php_rs::ffi::{zend_class_entry, zend_unserialize_data};
use ext_php_rs::flags::{ClassFlags, ConstantFlags, DataType, MethodFlags};
use ext_php_rs::types::{ZendClassObject, ZendHashTable, ZendObject, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};
use std::ffi::{c_int, c_uchar};

pub const NAME: &str = "Postings\\PostingList";

/// The Rust side of a `PostingList` object. Without a list only between its creation by `unserialize` and the call of
/// `__unserialize`, or where that failed.
#[derive(Clone, Default)]
pub struct Object {
    list: Option<PostingList>,
}

static METADATA: ClassMetadata<Object> = ClassMetadata::new(&[]);

/// No constants.
pub type Constants = &'static [(&'static str, &'static dyn IntoZvalDyn, DocComments, ConstantFlags)];

/// A private constructor that refuses, for classes whose objects only we make.
pub fn no_constructor<T>() -> Option<ConstructorMeta<T>> {
    Some(ConstructorMeta {
        constructor: |_| {
            ConstructorResult::Exception(PhpException::from_message("objects are made by the extension".into()))
        },
        build_fn: |function| function,
        flags: Some(MethodFlags::Private),
    })
}

impl RegisteredClass for Object {
    const CLASS_NAME: &'static str = NAME;
    const BUILDER_MODIFIER: Option<fn(ClassBuilder) -> ClassBuilder> = None;
    const EXTENDS: Option<ClassEntryInfo> = None;
    const IMPLEMENTS: &'static [ClassEntryInfo] = &[(ce::countable, "Countable"), (ce::aggregate, "IteratorAggregate")];
    const FLAGS: ClassFlags = ClassFlags::Final.union(ClassFlags::NoDynamicProperties);

    fn get_metadata() -> &'static ClassMetadata<Self> {
        &METADATA
    }

    fn method_builders() -> Vec<(FunctionBuilder<'static>, MethodFlags)> {
        let list = || DataType::object("self");
        let other = |name: &'static str| Arg::new(name, DataType::object(NAME));
        let (public, of_class) = (MethodFlags::Public, MethodFlags::Public.union(MethodFlags::Static));
        vec![
            (
                function("encode", handler!(encode), list())
                    .arg(Arg::new("docIds", DataType::Array))
                    .not_required()
                    .arg(Arg::new("codec", DataType::object(codec::NAME)).default("\\Postings\\Codec::QuasiSuccinct")),
                of_class,
            ),
            (function("fromBytes", handler!(from_bytes), list()).arg(Arg::new("bytes", DataType::String)), of_class),
            (function("toBytes", handler!(to_bytes), DataType::String), public),
            (function("codec", handler!(codec_of), DataType::object(codec::NAME)), public),
            (function("count", handler!(count), DataType::Long), public),
            (function("toArray", handler!(to_array), DataType::Array), public),
            (function("toPacked", handler!(to_packed), DataType::String), public),
            (function("getIterator", handler!(get_iterator), DataType::object("Iterator")), public),
            (function("contains", handler!(contains), DataType::Bool).arg(Arg::new("docId", DataType::Long)), public),
            (
                FunctionBuilder::new("nextGreaterOrEqual", handler!(next_greater_or_equal))
                    .returns(DataType::Long, false, true)
                    .arg(Arg::new("docId", DataType::Long)),
                public,
            ),
            (function("intersect", handler!(intersect), DataType::Array).arg(other("others").is_variadic()), public),
            (function("equals", handler!(equals), DataType::Bool).arg(other("other")), public),
            (function("__serialize", handler!(serialize), DataType::Array), public),
            (
                function("__unserialize", handler!(unserialize), DataType::Void).arg(Arg::new("data", DataType::Array)),
                public,
            ),
        ]
    }

    fn constructor() -> Option<ConstructorMeta<Self>> {
        no_constructor()
    }

    fn constants() -> Constants {
        &[]
    }

    fn default_init() -> Option<Self> {
        Some(Object::default())
    }

    fn clone_obj(&self) -> Option<Self> {
        Some(self.clone())
    }
}

/// What ext-php-rs does not offer: `serialize`, and a `==` that means the docIDs. In MINIT, once the class is there.
pub fn finish_registration() {
    let class = std::ptr::from_ref(METADATA.ce()).cast_mut();
    let handlers = std::ptr::from_ref(METADATA.handlers()).cast_mut();
    // SAFETY: both live as long as the module, nobody else looks at them during MINIT, and the handlers lie in the
    // interior-mutable cell of a static.
    unsafe {
        (*class).ce_flags &= !ext_php_rs::ffi::ZEND_ACC_NOT_SERIALIZABLE;
        (*class).unserialize = Some(refuse_old_format);
        (*handlers).compare = Some(compare);
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

/// `==` of two lists: the same docIDs; they have no order, so that `<` and `>` are false. What is not two lists compares
/// as PHP's own objects do.
///
/// # Safety
/// PHP calls it, with two values, at least one of them a list.
unsafe extern "C" fn compare(left: *mut Zval, right: *mut Zval) -> c_int {
    const UNCOMPARABLE: c_int = 1;
    // SAFETY: PHP compares two values that live.
    let pair = unsafe { (left.as_ref().and_then(object_of), right.as_ref().and_then(object_of)) };
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

fn object_of(value: &Zval) -> Option<&Object> {
    let object = ZendClassObject::<Object>::from_zend_obj(value.object()?)?;
    object.obj.as_ref()
}

const UNINITIALISED: &str = "Postings\\PostingList object has not been initialised";

/// The list of a value; `None` where it is no `PostingList`, an exception where the object holds no list.
pub fn of(value: &Zval) -> Option<Outcome<PostingList>> {
    let object = object_of(value)?;
    Some(object.list.clone().ok_or_else(|| exception::error(UNINITIALISED)))
}

/// The object that the method was called on.
fn object<'a>(call: &'a mut Call) -> Outcome<&'a mut ZendClassObject<Object>> {
    call.this()
        .and_then(|this: &mut ZendObject| ZendClassObject::<Object>::from_zend_obj_mut(this))
        .ok_or_else(|| exception::error(UNINITIALISED))
}

fn this(call: &mut Call) -> Outcome<PostingList> {
    object(call)?.list.clone().ok_or_else(|| exception::error(UNINITIALISED))
}

fn store(list: PostingList, target: &mut Zval) -> Outcome {
    let object = ZendClassObject::new(Object { list: Some(list) });
    match ext_php_rs::convert::IntoZval::set_zval(object, target, false) {
        Ok(()) => Ok(()),
        Err(error) => Err(exception::error(&error.to_string())),
    }
}

fn encode(call: &mut Call) -> Outcome {
    let mut doc_ids: *mut Zval = std::ptr::null_mut();
    let mut case: *mut Zval = std::ptr::null_mut();
    parse!(call, c"z|O", &raw mut doc_ids, &raw mut case, codec::class())?;
    // SAFETY: parsing set the pointers to arguments in the frame; the second stays null where it was left out.
    let (doc_ids, case) = unsafe { (&*doc_ids, case.as_ref()) };
    let codec = match case.and_then(Zval::object) {
        Some(case) => codec::of(case)?,
        None => Codec::QuasiSuccinct,
    };
    let doc_ids = input::doc_ids(doc_ids, 1)?;
    let list = check(PostingList::encode(&doc_ids, codec), 1)?;
    store(list, call.result)
}

fn from_bytes(call: &mut Call) -> Outcome {
    let list = check(PostingList::from_bytes(call.bytes()?), 1)?;
    store(list, call.result)
}

fn to_bytes(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let bytes = BailoutGuard::new(this(call)?.to_bytes());
    Ok(output::bytes(call.result, &bytes)?)
}

fn codec_of(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let codec = this(call)?.codec();
    codec::store(codec, call.result)
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

fn get_iterator(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let list = this(call)?;
    iterator::store(list, call.result)
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
    let mut lists = vec![this(call)?];
    lists.append(&mut input::lists(call, 0)?);
    let doc_ids = BailoutGuard::new(engine::intersect(&lists, &ini::settings()));
    drop(lists);
    output::List::of_doc_ids(&doc_ids)?.store(call.result);
    Ok(())
}

fn equals(call: &mut Call) -> Outcome {
    let mut other: *mut Zval = std::ptr::null_mut();
    parse!(call, c"O", &raw mut other, std::ptr::from_ref(METADATA.ce()))?;
    // SAFETY: parsing set it to an argument in the frame.
    let other = input::list(unsafe { &*other }, 1)?;
    let equal = this(call)?.equals(&other);
    call.result.set_bool(equal);
    Ok(())
}

/// The key under which `__serialize` keeps the byte format.
const BYTES: &str = "bytes";

fn serialize(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let bytes = BailoutGuard::new(this(call)?.to_bytes());
    let mut value = Zval::new();
    output::bytes(&mut value, &bytes)?;
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
    let list = check(PostingList::from_bytes(bytes.as_bytes()), 1)?;
    let object = object(call)?;
    if object.list.is_some() {
        return Err(exception::error("Postings\\PostingList objects cannot be changed"));
    }
    object.list = Some(list);
    Ok(())
}
