//! Where a batch of ranked queries is to run.

use super::OPENING;
use crate::device::{self, Device};
use crate::error::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Nanoseconds that a query takes a core, assumed (a million passages, 2 to 4 words).
const ON_CPU: f64 = 3e5;

/// Batches of fewer queries stay on the CPU: a call takes the device as long as a core takes for some queries, and other
/// processes would wait for it.
const FEW: usize = 32;

/// The device to rank that many queries, if it is a GPU or an accelerator, and open or worth opening: see
/// [`choose`](super::choose).
pub(in crate::engine) fn choose_for_queries(selector: &str, queries: usize) -> Result<Option<Arc<Device>>> {
    /// Nanoseconds that a device would have saved so far.
    static LOST: AtomicU64 = AtomicU64::new(0);

    if queries < FEW || device::is_none(selector) {
        return Ok(None);
    }
    let device = match device::opened(selector) {
        Some(device) => Some(device),
        None => {
            let saving = queries as f64 * ON_CPU;
            if LOST.fetch_add(saving as u64, Relaxed) as f64 + saving < OPENING {
                return Ok(None);
            }
            device::select(selector)?
        }
    };
    Ok(device.filter(|device| device.info().kind != "CPU"))
}
