//! The value in an object of the class.

use crate::php::class::class;
use crate::search::Index;

pub struct Object(pub Index);

class!(Object);
