//! The class `Postings\Statistics`: what scores depend on besides the documents of an index.

use crate::php::call::{Call, check_index, handler};
use crate::php::class::{self, Class, Method, class, method, static_method, this_and_result, value_of};
use crate::php::declare::function;
use crate::php::exception::{self, Outcome, type_name};
use crate::php::input;
use crate::php::output::{self, Map};
use crate::search::Statistics;
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{BailoutGuard, ce};
use std::sync::Arc;

pub struct Object(Arc<Statistics>);

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\Statistics";
    const INTERFACES: &'static [ClassEntryInfo] = &[(ce::countable, "Countable")];

    fn methods() -> Vec<Method> {
        let itself = || DataType::object("self");
        let parts = Arg::new("parts", DataType::object(Object::NAME)).is_variadic();
        vec![
            static_method(function("sum", handler!(sum), itself()).not_required().arg(parts)),
            static_method(
                function("fromBytes", handler!(from_bytes), itself()).arg(Arg::new("bytes", DataType::String)),
            ),
            method(function("toBytes", handler!(to_bytes), DataType::String)),
            method(function("documents", handler!(documents), DataType::Long)),
            method(function("tokens", handler!(tokens), DataType::Array)),
            method(function("indexes", handler!(indexes), DataType::Long)),
            method(function("count", handler!(count), DataType::Long)),
        ]
    }

    fn finish() {
        class::only_itself_is_equal::<Object>();
    }
}

/// Makes a new object with these statistics the value of `target`.
pub fn store(statistics: Statistics, target: &mut Zval) -> Outcome {
    class::store(Object(Arc::new(statistics)), target)
}

/// What a `?Statistics` argument says.
pub fn of(value: &Zval, argument: u32) -> Outcome<Option<Arc<Statistics>>> {
    let value = value.dereference();
    match value_of::<Object>(value) {
        Some(object) => Ok(Some(object.0.clone())),
        None if value.is_null() => Ok(None),
        None => {
            let text = format!("must be of type ?{}, {} given", Object::NAME, type_name(value));
            Err(exception::argument_type(argument, &text))
        }
    }
}

fn sum(call: &mut Call) -> Outcome {
    let mut parts = input::with_room(call.count() as usize)?;
    for at in 0..call.count() {
        match value_of::<Object>(call.argument(at).dereference()) {
            Some(object) => parts.push(object.0.clone()),
            None => {
                let given = type_name(call.argument(at).dereference());
                let text = format!("must be of type {}, {given} given", Object::NAME);
                return Err(exception::argument_type(at + 1, &text));
            }
        }
    }
    let sum = check_index(Statistics::sum(parts.iter().map(|part| &**part)), 1)?;
    drop(parts);
    store(sum, call.result)
}

fn from_bytes(call: &mut Call) -> Outcome {
    let bytes = call.bytes()?;
    input::ensure_memory(bytes.len().min(Statistics::MOST_BYTES))?;
    store(check_index(Statistics::from_bytes(bytes), 1)?, call.result)
}

fn to_bytes(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let bytes = BailoutGuard::new(object.0.to_bytes());
    Ok(output::bytes(result, &bytes)?)
}

fn documents(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_long(object.0.documents() as i64);
    Ok(())
}

fn tokens(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    let mut map = Map::with_room(object.0.tokens().count())?;
    for (name, tokens) in object.0.tokens() {
        let mut value = Zval::new();
        value.set_long(tokens as i64);
        map.set(name.as_bytes(), value)?;
    }
    map.store(result);
    Ok(())
}

fn indexes(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_long(i64::from(object.0.indexes()));
    Ok(())
}

fn count(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    result.set_long(object.0.len() as i64);
    Ok(())
}
