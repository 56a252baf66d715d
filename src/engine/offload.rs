//! Running an operation on the device or on the CPU, as the settings and the cost model say.

use super::cost::{self, Work};
use super::stats::{CPU_CALLS, DEVICE_CALLS, DEVICE_FAILURES};
use crate::codec::Sink;
use crate::device::{self, Device, DeviceInfo};
use crate::error::Result;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

/// When work goes to the device (`postings.offload`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offload {
    /// Where the cost model says that it wins, transfer included.
    #[default]
    Auto,
    /// Whenever there is a device and a kernel.
    Always,
    /// Never.
    Never,
}

/// What the caller set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Which device (`postings.device`): see [`device::select`].
    pub device: String,
    /// When to use it (`postings.offload`).
    pub offload: Offload,
    /// Threads that a batch may use on the CPU (`postings.threads`); 0: as many as this process has cores.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { device: "auto".into(), offload: Offload::Auto, threads: 0 }
    }
}

/// The devices of this machine.
pub fn devices(settings: &Settings) -> Vec<DeviceInfo> {
    device::devices(&settings.device)
}

/// Runs an operation where it is cheapest.
///
/// `work` and `missing` are for the cost model: what there is to do, and how many bytes of it a device lacks.
pub(super) fn run<T>(
    settings: &Settings,
    work: impl FnOnce() -> Option<Work>,
    missing: impl FnOnce(&Device) -> u64,
    on_device: impl FnOnce(&Device) -> Result<T>,
    cpu: impl FnOnce() -> T,
) -> T {
    match wanted(settings, |selector| cost::choose(selector, work(), missing)) {
        Some(device) => run_on(&device, on_device, cpu),
        None => on_cpu(cpu),
    }
}

/// Runs an operation on a device. If that fails, it costs a retry on the CPU, a warning and a count.
pub(super) fn run_on<T>(device: &Device, on_device: impl FnOnce(&Device) -> Result<T>, cpu: impl FnOnce() -> T) -> T {
    match on_device(device) {
        Ok(result) => {
            DEVICE_CALLS.fetch_add(1, Relaxed);
            result
        }
        Err(error) => {
            failed(&error);
            on_cpu(cpu)
        }
    }
}

/// Runs an operation on the CPU, and counts it.
pub fn on_cpu<T>(cpu: impl FnOnce() -> T) -> T {
    CPU_CALLS.fetch_add(1, Relaxed);
    cpu()
}

/// The device that an operation is to run on; `auto` says so if the settings leave it open.
fn wanted(settings: &Settings, auto: impl FnOnce(&str) -> Result<Option<Arc<Device>>>) -> Option<Arc<Device>> {
    let device = match settings.offload {
        Offload::Never => Ok(None),
        Offload::Always => device::select(&settings.device),
        Offload::Auto => auto(&settings.device),
    };
    device.unwrap_or_else(|error| {
        failed(&error);
        None
    })
}

/// The device for an operation on raw bytes: only if the settings insist. The CPU has to check the bytes first, which
/// costs it about as much as decoding them, and the device would still have to get them and give docIDs back.
pub(super) fn insisted(settings: &Settings) -> Option<Arc<Device>> {
    wanted(settings, |_| Ok(None))
}

/// Counts a failure, and warns once of each reason, the first 32 of them: others go to the debug log.
fn failed(error: &crate::Error) {
    static WARNED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    DEVICE_FAILURES.fetch_add(1, Relaxed);
    let reason = error.to_string();
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.len() >= 32 || warned.contains(&reason) {
        log::debug!("{reason}; the CPU is used instead");
    } else {
        log::warn!("{reason}; the CPU is used instead");
        warned.push(reason);
    }
}

/// Makes ready what `postings.offload=auto` would make ready once it pays: opens the device, and measures or loads the
/// cost model's rates. For measurements and for long-lived workers. Whether there is a device.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device).
pub fn prepare(settings: &Settings) -> Result<bool> {
    match device::select(&settings.device)? {
        Some(device) => cost::rates(&device).map(|rates| rates.is_some()),
        None => Ok(false),
    }
}

/// Gives the docIDs that a device found to a sink.
pub(super) fn give(doc_ids: &[u32], sink: &mut impl Sink) {
    if sink.expect(doc_ids.len()) {
        sink.take(doc_ids);
    }
}
