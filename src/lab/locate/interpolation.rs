//! Interpolation search: looks where the target would be if the docIDs of the range left were evenly spread.
//!
//! On lists with clusters, plain interpolation reads up to n docIDs. So a step that leaves more than half of the range
//! is followed by one that halves it, and no target takes more than 2 log2 n + 2 steps.

use super::{SortedSearch, rank_within};

pub(super) struct Interpolation;

/// Ranges of at most this many docIDs are searched by halving: a division takes as long as several comparisons.
const FEW: usize = 8;

impl SortedSearch for Interpolation {
    fn new(_: &[u32]) -> Self {
        Interpolation
    }

    fn rank(&self, sorted: &[u32], _: usize, target: u32) -> usize {
        // docIDs before `low` are below the target; those from `high` on are not.
        let (mut low, mut high) = (0, sorted.len());
        let mut halve = false;
        while high - low > FEW {
            let (first, last) = (sorted[low], sorted[high - 1]);
            if target <= first {
                return low;
            }
            if target > last {
                return high;
            }
            let count = high - low;
            // `first < target <= last`, so the quotient is at most `count - 1`.
            let at = match halve {
                true => count / 2,
                false => (u64::from(target - first) * (count as u64 - 1) / u64::from(last - first)) as usize,
            };
            if sorted[low + at] < target {
                low += at + 1;
            } else {
                high = low + at;
            }
            halve = !halve && high - low > count / 2;
        }
        rank_within(sorted, low..high, target)
    }
}
