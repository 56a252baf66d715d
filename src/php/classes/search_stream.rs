//! The class `Postings\SearchStream`: queries that are answered in the background.

use super::hits;
use crate::engine::stream::{Stream, Taken};
use crate::php::asked::Query;
use crate::php::call::{Call, check_index, handler, parse};
use crate::php::class::{self, Class, Method, class, method, this_and_result};
use crate::php::declare::{MAY_BE_STRING, function, widen};
use crate::php::exception::{self, Outcome, type_name};
use crate::php::input::{self, milliseconds};
use crate::php::output::Map;
use crate::php::zend::{Key, elements};
use crate::search::{Asked, Options, Page};
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::rc::Rc;

pub struct Object {
    stream: Stream,
    options: Options,
    /// Of queries without vectors.
    page: Rc<Page>,
    /// Of those with some, by ticket, until they are taken.
    pages: RefCell<HashMap<u64, Rc<Page>>>,
}

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\SearchStream";
    const INTERFACES: &'static [ClassEntryInfo] = &[(ce::countable, "Countable")];

    fn methods() -> Vec<Method> {
        vec![
            method(function("push", handler!(push), DataType::Long).arg(Arg::new("query", DataType::Array))),
            method(function("pushAll", handler!(push_all), DataType::Array).arg(Arg::new("queries", DataType::Array))),
            method(
                function("take", handler!(take), DataType::Array)
                    .not_required()
                    .arg(Arg::new("wait", DataType::Long).default("0")),
            ),
            method(function("count", handler!(count), DataType::Long)),
            method(function("descriptor", handler!(descriptor), DataType::Long)),
        ]
    }

    fn finish() {
        // SAFETY: the class is registered.
        let methods = unsafe { &raw const (*class::entry::<Object>()).function_table };
        widen(methods, "push", 0, MAY_BE_STRING);
        class::only_itself_is_equal::<Object>();
    }
}

/// Makes a new object with the stream, which has these options, the value of `target`.
pub fn store(stream: Stream, options: Options, target: &mut Zval) -> Outcome {
    let page = Rc::new(Page::new(&options));
    class::store(Object { stream, options, page, pages: RefCell::default() }, target)
}

impl Object {
    /// Adds queries, and returns their tickets.
    fn push(&self, queries: &[Query]) -> Outcome<Range<u64>> {
        let asked: Vec<Asked> = queries.iter().map(Query::asked).collect();
        let tickets = check_index(self.stream.push_all(&asked), 1)?;
        let with_vectors = tickets.clone().zip(queries).filter(|(_, query)| !query.nearest.is_empty());
        let pages = with_vectors.map(|(ticket, query)| (ticket, query.page(&self.options, &self.page)));
        self.pages.borrow_mut().extend(pages);
        Ok(tickets)
    }

    /// The page of an answer that is taken.
    fn page(&self, ticket: u64) -> Rc<Page> {
        self.pages.borrow_mut().remove(&ticket).unwrap_or_else(|| self.page.clone())
    }
}

fn push(call: &mut Call) -> Outcome {
    let mut query: *mut Zval = null_mut();
    parse!(call, c"z", &raw mut query)?;
    // SAFETY: parsing set it to an argument in the frame.
    let query = unsafe { &*query }.dereference();
    if query.zend_str().is_none() && query.array().is_none() {
        let text = format!("must be of type array|string, {} given", type_name(query));
        return Err(exception::argument_type(1, &text));
    }
    let (object, result) = this_and_result::<Object>(call)?;
    let query = Query::of(object.stream.index().schema(), query, 1, 0)?;
    result.set_long(object.push(&[query])?.start as i64);
    Ok(())
}

fn push_all(call: &mut Call) -> Outcome {
    let mut queries: *mut Zval = null_mut();
    parse!(call, c"a", &raw mut queries)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let queries: Option<&ZendHashTable> = unsafe { &*queries }.dereference().array();
    let count = queries.map_or(0, |queries| queries.len());
    let (object, result) = this_and_result::<Object>(call)?;
    let mut owned = input::with_room(count)?;
    for (at, (_, query)) in queries.into_iter().flat_map(elements).enumerate() {
        owned.push(Query::of(object.stream.index().schema(), query, 1, at)?);
    }
    let pushed = object.push(&owned)?;
    drop(owned);
    let mut tickets = Map::with_room(count)?;
    for ((key, _), ticket) in queries.into_iter().flat_map(elements).zip(pushed) {
        let mut value = Zval::new();
        value.set_long(ticket as i64);
        tickets.put(key, value);
    }
    tickets.store(result);
    Ok(())
}

fn take(call: &mut Call) -> Outcome {
    let mut wait = 0i64;
    parse!(call, c"|l", &raw mut wait)?;
    let wait = milliseconds(wait, 1)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let mut found = match check_index(object.stream.take(usize::MAX, wait), 1)? {
        Taken::Found(found) => found,
        Taken::Failed { ticket, error } => {
            object.page(ticket);
            return Err(exception::throw_of_query(&error, ticket));
        }
    };
    // The first is taken from the end.
    found.reverse();
    let found = found.into_iter().map(|(ticket, found)| (ticket, found, object.page(ticket))).collect::<Vec<_>>();
    let mut found = BailoutGuard::new((Rc::new(object.stream.index().clone()), found));
    let mut map = Map::with_room(found.1.len())?;
    while let Some(&(ticket, ..)) = found.1.last() {
        let mut value = Zval::new();
        hits::prepare(&mut value)?;
        let Some((_, one, page)) = found.1.pop() else { break };
        let page = BailoutGuard::new(page);
        hits::fill(&mut value, &found.0, &page, one)?;
        map.put(Key::Int(ticket as i64), value);
    }
    map.store(result);
    Ok(())
}

fn count(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_long(object.stream.untaken() as i64);
    Ok(())
}

fn descriptor(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_long(i64::from(object.stream.descriptor().as_raw_fd()));
    Ok(())
}
