//! [`PairCounts`]: how often pairs of words are in a document.

use crate::base::error::Result;
use crate::base::memory::zeros;

/// How often pairs of words are in a document.
pub(super) struct PairCounts {
    /// By their places.
    frequencies: Vec<u32>,
    /// The pairs that are there.
    touched: Vec<usize>,
}

impl PairCounts {
    /// For pairs with so many places.
    pub fn new(slots: usize) -> Result<PairCounts> {
        Ok(PairCounts { frequencies: zeros(slots)?, touched: Vec::new() })
    }

    /// Counts a pair, by its place.
    #[inline(always)]
    pub fn add(&mut self, place: usize) {
        if self.frequencies[place] == 0 {
            self.touched.push(place);
        }
        self.frequencies[place] += 1;
    }

    /// Calls `take` with the place of each pair of the document, and how often it is there. None are left.
    #[inline(always)]
    pub fn drain(&mut self, mut take: impl FnMut(usize, u32) -> Result<()>) -> Result<()> {
        for place in self.touched.drain(..) {
            take(place, std::mem::take(&mut self.frequencies[place]))?;
        }
        Ok(())
    }
}
