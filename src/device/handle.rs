//! The handle of an open device, which operations are methods of.

use super::link::Link;
use super::owner;
use super::platform::{DeviceInfo, Found};
use super::session::{Inner, Session};
use crate::error::{Error, Result};
use crate::list::PostingList;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A device ready for work: context, queue, programs, memory. Calls from several threads take turns.
pub struct Device {
    info: DeviceInfo,
    target: String,
    inner: Mutex<Inner>,
    profiling: AtomicBool,
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
        let inner = Mutex::new(Inner::new(Link::open(found)?, &target));
        Ok(Device { info: found.info.clone(), target, inner, profiling: AtomicBool::new(false) })
    }

    /// Takes the device for an operation; waits while another thread has it.
    ///
    /// # Errors
    /// [`Error::Device`] in a child process that was forked after its parent used the device, which must not.
    pub(crate) fn lock(&self) -> Result<Session<'_>> {
        if !owner::is_ours() {
            return Err(owner::forked());
        }
        let inner = self.inner.lock().map_err(|_| Error::Device("a thread panicked while it had it".into()))?;
        Session::begin(inner, &self.profiling)
    }

    /// What the device says of itself; `selected` is not set.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Whether a list is in device memory now. A device that another thread is using is not asked: false.
    pub fn is_resident(&self, list: &PostingList) -> bool {
        owner::is_ours() && self.inner.try_lock().is_ok_and(|inner| inner.memory.is_resident(list))
    }

    /// Which of these lists are not in device memory, asked one by one. While another thread uses the device it is not
    /// asked, and all are taken to be missing.
    pub(crate) fn missing<'l>(&self, lists: impl Iterator<Item = &'l PostingList>) -> Vec<&'l PostingList> {
        let inner = if owner::is_ours() { self.inner.try_lock().ok() } else { None };
        lists.filter(|list| !inner.as_ref().is_some_and(|inner| inner.memory.is_resident(list))).collect()
    }

    /// What distinguishes this device and its driver, and this crate's version, from others.
    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    /// Forgets all lists in device memory, so that they are sent anew: for measurements.
    pub fn forget_lists(&self) -> Result<()> {
        self.lock().map(|mut session| session.forget())
    }

    /// Starts or stops timing kernels: for measurements; off at first. Returns what it was.
    pub fn set_profiling(&self, on: bool) -> bool {
        self.profiling.swap(on, Relaxed)
    }

    /// The kernels launched since the last call while timing was on, in their order.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn take_kernel_times(&self) -> Result<Vec<KernelTime>> {
        let times = self.lock()?.take_kernel_times()?;
        Ok(times.into_iter().map(|(kernel, nanoseconds)| KernelTime { kernel, nanoseconds }).collect())
    }

    /// The arena takes no more words than this.
    #[cfg(test)]
    pub(super) fn limit_arena(&self, words: usize) {
        self.inner.lock().unwrap().memory.limit_arena(words);
    }
}
