//! Ids and documents out of arguments. Conversions to strings may run PHP code; nothing else here does.

use super::exception::{self, Outcome, Thrown, type_name};
use super::ffi::{php_date_get_interface_ce, zend_ce_backed_enum, zval_try_get_string_func};
use super::fields::{key_text, no_field};
use super::points;
use super::vectors;
use super::weights;
use super::zend::elements;
use crate::index::{Document, Field, Id, Kind, Schema, Uses, Value};
use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi::zend_ce_stringable;
use ext_php_rs::types::{ZendObject, ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::sync::Arc;

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

/// What documents are read for.
pub struct Shape {
    schema: Arc<Schema>,
    /// By field.
    uses: Vec<Uses>,
}

impl Shape {
    pub fn new(schema: &Arc<Schema>) -> Arc<Shape> {
        Arc::new(Shape { schema: schema.clone(), uses: schema.uses() })
    }
}

/// A document out of an `array|string` value; a string is the value of the first field. Conversions may run PHP code.
pub fn document(shape: &Shape, value: &Zval, form: Form, place: Place<'_>) -> Outcome<Document> {
    let Shape { schema, uses } = shape;
    let value = value.dereference();
    let types = if form == Form::Texts { "array|string" } else { "array" };
    let wrong = || place.wrong_type(&format!("must be of type {types}"), value);
    if form == Form::Texts && value.zend_str().is_some() {
        let name = schema.fields[0].name.as_bytes();
        let value = field_value((uses[0], &schema.fields[0]), name, value, form, place)?;
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
        if let Some(value) = field_value((uses[number], &schema.fields[number]), &name, value, form, place)? {
            document.values.push((number, value));
        }
    }
    Ok(document.into_inner())
}

/// What a value must be for these uses.
fn types(uses: Uses) -> &'static str {
    match (uses.has(Kind::Numeric), uses.has(Kind::Text)) {
        (true, _) => "int|float|bool|DateTimeInterface|null, or a list of int|float|bool|DateTimeInterface",
        (_, true) => "string|Stringable|int|float|DateTimeInterface|null, or a list of string|int|float",
        _ => "string|Stringable|int|float|bool|DateTimeInterface|null, or a list of string|int|float|bool",
    }
}

/// The value of a field; `None` for null, which is no value.
fn field_value(
    (uses, field): (Uses, &Field),
    name: &[u8],
    value: &Zval,
    form: Form,
    place: Place<'_>,
) -> Outcome<Option<Value>> {
    if value.is_null() {
        return Ok(None);
    }
    let text = |what: &str| place.text(&format!("field '{}' {what}", String::from_utf8_lossy(name)));
    if uses.has(Kind::Geo) {
        let point = points::point(value).map_err(|wrong| wrong.throw(place.argument, text));
        return point.map(|(lat, lng)| Some(Value::Point(lat, lng)));
    }
    if let Some(shape) = field.vector {
        let components = vectors::components(value, shape).map_err(|wrong| wrong.throw(place.argument, text));
        return components.map(|components| Some(Value::Vector(components)));
    }
    if uses.has(Kind::Weights) {
        if let Some(array) = value.array() {
            super::input::ensure_memory(array.len().saturating_mul(size_of::<(Vec<u8>, f32)>()))?;
        }
        let terms = weights::terms(value).map_err(|wrong| wrong.throw(place.argument, text));
        return terms.map(|terms| Some(Value::Weights(terms)));
    }
    let wrong = |what: &str, value: &Zval| {
        let name = String::from_utf8_lossy(name);
        place.wrong_type(&format!("field '{name}' must be {what}"), value)
    };
    if uses.has(Kind::Text) && form == Form::Tokens {
        let what = "a list of string|int";
        let array = value.array().ok_or_else(|| wrong(what, value))?;
        let mut terms = super::input::with_room(array.len())?;
        for (_, value) in elements(array) {
            match (value.zend_str(), value.long()) {
                (Some(text), _) => terms.push(text.as_bytes().to_vec()),
                (None, Some(number)) => terms.push(number.to_string().into_bytes()),
                (None, None) => return Err(wrong(what, value)),
            }
        }
        return Ok(Some(Value::Tokens(terms)));
    }
    if !value.is_array() {
        return one(uses, name, value, place).map(Some);
    }
    // What runs meanwhile may change the variable, but not an array that has one more owner.
    let held = value.shallow_clone();
    let array = held.array().ok_or_else(|| wrong(types(uses), value))?;
    if !uses.has(Kind::Numeric) && elements(array).all(|(_, value)| value.zend_str().is_some()) {
        let mut texts = super::input::with_room(array.len())?;
        for text in elements(array).filter_map(|(_, value)| value.zend_str()) {
            super::input::ensure_memory(text.len())?;
            texts.push(text.as_bytes().to_vec());
        }
        return Ok(Some(Value::Keywords(texts)));
    }
    // PHP code may end the script by a jump over this frame.
    let mut values = BailoutGuard::new(super::input::with_room(array.len())?);
    for (_, value) in elements(array) {
        let is_plain = value.zend_str().is_some() || value.long().is_some() || value.double().is_some();
        let is_time = || value.object().is_some_and(is_time);
        if !is_plain && value.bool().is_none() && !is_time() {
            return Err(wrong(types(uses), value));
        }
        values.push(one(uses, name, value, place)?);
    }
    Ok(Some(Value::List(values.into_inner())))
}

/// A value that is no list, nor null. May run PHP code.
fn one(uses: Uses, name: &[u8], value: &Zval, place: Place<'_>) -> Outcome<Value> {
    /// From here on not every integer is a float.
    const EXACT: i64 = 1 << 53;
    let numeric = uses.has(Kind::Numeric);
    let wrong = || {
        let name = String::from_utf8_lossy(name);
        place.wrong_type(&format!("field '{name}' must be {}", types(uses)), value)
    };
    let out_of_range = |what: String| {
        let name = String::from_utf8_lossy(name);
        Err(place.wrong_value(&format!("field '{name}' must be {what} given")))
    };
    match (value.long(), value.double()) {
        (Some(number), _) if numeric && !(-EXACT..=EXACT).contains(&number) => {
            return out_of_range(format!("from -2^53 to 2^53, {number}"));
        }
        (_, Some(number)) if !number.is_finite() && (numeric || uses.stored) => {
            return out_of_range(format!("finite, {}", exception::shown(number)));
        }
        _ => {}
    }
    // The code that a conversion runs may drop the variable that the value is in.
    let held = value.shallow_clone();
    match scalar(&held, uses)? {
        Some(Value::Text(_)) if numeric => Err(wrong()),
        Some(Value::Bool(_)) if uses.has(Kind::Text) => Err(wrong()),
        Some(value) => Ok(value),
        None => Err(wrong()),
    }
}

/// A value that is no list; `None` if there is none such. May run PHP code.
fn scalar(value: &Zval, uses: Uses) -> Outcome<Option<Value>> {
    if let Some(text) = value.zend_str() {
        super::input::ensure_memory(text.len())?;
        return Ok(Some(Value::Text(text.as_bytes().to_vec())));
    }
    if let Some(number) = value.long() {
        return Ok(Some(Value::Int(number)));
    }
    if let Some(number) = value.double() {
        return Ok(Some(match number.is_finite() {
            true => Value::Number(number),
            false => Value::Text(exception::shown(number).into_bytes()),
        }));
    }
    if let Some(truth) = value.bool() {
        return Ok(Some(Value::Bool(truth)));
    }
    let Some(object) = value.object() else { return Ok(None) };
    if is_time(object) {
        return moment(value, uses).map(Some);
    }
    // SAFETY: PHP has the class from its start.
    let backed = unsafe { zend_ce_backed_enum.as_ref() };
    if backed.is_some_and(|class| object.instance_of(class)) {
        // SAFETY: the value behind a case is the second property of every object of such an enum.
        let case = unsafe { &*object.properties_table.as_ptr().add(1) };
        return match (case.zend_str(), case.long()) {
            (Some(text), _) => Ok(Some(Value::Text(text.as_bytes().to_vec()))),
            (_, number) => Ok(number.map(Value::Int)),
        };
    }
    match is_stringable(value) {
        true => Ok(Some(Value::Text(string(value)?.as_bytes().to_vec()))),
        false => Ok(None),
    }
}

fn is_time(object: &ZendObject) -> bool {
    // SAFETY: PHP has the class from its start.
    let time = unsafe { php_date_get_interface_ce().as_ref() };
    time.is_some_and(|class| object.instance_of(class))
}

/// A DateTimeInterface: its seconds since 1970, and ISO 8601 with the fraction, if there is one.
fn moment(value: &Zval, uses: Uses) -> Outcome<Value> {
    let formatted = |format: &str| -> Outcome<Vec<u8>> {
        let text = value.try_call_method("format", vec![&format]).map_err(|_| Thrown)?;
        super::exception::no_exception()?;
        text.zend_str().map(|text| text.as_bytes().to_vec()).ok_or(Thrown)
    };
    let seconds = formatted("U.u")?;
    let seconds: f64 = std::str::from_utf8(&seconds).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
    if uses.has(Kind::Numeric) && !uses.has(Kind::Text) && !uses.has(Kind::Keyword) {
        return Ok(Value::Number(seconds));
    }
    let format = if seconds.fract() == 0.0 { "Y-m-d\\TH:i:sP" } else { "Y-m-d\\TH:i:s.uP" };
    Ok(Value::Time(seconds, formatted(format)?))
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
