//! One decision: CPU or device? And the fallback, and the counters that show which it was.

mod cost;

use crate::codec::{Sink, quasi_succinct, simple9};
use crate::device::{self, Device};
pub use crate::device::{DeviceInfo, allow_opencl, is_allowed as opencl_is_allowed};
use crate::error::Result;
use crate::intersect::{self, Count, Results};
use crate::list::PostingList;
use crate::yioop::{self, Located, Matches};
use cost::Work;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

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
        bytes_to_device: device::bytes_to_device(),
        bytes_from_device: device::bytes_from_device(),
    }
}

/// The devices of this machine.
pub fn devices(settings: &Settings) -> Vec<DeviceInfo> {
    device::devices(&settings.device)
}

/// Runs an operation where it is cheapest.
///
/// `work` and `missing` are for the cost model: what there is to do, and how many bytes of it a device lacks.
fn run<T>(
    settings: &Settings,
    work: impl FnOnce() -> Option<Work>,
    missing: impl FnOnce(&Device) -> u64,
    on_device: impl FnOnce(&Device) -> Result<T>,
    cpu: impl FnOnce() -> T,
) -> T {
    match wanted(settings, |selector| cost::choose(selector, work(), missing)) {
        Some(device) => run_on(&device, on_device, cpu),
        None => on_cpu(cpu),
    }
}

/// Runs an operation on a device. If that fails, it costs a retry on the CPU, a warning and a count.
fn run_on<T>(device: &Device, on_device: impl FnOnce(&Device) -> Result<T>, cpu: impl FnOnce() -> T) -> T {
    match on_device(device) {
        Ok(result) => {
            DEVICE_CALLS.fetch_add(1, Relaxed);
            result
        }
        Err(error) => {
            failed(&error);
            on_cpu(cpu)
        }
    }
}

fn on_cpu<T>(cpu: impl FnOnce() -> T) -> T {
    CPU_CALLS.fetch_add(1, Relaxed);
    cpu()
}

/// The device that an operation is to run on; `auto` says so where the settings leave it open.
fn wanted(settings: &Settings, auto: impl FnOnce(&str) -> Result<Option<Arc<Device>>>) -> Option<Arc<Device>> {
    let device = match settings.offload {
        Offload::Never => Ok(None),
        Offload::Always => device::select(&settings.device),
        Offload::Auto => auto(&settings.device),
    };
    device.unwrap_or_else(|error| {
        failed(&error);
        None
    })
}

/// The device for an operation on raw bytes: only where the settings insist. The CPU has to check the bytes first, which
/// costs it about as much as decoding them, and the device would still have to get them and give docIDs back.
fn insisted(settings: &Settings) -> Option<Arc<Device>> {
    wanted(settings, |_| Ok(None))
}

/// Counts a failure, and warns once of each reason, as far as they are few: later ones go to the debug log.
fn failed(error: &crate::Error) {
    static WARNED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    DEVICE_FAILURES.fetch_add(1, Relaxed);
    let reason = error.to_string();
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.len() >= 32 || warned.contains(&reason) {
        log::debug!("{reason}; the CPU is used instead");
    } else {
        log::warn!("{reason}; the CPU is used instead");
        warned.push(reason);
    }
}

/// Makes ready what `postings.offload=auto` would make ready once it pays: opens the device, and measures or loads the
/// cost model's rates. For measurements and for long-lived workers. Whether there is a device.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device).
pub fn prepare(settings: &Settings) -> Result<bool> {
    match device::select(&settings.device)? {
        Some(device) => cost::rates(&device).map(|rates| rates.is_some()),
        None => Ok(false),
    }
}

/// Gives all docIDs of a list, ascending, to a sink.
pub fn decode_to(list: &PostingList, settings: &Settings, sink: &mut impl Sink) {
    match decoded_on_device(list, settings) {
        Some(doc_ids) => give(&doc_ids, sink),
        None => list.decode_to(sink),
    }
}

/// All docIDs of a list, ascending.
pub fn decode(list: &PostingList, settings: &Settings) -> Vec<u32> {
    decoded_on_device(list, settings).unwrap_or_else(|| list.decode())
}

/// All docIDs of a list, where a device is to decode it and does; else `None`, counted as a call of the CPU.
fn decoded_on_device(list: &PostingList, settings: &Settings) -> Option<Vec<u32>> {
    run(
        settings,
        || Work::decode(list),
        |device| cost::missing(device, std::iter::once(list)),
        |device| device.decode(list).map(Some),
        || None,
    )
}

/// Gives the docIDs that a device found to a sink.
fn give(doc_ids: &[u32], sink: &mut impl Sink) {
    if sink.expect(doc_ids.len()) {
        sink.take(doc_ids);
    }
}

/// The docIDs that all lists have, ascending.
pub fn intersect(lists: &[PostingList], settings: &Settings) -> Vec<u32> {
    run(
        settings,
        || Work::intersect([lists].into_iter(), false),
        |device| cost::missing(device, lists.iter()),
        |device| Ok(device.intersect_batch(&[lists.to_vec()])?.into_doc_ids()),
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
        || Work::intersect([lists].into_iter(), true),
        |device| cost::missing(device, lists.iter()),
        |device| Ok(device.intersect_count_batch(&[lists.to_vec()])?.pop().unwrap_or_default()),
        || {
            let mut count = Count::default();
            intersect::intersect(lists, &mut count);
            count.0
        },
    )
}

/// The docIDs that all lists of a query have, ascending, for each query. One submission to the device for all.
pub fn intersect_batch(queries: &[Vec<PostingList>], settings: &Settings) -> Results {
    run(
        settings,
        || Work::intersect(queries.iter().map(Vec::as_slice), false),
        |device| cost::missing(device, queries.iter().flatten()),
        |device| device.intersect_batch(queries),
        || {
            let mut results = Results::with_room(queries.len(), 0);
            for lists in queries {
                results.push(|doc_ids| intersect::intersect(lists, doc_ids));
            }
            results
        },
    )
}

/// The docIDs of a raw Simple-9 list (big-endian words).
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn simple9_decode(bytes: &[u8], settings: &Settings) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    simple9_decode_to(bytes, settings, &mut found)?;
    Ok(found)
}

/// Gives the docIDs of a raw Simple-9 list (big-endian words) to a sink. Where there is an error the sink may have been
/// given docIDs before it.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn simple9_decode_to(bytes: &[u8], settings: &Settings, sink: &mut impl Sink) -> Result<()> {
    let Some(device) = insisted(settings) else {
        return on_cpu(|| simple9::decode_to(bytes, sink));
    };
    let raw = simple9::RawList::from_bytes(bytes)?;
    give(&run_on(&device, |device| device.simple9_decode(raw.words()), || raw.decode()), sink);
    Ok(())
}

/// The docIDs of a raw quasi-succinct list.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn qs_decode(bytes: &[u8], settings: &Settings) -> Result<Vec<u32>> {
    let Some(device) = insisted(settings) else {
        return on_cpu(|| quasi_succinct::decode(bytes));
    };
    let raw = quasi_succinct::RawList::from_bytes(bytes)?;
    let decode = |device: &Device| device.decode(&PostingList::from_quasi_succinct(&raw));
    match run_on(&device, |device| decode(device).map(Some), || None) {
        Some(doc_ids) => raw.checked(doc_ids),
        None => raw.decode(),
    }
}

/// The doc indexes of a Yioop posting list.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn yioop_doc_indexes(postings: &[u8], settings: &Settings) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    yioop_doc_indexes_to(postings, settings, &mut found)?;
    Ok(found)
}

/// Gives the doc indexes of a Yioop posting list to a sink. Where there is an error the sink may have been given doc
/// indexes before it.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn yioop_doc_indexes_to(postings: &[u8], settings: &Settings, sink: &mut impl Sink) -> Result<()> {
    let Some(device) = insisted(settings) else {
        return on_cpu(|| yioop::doc_indexes_to(postings, sink));
    };
    yioop::check(postings)?;
    let on_device = |device: &Device| Ok(device.yioop_doc_indexes(postings, false)?.0);
    match run_on(&device, |device| on_device(device).map(Some), || None) {
        Some(doc_indexes) => {
            give(&doc_indexes, sink);
            Ok(())
        }
        None => yioop::doc_indexes_to(postings, sink),
    }
}

/// The doc indexes that all Yioop lists have, ascending, with the byte offset of the posting in each list. On a device,
/// the doc indexes of each list are found there and brought together on the CPU.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt), which names no list: the first that is damaged.
pub fn yioop_intersect(lists: &[&[u8]], settings: &Settings) -> Result<Matches> {
    let Some(device) = insisted(settings) else {
        return on_cpu(|| yioop::intersect_flat(lists));
    };
    lists.iter().try_for_each(|list| yioop::check(list))?;
    let on_device = |device: &Device| {
        let locate = |list: &&[u8]| device.yioop_doc_indexes(list, true).map(Located::from);
        Ok(yioop::intersect_located(lists.iter().map(locate).collect::<Result<_>>()?))
    };
    run_on(&device, |device| on_device(device).map(Ok), || yioop::intersect_flat(lists))
}

/// What the Yioop lists of each query have in common, as [`yioop_intersect`]; a query may be the lists of one shard. On
/// a device, the lists of all queries go there in one submission.
///
/// # Errors
/// As [`yioop_intersect`].
pub fn yioop_intersect_batch(queries: &[Vec<&[u8]>], settings: &Settings) -> Result<Vec<Matches>> {
    let by_cpu = || queries.iter().map(|lists| yioop::intersect_flat(lists)).collect();
    let Some(device) = insisted(settings) else {
        return on_cpu(by_cpu);
    };
    queries.iter().flatten().try_for_each(|list| yioop::check(list))?;
    let on_device = |device: &Device| {
        // Lists one behind the other are a list, too.
        let (docs, offsets) = device.yioop_doc_indexes(&queries.concat().concat(), true)?;
        let (mut from, mut begin) = (0, 0);
        let mut next = |list: &&[u8]| {
            let end = begin + list.len();
            let to = from + offsets[from..].partition_point(|&offset| (offset as usize) < end);
            let own = offsets[from..to].iter().map(|&offset| offset - begin as u32).collect();
            let located = Located::from((docs[from..to].to_vec(), own));
            (from, begin) = (to, end);
            located
        };
        Ok(queries.iter().map(|lists| yioop::intersect_located(lists.iter().map(&mut next).collect())).collect())
    };
    run_on(&device, |device| on_device(device).map(Ok), by_cpu)
}

/// What the lists at some places of a shard have in common, found without reading the long ones. `None` where that does
/// not pay, or where the settings insist on a device.
///
/// # Errors
/// As [`probe::gather`](yioop::probe::gather).
pub fn yioop_probe(
    shard: &yioop::Shard,
    ranges: &[(u32, u32)],
    settings: &Settings,
) -> Result<Option<(Vec<yioop::List>, Matches)>> {
    if insisted(settings).is_some() {
        return Ok(None);
    }
    let found = yioop::probe::gather(shard, ranges)?;
    if found.is_some() {
        CPU_CALLS.fetch_add(1, Relaxed);
    }
    Ok(found)
}
