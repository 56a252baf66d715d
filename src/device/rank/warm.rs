//! Makes resident ahead of time what ranking needs.

use super::items::{build, present};
use super::{Device, Provider, Wanted};
use crate::base::error::Result;

/// Items of the first call of the cache; each further call has twice as many.
const FIRST: usize = 1024;

impl Device {
    /// Makes as many of these items resident together as the cache has room for, from the first one on; returns how many.
    /// The earlier an item stands, the more often the cache counts it as used, so it also stays longer. `budget` and
    /// `threads` are as in [`RankBatch`](super::RankBatch).
    ///
    /// # Errors
    /// As [`rank`](Device::rank).
    pub(crate) fn warm(
        &self,
        budget: u64,
        threads: usize,
        wanted: &[Wanted],
        provider: &dyn Provider,
    ) -> Result<usize> {
        let (wanted, keys) = present(wanted, provider);
        let mut session = self.lock()?;
        session.limit_cache((budget / 4) as usize);
        let (mut resident, mut more, mut fits) = (0, FIRST, true);
        while more > 0 && resident < keys.len() {
            let end = keys.len().min(resident + more);
            let mut made = session.phrases(0, threads, &wanted[..end], &keys[..end], provider)?;
            let mut build = |missing: &[usize]| build(missing, &wanted, &mut made, provider, threads);
            // All so far are wanted again, so that what is new does not evict them.
            if session.ensure_beside(&keys[..end], &mut build)?.is_some() {
                resident = end;
                more = if fits { 2 * more } else { more / 2 };
            } else {
                fits = false;
                more = (end - resident) / 2;
            }
        }
        Ok(resident)
    }
}
