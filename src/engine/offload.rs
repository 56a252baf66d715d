//! Runs an operation on the device or the CPU, depending on the settings and the cost model.

use super::cost::{self, Work};
use super::settings::{Offload, Settings};
use super::stats::{CPU_CALLS, DEVICE_CALLS, DEVICE_FAILURES};
use crate::base::error::Result;
use crate::codec::Sink;
use crate::device::{self, Device, DeviceInfo};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

/// The devices of this machine; the one that `settings` select is marked.
pub fn devices(settings: &Settings) -> Vec<DeviceInfo> {
    device::devices(&settings.device)
}

/// Runs an operation where the settings and the cost model place it.
///
/// The cost model uses `work`, what there is to do, and `missing`, the bytes of its lists that a device does not hold
/// yet.
pub(super) fn run<T>(
    settings: &Settings,
    work: impl FnOnce() -> Option<Work>,
    missing: impl FnOnce(&Device) -> u64,
    on_device: impl FnOnce(&Device) -> Result<T>,
    cpu: impl FnOnce() -> T,
) -> T {
    match place(settings, || cost::choose(settings, work(), missing)) {
        Some(device) => run_on(&device, on_device, cpu),
        None => on_cpu(cpu),
    }
}

/// Runs an operation on a device. If that fails, it is counted, a warning is logged, and the operation runs on the CPU.
pub(super) fn run_on<T>(device: &Device, on_device: impl FnOnce(&Device) -> Result<T>, cpu: impl FnOnce() -> T) -> T {
    try_on(device, on_device).unwrap_or_else(|| on_cpu(cpu))
}

/// Runs an operation on a device, and counts it. If it fails, that is counted, a warning is logged, and there is no result.
pub(super) fn try_on<T>(device: &Device, on_device: impl FnOnce(&Device) -> Result<T>) -> Option<T> {
    match on_device(device) {
        Ok(result) => {
            DEVICE_CALLS.fetch_add(1, Relaxed);
            Some(result)
        }
        Err(error) => {
            failed(&error);
            None
        }
    }
}

/// Runs an operation on the CPU, and counts it.
pub fn on_cpu<T>(cpu: impl FnOnce() -> T) -> T {
    CPU_CALLS.fetch_add(1, Relaxed);
    cpu()
}

/// The device to run an operation on, if any; `auto` decides if `postings.offload` is `auto`.
pub(super) fn place(settings: &Settings, auto: impl FnOnce() -> Result<Option<Device>>) -> Option<Device> {
    let device = match settings.offload {
        Offload::Never => Ok(None),
        Offload::Always => settings.select(),
        Offload::Auto => auto(),
    };
    device.unwrap_or_else(|error| {
        failed(&error);
        None
    })
}

/// The device for an operation on raw bytes: only with `offload=always`. `auto` never offloads raw bytes, because the
/// CPU must check them first, which costs about as much as decoding them, before they could be sent.
pub(super) fn insisted(settings: &Settings) -> Option<Device> {
    place(settings, || Ok(None))
}

/// Counts a failure. Each of the first 32 distinct reasons is logged as a warning once; everything else goes to the
/// debug log.
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

/// Opens the device and loads or measures the cost model's rates ahead of time, for benchmarks and long-lived workers.
/// Returns whether there is a device that `auto` can use.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device).
pub fn prepare(settings: &Settings) -> Result<bool> {
    match settings.select()? {
        Some(device) => cost::rates(&device).map(|rates| rates.is_some()),
        None => Ok(false),
    }
}

/// Passes docIDs that a device found to a sink.
pub(super) fn give(doc_ids: &[u32], sink: &mut impl Sink) {
    if sink.expect(doc_ids.len()) {
        sink.take(doc_ids);
    }
}
