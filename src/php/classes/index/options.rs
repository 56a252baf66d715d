//! The options of a search out of arguments.

use crate::Error;
use crate::analysis::{Analyzer, valid_utf8};
use crate::base::earth::Point;
use crate::index::{Id, Kind, Schema};
use crate::php::class::Class;
use crate::php::classes::hit;
use crate::php::documents::id;
use crate::php::exception::{self, Outcome, shown, type_name};
use crate::php::fields;
use crate::php::points;
use crate::php::zend::{Key, elements, number};
use crate::rank::Bm25;
use crate::search::{After, Direction, Index, MAX_DISTANCE, Options, SortKey, SortValue, Synonyms, Typos};
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

pub(super) fn in_field(schema: &Schema, field: usize, what: &str) -> String {
    format!("field '{}': {what}", schema.fields[field].name)
}

/// The least float that is not below an integer, and the greatest that is not above. Beyond 2^53 not every integer is a
/// float: then a range from the first on, or up to the second, has exactly those floats that it should have, and one from
/// the first to the second has none.
pub(super) fn around(integer: i64) -> (f64, f64) {
    let nearest = integer as f64;
    match (nearest as i128).cmp(&integer.into()) {
        std::cmp::Ordering::Less => (nearest.next_up(), nearest),
        std::cmp::Ordering::Equal => (nearest, nearest),
        std::cmp::Ordering::Greater => (nearest, nearest.next_down()),
    }
}

/// Sets the order by an `array $sort` argument.
pub fn sort(options: &mut Options, schema: &Schema, argument: &Zval, place: u32) -> Outcome {
    for (key, value) in pairs(argument) {
        let name = fields::key_text(&key);
        let sort_key = match &*name {
            b":score" => SortKey::Score,
            b":id" => SortKey::Id,
            _ => SortKey::Field(fields::of_key_for(schema, &key, place, &[Kind::Numeric, Kind::Keyword])?),
        };
        let about = |what: &str| match sort_key {
            SortKey::Field(field) => in_field(schema, field, what),
            _ => format!("'{}': {what}", String::from_utf8_lossy(&name)),
        };
        if let SortKey::Field(field) = sort_key
            && schema.fields[field].kind == Kind::Geo
        {
            let (lat, lng) = points::point(value).map_err(|wrong| wrong.throw(place, about))?;
            if let Some(from) = Point::new(lat, lng) {
                options.sort.push((SortKey::Distance(field, from), Direction::Ascending));
            }
            continue;
        }
        if let SortKey::Field(field) = sort_key
            && let Some(is) = match schema.fields[field].kind {
                Kind::Text => Some("is text"),
                Kind::Stored => Some("is only stored"),
                Kind::Vector => Some("has vectors"),
                Kind::Weights => Some("has weights"),
                Kind::Keyword | Kind::Numeric | Kind::Geo => None,
            }
        {
            let text =
                about(&format!("{is}; hits are sorted by numeric and keyword fields, distances, ':score' and ':id'"));
            return Err(exception::argument_value(place, &text));
        }
        let direction = value.zend_str().map(|text| text.as_bytes());
        let direction = match direction {
            Some(text) if text.eq_ignore_ascii_case(b"asc") => Direction::Ascending,
            Some(text) if text.eq_ignore_ascii_case(b"desc") => Direction::Descending,
            Some(text) => {
                let what = format!("must be 'asc' or 'desc', '{}' given", String::from_utf8_lossy(text));
                return Err(exception::argument_value(place, &about(&what)));
            }
            None => {
                let what = format!("must be 'asc' or 'desc', {} given", type_name(value));
                return Err(exception::argument_type(place, &about(&what)));
            }
        };
        options.sort.push((sort_key, direction));
    }
    Ok(())
}

/// What facets and groups can be of.
const WITH_VALUES: (&[Kind], &str) = (&[Kind::Keyword, Kind::Numeric], "a keyword or numeric field");

/// Sets facets by an `array $facets` argument: names of fields, or names with the most values.
pub fn facets(options: &mut Options, schema: &Schema, argument: &Zval, place: u32) -> Outcome {
    /// As that of `Index::facets()`.
    const LIMIT: usize = 10;
    let mut facets: Vec<(usize, usize)> = Vec::new();
    for (key, value) in pairs(argument) {
        let field = |name: &[u8]| fields::of_kind(schema, name, place, WITH_VALUES.0, WITH_VALUES.1);
        let facet = match (&key, value.zend_str(), value.long()) {
            (Key::Int(_), Some(name), _) => (field(name.as_bytes())?, LIMIT),
            (_, None, Some(limit)) => {
                let field = field(&fields::key_text(&key))?;
                let what = format!("must not be negative, {limit} given");
                let limit = usize::try_from(limit);
                (field, limit.map_err(|_| exception::argument_value(place, &in_field(schema, field, &what)))?)
            }
            _ => {
                let text = "must contain names of fields, or name => the most values";
                let text =
                    format!("{text}, {} given for '{}'", type_name(value), fields::key_text(&key).escape_ascii());
                return Err(exception::argument_type(place, &text));
            }
        };
        if facets.iter().all(|other| other.0 != facet.0) {
            facets.push(facet);
        }
    }
    options.facets = (!facets.is_empty()).then_some(facets);
    Ok(())
}

/// The field of a `?string $distinct` argument.
pub fn distinct(options: &mut Options, schema: &Schema, argument: &Zval, place: u32) -> Outcome {
    let Some(name) = argument.zend_str() else { return Ok(()) };
    options.distinct = Some(fields::of_kind(schema, name.as_bytes(), place, WITH_VALUES.0, WITH_VALUES.1)?);
    Ok(())
}

/// Sets the place by a `Hit|array|null $after` argument, after the order.
pub fn after(options: &mut Options, index: &Index, argument: &Zval, place: u32) -> Outcome {
    if argument.is_null() {
        return Ok(());
    }
    let used = |error: Error| match error {
        Error::Argument(what) => exception::argument_value(place, &format!("cannot be used: {what}")),
        error => exception::throw_of_index(&error, place),
    };
    let doc_id_of = |id: Id| {
        let doc_id = index.doc_id(&id).map_err(used)?;
        doc_id.ok_or_else(|| {
            let id = match id {
                Id::Int(id) => id.to_string(),
                Id::Bytes(id) => format!("'{}'", String::from_utf8_lossy(&id)),
            };
            exception::argument_value(place, &format!("names document {id}, which the index does not have"))
        })
    };
    if let Some((id, score)) = hit::id_and_score(argument) {
        let doc_id = doc_id_of(id)?;
        options.after = Some(index.after(doc_id, score, options).map_err(used)?);
        return index.wanted(options).map(drop).map_err(used);
    }
    let keys = match options.sort.is_empty() {
        true => vec![SortKey::Score],
        false => options.sort.iter().map(|&(key, _)| key).collect(),
    };
    if hit::is_hit(argument) {
        return Err(exception::argument_value(place, "is a hit without id or score"));
    }
    let Some(array) = argument.array() else {
        let text = format!("must be of type {}|array|null, {} given", hit::Object::NAME, type_name(argument));
        return Err(exception::argument_type(place, &text));
    };
    let given: Vec<&Zval> = elements(array).map(|(_, value)| value).collect();
    if given.len() != keys.len() + 1 {
        let text = format!("must have a value for each of {} sort keys, and an id: {} given", keys.len(), given.len());
        return Err(exception::argument_value(place, &text));
    }
    let wrong = |at: usize, what: &str| {
        let text = format!("must have {what} at index {at}, {} given", type_name(given[at]));
        Err(exception::argument_type(place, &text))
    };
    let mut values = Vec::with_capacity(keys.len());
    for (at, key) in keys.into_iter().enumerate() {
        let value = given[at];
        let is_keyword = matches!(key, SortKey::Field(field) if index.schema().fields[field].kind == Kind::Keyword);
        values.push(match key {
            SortKey::Field(_) | SortKey::Distance(..) if value.is_null() => SortValue::None,
            SortKey::Field(_) if is_keyword => match (value.zend_str(), value.long()) {
                (Some(text), _) => SortValue::Keyword(text.as_bytes().into()),
                (_, Some(number)) => SortValue::Keyword(number.to_string().into()),
                _ => return wrong(at, "string|int|null"),
            },
            SortKey::Field(_) | SortKey::Distance(..) | SortKey::Score => match number(value) {
                Some(number) => SortValue::Number(number),
                None => return wrong(at, "int|float"),
            },
            SortKey::Id => match id(value) {
                Some(id) => SortValue::Id(id),
                None => return wrong(at, "int|string"),
            },
        });
    }
    let last = given.len() - 1;
    let Some(id) = id(given[last]) else { return wrong(last, "an id, int|string,") };
    options.after = Some(After { values, doc_id: doc_id_of(id)? });
    index.wanted(options).map(drop).map_err(used)
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
        let field = fields::of_kind(schema, name.as_bytes(), place, &[Kind::Text], "text, to be searched")?;
        if !fields.contains(&field) {
            fields.push(field);
        }
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
    let analyzed = schema.analyzed();
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
            // Fields whose analyzer leaves something of it out do without.
            let add = |analyzer: &Analyzer| synonyms.add(analyzer, &typed, &synonym);
            if !analyzed.iter().map(|analyzed| &analyzed.analyzer).map(add).fold(false, |any, added| any | added) {
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
        let field = fields::of_key_for(schema, &key, place, &[Kind::Text])?;
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
