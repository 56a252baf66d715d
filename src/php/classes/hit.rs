//! The class `Postings\Hit`: an ordinary object of PHP with five readonly properties, because the properties of such
//! objects are the fastest to make and to read.

use super::found::{Hit, Results};
use crate::index::Id;
use crate::index::segment::IdRef;
use crate::php::call::{Call, handler};
use crate::php::class::{self, Class, Method, class, method};
use crate::php::declare::function;
use crate::php::documents;
use crate::php::exception::{Outcome, Thrown};
use crate::php::ffi::{allocate, ends_for_memory, php_json_serializable_ce};
use crate::php::output::{self, Map};
use crate::php::property;
use crate::php::zend::{COLLECTABLE, REFCOUNTED};
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::ffi::{
    ZEND_ACC_USE_GUARDS, object_properties_init, std_object_handlers, zend_object_std_init, zend_objects_new,
};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendObject, Zval};
use ext_php_rs::zend::ClassEntry;

/// Only declares the class: no object has this value.
pub struct Object;

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\Hit";
    const INTERFACES: &'static [ClassEntryInfo] = &[
        // SAFETY: json is a part of PHP and starts before any extension that is loaded.
        (|| unsafe { &*php_json_serializable_ce }, "JsonSerializable"),
    ];

    fn methods() -> Vec<Method> {
        vec![method(function("jsonSerialize", handler!(json_serialize), DataType::Array))]
    }

    fn finish() {
        let class = class::entry::<Object>();
        // The order of the numbers in `new`.
        property::declare(class, "id", property::INT_OR_STRING);
        property::declare(class, "score", property::FLOAT);
        property::declare(class, "docId", property::INT);
        property::declare(class, "fields", property::ARRAY);
        property::declare(class, "distance", property::NULLABLE_FLOAT);
        // SAFETY: `finish` runs during MINIT, when entries may be written to.
        unsafe { (*class).__bindgen_anon_2.create_object = Some(create) };
        // PHP serializes ordinary objects by itself, and checks the types of their properties when it makes them again.
        // SAFETY: as above.
        unsafe { (*class).ce_flags &= !ext_php_rs::ffi::ZEND_ACC_NOT_SERIALIZABLE };
    }
}

/// An ordinary object. Having such a function of its own is also what makes PHP refuse to create objects of a final class
/// without its constructor.
///
/// # Safety
/// PHP calls it, with the class.
unsafe extern "C" fn create(class: *mut ClassEntry) -> *mut ZendObject {
    // SAFETY: this is what PHP does for classes of scripts.
    unsafe {
        let object = zend_objects_new(class);
        object_properties_init(object, class);
        object
    }
}

/// Makes the hit at that place the value of `target`; null if there is none.
pub fn store(results: &Results, at: usize, target: &mut Zval) -> Outcome {
    *target = match results.get(at) {
        Some(hit) => new(&hit, results.fields(at, &hit)?)?,
        None => Zval::null(),
    };
    Ok(())
}

/// Whether a value is an object of this class.
pub fn is_hit(value: &Zval) -> bool {
    value.object().is_some_and(|object| std::ptr::eq(object.ce, class::entry::<Object>()))
}

/// Id and score of a `Hit`; `None` for any other value, and a `Hit` without them.
pub fn id_and_score(value: &Zval) -> Option<(Id, f64)> {
    let object = value.object().filter(|_| is_hit(value))?;
    // SAFETY: objects of this class have these properties.
    let [id, score] = unsafe { [0, 1].map(|number| property::get(object, number)) };
    Some((documents::id(&id)?, score.double()?))
}

fn json_serialize(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = call.this_and_result();
    let Some(object) = object else { return Err(class::uninitialised::<Object>()) };
    // SAFETY: objects of this class have these properties.
    let [id, score, fields, distance] = unsafe { [0, 1, 3, 4].map(|number| property::get(object, number)) };
    json(id, score, fields, distance)?.store(result);
    Ok(())
}

/// What json_encode() encodes of a hit.
pub fn json(id: Zval, score: Zval, fields: Zval, distance: Zval) -> Outcome<Map> {
    let mut hit = Map::with_room(4)?;
    hit.set(b"id", id)?;
    hit.set(b"score", score)?;
    // An empty array would become a list, unlike the others.
    if fields.array().is_some_and(|fields| !fields.is_empty()) {
        hit.set(b"fields", fields)?;
    }
    if !distance.is_null() {
        hit.set(b"distance", distance)?;
    }
    Ok(hit)
}

/// A new `Hit`.
fn new(hit: &Hit, fields: Zval) -> Outcome<Zval> {
    if ends_for_memory() {
        return Err(Thrown);
    }
    let mut value = Zval::new();
    let (mut id, mut score, mut doc_id) = (Zval::new(), Zval::new(), Zval::new());
    store_id(hit.id, &mut id)?;
    score.set_double(hit.score);
    doc_id.set_long(hit.doc_id as i64);
    let properties = [id, score, doc_id, fields, distance(hit)];
    let class = class::entry::<Object>();
    // `ZendObject` has room for the first property. PHP 8.4 also gives the class guards against recursion, which come
    // after the last one.
    // SAFETY: the class is registered.
    let guards = usize::from(unsafe { (*class).ce_flags } & ZEND_ACC_USE_GUARDS != 0);
    let size = size_of::<ZendObject>() + (properties.len() - 1 + guards) * size_of::<Zval>();
    // Lists of hits may be long: the object must not be allocated by what kills the process far above memory_limit.
    let object: *mut ZendObject = allocate(size).ok_or(Thrown)?.cast();
    /// The type of a counted value that may be part of a cycle.
    const OBJECT: u32 = 8 | REFCOUNTED | COLLECTABLE;
    // SAFETY: the class is registered. The block is large enough for an object of it with these properties, and
    // becomes what `create` returns; the value, which owned nothing, becomes its one owner.
    unsafe {
        zend_object_std_init(object, class);
        (*object).handlers = &raw const std_object_handlers;
        for (number, property) in properties.into_iter().enumerate() {
            property::set(object, number, property);
        }
        value.value.obj = object;
        value.u1.type_info = OBJECT;
    }
    Ok(value)
}

/// The distance of a hit; null if it has none.
pub fn distance(hit: &Hit) -> Zval {
    let mut value = Zval::null();
    if let Some(distance) = hit.distance {
        value.set_double(distance);
    }
    value
}

/// Makes an id the value of `target`.
pub fn store_id(id: IdRef, target: &mut Zval) -> Outcome {
    match id {
        IdRef::Int(id) => target.set_long(id),
        IdRef::Bytes(id) => output::bytes(target, id)?,
    }
    Ok(())
}
