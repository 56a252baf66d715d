//! Fault injection for tests. The environment variable `POSTINGS_DEVICE_FAULT` is a comma-separated list of steps that
//! fail in this process: `open`, `alloc`, `build`, `launch`, `read`. It is read once, on first use of a device.

use crate::environment;
use crate::error::{Error, Result};
use once_cell::sync::OnceCell;

/// A step that can be told to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Open,
    Alloc,
    Build,
    Launch,
    Read,
}

impl Step {
    const ALL: [(Step, &'static str); 5] = [
        (Step::Open, "open"),
        (Step::Alloc, "alloc"),
        (Step::Build, "build"),
        (Step::Launch, "launch"),
        (Step::Read, "read"),
    ];
}

/// Fails if that step is to fail.
pub(super) fn check(step: Step) -> Result<()> {
    static FAILING: OnceCell<Vec<Step>> = OnceCell::new();
    let failing = FAILING.get_or_init(|| {
        let named = environment::variable("POSTINGS_DEVICE_FAULT").unwrap_or_default();
        Step::ALL
            .iter()
            .filter(|(_, name)| named.to_string_lossy().split(',').any(|part| part.trim() == *name))
            .map(|s| s.0)
            .collect()
    });
    if failing.contains(&step) {
        return Err(Error::Device(format!("{step:?} fails, as POSTINGS_DEVICE_FAULT asks")));
    }
    Ok(())
}
