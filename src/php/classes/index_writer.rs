//! The class `Postings\IndexWriter`.

use super::analyzer;
use super::codec::Choice;
use super::index;
use crate::Error;
use crate::analysis::Analyzer;
use crate::index::{BlockCodec, Codecs, Id, Schema, Writer, WriterOptions};
use crate::interchange;
use crate::php::call::{Call, check_index, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method, this_and_result};
use crate::php::declare::{MAY_BE_ARRAY, MAY_BE_STRING, function, widen};
use crate::php::documents::{self, Form, Place, Shape};
use crate::php::enumeration::{self, Enumeration};
use crate::php::exception::{self, Outcome, Thrown, no_exception, type_name};
use crate::php::input::{natural, up_to};
use crate::php::{ffi, fields, ini, path, traverse};
use crate::search::{self, Options};
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::ffi::_call_user_function_impl;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::BailoutGuard;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Documents between two calls of the progress callback.
const STEP: i64 = 1000;

/// `None` once it is closed.
pub struct Object(Option<Open>);

struct Open {
    writer: Writer,
    /// Of its documents.
    shape: Arc<Shape>,
}

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\IndexWriter";
    const INTERFACES: &'static [ClassEntryInfo] = &[];

    fn methods() -> Vec<Method> {
        let id = || Arg::new("id", DataType::Long);
        let codec = |name: &str| Arg::new(name, DataType::object(Choice::NAME)).allow_null().default("null");
        vec![
            static_method(
                function("open", handler!(open), DataType::object("self"))
                    .arg(Arg::new("path", DataType::String))
                    .not_required()
                    .arg(Arg::new("fields", DataType::Array).allow_null().default("null"))
                    .arg(Arg::new("analyzer", DataType::object(analyzer::Object::NAME)).allow_null().default("null"))
                    .arg(Arg::new("positions", DataType::Bool).default("true"))
                    .arg(Arg::new("memory", DataType::Long).default(WriterOptions::default().memory.to_string()))
                    .arg(Arg::new("threads", DataType::Long).allow_null().default("null"))
                    .arg(codec("frequencyCodec"))
                    .arg(codec("positionCodec"))
                    .arg(Arg::new("wait", DataType::Long).default("0")),
            ),
            method(function("add", handler!(add), DataType::Void).arg(id()).arg(Arg::new("document", DataType::Array))),
            method(
                function("addTokens", handler!(add_tokens), DataType::Void)
                    .arg(id())
                    .arg(Arg::new("document", DataType::Array)),
            ),
            method(
                function("addAll", handler!(add_all), DataType::Long)
                    .arg(Arg::new("documents", DataType::object("Traversable")))
                    .not_required()
                    .arg(Arg::new("progress", DataType::Callable).allow_null().default("null")),
            ),
            method(
                function("importCiff", handler!(import_ciff), DataType::Long)
                    .arg(Arg::new("path", DataType::String))
                    .not_required()
                    .arg(Arg::new("field", DataType::String).allow_null().default("null")),
            ),
            method(
                function("importPisa", handler!(import_pisa), DataType::Long)
                    .arg(Arg::new("basename", DataType::String))
                    .not_required()
                    .arg(Arg::new("field", DataType::String).allow_null().default("null")),
            ),
            method(function("addIndex", handler!(add_index), DataType::Long).arg(Arg::new("folder", DataType::String))),
            method(function("delete", handler!(delete), DataType::Bool).arg(id())),
            method(
                function("deleteWhere", handler!(delete_where), DataType::Long)
                    .arg(Arg::new("filter", DataType::Array)),
            ),
            method(function("clear", handler!(clear), DataType::Void)),
            method(function("commit", handler!(commit), DataType::Long)),
            method(
                function("optimize", handler!(optimize), DataType::Long)
                    .not_required()
                    .arg(Arg::new("reorder", DataType::Bool).default("false")),
            ),
            method(function("rollback", handler!(rollback), DataType::Void)),
            method(function("snapshot", handler!(snapshot), DataType::Long).arg(Arg::new("folder", DataType::String))),
            method(function("hasChanges", handler!(has_changes), DataType::Bool)),
            method(function("close", handler!(close), DataType::Void)),
            method(function("generation", handler!(generation), DataType::Long)),
            method(function("fields", handler!(fields_of), DataType::Array)),
            method(function("codecs", handler!(codecs), DataType::Array)),
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
        for name in ["add", "addtokens", "delete"] {
            widen(methods, name, 0, MAY_BE_STRING);
        }
        widen(methods, "add", 1, MAY_BE_STRING);
        widen(methods, "addall", 0, MAY_BE_ARRAY);
        class::only_itself_is_equal::<Object>();
    }
}

fn this<'a>(call: &'a mut Call) -> Outcome<(&'a mut Writer, &'a mut Zval)> {
    let (object, result) = this_and_result::<Object>(call)?;
    Ok((&mut opened(object)?.writer, result))
}

fn opened(object: &mut Object) -> Outcome<&mut Open> {
    object.0.as_mut().ok_or_else(|| exception::error("the Postings\\IndexWriter is closed"))
}

/// What the writer's documents are read for.
fn shape(call: &mut Call) -> Outcome<Arc<Shape>> {
    Ok(opened(this_and_result::<Object>(call)?.0)?.shape.clone())
}

fn open(call: &mut Call) -> Outcome {
    let mut path: *mut ZendStr = std::ptr::null_mut();
    let [mut fields, mut own] = [std::ptr::null_mut::<Zval>(); 2];
    let (mut positions, mut memory) = (true, WriterOptions::default().memory as i64);
    let (mut threads, mut no_threads) = (0i64, true);
    let [mut frequency_codec, mut position_codec] = [std::ptr::null_mut::<Zval>(); 2];
    let mut wait = 0i64;
    parse!(
        call,
        c"P|a!O!bll!O!O!l",
        &raw mut path,
        &raw mut fields,
        &raw mut own,
        class::entry::<analyzer::Object>(),
        &raw mut positions,
        &raw mut memory,
        &raw mut threads,
        &raw mut no_threads,
        &raw mut frequency_codec,
        enumeration::class::<Choice>(),
        &raw mut position_codec,
        enumeration::class::<Choice>(),
        &raw mut wait
    )?;
    // SAFETY: parsing set the pointers to arguments in the frame, or left them null; 'P' refuses a NUL byte.
    let (path, fields, own) = unsafe { (&*path, fields.as_ref(), own.as_ref()) };
    let path = path::allowed(path.as_bytes())?;
    let own = own.and_then(analyzer::of);
    let threads = match call.count() < 6 || no_threads {
        true => ini::settings().threads,
        false => up_to(threads, ini::MOST_THREADS, 6)?,
    };
    let least = WriterOptions::LEAST_MEMORY;
    let memory = usize::try_from(memory).ok().filter(|&memory| memory >= least).ok_or_else(|| {
        exception::argument_value(5, &format!("must be at least {least} ({} MiB), {memory} given", least >> 20))
    })?;
    let schema = match fields.and_then(|fields| fields.dereference().array()) {
        None => None,
        Some(fields) => Some(Schema {
            fields: fields::declared(fields, 2)?,
            positions,
            codecs: Codecs::default(),
            analyzer: match own {
                Some(own) => own.clone(),
                None => crate::php::call::check(Analyzer::new(Default::default()), 3)?,
            },
        }),
    };
    let without = schema.is_none();
    let options = WriterOptions {
        memory,
        threads,
        frequency_codec: block_codec(frequency_codec, 7)?,
        position_codec: block_codec(position_codec, 8)?,
        wait: Duration::from_millis(natural(wait, 9)? as u64),
    };
    let opened = Writer::open_unless(&path, schema, options, &ffi::handle_signals);
    // A handler's exception ends the wait.
    no_exception()?;
    let writer = check_index(opened, 2)?;
    if let Some(own) = own.filter(|&own| without && *own != writer.schema().analyzer) {
        let (is, given) = (writer.schema().analyzer.describe(), own.describe());
        let text = format!(
            "cannot be used: the analyzer of this index is {is}, not {given}. Open it without analyzer to go on with its \
             own, or create a new index in another folder and add the documents again"
        );
        return Err(exception::argument_value(3, &text));
    }
    let shape = Shape::new(writer.schema());
    class::store(Object(Some(Open { writer, shape })), call.result)
}

/// The codec that an argument names, if it does.
fn block_codec(given: *mut Zval, argument: u32) -> Outcome<Option<BlockCodec>> {
    // SAFETY: parsing set the pointer to an argument in the frame, or left it null.
    let Some(case) = unsafe { given.as_ref() }.and_then(Zval::object) else { return Ok(None) };
    crate::php::call::check(enumeration::of::<Choice>(case)?.of_blocks(), argument).map(Some)
}

fn add(call: &mut Call) -> Outcome {
    add_one(call, Form::Texts)
}

fn add_tokens(call: &mut Call) -> Outcome {
    add_one(call, Form::Tokens)
}

fn add_one(call: &mut Call, form: Form) -> Outcome {
    let [mut id, mut document] = [std::ptr::null_mut::<Zval>(); 2];
    parse!(call, c"zz", &raw mut id, &raw mut document)?;
    // SAFETY: parsing set both to arguments in the frame.
    let (id, document) = unsafe { (&*id, &*document) };
    let shape = shape(call)?;
    add_document(call, &shape, id, 1, document, form, Place { argument: 2, id: None })
}

/// Adds a document. Its conversion may run PHP code, which may use this writer: it is borrowed only after that.
fn add_document(
    call: &mut Call,
    shape: &Shape,
    id: &Zval,
    id_argument: u32,
    document: &Zval,
    form: Form,
    place: Place,
) -> Outcome {
    let id = documents::id_argument(id, id_argument)?;
    let document = documents::document(shape, document, form, place)?;
    this(call)?.0.add(id, document).map_err(|error| place.failed(&error))
}

/// Calls the callback with the number of documents so far.
fn report(progress: Option<&Zval>, done: i64) -> Outcome {
    let Some(progress) = progress else { return Ok(()) };
    let (mut argument, mut ignored) = (Zval::new(), Zval::new());
    argument.set_long(done);
    // SAFETY: the values live; the callback was checked.
    unsafe {
        _call_user_function_impl(
            std::ptr::null_mut(),
            std::ptr::from_ref(progress).cast_mut(),
            &raw mut ignored,
            1,
            &raw mut argument,
            std::ptr::null_mut(),
        );
    }
    no_exception()
}

fn add_all(call: &mut Call) -> Outcome {
    let [mut all, mut progress] = [std::ptr::null_mut::<Zval>(); 2];
    parse!(call, c"z|z!", &raw mut all, &raw mut progress)?;
    // SAFETY: parsing set the first to an argument in the frame, and the second too, or to null.
    let (all, progress) = unsafe { ((*all).dereference(), progress.as_ref()) };
    if let Some(progress) = progress.filter(|progress| !progress.is_callable()) {
        let text = format!("must be a valid callback or null, {} given", type_name(progress));
        return Err(exception::argument_type(2, &text));
    }
    // PHP code may end the script by a jump over this frame.
    let shape = BailoutGuard::new(shape(call)?);
    let mut done = 0;
    let mut each = |id: &Zval, document: &Zval| -> Outcome {
        let Some(named) = documents::id(id) else {
            let text = format!("must have only int|string as keys, {} given", type_name(id.dereference()));
            return Err(exception::argument_type(1, &text));
        };
        let named = BailoutGuard::new(named);
        let place = Place { argument: 1, id: Some(&named) };
        add_document(call, &shape, id, 1, document, Form::Texts, place)?;
        done += 1;
        if done % STEP == 0 { report(progress, done) } else { Ok(()) }
    };
    traverse::each(all, 1, &mut each)?;
    if done == 0 || done % STEP != 0 {
        report(progress, done)?;
    }
    call.result.set_long(done);
    Ok(())
}

fn import_ciff(call: &mut Call) -> Outcome {
    import(call, &[""], interchange::import_ciff)
}

fn import_pisa(call: &mut Call) -> Outcome {
    import(call, &interchange::pisa::SUFFIXES, interchange::import_pisa)
}

/// Adds what `from` reads at a path, in files with these suffixes.
fn import(
    call: &mut Call,
    suffixes: &[&str],
    from: fn(&Path, &mut Writer, usize) -> crate::Result<interchange::Counts>,
) -> Outcome {
    let [mut given, mut field] = [std::ptr::null_mut::<ZendStr>(); 2];
    parse!(call, c"P|S!", &raw mut given, &raw mut field)?;
    let (writer, result) = this(call)?;
    let field = fields::text_or_first(writer.schema(), field, 2)?;
    // SAFETY: parsing set it to a string that the frame holds; 'P' refuses one with a NUL byte.
    let path = path::allowed_with(unsafe { &*given }.as_bytes(), suffixes)?;
    result.set_long(check_index(from(&path, writer, field), 1)?.documents as i64);
    Ok(())
}

fn add_index(call: &mut Call) -> Outcome {
    let folder = path::argument(call)?;
    let (writer, result) = this(call)?;
    result.set_long(check_index(writer.add_index(&folder), 1)? as i64);
    Ok(())
}

fn delete(call: &mut Call) -> Outcome {
    let mut id: *mut Zval = std::ptr::null_mut();
    parse!(call, c"z", &raw mut id)?;
    // SAFETY: parsing set it to an argument in the frame.
    let id: Id = documents::id_argument(unsafe { &*id }, 1)?;
    let (writer, result) = this(call)?;
    result.set_bool(check_index(writer.delete(&id), 1)?);
    Ok(())
}

fn delete_where(call: &mut Call) -> Outcome {
    let mut given: *mut Zval = std::ptr::null_mut();
    parse!(call, c"a", &raw mut given)?;
    // SAFETY: parsing set it to an array argument in the frame.
    let given = unsafe { &*given }.dereference();
    if given.array().is_some_and(|conditions| conditions.is_empty()) {
        let text = "must have a condition, to delete all documents there is clear()";
        return Err(exception::argument_value(1, text));
    }
    let schema = this(call)?.0.schema().clone();
    let mut wanted = Options::default();
    index::filter::filter(&mut wanted, &schema, given, 1)?;
    let (writer, result) = this(call)?;
    result.set_long(check_index(search::delete_where(writer, &wanted), 1)? as i64);
    Ok(())
}

fn clear(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    check_plain(this(call)?.0.clear())
}

/// As [`check_index`], for methods without an argument that could be wrong.
fn check_plain<T>(result: crate::Result<T>) -> Outcome<T> {
    result.map_err(|error| match &error {
        Error::Argument(what) => exception::index(what),
        _ => exception::throw_of_index(&error, 1),
    })
}

fn commit(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (writer, result) = this(call)?;
    result.set_long(check_plain(writer.commit())? as i64);
    Ok(())
}

fn optimize(call: &mut Call) -> Outcome {
    let mut reorder = false;
    parse!(call, c"|b", &raw mut reorder)?;
    let (writer, result) = this(call)?;
    result.set_long(check_plain(writer.optimize(reorder))? as i64);
    Ok(())
}

fn rollback(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    check_plain(this(call)?.0.rollback())
}

fn snapshot(call: &mut Call) -> Outcome {
    let folder = path::argument(call)?;
    let (writer, result) = this(call)?;
    check_index(writer.copy_to(&folder), 1)?;
    result.set_long(writer.generation() as i64);
    Ok(())
}

fn has_changes(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (writer, result) = this(call)?;
    result.set_bool(writer.has_pending());
    Ok(())
}

fn close(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    class::this::<Object>(call)?.0 = None;
    Ok(())
}

fn generation(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (writer, result) = this(call)?;
    result.set_long(writer.generation() as i64);
    Ok(())
}

fn fields_of(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (writer, result) = this(call)?;
    fields::store(writer.schema(), result)
}

fn codecs(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (writer, result) = this(call)?;
    let Codecs { frequencies, positions } = writer.schema().codecs;
    let mut pair = ZendHashTable::new();
    for (name, codec) in [("frequencies", frequencies), ("positions", positions)] {
        let mut case = Zval::new();
        enumeration::store(Choice::from(codec), &mut case)?;
        pair.insert(name, case).map_err(|_| Thrown)?;
    }
    result.set_hashtable(pair);
    Ok(())
}

fn analyzer_of(call: &mut Call) -> Outcome {
    let mut field = std::ptr::null_mut::<ZendStr>();
    parse!(call, c"|S!", &raw mut field)?;
    let (writer, result) = this(call)?;
    fields::analyzer_of(writer.schema(), field, result)
}
