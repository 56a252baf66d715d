//! The class `Postings\Index`.

pub(super) mod argument;
pub(super) mod arguments;
mod copy;
mod export;
pub(super) mod filter;
mod fusion;
mod ids;
mod marks;
pub(super) mod nearest;
mod object;
pub(super) mod options;
pub(super) mod search;
mod similar;
pub(super) mod words;

use super::{analyzer, hits, posting_list, search_stream, statistics};
use crate::index::removal;
use crate::php::call::{Call, check_index, handler, parse};
use crate::php::class::{self, Class, Method, method, static_method, this_and_result};
use crate::php::declare::{MAY_BE_STRING, RETURN_VALUE, function, nullable, widen};
use crate::php::exception::Outcome;
use crate::php::{fields, path};
use crate::search::Index;
use arguments::Signature;
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::ZendStr;
use ext_php_rs::zend::ce;
use std::rc::Rc;

pub use object::Object;

/// The methods whose arguments are declared where they are parsed, by their names in small letters.
const WITH_SIGNATURES: [(&str, &Signature); 15] = [
    ("search", &search::SEARCH),
    ("searchbatch", &search::BATCH),
    ("stream", &search::STREAM),
    ("warm", &search::WARM),
    ("count", &search::COUNT),
    ("facets", &search::FACETS),
    ("statistics", &search::STATISTICS),
    ("explain", &words::EXPLAIN),
    ("snippet", &marks::SNIPPET),
    ("highlight", &marks::HIGHLIGHT),
    ("matches", &marks::MATCHES),
    ("similar", &similar::SIMILAR),
    ("similarbatch", &similar::BATCH),
    ("nearest", &nearest::NEAREST),
    ("nearestbatch", &nearest::BATCH),
];

fn string(name: &'static str) -> Arg<'static> {
    Arg::new(name, DataType::String)
}

fn limit(default: i64) -> Arg<'static> {
    Arg::new("limit", DataType::Long).default(default.to_string())
}

fn field() -> Arg<'static> {
    string("field").allow_null().default("null")
}

impl Class for Object {
    const NAME: &'static str = "Postings\\Index";
    const INTERFACES: &'static [ClassEntryInfo] = &[(ce::countable, "Countable")];

    fn methods() -> Vec<Method> {
        let id = || Arg::new("id", DataType::Long);
        vec![
            static_method(function("open", handler!(open), DataType::object("self")).arg(string("path"))),
            static_method(function("exists", handler!(exists), DataType::Bool).arg(string("path"))),
            static_method(function("drop", handler!(drop_index), DataType::Bool).arg(string("path"))),
            search::SEARCH.method(function("search", handler!(search::search), DataType::object(hits::Object::NAME))),
            search::BATCH.method(function("searchBatch", handler!(search::search_batch), DataType::Array)),
            search::STREAM.method(function(
                "stream",
                handler!(search::stream),
                DataType::object(search_stream::Object::NAME),
            )),
            search::WARM.method(function("warm", handler!(search::warm), DataType::Long)),
            search::COUNT.method(function("count", handler!(search::count), DataType::Long)),
            search::FACETS.method(function("facets", handler!(search::facets), DataType::Array)),
            search::STATISTICS.method(function(
                "statistics",
                handler!(search::statistics),
                DataType::object(statistics::Object::NAME),
            )),
            method(
                function("suggest", handler!(words::suggest), DataType::Array)
                    .arg(string("text"))
                    .not_required()
                    .arg(limit(8))
                    .arg(field()),
            ),
            words::EXPLAIN.method(nullable("explain", handler!(words::explain), DataType::Array)),
            marks::SNIPPET.method(nullable("snippet", handler!(marks::snippet), DataType::String)),
            marks::HIGHLIGHT.method(nullable("highlight", handler!(marks::highlight), DataType::String)),
            marks::MATCHES.method(function("matches", handler!(marks::matches), DataType::Array)),
            similar::SIMILAR.method(function(
                "similar",
                handler!(similar::similar),
                DataType::object(hits::Object::NAME),
            )),
            similar::BATCH.method(function("similarBatch", handler!(similar::similar_batch), DataType::Array)),
            nearest::NEAREST.method(function(
                "nearest",
                handler!(nearest::nearest_one),
                DataType::object(hits::Object::NAME),
            )),
            nearest::BATCH.method(function("nearestBatch", handler!(nearest::nearest_batch), DataType::Array)),
            method(
                function("terms", handler!(words::terms), DataType::Array)
                    .not_required()
                    .arg(string("prefix").default("''"))
                    .arg(field())
                    .arg(limit(100)),
            ),
            method(
                function("postings", handler!(words::postings), DataType::object(posting_list::NAME))
                    .arg(string("term"))
                    .not_required()
                    .arg(field()),
            ),
            method(
                function("occurrences", handler!(words::occurrences), DataType::Long)
                    .arg(string("term"))
                    .not_required()
                    .arg(field()),
            ),
            method(
                function("exportCiff", handler!(export::export_ciff), DataType::Long)
                    .arg(string("path"))
                    .not_required()
                    .arg(field()),
            ),
            method(
                function("exportPisa", handler!(export::export_pisa), DataType::Long)
                    .arg(string("basename"))
                    .not_required()
                    .arg(field()),
            ),
            method(nullable("id", handler!(ids::id_of), DataType::Long).arg(Arg::new("docId", DataType::Long))),
            method(nullable("docId", handler!(ids::doc_id), DataType::Long).arg(id())),
            method(nullable("stored", handler!(ids::stored), DataType::Array).arg(id())),
            method(function("snapshot", handler!(copy::snapshot), DataType::Long).arg(string("folder"))),
            method(function("files", handler!(copy::files), DataType::Array)),
            method(function("reload", handler!(reload), DataType::Bool)),
            method(function("documents", handler!(documents), DataType::Long)),
            method(function("generation", handler!(generation), DataType::Long)),
            method(function("fields", handler!(fields_of), DataType::Array)),
            method(
                function("analyzer", handler!(analyzer_of), DataType::object(analyzer::Object::NAME))
                    .not_required()
                    .arg(Arg::new("field", DataType::String).allow_null().default("null")),
            ),
        ]
    }

    fn finish() {
        // SAFETY: the class is registered.
        let methods = unsafe { &raw const (*class::entry::<Object>()).function_table };
        for (name, signature) in WITH_SIGNATURES {
            signature.widen(methods, name);
        }
        for (name, argument) in [("docid", 0), ("stored", 0), ("id", RETURN_VALUE)] {
            widen(methods, name, argument, MAY_BE_STRING);
        }
        class::only_itself_is_equal::<Object>();
    }
}

fn open(call: &mut Call) -> Outcome {
    let path = path::argument(call)?;
    let index = check_index(Index::open(&path), 1)?;
    class::store(Object(Rc::new(index)), call.result)
}

fn exists(call: &mut Call) -> Outcome {
    let path = path::argument(call)?;
    call.result.set_bool(check_index(removal::exists(&path), 1)?);
    Ok(())
}

fn drop_index(call: &mut Call) -> Outcome {
    let path = path::argument(call)?;
    call.result.set_bool(check_index(removal::remove(&path), 1)?);
    Ok(())
}

fn reload(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_bool(check_index(Rc::make_mut(&mut object.0).reload(), 1)?);
    Ok(())
}

fn documents(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_long(object.0.documents() as i64);
    Ok(())
}

fn generation(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_long(object.0.generation() as i64);
    Ok(())
}

fn fields_of(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    fields::store(object.0.schema(), result)
}

fn analyzer_of(call: &mut Call) -> Outcome {
    let mut field = std::ptr::null_mut::<ZendStr>();
    parse!(call, c"|S!", &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    fields::analyzer_of(object.0.schema(), field, result)
}
