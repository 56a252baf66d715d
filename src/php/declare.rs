//! How functions and methods are declared to PHP.

use super::call::Handler;
use ext_php_rs::builders::FunctionBuilder;
use ext_php_rs::ffi::{zend_function, zend_hash_str_find_ptr_lc};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::ZendHashTable;

pub const MAY_BE_FALSE: u32 = 1 << 2;
pub const MAY_BE_BOOL: u32 = MAY_BE_FALSE | 1 << 3;
pub const MAY_BE_DOUBLE: u32 = 1 << 5;
pub const MAY_BE_STRING: u32 = 1 << 6;
pub const MAY_BE_ARRAY: u32 = 1 << 7;

/// The number that [`widen`] knows a return value by.
pub const RETURN_VALUE: isize = -1;

/// A function whose return type is neither a reference nor nullable.
pub fn function(name: &str, handler: Handler, returns: DataType) -> FunctionBuilder<'static> {
    FunctionBuilder::new(name, handler).returns(returns, false, false)
}

/// A function whose return type is nullable.
pub fn nullable(name: &str, handler: Handler, returns: DataType) -> FunctionBuilder<'static> {
    FunctionBuilder::new(name, handler).returns(returns, false, true)
}

/// The table of all functions. In MINIT.
pub fn function_table() -> *const ZendHashTable {
    // SAFETY: the compiler's globals exist from before MINIT on; those of the executor have no function table yet.
    unsafe { (*ext_php_rs::ffi::ext_php_rs_compiler_globals()).function_table.cast_const() }
}

/// Adds types to an argument, from 0, or to the return value of a registered function: the builders of ext-php-rs know
/// no unions. In MINIT.
pub fn widen(table: *const ZendHashTable, name: &str, argument: isize, types: u32) {
    // SAFETY: the function is registered, has that argument, and its argument table was copied to the heap when it
    // was registered; MINIT runs before anyone reads it.
    unsafe {
        let function: *mut zend_function = zend_hash_str_find_ptr_lc(table, name.as_ptr().cast(), name.len()).cast();
        if let Some(function) = function.as_mut() {
            (*function.internal_function.arg_info.offset(argument)).type_.type_mask |= types;
        }
    }
}
