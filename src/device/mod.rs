//! Everything that uses OpenCL: finding and loading it, one context per process and device, buffers, programs, and one
//! file per operation.
//!
//! Nothing here runs before the first call that wants a device, and nothing here panics. Every failure is an
//! [`Error::Device`](crate::Error::Device), after which the engine uses the CPU. Nothing waits for a device without a
//! limit.
//!
//! Each file uses only files listed above it:
//!
//! | file | what it does |
//! |---|---|
//! | `owner` | which process may use OpenCL, across forks |
//! | `fault` | fault injection for tests |
//! | `loader.c` | finds the OpenCL library at run time and forwards calls to it |
//! | `cl` | raw calls with status checks, and owned handles |
//! | `wait` | waits for commands, with a limit; devices that are lost |
//! | `platform` | lists devices, and finds the one that a selector means |
//! | `link` | context, queues and limits of a device |
//! | `program` | builds programs and kernels, or loads them from the cache folder |
//! | `memory` | the arena of resident lists, scratch buffers, pinned staging |
//! | `session` | the interface that operations are written against |
//! | `handle` | [`Device`] |
//! | `trial` | a first look at OpenCL in a child process |
//! | `context` | the devices that a process has found and opened |
//! | `codec` | the device's registry of codecs, and the assembly of programs from their sources |
//! | `pieces` | puts the output of a launch in order |
//! | `decode`, `intersect`, `yioop` | the operations, each with a kernel file of that name in `cl/op/` |
//! | `tiled` | the postings of a term as a device ranks them |
//! | `nearest` | the nearest vectors of queries |
//! | `rank` | the best documents of queries, with `cl/op/rank_*.cl` and `cl/op/phrase.cl` |
//!
//! # Environment variables
//! | name | meaning |
//! |---|---|
//! | `POSTINGS_OPENCL_LIBRARY` | the OpenCL library to open, instead of `libOpenCL.so.1` |
//! | `POSTINGS_OPENCL_SECONDS` | the time limit of the first look at OpenCL in a child process (default 20) |
//! | `POSTINGS_CACHE_DIR` | the folder for program binaries and measurements (see `base::cache_folder`) |
//! | `POSTINGS_DEVICE_ARENA` | the most words of device memory for resident lists |
//! | `POSTINGS_DEVICE_NEAREST` | how the nearest vectors are found: `mma`, `mma-late`, `mma-free`, `dot`, `plain`, `emulated` (see `nearest::ways`) |
//! | `POSTINGS_DEVICE_FAULT` | steps that fail, for tests (see `fault`) |
//!
//! Their values at the start of the process count: see `environment`.

mod cl;
pub(crate) mod codec;
mod context;
mod decode;
mod fault;
mod handle;
mod intersect;
mod link;
pub(crate) mod memory;
mod nearest;
mod owner;
pub(crate) mod pieces;
pub(crate) mod platform;
pub(crate) mod program;
pub(crate) mod rank;
pub(crate) mod session;
pub(crate) mod tiled;
mod trial;
mod wait;
mod yioop;

pub use handle::{Device, KernelTime};
pub use intersect::Stages;
pub(crate) use intersect::kernel_work;
pub use memory::{CacheStats, bytes_from_device, bytes_to_device, cache_stats};
pub(crate) use memory::{Key, Name};

use crate::base::error::Result;
use crate::codec::Codec;
pub(crate) use nearest::{Candidate, MOST_NEAREST, NearestBatch, NearestSegment, Vectors, bytes_of_rows, parts_of};
pub use platform::DeviceInfo;
pub(crate) use rank::{
    Flights, MOST_HITS, MOST_LEADS, MOST_TERMS, PhraseWord, Provider, RankBatch, RankSegment, RankTerm, Ranked,
    TERMS_PER_SUB_BATCH, Wanted,
};
pub use wait::USUAL_LIMIT;

/// Nanoseconds that a device takes to decode a docID, assumed until it is measured.
pub(crate) fn assumed_decoding(codec: Codec) -> f64 {
    codec::of(codec).unpacked
}

/// The usable devices of this machine. The one that `selector` means is marked as selected, as in [`select`].
pub fn devices(selector: &str) -> Vec<DeviceInfo> {
    context::devices(selector)
}

/// The device that `selector` means (`auto`, `none`, a substring of "platform / device name", or `P:D`), or `None`. If
/// it is [lost](Device::is_lost), that is the first of its [`twins`], or `None`. The first call opens the device, which
/// takes 0.1 to 1 s on a GPU; it stays open, and later calls take well under a microsecond.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) if the device cannot be opened; opening is not retried, so every call
/// returns the same error. Also in a child forked after its parent used OpenCL, and in a process that changed
/// environment variables of OpenCL drivers before it used them: there only the first call fails, and later ones return
/// `None`.
pub fn select(selector: &str) -> Result<Option<Device>> {
    context::select(selector)
}

/// The device that `selector` means, once it was [selected](select), and those of its platform that have the same name,
/// opened now, unless the selector is `P:D`; none that is lost. Empty if there is none.
pub fn twins(selector: &str) -> Vec<Device> {
    context::twins(selector)
}

/// Whether a selector never means a device: it is `none` or empty.
pub(crate) fn is_none(selector: &str) -> bool {
    platform::means_none(selector)
}

/// As [`select`], but opens no device: `None` if the device is not open yet or cannot be used.
pub(crate) fn opened(selector: &str) -> Option<Device> {
    context::opened(selector)
}

/// As [`twins`], but opens no device: those that are open.
pub(crate) fn opened_twins(selector: &str) -> Vec<Device> {
    context::opened_twins(selector)
}

/// Allows or forbids OpenCL (`postings.opencl`). If it is forbidden from the start, no library is ever loaded for it.
pub fn allow_opencl(allowed: bool) {
    context::allow(allowed);
}

/// Whether OpenCL is allowed: true unless [`allow_opencl`] has forbidden it.
pub fn is_allowed() -> bool {
    context::is_allowed()
}

#[cfg(test)]
pub(crate) mod tests;
