//! Intersects two partitioned Elias–Fano lists, of any lengths: partitions that overlap, pair by pair, each in the way
//! that suits both kinds. Runs meet runs by their ends, runs and bit sets give bits, two bit sets the AND of their words;
//! docIDs of Elias–Fano partitions are decoded, looked up in the other partition if there are few of them there,
//! otherwise merged. Only the last way touches every docID of both. For dense partitions that are not bit sets, bit sets are
//! derived when a list is intersected for the second time.

use super::super::Filter;
use super::tiles::Tiles;
use super::{Met, ROOM, VECTOR, meet_tiles};
use crate::codec::monotone::partitioned_elias_fano::{Kind, PartLookUp, Partition, Runs, View};
use crate::codec::{BLOCK, Codec, Encoded, SLACK, Sink, bit_set, gallop};
use crate::cpu::Tier;
use crate::list::PostingList;
use std::mem::MaybeUninit;
use std::ops::{ControlFlow, Range};

/// The words of bit sets that are put together before they are sent: 4,096 docIDs.
const CHUNK: usize = 64;

/// docIDs are looked up in an Elias–Fano partition with at least this many times as many, and otherwise merged with it.
const LOOK_UP_RATIO: usize = 8;

/// The most docIDs of a list that are looked up one by one in a longer one.
const FEW: usize = 16;

/// Whether the lists are of this codec.
pub(in crate::intersect) fn suits(a: &PostingList, b: &PostingList) -> bool {
    [a, b].iter().all(|list| list.codec() == Codec::PartitionedEliasFano)
}

/// Sends the docIDs common to both lists, which are not empty, to `out`.
pub(in crate::intersect) fn merge<S: Sink>(tier: Tier, a: &PostingList, b: &PostingList, out: &mut Filter<'_, '_, S>) {
    assert!(suits(a, b) && tier.is_available());
    let (view_a, view_b) = (a.view(), b.view());
    if a.universe() < view_b.first || b.universe() < view_a.first {
        return;
    }
    match (&view_a.few[..], &view_b.few[..]) {
        ([], []) => {}
        ([], few) | (few, []) if few.len() > FEW => {}
        ([], few) => return few_of(tier, few, Side::new(a, view_a), out),
        (few, []) => return few_of(tier, few, Side::new(b, view_b), out),
        (few, others) => {
            let mut common = [0; BLOCK + VECTOR];
            let found = common_few(few, others, &mut common);
            out.take(&mut common[..found]);
            return;
        }
    }
    let (mut a, mut b) = (Side::new(a, view_a), Side::new(b, view_b));
    let mut common = None;
    loop {
        if a.last < b.partition.first {
            if !a.advance(b.partition.first) {
                return;
            }
        } else if b.last < a.partition.first {
            if !b.advance(a.partition.first) {
                return;
            }
        } else {
            let overlap = Overlap { tier, from: a.partition.first.max(b.partition.first), to: a.last.min(b.last) };
            let goes_on = if order(a.partition.kind) <= order(b.partition.kind) {
                overlap.send(&a, &b, &mut common, out)
            } else {
                overlap.send(&b, &a, &mut common, out)
            };
            if !goes_on {
                return;
            }
            let behind = if a.last <= b.last { &mut a } else { &mut b };
            match overlap.to.checked_add(1) {
                Some(next) if behind.advance(next) => {}
                _ => return,
            }
        }
    }
}

/// Writes what two short lists have in common to `common` and returns its number. Without a branch on which docID is
/// greater.
fn common_few(a: &[u32], b: &[u32], common: &mut [u32; BLOCK + VECTOR]) -> usize {
    let (mut in_a, mut in_b, mut found) = (0, 0, 0);
    while in_a < a.len() && in_b < b.len() {
        let (x, y) = (a[in_a], b[in_b]);
        common[found] = x;
        found += usize::from(x == y);
        in_a += usize::from(x <= y);
        in_b += usize::from(y <= x);
    }
    found
}

/// Looks a few docIDs, at most [`FEW`], up in a list.
fn few_of<S: Sink>(tier: Tier, few: &[u32], mut side: Side, out: &mut Filter<'_, '_, S>) {
    let mut common = [0; FEW];
    let mut found = 0;
    // The block that was decoded last, and the number of its docIDs.
    let (mut decoded, mut count) = (usize::MAX, 0);
    let mut buffer = [MaybeUninit::<u32>::uninit(); BLOCK + SLACK];
    for &doc_id in few {
        if side.last < doc_id && !side.advance(doc_id) {
            break;
        }
        let partition = &side.partition;
        let is_there = match partition.kind {
            _ if doc_id < partition.first => false,
            Kind::Run => true,
            // SAFETY: the docID is from the first to the last of the partition, so the bit set has a word for it.
            Kind::Bits => unsafe {
                bit_set::word(side.stream, ((doc_id - side.line()) / 64) as usize) >> (doc_id % 64) & 1 == 1
            },
            Kind::Runs => {
                let runs = Runs::of(partition);
                runs.range(runs.at_or_after(0, doc_id)).0 <= doc_id
            }
            Kind::EliasFano(_) => {
                let block = partition.block + side.lasts[partition.block..].partition_point(|&last| last < doc_id);
                // SAFETY: the list was checked when it was made; the block is of this partition, because its largest
                // docID is not less than `doc_id`; there is room for it and the slack; the first `count` are written.
                let doc_ids: &[u32] = unsafe {
                    if block != decoded {
                        count = partition.decode(tier, side.lasts, block..block + 1, buffer.as_mut_ptr().cast());
                        decoded = block;
                    }
                    std::slice::from_raw_parts(buffer.as_ptr().cast(), count)
                };
                doc_ids.binary_search(&doc_id).is_ok()
            }
        };
        common[found] = doc_id;
        found += usize::from(is_there);
    }
    out.take(&mut common[..found]);
}

/// The order of kinds in which pairs are handled.
fn order(kind: Kind) -> u32 {
    match kind {
        Kind::Run => 0,
        Kind::Runs => 1,
        Kind::Bits => 2,
        Kind::EliasFano(_) => 3,
    }
}

/// One of the lists, at a partition, or at a stretch of partitions that is a bit set.
struct Side<'l> {
    list: Encoded<'l>,
    view: &'l View,
    /// The last docIDs of the list's blocks.
    lasts: &'l [u32],
    /// The index of the partition.
    at: usize,
    partition: Partition<'l>,
    /// The words of a bit set, from that of the partition's first docID on.
    stream: *const u64,
    /// The partition's largest docID.
    last: u32,
}

impl<'l> Side<'l> {
    fn new(list: &'l PostingList, view: &'l View) -> Self {
        let list = list.encoded();
        let (partition, stream) = view.part(&list, 0);
        Side { view, lasts: list.last_doc_ids, at: 0, partition, stream, last: view.lasts[0], list }
    }

    /// Goes on to the first partition that ends at or after `doc_id`, which is greater than the present one's largest
    /// docID. False if there is none.
    fn advance(&mut self, doc_id: u32) -> bool {
        self.at += 1;
        let lasts = &self.view.lasts;
        if lasts.get(self.at).is_some_and(|&last| last < doc_id) {
            self.at += gallop(&lasts[self.at..], doc_id);
        }
        let Some(&last) = lasts.get(self.at) else { return false };
        (self.partition, self.stream) = self.view.part(&self.list, self.at);
        self.last = last;
        true
    }

    /// The runs of a partition of several runs, from the one on that ends at or after `doc_id`.
    fn ranges(&self, doc_id: u32) -> &'l [(u32, u32)] {
        self.view.ranges(&self.list, self.at, doc_id)
    }

    /// The docID of the first bit of a bit set.
    fn line(&self) -> u32 {
        self.partition.first / 64 * 64
    }

    /// The blocks of the partition that can have docIDs from `from` to `to`, of which at least one is not greater than
    /// the partition's largest.
    fn blocks(&self, from: u32, to: u32) -> Range<usize> {
        let Partition { block, end_block, .. } = self.partition;
        let lasts = &self.lasts[block..end_block];
        let first = if from <= self.partition.first { 0 } else { gallop(lasts, from) };
        let end = if to >= self.last { lasts.len() } else { first + gallop(&lasts[first..], to) + 1 };
        block + first..block + end.min(lasts.len())
    }

    /// The words of a bit set, from that of its first docID on.
    fn words(&self) -> *const u64 {
        debug_assert!(self.partition.kind == Kind::Bits);
        self.stream
    }

    /// Decodes docIDs from `from` to `to`, some blocks at a time, and passes them on until `take` returns false. It is
    /// also asked from which docID on it has a use for more.
    fn decode(
        &self,
        tier: Tier,
        from: u32,
        to: u32,
        mut take: impl FnMut(&mut [u32]) -> ControlFlow<(), u32>,
    ) -> ControlFlow<()> {
        let blocks = self.blocks(from, to);
        let mut buffer = [MaybeUninit::<u32>::uninit(); DECODED + SLACK];
        let (mut block, mut wanted) = (blocks.start, from);
        while block < blocks.end {
            if self.lasts[block] < wanted {
                block += gallop(&self.lasts[block..blocks.end], wanted);
                if block == blocks.end {
                    break;
                }
            }
            let end = blocks.end.min(block + DECODED / BLOCK);
            // SAFETY: the list was checked when it was made; the blocks are of this partition; the buffer has room for
            // them and the slack, and what `decode` says it wrote is initialised.
            let doc_ids = unsafe {
                let out = buffer.as_mut_ptr().cast::<u32>();
                let count = self.partition.decode(tier, self.lasts, block..end, out);
                std::slice::from_raw_parts_mut(out, count)
            };
            let begin = if doc_ids[0] < wanted { gallop(doc_ids, wanted) } else { 0 };
            let rest = doc_ids.len() - begin;
            let stop = if doc_ids[doc_ids.len() - 1] <= to {
                rest
            } else {
                doc_ids[begin..].partition_point(|&doc_id| doc_id <= to)
            };
            wanted = take(&mut doc_ids[begin..begin + stop])?;
            block = end;
        }
        ControlFlow::Continue(())
    }
}

/// docIDs that are decoded at a time.
const DECODED: usize = 4 * BLOCK;

/// Room for what two tiles have in common.
type Common = [u32; ROOM + VECTOR];

/// The docIDs that two partitions may have in common.
struct Overlap {
    tier: Tier,
    from: u32,
    to: u32,
}

impl Overlap {
    /// Sends the common docIDs. Returns whether more are wanted.
    fn send<S: Sink>(&self, a: &Side, b: &Side, common: &mut Option<Common>, out: &mut Filter<'_, '_, S>) -> bool {
        match (a.partition.kind, b.partition.kind) {
            (Kind::Run, Kind::Run) => out.take_range(self.from, self.to),
            (Kind::Run, Kind::Runs) => self.each_range(b.ranges(self.from), |first, last| out.take_range(first, last)),
            (Kind::Run, Kind::Bits) => {
                let mut bits = Bits::new(self.tier, b, out);
                bits.take_range(self.from, self.to) && bits.flush()
            }
            (Kind::Run, Kind::EliasFano(_)) => self.run_and_elias_fano(b, out),
            (Kind::Runs, Kind::Runs) => self.runs_and_runs(a.ranges(self.from), b.ranges(self.from), out),
            (Kind::Runs, Kind::Bits) => {
                let mut bits = Bits::new(self.tier, b, out);
                self.each_range(a.ranges(self.from), |first, last| bits.take_range(first, last)) && bits.flush()
            }
            (Kind::Runs, Kind::EliasFano(_)) => self.runs_and_elias_fano(a.ranges(self.from), b, out),
            (Kind::Bits, Kind::Bits) => self.bits_and_bits(a, b, out),
            (Kind::Bits, Kind::EliasFano(_)) => {
                let (stream, first) = (a.words(), a.partition.first / 64 * 64);
                let sent = b.decode(self.tier, self.from, self.to, |doc_ids| {
                    // SAFETY: the docIDs are in the overlap, so the bit set has a word for each.
                    let kept = unsafe { bit_set::retain(stream, first, doc_ids) };
                    go_on(out.take(&mut doc_ids[..kept]))
                });
                sent.is_continue()
            }
            _ if a.blocks(self.from, self.to).len() * LOOK_UP_RATIO <= b.blocks(self.from, self.to).len() => {
                self.look_up(a, b, out)
            }
            _ if b.blocks(self.from, self.to).len() * LOOK_UP_RATIO <= a.blocks(self.from, self.to).len() => {
                self.look_up(b, a, out)
            }
            _ => self.merge(a, b, common.get_or_insert_with(|| [0; ROOM + VECTOR]), out),
        }
    }

    /// Passes on the parts of ranges that lie in the overlap.
    fn each_range(&self, ranges: &[(u32, u32)], mut take: impl FnMut(u32, u32) -> bool) -> bool {
        let ranges = ranges.iter().take_while(|&&(first, _)| first <= self.to);
        for &(first, last) in ranges {
            if !take(first.max(self.from), last.min(self.to)) {
                return false;
            }
        }
        true
    }

    fn runs_and_runs<S: Sink>(&self, a: &[(u32, u32)], b: &[(u32, u32)], out: &mut Filter<'_, '_, S>) -> bool {
        let (mut in_a, mut in_b) = (0, 0);
        while in_a < a.len() && in_b < b.len() {
            let ((first_a, last_a), (first_b, last_b)) = (a[in_a], b[in_b]);
            let (first, last) = (first_a.max(first_b), last_a.min(last_b));
            if first > self.to {
                break;
            }
            if first <= last && !out.take_range(first, last) {
                return false;
            }
            in_a += usize::from(last_a <= last_b);
            in_b += usize::from(last_b <= last_a);
        }
        true
    }

    fn run_and_elias_fano<S: Sink>(&self, b: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        if out.counts() {
            // The ranks of the ends of the overlap say how many docIDs are between.
            let blocks = b.blocks(self.from, self.to);
            let (first, last) = (blocks.start, blocks.end - 1);
            let before = |block: usize, below: u64| -> u64 {
                let mut buffer = crate::codec::block_buffer();
                // SAFETY: the list was checked when it was made; the block is of this partition; there is room for it
                // and the slack.
                let count = unsafe { b.partition.decode(self.tier, b.lasts, block..block + 1, buffer.as_mut_ptr()) };
                ((block - first) * BLOCK + buffer[..count].partition_point(|&doc_id| u64::from(doc_id) < below)) as u64
            };
            let from = if self.from <= b.partition.first { 0 } else { before(first, self.from.into()) };
            let to = if self.to >= b.last {
                (b.partition.count - (first - b.partition.block) * BLOCK) as u64
            } else {
                before(last, u64::from(self.to) + 1)
            };
            out.add(to - from);
            return true;
        }
        b.decode(self.tier, self.from, self.to, |doc_ids| go_on(out.take(doc_ids))).is_continue()
    }

    fn runs_and_elias_fano<S: Sink>(&self, runs: &[(u32, u32)], b: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        let Some(&(mut first, mut last)) = runs.first() else { return true };
        let (mut at, mut wants_more) = (0, true);
        let _ = b.decode(self.tier, self.from.max(first), self.to, |doc_ids| {
            let mut kept = 0;
            for i in 0..doc_ids.len() {
                let doc_id = doc_ids[i];
                while doc_id > last && at < runs.len() {
                    at += 1;
                    (first, last) = runs.get(at).copied().unwrap_or((u32::MAX, u32::MAX));
                }
                doc_ids[kept] = doc_id;
                kept += usize::from(first <= doc_id && at < runs.len());
            }
            wants_more = out.take(&mut doc_ids[..kept]);
            if wants_more && at < runs.len() { ControlFlow::Continue(first) } else { ControlFlow::Break(()) }
        });
        wants_more
    }

    fn bits_and_bits<S: Sink>(&self, a: &Side, b: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        let line = |side: &Side| (self.from / 64 - side.partition.first / 64) as usize;
        let words = (self.to / 64 - self.from / 64) as usize + 1;
        // Bits outside of a partition's docIDs are 0, so what the words have in common is in both partitions.
        // SAFETY: both bit sets have the words from that of `from` to that of `to`.
        let (of_a, of_b) = unsafe { (a.words().add(line(a)), b.words().add(line(b))) };
        if out.counts() {
            // SAFETY: as above.
            out.add(unsafe { bit_set::count_common(self.tier, of_a, of_b, words) });
            return true;
        }
        let mut chunk = [0; CHUNK];
        for at in (0..words).step_by(CHUNK) {
            let len = CHUNK.min(words - at);
            // SAFETY: as above, and the chunk has room for `len` words.
            let ones = unsafe { bit_set::common(self.tier, of_a.add(at), of_b.add(at), len, chunk.as_mut_ptr()) };
            let first = self.from / 64 * 64 + 64 * at as u32;
            if ones != 0 && !out.take_bits(first, &chunk[..len]) {
                return false;
            }
        }
        true
    }

    /// Looks the docIDs of `few` up in `many`.
    fn look_up<S: Sink>(&self, few: &Side, many: &Side, out: &mut Filter<'_, '_, S>) -> bool {
        let Kind::EliasFano(width) = many.partition.kind else { unreachable!("one of the other kinds") };
        // SAFETY: the lists were checked when they were made, and the tier is available.
        let mut look_up = unsafe { PartLookUp::new(self.tier, &many.partition, width, many.lasts) };
        let sent = few.decode(self.tier, self.from, self.to, |doc_ids| {
            let kept = look_up.retain(doc_ids);
            go_on(out.take(&mut doc_ids[..kept]))
        });
        sent.is_continue()
    }

    fn merge<S: Sink>(&self, a: &Side, b: &Side, common: &mut Common, out: &mut Filter<'_, '_, S>) -> bool {
        let blocks = [a, b].map(|side| side.blocks(self.from, self.to));
        let [of_a, of_b] = blocks;
        // SAFETY: the lists were checked when they were made, the blocks are of their partitions, and the tier is
        // available; `Tiles` asks for blocks of the range alone, with room for them and the slack.
        let (mut a, mut b) = unsafe {
            (
                Tiles::new(a.lasts, of_a, |blocks, out| a.partition.decode(self.tier, a.lasts, blocks, out)),
                Tiles::new(b.lasts, of_b, |blocks, out| b.partition.decode(self.tier, b.lasts, blocks, out)),
            )
        };
        loop {
            a.fill(b.next().max(self.from));
            b.fill(a.next().max(self.from));
            if a.is_empty() || b.is_empty() {
                return true;
            }
            let Met { in_a, in_b, found } = meet_tiles(self.tier, a.rest(), b.rest(), common);
            a.at += in_a;
            b.at += in_b;
            if !out.take(&mut common[..found]) {
                return false;
            }
        }
    }
}

fn go_on(wants_more: bool) -> ControlFlow<(), u32> {
    if wants_more { ControlFlow::Continue(0) } else { ControlFlow::Break(()) }
}

/// Ranges of a bit set, put together to words. They ascend.
struct Bits<'o, 'l, 's, 'f, S> {
    stream: *const u64,
    /// The docID of the stream's bit 0.
    first: u32,
    tier: Tier,
    out: &'o mut Filter<'f, 's, S>,
    /// The words of the chunk that holds `line`, from `low` to `high`.
    chunk: [u64; CHUNK],
    /// The chunk's first word in the stream.
    begin: usize,
    used: usize,
    _side: std::marker::PhantomData<&'l Side<'l>>,
}

impl<'o, 'l, 's, 'f, S: Sink> Bits<'o, 'l, 's, 'f, S> {
    fn new(tier: Tier, side: &'l Side<'l>, out: &'o mut Filter<'f, 's, S>) -> Self {
        let (stream, first) = (side.words(), side.partition.first / 64 * 64);
        Bits { stream, first, tier, out, chunk: [0; CHUNK], begin: 0, used: 0, _side: std::marker::PhantomData }
    }

    /// Takes the docIDs of the bit set from `from` to `to`, which are not less than its first, nor greater than its last.
    fn take_range(&mut self, from: u32, to: u32) -> bool {
        let (mut word, last) = (((from - self.first) / 64) as usize, ((to - self.first) / 64) as usize);
        let (head, tail) = (u64::MAX << (from % 64), u64::MAX >> (63 - to % 64));
        let mut mask = head;
        if word < self.begin + self.used {
            // The range begins in the word in which the one before ended.
            let end = if word == last { tail } else { u64::MAX };
            // SAFETY: the words of both docIDs are in the bit set.
            self.chunk[word - self.begin] |= unsafe { bit_set::word(self.stream, word) } & head & end;
            if word == last {
                return true;
            }
            word += 1;
            mask = u64::MAX;
        }
        if self.out.counts() && last - word > 2 {
            // SAFETY: as above.
            let ones = unsafe {
                let inner = self.stream.add(word + 1);
                u64::from((bit_set::word(self.stream, word) & mask).count_ones())
                    + bit_set::count_common(self.tier, inner, inner, last - word - 1)
            };
            self.out.add(ones);
            (word, mask) = (last, u64::MAX);
        }
        while word <= last {
            if word != self.begin + self.used || self.used == CHUNK {
                if !self.flush() {
                    return false;
                }
                self.begin = word;
            }
            let end = if word == last { tail } else { u64::MAX };
            // SAFETY: as above.
            self.chunk[self.used] = unsafe { bit_set::word(self.stream, word) } & mask & end;
            self.used += 1;
            word += 1;
            mask = u64::MAX;
        }
        true
    }

    /// Sends the chunk. Returns whether more are wanted.
    fn flush(&mut self) -> bool {
        let used = std::mem::take(&mut self.used);
        used == 0 || self.out.take_bits(self.first + 64 * self.begin as u32, &self.chunk[..used])
    }
}
