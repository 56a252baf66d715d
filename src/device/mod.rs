//! All that touches OpenCL: finding and loading it, one context a process, buffers, programs, one file an operation.
//!
//! Nothing here runs before the first call that wants a device, and nothing here panics or fails a caller's operation:
//! every fault is an [`Error::Device`](crate::Error::Device), upon which the engine uses the CPU.

use crate::error::Result;
use crate::list::PostingList;
use std::sync::Arc;

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
pub fn devices(_selector: &str) -> Vec<DeviceInfo> {
    Vec::new()
}

/// A device ready for work: context, queue, programs, memory. Calls from several threads take turns.
pub struct Device {}

/// The device that `selector` (`auto`, `none`, a part of "platform / device name", or `P:D`) means, made at the first
/// call of this process and kept; `None` where it means none.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) where there is such a device and it cannot be used.
pub fn select(_selector: &str) -> Result<Option<Arc<Device>>> {
    Ok(None)
}

impl Device {
    /// All docIDs of a list.
    pub fn decode(&self, _list: &PostingList) -> Result<Vec<u32>> {
        Err(crate::Error::Device("not built yet".into()))
    }

    /// The docIDs that all lists of a query have, for each query, ascending; one submission for all.
    pub fn intersect_batch(&self, _queries: &[Vec<PostingList>]) -> Result<Vec<Vec<u32>>> {
        Err(crate::Error::Device("not built yet".into()))
    }

    /// How many docIDs all lists of a query have, for each query; one submission for all.
    pub fn intersect_count_batch(&self, _queries: &[Vec<PostingList>]) -> Result<Vec<u64>> {
        Err(crate::Error::Device("not built yet".into()))
    }

    /// The docIDs of raw, checked Simple-9 words.
    pub fn simple9_decode(&self, _words: &[u32]) -> Result<Vec<u32>> {
        Err(crate::Error::Device("not built yet".into()))
    }

    /// The doc indexes of a checked Yioop list (big-endian words), and the byte offset of each posting.
    pub fn yioop_doc_indexes(&self, _postings: &[u8]) -> Result<(Vec<u32>, Vec<u32>)> {
        Err(crate::Error::Device("not built yet".into()))
    }
}
