//! Runs of a list that is built: what a [`Builder`](super::Builder) has of them, and how they are found among bits.

use crate::base::tiers::tiered;
use std::ops::RangeInclusive;

/// Runs that may go on.
#[derive(Default)]
pub(super) struct OpenRuns {
    /// The first docID of each, and the number of docIDs before it.
    pub(super) runs: Vec<(u32, u32)>,
    /// The docID after the last one, unless that is the largest there is.
    next: u32,
    pub(super) count: usize,
}

impl OpenRuns {
    /// Adds docIDs after the last one.
    pub(super) fn push(&mut self, first: u32, len: usize) {
        if self.runs.is_empty() || first != self.next {
            self.runs.push((first, self.count as u32));
        }
        self.count += len;
        self.next = first.wrapping_add(len as u32);
    }

    /// The docIDs from a rank on, as ranges.
    pub(super) fn from(&self, rank: usize) -> impl Iterator<Item = RangeInclusive<u32>> {
        let begin = self.runs.partition_point(|&(_, before)| (before as usize) <= rank).saturating_sub(1);
        let ends = self.runs.iter().skip(begin + 1).map(|&(_, before)| before).chain([self.count as u32]);
        self.runs[begin..].iter().zip(ends).map(move |(&(first, before), end)| {
            first + (rank as u32).saturating_sub(before)..=first + (end - before - 1)
        })
    }
}

tiered! {
    /// How many runs of bits there are.
    pub(super) fn starts<'w>(words: &'w [u64]) -> usize = starts_on_tier;
}

#[inline(always)]
fn starts_on_tier(words: &[u64]) -> usize {
    let mut starts = u64::from(words.first().map_or(0, |&first| (first & !(first << 1)).count_ones()));
    for at in 1..words.len() {
        starts += u64::from((words[at] & !(words[at] << 1 | words[at - 1] >> 63)).count_ones());
    }
    starts as usize
}

/// Calls `take` with the first and the last docID of each run of bits; bit 0 of the first word stands for `first`.
pub(super) fn each_range(first: u32, words: &[u64], mut take: impl FnMut(u32, u32)) {
    let (mut line, mut before, mut begin) = (first, 0, None);
    for &word in words {
        // Where bits differ from those before them.
        let mut turns = word ^ (word << 1 | before >> 63);
        while turns != 0 {
            let doc_id = line + turns.trailing_zeros();
            turns &= turns - 1;
            match begin.take() {
                None => begin = Some(doc_id),
                Some(begin) => take(begin, doc_id - 1),
            }
        }
        before = word;
        line = line.wrapping_add(64);
    }
    if let Some(begin) = begin {
        take(begin, line.wrapping_sub(1));
    }
}
