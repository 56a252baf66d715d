//! One decision: CPU or device? And the fallback, and the counters that show which it was.

use crate::codec::{quasi_succinct, simple9};
use crate::device::{self, Device, DeviceInfo};
use crate::error::Result;
use crate::intersect::{self, Count};
use crate::list::PostingList;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// When work goes to the device (`postings.offload`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offload {
    /// Where the cost model says that it wins, transfer included.
    #[default]
    Auto,
    /// Whenever there is a device and a kernel.
    Always,
    /// Never.
    Never,
}

/// What the caller set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Which device (`postings.device`): see [`device::select`].
    pub device: String,
    /// When to use it (`postings.offload`).
    pub offload: Offload,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { device: "auto".into(), offload: Offload::Auto }
    }
}

/// Counters of this process, since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Operations done on the CPU, retries of failed device calls included.
    pub cpu_calls: u64,
    /// Operations done on the device.
    pub device_calls: u64,
    /// Device calls that failed; each was done on the CPU instead.
    pub device_failures: u64,
    /// Bytes sent to the device.
    pub bytes_to_device: u64,
    /// Bytes read back from it.
    pub bytes_from_device: u64,
}

static CPU_CALLS: AtomicU64 = AtomicU64::new(0);
static DEVICE_CALLS: AtomicU64 = AtomicU64::new(0);
static DEVICE_FAILURES: AtomicU64 = AtomicU64::new(0);

/// The counters now.
pub fn stats() -> Stats {
    Stats {
        cpu_calls: CPU_CALLS.load(Relaxed),
        device_calls: DEVICE_CALLS.load(Relaxed),
        device_failures: DEVICE_FAILURES.load(Relaxed),
        bytes_to_device: 0,
        bytes_from_device: 0,
    }
}

/// The devices of this machine.
pub fn devices(settings: &Settings) -> Vec<DeviceInfo> {
    device::devices(&settings.device)
}

/// Runs an operation where it is cheapest. A device that fails costs a retry on the CPU, a warning and a count.
fn run<T>(
    settings: &Settings,
    wins: impl FnOnce(&Device) -> bool,
    on_device: impl FnOnce(&Device) -> Result<T>,
    on_cpu: impl FnOnce() -> T,
) -> T {
    if let Some(device) = wanted(settings, wins) {
        match on_device(&device) {
            Ok(result) => {
                DEVICE_CALLS.fetch_add(1, Relaxed);
                return result;
            }
            Err(error) => failed(&error),
        }
    }
    CPU_CALLS.fetch_add(1, Relaxed);
    on_cpu()
}

fn wanted(settings: &Settings, wins: impl FnOnce(&Device) -> bool) -> Option<Arc<Device>> {
    if settings.offload == Offload::Never {
        return None;
    }
    let device = device::select(&settings.device).unwrap_or_else(|error| {
        failed(&error);
        None
    })?;
    (settings.offload == Offload::Always || wins(&device)).then_some(device)
}

fn failed(error: &crate::Error) {
    DEVICE_FAILURES.fetch_add(1, Relaxed);
    log::warn!("{error}; the CPU is used instead");
}

/// All docIDs of a list, ascending.
pub fn decode(list: &PostingList, settings: &Settings) -> Vec<u32> {
    run(settings, |_| false, |device| device.decode(list), || list.decode())
}

/// The docIDs that all lists have, ascending.
pub fn intersect(lists: &[PostingList], settings: &Settings) -> Vec<u32> {
    run(
        settings,
        |_| false,
        |device| Ok(device.intersect_batch(&[lists.to_vec()])?.pop().unwrap_or_default()),
        || intersect_on_cpu(lists),
    )
}

fn intersect_on_cpu(lists: &[PostingList]) -> Vec<u32> {
    let mut doc_ids = Vec::new();
    intersect::intersect(lists, &mut doc_ids);
    doc_ids
}

/// How many docIDs all lists have.
pub fn intersect_count(lists: &[PostingList], settings: &Settings) -> u64 {
    run(
        settings,
        |_| false,
        |device| Ok(device.intersect_count_batch(&[lists.to_vec()])?.pop().unwrap_or_default()),
        || {
            let mut count = Count::default();
            intersect::intersect(lists, &mut count);
            count.0
        },
    )
}

/// The docIDs that all lists of a query have, ascending, for each query. One submission to the device for all.
pub fn intersect_batch(queries: &[Vec<PostingList>], settings: &Settings) -> Vec<Vec<u32>> {
    run(
        settings,
        |_| false,
        |device| device.intersect_batch(queries),
        || queries.iter().map(|lists| intersect_on_cpu(lists)).collect(),
    )
}

/// The docIDs of a raw Simple-9 list (big-endian words).
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn simple9_decode(bytes: &[u8], _settings: &Settings) -> Result<Vec<u32>> {
    CPU_CALLS.fetch_add(1, Relaxed);
    simple9::decode(bytes)
}

/// The docIDs of a raw quasi-succinct list.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn qs_decode(bytes: &[u8], _settings: &Settings) -> Result<Vec<u32>> {
    CPU_CALLS.fetch_add(1, Relaxed);
    quasi_succinct::decode(bytes)
}

/// The doc indexes of a Yioop posting list.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn yioop_doc_indexes(postings: &[u8], _settings: &Settings) -> Result<Vec<u32>> {
    CPU_CALLS.fetch_add(1, Relaxed);
    crate::yioop::doc_indexes(postings)
}

/// The doc indexes that all Yioop lists have, ascending, with the byte offset of the posting in each list.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt), which names no list: the first that is damaged.
pub fn yioop_intersect(lists: &[&[u8]], _settings: &Settings) -> Result<crate::yioop::Matches> {
    CPU_CALLS.fetch_add(1, Relaxed);
    crate::yioop::intersect_flat(lists)
}

/// What the Yioop lists of each query have in common: all shards of an index in one call.
///
/// # Errors
/// As [`yioop_intersect`].
pub fn yioop_intersect_batch(queries: &[Vec<&[u8]>], _settings: &Settings) -> Result<Vec<crate::yioop::Matches>> {
    CPU_CALLS.fetch_add(1, Relaxed);
    queries.iter().map(|lists| crate::yioop::intersect_flat(lists)).collect()
}
