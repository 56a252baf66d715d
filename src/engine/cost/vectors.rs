//! Whether a device is to look for the nearest vectors.
//!
//! Nothing is measured or learned for this: the CPU takes a time for each dimension of a row and a query, which is known for each tier; a device
//! a time for each dimension of a row and 64 queries, and one for the call. A device that lacks vectors, or is not open yet, gets them
//! once the time that it would have saved adds up to what that takes, so that no process loses more than twice as much.

use super::{MARGIN, OPENING};
use crate::base::cpu::{self, Tier};
use crate::base::error::Result;
use crate::base::threads;
use crate::device::{self, Device};
use crate::engine::settings::Settings;
use crate::vector::Shape;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Nanoseconds that a thread of the CPU takes per dimension, row and query: a million vectors of 384 dimensions in 11, 19 and 127 ms.
fn on_thread(tier: Tier) -> f64 {
    match tier {
        // Plain code.
        Tier::Scalar | Tier::Neon => 0.33,
        Tier::Avx2 => 0.05,
        Tier::Avx512 => 0.029,
    }
}

/// Nanoseconds that a device takes per dimension, row and query, of which it always takes so many: those of a card
/// with 10^13 multiplications of bytes a second, of which newer ones do many times as many.
const ON_DEVICE: f64 = 1e-4;
const TOGETHER: usize = 64;
/// Nanoseconds of a call without rows.
const CALL: f64 = 1e6;
/// Nanoseconds to encode and send a dimension of a row.
const SENT: f64 = 0.5;

/// What there is to do.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct VectorWork {
    pub(in crate::engine) shape: Shape,
    pub(in crate::engine) queries: usize,
    pub(in crate::engine) rows: u64,
    /// The rows that may be hits.
    pub(in crate::engine) counting: u64,
}

impl VectorWork {
    pub(in crate::engine) fn new(shape: Shape, queries: usize, rows: u64) -> VectorWork {
        VectorWork { shape, queries, rows, counting: rows }
    }

    fn on_cpu(&self, settings: &Settings) -> f64 {
        let threads = threads::at_most(settings.threads, self.queries) as f64;
        on_thread(cpu::tier()) * self.products(self.counting, self.queries) / threads
    }

    fn on_device(&self) -> f64 {
        CALL + ON_DEVICE * self.products(self.rows, self.queries.next_multiple_of(TOGETHER))
    }

    fn products(&self, rows: u64, queries: usize) -> f64 {
        rows as f64 * queries as f64 * f64::from(self.shape.dimensions)
    }
}

/// Whether a device could be worth it.
pub(in crate::engine) fn may_offload(settings: &Settings, work: &VectorWork) -> bool {
    work.on_device() < MARGIN * work.on_cpu(settings) && !device::is_none(&settings.device)
}

/// The device that is to look for the nearest vectors, if that is expected to be faster. `missing` says how many rows a device
/// lacks.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) if the device cannot be used.
pub(in crate::engine) fn choose_for_vectors(
    settings: &Settings,
    work: &VectorWork,
    fits: impl Fn(&Device) -> bool,
    missing: impl Fn(&Device) -> u64,
) -> Result<Option<Device>> {
    /// Nanoseconds that devices would have saved so far.
    static LOST: AtomicU64 = AtomicU64::new(0);

    if !may_offload(settings, work) {
        return Ok(None);
    }
    let usable = |device: &Device| device.info().kind != "CPU" && fits(device);
    let opened = settings.opened();
    if opened.as_ref().is_some_and(|device| !usable(device)) {
        return Ok(None);
    }
    let (opening, missing) = match &opened {
        Some(device) => (0.0, missing(device)),
        None => (OPENING, work.rows),
    };
    let costs = opening + SENT * missing as f64 * f64::from(work.shape.dimensions);
    let saving = work.on_cpu(settings) - work.on_device();
    if costs > 0.0 && (LOST.fetch_add(saving as u64, Relaxed) as f64) + saving < costs {
        return Ok(None);
    }
    if costs > 0.0 {
        LOST.store(0, Relaxed);
    }
    match opened {
        Some(device) => Ok(Some(device)),
        None => Ok(settings.select()?.filter(usable)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{Metric, Precision};

    #[test]
    fn much_work_is_worth_a_device() {
        let shape = Shape { dimensions: 384, metric: Metric::Cosine, precision: Precision::Bits32 };
        let work = |queries, rows| VectorWork::new(shape, queries, rows);
        let saves = |threads, work: VectorWork| {
            work.on_device() < MARGIN * work.on_cpu(&Settings { threads, ..Settings::default() })
        };
        assert!(saves(16, work(1000, 1_000_000)) && saves(1, work(100, 100_000)));
        assert!(!saves(1, work(1, 10_000)) && !saves(1, work(100, 100)) && !saves(1, work(0, 1_000_000)));
        // Of many rows few count.
        assert!(!saves(16, VectorWork { counting: 100, ..work(64, 1_000_000) }));
    }
}
