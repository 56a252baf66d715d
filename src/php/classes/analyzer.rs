//! The class `Postings\Analyzer`, the only one with a public constructor.

use crate::analysis::{self, Analyzer, AnalyzerOptions, Scratch};
use crate::php::call::{Call, check, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method, this_and_result};
use crate::php::declare::{MAY_BE_BOOL, MAY_BE_STRING, function, nullable, widen};
use crate::php::exception::{self, Outcome, type_name};
use crate::php::ffi;
use crate::php::output::{self, List, Record};
use crate::php::zend::elements;
use ext_php_rs::args::Arg;
use ext_php_rs::class::{ClassEntryInfo, ConstructorMeta, ConstructorResult};
use ext_php_rs::flags::{DataType, MethodFlags};
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::{BailoutGuard, ExecuteData};
use std::ffi::c_int;

pub struct Object {
    analyzer: Analyzer,
    scratch: Scratch,
}

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\Analyzer";
    const INTERFACES: &'static [ClassEntryInfo] = &[];

    fn methods() -> Vec<Method> {
        let language = || Arg::new("language", DataType::String);
        vec![
            method(function("tokens", handler!(tokens), DataType::Array).arg(Arg::new("text", DataType::String))),
            method(function("options", handler!(options), DataType::Array)),
            static_method(
                nullable("detect", handler!(detect), DataType::String).arg(Arg::new("text", DataType::String)),
            ),
            static_method(function("languages", handler!(languages), DataType::Array)),
            static_method(function("stopWords", handler!(stop_words), DataType::Array).arg(language())),
        ]
    }

    fn constructor() -> Option<ConstructorMeta<Self>> {
        Some(ConstructorMeta {
            constructor: construct,
            build_fn: |function| {
                function
                    .not_required()
                    .arg(Arg::new("language", DataType::String).allow_null().default("null"))
                    .arg(Arg::new("fold", DataType::Bool).default("false"))
                    .arg(Arg::new("stopWords", DataType::Array).default("[]"))
                    .arg(Arg::new("parts", DataType::Bool).default("false"))
                    .arg(Arg::new("compounds", DataType::Array).default("[]"))
            },
            flags: Some(MethodFlags::Public),
        })
    }

    fn finish() {
        let class = class::entry::<Object>();
        // SAFETY: MINIT calls this, when the entry and the handlers may be written to.
        unsafe {
            widen(&raw const (*class).function_table, "__construct", 2, MAY_BE_STRING | MAY_BE_BOOL);
            (*class::handlers::<Object>()).compare = Some(compare);
        }
    }
}

/// `==` between two analyzers compares what they do.
///
/// # Safety
/// PHP calls it, with two values, at least one of them an analyzer.
unsafe extern "C" fn compare(left: *mut Zval, right: *mut Zval) -> c_int {
    const UNCOMPARABLE: c_int = 1;
    // SAFETY: PHP compares two values that live.
    let pair = unsafe {
        (left.as_ref().and_then(class::value_of::<Object>), right.as_ref().and_then(class::value_of::<Object>))
    };
    match pair {
        (Some(left), Some(right)) if left.analyzer == right.analyzer => 0,
        (Some(_), Some(_)) => UNCOMPARABLE,
        // SAFETY: as above, at least one is an object. No value of this frame needs dropping, should PHP jump over it.
        _ => unsafe { ffi::zend_std_compare_objects(left, right) },
    }
}

/// Makes a new object with that analyzer the value of `target`.
pub fn store(analyzer: &Analyzer, target: &mut Zval) -> Outcome {
    class::store(Object { analyzer: analyzer.clone(), scratch: Scratch::default() }, target)
}

/// The analyzer in a value; `None` if it is no `Analyzer`.
pub fn of(value: &Zval) -> Option<&Analyzer> {
    class::value_of::<Object>(value).map(|object| &object.analyzer)
}

fn construct(frame: &mut ExecuteData) -> ConstructorResult<Object> {
    if frame.get_self().is_some_and(|object| class::value_in::<Object>(object).is_some()) {
        exception::error("Postings\\Analyzer objects cannot be changed");
        return ConstructorResult::ArgError;
    }
    let mut nothing = Zval::new();
    match made(&mut Call::of_constructor(frame, &mut nothing)) {
        Ok(object) => ConstructorResult::Ok(object),
        // An exception is pending.
        Err(_) => ConstructorResult::ArgError,
    }
}

fn made(call: &mut Call) -> Outcome<Object> {
    let mut language: *mut ZendStr = std::ptr::null_mut();
    let [mut fold, mut parts] = [false; 2];
    let [mut words, mut compounds]: [*mut Zval; 2] = [std::ptr::null_mut(); 2];
    let of_words = (&raw mut words, &raw mut parts, &raw mut compounds);
    parse!(call, c"|S!bzba", &raw mut language, &raw mut fold, of_words.0, of_words.1, of_words.2)?;
    // SAFETY: parsing set them to arguments in the frame, or left them null.
    let (language, words, compounds) = unsafe { (language.as_ref(), words.as_ref(), compounds.as_ref()) };
    let language = language.map(|language| text(language, 1)).transpose()?;
    let options = AnalyzerOptions { language: language.clone(), fold, parts, ..AnalyzerOptions::default() };
    // The language is checked first: it is argument 1.
    let plain = check(Analyzer::new(options.clone()), 1)?;
    let stop_words = match words {
        None => Vec::new(),
        Some(words) => stop_words_of(words.dereference(), plain.options().language.as_deref())?,
    };
    let compounds = match compounds.and_then(|compounds| compounds.array()) {
        None => Vec::new(),
        Some(compounds) => strings_of(compounds, 5)?,
    };
    let analyzer = match stop_words.is_empty() && compounds.is_empty() {
        true => plain,
        false => check(Analyzer::new(AnalyzerOptions { stop_words, compounds, ..options }), 5)?,
    };
    Ok(Object { analyzer, scratch: Scratch::default() })
}

fn text(string: &ZendStr, argument: u32) -> Outcome<String> {
    let text = std::str::from_utf8(string.as_bytes());
    text.map(str::to_owned).map_err(|_| exception::argument_value(argument, "must be UTF-8"))
}

fn list_of(language: &str, argument: u32) -> Outcome<&'static [&'static str]> {
    analysis::stop_words(language).ok_or_else(|| {
        let known = analysis::languages().filter(|language| analysis::stop_words(language).is_some());
        let known = known.collect::<Vec<_>>().join(", ");
        let text = format!("must be a language with a list of stop words: {known}; '{language}' given");
        exception::argument_value(argument, &text)
    })
}

/// The strings of an array.
fn strings_of(list: &ZendHashTable, argument: u32) -> Outcome<Vec<String>> {
    let string = |(_, word): (_, &Zval)| match word.zend_str() {
        Some(word) => text(word, argument),
        None => {
            let text = format!("must contain only string, {} given", type_name(word));
            Err(exception::argument_type(argument, &text))
        }
    };
    elements(list).map(string).collect()
}

/// The words that an `array|string|bool` argument means.
fn stop_words_of(value: &Zval, language: Option<&str>) -> Outcome<Vec<String>> {
    let owned = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect();
    if let Some(list) = value.array() {
        return strings_of(list, 3);
    }
    match (value.zend_str(), value.bool()) {
        (Some(language), _) => list_of(&text(language, 3)?, 3).map(owned),
        (_, Some(false)) => Ok(Vec::new()),
        (_, Some(true)) => match language {
            Some(language) => list_of(language, 3).map(owned),
            None => Err(exception::argument_value(
                3,
                "must be a list of words, or the name of a list: no language is given",
            )),
        },
        _ => {
            let text = format!("must be of type array|string|bool, {} given", type_name(value));
            Err(exception::argument_type(3, &text))
        }
    }
}

fn tokens(call: &mut Call) -> Outcome {
    let text = call.bytes()?;
    let (object, result) = this_and_result::<Object>(call)?;
    // Every term after its length: a vector for each would cost more than the analysis.
    let (mut terms, mut count) = (Vec::with_capacity(text.len()), 0);
    object.analyzer.tokens(&analysis::valid_utf8(text), &mut object.scratch, |token| {
        terms.push(token.term.len() as u8);
        terms.extend_from_slice(token.term.as_bytes());
        count += 1;
    });
    let terms = BailoutGuard::new(terms);
    let mut list = List::with_room(count)?;
    let mut rest = &terms[..];
    while let [len, after @ ..] = rest {
        let (term, others) = after.split_at(usize::from(*len));
        let mut value = Zval::new();
        output::bytes(&mut value, term)?;
        list.push(value);
        rest = others;
    }
    list.store(result);
    Ok(())
}

fn strings<'a>(words: impl ExactSizeIterator<Item = &'a str>) -> Outcome<List> {
    let mut list = List::with_room(words.len())?;
    for word in words {
        let mut value = Zval::new();
        output::bytes(&mut value, word.as_bytes())?;
        list.push(value);
    }
    Ok(list)
}

fn options(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let options = object.analyzer.options();
    let stop_words = strings(options.stop_words.iter().map(String::as_str))?;
    let compounds = strings(options.compounds.iter().map(String::as_str))?;
    Record::new()
        .field("language", options.language.as_deref())
        .field("fold", options.fold)
        .field("stopWords", stop_words.into_zval())
        .field("parts", options.parts)
        .field("compounds", compounds.into_zval())
        .store(result);
    Ok(())
}

fn detect(call: &mut Call) -> Outcome {
    let text = call.bytes()?;
    match analysis::detect(&analysis::valid_utf8(text)) {
        Some(language) => output::bytes(call.result, language.as_bytes())?,
        None => call.result.set_null(),
    }
    Ok(())
}

fn languages(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let languages = BailoutGuard::new(analysis::languages().collect::<Vec<_>>());
    strings(languages.iter().copied())?.store(call.result);
    Ok(())
}

fn stop_words(call: &mut Call) -> Outcome {
    let language = call.bytes()?;
    let list = list_of(&String::from_utf8_lossy(language), 1)?;
    strings(list.iter().copied())?.store(call.result);
    Ok(())
}
