//! [`Device`], the handle of an open device. Operations are its methods.

use super::link::{Link, WORD};
use super::memory::{Name, cache_words};
use super::owner;
use super::platform::{DeviceInfo, Found, Limits};
use super::session::{Inner, Session};
use super::wait::{Lost, USUAL_LIMIT};
use crate::base::error::{Error, Result};
use crate::list::PostingList;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An open device. Clones are the same device; calls from several threads take turns. How long operations wait belongs to the
/// handle, so that each user of a shared device has a limit of its own.
#[derive(Clone)]
pub struct Device {
    shared: Arc<Shared>,
    /// How long a wait goes on without progress, if there is a limit.
    patience: Option<Duration>,
}

/// Context, queue, programs and memory.
struct Shared {
    info: DeviceInfo,
    target: String,
    limits: Limits,
    inner: Mutex<Inner>,
    profiling: AtomicBool,
    lost: Lost,
}

/// How long a kernel ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelTime {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Nanoseconds on the device, launch not included.
    pub nanoseconds: u64,
}

impl Device {
    pub(super) fn open(found: &Found) -> Result<Device> {
        let target = found.target();
        let link = Link::open(found)?;
        let lost = link.lost.clone();
        let inner = Mutex::new(Inner::new(link, &target));
        let (info, limits, profiling) = (found.info.clone(), found.limits, AtomicBool::new(false));
        let shared = Arc::new(Shared { info, target, limits, inner, profiling, lost });
        Ok(Device { shared, patience: Some(USUAL_LIMIT) })
    }

    /// Locks the device for one operation; waits while another thread holds it.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost, in a child forked after its parent used it, if a thread panicked while it
    /// held the lock, or as [`Session::begin`].
    pub(crate) fn lock(&self) -> Result<Session<'_>> {
        if !owner::is_ours() {
            return Err(owner::forked());
        }
        let locked = self.shared.inner.lock();
        let mut inner = locked.map_err(|_| Error::Device("a thread panicked while it held the device".into()))?;
        inner.link.patience = self.patience;
        Session::begin(inner, &self.shared.profiling)
    }

    /// The same device, for operations that wait so long at most without any progress. Zero means no limit; the default is
    /// ten seconds. A device that takes longer is lost, and so is one of which a command fails for another reason than
    /// memory: this process does not use it again, by any handle.
    #[must_use]
    pub fn with_timeout(&self, limit: Duration) -> Device {
        Device { shared: self.shared.clone(), patience: (!limit.is_zero()).then_some(limit) }
    }

    /// Whether both are one device.
    pub fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        self.shared.lost.is_lost()
    }

    /// What the device reports about itself; `selected` is always false.
    pub fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// Bytes that ranked search may keep in device memory, of a budget of so many; 0 means the usual one.
    pub(crate) fn cache_bytes(&self, budget: u64) -> u64 {
        (cache_words(&self.shared.limits, (budget / WORD as u64) as usize) * WORD) as u64
    }

    /// Memory limits of the device.
    pub(super) fn limits(&self) -> Limits {
        self.shared.limits
    }

    /// Whether a list is in device memory now. False while another thread uses the device, because that cannot be told
    /// then.
    pub fn is_resident(&self, list: &PostingList) -> bool {
        owner::is_ours() && self.shared.inner.try_lock().is_ok_and(|inner| inner.memory.is_resident(list))
    }

    /// Those of these lists that are not in device memory. While another thread uses the device that cannot be told,
    /// and all of them are returned.
    pub(crate) fn missing<'l>(&self, lists: impl Iterator<Item = &'l PostingList>) -> Vec<&'l PostingList> {
        let inner = if owner::is_ours() { self.shared.inner.try_lock().ok() } else { None };
        lists.filter(|list| !inner.as_ref().is_some_and(|inner| inner.memory.is_resident(list))).collect()
    }

    /// Those of these things whose items of the cache are not in device memory; all of them while another thread uses the
    /// device.
    pub(crate) fn lacks<'i, T>(&self, all: &'i [T], name: impl Fn(&T) -> &Name) -> Vec<&'i T> {
        let inner = if owner::is_ours() { self.shared.inner.try_lock().ok() } else { None };
        all.iter().filter(|of| !inner.as_ref().is_some_and(|inner| inner.memory.has(name(of)))).collect()
    }

    /// A key for cached programs and measurements: this crate's version, the device and its driver.
    pub(crate) fn target(&self) -> &str {
        &self.shared.target
    }

    /// Forgets all lists in device memory, so that they are sent again. For benchmarks.
    pub fn forget_lists(&self) -> Result<()> {
        self.lock().map(|mut session| session.forget())
    }

    /// Starts or stops timing kernels, which is off at first. Returns the previous setting. For benchmarks.
    pub fn set_profiling(&self, on: bool) -> bool {
        self.shared.profiling.swap(on, Relaxed)
    }

    /// The kernels launched since the last call while timing was on, in order.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn take_kernel_times(&self) -> Result<Vec<KernelTime>> {
        let times = self.lock()?.take_kernel_times()?;
        Ok(times.into_iter().map(|(kernel, nanoseconds)| KernelTime { kernel, nanoseconds }).collect())
    }

    /// Limits the arena to that many words.
    #[cfg(test)]
    pub(super) fn limit_arena(&self, words: usize) {
        self.shared.inner.lock().unwrap().memory.limit_arena(words);
    }
}
