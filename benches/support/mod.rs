//! What the benches share: arguments, data, clocks, reports, plots.
//!
//! A bench makes a [`report::Report`], adds rows and points, and writes it; `benches/report.rs` brings the reports of all
//! benches together.

#![allow(dead_code)] // Each bench uses a part of it.

pub mod args;
pub mod clock;
pub mod data;
pub mod machine;
pub mod plot;
pub mod report;
pub mod targets;
