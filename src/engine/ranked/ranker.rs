//! [`Ranker`]: what ranks batches.

use crate::base::error::Result;
use crate::device::{Device, Provider, RankBatch, Take};

/// What ranks batches: a device, or several together.
pub(crate) trait Ranker {
    /// As [`Device::rank`].
    fn rank<T: Send>(&self, batch: &RankBatch, provider: &dyn Provider, take: &Take<'_, T>) -> Result<Vec<Option<T>>>;
}

impl Ranker for Device {
    fn rank<T: Send>(&self, batch: &RankBatch, provider: &dyn Provider, take: &Take<'_, T>) -> Result<Vec<Option<T>>> {
        Device::rank(self, batch, provider, take)
    }
}
