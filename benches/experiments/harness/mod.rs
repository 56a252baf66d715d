//! What all experiments share: options, corpora on demand, results as JSON, and the page.

pub mod context;
pub mod options;
pub mod outcome;
pub mod page;
pub mod papers;
pub mod parallel;
pub mod results;

pub use crate::failure::Failure;
use context::Context;
use outcome::Outcome;

/// An experiment: a constant of this type in a file of its own, and a line in `EXPERIMENTS`.
pub struct Experiment {
    /// The name by which `--only` chooses it, and under which results are kept.
    pub name: &'static str,
    /// The heading of its section.
    pub title: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// What of the papers it redraws: the file and the item, as `("ao-2011", "table 1")`.
    pub redraws: &'static [(&'static str, &'static str)],
    /// Written by a person: why the findings hold, or do not.
    pub why: &'static str,
    /// Measures. What it compares is checked against the definition first.
    pub run: fn(&Context) -> Result<Outcome, Failure>,
}
