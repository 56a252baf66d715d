//! What queries match in texts: highlighted, as a snippet, and as places.

use super::argument::{Argument, reading};
use super::arguments::{Arguments, Signature};
use super::object::Object;
use crate::analysis::valid_utf8;
use crate::index::Kind;
use crate::php::call::{Call, check_index};
use crate::php::class::this_and_result;
use crate::php::exception::Outcome;
use crate::php::fields;
use crate::php::input::{natural, up_to};
use crate::php::output::{self, List, Record};
use crate::search::{self, MOST_FRAGMENTS, Match, Style};
use ext_php_rs::zend::BailoutGuard;
use std::borrow::Cow;
use std::ops::Range;

pub const SNIPPET: Signature = Signature {
    required: 2,
    arguments: reading![
        Argument::Query,
        Argument::Text,
        Argument::Length,
        Argument::Before,
        Argument::Behind,
        Argument::Ellipsis,
        Argument::Fragments,
        Argument::Escape,
        Argument::OrNull,
        Argument::InField,
    ],
};
pub const HIGHLIGHT: Signature = Signature {
    required: 2,
    arguments: reading![
        Argument::Query,
        Argument::Text,
        Argument::Before,
        Argument::Behind,
        Argument::Escape,
        Argument::OrNull,
        Argument::InField,
    ],
};
pub const MATCHES: Signature =
    Signature { required: 2, arguments: reading![Argument::Query, Argument::Text, Argument::InField] };

/// What the query matches in the text.
fn found(arguments: &Arguments, object: &Object, text: &str) -> Outcome<Vec<Match>> {
    let schema = object.0.schema();
    let field =
        arguments.in_field().map(|(name, number)| fields::of_kind(schema, name, number, &[Kind::Text], "a text field"));
    let (field, options) = (field.transpose()?, arguments.options(schema)?);
    check_index(object.0.matches(&arguments.text(), text, &options, field), 1)
}

/// Makes what `html` makes of the text, its matches and their style the result; null if there are none, on request.
fn marked(call: &mut Call, arguments: &Arguments, html: impl FnOnce(&str, &[Match], &Style) -> String) -> Outcome {
    let text = valid_utf8(arguments.bytes(Argument::Text));
    let [before, after] =
        [arguments.text_or(Argument::Before, "<mark>"), arguments.text_or(Argument::Behind, "</mark>")];
    let (object, result) = this_and_result::<Object>(call)?;
    let matches = found(arguments, object, &text)?;
    if arguments.or_null && matches.is_empty() {
        result.set_null();
        return Ok(());
    }
    let style = Style { before: &before, after: &after, escape: arguments.escape };
    let html = BailoutGuard::new(html(&text, &matches, &style));
    Ok(output::bytes(result, html.as_bytes())?)
}

pub fn snippet(call: &mut Call) -> Outcome {
    let arguments = SNIPPET.parse(call)?;
    let length = natural(arguments.length, 3)?;
    let fragments = up_to(arguments.fragments, MOST_FRAGMENTS, 7)?;
    let ellipsis = arguments.text_or(Argument::Ellipsis, "…");
    let html = |text: &str, matches: &[Match], style: &Style| {
        search::snippet(text, matches, style, length, fragments, &ellipsis)
    };
    marked(call, &arguments, html)
}

pub fn highlight(call: &mut Call) -> Outcome {
    let arguments = HIGHLIGHT.parse(call)?;
    marked(call, &arguments, search::highlight)
}

pub fn matches(call: &mut Call) -> Outcome {
    let arguments = MATCHES.parse(call)?;
    let bytes = arguments.bytes(Argument::Text);
    let text = valid_utf8(bytes);
    let (object, result) = this_and_result::<Object>(call)?;
    let matches = found(&arguments, object, &text)?;
    let mut marks: Vec<Range<usize>> = search::marks(&matches).collect();
    drop(matches);
    if let Cow::Owned(_) = text {
        search::in_bytes(bytes, &mut marks);
    }
    drop(text);
    let marks = BailoutGuard::new(marks);
    let mut list = List::with_room(marks.len())?;
    for mark in marks.iter() {
        let place = Record::with_room(2).field("offset", mark.start as i64).field("length", mark.len() as i64);
        list.push(place.into_zval());
    }
    list.store(result);
    Ok(())
}
