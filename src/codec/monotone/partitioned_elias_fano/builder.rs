//! Makes the parts of a list of what an intersection sends: ranges become runs, words of bit sets are copied, and only
//! docIDs that come one by one are partitioned as in a list that is encoded. So a result of bit sets or runs costs no more
//! than its words, but may take a little more room than an encoded list.

use super::directory::{Entry, Kind, MANY, MOST_IN_RUNS, Partition, Runs, Widths};
use super::open_runs::{OpenRuns, each_range, starts};
use super::plan::Costs;
use super::{check, encode_partition};
use crate::base::cpu::Tier;
use crate::codec::{BLOCK, Plan, Sink, bit_set};

/// docIDs that are gathered before they are partitioned, so that memory stays bounded by the result.
const GATHERED: usize = 1 << 16;

/// Words with fewer bits than this on average become docIDs. So a result takes at most 21 bits per docID.
const SPARSEST: usize = 3;

/// Words without bits that a bit set may contain between others.
const HOLE: usize = 4;

/// Ranges from this length on become runs, and bits in which runs are as long on average.
const LONG: usize = 16;

/// Results up to this length are encoded like any list.
const FEW: usize = 1024;

/// What an entry of the directory takes, about, in bits.
const OVERHEAD: u64 = 64;

/// A sink whose docIDs become a partitioned list.
#[derive(Default)]
pub(crate) struct Builder {
    entries: Vec<Entry>,
    payload: Vec<u32>,
    lasts: Vec<u32>,
    /// The number of blocks in the partitions of `entries`.
    blocks: usize,
    /// How many docIDs the last of them has less than whole blocks. If any, it is the end of the list.
    short: usize,
    /// A bit set that may go on, or runs that may, but not both. If there is either, no docIDs are gathered.
    bits: Option<OpenBits>,
    runs: OpenRuns,
    /// The docIDs after those partitions.
    gathered: Vec<u32>,
}

/// What a [`Builder`] makes.
pub(crate) enum Built {
    /// So few docIDs that they are to be encoded.
    Few(Vec<u32>),
    /// Own words and parameter, the number of docIDs, the payload, and the last docID of each block.
    Parts { plan: Plan, count: usize, payload: Vec<u32>, lasts: Vec<u32> },
}

/// A bit set at the end of the payload.
struct OpenBits {
    first: u32,
    /// Its first word of the payload.
    begin: usize,
    count: usize,
}

impl Builder {
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
        let universe = self.lasts[self.lasts.len() - 1];
        let own = Widths::new(count, universe, self.payload.len()).write(&self.entries);
        let plan = Plan { parameter: MANY as u8, own };
        Built::Parts { plan, count, payload: self.payload, lasts: self.lasts }
    }

    fn push(&mut self, kind: Kind, first: u32, blocks: usize) {
        self.blocks += blocks;
        let (end_block, end_word) = (self.blocks as u32, self.payload.len() as u32);
        self.entries.push(Entry { kind: kind.number(), first, end_block, end_word });
    }

    /// Makes partitions of the gathered docIDs: whole blocks, or the end of the list.
    fn partition_gathered(&mut self) {
        let doc_ids = std::mem::take(&mut self.gathered);
        for piece in Costs::new(&doc_ids).quick(OVERHEAD) {
            let part = &doc_ids[piece.block * BLOCK..doc_ids.len().min(piece.end_block * BLOCK)];
            encode_partition(part, Some(piece.kind), &mut self.payload);
            self.push(piece.kind, part[0], piece.end_block - piece.block);
            self.lasts.extend(part.chunks(BLOCK).map(|block| block[block.len() - 1]));
        }
        self.gathered = doc_ids;
        self.gathered.clear();
    }

    /// Adds a bit set.
    fn push_bits(&mut self, OpenBits { first, begin, count }: OpenBits) {
        let words = self.payload.len() - begin;
        let end_block = count.div_ceil(BLOCK);
        let payload = &self.payload[begin..];
        let partition = Partition { kind: Kind::Bits, first, block: 0, end_block, count, words, payload };
        let derived = check::derive(&partition, &mut self.lasts);
        debug_assert_eq!(derived, Ok(()));
        self.push(Kind::Bits, first, end_block);
        self.short = end_block * BLOCK - count;
    }

    /// Adds the first `count` docIDs of runs, of which each has one.
    fn push_runs(&mut self, runs: &[(u32, u32)], count: usize) {
        let Some(&(first, _)) = runs.first() else { return };
        // Of the runs at hand, as reading them again from the payload takes half as long as all else.
        check::derive_runs(count, |at| runs.get(at).copied().unwrap_or((u32::MAX, count as u32)), &mut self.lasts);
        let kind = if runs.len() == 1 { Kind::Run } else { Kind::Runs };
        if kind == Kind::Runs {
            Runs::write(first, runs, self.lasts[self.lasts.len() - 1] - first, count, &mut self.payload);
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

    fn take_bits(&mut self, tier: Tier, first: u32, words: &[u64]) {
        let Some(begin) = words.iter().position(|&word| word != 0) else { return };
        let end = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        let (mut first, mut words) = (first + 64 * begin as u32, &words[begin..end]);
        // SAFETY: the words are there; the tier is available, as the caller says.
        let count = unsafe { bit_set::count_common(tier, words.as_ptr(), words.as_ptr(), words.len()) as usize };
        if count >= LONG && starts(tier, words) * LONG <= count {
            return each_range(first, words, |first, last| self.take_range(tier, first, last));
        }
        if count < SPARSEST * words.len() {
            self.close();
            return self.gathered.take_bits(tier, first, words);
        }
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
        let mut count = count;
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
