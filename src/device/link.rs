//! The connection to one device: its context, its queues and its limits.

use super::cl::{self, Buffer, Context, DeviceId, Event, Queue};
use super::fault::{self, Step};
use super::platform::{Found, Limits};
use super::wait::{Lane, Lost, Outcome, USUAL_LIMIT};
use crate::base::error::{Error, Result};
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::time::Duration;

/// Bytes per word. Buffers are measured in 32-bit words.
pub(super) const WORD: usize = size_of::<u32>();

/// The number of lanes: queues whose commands may run at the same time, so that transfers of one part of an operation
/// overlap kernels of another. Each lane runs its own commands in order.
pub(crate) const LANES: usize = 3;

/// Work-groups of a launch whose completion is worth an event of its own.
const LARGE_LAUNCH: usize = 1 << 14;

/// Statuses of commands that failed for lack of memory, which there may be at another time.
const NO_MEMORY: std::ops::RangeInclusive<i32> = -6..=-4;

/// Statuses that fault injection has commands fail with: the device is not available, or memory.
const INJECTED: [(Step, i32); 2] = [(Step::Lose, -2), (Step::Exhaust, -4)];

/// A device's context and queues.
pub(super) struct Link {
    pub(super) id: DeviceId,
    pub(super) context: Context,
    /// Made on first use.
    lanes: Vec<Lane>,
    /// The lane that commands go to.
    lane: usize,
    pub(super) limits: Limits,
    /// Whether the device computes on the host's cores.
    pub(super) is_cpu: bool,
    /// How long a wait goes on without progress; without a limit as long as it takes.
    pub(super) patience: Option<Duration>,
    pub(super) lost: Lost,
    /// Whether commands failed, so that what should be in device memory may not be there.
    pub(super) stale: Cell<bool>,
}

impl Link {
    pub(super) fn open(found: &Found) -> Result<Link> {
        fault::check(Step::Open)?;
        let context = Context::new(found.id)?;
        let lanes = vec![Lane::new(context.queue(found.id)?)];
        let (is_cpu, patience) = (found.info.kind == "CPU", Some(USUAL_LIMIT));
        let (lost, stale) = (Lost::default(), Cell::new(false));
        Ok(Link { id: found.id, context, lanes, lane: 0, limits: found.limits, is_cpu, patience, lost, stale })
    }

    /// The queue that commands go to.
    pub(super) fn queue(&self) -> &Queue {
        &self.lanes[self.lane].queue
    }

    /// The lane that commands go to.
    pub(super) fn lane(&self) -> usize {
        self.lane
    }

    /// Sends later commands to a lane, which must be below [`LANES`].
    pub(super) fn enter(&mut self, lane: usize) -> Result<()> {
        debug_assert!(lane < LANES);
        while self.lanes.len() <= lane {
            self.lanes.push(Lane::new(self.context.queue(self.id)?));
        }
        self.lane = lane;
        Ok(())
    }

    /// Has later commands of the lane wait for all that was submitted to another one, without waiting here.
    pub(super) fn follow(&self, other: usize) -> Result<()> {
        let Some(other) = self.lanes.get(other).filter(|_| other != self.lane) else {
            // What was never entered has no commands.
            return Ok(());
        };
        let all = other.queue.marker()?;
        // A queue may wait only for what was submitted.
        other.queue.flush()?;
        self.queue().wait_for(&all)
    }

    /// Waits for a command of the lane.
    ///
    /// # Errors
    /// [`Error::Device`] if the command failed, or there was no progress for too long: then the device is lost.
    pub(super) fn wait(&self, event: &Event) -> Result<()> {
        self.wait_in(&self.lanes[self.lane], event)
    }

    /// Waits until the commands of all lanes are complete.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub(super) fn finish(&self) -> Result<()> {
        self.lanes.iter().try_for_each(|lane| self.wait_in(lane, &lane.queue.marker()?))
    }

    fn wait_in(&self, lane: &Lane, event: &Event) -> Result<()> {
        self.lost.check()?;
        let injected = INJECTED.iter().find(|(step, _)| fault::is_wanted(*step));
        let outcome = match injected {
            Some(&(_, status)) => Outcome::Failed(status),
            None => lane.wait(event, self.patience, self.is_cpu)?,
        };
        match outcome {
            Outcome::Complete => Ok(()),
            Outcome::Failed(status) => {
                self.stale.set(true);
                let error = cl::failure(status, "a command failed");
                Err(if NO_MEMORY.contains(&status) { error } else { self.lost.set(&error) })
            }
            Outcome::TookTooLong => {
                let limit = self.patience.unwrap_or_default();
                Err(self.lost.set(&Error::Device(format!("no answer for {limit:?} (postings.device_timeout)"))))
            }
        }
    }

    /// Whether the completion of a launch of that many work-groups counts as progress.
    pub(super) fn tracks(&self, groups: usize) -> bool {
        self.is_cpu || groups >= LARGE_LAUNCH
    }

    /// Counts the completion of a launch as progress.
    pub(super) fn track(&self, launch: Event) {
        self.lanes[self.lane].launched(launch);
    }

    /// Submits a command that never completes, if fault injection asks for it.
    pub(super) fn inject_hang(&self) -> Result<()> {
        if fault::is_wanted(Step::Hang) { self.queue().block(&self.context) } else { Ok(()) }
    }

    /// Gives a handle back, unless the device is lost: commands may still use it then.
    pub(super) fn release<T>(&self, handle: T) {
        let handle = ManuallyDrop::new(handle);
        if !self.lost.is_lost() {
            drop(ManuallyDrop::into_inner(handle));
        }
    }

    /// Allocates a device buffer of that many words.
    pub(super) fn buffer(&self, words: usize) -> Result<Buffer> {
        fault::check(Step::Alloc)?;
        let bytes = words.checked_mul(WORD).filter(|&bytes| bytes <= self.limits.allocation).ok_or_else(|| {
            Error::Device(format!(
                "{words} words exceed the device's largest buffer of {} bytes",
                self.limits.allocation
            ))
        })?;
        self.context.buffer(bytes, false)
    }
}
