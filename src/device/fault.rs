//! Fault injection for tests. The environment variable `POSTINGS_DEVICE_FAULT` is a comma-separated list of steps that
//! fail in this process: `open`, `alloc`, `build`, `launch`, `read`. Before a launch, `hang` submits a command that never
//! completes. A wait with `lose` ends as if the device were gone, one with `exhaust` as if it had no memory for the command.
//! With a number, as in `launch:3`, only that one fails, counted from 1. It is read once, on first use of a device.

use crate::base::environment;
use crate::base::error::{Error, Result};
use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A step that can be told to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Open,
    Alloc,
    Build,
    Launch,
    Read,
    Hang,
    Lose,
    Exhaust,
}

impl Step {
    const ALL: [(Step, &'static str); 8] = [
        (Step::Open, "open"),
        (Step::Alloc, "alloc"),
        (Step::Build, "build"),
        (Step::Launch, "launch"),
        (Step::Read, "read"),
        (Step::Hang, "hang"),
        (Step::Lose, "lose"),
        (Step::Exhaust, "exhaust"),
    ];
}

/// A step that fails: each time, or only one time.
struct Failing {
    step: Step,
    only: Option<u64>,
    times: AtomicU64,
}

/// The fault that a name with or without a number asks for.
fn failing(named: &str) -> Option<Failing> {
    let (name, only) = match named.trim().split_once(':') {
        Some((name, number)) => (name, Some(number.parse().ok()?)),
        None => (named.trim(), None),
    };
    let step = Step::ALL.into_iter().find(|step| step.1 == name)?.0;
    Some(Failing { step, only, times: AtomicU64::new(0) })
}

/// Whether that step is to fail, this time.
pub(super) fn is_wanted(step: Step) -> bool {
    static FAILING: OnceCell<Vec<Failing>> = OnceCell::new();
    let all = FAILING.get_or_init(|| {
        let named = environment::variable("POSTINGS_DEVICE_FAULT").unwrap_or_default();
        named.to_string_lossy().split(',').filter_map(failing).collect()
    });
    let fails = |failing: &Failing| failing.only.is_none_or(|only| failing.times.fetch_add(1, Relaxed) + 1 == only);
    // Each of them counts, whether another one fails or not.
    all.iter().filter(|failing| failing.step == step).fold(false, |any, failing| fails(failing) | any)
}

/// Fails if that step is to fail.
pub(super) fn check(step: Step) -> Result<()> {
    match is_wanted(step) {
        true => Err(Error::Device(format!("{step:?} fails, as POSTINGS_DEVICE_FAULT asks"))),
        false => Ok(()),
    }
}
