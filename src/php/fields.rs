//! The fields of an index: named by arguments, declared by them, and shown to PHP.

use super::class::Class;
use super::classes::analyzer;
use super::exception::{self, Outcome, type_name};
use super::output::{Map, Record};
use super::zend::{Key, elements, number};
use crate::index::impacts::Precision;
use crate::index::{Field, Kind, Schema};
use crate::vector::{self, Metric, Shape};
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

/// The number of the field with that name; an exception if there is none.
pub fn named(schema: &Schema, name: &[u8], argument: u32) -> Outcome<usize> {
    let number = schema.fields.iter().position(|field| field.name.as_bytes() == name);
    number.ok_or_else(|| exception::argument_value(argument, &no_field(schema, name)))
}

/// The number of the field that a key names, of several the first that is of one of the kinds; an exception if there is
/// none.
pub fn of_key_for(schema: &Schema, key: &Key, argument: u32, kinds: &[Kind]) -> Outcome<usize> {
    named_for(schema, &key_text(key), argument, kinds)
}

/// As [`of_key_for`], by name.
pub fn named_for(schema: &Schema, name: &[u8], argument: u32, kinds: &[Kind]) -> Outcome<usize> {
    let first = named(schema, name, argument)?;
    Ok(kinds.iter().find_map(|&kind| schema.of_kind(name, kind)).unwrap_or(first))
}

/// What is said of a name that no field has.
pub fn no_field(schema: &Schema, name: &[u8]) -> String {
    let names: Vec<String> = schema.names().iter().map(|name| format!("'{name}'")).collect();
    format!("field '{}': there is none, only {}", String::from_utf8_lossy(name), names.join(", "))
}

/// A field that an argument names, which must be of one of the kinds.
pub fn of_kind(schema: &Schema, name: &[u8], argument: u32, kinds: &[Kind], what: &str) -> Outcome<usize> {
    named(schema, name, argument)?;
    if let Some(field) = kinds.iter().find_map(|&kind| schema.of_kind(name, kind)) {
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
    let mut fields = Vec::new();
    for (key, options) in elements(array) {
        fields.extend(declared_field(&key_text(&key), options, argument)?);
    }
    if fields.len() > Schema::MOST_FIELDS {
        let text = format!("must have 1 to {} fields, each kind counted, {} given", Schema::MOST_FIELDS, fields.len());
        return Err(exception::argument_value(argument, &text));
    }
    Ok(fields)
}

/// A field for each kind of a name, the first of which keeps the value.
fn declared_field(name: &[u8], options: &Zval, argument: u32) -> Outcome<Vec<Field>> {
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
    if elements(array).any(|(key, _)| matches!(&*key_text(&key), b"vector" | b"metric" | b"clusters")) {
        return declared_vectors(text, array, argument).map(|field| vec![field]);
    }
    if elements(array).any(|(key, _)| matches!(&*key_text(&key), b"weights" | b"bits")) {
        return declared_weights(text, array, argument).map(|field| vec![field]);
    }
    let mut field = Field::new(text, Kind::Text);
    let (mut text, mut keyword, mut numeric, mut weighted, mut indexed) = (None, false, false, false, true);
    let mut geo = false;
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
            b"analyzer" if value.is_null() => continue,
            b"analyzer" => {
                let Some(own) = analyzer::of(value) else {
                    return wrong_type(&format!("'analyzer' must be {}|null", analyzer::Object::NAME), value);
                };
                field.analyzer = Some(own.clone());
                continue;
            }
            b"text" => text.insert(false),
            b"indexed" => &mut indexed,
            b"keyword" => &mut keyword,
            b"numeric" => &mut numeric,
            b"geo" => &mut geo,
            b"stored" => &mut field.stored,
            other => {
                let other = String::from_utf8_lossy(other);
                return wrong(&format!(
                    "no option '{other}': there are weight, analyzer, text, keyword, numeric, geo, vector, metric, clusters, weights, bits, stored and indexed"
                ));
            }
        };
        let Some(value) = value.bool() else {
            return wrong_type(&format!("'{}' must be bool", String::from_utf8_lossy(&key_text(&key))), value);
        };
        *flag = value;
    }
    let analyzed = field.analyzer.is_some();
    if !indexed {
        return match (weighted || analyzed || text == Some(true) || keyword || numeric || geo, field.stored) {
            (true, _) => wrong("it cannot be text, keyword, numeric or geo without being indexed"),
            (_, false) => wrong("it is neither indexed nor stored"),
            _ => Ok(vec![Field { kind: Kind::Stored, ..field }]),
        };
    }
    if geo {
        return match weighted || analyzed || text == Some(true) || keyword || numeric {
            true => wrong("a geo field cannot be text, keyword or numeric, too: its values are points"),
            false => Ok(vec![Field { kind: Kind::Geo, ..field }]),
        };
    }
    let text = text.unwrap_or(weighted || analyzed || !keyword && !numeric);
    if weighted && !text {
        return wrong("only text has a weight: keywords and numbers are not scored");
    }
    if analyzed && !text {
        return wrong("only text has an analyzer: keywords and numbers are taken as they are");
    }
    let kinds = [(text, Kind::Text), (keyword, Kind::Keyword), (numeric, Kind::Numeric)];
    let mut fields: Vec<Field> = Vec::new();
    for (_, kind) in kinds.into_iter().filter(|(is, _)| *is) {
        let weight = if kind == Kind::Text { field.weight } else { 1.0 };
        let stored = field.stored && fields.is_empty();
        let analyzer = if kind == Kind::Text { field.analyzer.clone() } else { None };
        fields.push(Field { weight, stored, analyzer, ..Field::new(field.name.clone(), kind) });
    }
    if fields.is_empty() {
        return wrong("it must be text, keyword, numeric or geo, or have 'stored' => true and 'indexed' => false");
    }
    Ok(fields)
}

/// A field of vectors.
fn declared_vectors(name: &str, options: &ZendHashTable, argument: u32) -> Outcome<Field> {
    let wrong = |what: &str| exception::argument_value(argument, &format!("field '{name}': {what}"));
    let wrong_type = |what: &str, value: &Zval| {
        let text = format!("field '{name}': {what}, {} given", type_name(value));
        exception::argument_type(argument, &text)
    };
    let (mut dimensions, mut metric) = (None, Metric::Cosine);
    let (mut precision, mut clusters) = (vector::Precision::Bits32, false);
    for (key, value) in elements(options) {
        match &*key_text(&key) {
            b"vector" => {
                let count = value.long().ok_or_else(|| wrong_type("'vector' must be int", value))?;
                let known = u16::try_from(count).ok().filter(|count| Shape::DIMENSIONS.contains(count));
                let (least, most) = (Shape::DIMENSIONS.start(), Shape::DIMENSIONS.end());
                let what = || format!("'vector' must be a number of dimensions from {least} to {most}, {count} given");
                dimensions = Some(known.ok_or_else(|| wrong(&what()))?);
            }
            b"metric" => {
                let text = value.zend_str().ok_or_else(|| wrong_type("'metric' must be string", value))?;
                let what = "'metric' must be 'cosine', 'dot' or 'euclidean'";
                metric = Metric::named(text.as_bytes()).ok_or_else(|| wrong(what))?;
            }
            b"bits" => {
                let bits = value.long().ok_or_else(|| wrong_type("'bits' must be int", value))?;
                let what = || format!("'bits' must be 16 or 32, {bits} given");
                precision = vector::Precision::of_bits(bits).ok_or_else(|| wrong(&what()))?;
            }
            b"clusters" => clusters = value.bool().ok_or_else(|| wrong_type("'clusters' must be bool", value))?,
            b"stored" if value.bool() == Some(false) => (),
            other => {
                let other = String::from_utf8_lossy(other);
                return Err(wrong(&format!(
                    "a field of vectors has no option '{other}', only vector, metric, bits and clusters"
                )));
            }
        }
    }
    let dimensions =
        dimensions.ok_or_else(|| wrong("'metric' and 'clusters' need 'vector', the number of dimensions"))?;
    let vector = Some(Shape { dimensions, metric, precision });
    Ok(Field { vector, clusters, ..Field::new(name, Kind::Vector) })
}

/// A field of terms with weights.
fn declared_weights(name: &str, options: &ZendHashTable, argument: u32) -> Outcome<Field> {
    let wrong = |what: &str| exception::argument_value(argument, &format!("field '{name}': {what}"));
    let wrong_type = |what: &str, value: &Zval| {
        let text = format!("field '{name}': {what}, {} given", type_name(value));
        exception::argument_type(argument, &text)
    };
    let (mut declared, mut precision) = (false, Precision::Bits8);
    for (key, value) in elements(options) {
        match &*key_text(&key) {
            b"weights" => declared = value.bool().ok_or_else(|| wrong_type("'weights' must be bool", value))?,
            b"bits" => {
                let bits = value.long().ok_or_else(|| wrong_type("'bits' must be int", value))?;
                let what = || format!("'bits' must be 8, 16 or 32, {bits} given");
                precision = Precision::of_bits(bits).ok_or_else(|| wrong(&what()))?;
            }
            b"stored" if value.bool() == Some(false) => (),
            other => {
                let other = String::from_utf8_lossy(other);
                return Err(wrong(&format!("a field of weights has no option '{other}', only weights and bits")));
            }
        }
    }
    if !declared {
        return Err(wrong("a field of weights has 'weights' => true"));
    }
    Ok(Field { weights: Some(precision), ..Field::new(name, Kind::Weights) })
}

/// Makes the fields of an index, as [`declared`] takes them, the value of `target`.
pub fn store(schema: &Schema, target: &mut Zval) -> Outcome {
    let names = schema.names();
    let mut map = Map::with_room(names.len())?;
    for name in names {
        let mut options = Record::new();
        for field in schema.named(name) {
            options = match field.kind {
                Kind::Text => {
                    let options = options.field("weight", shortest(field.weight));
                    match &field.analyzer {
                        Some(own) => {
                            let mut object = Zval::new();
                            analyzer::store(own, &mut object)?;
                            options.field("analyzer", object)
                        }
                        None => options,
                    }
                }
                Kind::Keyword => options.field("keyword", true),
                Kind::Numeric => options.field("numeric", true),
                Kind::Stored => options.field("indexed", false),
                Kind::Geo => options.field("geo", true),
                Kind::Vector => match field.vector {
                    Some(Shape { dimensions, metric, precision }) => {
                        let options = options
                            .field("vector", i64::from(dimensions))
                            .field("metric", metric.name())
                            .field("bits", i64::from(precision.bits()));
                        if field.clusters { options.field("clusters", true) } else { options }
                    }
                    None => options,
                },
                Kind::Weights => {
                    let bits = field.weights.unwrap_or(Precision::Bits8).bits();
                    options.field("weights", true).field("bits", i64::from(bits))
                }
            };
        }
        let stored = schema.named(name).any(|field| field.stored);
        let options = if stored { options.field("stored", true) } else { options };
        map.set(name.as_bytes(), options.into_zval())?;
    }
    map.store(target);
    Ok(())
}

/// The number that was given as a weight: 0.1 and not 0.10000000149.
fn shortest(weight: f32) -> f64 {
    weight.to_string().parse().unwrap_or_else(|_| f64::from(weight))
}

/// Answers `analyzer(?string $field = null)`: the analyzer of a text field, or the one of all that have none of their own.
pub fn analyzer_of(schema: &Schema, name: *mut ZendStr, target: &mut Zval) -> Outcome {
    let analyzer = match name.is_null() {
        true => &schema.analyzer,
        false => schema.analyzer_of(text_or_first(schema, name, 1)?),
    };
    analyzer::store(analyzer, target)
}
