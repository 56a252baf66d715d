//! The class `Postings\Leaf`: an index that is asked from elsewhere.

use crate::exchange;
use crate::php::call::{Call, check_index, handler};
use crate::php::class::{self, Class, Method, class, method, static_method, this_and_result};
use crate::php::declare::function;
use crate::php::exception::Outcome;
use crate::php::output;
use crate::php::{ini, input, path};
use crate::search::Index;
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::zend::BailoutGuard;

pub struct Object(Index);

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\Leaf";
    const INTERFACES: &'static [ClassEntryInfo] = &[];

    fn methods() -> Vec<Method> {
        let string = |name| Arg::new(name, DataType::String);
        vec![
            static_method(function("open", handler!(open), DataType::object("self")).arg(string("path"))),
            method(function("handle", handler!(handle), DataType::String).arg(string("request"))),
            method(function("commit", handler!(commit), DataType::String)),
        ]
    }

    fn finish() {
        class::only_itself_is_equal::<Object>();
    }
}

fn open(call: &mut Call) -> Outcome {
    let path = path::argument(call)?;
    let index = check_index(Index::open(&path), 1)?;
    class::store(Object(index), call.result)
}

fn handle(call: &mut Call) -> Outcome {
    let request = call.bytes()?;
    input::ensure_memory(request.len())?;
    let (object, result) = this_and_result::<Object>(call)?;
    check_index(object.0.reload(), 1)?;
    let response = BailoutGuard::new(exchange::handle(&object.0, request, &ini::settings()));
    Ok(output::bytes(result, &response)?)
}

fn commit(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    Ok(output::bytes(result, exchange::shown(object.0.snapshot().commit()).as_bytes())?)
}
