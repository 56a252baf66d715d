//! The value in an object of the class.

use crate::php::class::class;
use crate::search::Index;
use std::rc::Rc;

/// Hits share it.
pub struct Object(pub Rc<Index>);

class!(Object);
