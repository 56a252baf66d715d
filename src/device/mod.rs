//! All that touches OpenCL: finding and loading it, one context per process, buffers, programs, one file per operation.
//!
//! Nothing here runs before the first call that wants a device, and nothing here panics or fails a caller's operation:
//! every fault is an [`Error::Device`](crate::Error::Device), upon which the engine uses the CPU.
//!
//! Each file knows only files above it:
//!
//! | file | what it does |
//! |---|---|
//! | `owner` | whose OpenCL is, across forks |
//! | `fault` | faults on request, for tests |
//! | `loader.c` | finds the OpenCL library at run time and forwards calls to it |
//! | `cl` | the raw calls, checked, and owned handles |
//! | `platform` | which devices there are, and which one a selector means |
//! | `link` | the context and the queue of a device |
//! | `program` | programs and kernels, built or from the cache folder |
//! | `memory` | the arena of resident lists, scratch buffers, pinned staging |
//! | `session` | what operations are written with |
//! | `handle` | [`Device`] |
//! | `trial` | a first look at OpenCL in a child process |
//! | `context` | what a process keeps |
//! | `codec` | the codecs on the device, and the programs put together of their sources |
//! | `pieces` | putting the output of a launch in order |
//! | `decode`, `intersect`, `yioop` | the operations, one file for each of `cl/op/` |
//! | `ceiling` | what copying and writing cost at least, for measurements |
//!
//! # Environment variables
//! | name | what |
//! |---|---|
//! | `POSTINGS_OPENCL_LIBRARY` | the OpenCL library to open, instead of `libOpenCL.so.1` |
//! | `POSTINGS_OPENCL_SECONDS` | how long a first look at OpenCL may take in a child process (20) |
//! | `POSTINGS_CACHE_DIR` | where program binaries and measurements are kept (see `cache`) |
//! | `POSTINGS_DEVICE_ARENA` | words of device memory for resident lists, at most |
//! | `POSTINGS_DEVICE_FAULT` | steps that are to fail, for tests (see `fault`) |
//!
//! They count as they were when the process began: see `environment`.

mod ceiling;
mod cl;
mod codec;
mod context;
mod decode;
mod fault;
mod handle;
mod intersect;
mod link;
mod memory;
mod owner;
mod pieces;
mod platform;
mod program;
mod session;
mod trial;
mod yioop;

pub use ceiling::Ceilings;
pub use handle::{Device, KernelTime};
pub(crate) use intersect::kernel_work;
pub use memory::{bytes_from_device, bytes_to_device};

use crate::codec::Codec;
use crate::error::Result;
pub use platform::DeviceInfo;
use std::sync::Arc;

/// Nanoseconds that decoding a docID takes a device, until it is measured.
pub(crate) fn assumed_decoding(codec: Codec) -> f64 {
    codec::of(codec).unpacked
}

/// The devices of this machine; empty if there is no OpenCL, or none that can be used. `selector` as in [`select`].
pub fn devices(selector: &str) -> Vec<DeviceInfo> {
    context::devices(selector)
}

/// The device that `selector` (`auto`, `none`, a part of "platform / device name", or `P:D`) means, made at the first
/// call of this process and kept; `None` where it means none. The first call costs what the drivers take (0.1 to 1 s on a
/// GPU), later ones well under a microsecond.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) if there is such a device and it cannot be used: the same at each call,
/// as it is not tried again. In a child that was forked after its parent used OpenCL, and in a process that changed
/// environment variables of OpenCL drivers before it used them: once, and from then on `None`.
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

/// Allows or forbids OpenCL (`postings.opencl`). Where it is forbidden from the start, no library is ever loaded for it.
pub fn allow_opencl(allowed: bool) {
    context::allow(allowed);
}

/// Whether OpenCL is allowed: it is, unless [`allow_opencl`] forbids it.
pub fn is_allowed() -> bool {
    context::is_allowed()
}

#[cfg(test)]
mod tests;
