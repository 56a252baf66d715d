//! Binary search of the whole list, as the papers' kernels do it for each docID on its own.

use super::{SortedSearch, rank_within};

pub(super) struct Binary;

impl SortedSearch for Binary {
    fn new(_: &[u32]) -> Self {
        Binary
    }

    fn rank(&self, sorted: &[u32], _: usize, target: u32) -> usize {
        rank_within(sorted, 0..sorted.len(), target)
    }
}
