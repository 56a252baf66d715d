//! What `postings.offload=auto` asks: would the device be faster, transfer included?
//!
//! Each operation is a [`Work`]: so many units of each kind of work, as `intersect` and `device` would do it. [`Rates`]
//! say how many nanoseconds a unit takes, the sums are the two estimates, and the smaller wins:
//!
//! ```text
//! CPU     lists · list + docIDs decoded · decoded + docIDs merged · merged
//!         + look-ups · near, and the more of a list each skips the nearer to far
//! device  calls · (decode | intersect) + queries · query + bytes not resident · sent + results · (received | gathered)
//!         + docIDs decoded · unpacked + work of the cheaper kernel · (probed | marked)
//! ```
//!
//! Results are taken to be what lists that have nothing to do with each other would give. Where the estimates are close
//! the CPU is used, and always for what takes it less than a device call without work.
//!
//! The rates are measured once a machine, device and version, by a few small operations, the first time that they are
//! wanted, and kept in the cache folder. Before that, and to tell whether looking for a device is worth its own cost,
//! [`Rates::assumed`] serve: a process that has a device to find and open (0.3 s on a GPU) does so when the time that it
//! would have saved so far adds up to that. Until then it uses the CPU, so that short scripts do not pay for a device
//! that they hardly use, and no process pays more than twice.

mod calibrate;

use crate::cache;
use crate::codec::{BLOCK, Codec, Cost};
use crate::cpu::{self, Tier};
use crate::device::{self, Device};
use crate::error::Result;
use crate::intersect;
use crate::list::PostingList;
use once_cell::sync::Lazy;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// What finding and opening a device costs a process, in nanoseconds (120–360 ms for a context on an H200).
const OPENING: f64 = 3e8;
/// Work that takes the CPU less than this many nanoseconds is not worth any thought: a launch and the wait for it take
/// longer.
const TRIFLE: f64 = 2e4;
/// The device's estimate must be below this share of the CPU's: where the two are closer, either is as good, and the
/// CPU's time is the surer one.
const MARGIN: f64 = 0.8;
/// Of more queries than this, so many are looked at, evenly spread.
const SAMPLE: usize = 128;
/// Of more lists than this, so many are looked for in device memory.
const SAMPLE_LISTS: usize = 512;
/// Lists of so many docIDs in all are not even modelled: the CPU is done with them in less than a device call, and the
/// model would take a tenth of what the shortest operations do.
const FEW: usize = 1 << 15;
/// Bytes of a list that caches are taken to hold. Probes far apart in a longer one cost about [`UNCACHED`] times as much:
/// measured on a Xeon, 43 ns in a list of 2^24 docIDs.
const CACHED: f64 = 4e6;
const UNCACHED: f64 = 2.0;

/// A number for each kind of work: units of work, or nanoseconds per unit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Terms {
    /// CPU: a list taken up.
    list: f64,
    /// Device: a call that decodes a list, without its work.
    decode: f64,
    /// Device: a call that intersects, without its work.
    intersect: f64,
    /// Device: a query of a call.
    query: f64,
    /// Device: a byte of a list sent.
    sent: f64,
    /// Device: a docID of a decoded list read back.
    received: f64,
    /// Device: a docID found by an intersection, read back and put in order.
    gathered: f64,
    /// Device: what takes an H200's kernels a nanosecond, by probing ([`device::kernel_work`]).
    probed: f64,
    /// The same by marking.
    marked: f64,
    /// What depends on the codec, by its [index](Codec::index).
    codecs: [CodecTerms; Codec::COUNT],
}

/// The same for the lists of one codec.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct CodecTerms {
    /// CPU: a docID decoded to memory.
    decoded: f64,
    /// CPU: a docID of one of two lists that are merged.
    merged: f64,
    /// CPU: a docID looked up next to the last one.
    near: f64,
    /// CPU: a docID looked up [`reach`] docIDs after the last one, or further.
    far: f64,
    /// Device: a docID decoded by a kernel.
    unpacked: f64,
}

impl Terms {
    const COUNT: usize = 9 + 5 * Codec::COUNT;

    /// All numbers, in the order of the fields.
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
    /// Until they are measured: a server's core with AVX-512, and a GPU in a PCIe slot.
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

    /// The rates, if there are as many as there should be and each is a rate.
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

/// What the model knows of a list.
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

/// From so many docIDs between two look-ups on, what lies between them no longer matters: upper bits are skipped with
/// the directory, or each look-up decodes a block of its own.
fn reach(tier: Tier, codec: Codec) -> f64 {
    if codec.looks_up(tier) { 1024.0 } else { BLOCK as f64 }
}

/// What an operation is to do: units of each kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Work(Terms);

impl Work {
    /// All docIDs of a list. `None` where they are few, as for other work.
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

    /// Intersections; `counted` where only their number is wanted. O(lists), of a sample where there are many.
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

    /// Makes what was added for `seen` queries that for `total` ones in one call.
    fn finish(mut self, total: f64, seen: f64) -> Work {
        let scale = if seen > 0.0 { total / seen } else { 0.0 };
        self.0.numbers().for_each(|units| *units *= scale);
        self.0.intersect = 1.0;
        self.0.query = total;
        self
    }

    /// One more query, as `intersect` does it on the CPU and one of the two kernels on the device.
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
        // What can be common ends with the list that ends first.
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
                // Between the two measured distances costs were found to rise about with the square root.
                let far = (here / candidates.max(1.0) / reach(tier, list.codec)).min(1.0).sqrt();
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

    /// Nanoseconds on the CPU.
    fn on_cpu(&self, Rates(rates): &Rates) -> f64 {
        let of_codec = |(units, rates): (&CodecTerms, &CodecTerms)| {
            units.decoded * rates.decoded
                + units.merged * rates.merged
                + units.near * rates.near
                + units.far * rates.far
        };
        self.0.list * rates.list + self.0.codecs.iter().zip(&rates.codecs).map(of_codec).sum::<f64>()
    }

    /// Nanoseconds on the device, of which `missing` bytes of lists must be sent first.
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

    /// Whether the device wins by these rates. How many bytes of lists it lacks is asked only where it matters.
    fn offloads(&self, rates: &Rates, missing: impl FnOnce() -> u64) -> bool {
        let cpu = self.on_cpu(rates);
        let call = if self.0.intersect != 0.0 { rates.0.intersect } else { rates.0.decode };
        let wins = |missing: f64| self.on_device(rates, missing) < MARGIN * cpu;
        cpu > call && wins(0.0) && (wins(self.0.sent) || wins(missing() as f64))
    }
}

/// Some of the items of an iterator, one of `step` on average, at distances that follow no pattern: those of queries may.
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
        // 0 to 2 · (step − 1) skipped, step − 1 on average.
        let skipped = (self.state >> 33) as usize % (2 * self.step - 1);
        self.items.nth(skipped)
    }
}

/// Bytes of these lists that are not in device memory, each list once; estimated from a sample where there are many.
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

/// If `different` of `seen` lists are different, how many of `all` are, drawn like them?
fn different_of_all(seen: f64, different: f64, all: f64) -> f64 {
    if different >= seen || all <= seen {
        return different * (all / seen).max(1.0);
    }
    // Drawing n times from a pool of that many gives so many different ones; the pool that explains the sample:
    let drawn = |pool: f64, n: f64| pool * (1.0 - (-n / pool).exp());
    let (mut low, mut high) = (different, different * seen);
    for _ in 0..50 {
        let pool = low.midpoint(high);
        if drawn(pool, seen) < different { low = pool } else { high = pool }
    }
    drawn(high, all)
}

/// The device, where it wins.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device): there is one, and it cannot be used.
pub(super) fn choose(
    selector: &str,
    work: Option<Work>,
    missing: impl FnOnce(&Device) -> u64,
) -> Result<Option<Arc<Device>>> {
    /// What the device would have saved so far, in nanoseconds.
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

/// The rates of a device and this CPU: from memory, from the cache folder, or measured. `None` where measuring them
/// failed before.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device): measuring fails; once.
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
    if let Some(rates) = cache::load("rates", &key).and_then(|bytes| Rates::from_bytes(&bytes)) {
        known.push((target.to_owned(), Some(rates)));
        return Ok(Some(rates));
    }
    let measured = calibrate::measure(device);
    known.push((target.to_owned(), measured.as_ref().ok().copied()));
    let rates = measured?;
    log::debug!("measured for postings.offload=auto: {rates:?}");
    cache::keep("rates", &key, &rates.to_bytes());
    Ok(Some(rates))
}

#[cfg(test)]
mod tests;
