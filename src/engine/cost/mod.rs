//! The cost model of `postings.offload=auto`: would the device be faster, transfers included?
//!
//! An operation is described by its [`Work`]: how many units of each kind of work `intersect` and `device` would do.
//! [`Rates`] give the nanoseconds per unit. Their products are added up to one estimate each for the CPU and the
//! device:
//!
//! ```text
//! CPU     lists · list + docIDs decoded · decoded + docIDs merged · merged
//!         + look-ups · (between near and far, depending on the distance)
//! device  calls · (decode | intersect) + queries · query + bytes not resident · sent + results · (received | gathered)
//!         + docIDs decoded · unpacked + work of the cheaper kernel · (probed | marked)
//! ```
//!
//! The size of results is estimated as if the lists were independent. The CPU is used if the estimates are close, or if
//! it takes less time than a device call without any work.
//!
//! The rates are measured with a few small operations when they are first needed, once per machine, device and version,
//! and kept in the cache folder. Until a device is open, [`Rates::assumed`] decide whether opening one is worth its
//! cost (0.3 s on a GPU): a process opens the device once the time that it would have saved so far adds up to that
//! cost. Until then it uses the CPU, so a short script does not pay for a device that it hardly uses, and no process
//! loses more than twice the cost.

mod calibrate;
mod queries;

pub(super) use queries::{Batch, Models, Ran, choose_for_queries, features, learn, models};
pub use queries::{CpuModel, DeviceModel, Features};

use crate::base::cache_folder;
use crate::base::cpu::{self, Tier};
use crate::base::error::Result;
use crate::codec::{BLOCK, Codec, Cost};
use crate::device::{self, Device};
use crate::intersect;
use crate::list::PostingList;
use once_cell::sync::Lazy;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Nanoseconds that finding and opening a device takes (120–360 ms for a context on an H200).
const OPENING: f64 = 3e8;
/// Work that takes the CPU fewer nanoseconds than this always stays there: a launch and the wait for it take longer.
const TRIFLE: f64 = 2e4;
/// The device is used only if its estimate is below this share of the CPU's. If the two are closer, either will do, and
/// the CPU's time varies less.
const MARGIN: f64 = 0.8;
/// The most queries of a batch that are examined; of a larger batch, a sample of about this many.
const SAMPLE: usize = 128;
/// The most lists that are looked up in the table of resident lists; of more, a sample of about this many.
const SAMPLE_LISTS: usize = 512;
/// Operations on at most this many docIDs are not modelled: the CPU finishes them in less time than a device call
/// takes, and evaluating the model would add a tenth to the shortest of them.
const FEW: usize = 1 << 15;
/// Lists of up to this many bytes are assumed to stay in the CPU's caches. In larger ones, look-ups far apart cost
/// about [`UNCACHED`] times as much: on a Xeon, 43 ns in a list of 2^24 docIDs.
const CACHED: f64 = 4e6;
const UNCACHED: f64 = 2.0;

/// One number for each kind of work: units of work, or nanoseconds per unit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Terms {
    /// CPU: one list of a query, whatever its length.
    list: f64,
    /// Device: the fixed cost of a call that decodes a list.
    decode: f64,
    /// Device: the fixed cost of a call that intersects.
    intersect: f64,
    /// Device: one query of a call.
    query: f64,
    /// Device: one byte of a list sent.
    sent: f64,
    /// Device: one docID of a decoded list read back.
    received: f64,
    /// Device: one docID found by an intersection, read back and put in order.
    gathered: f64,
    /// Device: probing work that takes an H200's kernels one nanosecond ([`device::kernel_work`]).
    probed: f64,
    /// Device: marking work that takes an H200's kernels one nanosecond.
    marked: f64,
    /// The kinds of work whose cost depends on the codec, by its [index](Codec::index).
    codecs: [CodecTerms; Codec::COUNT],
}

/// The kinds of work on lists of one codec.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct CodecTerms {
    /// CPU: one docID decoded to memory.
    decoded: f64,
    /// CPU: one docID of either of two lists that are merged.
    merged: f64,
    /// CPU: one look-up right after the previous one in the list.
    near: f64,
    /// CPU: one look-up at least [`reach`] docIDs after the previous one.
    far: f64,
    /// Device: one docID decoded by a kernel.
    unpacked: f64,
}

impl Terms {
    const COUNT: usize = 9 + 5 * Codec::COUNT;

    /// All numbers, in the order of the fields. [`rates`] keeps them in this order in the cache folder.
    fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        let Terms { list, decode, intersect, query, sent, received, gathered, probed, marked, codecs } = self;
        let own = [list, decode, intersect, query, sent, received, gathered, probed, marked];
        own.into_iter().chain(codecs.iter_mut().flat_map(|codec| {
            let CodecTerms { decoded, merged, near, far, unpacked } = codec;
            [decoded, merged, near, far, unpacked]
        }))
    }

    fn of(&mut self, codec: Codec) -> &mut CodecTerms {
        &mut self.codecs[codec.index()]
    }
}

/// Nanoseconds per unit of each kind of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates(Terms);

impl Rates {
    /// The rates assumed before any are measured: one core of a server with AVX-512, and a GPU in a PCIe slot.
    fn assumed() -> &'static Rates {
        static ASSUMED: Lazy<Rates> = Lazy::new(|| {
            Rates(Terms {
                list: 100.0,
                decode: 25_000.0,
                intersect: 90_000.0,
                query: 110.0,
                sent: 0.1,
                received: 0.3,
                gathered: 1.0,
                probed: 1.0,
                marked: 1.0,
                codecs: Codec::ALL.map(|codec| {
                    let Cost { decoded, merged, near, far } = codec.cost();
                    CodecTerms { decoded, merged, near, far, unpacked: device::assumed_decoding(codec) }
                }),
            })
        });
        &ASSUMED
    }

    fn to_bytes(mut self) -> Vec<u8> {
        self.0.numbers().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if the count is wrong or a number cannot be a rate.
    fn from_bytes(bytes: &[u8]) -> Option<Rates> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() || numbers.len() != Terms::COUNT {
            return None;
        }
        let mut terms = Terms::default();
        terms.numbers().zip(numbers).for_each(|(to, &number)| *to = f64::from_le_bytes(number));
        let sound = terms.numbers().all(|number| (0.0..1e9).contains(number));
        sound.then_some(Rates(terms))
    }
}

/// What the model needs to know about a list.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shape {
    id: u64,
    codec: Codec,
    len: usize,
    universe: u32,
    bytes: usize,
}

impl From<&PostingList> for Shape {
    fn from(list: &PostingList) -> Shape {
        let (codec, len, universe) = (list.codec(), list.len(), list.universe());
        Shape { id: list.id(), codec, len, universe, bytes: list.size() }
    }
}

/// The distance in docIDs from which on two consecutive look-ups no longer share work: upper bits between them are
/// skipped using the directory, or each decodes its own block.
fn reach(codec: Codec) -> f64 {
    if codec.looks_up() { 1024.0 } else { BLOCK as f64 }
}

/// Units of each kind of work that an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Work(Terms);

impl Work {
    /// Decoding a list. `None` if it is too short to be worth modelling ([`FEW`]).
    pub(super) fn decode(list: &PostingList) -> Option<Work> {
        (list.len() > FEW).then(|| Work::decode_of(Shape::from(list)))
    }

    fn decode_of(Shape { codec, len, bytes, .. }: Shape) -> Work {
        let docs = len as f64;
        let mut work =
            Terms { list: 1.0, decode: 1.0, query: 1.0, received: docs, sent: bytes as f64, ..Terms::default() };
        let codec = work.of(codec);
        (codec.decoded, codec.unpacked) = (docs, docs);
        Work(work)
    }

    /// Intersecting the lists of each query; `counted` if only the number of docIDs is wanted. `None` if the lists are
    /// too short to be worth modelling. Large batches are estimated from a sample.
    pub(super) fn intersect<'l>(
        queries: impl ExactSizeIterator<Item = &'l [PostingList]> + Clone,
        counted: bool,
    ) -> Option<Work> {
        let mut doc_ids = 0usize;
        let mut lists = queries.clone().flatten();
        if lists.all(|list| {
            doc_ids += list.len();
            doc_ids <= FEW
        }) {
            return None;
        }
        let total = queries.len();
        let (mut work, mut seen) = (Work::default(), 0.0);
        let mut shapes = Vec::new();
        let tier = cpu::tier();
        for lists in Spread::new(queries, total.div_ceil(SAMPLE)) {
            shapes.clear();
            shapes.extend(lists.iter().map(Shape::from));
            work.add(tier, &mut shapes, counted);
            seen += 1.0;
        }
        Some(work.finish(total as f64, seen))
    }

    /// Scales the work of `seen` queries up to `total` queries of one call.
    fn finish(mut self, total: f64, seen: f64) -> Work {
        let scale = if seen > 0.0 { total / seen } else { 0.0 };
        self.0.numbers().for_each(|units| *units *= scale);
        self.0.intersect = 1.0;
        self.0.query = total;
        self
    }

    /// Adds the work of one query, on the CPU as `intersect` does it and on the device as the cheaper kernel does.
    fn add(&mut self, tier: Tier, lists: &mut Vec<Shape>, counted: bool) {
        lists.sort_unstable_by_key(|list| (list.len, list.id));
        let largest = lists.iter().map(|list| list.universe).min().unwrap_or(0);
        let Some(&shortest) = lists.first().filter(|shortest| shortest.len != 0) else {
            return;
        };
        let units = &mut self.0;
        let lengths = lists.iter().map(|list| (list.codec, list.len));
        let [probed, marked] = device::kernel_work(lengths, largest);
        if probed <= marked {
            units.probed += probed / 1e3
        } else {
            units.marked += marked / 1e3
        }
        units.sent += lists.iter().map(|list| list.bytes as f64).sum::<f64>();

        lists.dedup_by_key(|list| list.id);
        units.list += lists.len() as f64;
        // No common docID can exceed the smallest of the lists' largest docIDs.
        let range = f64::from(largest) + 1.0;
        let density = |list: &Shape| list.len as f64 / (f64::from(list.universe) + 1.0);
        let mut candidates = range * density(&shortest);
        for (at, list) in lists.iter().enumerate().skip(1) {
            let here = range * density(list);
            if at == 1 && list.len / intersect::merge_ratio(tier, list.codec) < shortest.len {
                units.of(shortest.codec).merged += candidates;
                units.of(list.codec).merged += here;
            } else {
                if at == 1 {
                    units.of(shortest.codec).decoded += candidates;
                }
                // Between the two measured distances, the cost was found to rise with about the square root of the
                // distance.
                let far = (here / candidates.max(1.0) / reach(list.codec)).min(1.0).sqrt();
                let slow = if list.bytes as f64 > CACHED { UNCACHED } else { 1.0 };
                units.of(list.codec).near += candidates * (1.0 - far);
                units.of(list.codec).far += candidates * far * slow;
            }
            candidates *= density(list).min(1.0);
        }
        if lists.len() == 1 {
            units.of(shortest.codec).decoded += candidates;
        }
        if !counted {
            units.gathered += candidates;
        }
    }

    /// Estimated nanoseconds on the CPU.
    fn on_cpu(&self, Rates(rates): &Rates) -> f64 {
        let of_codec = |(units, rates): (&CodecTerms, &CodecTerms)| {
            units.decoded * rates.decoded
                + units.merged * rates.merged
                + units.near * rates.near
                + units.far * rates.far
        };
        self.0.list * rates.list + self.0.codecs.iter().zip(&rates.codecs).map(of_codec).sum::<f64>()
    }

    /// Estimated nanoseconds on the device, if `missing` bytes of lists must be sent first.
    fn on_device(&self, Rates(rates): &Rates, missing: f64) -> f64 {
        let units = &self.0;
        units.decode * rates.decode
            + units.intersect * rates.intersect
            + units.query * rates.query
            + missing * rates.sent
            + units.received * rates.received
            + units.gathered * rates.gathered
            + units.probed * rates.probed
            + units.marked * rates.marked
            + units.codecs.iter().zip(&rates.codecs).map(|(units, rates)| units.unpacked * rates.unpacked).sum::<f64>()
    }

    /// Whether the device wins by these rates. `missing`, the bytes of lists that the device lacks, is called only if
    /// the answer depends on it.
    fn offloads(&self, rates: &Rates, missing: impl FnOnce() -> u64) -> bool {
        let cpu = self.on_cpu(rates);
        let call = if self.0.intersect != 0.0 { rates.0.intersect } else { rates.0.decode };
        let wins = |missing: f64| self.on_device(rates, missing) < MARGIN * cpu;
        cpu > call && wins(0.0) && (wins(self.0.sent) || wins(missing() as f64))
    }
}

/// Samples one in `step` items of an iterator on average. The distances are pseudorandom, because queries may follow a
/// pattern.
struct Spread<I> {
    items: I,
    step: usize,
    state: u64,
}

impl<I: Iterator> Spread<I> {
    fn new(items: I, step: usize) -> Self {
        Spread { items, step, state: 1 }
    }
}

impl<I: Iterator> Iterator for Spread<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.step <= 1 {
            return self.items.next();
        }
        self.state = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        // Skips 0 to 2 · (step − 1) items, step − 1 on average.
        let skipped = (self.state >> 33) as usize % (2 * self.step - 1);
        self.items.nth(skipped)
    }
}

/// The total size of those of these lists that are not in device memory, counting each list once. Estimated from a
/// sample if there are many.
pub(super) fn missing<'l>(device: &Device, lists: impl Iterator<Item = &'l PostingList> + Clone) -> u64 {
    let total = lists.clone().count();
    let mut looked_at = 0;
    let sample = Spread::new(lists, total.div_ceil(SAMPLE_LISTS)).inspect(|_| looked_at += 1);
    let mut missing = device.missing(sample);
    let seen = missing.len() as f64;
    missing.sort_unstable_by_key(|list| list.id());
    missing.dedup_by_key(|list| list.id());
    let bytes: usize = missing.iter().map(|list| list.size()).sum();
    if missing.is_empty() {
        return 0;
    }
    let different = missing.len() as f64;
    (bytes as f64 / different * different_of_all(seen, different, seen / f64::from(looked_at) * total as f64)) as u64
}

/// Estimates how many different lists there are among `all`, given that a sample of `seen` has `different` ones.
fn different_of_all(seen: f64, different: f64, all: f64) -> f64 {
    if different >= seen || all <= seen {
        return different * (all / seen).max(1.0);
    }
    // The expected number of different lists after n draws from a pool. Bisection finds the pool that explains the
    // sample.
    let drawn = |pool: f64, n: f64| pool * (1.0 - (-n / pool).exp());
    let (mut low, mut high) = (different, different * seen);
    for _ in 0..50 {
        let pool = low.midpoint(high);
        if drawn(pool, seen) < different { low = pool } else { high = pool }
    }
    drawn(high, all)
}

/// The device, if it is expected to be faster.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) if the device cannot be used.
pub(super) fn choose(
    selector: &str,
    work: Option<Work>,
    missing: impl FnOnce(&Device) -> u64,
) -> Result<Option<Arc<Device>>> {
    /// Nanoseconds that the device would have saved so far.
    static LOST: AtomicU64 = AtomicU64::new(0);

    let Some(work) = work else {
        return Ok(None);
    };
    let assumed = work.on_cpu(Rates::assumed());
    if assumed < TRIFLE || device::is_none(selector) {
        return Ok(None);
    }
    let device = match device::opened(selector) {
        Some(device) => device,
        None => {
            let saving = (assumed - work.on_device(Rates::assumed(), 0.0)).max(0.0);
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
    Ok(work.offloads(&rates, || missing(&device)).then_some(device))
}

/// The rates of a device and this CPU: from memory, from the cache folder, or measured. `None` if measuring them failed
/// before.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) the first time that measuring fails.
pub(super) fn rates(device: &Device) -> Result<Option<Rates>> {
    static KNOWN: Mutex<Vec<(String, Option<Rates>)>> = Mutex::new(Vec::new());

    let target = device.target();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, rates)) = known.iter().find(|(name, _)| name == target) {
        return Ok(*rates);
    }
    let codecs = Codec::ALL.map(Codec::name).join(" ");
    let cores = std::thread::available_parallelism();
    let key = format!("rates 3\n{target}\n{}\n{cores:?}\n{codecs}", cpu::tier().name());
    if let Some(rates) = cache_folder::load("rates", &key).and_then(|bytes| Rates::from_bytes(&bytes)) {
        known.push((target.to_owned(), Some(rates)));
        return Ok(Some(rates));
    }
    let measured = calibrate::measure(device);
    known.push((target.to_owned(), measured.as_ref().ok().copied()));
    let rates = measured?;
    log::debug!("measured for postings.offload=auto: {rates:?}");
    cache_folder::keep("rates", &key, &rates.to_bytes());
    Ok(Some(rates))
}

#[cfg(test)]
mod tests;
