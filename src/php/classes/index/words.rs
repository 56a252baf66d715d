//! Words: what a query is told of them, what a text has of them, and what the index has.

use super::arguments::{Argument, Signature, reading};
use super::object::Object;
use crate::index::Kind;
use crate::php::call::{Call, check_index, parse};
use crate::php::class::this_and_result;
use crate::php::classes::posting_list;
use crate::php::exception::Outcome;
use crate::php::fields;
use crate::php::input::{natural, text};
use crate::php::output::{self, List, Map, Record};
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::borrow::Cow;
use std::ptr::null_mut;

/// Makes value => number the value of `target`.
pub fn store_counts<T: AsRef<[u8]> + 'static>(counts: Vec<(T, u64)>, target: &mut Zval) -> Outcome {
    let counts = BailoutGuard::new(counts);
    let mut map = Map::with_room(counts.len())?;
    for (value, count) in counts.iter() {
        let mut number = Zval::new();
        number.set_long(*count as i64);
        map.set(value.as_ref(), number)?;
    }
    map.store(target);
    Ok(())
}

pub fn suggest(call: &mut Call) -> Outcome {
    let [mut start, mut field] = [null_mut::<ZendStr>(); 2];
    let mut limit = 8i64;
    parse!(call, c"S|lS!", &raw mut start, &raw mut limit, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let limit = natural(limit, 2)?;
    let schema = object.0.schema();
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    let field = unsafe { field.as_ref() }
        .map(|name| fields::of_kind(schema, name.as_bytes(), 3, &[Kind::Text], "a text field"))
        .transpose()?;
    store_counts(check_index(object.0.suggest(&text(start), field, limit), 1)?, result)
}

pub const EXPLAIN: Signature = Signature {
    required: 2,
    arguments: reading![
        Argument::Query,
        Argument::Id,
        Argument::Matching,
        Argument::Weights,
        Argument::K1,
        Argument::B,
    ],
};

pub fn explain(call: &mut Call) -> Outcome {
    let arguments = EXPLAIN.parse(call)?;
    let id = arguments.id()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let options = arguments.options(object.0.schema())?;
    let Some(explanation) = check_index(object.0.explain(&arguments.query(), &id, &options), 1)? else {
        result.set_null();
        return Ok(());
    };
    let explanation = BailoutGuard::new(explanation);
    let mut parts = List::with_room(explanation.parts.len())?;
    for part in &explanation.parts {
        let mut term = Zval::new();
        output::bytes(&mut term, part.term.as_bytes())?;
        parts.push(
            Record::with_room(10)
                .field("clause", part.clause.as_str())
                .field("field", part.field.as_str())
                .field("term", term)
                .field("frequency", i64::from(part.frequency))
                .field("length", i64::from(part.length))
                .field("documents", part.documents as i64)
                .field("idf", part.idf)
                .field("discount", part.discount)
                .field("weight", part.weight)
                .field("score", part.score)
                .into_zval(),
        );
    }
    Record::new()
        .field("matches", explanation.matches)
        .field("score", explanation.score)
        .field("parts", parts.into_zval())
        .store(result);
    Ok(())
}

pub fn snippet(call: &mut Call) -> Outcome {
    let [mut query, mut document, mut before, mut after, mut ellipsis] = [null_mut::<ZendStr>(); 5];
    let mut length = 200i64;
    parse!(
        call,
        c"SS|lSSS",
        &raw mut query,
        &raw mut document,
        &raw mut length,
        &raw mut before,
        &raw mut after,
        &raw mut ellipsis
    )?;
    let length = natural(length, 3)?;
    let [before, after, ellipsis] =
        [(before, "<mark>"), (after, "</mark>"), (ellipsis, "…")].map(|(given, default)| text_or(given, default));
    let (object, result) = this_and_result::<Object>(call)?;
    let html = object.0.snippet(&text(query), &text(document), length, &before, &after, &ellipsis);
    let html = BailoutGuard::new(html);
    Ok(output::bytes(result, html.as_bytes())?)
}

fn text_or<'a>(given: *mut ZendStr, default: &'a str) -> Cow<'a, str> {
    if given.is_null() { Cow::Borrowed(default) } else { text(given) }
}

pub fn highlight(call: &mut Call) -> Outcome {
    let [mut query, mut document, mut before, mut after] = [null_mut::<ZendStr>(); 4];
    parse!(call, c"SS|SS", &raw mut query, &raw mut document, &raw mut before, &raw mut after)?;
    let [before, after] = [(before, "<mark>"), (after, "</mark>")].map(|(given, default)| text_or(given, default));
    let (object, result) = this_and_result::<Object>(call)?;
    let html = BailoutGuard::new(object.0.highlight(&text(query), &text(document), &before, &after));
    Ok(output::bytes(result, html.as_bytes())?)
}

pub fn terms(call: &mut Call) -> Outcome {
    let [mut prefix, mut field] = [null_mut::<ZendStr>(); 2];
    let mut limit = 100i64;
    parse!(call, c"|SS!l", &raw mut prefix, &raw mut field, &raw mut limit)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = fields::with_terms(object.0.schema(), field, 2)?;
    let limit = natural(limit, 3)?;
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    let prefix = unsafe { prefix.as_ref() }.map_or(&[][..], ZendStr::as_bytes);
    store_counts(check_index(object.0.terms(prefix, field, limit), 1)?, result)
}

pub fn postings(call: &mut Call) -> Outcome {
    let [mut term, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"S|S!", &raw mut term, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = fields::with_terms(object.0.schema(), field, 2)?;
    // SAFETY: parsing set it to a string that the frame holds.
    let term = unsafe { &*term }.as_bytes();
    posting_list::store(check_index(object.0.postings(term, field), 1)?, result)
}
