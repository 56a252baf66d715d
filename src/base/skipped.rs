//! How tests say that they have not tested something.

use std::io::Write;

/// Prints why a test, or a part of one, is skipped; `.ci/run` counts these lines. Not by `eprintln!`: the harness captures
/// its output, and hides it if the test passes. One write, because other tests print at the same time.
pub fn skipped(why: &str) {
    let _ = std::io::stderr().write_all(format!("SKIPPED: {why}\n").as_bytes());
}
