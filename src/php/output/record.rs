//! Records: small arrays with string keys.

use ext_php_rs::boxed::ZBox;
use ext_php_rs::types::{ZendHashTable, Zval};

/// A small array with string keys, under construction.
pub struct Record(ZBox<ZendHashTable>);

impl Record {
    pub fn new() -> Record {
        Record(ZendHashTable::new())
    }

    /// Room for `fields` fields, so that they are not moved as they grow.
    pub fn with_room(fields: u32) -> Record {
        Record(ZendHashTable::with_capacity(fields))
    }

    /// Adds a field. Values are small; an error would mean that one cannot be converted, which these all can.
    pub fn field(mut self, name: &str, value: impl ext_php_rs::convert::IntoZval) -> Record {
        if let Err(error) = self.0.insert(name, value) {
            log::error!("{name}: {error}");
        }
        self
    }

    pub fn into_zval(self) -> Zval {
        let mut value = Zval::new();
        value.set_hashtable(self.0);
        value
    }

    pub fn store(self, target: &mut Zval) {
        target.set_hashtable(self.0);
    }
}
