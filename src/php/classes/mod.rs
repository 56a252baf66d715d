//! The classes and the enums. One file each, which implements [`Class`] for the value in its objects (and
//! [`Iterate`](super::foreach::Iterate) or [`Aggregate`](super::foreach::Aggregate) if `foreach` goes over them), and
//! one line in [`CLASSES`].

pub mod analyzer;
mod codec;
pub mod conjunction;
mod filter;
mod found;
mod hit;
mod hits;
mod hits_iterator;
mod index;
mod index_writer;
mod leaf;
mod leaf_client;
mod leaf_request;
pub mod matching;
mod merge;
pub mod posting_list;
mod posting_list_iterator;
mod search_stream;
mod shard;
mod shard_iterator;
mod statistics;
mod stored;

pub use found::end_request;

use super::class::Class;
use super::enumeration;
use crate::search::Matching;
use ext_php_rs::builders::ModuleBuilder;

/// An iterator before the class that returns it, or PHP refuses to start.
const CLASSES: &[Entry] = &[
    entry::<posting_list_iterator::Object>(),
    entry::<posting_list::Object>(),
    entry::<shard_iterator::Object>(),
    entry::<shard::Object>(),
    entry::<conjunction::Object>(),
    entry::<analyzer::Object>(),
    entry::<filter::Object>(),
    entry::<hit::Object>(),
    entry::<hits_iterator::Object>(),
    entry::<statistics::Object>(),
    entry::<hits::Object>(),
    entry::<index_writer::Object>(),
    entry::<search_stream::Object>(),
    entry::<index::Object>(),
    entry::<leaf::Object>(),
    entry::<leaf_request::Object>(),
    entry::<leaf_client::Object>(),
];

/// Registers the enums. In MINIT.
pub fn register_enums() -> ext_php_rs::error::Result<()> {
    enumeration::register::<codec::Choice>()?;
    enumeration::register::<Matching>()
}

struct Entry {
    add: fn(ModuleBuilder<'static>) -> ModuleBuilder<'static>,
    finish: fn(),
}

const fn entry<T: Class>() -> Entry {
    Entry { add: ModuleBuilder::class::<T>, finish: T::finish }
}

/// Adds all classes to the module, which registers them when it starts.
pub fn add_to(module: ModuleBuilder<'static>) -> ModuleBuilder<'static> {
    CLASSES.iter().fold(module, |module, class| (class.add)(module))
}

/// Completes all classes. In MINIT, once they are registered.
pub fn finish_all() {
    CLASSES.iter().for_each(|class| (class.finish)());
}
