//! The nearest vectors.

use super::argument::Argument;
use super::arguments::{Arguments, Signature};
use super::object::Object;
use super::search::{bytes_of_hits, put_all, with_page};
use crate::engine;
use crate::index::Schema;
use crate::php::call::{Call, check_index};
use crate::php::class::{this, this_and_result};
use crate::php::classes::hits;
use crate::php::exception::Outcome;
use crate::php::output::Map;
use crate::php::zend::elements;
use crate::php::{ini, input, vectors};
use crate::search::{Options, Page};
use crate::vector::Shape;
use ext_php_rs::types::ZendHashTable;
use ext_php_rs::zend::BailoutGuard;
use std::rc::Rc;

/// The signature of a method that looks for a vector, or several.
macro_rules! nearest_signature {
    ($vector:expr) => {
        Signature {
            required: 2,
            arguments: &[
                Argument::Field,
                $vector,
                Argument::Limit,
                Argument::Offset,
                Argument::Filter,
                Argument::Deadline(None),
                Argument::Probes,
            ],
        }
    };
}

pub const NEAREST: Signature = nearest_signature!(Argument::Vector);
pub const BATCH: Signature = nearest_signature!(Argument::Vectors);

/// The field that arguments name, and what its vectors have in common; the options get what is said of its clusters.
pub fn field(arguments: &Arguments, schema: &Schema, options: &mut Options) -> Outcome<(usize, Shape)> {
    let (field, shape) = vectors::shape(schema, arguments.field(), 1)?;
    options.probes = arguments.probes(&schema.fields[field])?;
    Ok((field, shape))
}

pub fn nearest_one(call: &mut Call) -> Outcome {
    let arguments = NEAREST.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    let mut options = arguments.options(index.schema())?;
    let (field, shape) = field(&arguments, index.schema(), &mut options)?;
    let query = vectors::query(arguments.required(Argument::Vector).1, shape, 2, "")?;
    let page = Rc::new(Page::new(&options));
    input::ensure_memory(bytes_of_hits(index, &page))?;
    hits::prepare(result)?;
    let found =
        check_index(engine::nearest(index, field, &[query], &options, &ini::settings()), 1)?.pop().unwrap_or_default();
    hits::fill(result, index, &page, found)
}

pub fn nearest_batch(call: &mut Call) -> Outcome {
    let arguments = BATCH.parse(call)?;
    let index = this::<Object>(call)?.0.clone();
    let mut options = arguments.options(index.schema())?;
    let (field, shape) = field(&arguments, index.schema(), &mut options)?;
    let array = arguments.required(Argument::Vectors).1.array();
    let queries = array.map_or(Ok(Vec::new()), |array| vectors::queries(array, shape, 2))?;
    // PHP may end the script by a jump over this frame.
    let page = BailoutGuard::new(Rc::new(Page::new(&options)));
    input::ensure_memory(bytes_of_hits(&index, &page).saturating_mul(queries.len()))?;
    let found = check_index(engine::nearest(&index, field, &queries, &options, &ini::settings()), 1)?;
    drop(queries);
    let index = BailoutGuard::new(index);
    let mut map = Map::with_room(array.map_or(0, ZendHashTable::len))?;
    put_all(&mut map, array.into_iter().flat_map(elements).map(|(key, _)| key), &index, with_page(found, &page))?;
    map.store(call.result);
    Ok(())
}
