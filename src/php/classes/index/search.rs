//! Searches: one, many at once, a stream of them, and what goes with them.

use super::argument::{Argument, reading};
use super::arguments::Signature;
use super::object::Object;
use super::words::store_counts;
use crate::analysis::valid_utf8;
use crate::base::memory::prefetch;
use crate::engine::stream::Stream;
use crate::engine::{self, Warming};
use crate::index::Kind;
use crate::php::asked::Query;
use crate::php::call::{Call, check_index};
use crate::php::class::{this, this_and_result};
use crate::php::classes::{hits, search_stream, statistics};
use crate::php::exception::{self, Outcome, Thrown, type_name};
use crate::php::fields;
use crate::php::output::Map;
use crate::php::zend::{Key, elements};
use crate::php::{ini, input, traverse};
use crate::search::{Asked, Found, FoundHit, Index, Page};
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{BailoutGuard, CatchError, bailout, try_catch};
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::Instant;

/// The signature of a method that has these arguments around those of every search.
macro_rules! search_signature {
    ($required:literal, [$($before:expr),*], [$($after:expr),*] $(, $later:expr)*) => {
        Signature {
            required: $required,
            arguments: reading![
                $($before,)*
                Argument::Limit,
                Argument::Offset,
                Argument::Matching,
                Argument::Filter,
                Argument::Sort,
                Argument::Weights,
                Argument::Total,
                Argument::K1,
                Argument::B
                $(, $after)*,
                Argument::Facets,
                Argument::Distinct,
                Argument::After;
                Argument::Statistics
                $(, $later)*
            ],
        }
    };
}

pub const SEARCH: Signature =
    search_signature!(1, [Argument::Query], [], Argument::Nearest, Argument::Fusion, Argument::Weighted);
pub const BATCH: Signature = search_signature!(1, [Argument::Queries], [Argument::Deadline(None)], Argument::Fusion);
pub const STREAM: Signature =
    search_signature!(0, [], [Argument::Deadline(Some(500)), Argument::Capacity], Argument::Fusion);
pub const WARM: Signature = Signature {
    required: 1,
    arguments: reading![Argument::Log, Argument::Matching, Argument::Weights, Argument::K1, Argument::B],
};
pub const COUNT: Signature = Signature {
    required: 0,
    arguments: reading![
        Argument::Query,
        Argument::Matching,
        Argument::Filter,
        Argument::Weights;
        Argument::Statistics,
        Argument::Weighted
    ],
};
pub const FACETS: Signature = Signature {
    required: 1,
    arguments: reading![
        Argument::Field,
        Argument::Query,
        Argument::Matching,
        Argument::Filter,
        Argument::Limit,
        Argument::Weights;
        Argument::Statistics,
        Argument::Weighted
    ],
};
pub const STATISTICS: Signature =
    Signature { required: 1, arguments: reading![Argument::OneOrMore, Argument::Weights; Argument::Statistics] };

/// Bytes of as many hits as a page has at most, and of the lists that they are fused of.
pub(super) fn bytes_of_hits(index: &Index, page: &Page) -> usize {
    let documents = usize::try_from(index.documents()).unwrap_or(usize::MAX);
    let in_lists = page.lists().map_or(0, |(lists, most)| most.min(documents).saturating_mul(lists));
    documents.min(page.limit).saturating_add(in_lists).saturating_mul(size_of::<FoundHit>())
}

pub fn search(call: &mut Call) -> Outcome {
    let arguments = SEARCH.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    let options = arguments.options_in(index)?;
    let query = arguments.query(index.schema(), &options)?;
    let page = Rc::new(Page::of(query.asked(), &options));
    input::ensure_memory(bytes_of_hits(index, &page))?;
    hits::prepare(result)?;
    let found = check_index(engine::search(index, query.asked(), &options, &ini::settings()), 1)?;
    drop(query);
    hits::fill(result, index, &page, found)
}

/// What a list of queries has at `at` in place of a string.
fn no_string(query: &Zval, at: usize) -> Thrown {
    let text = format!("must contain only string, {} given at index {at}", type_name(query));
    exception::argument_type(1, &text)
}

/// What was found, each with the page of all.
pub(super) fn with_page(found: Vec<Found>, page: &Rc<Page>) -> Vec<(Found, Rc<Page>)> {
    found.into_iter().map(|found| (found, page.clone())).collect()
}

/// Adds what was found for each of some queries, with its page, under the next keys.
pub(super) fn put_all(
    map: &mut Map,
    keys: impl Iterator<Item = Key>,
    index: &Rc<Index>,
    found: Vec<(Found, Rc<Page>)>,
) -> Outcome {
    /// The hits of so many queries are on their way while others become PHP's: threads have written them.
    const AHEAD: usize = 8;
    // PHP may end the script by a jump over this frame.
    let mut found = BailoutGuard::new(found);
    let found: &mut Vec<(Found, Rc<Page>)> = &mut found;
    // Keys that are left are those of the next part: none is taken unless something was found for it.
    for (at, key) in (0..found.len()).zip(keys) {
        if let Some((later, _)) = found.get(at + AHEAD) {
            prefetch(&later.hits);
        }
        let (one, page) = &mut found[at];
        let mut result = Zval::new();
        hits::prepare(&mut result)?;
        hits::fill(&mut result, index, page, std::mem::take(one))?;
        map.put(key, result);
    }
    Ok(())
}

pub fn search_batch(call: &mut Call) -> Outcome {
    /// The engine's hits take no more than this: memory_limit does not count them before they are PHP's. Only batches
    /// with large limits are searched in parts.
    const MOST_BYTES: usize = 64 << 20;
    let arguments = BATCH.parse(call)?;
    let index = this::<Object>(call)?.0.clone();
    let mut options = arguments.options_in(&index)?;
    let queries = arguments.queries();
    let count = queries.map_or(0, |queries| queries.len());
    let elements = || queries.into_iter().flat_map(elements);
    let end = options.deadline.and_then(|deadline| Instant::now().checked_add(deadline));
    // PHP may end the script by a jump over this frame.
    let index = BailoutGuard::new(index);
    let plain = BailoutGuard::new(Rc::new(Page::new(&options)));
    // With vectors, fewer.
    let at_a_time = count.min(MOST_BYTES / bytes_of_hits(&index, &plain).max(1)).max(1);
    let mut map = Map::with_room(count)?;
    let (mut left, mut keys) = (elements().enumerate().peekable(), elements().map(|(key, _)| key));
    while left.peek().is_some() {
        let (mut part, mut pages, mut bytes) = (input::with_room(at_a_time)?, input::with_room(at_a_time)?, 0);
        while bytes < MOST_BYTES
            && part.len() < at_a_time
            && let Some((at, (_, value))) = left.next()
        {
            let query = Query::of(index.schema(), value, 1, at)?;
            let page = query.page(&options, &plain);
            bytes += bytes_of_hits(&index, &page).saturating_add(query.asked().bytes());
            part.push(query);
            pages.push(page);
        }
        input::ensure_memory(bytes)?;
        let queries: Vec<Asked> = part.iter().map(Query::asked).collect();
        let (mut pages, mut ended) = (pages.into_iter(), None);
        // Other threads work on what is on this frame: nothing may jump over it while they do.
        let mut put = |found: Vec<Found>| {
            let with_pages = found.into_iter().zip(&mut pages).collect();
            let put = || put_all(&mut map, keys.by_ref(), &index, with_pages);
            match try_catch(AssertUnwindSafe(put)) {
                Ok(Ok(())) => true,
                otherwise => {
                    ended = Some(otherwise);
                    false
                }
            }
        };
        let searched = engine::search_each(&index, &queries, &options, &ini::settings(), &mut put);
        drop(queries);
        drop(part);
        drop(pages);
        match ended {
            // SAFETY: this is a call from PHP, and what is left on this frame is guarded, or PHP's.
            Some(Err(CatchError::Bailout)) => unsafe { bailout() },
            Some(Err(error)) => panic!("{error}"),
            Some(Ok(put)) => put?,
            None => check_index(searched, 1)?,
        }
        if let Some(end) = end {
            options.deadline = Some(end.saturating_duration_since(Instant::now()));
        }
    }
    map.store(call.result);
    Ok(())
}

pub fn stream(call: &mut Call) -> Outcome {
    /// Queries that a stream may hold at most, whatever is asked for.
    const MOST: usize = 1 << 20;
    let arguments = STREAM.parse(call)?;
    let index = this::<Object>(call)?.0.clone();
    let options = arguments.options_in(&index)?;
    let capacity = arguments.capacity(MOST)?;
    input::ensure_memory(bytes_of_hits(&index, &Page::new(&options)).saturating_mul(capacity))?;
    let stream = check_index(Stream::new(&index, &options, &ini::settings(), capacity), 1)?;
    search_stream::store(stream, options, call.result)
}

/// A query, or an array of them; what is not UTF-8 is replaced.
pub fn queries_of(given: &Zval) -> Outcome<Vec<Cow<'_, str>>> {
    let queries: Vec<&Zval> = match given.array() {
        Some(array) => elements(array).map(|(_, query)| query.dereference()).collect(),
        None if given.zend_str().is_some() => vec![given],
        None => {
            let text = format!("must be of type array|string, {} given", type_name(given));
            return Err(exception::argument_type(1, &text));
        }
    };
    let mut texts = input::with_room(queries.len())?;
    for (at, query) in queries.into_iter().enumerate() {
        let Some(text) = query.zend_str() else { return Err(no_string(query, at)) };
        texts.push(valid_utf8(text.as_bytes()));
    }
    Ok(texts)
}

pub fn statistics(call: &mut Call) -> Outcome {
    let arguments = STATISTICS.parse(call)?;
    let index = &this::<Object>(call)?.0;
    let options = arguments.options(index.schema())?;
    let texts = queries_of(arguments.one_or_more())?;
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let told = check_index(index.statistics(&texts, &options), 1)?;
    drop((texts, options));
    statistics::store(told, call.result)
}

pub fn warm(call: &mut Call) -> Outcome {
    /// Queries of a log that are prepared at a time.
    const AT_A_TIME: usize = 4096;
    let arguments = WARM.parse(call)?;
    let index = &this::<Object>(call)?.0;
    let options = arguments.options(index.schema())?;
    // A generator may end the script by a jump over this frame.
    let mut warming = BailoutGuard::new((Warming::new(index, &options, &ini::settings()), Vec::<String>::new()));
    let add = |(warming, log): &mut (Warming, Vec<String>)| {
        let queries: Vec<&str> = log.iter().map(|query| &**query).collect();
        check_index(warming.add(&queries), 1)
    };
    let mut count = 0;
    let mut each = |_: &Zval, query: &Zval| -> Outcome {
        let query = query.dereference();
        let Some(text) = query.zend_str() else { return Err(no_string(query, count)) };
        count += 1;
        warming.1.push(valid_utf8(text.as_bytes()).into_owned());
        if warming.1.len() == AT_A_TIME {
            add(&mut warming)?;
            warming.1.clear();
        }
        Ok(())
    };
    traverse::each(arguments.log(), 1, &mut each)?;
    add(&mut warming)?;
    let resident = check_index(warming.into_inner().0.send(), 1)?;
    call.result.set_long(resident as i64);
    Ok(())
}

pub fn count(call: &mut Call) -> Outcome {
    let arguments = COUNT.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    let count = if arguments.count() == 0 {
        index.documents()
    } else {
        let options = arguments.options(index.schema())?;
        check_index(index.count(arguments.query(index.schema(), &options)?.asked(), &options), 1)?
    };
    result.set_long(count as i64);
    Ok(())
}

pub fn facets(call: &mut Call) -> Outcome {
    let arguments = FACETS.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    let field = fields::of_kind(index.schema(), arguments.field(), 1, &[Kind::Keyword], "a keyword field")?;
    let options = arguments.options(index.schema())?;
    let query = arguments.query(index.schema(), &options)?;
    let facets = check_index(index.facets(field, query.asked(), &options, options.limit), 2)?;
    drop(query);
    store_counts(facets, result)
}
