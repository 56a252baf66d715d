//! What the tests of several binaries share. Each uses a part.
#![allow(dead_code, unused_imports)]

pub mod cranfield;
pub mod random;
pub mod ranked;
#[path = "../../src/base/skipped.rs"]
mod skipped;
pub mod yioop;

pub use skipped::{skipped, skipped_in_part};
