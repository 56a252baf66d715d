//! Code shared by the benchmarks: arguments, data, timing, reports and plots.
//!
//! A benchmark makes a [`report::Report`], adds rows and points, and writes it. `benches/report.rs` merges the reports
//! of all benchmarks.

#![allow(dead_code)] // Each benchmark uses only a part of this.

pub mod args;
pub mod clock;
pub mod data;
pub mod kernels;
pub mod machine;
pub mod plot;
pub mod report;
pub mod targets;
