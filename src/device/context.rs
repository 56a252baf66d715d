//! The devices that a process has found and those it has opened.
//!
//! Both are filled on first use, and belong to the process that filled them (see `owner`).

use super::handle::Device;
use super::owner;
use super::platform::{self, DeviceInfo, Found};
use super::trial;
use crate::base::environment;
use crate::base::error::{Error, Result};
use once_cell::sync::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether OpenCL may be used at all.
static ALLOWED: AtomicBool = AtomicBool::new(true);
/// Whether this process has logged why it uses no device: it was forked, or its environment changed.
static TOLD: AtomicBool = AtomicBool::new(false);
/// Whether the trial failed, which has been logged.
static FAILED: AtomicBool = AtomicBool::new(false);
/// The devices found on first use. A forked child may read them, because they are plain data.
static FOUND: OnceCell<Vec<Found>> = OnceCell::new();
static USED: Mutex<Used> = Mutex::new(Used { devices: Vec::new(), selectors: None });

struct Used {
    /// By index in `FOUND`: `None` before the first use, then the open device or why it cannot be used.
    devices: Vec<Option<Result<Device>>>,
    /// The selectors resolved so far, as indices in `FOUND`.
    selectors: Option<HashMap<String, Option<usize>>>,
}

/// The table of selectors is cleared when it would exceed this; no program is expected to use as many.
const MAX_SELECTORS: usize = 64;
const MAX_SELECTOR_BYTES: usize = 256;

/// See [`super::allow_opencl`].
pub(super) fn allow(allowed: bool) {
    ALLOWED.store(allowed, Relaxed);
}

/// See [`super::is_allowed`].
pub(super) fn is_allowed() -> bool {
    ALLOWED.load(Relaxed)
}

/// The devices, looked for on first use.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) if the environment has changed in a way that forbids looking for them.
fn found() -> Result<&'static [Found]> {
    // Other threads wait: to them the environment would seem to have changed, as drivers change it when they start.
    let found = FOUND.get_or_try_init(|| {
        let _guard = environment::guard()?;
        Ok(match trial::passes(|| drop(platform::enumerate())) {
            Ok(()) => platform::enumerate(),
            Err(reason) => {
                FAILED.store(true, Relaxed);
                log::warn!("OpenCL is not used: {reason}");
                Vec::new()
            }
        })
    });
    found.map(Vec::as_slice)
}

/// See [`super::devices`].
pub(super) fn devices(selector: &str) -> Vec<DeviceInfo> {
    if !is_allowed() {
        return Vec::new();
    }
    let ours = owner::claim();
    let found = match FOUND.get() {
        None if ours => found().unwrap_or_else(|error| {
            if !TOLD.swap(true, Relaxed) {
                log::warn!("{error}; no devices are looked for");
            }
            &[]
        }),
        found => found.map_or(&[][..], Vec::as_slice),
    };
    let selected = platform::choose(found, selector).filter(|_| ours);
    let selected = selected.and_then(|selected| used().not_lost(found, selector, selected));
    let mark =
        |(index, device): (usize, &Found)| DeviceInfo { selected: selected == Some(index), ..device.info.clone() };
    found.iter().enumerate().map(mark).collect()
}

/// See [`super::select`].
pub(super) fn select(selector: &str) -> Result<Option<Device>> {
    if platform::means_none(selector) || !is_allowed() {
        return Ok(None);
    }
    if !owner::claim() {
        let had_one = FOUND.get().is_none_or(|found| platform::choose(found, selector).is_some());
        return if had_one { told_once(owner::forked()) } else { Ok(None) };
    }
    let found = match found() {
        Ok(found) => found,
        Err(error) => return told_once(error),
    };
    let mut used = used();
    match used.resolve(found, selector).and_then(|selected| used.not_lost(found, selector, selected)) {
        Some(index) => used.open(found, index),
        None => Ok(None),
    }
}

/// Whether a selector that means one device means another, too: those of its platform that have the same name, unless it
/// is `P:D`.
fn is_twin(found: &[Found], selector: &str, selected: usize, other: usize) -> bool {
    let [own, name] = [selected, other].map(|index| &found[index].info);
    selected == other || (!platform::is_place(selector) && (&own.platform, &own.name) == (&name.platform, &name.name))
}

/// See [`super::twins`].
pub(super) fn twins(selector: &str) -> Vec<Device> {
    let Some(found) = FOUND.get().filter(|_| is_allowed() && owner::is_ours()) else { return Vec::new() };
    let mut used = used();
    let Some(selected) = used.resolve(found, selector) else { return Vec::new() };
    let twins = (0..found.len()).filter(|&index| is_twin(found, selector, selected, index));
    let open = twins.map(|index| used.open(found, index));
    open.filter_map(|twin| twin.inspect_err(|error| log::debug!("a device is left out: {error}")).ok().flatten())
        .filter(|twin| !twin.is_lost())
        .collect()
}

/// See [`super::opened_twins`].
pub(super) fn opened_twins(selector: &str) -> Vec<Device> {
    let Some(found) = FOUND.get().filter(|_| is_allowed() && owner::is_ours()) else { return Vec::new() };
    let mut used = used();
    let Some(selected) = used.resolve(found, selector) else { return Vec::new() };
    let twins = (0..found.len()).filter(|&index| is_twin(found, selector, selected, index));
    let opened = twins.filter_map(|index| used.devices.get(index)?.as_ref()?.as_ref().ok());
    opened.filter(|twin| !twin.is_lost()).cloned().collect()
}

/// Returns the error the first time, and `Ok(None)` from then on.
fn told_once<T>(error: Error) -> Result<Option<T>> {
    if TOLD.swap(true, Relaxed) { Ok(None) } else { Err(error) }
}

/// See [`super::opened`].
pub(super) fn opened(selector: &str) -> Option<Device> {
    let found = FOUND.get().filter(|_| is_allowed() && owner::is_ours())?;
    let mut used = used();
    let selected = used.resolve(found, selector)?;
    let index = used.not_lost(found, selector, selected)?;
    used.devices.get(index)?.as_ref()?.as_ref().ok().cloned()
}

fn used() -> MutexGuard<'static, Used> {
    // A panic cannot leave the tables inconsistent, so a poisoned lock is safe to use.
    USED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Used {
    /// The device with that index in `FOUND`, opened on first use.
    fn open(&mut self, found: &[Found], index: usize) -> Result<Option<Device>> {
        self.devices.resize_with(found.len(), || None);
        if let Some(device) = &self.devices[index] {
            return device.clone().map(Some);
        }
        match environment::guard() {
            Ok(_guard) => self.devices[index].insert(Device::open(&found[index])).clone().map(Some),
            Err(error) => told_once(error),
        }
    }

    /// The device to use if a selector means the one with that index in `FOUND`: itself, or a twin if it is lost.
    fn not_lost(&self, found: &[Found], selector: &str, selected: usize) -> Option<usize> {
        let is_lost = |index: usize| matches!(self.devices.get(index), Some(Some(Ok(device))) if device.is_lost());
        let twins = (0..found.len()).filter(|&index| is_twin(found, selector, selected, index));
        std::iter::once(selected).chain(twins).find(|&index| !is_lost(index))
    }

    /// The index in `FOUND` of the device that a selector means.
    fn resolve(&mut self, found: &[Found], selector: &str) -> Option<usize> {
        let selectors = self.selectors.get_or_insert_default();
        if let Some(&index) = selectors.get(selector) {
            return index;
        }
        let index = platform::choose(found, selector);
        if selectors.len() >= MAX_SELECTORS {
            selectors.clear();
        }
        if selector.len() <= MAX_SELECTOR_BYTES {
            // Logged once per selector, because the result is kept. With `auto`, having no device is normal.
            let said = selector.trim().eq_ignore_ascii_case("auto") || FAILED.load(Relaxed);
            if index.is_none() && !said {
                log::warn!("no OpenCL device matches {selector:?}; the CPU is used instead");
            }
            selectors.insert(selector.to_owned(), index);
        }
        index
    }
}
