//! The options of a search out of arguments.

use crate::index::{Kind, Schema};
use crate::php::exception::{self, Outcome, Thrown, shown, type_name};
use crate::php::fields;
use crate::php::zend::{Key, elements, number};
use crate::search::{Direction, Filter, Options};
use ext_php_rs::types::Zval;

/// The elements of an array argument.
fn pairs(argument: &Zval) -> impl Iterator<Item = (Key, &Zval)> {
    argument.array().into_iter().flat_map(elements)
}

/// BM25's k1 out of an argument.
pub fn k1(value: f64, argument: u32) -> Outcome<f32> {
    if (value as f32).is_finite() && value >= 0.0 {
        return Ok(value as f32);
    }
    Err(exception::argument_value(argument, &format!("must be a number of at least 0, {} given", shown(value))))
}

/// BM25's b out of an argument.
pub fn b(value: f64, argument: u32) -> Outcome<f32> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value as f32);
    }
    Err(exception::argument_value(argument, &format!("must be a number from 0 to 1, {} given", shown(value))))
}

fn in_field(schema: &Schema, field: usize, what: &str) -> String {
    format!("field '{}': {what}", schema.fields[field].name)
}

/// Sets conditions by an `array $filter` argument.
pub fn filter(options: &mut Options, schema: &Schema, argument: &Zval, place: u32) -> Outcome {
    for (key, value) in pairs(argument) {
        let field = fields::of_key(schema, &key, place)?;
        let wrong = |what: &str| Err(exception::argument_value(place, &in_field(schema, field, what)));
        let wrong_type = |what: &str, value: &Zval| -> Thrown {
            let what = format!("{what}, {} given", type_name(value));
            exception::argument_type(place, &in_field(schema, field, &what))
        };
        let filter = match schema.fields[field].kind {
            Kind::Text => return wrong("is text; filters need a keyword or numeric field"),
            Kind::Keyword => {
                let keyword = |value: &Zval| match (value.zend_str(), value.long()) {
                    (Some(text), _) => Ok(text.as_bytes().to_vec()),
                    (None, Some(number)) => Ok(number.to_string().into_bytes()),
                    (None, None) => Err(wrong_type("must be string|int, or a list of them", value)),
                };
                Filter::Keywords(match value.array() {
                    Some(list) => elements(list).map(|(_, value)| keyword(value)).collect::<Outcome<_>>()?,
                    None => vec![keyword(value)?],
                })
            }
            Kind::Numeric => {
                let what = "must be int|float, or [lowest, highest] with null for none";
                let bound = |value: &Zval| match number(value) {
                    Some(number) if number.is_nan() => wrong(&format!("{what}, NAN given")).map(|()| 0.0),
                    Some(number) => Ok(number),
                    None => Err(wrong_type(what, value)),
                };
                let end = |value: &Zval| if value.is_null() { Ok(None) } else { bound(value).map(Some) };
                match value.array() {
                    None => bound(value).map(|number| Filter::Range(Some(number), Some(number)))?,
                    Some(pair) => match (pair.len(), pair.get_index(0), pair.get_index(1)) {
                        (2, Some(low), Some(high)) => Filter::Range(end(low.dereference())?, end(high.dereference())?),
                        _ => return wrong(&format!("{what}, an array of another form given")),
                    },
                }
            }
        };
        options.filter.push((field, filter));
    }
    Ok(())
}

/// Sets the order by an `array $sort` argument.
pub fn sort(options: &mut Options, schema: &Schema, argument: &Zval, place: u32) -> Outcome {
    for (key, value) in pairs(argument) {
        let field = fields::of_key(schema, &key, place)?;
        if schema.fields[field].kind != Kind::Numeric {
            let text = in_field(schema, field, "is not numeric; only such fields can be sorted by");
            return Err(exception::argument_value(place, &text));
        }
        let direction = value.zend_str().map(|text| text.as_bytes());
        let direction = match direction {
            Some(text) if text.eq_ignore_ascii_case(b"asc") => Direction::Ascending,
            Some(text) if text.eq_ignore_ascii_case(b"desc") => Direction::Descending,
            Some(text) => {
                let what = format!("must be 'asc' or 'desc', '{}' given", String::from_utf8_lossy(text));
                return Err(exception::argument_value(place, &in_field(schema, field, &what)));
            }
            None => {
                let what = format!("must be 'asc' or 'desc', {} given", type_name(value));
                return Err(exception::argument_type(place, &in_field(schema, field, &what)));
            }
        };
        options.sort.push((field, direction));
    }
    Ok(())
}

/// Sets weights by an `array $weights` argument.
pub fn weights(options: &mut Options, schema: &Schema, argument: &Zval, place: u32) -> Outcome {
    for (key, value) in pairs(argument) {
        let field = fields::of_key(schema, &key, place)?;
        if schema.fields[field].kind != Kind::Text {
            let text = in_field(schema, field, "only text has a weight: keywords and numbers are not scored");
            return Err(exception::argument_value(place, &text));
        }
        let Some(weight) = number(value) else {
            let what = format!("must be int|float, {} given", type_name(value));
            return Err(exception::argument_type(place, &in_field(schema, field, &what)));
        };
        if !(0.0..=f64::from(Schema::GREATEST_WEIGHT)).contains(&weight) {
            let what = format!("must be a number from 0 to 1000000, {} given", shown(weight));
            return Err(exception::argument_value(place, &in_field(schema, field, &what)));
        }
        options.weights.push((field, weight as f32));
    }
    Ok(())
}
