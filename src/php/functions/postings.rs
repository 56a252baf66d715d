//! The functions of the namespace `Postings`.

use crate::codec::{quasi_succinct, simple9};
use crate::php::call::{Call, check, handler, parse};
use crate::php::classes::posting_list;
use crate::php::declare::function;
use crate::php::exception::{self, Outcome};
use crate::php::output::{DocIds, List, Map, Record};
use crate::php::zend::elements;
use crate::php::{ini, input, output};
use crate::{Error, PostingList, engine};
use ext_php_rs::args::Arg;
use ext_php_rs::builders::FunctionBuilder;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::BailoutGuard;

/// Those whose first argument is docIDs, as an array or a string.
pub const OF_DOC_IDS: [&str; 2] = ["Postings\\simple9_encode", "Postings\\qs_encode"];

pub fn builders() -> Vec<FunctionBuilder<'static>> {
    let list = |name: &'static str| Arg::new(name, DataType::object(posting_list::NAME));
    vec![
        function("Postings\\simple9_encode", handler!(simple9_encode), DataType::String)
            .arg(Arg::new("docIds", DataType::Array)),
        function("Postings\\simple9_decode", handler!(simple9_decode), DataType::Array)
            .arg(Arg::new("words", DataType::String)),
        function("Postings\\qs_encode", handler!(qs_encode), DataType::String)
            .arg(Arg::new("docIds", DataType::Array))
            .not_required()
            .arg(Arg::new("c", DataType::Double).default("1.0")),
        function("Postings\\qs_decode", handler!(qs_decode), DataType::Array).arg(Arg::new("bytes", DataType::String)),
        function("Postings\\intersect", handler!(intersect), DataType::Array)
            .arg(list("first"))
            .arg(list("rest").is_variadic()),
        function("Postings\\intersect_count", handler!(intersect_count), DataType::Long)
            .arg(list("first"))
            .arg(list("rest").is_variadic()),
        function("Postings\\intersect_batch", handler!(intersect_batch), DataType::Array)
            .arg(Arg::new("queries", DataType::Array)),
        function("Postings\\devices", handler!(devices), DataType::Array),
        function("Postings\\stats", handler!(stats), DataType::Array),
    ]
}

/// Bytes that encoding a raw list takes per docID at most: gaps, words in a vector that doubles, and bytes.
const RAW_ENCODED: usize = 16;

fn simple9_encode(call: &mut Call) -> Outcome {
    let mut doc_ids: *mut Zval = std::ptr::null_mut();
    parse!(call, c"z", &raw mut doc_ids)?;
    // SAFETY: parsing set it to an argument in the frame.
    let doc_ids = input::doc_ids(unsafe { &*doc_ids }, 1)?;
    input::ensure_memory(RAW_ENCODED * doc_ids.len())?;
    let words = BailoutGuard::new(check(simple9::encode(&doc_ids), 1)?);
    drop(doc_ids);
    Ok(output::bytes(call.result, &words)?)
}

fn simple9_decode(call: &mut Call) -> Outcome {
    let bytes = call.bytes()?;
    let mut doc_ids = DocIds::new();
    check(engine::on_cpu(|| simple9::decode_to(bytes, &mut doc_ids)), 1)?;
    doc_ids.finish()?.store(call.result);
    Ok(())
}

fn qs_encode(call: &mut Call) -> Outcome {
    let mut doc_ids: *mut Zval = std::ptr::null_mut();
    let mut c = 1.0f64;
    parse!(call, c"z|d", &raw mut doc_ids, &raw mut c)?;
    if !(c.is_finite() && c > 0.0) {
        return Err(exception::argument_value(2, "must be a finite number greater than 0"));
    }
    // SAFETY: parsing set it to an argument in the frame.
    let doc_ids = input::doc_ids(unsafe { &*doc_ids }, 1)?;
    input::ensure_memory(RAW_ENCODED * doc_ids.len())?;
    let encoded = quasi_succinct::encode(&doc_ids, c);
    // Of what docIDs and c may be wrong with, `Argument` is c.
    let argument = if matches!(encoded, Err(Error::Argument(_))) { 2 } else { 1 };
    let bytes = BailoutGuard::new(check(encoded, argument)?);
    drop(doc_ids);
    Ok(output::bytes(call.result, &bytes)?)
}

fn qs_decode(call: &mut Call) -> Outcome {
    let bytes = call.bytes()?;
    let list = BailoutGuard::new(check(quasi_succinct::RawList::from_bytes(bytes), 1)?);
    let mut doc_ids = DocIds::new();
    check(engine::on_cpu(|| list.decode_to(&mut doc_ids)), 1)?;
    doc_ids.finish()?.store(call.result);
    Ok(())
}

/// Parses one posting list and any number more.
fn lists(call: &Call) -> Outcome<Vec<PostingList>> {
    let mut first: *mut Zval = std::ptr::null_mut();
    let mut rest: *mut Zval = std::ptr::null_mut();
    let mut count = 0u32;
    parse!(call, c"z*", &raw mut first, &raw mut rest, &raw mut count)?;
    posting_list::lists(call)
}

fn intersect(call: &mut Call) -> Outcome {
    let lists = lists(call)?;
    posting_list::ensure_intersection(&lists)?;
    let doc_ids = engine::intersect(&lists, &ini::settings());
    drop(lists);
    let doc_ids = BailoutGuard::new(doc_ids);
    List::of_doc_ids(&doc_ids)?.store(call.result);
    Ok(())
}

fn intersect_count(call: &mut Call) -> Outcome {
    let count = engine::intersect_count(&lists(call)?, &ini::settings());
    call.result.set_long(count as i64);
    Ok(())
}

fn intersect_batch(call: &mut Call) -> Outcome {
    let mut queries: *mut Zval = std::ptr::null_mut();
    parse!(call, c"a", &raw mut queries)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let Some(queries) = unsafe { &*queries }.dereference().array() else { return Ok(()) };
    let lists = posting_list::queries(queries, 1)?;
    posting_list::ensure_intersections(&lists)?;
    let results = BailoutGuard::new(check(engine::intersect_batch(&lists, &ini::settings()), 1)?);
    drop(lists);
    if queries.has_sequential_keys() {
        let mut list = List::with_room(results.len())?;
        for doc_ids in results.iter() {
            list.push_list_of(doc_ids)?;
        }
        list.store(call.result);
    } else {
        let mut map = Map::with_room(results.len())?;
        for ((key, _), doc_ids) in elements(queries).zip(results.iter()) {
            map.insert(key, doc_ids)?;
        }
        map.store(call.result);
    }
    Ok(())
}

fn devices(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let devices = engine::devices(&ini::settings());
    let mut list = List::with_room(devices.len())?;
    for device in devices {
        let record = Record::new()
            .field("platform", device.platform)
            .field("name", device.name)
            .field("type", device.kind)
            .field("version", device.version)
            .field("compute_units", i64::from(device.compute_units))
            .field("global_memory", device.global_memory as i64)
            .field("selected", device.selected);
        list.push(record.into_zval());
    }
    list.store(call.result);
    Ok(())
}

fn stats(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let stats = engine::stats();
    let (lists, list_bytes) = PostingList::live();
    Record::new()
        .field("cpu_calls", stats.cpu_calls as i64)
        .field("device_calls", stats.device_calls as i64)
        .field("device_failures", stats.device_failures as i64)
        .field("bytes_to_device", stats.bytes_to_device as i64)
        .field("bytes_from_device", stats.bytes_from_device as i64)
        .field("cache_hits", stats.cache.hits as i64)
        .field("cache_misses", stats.cache.misses as i64)
        .field("cache_evictions", stats.cache.evictions as i64)
        .field("cache_bytes", stats.cache.bytes as i64)
        .field("lists", lists as i64)
        .field("list_bytes", list_bytes as i64)
        .store(call.result);
    Ok(())
}
