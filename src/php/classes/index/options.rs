//! The options of a search out of arguments.

use crate::analysis::valid_utf8;
use crate::index::{Kind, Schema};
use crate::php::exception::{self, Outcome, Thrown, shown, type_name};
use crate::php::fields;
use crate::php::zend::{Key, elements, number};
use crate::rank::Bm25;
use crate::search::{Direction, Filter, MAX_DISTANCE, Options, Synonyms, Typos};
use ext_php_rs::types::Zval;
use std::sync::Arc;

/// The elements of an array argument.
fn pairs(argument: &Zval) -> impl Iterator<Item = (Key, &Zval)> {
    argument.array().into_iter().flat_map(elements)
}

/// BM25's k1 out of an argument.
pub fn k1(value: f64, argument: u32) -> Outcome<f32> {
    let most = Bm25::GREATEST_K1;
    if (0.0..=f64::from(most)).contains(&value) {
        return Ok(value as f32);
    }
    Err(exception::argument_value(argument, &format!("must be a number from 0 to {most}, {} given", shown(value))))
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

/// The least float that is not below an integer, and the greatest that is not above. Beyond 2^53 not every integer is a
/// float: then a range from the first on, or up to the second, has exactly those floats that it should have, and one from
/// the first to the second has none.
fn around(integer: i64) -> (f64, f64) {
    let nearest = integer as f64;
    match (nearest as i128).cmp(&integer.into()) {
        std::cmp::Ordering::Less => (nearest.next_up(), nearest),
        std::cmp::Ordering::Equal => (nearest, nearest),
        std::cmp::Ordering::Greater => (nearest, nearest.next_down()),
    }
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
                let bounds = |value: &Zval| match (value.long(), value.double()) {
                    (Some(integer), _) => Ok(around(integer)),
                    (_, Some(number)) if number.is_nan() => wrong(&format!("{what}, NAN given")).map(|()| (0.0, 0.0)),
                    (_, Some(number)) => Ok((number, number)),
                    _ => Err(wrong_type(what, value)),
                };
                let ends = |value: &Zval| if value.is_null() { Ok(None) } else { bounds(value).map(Some) };
                match value.array() {
                    None => bounds(value).map(|(low, high)| Filter::Range(Some(low), Some(high)))?,
                    Some(pair) => match (pair.len(), pair.get_index(0), pair.get_index(1)) {
                        (2, Some(low), Some(high)) => {
                            let (low, high) = (ends(low.dereference())?, ends(high.dereference())?);
                            Filter::Range(low.map(|low| low.0), high.map(|high| high.1))
                        }
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

/// What a `typos` argument says.
pub fn typos(argument: &Zval, place: u32) -> Outcome<Typos> {
    let argument = argument.dereference();
    let wrong = |given: &str| {
        let most = MAX_DISTANCE;
        exception::argument_value(place, &format!("must be 'auto', or how many edits, 0 to {most}; {given} given"))
    };
    match (argument.zend_str(), argument.long()) {
        (Some(text), _) if text.as_bytes().eq_ignore_ascii_case(b"auto") => Ok(Typos::Auto),
        (Some(text), _) => Err(wrong(&format!("'{}'", String::from_utf8_lossy(text.as_bytes())))),
        (None, Some(edits)) => match u8::try_from(edits) {
            Ok(0) => Ok(Typos::None),
            Ok(edits) if edits <= MAX_DISTANCE => Ok(Typos::UpTo(edits)),
            _ => Err(wrong(&edits.to_string())),
        },
        (None, None) if argument.is_null() || argument.is_false() => Ok(Typos::None),
        (None, None) => {
            let text = format!("must be of type string|int|false|null, {} given", type_name(argument));
            Err(exception::argument_type(place, &text))
        }
    }
}

/// The text fields that a `?array $fields` argument names.
pub fn text_fields(schema: &Schema, argument: &Zval, place: u32) -> Outcome<Option<Vec<usize>>> {
    let Some(names) = argument.dereference().array() else { return Ok(None) };
    let mut fields = Vec::new();
    for (_, name) in elements(names) {
        let Some(name) = name.zend_str() else {
            let text = format!("must be names of text fields, {} given", type_name(name));
            return Err(exception::argument_type(place, &text));
        };
        fields.push(fields::of_kind(schema, name.as_bytes(), place, &[Kind::Text], "text, to be searched")?);
    }
    match fields.is_empty() {
        true => Err(exception::argument_value(place, "must name a text field at least, or be null for all; [] given")),
        false => Ok(Some(fields)),
    }
}

/// How many words of a query count.
pub fn max_words(words: Option<i64>, place: u32) -> Outcome<usize> {
    let Some(words) = words else { return Ok(usize::MAX) };
    let most = usize::try_from(words).ok().filter(|&words| words > 0);
    most.ok_or_else(|| exception::argument_value(place, &format!("must be at least 1, or null for all; {words} given")))
}

/// Pairs of words that synonyms may have.
const MOST_SYNONYMS: usize = 10_000;

/// What an `array $synonyms` argument says words stand for.
pub fn synonyms(schema: &Schema, argument: &Zval, place: u32) -> Outcome<Option<Arc<Synonyms>>> {
    let mut synonyms = Synonyms::default();
    let mut count = 0;
    let text = |bytes: &[u8]| valid_utf8(bytes).into_owned();
    for (key, value) in pairs(argument) {
        let typed = text(&fields::key_text(&key));
        let mut add = |value: &Zval| {
            let Some(synonym) = value.zend_str() else {
                let what = format!("must have strings or lists of strings, {} given for '{typed}'", type_name(value));
                return Err(exception::argument_type(place, &what));
            };
            let synonym = text(synonym.as_bytes());
            count += 1;
            if count > MOST_SYNONYMS {
                let what = format!("must have at most {MOST_SYNONYMS} synonyms in all");
                return Err(exception::argument_value(place, &what));
            }
            if !synonyms.add(&schema.analyzer, &typed, &synonym) {
                let most = Synonyms::MOST;
                let what = format!(
                    "'{typed}' => '{synonym}': both need 1 to 64 words that the analyzer keeps, and no words have more than \
                     {most} synonyms"
                );
                return Err(exception::argument_value(place, &what));
            }
            Ok(())
        };
        match value.array() {
            Some(list) => elements(list).try_for_each(|(_, value)| add(value))?,
            None => add(value)?,
        }
    }
    Ok((count > 0).then(|| Arc::new(synonyms)))
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
        let rounded = weight as f32;
        if rounded != 0.0 && !Schema::WEIGHTS.contains(&rounded) || weight != 0.0 && rounded == 0.0 {
            let (least, most) = (Schema::WEIGHTS.start(), Schema::WEIGHTS.end());
            let what = format!("must be 0 or a number from {least} to {most}, {} given", shown(weight));
            return Err(exception::argument_value(place, &in_field(schema, field, &what)));
        }
        options.weights.push((field, rounded));
    }
    Ok(())
}
