//! Stored values as PHP has them.

use crate::index::{Schema, Value};
use crate::php::call::check_index;
use crate::php::exception::Outcome;
use crate::php::output::{self, List, Map};
use crate::search::Index;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::BailoutGuard;

/// The stored fields of a document by name; empty if it has none.
pub fn fields(index: &Index, doc_id: u64) -> Outcome<Zval> {
    let schema = index.schema();
    if !schema.fields.iter().any(|field| field.stored) {
        return Ok(List::with_room(0)?.into_zval());
    }
    let values = BailoutGuard::new(check_index(index.stored(doc_id), 1)?);
    by_name(schema, &values)
}

/// Stored values by the names of their fields.
pub fn by_name(schema: &Schema, values: &[(usize, Value)]) -> Outcome<Zval> {
    let mut map = Map::with_room(values.len())?;
    for (field, value) in values.iter() {
        let name = schema.fields.get(*field).map_or("", |field| &field.name);
        map.set(name.as_bytes(), field_value(value)?)?;
    }
    Ok(map.into_zval())
}

fn field_value(value: &Value) -> Outcome<Zval> {
    let mut result = Zval::new();
    match value {
        Value::Text(text) | Value::Time(_, text) => output::bytes(&mut result, text)?,
        Value::Int(number) => result.set_long(*number),
        Value::Bool(truth) => result.set_bool(*truth),
        Value::List(many) => {
            let mut list = List::with_room(many.len())?;
            for one in many {
                list.push(field_value(one)?);
            }
            list.store(&mut result);
        }
        Value::Tokens(many) | Value::Keywords(many) => {
            let mut list = List::with_room(many.len())?;
            for one in many {
                let mut value = Zval::new();
                output::bytes(&mut value, one)?;
                list.push(value);
            }
            list.store(&mut result);
        }
        Value::Number(number) => result.set_double(*number),
        Value::Vector(components) => {
            let numbers = components.iter().map(|&component| Value::Number(component.into()));
            result = field_value(&Value::List(numbers.collect()))?;
        }
        Value::Weights(terms) => {
            let mut map = Map::with_room(terms.len())?;
            for (term, weight) in terms {
                map.set(term, field_value(&Value::Number((*weight).into()))?)?;
            }
            result = map.into_zval();
        }
        Value::Point(lat, lng) => result = field_value(&Value::List([*lat, *lng].map(Value::Number).into()))?,
    }
    Ok(result)
}
