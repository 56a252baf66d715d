//! Terms with weights out of PHP's values.

use super::exception::{self, Outcome, type_name};
use super::fields::{self, key_text};
use super::input;
use super::points::Wrong;
use super::zend::{elements, number};
use crate::index::Schema;
use crate::search::WeightedTerms;
use ext_php_rs::types::Zval;

const FORMS: &str = "must be an array of weights by term, each int|float";

/// The terms of an array, and their weights.
pub fn terms(value: &Zval) -> Result<Vec<(Vec<u8>, f32)>, Wrong> {
    let value = value.dereference();
    let array = value.array().ok_or_else(|| Wrong::Type(format!("{FORMS}, {} given", type_name(value))))?;
    let mut terms = Vec::with_capacity(array.len());
    for (key, value) in elements(array) {
        let term = key_text(&key);
        let Some(weight) = number(value) else {
            let term = String::from_utf8_lossy(&term);
            return Err(Wrong::Type(format!("{FORMS}, {} given for '{term}'", type_name(value))));
        };
        terms.push((term.into_owned(), weight as f32));
    }
    Ok(terms)
}

/// The terms with weights of an argument, by field. `place` says where they are in it.
pub fn weighted(schema: &Schema, value: &Zval, argument: u32, place: &str) -> Outcome<Vec<WeightedTerms>> {
    let mut weighted = Vec::new();
    for (key, value) in value.array().into_iter().flat_map(elements) {
        let name = key_text(&key);
        let field = fields::named(schema, &name, argument)?;
        let text = |what: &str| format!("{place}field '{}' {what}", String::from_utf8_lossy(&name));
        if schema.fields[field].weights.is_none() {
            return Err(exception::argument_value(argument, &text("must be a weights field")));
        }
        if let Some(array) = value.array() {
            input::ensure_memory(array.len().saturating_mul(size_of::<(Vec<u8>, f32)>()))?;
        }
        let terms = terms(value).map_err(|wrong| wrong.throw(argument, text))?;
        weighted.push(WeightedTerms { field, terms });
    }
    match WeightedTerms::fault(&weighted) {
        Some(wrong) => Err(exception::argument_value(argument, &format!("{place}{wrong}"))),
        None => Ok(weighted),
    }
}
