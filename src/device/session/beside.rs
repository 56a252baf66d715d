//! Items of the cache are sent while kernels run.
//!
//! They are sent in a lane of their own, and the lane of the kernels that need them waits for it. Items that kernels in
//! flight may need are not evicted, unless what is wanted does not fit otherwise: then the lane of transfers waits for the
//! kernels, but the host does not.

use super::Session;
use crate::base::error::{Error, Result};
use crate::device::link::LANES;
use crate::device::memory::{Build, Key, Placed};

/// The lane in which items are sent.
pub(crate) const SENDING: usize = LANES - 1;

/// How far lanes have waited for what was sent.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// How many times items were sent.
    times: u64,
    /// How many of these each lane has waited for.
    awaited: [u64; LANES],
}

impl Session<'_> {
    /// The place of each of these items, if there is one; none at all if one of them is not in the cache. For commands that
    /// follow in the present lane. Places are valid as those of [`ensure_beside`](Self::ensure_beside).
    pub(crate) fn find_resident<'k>(
        &mut self,
        wanted: impl Iterator<Item = Option<Key<'k>>>,
    ) -> Result<Option<Vec<Option<Placed>>>> {
        let places = self.inner.memory.find(wanted);
        self.await_sent()?;
        Ok(places)
    }

    /// As [`ensure`](Session::ensure), for commands that follow in the present lane, which must not be [`SENDING`]. Returns the
    /// place of each item; `None` if they do not fit. Places are valid as long as [`keep_since`](Self::keep_since) covers this
    /// call of the cache.
    pub(crate) fn ensure_beside(&mut self, wanted: &[Key<'_>], build: &mut Build<'_>) -> Result<Option<Vec<Placed>>> {
        let lane = self.inner.link.lane();
        let mut places = Vec::with_capacity(wanted.len());
        let mut builds = 0;
        let mut counted = |missing: &[usize]| {
            builds += 1;
            build(missing)
        };
        self.enter(SENDING)?;
        let mut fits = self.ensure(wanted, &mut counted, &mut places)?;
        if !fits && self.inner.memory.is_kept() {
            for other in (0..LANES).filter(|&other| other != SENDING) {
                self.follow(other)?;
            }
            // Kernels that follow may need what is wanted from now on.
            self.keep_since(self.next_call());
            places.clear();
            fits = self.ensure(wanted, &mut counted, &mut places)?;
        }
        self.sent.times += builds;
        self.enter(lane)?;
        self.await_sent()?;
        if fits && places.len() != wanted.len() {
            return Err(Error::Device("an item of the cache is missing".into()));
        }
        Ok(fits.then_some(places))
    }

    /// Has later commands of the present lane wait for all that was sent.
    fn await_sent(&mut self) -> Result<()> {
        let lane = self.inner.link.lane();
        if self.sent.awaited[lane] < self.sent.times {
            self.follow(SENDING)?;
            self.sent.awaited[lane] = self.sent.times;
        }
        Ok(())
    }

    /// Has later commands of the present lane wait for all that was submitted to another one.
    fn follow(&mut self, other: usize) -> Result<()> {
        self.inner.busy = true;
        self.inner.link.follow(other)
    }

    /// The number of the next call of the cache.
    pub(crate) fn next_call(&self) -> u64 {
        self.inner.memory.next_call()
    }

    /// From now on, evicts no item that was wanted in this call of the cache or a later one.
    pub(crate) fn keep_since(&mut self, call: u64) {
        self.inner.memory.keep_since(call);
    }
}
