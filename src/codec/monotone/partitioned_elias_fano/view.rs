//! What is derived from a list when it is intersected, and kept with it: its partitions, ready for use, and bit sets of
//! dense stretches, in which partitions are stored smaller than as bit sets, or end too often. Only bit sets are intersected
//! 64 docIDs at a time.

use super::directory::{Directory, Kind, Partition, Runs};
use crate::base::cpu::{self, Tier};
use crate::codec::{BLOCK, Encoded, SLACK, block_buffer};

/// Bit sets are derived only where at least one in this many docIDs is in the list. So they take at most 5 bytes per docID;
/// decoded docIDs take 4.
const SPARSEST: usize = 40;

/// Words of a bit set that are intersected in the time that one of these takes: a docID of an Elias–Fano partition, a run,
/// an eighth of a partition.
const WORDS_A_STEP: usize = 16;

/// 64-bit words in a cache line.
const LINE: usize = 8;

/// A list as intersections see it.
pub(crate) struct View {
    /// The first docID.
    pub(crate) first: u32,
    /// All docIDs, if the list has one block.
    pub(crate) few: Box<[u32]>,
    /// The largest docID of each part.
    pub(crate) lasts: Vec<u32>,
    parts: Vec<Part>,
    /// The first and last docIDs of the runs of partitions of several runs that are not in bit sets.
    ranges: Vec<(u32, u32)>,
    /// The bit sets. In all lists, the words of the same docIDs are at the same place in a cache line.
    words: Vec<u64>,
}

/// A partition, or a stretch of partitions of which there is a bit set.
struct Part {
    kind: Kind,
    first: u32,
    block: usize,
    end_block: usize,
    count: usize,
    words: usize,
    /// Its first word: of the list's payload, or of the derived bit sets.
    at: usize,
    is_derived: bool,
    /// Its first range, if it has several runs.
    range: usize,
}

impl View {
    /// The partitions of a checked list that is not empty. O(partitions).
    pub(crate) fn of(list: &Encoded) -> View {
        let directory = Directory::of(list);
        let mut buffer = block_buffer();
        // SAFETY: the list was checked and has a block, for which the buffer has room; plain Rust runs everywhere.
        let count = unsafe { directory.get(0).decode(Tier::Scalar, list.last_doc_ids, 0..1, buffer.as_mut_ptr()) };
        let few = if list.count <= BLOCK { buffer[..count].into() } else { Box::default() };
        let parts: Vec<Part> = (0..directory.len).map(|at| Part::of(list, &directory.get(at))).collect();
        View::of_parts(list, buffer[0], few, parts)
    }

    /// The same with bit sets of dense stretches. O(n).
    pub(crate) fn with_bits(list: &Encoded) -> View {
        let View { first, few, parts: partitions, .. } = View::of(list);
        let mut parts: Vec<Part> = Vec::new();
        let mut stretch = Stretch::default();
        let mut end = 0;
        for partition in partitions {
            let longer = stretch.and(list, &partition);
            if longer.suits() {
                stretch = Stretch { partitions: stretch.partitions, ..longer };
            } else {
                let next = Stretch::default().and(list, &partition);
                std::mem::replace(&mut stretch, next).end(&mut end, &mut parts);
            }
            stretch.partitions.push(partition);
        }
        stretch.end(&mut end, &mut parts);
        let mut view = View::of_parts(list, first, few, parts);
        if end != 0 {
            view.fill(list, end);
        }
        view
    }

    fn of_parts(list: &Encoded, first: u32, few: Box<[u32]>, mut parts: Vec<Part>) -> View {
        let lasts = parts.iter().map(|part| list.last_doc_ids[part.end_block - 1]).collect();
        let mut ranges = Vec::new();
        for part in parts.iter_mut().filter(|part| part.kind == Kind::Runs) {
            part.range = ranges.len();
            let runs = Runs::of(&part.partition(&list.payload[part.at..]));
            ranges.extend(runs.from(0));
        }
        View { first, few, lasts, parts, ranges, words: Vec::new() }
    }

    /// Makes the bit sets, which end at word `end`, and moves all to the beginning of a cache line.
    fn fill(&mut self, list: &Encoded, end: usize) {
        self.words = vec![0; end + LINE];
        let shift = self.words.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE);
        let directory = Directory::of(list);
        let mut doc_ids = vec![0; BLOCK + SLACK];
        for part in self.parts.iter_mut().filter(|part| part.is_derived) {
            part.at += shift;
            let words = &mut self.words[part.at..part.at + part.words];
            let line = part.first / 64 * 64;
            let mut at = directory.find(0, part.block);
            let mut partition = directory.get(at);
            for block in part.block..part.end_block {
                if block == partition.end_block {
                    at += 1;
                    partition = directory.next(&partition, at);
                }
                // SAFETY: the list was checked; the block is of this partition; there is room for it and the slack; the
                // tier is this processor's.
                let count =
                    unsafe { partition.decode(cpu::tier(), list.last_doc_ids, block..block + 1, doc_ids.as_mut_ptr()) };
                for doc_id in &doc_ids[..count] {
                    words[((doc_id - line) / 64) as usize] |= 1 << (doc_id % 64);
                }
            }
        }
    }

    /// A part of a list, and the first word of its bit set, which has the word of its first docID, if it is one.
    #[inline]
    pub(crate) fn part<'l>(&'l self, list: &Encoded<'l>, at: usize) -> (Partition<'l>, *const u64) {
        let part = &self.parts[at];
        let payload = if part.is_derived { &[] } else { &list.payload[part.at..] };
        let bits = if part.is_derived { self.words[part.at..].as_ptr() } else { payload.as_ptr().cast() };
        (part.partition(payload), bits)
    }

    /// The first and last docIDs of the runs of a part, from the one on that ends at or after `doc_id`. The part has several
    /// runs.
    #[inline]
    pub(crate) fn ranges(&self, list: &Encoded, at: usize, doc_id: u32) -> &[(u32, u32)] {
        let part = &self.parts[at];
        debug_assert!(part.kind == Kind::Runs);
        let ranges = &self.ranges[part.range..part.range + Runs::len_of(&list.payload[part.at..])];
        let from = if doc_id <= part.first { 0 } else { ranges.partition_point(|&(_, last)| last < doc_id) };
        &ranges[from..]
    }

    /// The bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.parts.len() * (size_of::<Part>() + size_of::<u32>());
        (size_of::<Self>() + 8 * (self.words.len() + self.ranges.len()) + parts + 4 * self.few.len()) as u64
    }
}

impl Part {
    fn partition<'l>(&self, payload: &'l [u32]) -> Partition<'l> {
        let Part { kind, first, block, end_block, count, words, .. } = *self;
        Partition { kind, first, block, end_block, count, words, payload }
    }

    fn of(list: &Encoded, partition: &Partition) -> Part {
        let Partition { kind, first, block, end_block, count, words, payload } = *partition;
        let at = list.payload.len() - payload.len();
        Part { kind, first, block, end_block, count, words, at, is_derived: false, range: 0 }
    }
}

/// Partitions for which there may be a bit set together.
#[derive(Default)]
struct Stretch {
    partitions: Vec<Part>,
    first: u32,
    count: usize,
    /// The words of the bit set.
    words: usize,
    /// What the partitions cost without: see [`WORDS_A_STEP`].
    steps: usize,
}

impl Stretch {
    /// The stretch with another partition, which is not yet in the list of partitions.
    fn and(&self, list: &Encoded, partition: &Part) -> Stretch {
        let first = if self.count == 0 { partition.first } else { self.first };
        let words = (list.last_doc_ids[partition.end_block - 1] / 64 - first / 64 + 1) as usize;
        let steps = match partition.kind {
            Kind::EliasFano(_) => partition.count,
            Kind::Runs => Runs::len_of(&list.payload[partition.at..]),
            Kind::Run => 1,
            // They are bit sets already; derived ones begin at a cache line.
            Kind::Bits => partition.words / 2,
        };
        let (count, steps) = (self.count + partition.count, self.steps + steps + 8);
        Stretch { partitions: Vec::new(), first, count, words, steps }
    }

    fn suits(&self) -> bool {
        self.words * 64 <= self.count * SPARSEST && self.words <= self.steps * WORDS_A_STEP
    }

    /// Adds the stretch to `parts`: as a bit set, if it suits, which begins after word `end` of the others.
    fn end(self, end: &mut usize, parts: &mut Vec<Part>) {
        let suits = self.suits();
        let Stretch { partitions, first, count, words, .. } = self;
        match &partitions[..] {
            [begin, ..] if suits => {
                let at = *end + ((first / 64) as usize).wrapping_sub(*end) % LINE;
                *end = at + words;
                let end_block = partitions[partitions.len() - 1].end_block;
                let block = begin.block;
                parts.push(Part {
                    kind: Kind::Bits,
                    first,
                    block,
                    end_block,
                    count,
                    words,
                    at,
                    is_derived: true,
                    range: 0,
                });
            }
            _ => parts.extend(partitions),
        }
    }
}
