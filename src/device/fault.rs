//! Fault injection for tests. The environment variable `POSTINGS_DEVICE_FAULT` is a comma-separated list of steps that
//! fail in this process: `open`, `alloc`, `build`, `launch`, `read`. With a number, as in `launch:3`, only that one fails,
//! counted from 1. It is read once, on first use of a device.

use crate::environment;
use crate::error::{Error, Result};
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

/// Fails if that step is to fail.
pub(super) fn check(step: Step) -> Result<()> {
    static FAILING: OnceCell<Vec<Failing>> = OnceCell::new();
    let all = FAILING.get_or_init(|| {
        let named = environment::variable("POSTINGS_DEVICE_FAULT").unwrap_or_default();
        named.to_string_lossy().split(',').filter_map(failing).collect()
    });
    let fails = |failing: &Failing| {
        failing.step == step && failing.only.is_none_or(|only| failing.times.fetch_add(1, Relaxed) + 1 == only)
    };
    if all.iter().any(fails) {
        return Err(Error::Device(format!("{step:?} fails, as POSTINGS_DEVICE_FAULT asks")));
    }
    Ok(())
}
