//! The class `Postings\Leaf`: an index that is asked from elsewhere.

use crate::exchange;
use crate::php::call::{Call, check_index, handler, parse};
use crate::php::class::{self, Class, Method, class, method, static_method, this_and_result};
use crate::php::declare::function;
use crate::php::exception::Outcome;
use crate::php::input::milliseconds;
use crate::php::output;
use crate::php::{ini, input, path};
use crate::search::Index;
use ext_php_rs::args::Arg;
use ext_php_rs::class::ClassEntryInfo;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::ZendStr;
use ext_php_rs::zend::BailoutGuard;
use std::ptr::null_mut;

pub struct Object(Index);

/// What a request becomes in memory is at most so many times as long.
const IN_MEMORY: usize = 64;

class!(Object);

impl Class for Object {
    const NAME: &'static str = "Postings\\Leaf";
    const INTERFACES: &'static [ClassEntryInfo] = &[];

    fn methods() -> Vec<Method> {
        let string = |name| Arg::new(name, DataType::String);
        vec![
            static_method(function("open", handler!(open), DataType::object("self")).arg(string("path"))),
            method(
                function("handle", handler!(handle), DataType::String)
                    .arg(string("request"))
                    .not_required()
                    .arg(Arg::new("deadline", DataType::Long).allow_null().default("null")),
            ),
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
    let (mut request, mut most, mut is_null) = (null_mut::<ZendStr>(), 0i64, true);
    parse!(call, c"S|l!", &raw mut request, &raw mut most, &raw mut is_null)?;
    // SAFETY: parsing set it to a string that the frame holds.
    let request = unsafe { &*request }.as_bytes();
    let most = (!is_null).then(|| milliseconds(most, 2)).transpose()?;
    input::ensure_memory(request.len().saturating_mul(IN_MEMORY))?;
    let (object, result) = this_and_result::<Object>(call)?;
    check_index(object.0.reload(), 1)?;
    let response = BailoutGuard::new(exchange::handle(&object.0, request, &ini::settings(), most));
    Ok(output::bytes(result, &response)?)
}

fn commit(call: &mut Call) -> Outcome {
    call.no_arguments()?;
    let (object, result) = this_and_result::<Object>(call)?;
    Ok(output::bytes(result, exchange::shown(object.0.snapshot().commit()).as_bytes())?)
}
