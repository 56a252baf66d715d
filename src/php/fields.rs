//! The fields of an index: named by arguments, declared by them, and shown to PHP.

use super::exception::{self, Outcome, type_name};
use super::output::{Map, Record};
use super::zend::{Key, elements, number};
use crate::index::{Field, Kind, Schema};
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use std::borrow::Cow;

/// The key of an array element as text: PHP keeps a string that is an integer as one.
pub fn key_text(key: &Key) -> Cow<'_, [u8]> {
    match key {
        Key::Int(key) => Cow::Owned(key.to_string().into_bytes()),
        // SAFETY: the array owns the key.
        Key::String(key) => Cow::Borrowed(unsafe { &*key.cast::<ZendStr>() }.as_bytes()),
    }
}

/// The number of the field that a key names; an exception if there is none.
pub fn of_key(schema: &Schema, key: &Key, argument: u32) -> Outcome<usize> {
    let name = key_text(key);
    named(schema, &name, argument)
}

/// The number of the field with that name; an exception if there is none.
pub fn named(schema: &Schema, name: &[u8], argument: u32) -> Outcome<usize> {
    let number = schema.fields.iter().position(|field| field.name.as_bytes() == name);
    number.ok_or_else(|| exception::argument_value(argument, &no_field(schema, name)))
}

/// What is said of a name that no field has.
pub fn no_field(schema: &Schema, name: &[u8]) -> String {
    let names: Vec<String> = schema.fields.iter().map(|field| format!("'{}'", field.name)).collect();
    format!("field '{}': there is none, only {}", String::from_utf8_lossy(name), names.join(", "))
}

/// A field that an argument names, which must be of one of the kinds.
pub fn of_kind(schema: &Schema, name: &[u8], argument: u32, kinds: &[Kind], what: &str) -> Outcome<usize> {
    let field = named(schema, name, argument)?;
    if kinds.contains(&schema.fields[field].kind) {
        return Ok(field);
    }
    let name = String::from_utf8_lossy(name);
    Err(exception::argument_value(argument, &format!("field '{name}': must be {what}")))
}

/// What the dictionary of a field has: terms or keywords.
const WITH_TERMS: (&[Kind], &str) = (&[Kind::Text, Kind::Keyword], "a text or keyword field");

/// The field that an argument names; the first one with terms if it is null.
pub fn with_terms(schema: &Schema, name: *mut ZendStr, argument: u32) -> Outcome<usize> {
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    if let Some(name) = unsafe { name.as_ref() } {
        return of_kind(schema, name.as_bytes(), argument, WITH_TERMS.0, WITH_TERMS.1);
    }
    let first = |kind: Kind| schema.fields.iter().position(|field| field.kind == kind);
    first(Kind::Text)
        .or_else(|| first(Kind::Keyword))
        .ok_or_else(|| exception::argument_value(argument, "must name a field: the index has no text"))
}

/// The text field that an argument names; the first one if it is null.
pub fn text_or_first(schema: &Schema, name: *mut ZendStr, argument: u32) -> Outcome<usize> {
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    if let Some(name) = unsafe { name.as_ref() } {
        return of_kind(schema, name.as_bytes(), argument, &[Kind::Text], "a text field");
    }
    let first = schema.fields.iter().position(|field| field.kind == Kind::Text);
    first.ok_or_else(|| exception::argument_value(argument, "must name a text field: the index has none"))
}

/// The fields of `IndexWriter::open`.
pub fn declared(array: &ZendHashTable, argument: u32) -> Outcome<Vec<Field>> {
    if !(1..=Schema::MOST_FIELDS).contains(&array.len()) {
        let text = format!("must have 1 to {} fields, {} given", Schema::MOST_FIELDS, array.len());
        return Err(exception::argument_value(argument, &text));
    }
    elements(array).map(|(key, options)| declared_field(&key_text(&key), options, argument)).collect()
}

fn declared_field(name: &[u8], options: &Zval, argument: u32) -> Outcome<Field> {
    let shown = String::from_utf8_lossy(name);
    let wrong = |what: &str| Err(exception::argument_value(argument, &format!("field '{shown}': {what}")));
    let wrong_type = |what: &str, value: &Zval| {
        let text = format!("field '{shown}': {what}, {} given", type_name(value));
        Err(exception::argument_type(argument, &text))
    };
    let Ok(text) = std::str::from_utf8(name) else { return wrong("a name must be UTF-8") };
    if text.is_empty() || text.contains(|c: char| c == ':' || c.is_whitespace()) {
        return wrong("a name must not be empty and must not contain ':' or white space");
    }
    let Some(array) = options.array() else { return wrong_type("the options must be an array", options) };
    let mut field = Field { name: text.to_owned(), kind: Kind::Text, weight: 1.0, stored: false };
    let (mut keyword, mut numeric, mut weighted) = (false, false, false);
    for (key, value) in elements(array) {
        let flag = match &*key_text(&key) {
            b"weight" => {
                let Some(weight) = number(value) else { return wrong_type("'weight' must be int|float", value) };
                field.weight = weight as f32;
                if !Schema::WEIGHTS.contains(&field.weight) {
                    let (least, most) = (Schema::WEIGHTS.start(), Schema::WEIGHTS.end());
                    let shown = exception::shown(weight);
                    return wrong(&format!("'weight' must be a number from {least} to {most}, {shown} given"));
                }
                weighted = true;
                continue;
            }
            b"keyword" => &mut keyword,
            b"numeric" => &mut numeric,
            b"stored" => &mut field.stored,
            other => {
                let other = String::from_utf8_lossy(other);
                return wrong(&format!("no option '{other}': there are weight, keyword, numeric and stored"));
            }
        };
        let Some(value) = value.bool() else {
            return wrong_type(&format!("'{}' must be bool", String::from_utf8_lossy(&key_text(&key))), value);
        };
        *flag = value;
    }
    field.kind = match (keyword, numeric) {
        (true, true) => return wrong("it cannot be both keyword and numeric"),
        (true, false) => Kind::Keyword,
        (false, true) => Kind::Numeric,
        (false, false) => Kind::Text,
    };
    if weighted && field.kind != Kind::Text {
        return wrong("only text has a weight: keywords and numbers are not scored");
    }
    Ok(field)
}

/// Makes the fields of an index, as [`declared`] takes them, the value of `target`.
pub fn store(schema: &Schema, target: &mut Zval) -> Outcome {
    let mut map = Map::with_room(schema.fields.len())?;
    for field in &schema.fields {
        let options = match field.kind {
            Kind::Text => Record::new().field("weight", shortest(field.weight)),
            Kind::Keyword => Record::new().field("keyword", true),
            Kind::Numeric => Record::new().field("numeric", true),
        };
        let options = if field.stored { options.field("stored", true) } else { options };
        map.set(field.name.as_bytes(), options.into_zval())?;
    }
    map.store(target);
    Ok(())
}

/// The number that was given as a weight: 0.1 and not 0.10000000149.
fn shortest(weight: f32) -> f64 {
    weight.to_string().parse().unwrap_or_else(|_| f64::from(weight))
}
