//! The connection to one device: its context, its queues and its limits.

use super::cl::{Buffer, Context, DeviceId, Queue};
use super::fault::{self, Step};
use super::platform::{Found, Limits};
use crate::error::{Error, Result};

/// Bytes per word. Buffers are measured in 32-bit words.
pub(super) const WORD: usize = size_of::<u32>();

/// The number of lanes: queues whose commands may run at the same time, so that transfers of one part of an operation
/// overlap kernels of another. Each lane runs its own commands in order.
pub(crate) const LANES: usize = 3;

/// A device's context and queues.
pub(super) struct Link {
    pub(super) id: DeviceId,
    pub(super) context: Context,
    /// A queue for each lane, made on first use.
    queues: Vec<Queue>,
    /// The lane that commands go to.
    lane: usize,
    pub(super) limits: Limits,
}

impl Link {
    pub(super) fn open(found: &Found) -> Result<Link> {
        fault::check(Step::Open)?;
        let context = Context::new(found.id)?;
        let queues = vec![context.queue(found.id)?];
        Ok(Link { id: found.id, context, queues, lane: 0, limits: found.limits })
    }

    /// The queue that commands go to.
    pub(super) fn queue(&self) -> &Queue {
        &self.queues[self.lane]
    }

    /// The lane that commands go to.
    pub(super) fn lane(&self) -> usize {
        self.lane
    }

    /// Sends later commands to a lane, which must be below [`LANES`].
    pub(super) fn enter(&mut self, lane: usize) -> Result<()> {
        debug_assert!(lane < LANES);
        while self.queues.len() <= lane {
            self.queues.push(self.context.queue(self.id)?);
        }
        self.lane = lane;
        Ok(())
    }

    /// Has later commands of the lane wait for all that was submitted to another one, without waiting here.
    pub(super) fn follow(&mut self, other: usize) -> Result<()> {
        match self.queues.get(other).filter(|_| other != self.lane) {
            Some(queue) => self.queue().wait_for(&queue.marker()?),
            // What was never entered has no commands.
            None => Ok(()),
        }
    }

    /// Waits until the commands of all lanes are complete.
    pub(super) fn finish(&self) -> Result<()> {
        self.queues.iter().try_for_each(Queue::finish)
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
