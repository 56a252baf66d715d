//! [`Work`]: what an operation on posting lists does, on the CPU and on the device.

use super::MARGIN;
use super::rates::{CodecTerms, Rates, Terms};
use super::sample::Spread;
use crate::base::cpu::{self, Tier};
use crate::codec::{BLOCK, Codec};
use crate::device;
use crate::intersect;
use crate::list::PostingList;

/// The most queries of a batch that are examined; of a larger batch, a sample of about this many.
const SAMPLE: usize = 128;
/// Operations on at most this many docIDs are not modelled: the CPU finishes them in less time than a device call
/// takes, and evaluating the model would add a tenth to the shortest of them.
const FEW: usize = 1 << 15;
/// Lists of up to this many bytes are assumed to stay in the CPU's caches. In larger ones, look-ups far apart cost
/// about [`UNCACHED`] times as much: on a Xeon, 43 ns in a list of 2^24 docIDs.
const CACHED: f64 = 4e6;
const UNCACHED: f64 = 2.0;

/// What the model needs to know about a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    pub(super) id: u64,
    pub(super) codec: Codec,
    pub(super) len: usize,
    pub(super) universe: u32,
    pub(super) bytes: usize,
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
pub(in crate::engine) struct Work(pub(super) Terms);

impl Work {
    /// Decoding a list. `None` if it is too short to be worth modelling ([`FEW`]).
    pub(in crate::engine) fn decode(list: &PostingList) -> Option<Work> {
        (list.len() > FEW).then(|| Work::decode_of(Shape::from(list)))
    }

    pub(super) fn decode_of(Shape { codec, len, bytes, .. }: Shape) -> Work {
        let docs = len as f64;
        let mut work =
            Terms { list: 1.0, decode: 1.0, query: 1.0, received: docs, sent: bytes as f64, ..Terms::default() };
        let codec = work.of(codec);
        (codec.decoded, codec.unpacked) = (docs, docs);
        Work(work)
    }

    /// Intersecting the lists of each query; `counted` if only the number of docIDs is wanted. `None` if the lists are
    /// too short to be worth modelling. Large batches are estimated from a sample.
    pub(in crate::engine) fn intersect<'l>(
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
    pub(super) fn finish(mut self, total: f64, seen: f64) -> Work {
        let scale = if seen > 0.0 { total / seen } else { 0.0 };
        self.0.numbers().for_each(|units| *units *= scale);
        self.0.intersect = 1.0;
        self.0.query = total;
        self
    }

    /// Adds the work of one query, on the CPU as `intersect` does it and on the device as the cheaper kernel does.
    pub(super) fn add(&mut self, tier: Tier, lists: &mut Vec<Shape>, counted: bool) {
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
    pub(super) fn on_cpu(&self, Rates(rates): &Rates) -> f64 {
        let of_codec = |(units, rates): (&CodecTerms, &CodecTerms)| {
            units.decoded * rates.decoded
                + units.merged * rates.merged
                + units.near * rates.near
                + units.far * rates.far
        };
        self.0.list * rates.list + self.0.codecs.iter().zip(&rates.codecs).map(of_codec).sum::<f64>()
    }

    /// Estimated nanoseconds on the device, if `missing` bytes of lists must be sent first.
    pub(super) fn on_device(&self, Rates(rates): &Rates, missing: f64) -> f64 {
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
    pub(super) fn offloads(&self, rates: &Rates, missing: impl FnOnce() -> u64) -> bool {
        let cpu = self.on_cpu(rates);
        let call = if self.0.intersect != 0.0 { rates.0.intersect } else { rates.0.decode };
        let wins = |missing: f64| self.on_device(rates, missing) < MARGIN * cpu;
        cpu > call && wins(0.0) && (wins(self.0.sent) || wins(missing() as f64))
    }
}
