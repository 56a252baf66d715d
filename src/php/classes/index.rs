//! The class `Postings\Index`.

use super::{analyzer, hit, hits, posting_list, search_stream};
use crate::analysis::valid_utf8;
use crate::engine::{self, Warming};
use crate::index::{Kind, Schema};
use crate::interchange;
use crate::php::call::{Call, check_index, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method, this, this_and_result};
use crate::php::declare::{MAY_BE_ARRAY, MAY_BE_STRING, RETURN_VALUE, function, nullable, widen};
use crate::php::documents::{field_named, id_argument};
use crate::php::exception::{self, Outcome, Thrown, type_name};
use crate::php::options::{self, Given, natural};
use crate::php::output::{self, List, Map, Record};
use crate::php::zend::elements;
use crate::php::{ffi, ini, input, traverse};
use crate::search::{FoundHit, Index, Options};
use ext_php_rs::args::Arg;
use ext_php_rs::builders::FunctionBuilder;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::{BailoutGuard, ce};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use std::time::Duration;

pub struct Object(pub(super) Index);

class!(Object);

fn array(name: &'static str) -> Arg<'static> {
    Arg::new(name, DataType::Array).default("[]")
}

fn int(name: &'static str, default: i64) -> Arg<'static> {
    Arg::new(name, DataType::Long).default(default.to_string())
}

fn string(name: &'static str) -> Arg<'static> {
    Arg::new(name, DataType::String)
}

/// `'all'` and not the case: PHP compiles a constant anew whenever an argument after it is given by name, which takes
/// longer than many a search.
fn matching() -> Arg<'static> {
    Arg::new("matching", DataType::object(<crate::search::Matching as crate::php::enumeration::Enumeration>::NAME))
        .default("'all'")
}

/// The parameters that a search has after its query.
fn with_search_options(function: FunctionBuilder<'static>) -> FunctionBuilder<'static> {
    function
        .not_required()
        .arg(int("limit", 10))
        .arg(int("offset", 0))
        .arg(matching())
        .arg(array("filter"))
        .arg(array("sort"))
        .arg(array("weights"))
        .arg(Arg::new("total", DataType::Bool).default("false"))
        .arg(Arg::new("k1", DataType::Double).default("1.2"))
        .arg(Arg::new("b", DataType::Double).default("0.75"))
}

fn int_or_null(name: &'static str) -> Arg<'static> {
    Arg::new(name, DataType::Long).allow_null().default("null")
}

fn field() -> Arg<'static> {
    string("field").allow_null().default("null")
}

fn marks(function: FunctionBuilder<'static>) -> FunctionBuilder<'static> {
    function.arg(string("before").default("'<mark>'")).arg(string("after").default("'</mark>'"))
}

impl Class for Object {
    const NAME: &'static str = "Postings\\Index";
    const INTERFACES: &'static [ClassEntryInfo] = &[(ce::countable, "Countable")];

    fn methods() -> Vec<Method> {
        let id = || Arg::new("id", DataType::Long);
        let search = function("search", handler!(search), DataType::object(hits::Object::NAME)).arg(string("query"));
        let batch =
            function("searchBatch", handler!(search_batch), DataType::Array).arg(Arg::new("queries", DataType::Array));
        let text =
            |function: FunctionBuilder<'static>| function.arg(string("query")).arg(string("text")).not_required();
        vec![
            static_method(function("open", handler!(open), DataType::object("self")).arg(string("path"))),
            method(with_search_options(search)),
            method(with_search_options(batch).arg(int_or_null("deadline"))),
            method(
                with_search_options(function(
                    "stream",
                    handler!(search_stream::of_index),
                    DataType::object(search_stream::Object::NAME),
                ))
                .arg(Arg::new("deadline", DataType::Long).allow_null().default("500"))
                .arg(int("capacity", 65_536)),
            ),
            method(
                function("warm", handler!(warm), DataType::Long)
                    .arg(Arg::new("queries", DataType::object("Traversable")))
                    .not_required()
                    .arg(matching())
                    .arg(array("weights"))
                    .arg(Arg::new("k1", DataType::Double).default("1.2"))
                    .arg(Arg::new("b", DataType::Double).default("0.75")),
            ),
            method(
                function("count", handler!(count), DataType::Long)
                    .not_required()
                    .arg(string("query").default("''"))
                    .arg(matching())
                    .arg(array("filter"))
                    .arg(array("weights")),
            ),
            method(
                function("facets", handler!(facets), DataType::Array)
                    .arg(string("field"))
                    .not_required()
                    .arg(string("query").default("''"))
                    .arg(matching())
                    .arg(array("filter"))
                    .arg(int("limit", 10))
                    .arg(array("weights")),
            ),
            method(
                function("suggest", handler!(suggest), DataType::Array)
                    .arg(string("text"))
                    .not_required()
                    .arg(int("limit", 8))
                    .arg(field()),
            ),
            method(
                nullable("explain", handler!(explain), DataType::Array)
                    .arg(string("query"))
                    .arg(id())
                    .not_required()
                    .arg(matching())
                    .arg(array("weights"))
                    .arg(Arg::new("k1", DataType::Double).default("1.2"))
                    .arg(Arg::new("b", DataType::Double).default("0.75")),
            ),
            method(
                marks(text(function("snippet", handler!(snippet), DataType::String)).arg(int("length", 200)))
                    .arg(string("ellipsis").default("'…'")),
            ),
            method(marks(text(function("highlight", handler!(highlight), DataType::String)))),
            method(
                function("terms", handler!(terms), DataType::Array)
                    .not_required()
                    .arg(string("prefix").default("''"))
                    .arg(field())
                    .arg(int("limit", 100)),
            ),
            method(
                function("postings", handler!(postings), DataType::object(posting_list::NAME))
                    .arg(string("term"))
                    .not_required()
                    .arg(field()),
            ),
            method(
                function("exportCiff", handler!(export_ciff), DataType::Long)
                    .arg(string("path"))
                    .not_required()
                    .arg(field()),
            ),
            method(
                function("exportPisa", handler!(export_pisa), DataType::Long)
                    .arg(string("basename"))
                    .not_required()
                    .arg(field()),
            ),
            method(nullable("id", handler!(id_of), DataType::Long).arg(Arg::new("docId", DataType::Long))),
            method(nullable("docId", handler!(doc_id), DataType::Long).arg(id())),
            method(nullable("stored", handler!(stored), DataType::Array).arg(id())),
            method(function("reload", handler!(reload), DataType::Bool)),
            method(function("documents", handler!(documents), DataType::Long)),
            method(function("generation", handler!(generation), DataType::Long)),
            method(function("fields", handler!(fields), DataType::Array)),
            method(function("analyzer", handler!(analyzer_of), DataType::object(analyzer::Object::NAME))),
        ]
    }

    fn finish() {
        // SAFETY: the class is registered.
        let methods = unsafe { &raw const (*class::entry::<Object>()).function_table };
        let matching = [
            ("search", 3),
            ("searchbatch", 3),
            ("stream", 2),
            ("count", 1),
            ("facets", 2),
            ("explain", 2),
            ("warm", 1),
        ];
        let ids = [("explain", 1), ("docid", 0), ("stored", 0), ("id", RETURN_VALUE)];
        for (name, argument) in matching.into_iter().chain(ids) {
            widen(methods, name, argument, MAY_BE_STRING);
        }
        widen(methods, "warm", 0, MAY_BE_ARRAY);
        class::only_itself_is_equal::<Object>();
    }
}

/// A path that open_basedir allows.
pub fn path(path: &[u8]) -> Outcome<&Path> {
    if !ffi::is_in_basedir(path) {
        let path = String::from_utf8_lossy(path);
        return Err(exception::index(&format!("{path}: open_basedir does not allow it")));
    }
    Ok(Path::new(OsStr::from_bytes(path)))
}

/// A path of which open_basedir allows all files that begin with it and end with one of `suffixes`.
pub fn path_with<'p>(base: &'p [u8], suffixes: &[&str]) -> Outcome<&'p Path> {
    for suffix in suffixes {
        path(&[base, suffix.as_bytes()].concat())?;
    }
    Ok(Path::new(OsStr::from_bytes(base)))
}

fn open(call: &mut Call) -> Outcome {
    let mut given: *mut ZendStr = null_mut();
    parse!(call, c"P", &raw mut given)?;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let path = path(unsafe { &*given }.as_bytes())?;
    let index = check_index(Index::open(path), 1)?;
    class::store(Object(index), call.result)
}

/// The text of a string argument; what is not UTF-8 is replaced.
fn text<'a>(string: *mut ZendStr) -> Cow<'a, str> {
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    valid_utf8(unsafe { string.as_ref() }.map_or(&[], ZendStr::as_bytes))
}

/// The arguments of a search after the first.
struct SearchArguments {
    limit: i64,
    offset: i64,
    matching: Given,
    filter: Given,
    sort: Given,
    weights: Given,
    total: bool,
    k1: f64,
    b: f64,
}

impl SearchArguments {
    fn new() -> SearchArguments {
        let [matching, filter, sort, weights] = [null_mut(); 4];
        SearchArguments { limit: 10, offset: 0, matching, filter, sort, weights, total: false, k1: 1.2, b: 0.75 }
    }

    fn options(&self, call: &Call, schema: &Schema) -> Outcome<Options> {
        let mut options = Options {
            limit: natural(self.limit, 2)?,
            offset: natural(self.offset, 3)?,
            total: self.total,
            ..Options::default()
        };
        if call.count() > 3 {
            options::matching(&mut options, self.matching, 4)?;
            options::filter(&mut options, schema, self.filter, 5)?;
            options::sort(&mut options, schema, self.sort, 6)?;
            options::weights(&mut options, schema, self.weights, 7)?;
            options::bm25(&mut options, (self.k1, 9), (self.b, 10))?;
        }
        Ok(options)
    }
}

/// Parses the arguments of a search; the first is what `$first` asks for.
macro_rules! parse_search {
    ($call:expr, $format:literal, $first:expr, $arguments:expr $(, $more:expr)*) => {
        parse!(
            $call,
            $format,
            $first,
            &raw mut $arguments.limit,
            &raw mut $arguments.offset,
            &raw mut $arguments.matching,
            &raw mut $arguments.filter,
            &raw mut $arguments.sort,
            &raw mut $arguments.weights,
            &raw mut $arguments.total,
            &raw mut $arguments.k1,
            &raw mut $arguments.b
            $(, $more)*
        )
    };
}

/// Checks that there is memory for as many hits as a search may find.
fn ensure_hits(index: &Index, options: &Options, queries: usize) -> Outcome {
    let most = usize::try_from(index.documents()).unwrap_or(usize::MAX).min(options.limit);
    input::ensure_memory(most.saturating_mul(queries).saturating_mul(size_of::<FoundHit>()))
}

fn search(call: &mut Call) -> Outcome {
    let mut query: *mut ZendStr = null_mut();
    let mut arguments = SearchArguments::new();
    parse_search!(call, c"S|llzaaabdd", &raw mut query, arguments)?;
    let index = this::<Object>(call)?.0.clone();
    let options = arguments.options(call, index.schema())?;
    ensure_hits(&index, &options, 1)?;
    hits::prepare(call.result)?;
    let found = check_index(engine::search(&index, &text(query), &options, &ini::settings()), 1)?;
    hits::fill(call.result, &index, found)
}

/// What a list of queries has at `at` in place of a string.
fn no_string(query: &Zval, at: usize) -> Thrown {
    let text = format!("must contain only string, {} given at index {at}", type_name(query));
    exception::argument_type(1, &text)
}

fn search_batch(call: &mut Call) -> Outcome {
    let mut queries: *mut Zval = null_mut();
    let mut arguments = SearchArguments::new();
    let (mut deadline, mut no_deadline) = (0i64, true);
    let nullable = (&raw mut deadline, &raw mut no_deadline);
    parse_search!(call, c"a|llzaaabddl!", &raw mut queries, arguments, nullable.0, nullable.1)?;
    let index = this::<Object>(call)?.0.clone();
    let mut options = arguments.options(call, index.schema())?;
    if call.count() > 10 && !no_deadline {
        options.deadline = Some(Duration::from_millis(natural(deadline, 11)? as u64));
    }
    // SAFETY: parsing set it to an array argument in the frame.
    let queries: Option<&ZendHashTable> = unsafe { &*queries }.dereference().array();
    let count = queries.map_or(0, |queries| queries.len());
    ensure_hits(&index, &options, count)?;
    let mut texts = input::with_room(count)?;
    for (at, (_, query)) in queries.into_iter().flat_map(elements).enumerate() {
        match query.zend_str() {
            Some(query) => texts.push(valid_utf8(query.as_bytes())),
            None => return Err(no_string(query, at)),
        }
    }
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let found = check_index(engine::search_batch(&index, &texts, &options, &ini::settings()), 1)?;
    drop(texts);
    // The last first, to be taken from the end.
    let mut found = BailoutGuard::new((index, found.into_iter().rev().collect::<Vec<_>>()));
    let mut map = Map::with_room(found.1.len())?;
    for (key, _) in queries.into_iter().flat_map(elements) {
        let mut result = Zval::new();
        hits::prepare(&mut result)?;
        let Some(one) = found.1.pop() else { break };
        hits::fill(&mut result, &found.0, one)?;
        map.put(key, result);
    }
    map.store(call.result);
    Ok(())
}

/// Queries of a log that are prepared at a time.
const AT_A_TIME: usize = 4096;

fn warm(call: &mut Call) -> Outcome {
    let [mut queries, mut matching, mut weights] = [null_mut::<Zval>(); 3];
    let (mut k1, mut b) = (1.2, 0.75);
    parse!(call, c"z|zadd", &raw mut queries, &raw mut matching, &raw mut weights, &raw mut k1, &raw mut b)?;
    let index = &this::<Object>(call)?.0;
    let mut options = Options::default();
    options::matching(&mut options, matching, 2)?;
    options::weights(&mut options, index.schema(), weights, 3)?;
    options::bm25(&mut options, (k1, 4), (b, 5))?;
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
    // SAFETY: parsing set it to an argument in the frame.
    traverse::each(unsafe { (*queries).dereference() }, 1, &mut each)?;
    add(&mut warming)?;
    let resident = check_index(warming.into_inner().0.send(), 1)?;
    call.result.set_long(resident as i64);
    Ok(())
}

fn count(call: &mut Call) -> Outcome {
    let mut query: *mut ZendStr = null_mut();
    let [mut matching, mut filter, mut weights] = [null_mut(); 3];
    parse!(call, c"|Szaa", &raw mut query, &raw mut matching, &raw mut filter, &raw mut weights)?;
    let given = call.count();
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    if given == 0 {
        result.set_long(index.documents() as i64);
        return Ok(());
    }
    let mut options = Options::default();
    options::matching(&mut options, matching, 2)?;
    options::filter(&mut options, index.schema(), filter, 3)?;
    options::weights(&mut options, index.schema(), weights, 4)?;
    result.set_long(check_index(index.count(&text(query), &options), 1)? as i64);
    Ok(())
}

/// Makes value => number the value of `target`.
fn store_counts<T: AsRef<[u8]> + 'static>(counts: Vec<(T, u64)>, target: &mut Zval) -> Outcome {
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

/// A field that an argument names, which must be of one of the kinds.
fn field_of_kind(schema: &Schema, name: &[u8], argument: u32, kinds: &[Kind], what: &str) -> Outcome<usize> {
    let field = field_named(schema, name, argument)?;
    if kinds.contains(&schema.fields[field].kind) {
        return Ok(field);
    }
    let name = String::from_utf8_lossy(name);
    Err(exception::argument_value(argument, &format!("field '{name}': must be {what}")))
}

fn facets(call: &mut Call) -> Outcome {
    let [mut field, mut query] = [null_mut::<ZendStr>(); 2];
    let [mut matching, mut filter, mut weights] = [null_mut(); 3];
    let mut limit = 10i64;
    parse!(
        call,
        c"S|Szala",
        &raw mut field,
        &raw mut query,
        &raw mut matching,
        &raw mut filter,
        &raw mut limit,
        &raw mut weights
    )?;
    let (object, result) = this_and_result::<Object>(call)?;
    let index = &object.0;
    // SAFETY: parsing set it to a string that the frame holds.
    let name = unsafe { &*field }.as_bytes();
    let field = field_of_kind(index.schema(), name, 1, &[Kind::Keyword], "a keyword field")?;
    let mut options = Options::default();
    options::matching(&mut options, matching, 3)?;
    options::filter(&mut options, index.schema(), filter, 4)?;
    let limit = natural(limit, 5)?;
    options::weights(&mut options, index.schema(), weights, 6)?;
    store_counts(check_index(index.facets(field, &text(query), &options, limit), 2)?, result)
}

/// What the dictionary of a field has: terms or keywords.
const WITH_TERMS: (&[Kind], &str) = (&[Kind::Text, Kind::Keyword], "a text or keyword field");

/// The field that an argument names; the first one with terms if it is null.
fn field_with_terms(schema: &Schema, name: *mut ZendStr, argument: u32) -> Outcome<usize> {
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    if let Some(name) = unsafe { name.as_ref() } {
        return field_of_kind(schema, name.as_bytes(), argument, WITH_TERMS.0, WITH_TERMS.1);
    }
    let first = |kind: Kind| schema.fields.iter().position(|field| field.kind == kind);
    first(Kind::Text)
        .or_else(|| first(Kind::Keyword))
        .ok_or_else(|| exception::argument_value(argument, "must name a field: the index has no text"))
}

fn suggest(call: &mut Call) -> Outcome {
    let [mut start, mut field] = [null_mut::<ZendStr>(); 2];
    let mut limit = 8i64;
    parse!(call, c"S|lS!", &raw mut start, &raw mut limit, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let limit = natural(limit, 2)?;
    let schema = object.0.schema();
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    let field = unsafe { field.as_ref() }
        .map(|name| field_of_kind(schema, name.as_bytes(), 3, &[Kind::Text], "a text field"))
        .transpose()?;
    store_counts(check_index(object.0.suggest(&text(start), field, limit), 1)?, result)
}

fn explain(call: &mut Call) -> Outcome {
    let mut query: *mut ZendStr = null_mut();
    let [mut id, mut matching, mut weights] = [null_mut::<Zval>(); 3];
    let (mut k1, mut b) = (1.2, 0.75);
    parse!(
        call,
        c"Sz|zadd",
        &raw mut query,
        &raw mut id,
        &raw mut matching,
        &raw mut weights,
        &raw mut k1,
        &raw mut b
    )?;
    // SAFETY: parsing set it to an argument in the frame.
    let id = id_argument(unsafe { &*id }, 2)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let mut options = Options::default();
    options::matching(&mut options, matching, 3)?;
    options::weights(&mut options, object.0.schema(), weights, 4)?;
    options::bm25(&mut options, (k1, 5), (b, 6))?;
    let Some(explanation) = check_index(object.0.explain(&text(query), &id, &options), 1)? else {
        result.set_null();
        return Ok(());
    };
    let explanation = BailoutGuard::new(explanation);
    let mut parts = List::with_room(explanation.parts.len())?;
    for part in &explanation.parts {
        let mut term = Zval::new();
        output::bytes(&mut term, part.term.as_bytes())?;
        parts.push(
            Record::with_room(9)
                .field("clause", part.clause.as_str())
                .field("field", part.field.as_str())
                .field("term", term)
                .field("frequency", i64::from(part.frequency))
                .field("length", i64::from(part.length))
                .field("documents", part.documents as i64)
                .field("idf", part.idf)
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

fn snippet(call: &mut Call) -> Outcome {
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

fn highlight(call: &mut Call) -> Outcome {
    let [mut query, mut document, mut before, mut after] = [null_mut::<ZendStr>(); 4];
    parse!(call, c"SS|SS", &raw mut query, &raw mut document, &raw mut before, &raw mut after)?;
    let [before, after] = [(before, "<mark>"), (after, "</mark>")].map(|(given, default)| text_or(given, default));
    let (object, result) = this_and_result::<Object>(call)?;
    let html = BailoutGuard::new(object.0.highlight(&text(query), &text(document), &before, &after));
    Ok(output::bytes(result, html.as_bytes())?)
}

fn terms(call: &mut Call) -> Outcome {
    let [mut prefix, mut field] = [null_mut::<ZendStr>(); 2];
    let mut limit = 100i64;
    parse!(call, c"|SS!l", &raw mut prefix, &raw mut field, &raw mut limit)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = field_with_terms(object.0.schema(), field, 2)?;
    let limit = natural(limit, 3)?;
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    let prefix = unsafe { prefix.as_ref() }.map_or(&[][..], ZendStr::as_bytes);
    store_counts(check_index(object.0.terms(prefix, field, limit), 1)?, result)
}

fn postings(call: &mut Call) -> Outcome {
    let [mut term, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"S|S!", &raw mut term, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = field_with_terms(object.0.schema(), field, 2)?;
    // SAFETY: parsing set it to a string that the frame holds.
    let term = unsafe { &*term }.as_bytes();
    posting_list::store(check_index(object.0.postings(term, field), 1)?, result)
}

/// The text field that an argument names; the first one if it is null.
pub fn text_field(schema: &Schema, name: *mut ZendStr, argument: u32) -> Outcome<usize> {
    // SAFETY: parsing set it to a string that the frame holds, or left it null.
    if let Some(name) = unsafe { name.as_ref() } {
        return field_of_kind(schema, name.as_bytes(), argument, &[Kind::Text], "a text field");
    }
    let first = schema.fields.iter().position(|field| field.kind == Kind::Text);
    first.ok_or_else(|| exception::argument_value(argument, "must name a text field: the index has none"))
}

fn export_ciff(call: &mut Call) -> Outcome {
    let [mut given, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"P|S!", &raw mut given, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = text_field(object.0.schema(), field, 2)?;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let path = path_with(unsafe { &*given }.as_bytes(), &["", ".part"])?;
    let counts = check_index(interchange::export_ciff(object.0.snapshot(), field, path), 1)?;
    result.set_long(counts.documents as i64);
    Ok(())
}

fn export_pisa(call: &mut Call) -> Outcome {
    let [mut given, mut field] = [null_mut::<ZendStr>(); 2];
    parse!(call, c"P|S!", &raw mut given, &raw mut field)?;
    let (object, result) = this_and_result::<Object>(call)?;
    let field = text_field(object.0.schema(), field, 2)?;
    let suffixes = interchange::pisa::SUFFIXES;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let base = unsafe { &*given }.as_bytes();
    path_with(base, &suffixes.map(|suffix| format!("{suffix}.part")).each_ref().map(String::as_str))?;
    let counts = check_index(interchange::export_pisa(object.0.snapshot(), field, path_with(base, &suffixes)?), 1)?;
    result.set_long(counts.documents as i64);
    Ok(())
}

fn id_of(call: &mut Call) -> Outcome {
    let doc_id = call.int()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let id = match u64::try_from(doc_id) {
        Ok(doc_id) => check_index(object.0.id(doc_id), 1)?,
        Err(_) => None,
    };
    match id {
        Some(id) => hit::store_id(&id, result),
        None => {
            result.set_null();
            Ok(())
        }
    }
}

/// The docID of the document whose id is the one argument; `None` if there is none.
fn doc_id_of<'a>(call: &'a mut Call) -> Outcome<(Option<u64>, &'a Index, &'a mut Zval)> {
    let mut id: *mut Zval = null_mut();
    parse!(call, c"z", &raw mut id)?;
    // SAFETY: parsing set it to an argument in the frame.
    let id = id_argument(unsafe { &*id }, 1)?;
    let (object, result) = this_and_result::<Object>(call)?;
    Ok((check_index(object.0.doc_id(&id), 1)?, &object.0, result))
}

fn doc_id(call: &mut Call) -> Outcome {
    match doc_id_of(call)? {
        (Some(doc_id), _, result) => result.set_long(doc_id as i64),
        (None, _, result) => result.set_null(),
    }
    Ok(())
}

fn stored(call: &mut Call) -> Outcome {
    match doc_id_of(call)? {
        (Some(doc_id), index, result) => *result = hit::fields(index, doc_id)?,
        (None, _, result) => result.set_null(),
    }
    Ok(())
}

fn reload(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_bool(check_index(object.0.reload(), 1)?);
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

fn fields(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    crate::php::documents::store_fields(object.0.schema(), result)
}

fn analyzer_of(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    analyzer::store(&object.0.schema().analyzer, result)
}
