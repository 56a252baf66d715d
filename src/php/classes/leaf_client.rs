//! The class `Postings\LeafClient`: asks leaves, by the arguments of `Index`.

use super::index::argument::Argument;
use super::index::arguments::{Arguments, Signature};
use super::index::nearest;
use super::index::search::{BATCH, SEARCH, STATISTICS, queries_of};
use super::index::words::Typed;
use super::leaf_request::{self, Asked};
use crate::exchange::{Question, commit_of, schema_of, shown};
use crate::index::Schema;
use crate::php::asked::Query;
use crate::php::call::{Call, check_index, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method, this_and_result};
use crate::php::declare::function;
use crate::php::documents::id;
use crate::php::exception::{self, Outcome, type_name};
use crate::php::output;
use crate::php::zend::elements;
use crate::php::{fields, input, vectors};
use crate::search::Options;
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::borrow::Cow;
use std::ptr::null_mut;

pub struct Object {
    of: Asked,
    /// Whether hits come with their stored fields.
    stored: bool,
}

class!(Object);

/// The methods whose arguments are declared where they are parsed, by their names in small letters.
const WITH_SIGNATURES: [(&str, &Signature); 5] = [
    ("search", &SEARCH),
    ("searchbatch", &BATCH),
    ("nearest", &nearest::NEAREST),
    ("nearestbatch", &nearest::BATCH),
    ("statistics", &STATISTICS),
];

impl Class for Object {
    const NAME: &'static str = "Postings\\LeafClient";
    const INTERFACES: &'static [ClassEntryInfo] = &[];

    fn methods() -> Vec<Method> {
        let string = |name| Arg::new(name, DataType::String);
        let request = || DataType::object(leaf_request::Object::NAME);
        vec![
            static_method(function("schemaRequest", handler!(schema_request), DataType::String)),
            static_method(
                function("fromResponse", handler!(from_response), DataType::object("self"))
                    .arg(string("response"))
                    .not_required()
                    .arg(Arg::new("stored", DataType::Bool).default("true")),
            ),
            static_method(function("commit", handler!(commit), DataType::String).arg(string("response"))),
            SEARCH.method(function("search", handler!(search), request())),
            BATCH.method(function("searchBatch", handler!(search_batch), request())),
            nearest::NEAREST.method(function("nearest", handler!(nearest_one), request())),
            nearest::BATCH.method(function("nearestBatch", handler!(nearest_batch), request())),
            STATISTICS.method(function("statistics", handler!(statistics), request())),
            method(
                function("suggest", handler!(suggest), request())
                    .arg(string("text"))
                    .not_required()
                    .arg(Arg::new("limit", DataType::Long).default("8"))
                    .arg(string("field").allow_null().default("null")),
            ),
            method(function("stored", handler!(stored), request()).arg(Arg::new("ids", DataType::Array))),
            method(function("fields", handler!(fields_of), DataType::Array)),
        ]
    }

    fn finish() {
        // SAFETY: the class is registered.
        let methods = unsafe { &raw const (*class::entry::<Object>()).function_table };
        for (name, signature) in WITH_SIGNATURES {
            signature.widen(methods, name);
        }
        class::only_itself_is_equal::<Object>();
    }
}

fn schema_request(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let bytes = check_index(Question::Schema.to_bytes(0, None, None), 1)?;
    Ok(output::bytes(call.result, &BailoutGuard::new(bytes))?)
}

fn from_response(call: &mut Call) -> Outcome {
    let (mut response, mut stored) = (null_mut::<ZendStr>(), true);
    parse!(call, c"S|b", &raw mut response, &raw mut stored)?;
    // SAFETY: parsing set it to a string that the frame holds.
    let response = unsafe { &*response }.as_bytes();
    input::ensure_memory(response.len())?;
    let schema = check_index(schema_of(response), 1)?;
    class::store(Object { of: Asked::new(schema), stored }, call.result)
}

fn commit(call: &mut Call) -> Outcome {
    let commit = shown(check_index(commit_of(call.bytes()?), 1)?);
    Ok(output::bytes(call.result, BailoutGuard::new(commit).as_bytes())?)
}

/// What the arguments say about how to search.
fn options(arguments: &Arguments, schema: &Schema) -> Outcome<Options> {
    if let Some((number, _)) = arguments.find(Argument::After).filter(|(_, after)| !after.is_null()) {
        let text = "must be null: a place is one in the order of one index; use an offset";
        return Err(exception::argument_value(number, text));
    }
    arguments.options(schema)
}

fn owned(queries: Vec<Cow<str>>) -> Vec<String> {
    queries.into_iter().map(Cow::into_owned).collect()
}

fn search(call: &mut Call) -> Outcome {
    let arguments = SEARCH.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let options = options(&arguments, &object.of.schema)?;
    let queries = vec![arguments.query(&object.of.schema, &options)?.asked().into()];
    let question = Question::Search { queries, options, stored: object.stored };
    leaf_request::store(question, Zval::null(), &object.of, result)
}

fn search_batch(call: &mut Call) -> Outcome {
    let arguments = BATCH.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let options = options(&arguments, &object.of.schema)?;
    let given = arguments.required(Argument::Queries).1;
    let mut queries = input::with_room(given.array().map_or(0, |array| array.len()))?;
    for (at, (_, query)) in given.array().into_iter().flat_map(elements).enumerate() {
        queries.push(Query::of(&object.of.schema, query.dereference(), 1, at)?.asked().into());
    }
    let keys = given.shallow_clone();
    let question = Question::Search { queries, options, stored: object.stored };
    leaf_request::store(question, keys, &object.of, result)
}

fn nearest_one(call: &mut Call) -> Outcome {
    let arguments = nearest::NEAREST.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let mut options = arguments.options(&object.of.schema)?;
    let (field, shape) = nearest::field(&arguments, &object.of.schema, &mut options)?;
    let vectors = vec![vectors::query(arguments.required(Argument::Vector).1, shape, 2, "")?];
    let question = Question::Nearest { field, vectors, options, stored: object.stored };
    leaf_request::store(question, Zval::null(), &object.of, result)
}

fn nearest_batch(call: &mut Call) -> Outcome {
    let arguments = nearest::BATCH.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let mut options = arguments.options(&object.of.schema)?;
    let (field, shape) = nearest::field(&arguments, &object.of.schema, &mut options)?;
    let given = arguments.required(Argument::Vectors).1;
    let vectors = given.array().map_or(Ok(Vec::new()), |array| vectors::queries(array, shape, 2))?;
    let question = Question::Nearest { field, vectors, options, stored: object.stored };
    leaf_request::store(question, given.shallow_clone(), &object.of, result)
}

fn statistics(call: &mut Call) -> Outcome {
    let arguments = STATISTICS.parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let options = arguments.options(&object.of.schema)?;
    let queries = owned(queries_of(arguments.one_or_more())?);
    leaf_request::store(Question::Statistics { queries, options }, Zval::null(), &object.of, result)
}

fn suggest(call: &mut Call) -> Outcome {
    let typed = Typed::parse(call)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let (text, field, limit) = typed.of(&object.of.schema)?;
    let question = Question::Suggest { text: text.into_owned(), field, limit };
    leaf_request::store(question, Zval::null(), &object.of, result)
}

fn stored(call: &mut Call) -> Outcome {
    let mut given = null_mut::<Zval>();
    parse!(call, c"a", &raw mut given)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let array: Option<&ZendHashTable> = unsafe { &*given }.dereference().array();
    let mut ids = input::with_room(array.map_or(0, |array| array.len()))?;
    for (at, (_, value)) in array.into_iter().flat_map(elements).enumerate() {
        let Some(id) = id(value.dereference()) else {
            let text = format!("must contain only int|string, {} given at index {at}", type_name(value));
            return Err(exception::argument_type(1, &text));
        };
        ids.push(id);
    }
    let (object, result) = this_and_result::<Object>(call)?;
    leaf_request::store(Question::Stored { ids }, Zval::null(), &object.of, result)
}

fn fields_of(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    fields::store(&object.of.schema, result)
}
