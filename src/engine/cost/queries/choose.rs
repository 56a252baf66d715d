//! Whether a device is to rank a batch.

use super::batch::{Batch, LOST};
use super::models::{Models, models};
use super::resident::divides_segments;
use super::sample::Sample;
use crate::base::error::Result;
use crate::device::{self, Device, MOST_HITS};
use crate::engine::cost::OPENING;
use std::sync::atomic::Ordering::Relaxed;

/// Batches of fewer queries are not looked at before a device is open: it is opened once queries have taken long.
const FEW: usize = 32;
/// So many queries, times documents, take a CPU thread less time than a device needs for nothing.
const TRIFLE: u64 = 4000;

/// The device to rank these queries, or some of them, if that is expected to be faster, transfers included. A device is
/// opened only if it is worth it: see [`choose`](crate::engine::cost::choose).
pub(in crate::engine) fn choose_for_queries(batch: &Batch) -> Result<Option<Device>> {
    let settings = batch.settings;
    let work = batch.queries.len() as u64 * batch.index.snapshot().documents();
    // Options that are wrong are not the device's failure.
    let k = batch.index.wanted(batch.options).unwrap_or(0);
    if device::is_none(&settings.device) || work <= TRIFLE || k == 0 || k > MOST_HITS {
        return Ok(None);
    }
    let usable = |device: &Device| device.info().kind != "CPU" && k <= device.most_hits();
    if let Some(device) = settings.opened() {
        if !usable(&device) {
            return Ok(None);
        }
        let Ok(sample) = Sample::of(batch, k, &models(&device)) else { return Ok(None) };
        let holders = match divides_segments(batch.index, settings, &device) {
            true => settings.opened_twins(),
            false => vec![device.clone()],
        };
        if sample.offloads(&holders) {
            let _ = batch.sampled.set(sample.costs);
            return Ok(Some(device));
        }
        let [expected, _] = sample.times(0.0);
        let _ = batch.expected.set((device, expected));
        return Ok(None);
    }
    let lost = LOST.load(Relaxed) as f64;
    if lost < OPENING {
        let saving = match batch.queries.len() < FEW {
            true => 0.0,
            false => Sample::of(batch, k, Models::assumed()).map_or(0.0, |sample| sample.saving()),
        };
        if lost + saving < OPENING {
            return Ok(None);
        }
    }
    Ok(settings.select()?.filter(usable))
}
