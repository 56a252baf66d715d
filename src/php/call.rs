//! A call from PHP: its arguments, its result, and the frame that no panic leaves.

use super::exception::{self, Outcome, Thrown};
use super::ffi::{zend_parse_parameter, zend_parse_parameters, zend_unexpected_extra_named_error};
use super::{input, log};
use crate::Error;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::{ExecuteData, run_handler};
use std::ffi::c_int;
use std::panic::AssertUnwindSafe;

/// A running call.
pub struct Call<'c> {
    frame: &'c mut ExecuteData,
    /// The value that PHP gets.
    pub result: &'c mut Zval,
}

impl<'c> Call<'c> {
    /// A call of a constructor, which ext-php-rs runs.
    pub fn of_constructor(frame: &'c mut ExecuteData, nothing: &'c mut Zval) -> Call<'c> {
        Call { frame, result: nothing }
    }

    /// How many arguments there are.
    pub fn count(&self) -> u32 {
        // SAFETY: in a call's `This`, the second word holds the number of arguments.
        unsafe { self.frame.This.u2.num_args }
    }

    /// The argument with that index, from 0.
    ///
    /// # Panics
    /// If there is none.
    pub fn argument(&self, index: u32) -> &'c Zval {
        assert!(index < self.count(), "argument {index} of {}", self.count());
        // SAFETY: the argument exists, and the call's frame outlives 'c.
        unsafe { self.frame.zend_call_arg(index as usize) }.expect("arguments lie in the frame")
    }

    /// The named arguments that no parameter has. PHP collects them for functions whose last parameter is variadic.
    pub fn extra_named_arguments(&self) -> Option<&ZendHashTable> {
        const ZEND_CALL_HAS_EXTRA_NAMED_PARAMS: u32 = 1 << 27;
        // SAFETY: in a call's `This`, the type word holds the flags of the call; with this one, the frame has the table.
        unsafe {
            let has_some = self.frame.This.u1.type_info & ZEND_CALL_HAS_EXTRA_NAMED_PARAMS != 0;
            if has_some { self.frame.extra_named_params.as_ref() } else { None }
        }
    }

    /// Refuses named arguments that no parameter has, which PHP leaves to functions whose last parameter is variadic.
    fn no_extra_named_arguments(&self) -> Outcome {
        if self.extra_named_arguments().is_none() {
            return Ok(());
        }
        // SAFETY: a function is being called, which the error names.
        unsafe { zend_unexpected_extra_named_error() };
        Err(Thrown)
    }

    /// The object that the method was called on, and the value that PHP gets.
    pub fn this_and_result(&mut self) -> (Option<&mut ext_php_rs::types::ZendObject>, &mut Zval) {
        (self.frame.get_self(), self.result)
    }
}

/// Parses the arguments as `zend_parse_parameters` does, with PHP's own errors and conversions. The targets are
/// pointers to what each letter of the format asks for.
macro_rules! parse {
    ($call:expr, $format:literal $(, $target:expr)* $(,)?) => {
        // SAFETY: the callers pair each letter with a target of its type.
        $crate::php::call::parsed(unsafe {
            $crate::php::ffi::zend_parse_parameters($call.count(), $format.as_ptr() $(, $target)*)
        })
    };
}
pub(super) use parse;

pub fn parsed(status: c_int) -> Outcome {
    if status == super::ffi::SUCCESS { Ok(()) } else { Err(Thrown) }
}

impl<'c> Call<'c> {
    /// Checks that there are no arguments.
    pub fn no_arguments(&self) -> Outcome {
        // SAFETY: an empty format takes no targets.
        parsed(unsafe { zend_parse_parameters(self.count(), c"".as_ptr()) })
    }

    /// The one argument, a string.
    pub fn bytes(&self) -> Outcome<&'c [u8]> {
        let mut string: *mut ZendStr = std::ptr::null_mut();
        parse!(self, c"S", &raw mut string)?;
        // SAFETY: parsing succeeded, so the string is set; the frame holds it.
        Ok(unsafe { (*string).as_bytes() })
    }

    /// All arguments, each a string.
    pub fn strings(&self) -> Outcome<Vec<&'c [u8]>> {
        // A conversion may run PHP code, which may end the script by a jump over this frame: it owns nothing meanwhile.
        for index in 0..self.count() {
            let mut string: *mut ZendStr = std::ptr::null_mut();
            let argument = std::ptr::from_ref(self.argument(index));
            // SAFETY: the argument lies in the frame; `S` asks for one string, which PHP leaves in the argument.
            parsed(unsafe { zend_parse_parameter(0, index + 1, argument, c"S".as_ptr(), &raw mut string) })?;
        }
        let mut strings = input::with_room(self.count() as usize)?;
        let values = (0..self.count()).map(|index| self.argument(index).dereference());
        strings.extend(values.filter_map(Zval::zend_str).map(ZendStr::as_bytes));
        Ok(strings)
    }

    /// The one argument, an integer.
    pub fn int(&self) -> Outcome<i64> {
        let mut value = 0i64;
        parse!(self, c"l", &raw mut value)?;
        Ok(value)
    }
}

/// Turns an engine error into the pending exception; `argument` (from 1) held the docIDs.
pub fn check<T>(result: Result<T, Error>, argument: u32) -> Outcome<T> {
    result.map_err(|error| exception::throw(&error, argument))
}

/// As [`check`], for what has to do with the files of an index.
pub fn check_index<T>(result: Result<T, Error>, argument: u32) -> Outcome<T> {
    result.map_err(|error| exception::throw_of_index(&error, argument))
}

/// Runs the body of a function. A panic in it becomes an `Error` exception, after its frames were unwound.
pub fn run(frame: &mut ExecuteData, result: &mut Zval, body: fn(&mut Call) -> Outcome) {
    run_with_names(frame, result, |call| call.no_extra_named_arguments().and_then(|()| body(call)));
}

/// As [`run`], for a body that takes the [extra named arguments](Call::extra_named_arguments).
pub fn run_with_names(frame: &mut ExecuteData, result: &mut Zval, body: impl FnOnce(&mut Call) -> Outcome) {
    run_handler(AssertUnwindSafe(|| {
        let mut call = Call { frame, result };
        if body(&mut call).is_err() {
            call.result.set_null();
        }
    }));
    log::flush();
}

/// The C function of a body; `with names` if it takes named arguments that no parameter has.
macro_rules! handler {
    ($body:path) => {
        $crate::php::call::handler!($body, run)
    };
    ($body:path, with names) => {
        $crate::php::call::handler!($body, run_with_names)
    };
    ($body:path, $run:ident) => {{
        extern "C" fn handler(frame: &mut ext_php_rs::zend::ExecuteData, result: &mut ext_php_rs::types::Zval) {
            $crate::php::call::$run(frame, result, $body)
        }
        handler
    }};
}
pub(super) use handler;

/// A C function that PHP calls.
pub type Handler = extern "C" fn(&mut ExecuteData, &mut Zval);
