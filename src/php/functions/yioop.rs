//! The functions of the namespace `Postings\Yioop`.

use crate::php::call::{Call, check, handler, parse};
use crate::php::declare::function;
use crate::php::exception::Outcome;
use crate::php::output::{self, DocIds, List, Map, Singles};
use crate::php::zend::Key;
use crate::php::{ini, input};
use crate::{Error, engine, yioop};
use ext_php_rs::args::Arg;
use ext_php_rs::builders::FunctionBuilder;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;

pub fn builders() -> Vec<FunctionBuilder<'static>> {
    let string = |name: &'static str| Arg::new(name, DataType::String);
    vec![
        function("Postings\\Yioop\\doc_indexes", handler!(doc_indexes), DataType::Array).arg(string("postings")),
        function("Postings\\Yioop\\unpack_postings", handler!(unpack_postings), DataType::Array)
            .arg(string("postings")),
        function("Postings\\Yioop\\pack_posting", handler!(pack_posting), DataType::String)
            .arg(Arg::new("docIndex", DataType::Long))
            .arg(Arg::new("positions", DataType::Array)),
        function("Postings\\Yioop\\add_doc_index", handler!(add_doc_index), DataType::String)
            .arg(string("postings"))
            .arg(Arg::new("offset", DataType::Long)),
        function("Postings\\Yioop\\intersect", handler!(intersect), DataType::Array)
            .arg(string("first"))
            .arg(string("rest").is_variadic()),
    ]
}

fn doc_indexes(call: &mut Call) -> Outcome {
    let postings = call.bytes()?;
    let settings = BailoutGuard::new(ini::settings());
    let mut doc_indexes = DocIds::new();
    check(engine::yioop_doc_indexes_to(postings, &settings, &mut doc_indexes), 1)?;
    doc_indexes.finish()?.store(call.result);
    Ok(())
}

fn unpack_postings(call: &mut Call) -> Outcome {
    let postings = check(yioop::Postings::parse(call.bytes()?), 1)?;
    let mut list = List::with_room(postings.len())?;
    let mut positions = BailoutGuard::new(Vec::new());
    let mut singles = Singles::new();
    let mut postings = postings.iter();
    while let Some(doc_index) = postings.unpack_next(&mut positions) {
        list.push_pair(doc_index, &positions, &mut singles)?;
    }
    list.store(call.result);
    Ok(())
}

fn pack_posting(call: &mut Call) -> Outcome {
    let mut doc_index = 0i64;
    let mut positions: *mut Zval = std::ptr::null_mut();
    parse!(call, c"la", &raw mut doc_index, &raw mut positions)?;
    let doc_index = input::number(doc_index, 1)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let Some(positions) = unsafe { &*positions }.dereference().array() else { return Ok(()) };
    let positions = input::positions(positions, 2)?;
    let packed = yioop::pack_posting(doc_index, &positions);
    // Of what the two may be wrong with, `Argument` is the doc index.
    let argument = if matches!(packed, Err(Error::Argument(_))) { 1 } else { 2 };
    let bytes = BailoutGuard::new(check(packed, argument)?);
    drop(positions);
    Ok(output::bytes(call.result, &bytes)?)
}

fn add_doc_index(call: &mut Call) -> Outcome {
    let mut postings: *mut ZendStr = std::ptr::null_mut();
    let mut offset = 0i64;
    parse!(call, c"Sl", &raw mut postings, &raw mut offset)?;
    // SAFETY: parsing set it to a string that the frame holds.
    let postings = unsafe { &*postings }.as_bytes();
    // A posting of one word becomes two at most.
    input::ensure_memory(2 * postings.len())?;
    let bytes = BailoutGuard::new(check(yioop::add_doc_index(postings, offset), 2)?);
    Ok(output::bytes(call.result, &bytes)?)
}

fn intersect(call: &mut Call) -> Outcome {
    let mut first: *mut Zval = std::ptr::null_mut();
    let mut rest: *mut Zval = std::ptr::null_mut();
    let mut count = 0u32;
    parse!(call, c"z*", &raw mut first, &raw mut rest, &raw mut count)?;
    let lists = call.strings()?;
    // The doc index and the offset of each posting, of which each takes 4 bytes at least; and those that match.
    input::ensure_memory(4 * lists.iter().map(|list| list.len()).sum::<usize>())?;
    let matches = BailoutGuard::new(check(engine::yioop_intersect(&lists, &ini::settings()), 1)?);
    drop(lists);
    let mut map = Map::with_room(matches.docs.len())?;
    for (doc_index, offsets) in matches.iter() {
        map.insert(Key::Int(i64::from(doc_index)), offsets)?;
    }
    map.store(call.result);
    Ok(())
}
