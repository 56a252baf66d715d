//! All that touches OpenCL: finding and loading it, one context a process, buffers, programs, one file an operation.
//!
//! Nothing here runs before the first call that wants a device, and nothing here panics or fails a caller's operation:
//! every fault is an [`Error::Device`](crate::Error::Device), upon which the engine uses the CPU.
//!
//! | file | what it does |
//! |---|---|
//! | `loader.c` | finds the OpenCL library at run time and forwards calls to it |
//! | `cl` | the raw calls, checked, and owned handles |
//! | `platform` | which devices there are, and which one a selector means |
//! | `context` | what a process keeps, and whose it is after a fork |
//! | `program` | programs and kernels, built or from the cache folder |
//! | `memory` | the arena of resident lists, scratch buffers, pinned staging |
//! | `session` | what operations are written with |
//! | `codec` | the codecs on the device, and the programs put together of their sources |
//! | `decode`, `intersect`, `yioop` | the operations, one file for each of `cl/op/` |
//! | `pieces` | putting the output of a launch in order |
//! | `ceiling` | what copying and writing cost at least, for measurements |
//! | `fault` | faults on request, for tests |
//!
//! # Environment variables
//! | name | what |
//! |---|---|
//! | `POSTINGS_OPENCL_LIBRARY` | the OpenCL library to open, instead of `libOpenCL.so.1` |
//! | `POSTINGS_CACHE_DIR` | where program binaries and measurements are kept (see `cache`) |
//! | `POSTINGS_DEVICE_ARENA` | words of device memory for resident lists, at most |
//! | `POSTINGS_DEVICE_FAULT` | steps that are to fail, for tests (see `fault`) |

mod ceiling;
mod cl;
mod codec;
mod context;
mod decode;
mod fault;
mod intersect;
mod memory;
mod pieces;
mod platform;
mod program;
mod session;
mod yioop;

pub use ceiling::Ceilings;
pub(crate) use intersect::kernel_work;
pub use memory::{bytes_from_device, bytes_to_device};

use crate::codec::Codec;
use crate::error::Result;
use crate::list::PostingList;
use fault::Step;
use memory::{Link, Memory};
use platform::Found;
use program::Programs;
use session::Inner;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Nanoseconds that decoding a docID takes a device, until it is measured.
pub(crate) fn assumed_decoding(codec: Codec) -> f64 {
    codec::of(codec).unpacked
}

/// An OpenCL device as `Postings\devices()` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The platform's name.
    pub platform: String,
    /// The device's name.
    pub name: String,
    /// `CPU`, `GPU`, `ACCELERATOR` or `OTHER`.
    pub kind: String,
    /// What the device says of its OpenCL version.
    pub version: String,
    /// Compute units.
    pub compute_units: u32,
    /// Global memory in bytes.
    pub global_memory: u64,
    /// Whether the selector that was asked with selects it.
    pub selected: bool,
}

/// The devices of this machine; empty where there is no OpenCL. `selector` as in [`select`].
pub fn devices(selector: &str) -> Vec<DeviceInfo> {
    context::devices(selector)
}

/// A device ready for work: context, queue, programs, memory. Calls from several threads take turns.
pub struct Device {
    info: DeviceInfo,
    target: String,
    inner: Mutex<Inner>,
    profiling: AtomicBool,
}

/// The device that `selector` (`auto`, `none`, a part of "platform / device name", or `P:D`) means, made at the first
/// call of this process and kept; `None` where it means none. The first call costs what the drivers take (0.1 to 1 s on a
/// GPU), later ones well under a microsecond.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) where there is such a device and it cannot be used: the same at each call,
/// as it is not tried again. In a child that was forked after its parent used OpenCL: once, and from then on `None`.
pub fn select(selector: &str) -> Result<Option<Arc<Device>>> {
    context::select(selector)
}

/// Whether a selector means no device whatever devices there are: `none`, or nothing.
pub(crate) fn is_none(selector: &str) -> bool {
    platform::means_none(selector)
}

/// As [`select`], but a device that this process has not opened yet is `None`, as is one that cannot be used.
pub(crate) fn opened(selector: &str) -> Option<Arc<Device>> {
    context::opened(selector)
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
    fn open(found: &Found) -> Result<Device> {
        fault::check(Step::Open)?;
        let context = cl::Context::new(found.id)?;
        let queue = context.queue(found.id)?;
        let target = found.target();
        let inner = Inner {
            link: Link { id: found.id, context, queue, limits: found.limits },
            memory: Memory::new(&found.limits),
            programs: Programs::new(&target),
            busy: false,
            timed: Vec::new(),
        };
        Ok(Device { info: found.info.clone(), target, inner: Mutex::new(inner), profiling: AtomicBool::new(false) })
    }

    /// What the device says of itself; `selected` is not set.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Whether a list is in device memory now. A device that another thread is using is not asked: false.
    pub fn is_resident(&self, list: &PostingList) -> bool {
        context::is_ours() && self.inner.try_lock().is_ok_and(|inner| inner.memory.is_resident(list))
    }

    /// Which of these lists are not in device memory, asked one by one. While another thread uses the device it is not
    /// asked, and all are taken to be missing.
    pub(crate) fn missing<'l>(&self, lists: impl Iterator<Item = &'l PostingList>) -> Vec<&'l PostingList> {
        let inner = if context::is_ours() { self.inner.try_lock().ok() } else { None };
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
        self.lock()?.take_kernel_times()
    }
}

#[cfg(test)]
mod tests;
