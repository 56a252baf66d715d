//! The class `Postings\Hits`: what a search found.

use super::found::{self, Results};
use super::{hit, hits_iterator};
use crate::php::call::{Call, handler, parse};
use crate::php::class::{self, Class, Method, class, method, this_and_result};
use crate::php::declare::{function, nullable};
use crate::php::exception::{self, Outcome};
use crate::php::ffi::{allocation_jumps, php_json_serializable_ce};
use crate::php::foreach::{self, Aggregate, get_iterator};
use crate::php::output::{List, Map, Record};
use crate::php::property;
use crate::search::{Found, Index};
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{BailoutGuard, ce};
use std::rc::Rc;

/// `None` only until [`fill`].
#[derive(Default)]
pub struct Object(Option<Rc<Results>>);

class!(Object);

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
            method(function("count", handler!(count), DataType::Long)),
            method(function("ids", handler!(ids), DataType::Array)),
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
        ]
    }

    fn finish() {
        property::declare(class::entry::<Object>(), "total", property::NULLABLE_INT);
        property::declare(class::entry::<Object>(), "expired", property::BOOL);
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
pub fn fill(target: &mut Zval, index: &Index, found: Found) -> Outcome {
    found::note(&found);
    let mut total = Zval::null();
    if let Some(count) = found.total {
        total.set_long(count as i64);
    }
    let mut expired = Zval::new();
    expired.set_bool(found.expired);
    if let Some(object) = target.object_mut() {
        // SAFETY: the object is new and has these two properties.
        unsafe {
            property::set(object, 0, total);
            property::set(object, 1, expired);
        }
    }
    let object = class::value_of_mut::<Object>(target).ok_or_else(class::uninitialised::<Object>)?;
    let results =
        if allocation_jumps() { Results::new(index, &BailoutGuard::new(found))? } else { Results::new(index, &found)? };
    object.0 = Some(Rc::new(results));
    Ok(())
}

fn this<'a>(call: &'a mut Call) -> Outcome<(&'a Results, &'a mut Zval)> {
    let (object, result) = this_and_result::<Object>(call)?;
    Ok((&**object.results()?, result))
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
    let stored = results.index.schema().fields.iter().any(|field| field.stored);
    let mut hits = List::with_room(results.len())?;
    for found in results.iter() {
        let mut id = Zval::new();
        hit::store_id(found.id, &mut id)?;
        let mut score = Zval::new();
        score.set_double(found.score);
        let mut hit = Map::with_room(3)?;
        hit.set(b"id", id)?;
        hit.set(b"score", score)?;
        if stored {
            let fields = hit::fields(&results.index, found.doc_id)?;
            // An empty array would become a list, unlike the others.
            if fields.array().is_some_and(|fields| !fields.is_empty()) {
                hit.set(b"fields", fields)?;
            }
        }
        hits.push(hit.into_zval());
    }
    let total = results.total.map(|total| total as i64);
    Record::new().field("total", total).field("hits", hits.into_zval()).store(target);
    Ok(())
}
