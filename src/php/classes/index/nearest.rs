//! The nearest vectors, alone and beside what a query finds.

use super::argument::Argument;
use super::arguments::Signature;
use super::object::Object;
use super::search::{bytes_of_hits, put_all};
use crate::index::Schema;
use crate::php::call::{Call, check_index};
use crate::php::class::{this, this_and_result};
use crate::php::classes::hits;
use crate::php::exception::{self, Outcome, type_name};
use crate::php::fields::key_text;
use crate::php::output::Map;
use crate::php::zend::{elements, number};
use crate::php::{ini, input, vectors};
use crate::search::{Fusion, Options, Page};
use ext_php_rs::types::{ZendHashTable, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::rc::Rc;
use std::sync::Arc;

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
            ],
        }
    };
}

pub const NEAREST: Signature = nearest_signature!(Argument::Vector);
pub const BATCH: Signature = nearest_signature!(Argument::Vectors);

pub fn nearest_one(call: &mut Call) -> Outcome {
    let arguments = NEAREST.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    let options = arguments.options(index.schema())?;
    let (field, shape) = vectors::shape(index.schema(), arguments.field(), 1)?;
    let query = vectors::query(arguments.required(Argument::Vector).1, shape, 2, "")?;
    input::ensure_memory(bytes_of_hits(index, &options, 1))?;
    hits::prepare(result)?;
    let found = check_index(index.nearest(field, &[query], &options, 1), 1)?.pop().unwrap_or_default();
    hits::fill(result, index, &Rc::new(Page::new(&options)), found)
}

pub fn nearest_batch(call: &mut Call) -> Outcome {
    let arguments = BATCH.parse(call)?;
    let index = this::<Object>(call)?.0.clone();
    let options = arguments.options(index.schema())?;
    let (field, shape) = vectors::shape(index.schema(), arguments.field(), 1)?;
    let array = arguments.required(Argument::Vectors).1.array();
    let queries = array.map_or(Ok(Vec::new()), |array| vectors::queries(array, shape, 2))?;
    input::ensure_memory(bytes_of_hits(&index, &options, queries.len()))?;
    let found = check_index(index.nearest(field, &queries, &options, ini::settings().threads), 1)?;
    drop(queries);
    // PHP may end the script by a jump over this frame.
    let index = BailoutGuard::new(index);
    let page = BailoutGuard::new(Rc::new(Page::new(&options)));
    let mut map = Map::with_room(array.map_or(0, ZendHashTable::len))?;
    put_all(&mut map, array.into_iter().flat_map(elements).map(|(key, _)| key), &index, &page, found)?;
    map.store(call.result);
    Ok(())
}

/// The vectors of `nearest:`, by field.
pub fn nearest(options: &mut Options, schema: &Schema, value: &Zval, argument: u32) -> Outcome {
    for (key, vector) in value.array().into_iter().flat_map(elements) {
        let name = key_text(&key);
        let (field, shape) = vectors::shape(schema, &name, argument)?;
        let place = format!("field '{}'", String::from_utf8_lossy(&name));
        options.nearest.push((field, Arc::new(vectors::query(vector, shape, argument, &place)?)));
    }
    Ok(())
}

/// How the lists become one: 'rrf', or weights by field, `text` being what the query finds.
pub fn fusion(options: &mut Options, schema: &Schema, value: &Zval, argument: u32) -> Outcome {
    const FORMS: &str = "must be 'rrf' or an array of weights by vector field and 'text'";
    let Some(array) = value.array() else {
        return match value.zend_str() {
            Some(name) if name.as_bytes() == b"rrf" => {
                options.fusion = Fusion::Ranks;
                Ok(())
            }
            Some(_) => Err(exception::argument_value(argument, FORMS)),
            None => Err(exception::argument_type(argument, &format!("{FORMS}, {} given", type_name(value)))),
        };
    };
    let (mut text, mut fields) = (0.0, Vec::new());
    for (key, weight) in elements(array) {
        let name = key_text(&key);
        let shown = String::from_utf8_lossy(&name);
        let Some(number) = number(weight) else {
            let text = format!("'{shown}': a weight must be int|float, {} given", type_name(weight));
            return Err(exception::argument_type(argument, &text));
        };
        if !(0.0..=1e6).contains(&number) {
            let text = format!("'{shown}': a weight must be from 0 to 1000000, {} given", exception::shown(number));
            return Err(exception::argument_value(argument, &text));
        }
        match &*name {
            b"text" => text = number,
            name => fields.push((vectors::shape(schema, name, argument)?.0, number)),
        }
    }
    options.fusion = Fusion::Scores { text, fields };
    Ok(())
}
