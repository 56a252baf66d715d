//! The functions: a file per namespace, each with a list of its functions.

pub mod drop_in;
mod postings;
mod yioop;

use super::classes::conjunction;
use super::declare::{MAY_BE_STRING, function_table, widen};
use ext_php_rs::builders::ModuleBuilder;

/// Adds all functions to the module, which registers them when it starts.
pub fn add_to(module: ModuleBuilder<'static>) -> ModuleBuilder<'static> {
    [postings::builders(), yioop::builders(), conjunction::builders()]
        .into_iter()
        .flatten()
        .fold(module, ModuleBuilder::function)
}

/// Completes all functions. In MINIT, once they are registered.
pub fn finish_all() {
    for name in postings::OF_DOC_IDS {
        widen(function_table(), name, 0, MAY_BE_STRING);
    }
}
