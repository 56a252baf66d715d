//! Every kernel against the CPU, on PoCL or on the device that `POSTINGS_TEST_DEVICE` names. Those of the laboratory are
//! tested with the feature `lab`.

#[path = "../common/mod.rs"]
mod common;

#[cfg(feature = "lab")]
mod lab;
mod nearest;
mod operations;
mod phrases;
mod ranked;
mod weights;
