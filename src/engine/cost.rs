//! What `postings.offload=auto` asks: would the device be faster, transfer included?
//!
//! Each operation is a [`Work`]: how many docIDs are decoded, looked up and given back. [`Rates`] turn it into
//! nanoseconds for the CPU and for the device, and the smaller wins:
//!
//! ```text
//! CPU     decoded · cpu_decode + probes · cpu_probe
//! device  call + queries · query + bytes not resident · sent + decoded · device_decode + probes · device_probe
//!         + 4 · results · received
//! ```
//!
//! The rates are measured once a machine, device and version, by a few small operations (some milliseconds), the first
//! time that they are wanted, and kept in the cache folder. Before that, and to tell whether looking for a device is
//! worth its own cost, [`Rates::ASSUMED`] serve: a process that has a device to find and open (0.3 s on a GPU) does so
//! when the time that it would have saved so far adds up to that. Until then it uses the CPU, so that short scripts do
//! not pay for a device that they hardly use, and no process pays more than twice.

use crate::cache;
use crate::codec::{BLOCK, Codec};
use crate::cpu;
use crate::device::{self, Device};
use crate::error::{Error, Result};
use crate::intersect::{self, Count};
use crate::list::PostingList;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What finding and opening a device costs a process, in nanoseconds (120–360 ms for a context on an H200).
const OPENING: f64 = 3e8;
/// Work that takes the CPU less than this many nanoseconds is not worth any thought: a launch and the wait for it take
/// that long.
const TRIFLE: f64 = 2e4;
/// Of more queries than this, so many are looked at, evenly spread.
const SAMPLE: usize = 256;

/// Nanoseconds a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    /// Decoding a docID on the CPU, to memory: Simple-9, quasi-succinct.
    cpu_decode: [f64; 2],
    /// Looking a docID of the shortest list up in another, decoded block on the CPU.
    cpu_probe: f64,
    /// A device call without work: task upload, launches, one read.
    call: f64,
    /// Preparing a query of a batch.
    query: f64,
    /// Sending a byte.
    sent: f64,
    /// Reading a byte back, to memory that was not touched before.
    received: f64,
    /// Decoding a docID on the device.
    device_decode: f64,
    /// Looking a docID up on the device.
    device_probe: f64,
}

impl Rates {
    /// Until they are measured: a server's core, and a GPU in a PCIe slot.
    const ASSUMED: Rates = Rates {
        cpu_decode: [1.0, 0.4],
        cpu_probe: 2.0,
        call: 60_000.0,
        query: 300.0,
        sent: 0.15,
        received: 0.2,
        device_decode: 0.01,
        device_probe: 0.02,
    };
    const COUNT: usize = 9;

    fn numbers(&self) -> [f64; Rates::COUNT] {
        let Rates { cpu_decode: [a, b], cpu_probe, call, query, sent, received, device_decode, device_probe } = *self;
        [a, b, cpu_probe, call, query, sent, received, device_decode, device_probe]
    }

    fn to_bytes(self) -> Vec<u8> {
        self.numbers().iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// The rates, if there are as many as there should be and each is a rate.
    fn from_bytes(bytes: &[u8]) -> Option<Rates> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|&number| f64::from_le_bytes(number)).collect();
        let [a, b, cpu_probe, call, query, sent, received, device_decode, device_probe] = numbers[..] else {
            return None;
        };
        (rest.is_empty() && numbers.iter().all(|&number| (0.0..1e9).contains(&number))).then_some(Rates {
            cpu_decode: [a, b],
            cpu_probe,
            call,
            query,
            sent,
            received,
            device_decode,
            device_probe,
        })
    }
}

/// What an operation is to do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Work {
    /// docIDs decoded: Simple-9, quasi-succinct.
    decoded: [f64; 2],
    /// docIDs looked up in another list.
    probes: f64,
    queries: f64,
    /// docIDs given back.
    results: f64,
}

fn kind(list: &PostingList) -> usize {
    match list.codec() {
        Codec::Simple9 => 0,
        Codec::QuasiSuccinct => 1,
    }
}

impl Work {
    /// All docIDs of a list.
    pub(super) fn decode(list: &PostingList) -> Work {
        let mut work = Work { queries: 1.0, results: list.len() as f64, ..Work::default() };
        work.decoded[kind(list)] = list.len() as f64;
        work
    }

    /// Intersections; `counted` where only their number is wanted. O(lists), of a sample where there are many.
    pub(super) fn intersect<'l>(queries: impl ExactSizeIterator<Item = &'l [PostingList]>, counted: bool) -> Work {
        let (total, step) = (queries.len(), queries.len().div_ceil(SAMPLE).max(1));
        let (mut work, mut seen) = (Work::default(), 0.0);
        for lists in queries.step_by(step) {
            work.add(lists, counted);
            seen += 1.0;
        }
        let scale = if seen > 0.0 { total as f64 / seen } else { 0.0 };
        let Work { decoded: [a, b], probes, results, .. } = work;
        Work {
            decoded: [a * scale, b * scale],
            probes: probes * scale,
            queries: total as f64,
            results: results * scale,
        }
    }

    /// One more query: the shortest list is decoded, and of each other one, for each docID of the shortest, at most a
    /// block. The result is taken to be what lists that have nothing to do with each other would give.
    fn add(&mut self, lists: &[PostingList], counted: bool) {
        let Some(shortest) = lists.iter().map(PostingList::len).min() else {
            return;
        };
        let universe = lists.iter().map(PostingList::universe).max().unwrap_or(0) as f64 + 1.0;
        let mut results = universe;
        for list in lists {
            self.decoded[kind(list)] += list.len().min(shortest.saturating_mul(BLOCK)) as f64;
            results *= list.len() as f64 / universe;
        }
        self.probes += shortest as f64 * (lists.len() - 1) as f64;
        if !counted {
            self.results += results.min(shortest as f64);
        }
    }

    /// Nanoseconds on the CPU.
    fn on_cpu(&self, rates: &Rates) -> f64 {
        self.decoded[0] * rates.cpu_decode[0] + self.decoded[1] * rates.cpu_decode[1] + self.probes * rates.cpu_probe
    }

    /// Nanoseconds on the device, of which `missing` bytes of lists must be sent first.
    fn on_device(&self, rates: &Rates, missing: f64) -> f64 {
        rates.call
            + self.queries * rates.query
            + missing * rates.sent
            + (self.decoded[0] + self.decoded[1]) * rates.device_decode
            + self.probes * rates.device_probe
            + 4.0 * self.results * rates.received
    }
}

/// Bytes of these lists that are not in device memory; estimated from a sample where there are many.
pub(super) fn missing<'l>(device: &Device, lists: impl Iterator<Item = &'l PostingList> + Clone) -> u64 {
    let total = lists.clone().count();
    let step = total.div_ceil(4 * SAMPLE).max(1);
    let (bytes, looked_at) = device.missing_bytes(lists.step_by(step));
    if looked_at == 0 { 0 } else { (bytes as f64 / looked_at as f64 * total as f64) as u64 }
}

/// The device, where it wins.
///
/// # Errors
/// [`Error::Device`]: there is one, and it cannot be used.
pub(super) fn choose(selector: &str, work: &Work, missing: impl FnOnce(&Device) -> u64) -> Result<Option<Arc<Device>>> {
    /// What the device would have saved so far, in nanoseconds.
    static LOST: AtomicU64 = AtomicU64::new(0);

    let assumed = work.on_cpu(&Rates::ASSUMED);
    if assumed < TRIFLE || device::is_none(selector) {
        return Ok(None);
    }
    let device = match device::opened(selector) {
        Some(device) => device,
        None => {
            let saving = (assumed - work.on_device(&Rates::ASSUMED, 0.0)).max(0.0);
            if ((LOST.fetch_add(saving as u64, Relaxed) as f64) + saving) < OPENING {
                return Ok(None);
            }
            match device::select(selector)? {
                Some(device) => device,
                None => return Ok(None),
            }
        }
    };
    let Some(rates) = rates(&device)? else {
        return Ok(None);
    };
    let (cpu, there) = (work.on_cpu(&rates), work.on_device(&rates, 0.0));
    // Which lists are there is asked only where it matters.
    Ok((there < cpu && work.on_device(&rates, missing(&device) as f64) < cpu).then_some(device))
}

/// The rates of a device and this CPU: from memory, from the cache folder, or measured. `None` where measuring them
/// failed before.
///
/// # Errors
/// [`Error::Device`]: measuring fails; once.
pub(super) fn rates(device: &Device) -> Result<Option<Rates>> {
    static KNOWN: Mutex<Vec<(String, Option<Rates>)>> = Mutex::new(Vec::new());

    let target = device.target();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, rates)) = known.iter().find(|(name, _)| name == target) {
        return Ok(*rates);
    }
    let key = format!("rates 1\n{target}\n{}\n{:?}", cpu::tier().name(), std::thread::available_parallelism());
    if let Some(rates) = cache::load("rates", &key).and_then(|bytes| Rates::from_bytes(&bytes)) {
        known.push((target.to_owned(), Some(rates)));
        return Ok(Some(rates));
    }
    let measured = measure(device);
    known.push((target.to_owned(), measured.as_ref().ok().copied()));
    let rates = measured?;
    log::debug!("measured for postings.offload=auto: {rates:?}");
    cache::keep("rates", &key, &rates.to_bytes());
    Ok(Some(rates))
}

/// Nanoseconds of the fastest of a few runs.
fn fastest<T>(mut run: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        black_box(run()?);
        best = best.min(begun.elapsed().as_nanos() as f64);
    }
    Ok(best)
}

/// The same on the device: wall-clock nanoseconds, and those of kernels among them.
fn fastest_on<T>(device: &Device, mut run: impl FnMut() -> Result<T>) -> Result<(f64, f64)> {
    run()?; // Builds the program, makes the lists resident.
    let wall = fastest(&mut run)?;
    device.take_kernel_times()?;
    let before = device.set_profiling(true);
    let again = run();
    device.set_profiling(before);
    again?;
    let kernels: u64 = device.take_kernel_times()?.iter().map(|time| time.nanoseconds).sum();
    Ok((wall, (kernels as f64).min(wall)))
}

/// Measures all rates: operations on lists of 2^18 docIDs and fewer.
fn measure(device: &Device) -> Result<Rates> {
    const LONG: u32 = 1 << 18;
    let ids = |n: u32, gap: u32| -> Vec<u32> { (0..n).map(|i| i * gap + i.wrapping_mul(0x9e37_79b9) % gap).collect() };
    let long = PostingList::encode(&ids(LONG, 8), Codec::QuasiSuccinct)?;
    let other = PostingList::encode(&ids(LONG, 7), Codec::QuasiSuccinct)?;
    let words = PostingList::encode(&ids(LONG, 8), Codec::Simple9)?;
    let tiny = PostingList::encode(&ids(16, 8), Codec::QuasiSuccinct)?;
    let n = f64::from(LONG);
    let positive = |rate: f64, least: f64| if rate.is_finite() { rate.max(least) } else { least };

    let cpu_decode = [fastest(|| Ok(words.decode()))? / n, fastest(|| Ok(long.decode()))? / n];
    let pair = [long.clone(), other];
    let cpu_pair = fastest(|| {
        let mut count = Count::default();
        intersect::intersect(&pair, &mut count);
        Ok(count.0)
    })?;
    let cpu_probe = positive(cpu_pair / n - 2.0 * cpu_decode[1], 0.05);

    let (tiny_wall, tiny_kernel) = fastest_on(device, || device.decode(&tiny))?;
    let call = positive(tiny_wall - tiny_kernel, 1_000.0);
    let (long_wall, long_kernel) = fastest_on(device, || device.decode(&long))?;
    let received = positive((long_wall - long_kernel - call) / (4.0 * n), 0.001);
    let device_decode = positive(long_kernel / n, 0.0005);
    let sent_wall = fastest(|| {
        device.forget_lists()?;
        device.decode(&long)
    })?;
    let sent = positive((sent_wall - long_wall) / long.size() as f64, 0.001);
    let queries = vec![vec![tiny.clone(), tiny.clone()]; 256];
    let (one, _) = fastest_on(device, || device.intersect_batch(&queries[..1]))?;
    let (many, many_kernel) = fastest_on(device, || device.intersect_batch(&queries))?;
    let query = positive((many - many_kernel - one) / 255.0, 1.0);
    let (_, pair_kernel) = fastest_on(device, || device.intersect_count_batch(&[pair.to_vec()]))?;
    let device_probe = positive(pair_kernel / n - 2.0 * device_decode, 0.0005);
    if device.decode(&long)? != long.decode() {
        return Err(Error::Device("it decodes wrongly".into()));
    }
    Ok(Rates { cpu_decode, cpu_probe, call, query, sent, received, device_decode, device_probe })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(n: u32, gap: u32, codec: Codec) -> PostingList {
        PostingList::encode(&(0..n).map(|i| i * gap).collect::<Vec<_>>(), codec).unwrap()
    }

    #[test]
    fn rates_come_back_and_damage_does_not() {
        let bytes = Rates::ASSUMED.to_bytes();
        assert_eq!(Rates::from_bytes(&bytes), Some(Rates::ASSUMED));
        assert_eq!(Rates::from_bytes(&bytes[1..]), None);
        assert_eq!(Rates::from_bytes(&[&bytes[..], &[0; 8]].concat()), None);
        for wrong in [f64::NAN, f64::INFINITY, -1.0] {
            let damaged = [&bytes[..8], &wrong.to_le_bytes(), &bytes[16..]].concat();
            assert_eq!(Rates::from_bytes(&damaged), None, "{wrong}");
        }
    }

    #[test]
    fn rates_are_measured() {
        let named = std::env::var("POSTINGS_TEST_DEVICE").unwrap_or_else(|_| "portable".into());
        let Some(device) = device::select(&named).unwrap() else {
            eprintln!("skipped: no OpenCL device {named:?}");
            return;
        };
        let begun = Instant::now();
        let rates = measure(&device).unwrap();
        println!("{rates:?} in {:?}", begun.elapsed());
        assert_eq!(Rates::from_bytes(&rates.to_bytes()), Some(rates));
    }

    #[test]
    fn work_counts_what_is_touched() {
        let (short, long) = (list(10, 70_000, Codec::Simple9), list(100_000, 7, Codec::QuasiSuccinct));
        let work = Work::decode(&long);
        assert_eq!((work.decoded, work.results), ([0.0, 100_000.0], 100_000.0));
        let query = [short.clone(), long.clone()];
        let work = Work::intersect([&query[..]].into_iter(), false);
        assert_eq!(work.decoded, [10.0, (10 * BLOCK) as f64]);
        assert_eq!(work.probes, 10.0);
        assert!(work.results > 0.0 && work.results <= 10.0);
        assert_eq!(Work::intersect([&query[..]].into_iter(), true).results, 0.0);
        // A sample of many equal queries is as good as all of them.
        let many = Work::intersect(std::iter::repeat_n(&query[..], 10_000), false);
        assert_eq!((many.queries, many.probes), (10_000.0, 100_000.0));
        assert_eq!(Work::intersect([].into_iter(), false), Work::default());
        assert_eq!(Work::intersect([&[][..]].into_iter(), false).probes, 0.0);
    }

    #[test]
    fn the_device_wins_where_much_is_decoded_and_little_comes_back() {
        let rates = Rates::ASSUMED;
        let long = list(4_000_000, 8, Codec::QuasiSuccinct);
        let count = Work::intersect([&[long.clone(), long.clone()][..]].into_iter(), true);
        assert!(count.on_device(&rates, 0.0) < count.on_cpu(&rates));
        let small = [list(100, 8, Codec::QuasiSuccinct), long];
        let little = Work::intersect([&small[..]].into_iter(), true);
        assert!(little.on_device(&rates, 0.0) > little.on_cpu(&rates));
        assert!(count.on_device(&rates, 1e9) > count.on_device(&rates, 0.0));
    }
}
