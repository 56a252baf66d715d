//! Counters of what ran on the CPU and on the device.

use crate::device::{self, CacheStats};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Operations run on the CPU, including those that failed on the device first.
    pub cpu_calls: u64,
    /// Operations that succeeded on the device.
    pub device_calls: u64,
    /// Failures of the device. An operation that failed there ran on the CPU instead.
    pub device_failures: u64,
    /// Bytes sent to the device.
    pub bytes_to_device: u64,
    /// Bytes read back from the device.
    pub bytes_from_device: u64,
    /// What ranked search keeps in device memory.
    pub cache: CacheStats,
}

pub(super) static CPU_CALLS: AtomicU64 = AtomicU64::new(0);
pub(super) static DEVICE_CALLS: AtomicU64 = AtomicU64::new(0);
pub(super) static DEVICE_FAILURES: AtomicU64 = AtomicU64::new(0);

/// A snapshot of the counters.
pub fn stats() -> Stats {
    Stats {
        cpu_calls: CPU_CALLS.load(Relaxed),
        device_calls: DEVICE_CALLS.load(Relaxed),
        device_failures: DEVICE_FAILURES.load(Relaxed),
        bytes_to_device: device::bytes_to_device(),
        bytes_from_device: device::bytes_from_device(),
        cache: device::cache_stats(),
    }
}
