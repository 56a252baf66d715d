//! What a process keeps: the devices found and those in use.
//!
//! All of it is made at the first call that wants a device, and belongs to the process that made it (see `owner`).

use super::handle::Device;
use super::owner;
use super::platform::{self, DeviceInfo, Found};
use super::trial;
use crate::environment;
use crate::error::Result;
use once_cell::sync::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Whether OpenCL may be used at all.
static ALLOWED: AtomicBool = AtomicBool::new(true);
/// Whether this process has said why it uses no device: that it was forked, or that its environment changed.
static TOLD: AtomicBool = AtomicBool::new(false);
/// Whether the trial failed, which was said.
static FAILED: AtomicBool = AtomicBool::new(false);
/// The devices found on first use. A forked child may read them: they are plain data.
static FOUND: OnceCell<Vec<Found>> = OnceCell::new();
static USED: Mutex<Used> = Mutex::new(Used { devices: Vec::new(), selectors: None });

struct Used {
    /// By index in `FOUND`: not asked for yet, in use, or why it cannot be used.
    devices: Vec<Option<Result<Arc<Device>>>>,
    /// Selectors resolved before: indices in `FOUND`.
    selectors: Option<HashMap<String, Option<usize>>>,
}

/// More selectors than a program uses; with more, the table starts over.
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
/// [`Error::Device`](crate::Error::Device): they cannot be looked for with the environment as it is now.
fn found() -> Result<&'static [Found]> {
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    environment::guarding(|| {
        FOUND.get_or_init(|| match trial::passes(|| drop(platform::enumerate())) {
            Ok(()) => platform::enumerate(),
            Err(reason) => {
                FAILED.store(true, Relaxed);
                log::warn!("OpenCL is not used: {reason}");
                Vec::new()
            }
        })
    })
    .map(Vec::as_slice)
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
    let mark =
        |(index, device): (usize, &Found)| DeviceInfo { selected: selected == Some(index), ..device.info.clone() };
    found.iter().enumerate().map(mark).collect()
}

/// See [`super::select`].
pub(super) fn select(selector: &str) -> Result<Option<Arc<Device>>> {
    if platform::means_none(selector) || !is_allowed() {
        return Ok(None);
    }
    if !owner::claim() {
        let had_one = FOUND.get().is_none_or(|found| platform::choose(found, selector).is_some());
        return if had_one { told_once(Err(owner::forked())) } else { Ok(None) };
    }
    let found = match found() {
        Ok(found) => found,
        Err(error) => return told_once(Err(error)),
    };
    let mut used = used();
    let Some(index) = used.resolve(found, selector) else {
        return Ok(None);
    };
    used.devices.resize_with(found.len(), || None);
    if let Some(device) = &used.devices[index] {
        return device.clone().map(Some);
    }
    match environment::guarding(|| Device::open(&found[index]).map(Arc::new)) {
        Ok(device) => used.devices[index].insert(device).clone().map(Some),
        Err(error) => told_once(Err(error)),
    }
}

/// The error, the first time; from then on there is no device.
fn told_once<T>(error: Result<Option<T>>) -> Result<Option<T>> {
    if TOLD.swap(true, Relaxed) { Ok(None) } else { error }
}

/// See [`super::opened`].
pub(super) fn opened(selector: &str) -> Option<Arc<Device>> {
    let found = FOUND.get().filter(|_| is_allowed() && owner::is_ours())?;
    let mut used = used();
    let index = used.resolve(found, selector)?;
    used.devices.get(index)?.as_ref()?.as_ref().ok().cloned()
}

fn used() -> MutexGuard<'static, Used> {
    // What a panic could leave behind is whole: the tables are only ever added to.
    USED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Used {
    /// The index in `FOUND` that a selector means.
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
            // Said once, as the answer is kept. With `auto` there need not be a device.
            let said = selector.trim().eq_ignore_ascii_case("auto") || FAILED.load(Relaxed);
            if index.is_none() && !said {
                log::warn!("no OpenCL device matches {selector:?}; the CPU is used instead");
            }
            selectors.insert(selector.to_owned(), index);
        }
        index
    }
}
