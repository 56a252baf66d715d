//! [`Settings`]: how a call is to run.

use crate::base::error::Result;
use crate::device::{self, Device};
use std::time::Duration;

/// When work goes to the device (`postings.offload`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offload {
    /// If the cost model expects it to be faster, transfers included.
    #[default]
    Auto,
    /// Always, if there is a device and a kernel for the operation.
    Always,
    /// Never.
    Never,
}

/// How several devices divide a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Division {
    /// By queries, unless a device has no room for the lists of the index.
    #[default]
    Auto,
    /// By queries: each device has all segments.
    Queries,
    /// By segments, if there are several: each device has all queries.
    Segments,
}

/// The settings of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The device to use (`postings.device`): see [`select`](crate::device::select).
    pub device: String,
    /// When to use it (`postings.offload`).
    pub offload: Offload,
    /// The most threads that a batch may use on the CPU (`postings.threads`); 0 means one per core available to this
    /// process.
    pub threads: usize,
    /// Bytes of device memory that ranked search may keep lists in (`postings.device_memory`); 0 means a quarter of it.
    pub device_memory: u64,
    /// How long to wait for a device that makes no progress (`postings.device_timeout`); zero means without a limit. See
    /// [`Device::with_timeout`].
    pub device_timeout: Duration,
    /// How several devices divide a batch of ranked queries. For benchmarks and tests: all ways give the same results.
    pub division: Division,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            device: "auto".into(),
            offload: Offload::Auto,
            threads: 0,
            device_memory: 0,
            device_timeout: device::USUAL_LIMIT,
            division: Division::Auto,
        }
    }
}

/// The devices of these settings, with their limit of time.
impl Settings {
    /// As [`device::select`].
    pub(super) fn select(&self) -> Result<Option<Device>> {
        Ok(device::select(&self.device)?.map(|device| self.limited(&device)))
    }

    /// As [`device::opened`].
    pub(super) fn opened(&self) -> Option<Device> {
        device::opened(&self.device).map(|device| self.limited(&device))
    }

    /// As [`device::twins`].
    pub(super) fn twins(&self) -> Vec<Device> {
        device::twins(&self.device).iter().map(|device| self.limited(device)).collect()
    }

    /// As [`device::opened_twins`].
    pub(super) fn opened_twins(&self) -> Vec<Device> {
        device::opened_twins(&self.device).iter().map(|device| self.limited(device)).collect()
    }

    fn limited(&self, device: &Device) -> Device {
        device.with_timeout(self.device_timeout)
    }
}
