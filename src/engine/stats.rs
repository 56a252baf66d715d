//! Counters of what ran where.

use crate::device;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters of this process, since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Operations done on the CPU, retries of failed device calls included.
    pub cpu_calls: u64,
    /// Operations done on the device.
    pub device_calls: u64,
    /// Device calls that failed; each was done on the CPU instead.
    pub device_failures: u64,
    /// Bytes sent to the device.
    pub bytes_to_device: u64,
    /// Bytes read back from it.
    pub bytes_from_device: u64,
}

pub(super) static CPU_CALLS: AtomicU64 = AtomicU64::new(0);
pub(super) static DEVICE_CALLS: AtomicU64 = AtomicU64::new(0);
pub(super) static DEVICE_FAILURES: AtomicU64 = AtomicU64::new(0);

/// The counters now.
pub fn stats() -> Stats {
    Stats {
        cpu_calls: CPU_CALLS.load(Relaxed),
        device_calls: DEVICE_CALLS.load(Relaxed),
        device_failures: DEVICE_FAILURES.load(Relaxed),
        bytes_to_device: device::bytes_to_device(),
        bytes_from_device: device::bytes_from_device(),
    }
}
