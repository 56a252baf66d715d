//! The safe search range of a regression line (Ao et al., 2011, section 4.3).
//!
//! The least-squares line through the points (rank, docID) gives an estimate of the rank of a docID. L_t and R_t are the
//! greatest deviations of the estimate above and below the true ranks. A docID of the list with estimate e has a rank in
//! `e - L_t ..= e + R_t`. The estimate never falls as the docID rises, so the rank of any other docID is at most one
//! more than the greatest rank of a smaller docID, and is in `e - L_t ..= e + R_t + 1`. Binary search does the rest.
//!
//! ```text
//! {10, 20, 40, 45}: rank ≈ 0.077 · docID - 0.71; estimates 0, 0, 2, 2; L_t = 0, R_t = 1
//! ```
//!
//! The estimate is computed in integers, (docID · slope) >> 32 plus an intercept, by the same function when L_t and R_t
//! are determined and when docIDs are looked up, so rounding cannot make the range miss a rank. One step of the slope
//! changes an estimate by less than 1, as docIDs are below 2^32.

use super::{SortedSearch, rank_within};
use std::ops::Range;

/// A line from docIDs to ranks, with its deviations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LrRange {
    /// Ranks per docID, times 2^32.
    pub slope: u32,
    /// Added to the product; for the least-squares line, the estimate for docID 0.
    pub intercept: i64,
    /// L_t: the most by which an estimate exceeds the rank.
    pub left: i64,
    /// R_t: the most by which a rank exceeds its estimate.
    pub right: i64,
}

impl LrRange {
    /// The line of docIDs, as they are relative to `base`, which is at most the first of them.
    pub fn of(doc_ids: &[u32], base: u32) -> LrRange {
        let line = Self::fit(doc_ids, base);
        let deviation = |(rank, &doc_id): (usize, &u32)| line.estimate(doc_id - base) - rank as i64;
        let deviations = || doc_ids.iter().enumerate().map(deviation);
        let (left, right) = (deviations().max().unwrap_or(0), deviations().min().unwrap_or(0));
        LrRange { left, right: -right, ..line }
    }

    /// The inverse of the least-squares line of docIDs by ranks. Floating-point numbers are good enough here, because
    /// any line is right with its own deviations.
    fn fit(doc_ids: &[u32], base: u32) -> LrRange {
        let count = doc_ids.len() as f64;
        let (mean_rank, sum) = ((count - 1.0) / 2.0, doc_ids.iter().map(|&id| f64::from(id - base)).sum::<f64>());
        let mean = sum / count.max(1.0);
        let products =
            (0u32..).zip(doc_ids).map(|(rank, &id)| (f64::from(rank) - mean_rank) * (f64::from(id - base) - mean));
        // The sum of (rank - mean rank)², times 12.
        let squares = count * (count * count - 1.0);
        // docIDs per rank. It is at least 1, because docIDs rise at least as fast as ranks; 0 for less than two.
        let alpha = if doc_ids.len() < 2 { f64::from(u32::MAX) } else { 12.0 * products.sum::<f64>() / squares };
        let slope = ((1u64 << 32) as f64 / alpha).round().clamp(1.0, f64::from(u32::MAX)) as u32;
        let intercept = (mean_rank.max(0.0) - mean / alpha).round() as i64;
        LrRange { slope, intercept, left: 0, right: 0 }
    }

    /// The estimated rank of a docID relative to the base. Rises with the docID.
    fn estimate(&self, doc_id: u32) -> i64 {
        ((u64::from(doc_id) * u64::from(self.slope)) >> 32) as i64 + self.intercept
    }

    /// The ranks that a docID can have in a list of `count` docIDs.
    pub fn range(&self, count: usize, doc_id: u32) -> Range<usize> {
        let estimate = self.estimate(doc_id);
        let clamp = |rank: i64| rank.clamp(0, count as i64) as usize;
        clamp(estimate - self.left)..clamp(estimate + self.right + 1)
    }

    /// (L_t + R_t) / |ℓ(t)|, the contraction ratio of the paper.
    pub fn contraction(&self, count: usize) -> f64 {
        (self.left + self.right) as f64 / count.max(1) as f64
    }
}

impl SortedSearch for LrRange {
    fn new(sorted: &[u32]) -> Self {
        LrRange::of(sorted, 0)
    }

    fn rank(&self, sorted: &[u32], _: usize, target: u32) -> usize {
        rank_within(sorted, self.range(sorted.len(), target), target)
    }

    fn words(&self) -> usize {
        4
    }
}
