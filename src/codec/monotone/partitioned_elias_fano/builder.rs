//! Makes the parts of a list of what an intersection sends: ranges become runs, words of bit sets are copied, and only
//! docIDs that come one by one are partitioned as in a list that is encoded. So a result of bit sets or runs costs no more
//! than its words, but may take a little more room than an encoded list.

use super::directory::{Entry, Kind, MANY, MOST_IN_RUNS, Runs, Widths};
use super::encode_partition;
use super::open_runs::{LONG, OpenRuns, Turns};
use super::plan::Costs;
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, Plan, Sink, append_bits};

/// docIDs that are gathered before they are partitioned, so that memory stays bounded by the result.
const GATHERED: usize = 1 << 16;

/// Words with fewer bits than this on average become docIDs. So a result takes at most 21 bits per docID.
const SPARSEST: usize = 3;

/// Words without bits that a bit set may contain between others.
const HOLE: usize = 4;

/// Words before the payload, so that it need not be moved when a header comes there, with a directory of a few partitions.
pub(crate) const HEAD: usize = 16;

/// The most words for which there is room before they come: what fits in the second-level cache.
const ROOM: usize = 1 << 18;

/// Results up to this length are encoded like any list.
pub(crate) const FEW: usize = 1024;

/// What an entry of the directory takes, about, in bits.
const OVERHEAD: u64 = 64;

/// A sink whose docIDs become a partitioned list.
#[derive(Default)]
pub(crate) struct Builder {
    /// Words for which there will be room once there is a bit set.
    room: usize,
    entries: Vec<Entry>,
    /// Once there is any, it begins after [`HEAD`] words.
    payload: Vec<u32>,
    /// The last docID of each block in the partitions of `entries`, as long as all are Elias–Fano.
    lasts: Vec<u32>,
    /// Whether there are others, in which these are found without decoding.
    has_others: bool,
    /// The last docID in these partitions.
    last: u32,
    /// The number of blocks in the partitions of `entries`.
    blocks: usize,
    /// How many docIDs the last of them has less than whole blocks. If any, it is the end of the list.
    short: usize,
    /// A bit set that may go on, or runs that may, but not both. If there is either, no docIDs are gathered.
    bits: Option<OpenBits>,
    runs: OpenRuns,
    /// The docIDs after those partitions.
    gathered: Vec<u32>,
    turns: Turns,
}

/// What a [`Builder`] makes.
pub(crate) enum Built {
    /// So few docIDs that they are to be encoded.
    Few(Vec<u32>),
    /// Own words and parameter, the number of docIDs and the largest, and the payload, which begins after [`HEAD`] words. The last
    /// docID of each block, unless there are bit sets or runs, in which finding them takes longer than all else.
    Parts { plan: Plan, count: usize, universe: u32, payload: Vec<u32>, lasts: Option<Vec<u32>> },
}

/// A bit set at the end of the payload.
struct OpenBits {
    first: u32,
    /// Its first word of the payload.
    begin: usize,
    count: usize,
}

impl Builder {
    /// Of a list that will take at most so many words, as far as is known.
    pub(crate) fn with_room(words: usize) -> Builder {
        Builder { room: words.min(ROOM), ..Builder::default() }
    }

    /// What the list is made of.
    pub(crate) fn finish(mut self) -> Built {
        if let Some(bits) = self.bits.take() {
            self.push_bits(bits);
        }
        if self.runs.count != 0 {
            let runs = std::mem::take(&mut self.runs);
            if self.entries.is_empty() && runs.count <= FEW {
                self.gathered.extend(runs.from(0).flatten());
            } else {
                self.push_runs(&runs.runs, runs.count);
            }
        }
        if self.entries.is_empty() && self.gathered.len() <= FEW {
            return Built::Few(self.gathered);
        }
        let count = self.blocks * BLOCK - self.short + self.gathered.len();
        self.partition_gathered();
        let universe = self.last;
        let own = Widths::new(count, universe, self.payload.len() - HEAD).write(&self.entries);
        let plan = Plan { parameter: MANY as u8, own };
        let lasts = (!self.has_others).then_some(self.lasts);
        Built::Parts { plan, count, universe, payload: self.payload, lasts }
    }

    fn push(&mut self, kind: Kind, first: u32, blocks: usize) {
        self.blocks += blocks;
        let (end_block, end_word) = (self.blocks as u32, (self.payload.len() - HEAD) as u32);
        self.entries.push(Entry { kind: kind.number(), first, end_block, end_word });
        self.has_others |= !matches!(kind, Kind::EliasFano(_));
    }

    /// Leaves room before the payload, if there is none yet.
    fn begin_payload(&mut self) {
        if self.payload.is_empty() {
            self.payload.resize(HEAD, 0);
        }
    }

    /// Makes partitions of the gathered docIDs: whole blocks, or the end of the list.
    fn partition_gathered(&mut self) {
        let doc_ids = std::mem::take(&mut self.gathered);
        self.begin_payload();
        for piece in Costs::new(&doc_ids).quick(OVERHEAD) {
            let part = &doc_ids[piece.block * BLOCK..doc_ids.len().min(piece.end_block * BLOCK)];
            encode_partition(part, Some(piece.kind), &mut self.payload);
            self.push(piece.kind, part[0], piece.end_block - piece.block);
            if !self.has_others {
                self.lasts.extend(part.chunks(BLOCK).map(|block| block[block.len() - 1]));
            }
            self.last = part[part.len() - 1];
        }
        self.gathered = doc_ids;
        self.gathered.clear();
    }

    /// Adds a bit set, which ends with the word of its last docID.
    fn push_bits(&mut self, OpenBits { first, begin, count }: OpenBits) {
        if let [.., low, high] = self.payload[begin..] {
            let word = u64::from(high) << 32 | u64::from(low);
            let words_before = (self.payload.len() - begin) / 2 - 1;
            self.last = first / 64 * 64 + 64 * words_before as u32 + (63 - word.leading_zeros());
        }
        let blocks = count.div_ceil(BLOCK);
        self.push(Kind::Bits, first, blocks);
        self.short = blocks * BLOCK - count;
    }

    /// Adds the first `count` docIDs of runs, of which each has one.
    fn push_runs(&mut self, runs: &[(u32, u32)], count: usize) {
        let (Some(&(first, _)), Some(&(start, before))) = (runs.first(), runs.last()) else { return };
        self.last = start + (count as u32 - 1 - before);
        self.begin_payload();
        let kind = if runs.len() == 1 { Kind::Run } else { Kind::Runs };
        if kind == Kind::Runs {
            Runs::write(first, runs, self.last - first, count, &mut self.payload);
        }
        let blocks = count.div_ceil(BLOCK);
        self.push(kind, first, blocks);
        self.short = blocks * BLOCK - count;
    }

    /// Ends the open partition, if any. Its docIDs after the last whole block are gathered.
    fn close(&mut self) {
        if let Some(bits) = self.bits.take() {
            self.close_bits(bits);
        }
        self.close_runs();
    }

    fn close_runs(&mut self) {
        if self.runs.count == 0 {
            return;
        }
        let runs = std::mem::take(&mut self.runs);
        let whole = runs.count / BLOCK * BLOCK;
        let those = runs.runs.partition_point(|&(_, before)| (before as usize) < whole);
        self.push_runs(&runs.runs[..those], whole);
        if whole < runs.count {
            self.gathered.extend(runs.from(whole).flatten());
        }
    }

    fn close_bits(&mut self, OpenBits { first, begin, count }: OpenBits) {
        let mut left = count % BLOCK;
        let mut tail = Vec::with_capacity(left);
        let line = first / 64 * 64;
        while left != 0 {
            let at = self.payload.len() - 1;
            let bits = &mut self.payload[at];
            if *bits == 0 {
                self.payload.pop();
                continue;
            }
            let highest = 31 - bits.leading_zeros();
            *bits &= !(1 << highest);
            tail.push(line + 32 * (at - begin) as u32 + highest);
            left -= 1;
        }
        // The bit set ends with the word of its last docID.
        while self.payload.len() > begin && self.payload[self.payload.len() - 1] == 0 {
            self.payload.pop();
        }
        if !(self.payload.len() - begin).is_multiple_of(2) {
            self.payload.push(0);
        }
        if count >= BLOCK {
            self.push_bits(OpenBits { first, begin, count: count - count % BLOCK });
        }
        self.gathered.extend(tail.iter().rev());
    }

    /// The number of docIDs that the gathered ones lack to whole blocks.
    fn lacks(&self) -> usize {
        self.gathered.len().wrapping_neg() % BLOCK
    }
}

impl Sink for Builder {
    fn take(&mut self, doc_ids: &[u32]) {
        if doc_ids.is_empty() {
            return;
        }
        self.close();
        self.gathered.extend_from_slice(doc_ids);
        if self.gathered.len() >= GATHERED {
            let rest = self.gathered.split_off(self.gathered.len() / BLOCK * BLOCK);
            self.partition_gathered();
            self.gathered.extend(rest);
        }
    }

    fn take_range(&mut self, _: Tier, first: u32, last: u32) {
        let mut first = first;
        let mut len = (last - first) as usize + 1;
        if self.runs.count != 0 && self.runs.count + len < MOST_IN_RUNS {
            return self.runs.push(first, len);
        }
        if self.runs.count == 0 {
            self.close();
            if len < LONG {
                return self.gathered.extend(first..=last);
            }
            // The first docIDs fill up the gathered ones to whole blocks.
            let lacks = self.lacks().min(len);
            self.gathered.extend((first..=last).take(lacks));
            if lacks == len {
                return;
            }
            self.partition_gathered();
            first += lacks as u32;
            len -= lacks;
        }
        while len != 0 {
            let part = len.min(MOST_IN_RUNS - self.runs.count);
            self.runs.push(first, part);
            if self.runs.count == MOST_IN_RUNS {
                self.close_runs();
            }
            len -= part;
            // After the largest docID there is, nothing is left.
            first = first.wrapping_add(part as u32);
        }
    }

    fn take_bits(&mut self, tier: Tier, first: u32, words: &[u64], ones: u64) {
        let Some(begin) = words.iter().position(|&word| word != 0) else { return };
        let end = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        let mut count = ones as usize;
        let mut turns = std::mem::take(&mut self.turns);
        if let Some(runs) = turns.of_long(tier, first, words, count) {
            runs.iter().for_each(|&[begin, end]| self.take_range(tier, begin, end.wrapping_sub(1)));
            self.turns = turns;
            return;
        }
        self.turns = turns;
        // A bit set goes on as long as it has as many on average.
        let (open, of_open) =
            self.bits.as_ref().map_or((0, 0), |open| (open.count, (self.payload.len() - open.begin) / 2));
        if open + count < SPARSEST * (of_open + end - begin) {
            self.close();
            return append_bits(&mut self.gathered, tier, first, words);
        }
        let (mut first, mut words) = (first + 64 * begin as u32, &words[begin..end]);
        self.close_runs();
        if let Some(open) = &mut self.bits {
            let hole = ((first - open.first / 64 * 64) / 64) as usize - (self.payload.len() - open.begin) / 2;
            if hole <= HOLE {
                open.count += count;
                self.payload.resize(self.payload.len() + 2 * hole, 0);
                return copy(words, &mut self.payload);
            }
            self.close();
        }
        // The first docIDs fill up the gathered ones to whole blocks.
        let mut rest = words[0];
        for _ in 0..self.lacks() {
            while rest == 0 {
                words = &words[1..];
                first += 64;
                let Some(&next) = words.first() else { return };
                rest = next;
            }
            self.gathered.push(first + rest.trailing_zeros());
            rest &= rest - 1;
            count -= 1;
        }
        if count == 0 {
            return;
        }
        while rest == 0 {
            words = &words[1..];
            first += 64;
            rest = words[0];
        }
        self.partition_gathered();
        if self.payload.capacity() < self.room {
            self.payload.reserve_exact(self.room - self.payload.len());
        }
        let begin = self.payload.len();
        self.bits = Some(OpenBits { first: first + rest.trailing_zeros(), begin, count });
        copy(&[rest], &mut self.payload);
        copy(&words[1..], &mut self.payload);
    }
}

/// Appends 64-bit words, the lower half first.
fn copy(words: &[u64], to: &mut Vec<u32>) {
    if cfg!(target_endian = "little") {
        return to.extend_from_slice(bytemuck::cast_slice(words));
    }
    for word in words {
        to.extend([*word as u32, (word >> 32) as u32]);
    }
}
