//! Monotone codecs: docIDs ⇄ words directly.

pub mod quasi_succinct;
pub mod raw;
