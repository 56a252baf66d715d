//! [`PairCounts`]: how often pairs of words are in a document.

use super::limit::Row;
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

    /// Counts a pair, if it is kept.
    #[inline(always)]
    pub fn add(&mut self, rows: &[Row], first: usize, second: usize) {
        let Some(place) = rows[first].place(second) else { return };
        if self.frequencies[place] == 0 {
            self.touched.push(place);
        }
        self.frequencies[place] += 1;
    }

    /// Counts the pairs of words that follow each other, each given as one more than its number; 0 is another word, or none.
    #[inline(always)]
    pub fn add_neighbours(&mut self, rows: &[Row], words: impl Iterator<Item = u16>) {
        let mut before = 0;
        for word in words.map(usize::from) {
            // Words without a row have been given up.
            if word != 0 && (1..=rows.len()).contains(&before) {
                self.add(rows, before - 1, word - 1);
            }
            before = word;
        }
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
