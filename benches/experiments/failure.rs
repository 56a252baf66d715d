//! The error type of experiments.

/// Any error, for the person who runs them.
pub type Failure = Box<dyn std::error::Error>;
