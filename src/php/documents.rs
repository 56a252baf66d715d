//! Ids and documents out of arguments. Conversions to strings may run PHP code; nothing else here does.

use super::exception::{self, Outcome, Thrown, type_name};
use super::ffi::zval_try_get_string_func;
use super::fields::{key_text, no_field};
use super::zend::elements;
use crate::index::{Document, Id, Kind, Schema, Value};
use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi::zend_ce_stringable;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;

/// An `int|string` argument, or key, as an id. Types are not converted: `7` and `'7'` are two ids.
pub fn id(value: &Zval) -> Option<Id> {
    let value = value.dereference();
    match value.zend_str() {
        Some(id) => Some(Id::Bytes(id.as_bytes().into())),
        None => value.long().map(Id::Int),
    }
}

/// An `int|string $id` argument.
pub fn id_argument(value: &Zval, argument: u32) -> Outcome<Id> {
    id(value).ok_or_else(|| {
        let kind = type_name(value.dereference());
        exception::argument_type(argument, &format!("must be of type int|string, {kind} given"))
    })
}

/// Where a document stands in the arguments, for errors.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The argument with it, from 1.
    pub argument: u32,
    /// Which of several documents it is.
    pub id: Option<&'a Id>,
}

impl Place<'_> {
    fn text(&self, what: &str) -> String {
        match self.id {
            None => what.to_owned(),
            Some(Id::Int(id)) => format!("document {id}: {what}"),
            Some(Id::Bytes(id)) => format!("document '{}': {what}", String::from_utf8_lossy(id)),
        }
    }

    fn wrong_value(&self, what: &str) -> Thrown {
        exception::argument_value(self.argument, &self.text(what))
    }

    fn wrong_type(&self, what: &str, value: &Zval) -> Thrown {
        exception::argument_type(self.argument, &self.text(&format!("{what}, {} given", type_name(value))))
    }

    /// The exception for a failure of the writer.
    pub fn failed(&self, failure: &crate::Error) -> Thrown {
        match failure {
            crate::Error::Argument(what) => self.wrong_value(&format!("cannot be added: {what}")),
            _ => exception::throw_of_index(failure, self.argument),
        }
    }
}

/// What text fields take.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    /// Texts, for the analyzer.
    Texts,
    /// Lists of the caller's own terms.
    Tokens,
}

/// A document out of an `array|string` value; a string is the value of the first field. Conversions may run PHP code.
pub fn document(schema: &Schema, value: &Zval, form: Form, place: Place<'_>) -> Outcome<Document> {
    let value = value.dereference();
    let types = if form == Form::Texts { "array|string" } else { "array" };
    let wrong = || place.wrong_type(&format!("must be of type {types}"), value);
    if form == Form::Texts && value.zend_str().is_some() {
        let name = schema.fields[0].name.as_bytes();
        let value = field_value(schema, 0, name, value, form, place)?;
        return Ok(Document { values: value.map(|value| (0, value)).into_iter().collect() });
    }
    if !value.is_array() {
        return Err(wrong());
    }
    // What runs meanwhile may change the variable, but not an array that has one more owner.
    let held = value.shallow_clone();
    let array = held.array().ok_or_else(wrong)?;
    // PHP code may end the script by a jump over this frame.
    let mut document = BailoutGuard::new(Document { values: Vec::with_capacity(array.len().min(schema.fields.len())) });
    for (key, value) in elements(array) {
        let name = key_text(&key);
        let number = schema.fields.iter().position(|field| field.name.as_bytes() == &*name);
        let number = number.ok_or_else(|| place.wrong_value(&no_field(schema, &name)))?;
        if let Some(value) = field_value(schema, number, &name, value, form, place)? {
            document.values.push((number, value));
        }
    }
    Ok(document.into_inner())
}

/// The value of a field; `None` for null, which is no value.
fn field_value(
    schema: &Schema,
    number: usize,
    name: &[u8],
    value: &Zval,
    form: Form,
    place: Place<'_>,
) -> Outcome<Option<Value>> {
    if value.is_null() {
        return Ok(None);
    }
    let wrong = |what: &str, value: &Zval| {
        let name = String::from_utf8_lossy(name);
        place.wrong_type(&format!("field '{name}' {what}"), value)
    };
    let strings = |array: &ZendHashTable, what: &str| {
        let mut strings = super::input::with_room(array.len())?;
        for (_, value) in elements(array) {
            match (value.zend_str(), value.long()) {
                (Some(text), _) => strings.push(text.as_bytes().to_vec()),
                (None, Some(number)) => strings.push(number.to_string().into_bytes()),
                (None, None) => return Err(wrong(&format!("must be {what}"), value)),
            }
        }
        Ok(strings)
    };
    Ok(Some(match (schema.fields[number].kind, form) {
        (Kind::Text, Form::Texts) => {
            if let Some(text) = value.zend_str() {
                super::input::ensure_memory(text.len())?;
                Value::Text(text.as_bytes().to_vec())
            } else if value.is_long() || value.is_double() || is_stringable(value) {
                Value::Text(string(value)?.as_bytes().to_vec())
            } else {
                return Err(wrong("must be string|Stringable|int|float|null", value));
            }
        }
        (Kind::Text, Form::Tokens) => match value.array() {
            Some(array) => Value::Tokens(strings(array, "a list of string|int")?),
            None => return Err(wrong("must be a list of string|int", value)),
        },
        (Kind::Keyword, _) => match (value.zend_str(), value.long(), value.array()) {
            (Some(text), ..) => Value::Keywords(vec![text.as_bytes().to_vec()]),
            (_, Some(number), _) => Value::Keywords(vec![number.to_string().into_bytes()]),
            (.., Some(array)) => Value::Keywords(strings(array, "string|int, or a list of them")?),
            _ => return Err(wrong("must be string|int, or a list of them", value)),
        },
        (Kind::Numeric, _) => {
            /// From here on not every integer is a float.
            const EXACT: i64 = 1 << 53;
            let out_of_range = |what: String| {
                let name = String::from_utf8_lossy(name);
                Err(place.wrong_value(&format!("field '{name}' must be {what} given")))
            };
            match (value.long(), value.double()) {
                (Some(number), _) if (-EXACT..=EXACT).contains(&number) => Value::Number(number as f64),
                (Some(number), _) => return out_of_range(format!("from -2^53 to 2^53, {number}")),
                (_, Some(number)) if number.is_finite() => Value::Number(number),
                (_, Some(number)) => return out_of_range(format!("finite, {}", exception::shown(number))),
                _ => return Err(wrong("must be int|float|null", value)),
            }
        }
    }))
}

fn is_stringable(value: &Zval) -> bool {
    // SAFETY: PHP has the interface.
    let stringable = unsafe { zend_ce_stringable.as_ref() };
    value.object().zip(stringable).is_some_and(|(object, stringable)| object.instance_of(stringable))
}

/// The value as PHP converts it to a string. May run PHP code.
fn string(value: &Zval) -> Outcome<ZBox<ZendStr>> {
    // The code may drop the variable that the value is in.
    let mut value = value.shallow_clone();
    // SAFETY: the value lives; the string is null if there is an exception, and otherwise counted for us.
    unsafe { zval_try_get_string_func(&mut value).as_mut().map(|string| ZBox::from_raw(string)) }.ok_or(Thrown)
}
