//! Waiting for commands with a limit, and devices that are lost.
//!
//! No driver's call that waits has a limit of its own, so events are asked whether they are complete. A wait that sees no
//! progress for longer than the limit (`postings.device_timeout`) takes the device for lost, and so does one for a command
//! that failed. Building programs is no wait, and takes as long as the driver does.
//!
//! A lost device is not used again by the process. Its memory is not freed: commands may still run on it, and write to its
//! buffers and to pinned memory of the host.

use super::cl::{Event, Queue, State};
use crate::base::error::{Error, Result};
use once_cell::sync::OnceCell;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a wait goes on without progress, if nothing else is said.
pub const USUAL_LIMIT: Duration = Duration::from_secs(10);

/// Why a device is lost, once it is.
#[derive(Clone, Default)]
pub(super) struct Lost(Arc<OnceCell<Error>>);

impl Lost {
    /// Whether it is.
    pub(super) fn is_lost(&self) -> bool {
        self.0.get().is_some()
    }

    /// Fails if it is.
    pub(super) fn check(&self) -> Result<()> {
        self.0.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Says that it is, and why. The first reason counts, and is returned.
    pub(super) fn set(&self, reason: &Error) -> Error {
        let lost = || match reason {
            Error::Device(reason) => Error::Device(format!("{reason}; this process no longer uses the device")),
            other => other.clone(),
        };
        self.0.get_or_init(lost).clone()
    }
}

/// Launches whose completion is progress, at most. If there are more, every other one is forgotten.
const MOST_LAUNCHED: usize = 64;

/// A queue, and what is known of its progress.
pub(super) struct Lane {
    pub(super) queue: Queue,
    /// Launches that take long and that were not complete when last looked at, in order.
    launched: RefCell<Vec<Event>>,
}

impl Lane {
    pub(super) fn new(queue: Queue) -> Lane {
        Lane { queue, launched: RefCell::default() }
    }

    /// Counts the completion of a launch as progress.
    pub(super) fn launched(&self, event: Event) {
        let mut launched = self.launched.borrow_mut();
        if launched.len() >= MOST_LAUNCHED {
            let mut number = 0;
            launched.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
        launched.push(event);
    }

    /// Forgets launches that are complete; whether there were any.
    fn progressed(&self) -> bool {
        let mut launched = self.launched.borrow_mut();
        let is_running = |event: &Event| matches!(event.state(), Ok(State::Running));
        let complete = launched.iter().position(is_running).unwrap_or(launched.len());
        launched.drain(..complete);
        complete > 0
    }
}

/// What a wait has come to.
pub(super) enum Outcome {
    Complete,
    /// The command failed, with that status.
    Failed(i32),
    /// There was no progress for longer than the limit.
    TookTooLong,
}

impl Lane {
    /// Waits for a command of this lane: as long as there is progress, or if there is no limit. `shares` says that the
    /// device computes on the cores of this process.
    pub(super) fn wait(&self, event: &Event, limit: Option<Duration>, shares: bool) -> Result<Outcome> {
        self.queue.flush()?;
        let began = Instant::now();
        // The time without progress, and until when it is counted.
        let (mut idle, mut counted) = (Duration::ZERO, began);
        loop {
            match event.state()? {
                State::Running => {}
                State::Complete => {
                    self.progressed();
                    return Ok(Outcome::Complete);
                }
                State::Failed(status) => return Ok(Outcome::Failed(status)),
            }
            if !pause(began.elapsed(), shares) {
                continue;
            }
            let now = Instant::now();
            idle += (now - counted).min(LONGEST_STEP);
            counted = now;
            if self.progressed() {
                idle = Duration::ZERO;
            } else if limit.is_some_and(|limit| idle > limit) {
                return Ok(Outcome::TookTooLong);
            }
        }
    }
}

/// How long to ask again at once: of devices with cores of their own, and of those that share ours, which others want. A
/// query alone takes some 100 µs on either, and the shortest sleep 55 µs.
const SPINNING: [Duration; 2] = [Duration::from_millis(2), Duration::from_micros(200)];
/// How long to do so without giving way to other threads.
const GREEDY: Duration = Duration::from_micros(200);
/// How long to sleep between two questions at most, and which part of the time waited so far.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);
const SLEEP_SHARE: u32 = 16;
/// What the time between two questions counts for at most: if this process was stopped for long, so may the device have
/// been.
const LONGEST_STEP: Duration = Duration::from_millis(20);

/// Pauses between two questions, after having waited for `waited`. Returns whether it slept.
fn pause(waited: Duration, shares: bool) -> bool {
    if waited >= SPINNING[usize::from(shares)] {
        std::thread::sleep((waited / SLEEP_SHARE).min(LONGEST_SLEEP));
        return true;
    }
    if waited < GREEDY && !shares {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts() {
        let (lost, other) = (Lost::default(), Lost::default());
        let clone = lost.clone();
        assert!(!clone.is_lost() && clone.check().is_ok());
        let first = lost.set(&Error::Device("no answer".into())).to_string();
        assert!(first.contains("no answer; this process no longer uses the device"), "{first}");
        assert_eq!(lost.set(&Error::Device("again".into())).to_string(), first);
        assert_eq!(clone.check().unwrap_err().to_string(), first);
        assert!(!other.is_lost());
    }

    #[test]
    fn pauses_grow_and_are_bounded() {
        assert!(!pause(Duration::ZERO, true) && !pause(Duration::from_micros(500), false));
        let began = Instant::now();
        assert!(pause(Duration::from_secs(3600), false) && pause(Duration::from_secs(3600), true));
        assert!(began.elapsed() < Duration::from_secs(5), "an hour's sixteenth is longer");
    }
}
