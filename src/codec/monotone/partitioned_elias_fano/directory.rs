//! The directory of partitions, in the list's own words.

use crate::base::bits::{get, low_mask, put, words_for};
use crate::codec::fields::Packer;
use crate::codec::{BLOCK, Encoded};

/// How the docIDs of a partition are coded. The number of Elias–Fano is the width of its lower bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Lower and upper bits, with that many lower bits per docID.
    EliasFano(u32),
    /// A bit for each docID of the range, in words of 64 that begin at multiples of 64.
    Bits,
    /// Every docID of the range.
    Run,
    /// Several runs: where each begins, and how many docIDs come before it.
    Runs,
}

/// The parameter byte of lists that have a directory. The others are one partition without one: [`Kind::number`].
pub(super) const MANY: u32 = 63;

/// The most docIDs of a partition of runs. Runs are the only partitions whose docIDs take no room, and this bounds how
/// many a small list can have.
pub(super) const MOST_IN_RUNS: usize = 1 << 16;

/// Bits of the kind in an entry.
const KIND_BITS: u32 = 6;

/// Bits of the first own word that hold the number of partitions, which is at most that of blocks, 2^25. The others
/// hold the width of words.
const LEN_BITS: u32 = 26;

impl Kind {
    pub(super) fn number(self) -> u32 {
        match self {
            Kind::EliasFano(width) => width,
            Kind::Bits => 32,
            Kind::Run => 33,
            Kind::Runs => 34,
        }
    }

    pub(super) fn from_number(number: u32) -> Option<Kind> {
        Some(match number {
            0..=31 => Kind::EliasFano(number),
            32 => Kind::Bits,
            33 => Kind::Run,
            34 => Kind::Runs,
            _ => return None,
        })
    }
}

/// The bits that hold numbers up to `most`.
pub(super) fn bits_for(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// An entry of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: u32,
    /// The first docID.
    pub(super) first: u32,
    /// The block after the last one.
    pub(super) end_block: u32,
    /// The word of the payload after the last one.
    pub(super) end_word: u32,
}

/// The widths of the fields of an entry. Those of the first two follow from the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Widths {
    first: u32,
    block: u32,
    word: u32,
}

impl Widths {
    pub(super) fn new(count: usize, universe: u32, payload_words: usize) -> Widths {
        let word = bits_for(payload_words as u64);
        Widths { word, ..Widths::least(count, universe) }
    }

    /// The widths if there is no payload.
    pub(super) fn least(count: usize, universe: u32) -> Widths {
        let blocks = count.div_ceil(BLOCK) as u64;
        Widths { first: bits_for(universe.into()), block: bits_for(blocks), word: 0 }
    }

    /// Bits of an entry.
    pub(super) fn entry(self) -> u32 {
        KIND_BITS + self.first + self.block + self.word
    }

    /// The list's own words for so many partitions.
    pub(super) fn own_words(self, partitions: usize) -> u64 {
        1 + words_for(partitions as u64 * u64::from(self.entry()))
    }

    /// Writes the own words.
    pub(super) fn write(self, entries: &[Entry]) -> Vec<u32> {
        let mut own = vec![0; self.own_words(entries.len()) as usize];
        own[0] = entries.len() as u32 | self.word << LEN_BITS;
        let mut position = 32;
        for entry in entries {
            let fields = [
                (KIND_BITS, entry.kind),
                (self.first, entry.first),
                (self.block, entry.end_block),
                (self.word, entry.end_word),
            ];
            for (width, value) in fields {
                put(&mut own, position, width, value);
                position += u64::from(width);
            }
        }
        own
    }
}

/// The partitions of a list.
#[derive(Clone, Copy)]
pub(crate) struct Directory<'l> {
    list: Encoded<'l>,
    /// The number of partitions.
    pub(crate) len: usize,
    widths: Widths,
    entry_bits: u64,
}

/// A partition of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Partition<'l> {
    pub(crate) kind: Kind,
    /// No docID is less; the first docID, unless the list has no directory.
    pub(crate) first: u32,
    /// Its first block, and the one after its last.
    pub(crate) block: usize,
    pub(crate) end_block: usize,
    /// The number of its docIDs.
    pub(crate) count: usize,
    /// The number of its words.
    pub(crate) words: usize,
    /// Its words and all that follow in the payload.
    pub(crate) payload: &'l [u32],
}

impl<'l> Directory<'l> {
    #[inline]
    pub(crate) fn of(list: &Encoded<'l>) -> Directory<'l> {
        let is_many = list.parameter == MANY;
        let (len, widths) = match list.own.first() {
            Some(&head) if is_many => {
                let widths = Widths { word: head >> LEN_BITS, ..Widths::least(list.count, list.universe) };
                ((head & low_mask(LEN_BITS)) as usize, widths)
            }
            _ => (usize::from(list.count != 0), Widths { first: 0, block: 0, word: 0 }),
        };
        Directory { list: *list, len, widths, entry_bits: widths.entry().into() }
    }

    /// Whether the own words have the length that the number of partitions and the widths require.
    pub(super) fn fills_own_words(&self) -> bool {
        self.widths.word <= 32 && self.widths.own_words(self.len) == self.list.own.len() as u64
    }

    pub(super) fn entry(&self, at: usize) -> Entry {
        let Widths { first, block, word } = self.widths;
        let position = 32 + at as u64 * self.entry_bits;
        let own = self.list.own;
        let mut from = position;
        let mut field = |width: u32| {
            let value = get(own, from, width);
            from += u64::from(width);
            value
        };
        let kind = field(KIND_BITS);
        Entry { kind, first: field(first), end_block: field(block), end_word: field(word) }
    }

    /// The block and the word of the payload after a partition.
    fn ends(&self, at: usize) -> (usize, usize) {
        let Widths { first, block, word } = self.widths;
        let position = 32 + at as u64 * self.entry_bits + u64::from(KIND_BITS + first);
        let end_block = get(self.list.own, position, block);
        (end_block as usize, get(self.list.own, position + u64::from(block), word) as usize)
    }

    /// The partition at that index. It must exist.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Partition<'l> {
        match self.list.parameter {
            MANY => {
                let before = if at == 0 { (0, 0) } else { self.ends(at - 1) };
                self.after(before, at)
            }
            _ => self.only(),
        }
    }

    /// The partition at that index, which follows that block and word of the payload.
    #[inline]
    fn after(&self, (block, word): (usize, usize), at: usize) -> Partition<'l> {
        let Entry { kind, first, end_block, end_word } = self.entry(at);
        let end_block = end_block as usize;
        Partition {
            // The directory was checked.
            kind: Kind::from_number(kind).unwrap_or(Kind::Run),
            first,
            block,
            end_block,
            count: self.list.count.min(end_block * BLOCK) - block * BLOCK,
            words: end_word as usize - word,
            payload: &self.list.payload[word..],
        }
    }

    /// The only partition of a list without a directory.
    #[inline]
    fn only(&self) -> Partition<'l> {
        let Encoded { count, universe, parameter, payload, payload_words, .. } = self.list;
        let kind = Kind::from_number(parameter).unwrap_or(Kind::Run);
        let end_block = count.div_ceil(BLOCK);
        let (first, words, payload) = match kind {
            Kind::Run => (universe - (count - 1) as u32, payload_words, payload),
            // The first docID stands before the runs.
            Kind::Runs => (payload[0], payload_words - 1, &payload[1..]),
            _ => (0, payload_words, payload),
        };
        Partition { kind, first, block: 0, end_block, count, words, payload }
    }

    /// The partition after one that [`get`](Self::get) gave for `at - 1`.
    #[inline]
    pub(crate) fn next(&self, partition: &Partition<'l>, at: usize) -> Partition<'l> {
        let word = self.list.payload.len() - partition.payload.len() + partition.words;
        self.after((partition.end_block, word), at)
    }

    /// The index of the partition that contains a block, from partition `from` on.
    pub(crate) fn find(&self, from: usize, block: usize) -> usize {
        let (mut from, mut to) = (from, self.len - 1);
        while from < to {
            let middle = from.midpoint(to);
            if self.ends(middle).0 <= block {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// The largest docID of a partition.
    #[inline]
    pub(crate) fn last(&self, partition: &Partition) -> u32 {
        self.list.last_doc_ids[partition.end_block - 1]
    }
}

/// The runs of a partition of that kind.
///
/// The first word has the number of runs less 1 (bits 0–15) and the width of the starts (bits 16–21). Then, for each run
/// but the first: its first docID, less the partition's, and the number of docIDs before it.
#[derive(Clone, Copy)]
pub(crate) struct Runs<'l> {
    pub(crate) len: usize,
    first: u32,
    count: u32,
    start_width: u32,
    before_width: u32,
    stream: &'l [u32],
}

impl<'l> Runs<'l> {
    #[inline]
    pub(crate) fn of(partition: &Partition<'l>) -> Runs<'l> {
        let Partition { first, count, payload, .. } = *partition;
        let start_width = payload[0] >> 16 & 63;
        let before_width = bits_for(count as u64 - 1);
        let len = Runs::len_of(payload);
        Runs { len, first, count: count as u32, start_width, before_width, stream: &payload[1..] }
    }

    /// The number of runs of a partition with that payload.
    #[inline]
    pub(crate) fn len_of(payload: &[u32]) -> usize {
        (payload[0] & 0xFFFF) as usize + 1
    }

    /// Words of a partition with so many runs.
    pub(super) fn words(len: usize, start_width: u32, before_width: u32) -> u64 {
        1 + words_for((len as u64 - 1) * u64::from(start_width + before_width))
    }

    /// The words of runs: the first docID of each, of which none is less than `first`, and how many docIDs are before it. The last
    /// docID is `first` plus `span`.
    pub(super) fn write(first: u32, runs: &[(u32, u32)], span: u32, count: usize, words: &mut Vec<u32>) {
        let (start_width, before_width) = (bits_for(span.into()), bits_for(count as u64 - 1));
        words.reserve(Runs::words(runs.len(), start_width, before_width) as usize);
        words.push((runs.len() - 1) as u32 | start_width << 16);
        let mut packer = Packer::new(words);
        for &(start, before) in &runs[1..] {
            packer.push(start_width, start - first);
            packer.push(before_width, before);
        }
        packer.finish();
    }

    /// Whether the first word is one that an encoder writes for a partition of so many words.
    pub(super) fn is_shaped(&self, words: usize) -> bool {
        self.start_width <= 32 && Runs::words(self.len, self.start_width, self.before_width) == words as u64
    }

    /// The first docID of a run, and the number of docIDs before it.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> (u32, u32) {
        if at == 0 {
            return (self.first, 0);
        }
        if at >= self.len {
            return (u32::MAX, self.count);
        }
        let position = (at as u64 - 1) * u64::from(self.start_width + self.before_width);
        // SAFETY: the run is one of the partition's, whose words are followed by padding. At most 48 bits are used.
        let bits = unsafe { crate::base::bits::read_57(self.stream, position) };
        let start = bits as u32 & low_mask(self.start_width);
        (self.first.wrapping_add(start), (bits >> self.start_width) as u32 & low_mask(self.before_width))
    }

    /// The first and the last docID of a run.
    #[inline]
    pub(crate) fn range(&self, at: usize) -> (u32, u32) {
        let (start, before) = self.get(at);
        let (_, end) = self.get(at + 1);
        (start, start + (end - before - 1))
    }

    /// The runs from `at` on, one after the other.
    #[inline]
    pub(crate) fn from(&self, at: usize) -> impl Iterator<Item = (u32, u32)> {
        let mut next = self.get(at);
        (at + 1..self.len + 1).map(move |after| {
            let (start, before) = next;
            next = self.get(after);
            (start, start + (next.1 - before - 1))
        })
    }

    /// The run that contains the docID with that rank in the partition.
    pub(crate) fn with_rank(&self, rank: u32) -> usize {
        let (mut from, mut to) = (0, self.len - 1);
        while from < to {
            let middle = (from + to).div_ceil(2);
            if self.get(middle).1 <= rank {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        from
    }

    /// The first run from `from` on that ends at or after `doc_id`; the number of runs if there is none.
    #[inline]
    pub(crate) fn at_or_after(&self, from: usize, doc_id: u32) -> usize {
        let mut step = 1;
        let mut low = from;
        // Exponential search, since the next one is mostly near.
        while low + step <= self.len && self.range(low + step - 1).1 < doc_id {
            low += step;
            step *= 2;
        }
        let mut high = self.len.min(low + step - 1);
        while low < high {
            let middle = low.midpoint(high);
            if self.range(middle).1 < doc_id {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}
