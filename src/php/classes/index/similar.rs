//! Documents that are like others.

use super::argument::Argument;
use super::arguments::Signature;
use super::object::Object;
use super::search::{bytes_of_hits, put_all, with_page};
use crate::analysis::valid_utf8;
use crate::engine;
use crate::index::Id;
use crate::php::call::{Call, check_index};
use crate::php::class::{this, this_and_result};
use crate::php::classes::hits;
use crate::php::documents;
use crate::php::exception::{self, Outcome, type_name};
use crate::php::output::Map;
use crate::php::zend::{Key, elements};
use crate::php::{fields, ini, input};
use crate::search::{Like, Page};
use ext_php_rs::types::{ZendHashTable, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// The signature of a method that has these arguments before those of both.
macro_rules! similar_signature {
    ($required:literal, $($before:expr),*) => {
        Signature {
            required: $required,
            arguments: &[
                $($before,)*
                Argument::Limit,
                Argument::Offset,
                Argument::Filter,
                Argument::Weights,
                Argument::Fields,
                Argument::Words,
                Argument::K1,
                Argument::B,
            ],
        }
    };
}

pub const SIMILAR: Signature = similar_signature!(0, Argument::LikeId, Argument::LikeText);
pub const BATCH: Signature = similar_signature!(0, Argument::LikeIds, Argument::LikeTexts);

/// The most words of a document that are searched for.
const MOST_WORDS: usize = 1000;

pub fn similar(call: &mut Call) -> Outcome {
    let arguments = SIMILAR.parse(call)?;
    let id = arguments.given(Argument::LikeId).filter(|id| !id.is_null());
    let id = id.map(|id| documents::id_argument(id, 1)).transpose()?;
    let text = arguments.given(Argument::LikeText).and_then(Zval::zend_str).map(|text| valid_utf8(text.as_bytes()));
    if id.is_none() && text.is_none() {
        return Err(exception::argument_value(1, "must be the id of a document, or $text must be given; null given"));
    }
    let words = input::up_to(arguments.words, MOST_WORDS, 8)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    let options = arguments.options(index.schema())?;
    let page = Rc::new(Page::new(&options));
    input::ensure_memory(bytes_of_hits(index, &page))?;
    hits::prepare(result)?;
    let like = Like { id, text: text.as_deref() };
    let found = engine::similar(index, &[like], words, &options, &ini::settings());
    hits::fill(result, index, &page, check_index(found, 1)?.pop().unwrap_or_default())
}

/// What a batch wants: a document, a text, or both.
type Wanted<'a> = (Key, Option<Id>, Option<Cow<'a, str>>);

fn wanted<'a>(ids: Option<&'a ZendHashTable>, texts: Option<&'a ZendHashTable>) -> Outcome<Vec<Wanted<'a>>> {
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut places: HashMap<Cow<[u8]>, usize> = HashMap::new();
    let wrong = |key: &Key, value: &Zval, argument: u32, kind: &str| {
        let name = fields::key_text(key).escape_ascii().to_string();
        let text = format!("must contain only {kind}, {} given for '{name}'", type_name(value.dereference()));
        exception::argument_type(argument, &text)
    };
    for (key, value) in ids.into_iter().flat_map(elements) {
        let id = documents::id(value).ok_or_else(|| wrong(&key, value, 1, "int|string"))?;
        places.insert(Cow::Owned(fields::key_text(&key).into_owned()), wanted.len());
        wanted.push((key, Some(id), None));
    }
    for (key, value) in texts.into_iter().flat_map(elements) {
        let text = value.dereference().zend_str().ok_or_else(|| wrong(&key, value, 2, "string"))?;
        let text = valid_utf8(text.as_bytes());
        match places.get(&*fields::key_text(&key)) {
            Some(&at) => wanted[at].2 = Some(text),
            None => wanted.push((key, None, Some(text))),
        }
    }
    Ok(wanted)
}

pub fn similar_batch(call: &mut Call) -> Outcome {
    let arguments = BATCH.parse(call)?;
    let words = input::up_to(arguments.words, MOST_WORDS, 8)?;
    let array = |argument| arguments.given(argument).and_then(Zval::array);
    let wanted = wanted(array(Argument::LikeIds), array(Argument::LikeTexts))?;
    let index = this::<Object>(call)?.0.clone();
    let options = arguments.options(index.schema())?;
    // PHP may end the script by a jump over this frame.
    let page = BailoutGuard::new(Rc::new(Page::new(&options)));
    input::ensure_memory(bytes_of_hits(&index, &page).saturating_mul(wanted.len()))?;
    let likes: Vec<Like> = wanted.iter().map(|(_, id, text)| Like { id: id.clone(), text: text.as_deref() }).collect();
    let found = check_index(engine::similar(&index, &likes, words, &options, &ini::settings()), 1)?;
    drop(likes);
    let keys = BailoutGuard::new(wanted.into_iter().map(|(key, ..)| key).collect::<Vec<_>>());
    let index = BailoutGuard::new(index);
    let mut map = Map::with_room(keys.len())?;
    put_all(&mut map, keys.iter().copied(), &index, with_page(found, &page))?;
    map.store(call.result);
    Ok(())
}
