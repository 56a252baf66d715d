//! [`PairCounts`]: how often pairs of words are in a document.

use crate::base::error::Result;
use crate::base::memory::zeros;

/// How often pairs of words are in a document.
pub(super) struct PairCounts {
    /// By their slots.
    frequencies: Vec<u32>,
    /// The pairs that are there.
    touched: Vec<usize>,
}

impl PairCounts {
    /// For pairs with so many slots.
    pub fn new(slots: usize) -> Result<PairCounts> {
        Ok(PairCounts { frequencies: zeros(slots)?, touched: Vec::new() })
    }

    /// Counts a pair, by its slot.
    #[inline(always)]
    pub fn add(&mut self, slot: usize) {
        if self.frequencies[slot] == 0 {
            self.touched.push(slot);
        }
        self.frequencies[slot] += 1;
    }

    /// Calls `take` with the slot of each pair of the document, and how often it is there. None are left.
    #[inline(always)]
    pub fn drain(&mut self, mut take: impl FnMut(usize, u32) -> Result<()>) -> Result<()> {
        for slot in self.touched.drain(..) {
            take(slot, std::mem::take(&mut self.frequencies[slot]))?;
        }
        Ok(())
    }
}
