//! The safe search range of a line per segment (the local safe range of Ao et al., 2011, section 4.3).
//!
//! A segment is 2^s consecutive docIDs, so that the segment of a docID is `docID >> s`. s is the least for which lists
//! with even gaps have [`SEGMENT`] docIDs or more per segment. Each segment has a line through its own docIDs, and the
//! rank of its first.

use super::hash_segmentation::Buckets;
use super::lr_range::LrRange;
use super::{SortedSearch, rank_within};

/// docIDs of a segment on average, at most.
const SEGMENT: usize = 1024;

pub(super) struct LrSegments {
    buckets: Buckets,
    lines: Vec<LrRange>,
}

impl SortedSearch for LrSegments {
    fn new(sorted: &[u32]) -> Self {
        let buckets = Buckets::new(sorted, SEGMENT);
        let shift = buckets.shift();
        let line = |segment: u32| LrRange::of(&sorted[buckets.ranks(segment << shift)], segment << shift);
        let segments = sorted.last().map_or(0, |&last| (last >> shift) + 1);
        let lines = (0..segments).map(line).collect();
        LrSegments { buckets, lines }
    }

    fn rank(&self, sorted: &[u32], _: usize, target: u32) -> usize {
        let ranks = self.buckets.ranks(target);
        let segment = target >> self.buckets.shift();
        let Some(line) = self.lines.get(segment as usize) else { return ranks.start };
        let within = line.range(ranks.len(), target - (segment << self.buckets.shift()));
        rank_within(sorted, ranks.start + within.start..ranks.start + within.end, target)
    }

    fn words(&self) -> usize {
        self.buckets.words() + 4 * self.lines.len()
    }
}
