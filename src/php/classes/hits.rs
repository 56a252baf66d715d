//! The class `Postings\Hits`: what a search found.

use super::found::{self, FromLeaf, Merged, Results, Source};
use super::merge::{Part, Values, merged};
use super::{hit, hits_iterator};
use crate::exchange::LeafFound;
use crate::index::Schema;
use crate::php::call::{Call, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method, this_and_result};
use crate::php::declare::{MAY_BE_ARRAY, function, nullable, widen};
use crate::php::documents;
use crate::php::exception::{self, Outcome, Thrown};
use crate::php::ffi::{FAILURE, allocation_jumps, php_json_serializable_ce};
use crate::php::foreach::{self, Aggregate, get_iterator};
use crate::php::input;
use crate::php::output::{self, List, Map, NoRoom, Record};
use crate::php::property;
use crate::php::zend::elements;
use crate::search::{Facet, FieldFacet, Found, FoundHit, Index, Page};
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::ffi::{zend_class_entry, zend_unserialize_data};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};
use std::ffi::{c_int, c_uchar};
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

/// `None` only until [`fill`].
#[derive(Default)]
pub struct Object(Option<Rc<Results>>);

class!(Object);

/// The numbers of the properties.
const TOTAL: usize = 0;
const EXPIRED: usize = 1;
const FACETS: usize = 2;

impl Class for Object {
    const NAME: &'static str = "Postings\\Hits";
    const INTERFACES: &'static [ClassEntryInfo] = &[
        (ce::countable, "Countable"),
        (ce::aggregate, "IteratorAggregate"),
        (ce::arrayaccess, "ArrayAccess"),
        // SAFETY: json is a part of PHP and starts before any extension that is loaded.
        (|| unsafe { &*php_json_serializable_ce }, "JsonSerializable"),
    ];

    fn methods() -> Vec<Method> {
        let offset = || Arg::new("offset", DataType::Mixed);
        vec![
            static_method(
                function("merge", handler!(merge), DataType::object("self"))
                    .arg(Arg::new("hits", DataType::Array))
                    .not_required()
                    .arg(Arg::new("limit", DataType::Long).default("10"))
                    .arg(Arg::new("offset", DataType::Long).default("0"))
                    .arg(Arg::new("facets", DataType::Long).allow_null().default("null")),
            ),
            method(function("count", handler!(count), DataType::Long)),
            method(function("ids", handler!(ids), DataType::Array)),
            method(function("docIds", handler!(doc_ids), DataType::Array)),
            get_iterator::<Object>(),
            method(function("offsetExists", handler!(offset_exists), DataType::Bool).arg(offset())),
            method(nullable("offsetGet", handler!(offset_get), DataType::object(hit::Object::NAME)).arg(offset())),
            method(
                function("offsetSet", handler!(offset_set), DataType::Void)
                    .arg(offset())
                    .arg(Arg::new("value", DataType::Mixed)),
            ),
            method(function("offsetUnset", handler!(offset_unset), DataType::Void).arg(offset())),
            method(function("jsonSerialize", handler!(json_serialize), DataType::Array)),
            method(function("__serialize", handler!(serialize), DataType::Array)),
            method(
                function("__unserialize", handler!(unserialize), DataType::Void).arg(Arg::new("data", DataType::Array)),
            ),
            method(function("__debugInfo", handler!(debug_info), DataType::Array)),
        ]
    }

    fn blank() -> Option<Self> {
        Some(Object::default())
    }

    fn finish() {
        property::declare(class::entry::<Object>(), "total", property::NULLABLE_INT);
        property::declare(class::entry::<Object>(), "expired", property::BOOL);
        property::declare(class::entry::<Object>(), "facets", property::NULLABLE_ARRAY);
        // SAFETY: MINIT calls this, when the entry may be written to.
        unsafe {
            let class = class::entry::<Object>();
            (*class).ce_flags &= !ext_php_rs::ffi::ZEND_ACC_NOT_SERIALIZABLE;
            (*class).unserialize = Some(refuse_old_format);
        }
        // SAFETY: the class is registered.
        let methods = unsafe { &raw const (*class::entry::<Object>()).function_table };
        widen(methods, "merge", 3, MAY_BE_ARRAY);
        class::only_itself_is_equal::<Object>();
        foreach::over_aggregate::<Object>();
    }
}

impl Aggregate for Object {
    type Iterator = hits_iterator::Object;

    fn iterator(&self) -> Outcome<hits_iterator::Object> {
        Ok(hits_iterator::Object::new(self.results()?.clone()))
    }
}

impl Object {
    fn results(&self) -> Outcome<&Rc<Results>> {
        self.0.as_ref().ok_or_else(class::uninitialised::<Object>)
    }
}

/// Makes new `Hits` without results the value of `target`: PHP ends a script that has no memory for them by a jump, which
/// must not skip results.
pub fn prepare(target: &mut Zval) -> Outcome {
    class::store(Object::default(), target)
}

/// Puts results into what [`prepare`] made.
pub fn fill(target: &mut Zval, index: &Rc<Index>, page: &Rc<Page>, found: Found) -> Outcome {
    found::note(&found);
    let (total, expired) = total_and_expired(&found);
    if found.facets.is_some() || allocation_jumps() {
        let found = BailoutGuard::new(found);
        let facets = facets_by_name(Some(index.schema()), found.facets.as_deref())?;
        return set(target, total, expired, facets, || Results::new(Source::Index(index.clone()), Some(page), &found));
    }
    set(target, total, expired, Zval::null(), || Results::new(Source::Index(index.clone()), Some(page), &found))
}

/// As [`fill`], of what an index elsewhere has found.
pub fn fill_from_leaf(target: &mut Zval, schema: &Arc<Schema>, page: &Rc<Page>, found: LeafFound) -> Outcome {
    let (total, expired) = total_and_expired(&found.found);
    // PHP may end the script by a jump over this frame.
    let mut of = BailoutGuard::new(found);
    let facets = facets_by_name(Some(schema), of.found.facets.as_deref())?;
    let (merging, stored) = (std::mem::take(&mut of.merging), std::mem::take(&mut of.stored));
    let source = Source::Leaf(FromLeaf { schema: schema.clone(), merging, stored });
    set(target, total, expired, facets, || Results::new(source, Some(page), &of.found))
}

/// As [`fill`], of hits of several indexes.
fn fill_merged(target: &mut Zval, merged: &Merged) -> Outcome {
    found::note(&merged.found);
    let (total, expired) = total_and_expired(&merged.found);
    let facets = facets_by_name(merged.schema.as_ref(), merged.found.facets.as_deref())?;
    let source = Source::Merged(merged.schema.clone(), merged.of.clone());
    set(target, total, expired, facets, || Results::new(source, Some(&merged.page), &merged.found))
}

/// The properties of `Hits`.
fn expired_and_facets(hits: &Zval) -> Outcome<[Zval; 2]> {
    let object = hits.object().ok_or_else(class::uninitialised::<Object>)?;
    // SAFETY: objects of this class have these properties.
    Ok(unsafe { [EXPIRED, FACETS].map(|number| property::get(object, number)) })
}

fn total_and_expired(found: &Found) -> (Zval, Zval) {
    let mut total = Zval::null();
    if let Some(count) = found.total {
        total.set_long(output::count(count));
    }
    let mut expired = Zval::new();
    expired.set_bool(found.expired);
    (total, expired)
}

/// Sets what new `Hits` have.
fn set(
    target: &mut Zval,
    total: Zval,
    expired: Zval,
    facets: Zval,
    results: impl FnOnce() -> Result<Results, NoRoom>,
) -> Outcome {
    if let Some(object) = target.object_mut() {
        // SAFETY: the object is new and has these properties.
        unsafe {
            property::set(object, TOTAL, total);
            property::set(object, EXPIRED, expired);
            property::set(object, FACETS, facets);
        }
    }
    let object = class::value_of_mut::<Object>(target).ok_or_else(class::uninitialised::<Object>)?;
    object.0 = Some(Rc::new(results()?));
    Ok(())
}

/// Facets as PHP gets them; null if there are none.
fn facets_by_name(schema: Option<&Arc<Schema>>, facets: Option<&[FieldFacet]>) -> Outcome<Zval> {
    let (Some(schema), Some(facets)) = (schema, facets) else { return Ok(Zval::null()) };
    let mut map = Map::with_room(facets.len())?;
    for FieldFacet { field, facet } in facets {
        let mut value = Zval::new();
        match facet {
            Facet::Values(counts) => Map::of_counts(counts)?.store(&mut value),
            Facet::Numbers { range, count } => {
                let (min, max) = (range.map(|range| range.0), range.map(|range| range.1));
                Record::new()
                    .field("min", min)
                    .field("max", max)
                    .field("count", output::count(*count))
                    .store(&mut value);
            }
        }
        map.set(schema.fields[*field].name.as_bytes(), value)?;
    }
    Ok(map.into_zval())
}

fn this<'a>(call: &'a mut Call) -> Outcome<(&'a Results, &'a mut Zval)> {
    let (object, result) = this_and_result::<Object>(call)?;
    Ok((&**object.results()?, result))
}

fn merge(call: &mut Call) -> Outcome {
    let mut hits = null_mut::<Zval>();
    let mut facets = null_mut::<Zval>();
    let (mut limit, mut offset) = (10i64, 0i64);
    parse!(call, c"a|llz", &raw mut hits, &raw mut limit, &raw mut offset, &raw mut facets)?;
    let (limit, offset) = (input::natural(limit, 2)?, input::natural(offset, 3)?);
    // SAFETY: parsing set it to an argument in the frame, or left it null.
    let values = Values::of(unsafe { facets.as_ref() }, 4)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let given: Option<&ZendHashTable> = unsafe { &*hits }.dereference().array();
    let mut parts: Vec<Part> = input::with_room(given.map_or(0, |given| given.len()))?;
    for (at, (_, value)) in given.into_iter().flat_map(elements).enumerate() {
        let Some(object) = class::value_of::<Object>(value.dereference()) else {
            let text =
                format!("must contain only {}, {} given at index {at}", Object::NAME, exception::type_name(value));
            return Err(exception::argument_type(1, &text));
        };
        let [expired, facets] = expired_and_facets(value.dereference())?;
        parts.push(Part { results: object.results()?.clone(), expired: expired.bool().unwrap_or(false), facets });
    }
    if parts.is_empty() {
        return Err(exception::argument_value(1, "must have Hits to merge, [] given"));
    }
    let merged = merged(&parts, limit, offset, &values)?;
    drop(parts);
    // PHP may end the script by a jump over this frame.
    let merged = BailoutGuard::new(merged);
    prepare(call.result)?;
    fill_merged(call.result, &merged)
}

fn count(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (results, target) = this(call)?;
    target.set_long(results.len() as i64);
    Ok(())
}

fn ids(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (results, target) = this(call)?;
    let mut ids = List::with_room(results.len())?;
    for hit in results.iter() {
        let mut id = Zval::new();
        hit::store_id(hit.id, &mut id)?;
        ids.push(id);
    }
    ids.store(target);
    Ok(())
}

/// The argument as the number of a hit; `None` if it is not an integer, or negative.
fn offset(call: &Call) -> Outcome<Option<usize>> {
    let mut offset: *mut Zval = std::ptr::null_mut();
    parse!(call, c"z", &raw mut offset)?;
    // SAFETY: parsing set it to an argument in the frame.
    let offset = unsafe { &*offset }.dereference();
    Ok(offset.long().and_then(|offset| usize::try_from(offset).ok()))
}

fn offset_exists(call: &mut Call) -> Outcome {
    let offset = offset(call)?;
    let (results, target) = this(call)?;
    target.set_bool(offset.is_some_and(|offset| offset < results.len()));
    Ok(())
}

fn offset_get(call: &mut Call) -> Outcome {
    let offset = offset(call)?;
    let (results, target) = this(call)?;
    hit::store(results, offset.unwrap_or(usize::MAX), target)
}

fn refuse_change() -> Outcome {
    Err(exception::error("Postings\\Hits objects cannot be changed"))
}

fn offset_set(call: &mut Call) -> Outcome {
    let [mut offset, mut value] = [std::ptr::null_mut::<Zval>(); 2];
    parse!(call, c"zz", &raw mut offset, &raw mut value)?;
    refuse_change()
}

fn offset_unset(call: &mut Call) -> Outcome {
    offset(call)?;
    refuse_change()
}

fn json_serialize(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (results, target) = this(call)?;
    let mut hits = List::with_room(results.len())?;
    for (at, found) in results.iter().enumerate() {
        let mut id = Zval::new();
        hit::store_id(found.id, &mut id)?;
        let mut score = Zval::new();
        score.set_double(found.score);
        let fields = if results.may_have_fields() { results.fields(at, &found)? } else { Zval::null() };
        hits.push(hit::json(id, score, fields, hit::distance(&found))?.into_zval());
    }
    let total = results.total.map(output::count);
    Record::new().field("total", total).field("hits", hits.into_zval()).store(target);
    Ok(())
}

fn doc_ids(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (results, target) = this(call)?;
    let mut doc_ids = List::with_room(results.len())?;
    for hit in results.iter() {
        doc_ids.push_long(hit.doc_id as i64);
    }
    doc_ids.store(target);
    Ok(())
}

/// The properties, as they are set.
fn properties(call: &mut Call) -> Outcome<[Zval; 3]> {
    let object = call.this_and_result().0.ok_or_else(class::uninitialised::<Object>)?;
    // SAFETY: objects of this class have these properties.
    Ok(unsafe { [TOTAL, EXPIRED, FACETS].map(|number| property::get(object, number)) })
}

fn debug_info(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let [total, expired, facets] = properties(call)?;
    let (results, target) = this(call)?;
    let mut hits = List::with_room(results.len())?;
    for at in 0..results.len() {
        let mut hit = Zval::new();
        hit::store(results, at, &mut hit)?;
        hits.push(hit);
    }
    let shown = Record::new().field("total", total).field("expired", expired).field("facets", facets);
    shown.field("hits", hits.into_zval()).store(target);
    Ok(())
}

fn serialize(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let [total, expired, facets] = properties(call)?;
    let (results, target) = this(call)?;
    let mut hits = List::with_room(results.len())?;
    for (at, found) in results.iter().enumerate() {
        let mut hit = List::with_room(5)?;
        let mut id = Zval::new();
        hit::store_id(found.id, &mut id)?;
        hit.push(id);
        let mut score = Zval::new();
        score.set_double(found.score);
        hit.push(score);
        hit.push_long(found.doc_id as i64);
        hit.push(results.fields(at, &found)?);
        if found.distance.is_some() {
            hit.push(hit::distance(&found));
        }
        hits.push(hit.into_zval());
    }
    let data = Record::new().field("total", total).field("expired", expired).field("facets", facets);
    // Merging others would need what they were ordered by.
    let limit = results.page().filter(|page| page.is_by_score()).map(|page| page.limit as i64);
    data.field("limit", limit).field("hits", hits.into_zval()).store(target);
    Ok(())
}

/// What `__unserialize` says of data that `__serialize` does not make.
fn bad(what: &str) -> Thrown {
    exception::corrupt(&format!("hits: serialized data: {what}"))
}

fn unserialize(call: &mut Call) -> Outcome {
    let mut data: *mut Zval = std::ptr::null_mut();
    parse!(call, c"a", &raw mut data)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let data = unsafe { &*data }.dereference().array();
    if class::this::<Object>(call)?.0.is_some() {
        return refuse_change();
    }
    let part = |name: &str| data.and_then(|data| data.get(name)).map(Zval::dereference).ok_or_else(|| bad(name));
    let (total, expired, facets, hits) = (part("total")?, part("expired")?, part("facets")?, part("hits")?);
    let count = total.long().map(u64::try_from);
    if !(total.is_null() || matches!(count, Some(Ok(_)))) || !expired.is_bool() {
        return Err(bad("total must be null or not negative, and expired bool"));
    }
    let (true, Some(hits)) = (facets.is_null() || facets.is_array(), hits.array()) else {
        return Err(bad("facets must be null or an array, and hits a list"));
    };
    let mut found = Found { total: count.and_then(Result::ok), ..Found::default() };
    found.hits = input::with_room(hits.len())?;
    let mut stored = List::with_room(hits.len())?;
    for (_, hit) in elements(hits) {
        let part = |at: i64| hit.array().filter(|hit| [4, 5].contains(&hit.len())).and_then(|hit| hit.get_index(at));
        let distance = part(4).and_then(|distance| distance.dereference().double());
        let parts = [0, 1, 2, 3].map(|at| part(at).map(Zval::dereference));
        let values = match parts {
            [Some(id), Some(score), Some(doc_id), Some(fields)] if fields.is_array() => {
                let doc_id = doc_id.long().and_then(|doc_id| u64::try_from(doc_id).ok());
                documents::id(id).zip(score.double()).zip(doc_id).map(|values| (values, fields))
            }
            _ => None,
        };
        let Some((((id, score), doc_id), fields)) = values else {
            return Err(bad("a hit must be a list of id, score, docID and fields"));
        };
        found.hits.push(FoundHit { id, score, doc_id, distance });
        stored.push(fields.shallow_clone());
    }
    let limit = data.and_then(|data| data.get("limit")).and_then(|limit| limit.dereference().long());
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let page = limit.map(|limit| Rc::new(Page::by_score(limit)));
    let (total, expired, facets) = (total.shallow_clone(), expired.shallow_clone(), facets.shallow_clone());
    let stored = stored.into_zval();
    let found = BailoutGuard::new(found);
    let results = Results::new(Source::Serialized(stored), page.as_ref(), &found)?;
    let object = call.this_and_result().0.ok_or_else(class::uninitialised::<Object>)?;
    // SAFETY: the object has these properties, which were not set: it has no results yet.
    unsafe {
        property::set(object, TOTAL, total);
        property::set(object, EXPIRED, expired);
        property::set(object, FACETS, facets);
    }
    class::this::<Object>(call)?.0 = Some(Rc::new(results));
    Ok(())
}

/// Refuses data of PHP's old serialization format, `C:`.
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
    exception::corrupt("hits: serialized data: is of the format C:, and hits are written as O:");
    FAILURE
}
