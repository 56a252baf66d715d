//! The class `Postings\HitsIterator`, which makes the hits as it goes.

use super::found::Results;
use super::hit;
use crate::php::class::Class;
use crate::php::exception::Outcome;
use crate::php::foreach::{Iterate, iterator_class};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use std::rc::Rc;

pub struct Object {
    results: Rc<Results>,
    /// The position, and key, of the current hit; the number of hits past the end.
    at: usize,
}

impl Object {
    /// An iterator before the first hit.
    pub fn new(results: Rc<Results>) -> Object {
        Object { results, at: 0 }
    }
}

iterator_class!(Object, "Postings\\HitsIterator");

impl Iterate for Object {
    const KEY: DataType = DataType::Long;
    const CURRENT: DataType = DataType::object(hit::Object::NAME);

    fn valid(&self) -> bool {
        self.at < self.results.len()
    }

    fn key(&self, target: &mut Zval) -> Outcome {
        if self.valid() {
            target.set_long(self.at as i64);
        } else {
            target.set_null();
        }
        Ok(())
    }

    fn current(&mut self, target: &mut Zval) -> Outcome {
        hit::store(&self.results, self.at, target).inspect_err(|_| {
            // A loop in C would go on without memory.
            self.at = self.results.len();
        })
    }

    fn advance(&mut self) -> Outcome {
        if self.valid() {
            self.at += 1;
        }
        Ok(())
    }

    fn rewind(&mut self) -> Outcome {
        self.at = 0;
        Ok(())
    }
}
