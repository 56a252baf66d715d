//! The way to one device: its context and its queue, and what it can take.

use super::cl::{Buffer, Context, DeviceId, Queue};
use super::fault::{self, Step};
use super::platform::{Found, Limits};
use crate::error::{Error, Result};

/// Bytes of the words that everything is made of.
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

    /// A device buffer of that many words.
    pub(super) fn buffer(&self, words: usize) -> Result<Buffer> {
        fault::check(Step::Alloc)?;
        let bytes = words.checked_mul(WORD).filter(|&bytes| bytes <= self.limits.allocation).ok_or_else(|| {
            Error::Device(format!("{words} words exceed the largest buffer, {} bytes", self.limits.allocation))
        })?;
        self.context.buffer(bytes, false)
    }
}
