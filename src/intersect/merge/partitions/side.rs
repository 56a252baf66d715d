//! One of two lists that meet, partition by partition.

use crate::base::cpu::Tier;
use crate::codec::monotone::partitioned_elias_fano::{Kind, Partition, View};
use crate::codec::{BLOCK, Encoded, SLACK, gallop};
use crate::list::PostingList;
use std::mem::MaybeUninit;
use std::ops::{ControlFlow, Range};

/// docIDs that are decoded at a time.
const DECODED: usize = 4 * BLOCK;

/// One of the lists, at a partition, or at a stretch of partitions that is a bit set.
pub(super) struct Side<'l> {
    list: Encoded<'l>,
    view: &'l View,
    /// The last docIDs of the list's blocks.
    pub(super) lasts: &'l [u32],
    /// The index of the partition.
    at: usize,
    pub(super) partition: Partition<'l>,
    /// The words of a bit set, from that of the partition's first docID on.
    pub(super) stream: *const u64,
    /// The partition's largest docID.
    pub(super) last: u32,
}

impl<'l> Side<'l> {
    pub(super) fn new(list: &'l PostingList, view: &'l View) -> Self {
        let list = list.encoded();
        let (partition, stream) = view.part(&list, 0);
        Side { view, lasts: list.last_doc_ids, at: 0, partition, stream, last: view.lasts[0], list }
    }

    /// Goes on to the first partition that ends at or after `doc_id`, which is greater than the present one's largest
    /// docID. False if there is none.
    pub(super) fn advance(&mut self, doc_id: u32) -> bool {
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
    pub(super) fn ranges(&self, doc_id: u32) -> &'l [(u32, u32)] {
        self.view.ranges(&self.list, self.at, doc_id)
    }

    /// The docID of the first bit of a bit set.
    pub(super) fn line(&self) -> u32 {
        self.partition.first / 64 * 64
    }

    /// The blocks of the partition that can have docIDs from `from` to `to`, of which at least one is not greater than
    /// the partition's largest.
    pub(super) fn blocks(&self, from: u32, to: u32) -> Range<usize> {
        let Partition { block, end_block, .. } = self.partition;
        let lasts = &self.lasts[block..end_block];
        let first = if from <= self.partition.first { 0 } else { gallop(lasts, from) };
        let end = if to >= self.last { lasts.len() } else { first + gallop(&lasts[first..], to) + 1 };
        block + first..block + end.min(lasts.len())
    }

    /// The words of a bit set, from that of its first docID on.
    pub(super) fn words(&self) -> *const u64 {
        debug_assert!(self.partition.kind == Kind::Bits);
        self.stream
    }

    /// Decodes docIDs from `from` to `to`, some blocks at a time, and passes them on until `take` returns false. It is
    /// also asked from which docID on it has a use for more.
    pub(super) fn decode(
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
