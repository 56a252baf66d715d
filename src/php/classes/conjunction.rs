//! The class `Postings\Yioop\Conjunction`, and the scoring functions beside it.

use super::shard;
use crate::engine;
use crate::php::call::{Call, check, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method};
use crate::php::declare::function;
use crate::php::exception::{self, Outcome};
use crate::php::output::{self, List, Record};
use crate::php::zend::{Key, elements};
use crate::php::{ffi, ini, input};
use crate::yioop::score::{Phrase, PhrasePart, Query, Rank, Weights, proximity};
use crate::yioop::{self, Hit};
use ext_php_rs::args::Arg;
use ext_php_rs::builders::FunctionBuilder;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};

/// Lists that `proximity` takes at most: its time grows with the square of their number, and PHP cannot interrupt it.
const MOST_LISTS: usize = 1024;

/// Hits that one call of `next` returns at most.
const MOST_HITS: usize = 1 << 16;

pub struct Object {
    cursor: yioop::Conjunction,
    precision: u32,
}

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\Yioop\\Conjunction";
    const INTERFACES: &'static [ClassEntryInfo] = &[(ce::countable, "Countable")];

    fn methods() -> Vec<Method> {
        let array = |name: &'static str| Arg::new(name, DataType::Array);
        vec![
            static_method(
                function("of", handler!(of), DataType::object("self"))
                    .arg(array("generations"))
                    .arg(array("words"))
                    .not_required()
                    .arg(array("phrases").default("[]"))
                    .arg(array("weights").default("[]")),
            ),
            method(function("count", handler!(count), DataType::Long)),
            method(
                function("seek", handler!(seek), DataType::Void)
                    .arg(Arg::new("generation", DataType::Long))
                    .arg(Arg::new("docIndex", DataType::Long)),
            ),
            method(
                function("next", handler!(next), DataType::Array)
                    .not_required()
                    .arg(Arg::new("count", DataType::Long).default("64")),
            ),
        ]
    }
}

/// The scoring functions.
pub fn builders() -> Vec<FunctionBuilder<'static>> {
    let array = |name: &'static str| Arg::new(name, DataType::Array);
    vec![
        function("Postings\\Yioop\\proximity", handler!(proximity_of), DataType::Double)
            .arg(array("positionLists"))
            .arg(Arg::new("isDocument", DataType::Bool))
            .not_required()
            .arg(array("weights").default("[]")),
        function("Postings\\Yioop\\phrases_occur", handler!(phrases_occur), DataType::Bool)
            .arg(array("positionLists"))
            .arg(array("phrases")),
    ]
}

/// Rounds as this PHP's `number_format` does.
fn round(value: f64, places: u32) -> f64 {
    ffi::math_round(value, places).unwrap_or_else(|| yioop::score::round(value, places))
}

fn this<'a>(call: &'a mut Call) -> Outcome<&'a mut Object> {
    class::this(call)
}

fn of(call: &mut Call) -> Outcome {
    let [mut generations, mut words, mut phrases, mut weights] = [std::ptr::null_mut::<Zval>(); 4];
    parse!(call, c"aa|aa", &raw mut generations, &raw mut words, &raw mut phrases, &raw mut weights)?;
    // SAFETY: parsing set each to an array argument in the frame, or left it null.
    let [generations, words, phrases, weights] = [generations, words, phrases, weights]
        .map(|argument| unsafe { argument.as_ref().and_then(|argument| argument.dereference().array()) });
    let words = words.map(|words| input::integers(words, 2, "list numbers")).transpose()?.unwrap_or_default();
    let mut words: Vec<usize> = words.into_iter().map(|word| word as usize).collect();
    let phrases = phrases.map(|phrases| self::phrases(phrases, 3)).transpose()?.unwrap_or_default();
    let weights = weights.map(|weights| self::weights(weights, 4)).transpose()?.unwrap_or_default();
    let generations: Vec<_> = generations
        .into_iter()
        .flat_map(elements)
        .enumerate()
        .map(|(index, (_, generation))| generation_of(generation, index))
        .collect::<Outcome<_>>()?;
    if generations.is_empty() {
        // No generation, no lists that words could name.
        words.fill(0);
    }
    let lists = generations.first().map_or(1, |(_, ranges)| ranges.len());
    let query = check(Query::new(lists, words, Vec::new()), 2)?;
    let query = check(query.with_phrases(phrases), 3)?;
    // The lists, and for each posting, of 4 bytes at least, its doc index and offset.
    let mut bytes = 0;
    for (shard, ranges) in &generations {
        for &(first, last) in ranges {
            bytes += 3 * check(shard.postings_len(first, last), 1)?;
        }
    }
    input::ensure_memory(bytes)?;
    let generations = check(engine::yioop_generations(generations, &ini::settings()), 1)?;
    let precision = weights.precision;
    let cursor = check(yioop::Conjunction::new(generations, query, weights, round), 1)?;
    class::store(Object { cursor, precision }, call.result)
}

/// A shard, and the places of a query's lists in it: `[Shard, [[first offset, last offset], …]]`.
fn generation_of(value: &Zval, index: usize) -> Outcome<engine::YioopRanges> {
    let wrong = |what: &str| exception::argument_type(1, &format!("must hold {what} as generation {index}"));
    let pair: Option<(&Zval, &ZendHashTable)> = value.array().and_then(|pair| {
        let (shard, ranges) = (pair.get_index(0)?.dereference(), pair.get_index(1)?.dereference());
        Some((shard, ranges.array()?))
    });
    let (shard, ranges) = pair.ok_or_else(|| wrong("[Shard, list of [first offset, last offset]]"))?;
    let shard = shard::of(shard).ok_or_else(|| wrong("a Postings\\Yioop\\Shard"))?;
    let ranges = elements(ranges)
        .map(|(_, range)| {
            let offsets = range.array().map(|range| input::integers(range, 1, "offsets")).transpose()?;
            match offsets.as_deref() {
                Some(&[first, last]) => Ok((first, last)),
                _ => Err(wrong("lists of [first offset, last offset]")),
            }
        })
        .collect::<Outcome<_>>()?;
    Ok((shard, ranges))
}

/// Quoted phrases as Yioop has them: an array each, in the order of the phrase, of number of a word => positions that
/// it takes up, or any key => '*'.
fn phrases(array: &ZendHashTable, argument: u32) -> Outcome<Vec<Phrase>> {
    elements(array)
        .enumerate()
        .map(|(index, (_, phrase))| {
            let wrong = |what: &str| exception::argument_type(argument, &format!("{what} in phrase {index}"));
            let parts = phrase
                .array()
                .ok_or_else(|| wrong(&format!("must contain only arrays, {} given", exception::type_name(phrase))))?;
            let parts = elements(parts).map(|(key, part)| match (key, part.long()) {
                _ if part.zend_str().is_some_and(|part| part.as_bytes() == b"*") => Ok(PhrasePart::Wildcard),
                (Key::Int(list), Some(length)) => match (u32::try_from(list), u32::try_from(length)) {
                    (Ok(list), Ok(length)) => Ok(PhrasePart::Word { list: list as usize, length }),
                    _ => Err(wrong(&format!("must hold only numbers from 0 to {}", u32::MAX))),
                },
                _ => Err(wrong("must hold word => length, or '*'")),
            });
            check(Phrase::new(parts.collect::<Outcome<_>>()?), argument)
        })
        .collect()
}

/// The weights of an array with string keys; missing ones have Yioop's values.
fn weights(array: &ZendHashTable, argument: u32) -> Outcome<Weights> {
    let mut weights = Weights::default();
    for (key, value) in elements(array) {
        let Key::String(key) = key else {
            return Err(exception::argument_value(argument, "must have the names of weights as keys"));
        };
        // SAFETY: the array owns the key.
        let key = String::from_utf8_lossy(unsafe { &*key.cast::<ext_php_rs::types::ZendStr>() }.as_bytes());
        let integer = |most: i64| value.long().filter(|value| (0..=most).contains(value));
        let float =
            || value.double().or_else(|| value.long().map(|value| value as f64)).filter(|value| value.is_finite());
        let set = match &*key {
            "title" => float().map(|value| weights.title = value),
            "description" => float().map(|value| weights.description = value),
            "link" => float().map(|value| weights.link = value),
            "title_length" => integer(i64::from(u32::MAX)).map(|value| weights.title_length = value),
            "links_per_page" => integer(i64::from(u32::MAX)).map(|value| weights.links_per_page = value),
            "precision" => integer(20).map(|value| weights.precision = value as u32),
            _ => None,
        };
        if set.is_none() {
            return Err(exception::argument_value(argument, &format!("has no weight '{key}' of that value")));
        }
    }
    Ok(weights)
}

fn count(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let count = this(call)?.cursor.len() as i64;
    call.result.set_long(count);
    Ok(())
}

fn seek(call: &mut Call) -> Outcome {
    let (mut generation, mut doc_index) = (0i64, 0i64);
    parse!(call, c"ll", &raw mut generation, &raw mut doc_index)?;
    let not_negative = |value: i64, argument: u32| {
        usize::try_from(value).map_err(|_| exception::argument_value(argument, "must not be negative"))
    };
    let (generation, doc_index) = (not_negative(generation, 1)?, not_negative(doc_index, 2)?);
    // No doc index is as large as that, so the cursor comes to stand after the last document of the generation.
    this(call)?.cursor.seek(generation, u32::try_from(doc_index).unwrap_or(u32::MAX));
    Ok(())
}

fn next(call: &mut Call) -> Outcome {
    let mut count = 64i64;
    parse!(call, c"|l", &raw mut count)?;
    let count = input::up_to(count, MOST_HITS, 1)?;
    let object = this(call)?;
    let precision = object.precision;
    let hits = BailoutGuard::new(check(object.cursor.next_hits(count), 1)?);
    let mut list = List::with_room(hits.len())?;
    for hit in hits.iter() {
        list.push(record(hit, precision)?.into_zval());
    }
    list.store(call.result);
    Ok(())
}

fn floats(values: &[f64]) -> Outcome<Zval> {
    let mut list = List::with_room(values.len())?;
    for &value in values {
        let mut zval = Zval::new();
        zval.set_double(value);
        list.push(zval);
    }
    Ok(list.into_zval())
}

fn record(hit: &Hit, precision: u32) -> Outcome<Record> {
    let mut id = Zval::new();
    output::bytes(&mut id, &hit.document.id().unwrap_or_default())?;
    let mut description_scores = List::with_room(0)?.into_zval();
    if !hit.auxiliary.description_scores.is_empty() {
        let mut scores = ZendHashTable::new();
        for &(position, score) in &hit.auxiliary.description_scores {
            scores.insert_at_index(i64::from(position), score).map_err(|error| exception::error(&error.to_string()))?;
        }
        description_scores.set_hashtable(scores);
    }
    let record = Record::with_room(16)
        .field("generation", hit.generation as i64)
        .field("doc_index", i64::from(hit.doc_index))
        .field("id", id)
        .field("summary_offset", i64::from(hit.document.summary_offset))
        .field("length", i64::from(hit.document.length))
        .field("is_link", hit.document.is_link)
        .field("positions", List::of_doc_ids(&hit.positions)?.into_zval())
        .field("description_scores", description_scores)
        .field("relevance", hit.relevance)
        .field("proximity", hit.proximity)
        .field("offsets", List::of_doc_ids(&hit.offsets)?.into_zval())
        .field("passed_over", i64::from(hit.passed_over));
    let record = match hit.document.auxiliary_keys() {
        Some(_) => record.field("user_ranks", floats(&hit.auxiliary.user_ranks)?),
        None => record,
    };
    Ok(match hit.rank {
        Rank::Given(rank) => record.field("rank", i64::from(rank)),
        Rank::Place(rank) => record.field("rank", format!("{rank:.precision$}", precision = precision as usize)),
    })
}

fn position_lists(array: &ZendHashTable) -> Outcome<Vec<Vec<u32>>> {
    let list = |(_, list): (Key, &Zval)| match list.array() {
        Some(list) => input::positions(list, 1),
        None => Err(exception::argument_type(1, "must contain only arrays of positions")),
    };
    let lists = elements(array).map(list).collect::<Outcome<Vec<_>>>()?;
    match lists.iter().position(|list| !list.is_sorted()) {
        Some(index) => {
            Err(exception::argument_value(1, &format!("must contain ascending positions, list {index} is not")))
        }
        None => Ok(lists),
    }
}

fn proximity_of(call: &mut Call) -> Outcome {
    let [mut lists, mut weights] = [std::ptr::null_mut::<Zval>(); 2];
    let mut is_document = false;
    parse!(call, c"ab|a", &raw mut lists, &raw mut is_document, &raw mut weights)?;
    // SAFETY: parsing set both to arrays in the frame, or left the second null.
    let [lists, weights] = [lists, weights]
        .map(|argument| unsafe { argument.as_ref().and_then(|argument| argument.dereference().array()) });
    let lists = lists.map(position_lists).transpose()?.unwrap_or_default();
    if lists.len() > MOST_LISTS {
        let what = format!("must hold at most {MOST_LISTS} lists, {} given", lists.len());
        return Err(exception::argument_value(1, &what));
    }
    let weights = weights.map(|weights| self::weights(weights, 3)).transpose()?.unwrap_or_default();
    call.result.set_double(proximity(&lists, is_document, &weights));
    Ok(())
}

fn phrases_occur(call: &mut Call) -> Outcome {
    let [mut lists, mut phrases] = [std::ptr::null_mut::<Zval>(); 2];
    parse!(call, c"aa", &raw mut lists, &raw mut phrases)?;
    // SAFETY: parsing set both to array arguments in the frame.
    let [lists, phrases] = [lists, phrases]
        .map(|argument| unsafe { argument.as_ref().and_then(|argument| argument.dereference().array()) });
    let lists = lists.map(position_lists).transpose()?.unwrap_or_default();
    let phrases = phrases.map(|phrases| self::phrases(phrases, 2)).transpose()?.unwrap_or_default();
    call.result.set_bool(phrases.iter().all(|phrase| phrase.occurs(&lists)));
    Ok(())
}
