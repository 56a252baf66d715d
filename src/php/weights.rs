//! Terms with weights out of PHP's values, and queries that have some.

use super::exception::{self, Outcome, type_name};
use super::fields::{self, key_text};
use super::input;
use super::points::Wrong;
use super::zend::{elements, number};
use crate::analysis::valid_utf8;
use crate::index::Schema;
use crate::search::{Asked, WeightedTerms};
use ext_php_rs::types::Zval;
use std::borrow::Cow;

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

/// A query of a call: words, and terms with weights.
pub struct Query<'z> {
    text: Cow<'z, str>,
    weighted: Vec<WeightedTerms>,
}

impl<'z> Query<'z> {
    pub fn new(text: Cow<'z, str>, weighted: Vec<WeightedTerms>) -> Query<'z> {
        Query { text, weighted }
    }

    /// What is asked.
    pub fn asked(&self) -> Asked<'_> {
        Asked { text: &self.text, weighted: &self.weighted }
    }

    /// An element of an argument: a text, or an array with one as `query` and terms with weights as `weighted`.
    pub fn of(schema: &Schema, value: &'z Zval, argument: u32, at: usize) -> Outcome<Query<'z>> {
        if let Some(text) = value.zend_str() {
            return Ok(Query { text: valid_utf8(text.as_bytes()), weighted: Vec::new() });
        }
        let wrong = |value: &Zval| {
            let text = format!("must contain only string or array, {} given at index {at}", type_name(value));
            exception::argument_type(argument, &text)
        };
        let mut query = Query { text: Cow::Borrowed(""), weighted: Vec::new() };
        for (key, part) in elements(value.array().ok_or_else(|| wrong(value))?) {
            match (&*key_text(&key), part.zend_str(), part.array()) {
                (b"query", Some(text), _) => query.text = valid_utf8(text.as_bytes()),
                (b"weighted", _, Some(_)) => {
                    query.weighted = weighted(schema, part, argument, &format!("at index {at}: "))?;
                }
                _ => {
                    let what = "an array must have 'query', a string, and 'weighted', an array, and nothing else";
                    return Err(exception::argument_value(argument, &format!("at index {at}: {what}")));
                }
            }
        }
        Ok(query)
    }
}
