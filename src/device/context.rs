//! What a process keeps: the devices found, those in use, and whose they are.
//!
//! All of it is made at the first call that wants a device, and belongs to the process that made it. A child forked
//! after that must not touch OpenCL at all (its drivers' threads are gone, and their locks may be held for ever), so
//! every way in asks [`is_ours`] first, and handles that such a child drops are not released. A child forked before
//! makes its own.

use super::platform::{self, Found};
use super::{Device, DeviceInfo};
use crate::error::{Error, Result};
use once_cell::sync::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The process that uses OpenCL; 0 before any does.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Whether this forked child has said that it will not use the device.
static TOLD: AtomicBool = AtomicBool::new(false);
/// The devices found, at the first use. A forked child may read them: they are plain data.
static FOUND: OnceCell<Vec<Found>> = OnceCell::new();
static USED: Mutex<Used> = Mutex::new(Used { devices: Vec::new(), selectors: None });

struct Used {
    /// By index in `FOUND`: not asked for yet, in use, or why it cannot be used.
    devices: Vec<Option<Result<Arc<Device>>>>,
    /// Selectors resolved before: indices in `FOUND`.
    selectors: Option<HashMap<String, Option<usize>>>,
}

/// More selectors than a program uses; beyond, the memory of them starts over.
const MAX_SELECTORS: usize = 64;
const MAX_SELECTOR_BYTES: usize = 256;

/// Whether this process is the one that uses OpenCL.
pub(super) fn is_ours() -> bool {
    OWNER.load(Ordering::Relaxed) == std::process::id()
}

/// Makes this process the one that uses OpenCL, if none is. False in a child whose parent is.
fn enter() -> bool {
    let me = std::process::id();
    match OWNER.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(owner) => owner == me,
    }
}

/// Why a forked child has no device.
pub(super) fn forked() -> Error {
    Error::Device("this process was forked after its parent used OpenCL".into())
}

fn found() -> &'static [Found] {
    FOUND.get_or_init(platform::enumerate)
}

/// See [`super::devices`].
pub(super) fn devices(selector: &str) -> Vec<DeviceInfo> {
    let ours = enter();
    let found = if ours { found() } else { FOUND.get().map_or(&[][..], Vec::as_slice) };
    let selected = platform::choose(found, selector).filter(|_| ours);
    let mark =
        |(index, device): (usize, &Found)| DeviceInfo { selected: selected == Some(index), ..device.info.clone() };
    found.iter().enumerate().map(mark).collect()
}

/// See [`super::select`].
pub(super) fn select(selector: &str) -> Result<Option<Arc<Device>>> {
    if platform::means_none(selector) {
        return Ok(None);
    }
    if !enter() {
        let had_one = FOUND.get().is_none_or(|found| platform::choose(found, selector).is_some());
        return if had_one && !TOLD.swap(true, Ordering::Relaxed) { Err(forked()) } else { Ok(None) };
    }
    let found = found();
    let mut used = used();
    let Some(index) = used.resolve(found, selector) else {
        return Ok(None);
    };
    used.devices.resize_with(found.len(), || None);
    used.devices[index].get_or_insert_with(|| Device::open(&found[index]).map(Arc::new)).clone().map(Some)
}

/// See [`super::opened`].
pub(super) fn opened(selector: &str) -> Option<Arc<Device>> {
    let found = FOUND.get().filter(|_| is_ours())?;
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
            if index.is_none() && !selector.trim().eq_ignore_ascii_case("auto") {
                log::warn!("no OpenCL device matches {selector:?}; the CPU is used instead");
            }
            selectors.insert(selector.to_owned(), index);
        }
        index
    }
}
