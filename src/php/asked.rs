//! Queries out of PHP's values: words, terms with weights, and vectors.

use super::exception::{self, Outcome, type_name};
use super::fields::key_text;
use super::zend::elements;
use super::{vectors, weights};
use crate::analysis::valid_utf8;
use crate::index::Schema;
use crate::search::{Asked, NearestIn, Options, Page, WeightedTerms};
use ext_php_rs::types::Zval;
use std::borrow::Cow;
use std::rc::Rc;

/// A query of a call.
#[derive(Default)]
pub struct Query<'z> {
    pub text: Cow<'z, str>,
    pub weighted: Vec<WeightedTerms>,
    pub nearest: Vec<NearestIn>,
}

impl<'z> Query<'z> {
    /// What is asked.
    pub fn asked(&self) -> Asked<'_> {
        Asked { text: &self.text, weighted: &self.weighted, nearest: &self.nearest }
    }

    /// The page of its hits; `plain` is that of a query without vectors.
    pub fn page(&self, options: &Options, plain: &Rc<Page>) -> Rc<Page> {
        Page::of_one(self.asked(), options, plain)
    }

    /// An element of an argument: a text, or an array with one as `query`, terms with weights as `weighted`, and vectors as
    /// `nearest`.
    pub fn of(schema: &Schema, value: &'z Zval, argument: u32, at: usize) -> Outcome<Query<'z>> {
        if let Some(text) = value.zend_str() {
            return Ok(Query { text: valid_utf8(text.as_bytes()), ..Query::default() });
        }
        let wrong = |value: &Zval| {
            let text = format!("must contain only string or array, {} given at index {at}", type_name(value));
            exception::argument_type(argument, &text)
        };
        let mut query = Query::default();
        let place = || format!("at index {at}: ");
        for (key, part) in elements(value.array().ok_or_else(|| wrong(value))?) {
            match (&*key_text(&key), part.zend_str(), part.array()) {
                (b"query", Some(text), _) => query.text = valid_utf8(text.as_bytes()),
                (b"weighted", _, Some(_)) => query.weighted = weights::weighted(schema, part, argument, &place())?,
                (b"nearest", _, Some(_)) => query.nearest = nearest(schema, part, argument, &place())?,
                _ => {
                    let what =
                        "an array must have 'query', a string, 'weighted' and 'nearest', arrays, and nothing else";
                    return Err(exception::argument_value(argument, &format!("{}{what}", place())));
                }
            }
        }
        Ok(query)
    }
}

/// The vectors of an argument, by field. `place` says where they are in it.
pub fn nearest(schema: &Schema, value: &Zval, argument: u32, place: &str) -> Outcome<Vec<NearestIn>> {
    let mut nearest = Vec::new();
    for (key, vector) in value.array().into_iter().flat_map(elements) {
        let name = key_text(&key);
        let (field, shape) = vectors::shape(schema, &name, argument)?;
        let place = format!("{place}field '{}'", String::from_utf8_lossy(&name));
        nearest.push((field, vectors::query(vector, shape, argument, &place)?.into()));
    }
    Ok(nearest)
}
