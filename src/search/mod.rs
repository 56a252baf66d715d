//! Searching an index. (In the making: signatures are fixed.)

mod options;
pub use options::{Direction, Filter, Matching, Options};
