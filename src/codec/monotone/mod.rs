//! Monotone codecs: docIDs ⇄ words directly.

pub mod partitioned_elias_fano;
pub mod quasi_succinct;
pub mod raw;
pub mod regression;
