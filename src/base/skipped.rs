//! How tests say that they have not tested something.

use std::io::Write;

/// Prints why a test is skipped, which then returns: `.ci/run` counts these lines as tests that are skipped, because the
/// harness counts such tests as passed.
pub fn skipped(why: &str) {
    print("SKIPPED", why);
}

/// Prints which part of a test is skipped.
#[allow(dead_code)]
pub fn skipped_in_part(what: &str) {
    print("SKIPPED IN PART", what);
}

/// Not by `eprintln!`: the harness captures its output, and hides it if the test passes. One write, because other tests
/// print at the same time.
fn print(how: &str, why: &str) {
    let _ = std::io::stderr().write_all(format!("{how}: {why}\n").as_bytes());
}
