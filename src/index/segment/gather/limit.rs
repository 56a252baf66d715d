//! [`Limit`]: the words of which pairs are gathered.

use super::gaps::Gaps;
use super::{EXPECTED, SLOTS};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where the pairs are of which a word is the first. The second is one of its partners, the commonest words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    begin: usize,
    partners: usize,
}

impl Row {
    /// The place of a pair, by the number of its second word, if it is kept.
    #[inline(always)]
    pub fn place(self, second: usize) -> Option<usize> {
        (second < self.partners).then_some(self.begin + second)
    }

    /// The places of all pairs that are kept.
    pub fn places(self) -> Range<usize> {
        self.begin..self.begin + self.partners
    }
}

/// Of which words pairs are gathered yet, and how large these may get.
///
/// A pair is worth what is saved by not looking for it in the documents that have both words, and costs what its list takes. The more
/// frequent two words are, the more documents have both beside those in which one follows the other: so pairs are kept of words whose
/// numbers of documents multiply to at least some number. It is raised by sixteenths as soon as the pairs that are left are known to take
/// too much, be it in one part of the documents. So in the end it is the first one with which pairs are small enough, whoever finds
/// that out.
pub(super) struct Limit {
    bytes: usize,
    /// How many documents have each word, the commonest first.
    containing: Vec<u32>,
    least: AtomicU64,
    /// The rows with the first such number.
    rows: Vec<Row>,
}

impl Limit {
    /// Of words of a segment with that many documents, whose pairs may take so many bytes.
    pub fn new(containing: Vec<u32>, documents: u32, bytes: usize) -> Limit {
        let least = u64::from(documents) * u64::from(documents) / EXPECTED;
        let mut limit = Limit { bytes, containing, least: AtomicU64::new(least.max(1)), rows: Vec::new() };
        let partners = loop {
            let partners: Vec<usize> = limit.partners().collect();
            if partners.iter().sum::<usize>() <= SLOTS {
                break partners;
            }
            limit.raise(limit.least());
        };
        let mut begin = 0;
        let row = |partners| {
            begin += partners;
            Row { begin: begin - partners, partners }
        };
        limit.rows = partners.into_iter().map(row).collect();
        limit
    }

    /// The least product of the documents of two words whose pair is kept.
    pub fn least(&self) -> u64 {
        self.least.load(Relaxed)
    }

    /// All places of pairs.
    pub fn slots(&self) -> usize {
        self.rows.last().map_or(0, |row| row.places().end)
    }

    /// A row for each word that has partners yet.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.rows.iter().zip(self.partners()).map(|(row, partners)| Row { begin: row.begin, partners })
    }

    /// The number of partners of each word that has any: none has more than the word before.
    fn partners(&self) -> impl Iterator<Item = usize> {
        let (least, mut partners) = (self.least(), self.containing.len());
        self.containing.iter().map_while(move |&containing| {
            let multiplied = |other: u32| u64::from(containing) * u64::from(other);
            while partners > 0 && multiplied(self.containing[partners - 1]) < least {
                partners -= 1;
            }
            (partners > 0).then_some(partners)
        })
    }

    fn raise(&self, least: u64) {
        self.least.fetch_max(least.saturating_add(least / 16 + 1), Relaxed);
    }

    /// Gives up pairs until those that are left, which take `bytes` by `size`, are small enough, and empties the others.
    pub fn keep(&self, pairs: &mut [Gaps], bytes: &mut usize, size: impl Fn(&Gaps) -> usize) {
        while *bytes > self.bytes {
            // Others may have given up pairs that are still here.
            let least = self.least();
            let kept = self.rows().map(Row::places).chain(std::iter::repeat(0..0));
            for (row, kept) in self.rows.iter().zip(kept) {
                let all = row.places();
                for gone in &mut pairs[kept.end.max(all.start)..all.end] {
                    *bytes -= size(&std::mem::take(gone));
                }
            }
            if *bytes > self.bytes {
                self.raise(least);
            }
        }
    }
}
