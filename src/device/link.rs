//! The connection to one device: its context, its queue and its limits.

use super::cl::{Buffer, Context, DeviceId, Queue};
use super::fault::{self, Step};
use super::platform::{Found, Limits};
use crate::error::{Error, Result};

/// Bytes per word. Buffers are measured in 32-bit words.
pub(super) const WORD: usize = size_of::<u32>();

/// A device's context and queue.
pub(super) struct Link {
    pub(super) id: DeviceId,
    pub(super) context: Context,
    pub(super) queue: Queue,
    pub(super) limits: Limits,
}

impl Link {
    pub(super) fn open(found: &Found) -> Result<Link> {
        fault::check(Step::Open)?;
        let context = Context::new(found.id)?;
        let queue = context.queue(found.id)?;
        Ok(Link { id: found.id, context, queue, limits: found.limits })
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
