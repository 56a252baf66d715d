//! Exponential search forward from the previous rank.

use super::SortedSearch;
use crate::codec::gallop;

pub(super) struct Gallop;

impl SortedSearch for Gallop {
    fn new(_: &[u32]) -> Self {
        Gallop
    }

    fn rank(&self, sorted: &[u32], from: usize, target: u32) -> usize {
        from + gallop(&sorted[from..], target)
    }
}
