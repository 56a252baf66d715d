//! Vectors out of PHP's values.

use super::exception::{self, Outcome, type_name};
use super::input;
use super::points::Wrong;
use super::zend::{elements, number};
use crate::php::call::check_index;
use crate::vector::{Query, Shape};
use ext_php_rs::types::Zval;

const FORMS: &str = "must be a list of int|float, or a string of 32-bit floats as pack('g*', …) gives";

/// The components of a list of numbers, or of a string of little-endian 32-bit floats, which can be kept with that shape.
pub fn components(value: &Zval, shape: Shape) -> Result<Vec<f32>, Wrong> {
    let value = value.dereference();
    let room = |count: usize| {
        let too_many = || Wrong::Value(format!("must have {} numbers, {count} given", shape.dimensions));
        if count == usize::from(shape.dimensions) { Ok(Vec::with_capacity(count)) } else { Err(too_many()) }
    };
    let mut components;
    if let Some(packed) = value.zend_str() {
        let (floats, rest) = packed.as_bytes().as_chunks::<4>();
        if !rest.is_empty() {
            return Err(Wrong::Value(format!("{FORMS}, a string of {} bytes given", packed.len())));
        }
        components = room(floats.len())?;
        components.extend(floats.iter().map(|&float| f32::from_le_bytes(float)));
    } else {
        let array = value.array().ok_or_else(|| Wrong::Type(format!("{FORMS}, {} given", type_name(value))))?;
        components = room(array.len())?;
        for (_, value) in elements(array) {
            let number = number(value);
            let number =
                number.ok_or_else(|| Wrong::Type(format!("{FORMS}, a list with {} given", type_name(value))))?;
            components.push(number as f32);
        }
    }
    shape.explain(&components).map_err(Wrong::Value)?;
    Ok(components)
}

/// The vector that is looked for in a field of that shape: of an argument, or of an element of one that `place` names.
pub fn query(value: &Zval, shape: Shape, argument: u32, place: &str) -> Outcome<Query> {
    let text = |what: &str| if place.is_empty() { what.to_owned() } else { format!("{place}: {what}") };
    let components = components(value, shape.of_queries()).map_err(|wrong| wrong.throw(argument, text))?;
    check_index(Query::new(shape, &components), argument)
}

/// The vectors of an array.
pub fn queries(array: &ext_php_rs::types::ZendHashTable, shape: Shape, argument: u32) -> Outcome<Vec<Query>> {
    let mut queries = input::with_room(array.len())?;
    for (at, (_, value)) in elements(array).enumerate() {
        queries.push(query(value, shape, argument, &format!("at index {at}"))?);
    }
    Ok(queries)
}

/// The shape of a field that an argument names, which must have vectors.
pub fn shape(schema: &crate::index::Schema, name: &[u8], argument: u32) -> Outcome<(usize, Shape)> {
    let field = super::fields::named(schema, name, argument)?;
    match schema.fields[field].vector {
        Some(shape) => Ok((field, shape)),
        None => {
            let text = format!("field '{}': must be a vector field", String::from_utf8_lossy(name));
            Err(exception::argument_value(argument, &text))
        }
    }
}
