//! [`Ranker`]: what ranks batches.

use crate::base::error::Result;
use crate::device::{Device, Provider, RankBatch, Ranked};

/// What ranks batches: a device, or several together.
pub(crate) trait Ranker {
    /// As [`Device::rank`].
    fn rank(&self, batch: RankBatch, provider: &dyn Provider) -> Result<Vec<Option<Ranked>>>;
}

impl Ranker for Device {
    fn rank(&self, batch: RankBatch, provider: &dyn Provider) -> Result<Vec<Option<Ranked>>> {
        Device::rank(self, batch, provider)
    }
}
