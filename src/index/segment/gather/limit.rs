//! [`Limit`]: the pairs that are gathered.

use super::gaps::Gaps;
use super::{SLOTS, TOGETHER, Word};
use crate::base::error::Result;
use crate::base::memory::{collected, room, zeros};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The place of each pair that is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'p> {
    words: usize,
    table: &'p [u16],
    /// How many are kept.
    kept: usize,
}

impl Places<'_> {
    /// The place of a pair, by the numbers of its words.
    #[inline(always)]
    pub fn of(self, first: usize, second: usize) -> Option<usize> {
        let place = usize::from(self.table[self.words * first + second]).wrapping_sub(1);
        (place < self.kept).then_some(place)
    }
}

/// Which pairs are gathered yet, and how large these may get.
///
/// A pair is worth the documents that have both words, in which it need not be looked for, as often as it is asked for; and its list takes
/// the more, the more often texts have it, and so the more often it is asked for. So those pairs are kept whose words are together in the
/// most documents: in as many as is estimated, but at least as there would be if words were independent.
///
/// Pairs that are worth least are given up as soon as those that are left are known to take too much, be it in one part of the documents:
/// a sixty-fourth at a time. So in the end as many are kept as are small enough, whoever finds that out.
pub(super) struct Limit {
    bytes: usize,
    documents: u64,
    words: usize,
    /// Per pair, in the order of the first words, one more than its place; 0 if it has none.
    table: Vec<u16>,
    /// By place, in how many documents the words of each pair are together, the most first; then the most of pairs without a place.
    together: Vec<u32>,
    kept: AtomicUsize,
}

impl Limit {
    /// Of words of a segment with that many documents, whose pairs may take so many bytes; `together` estimates how many documents have
    /// both words, by their numbers.
    pub fn new(words: &[Word], documents: u32, bytes: usize, together: impl Fn(usize, usize) -> u32) -> Result<Limit> {
        let documents = u64::from(documents);
        let least = (documents / TOGETHER).max(1) as u32;
        // The number of documents in the upper half, the pair in the lower one: such numbers are sorted fastest.
        let mut pairs: Vec<Reverse<u64>> = room(2 * SLOTS + words.len())?;
        let mut without = least - 1;
        let mut keep_best = |pairs: &mut Vec<Reverse<u64>>| {
            pairs.sort_unstable();
            without = without.max(pairs.get(SLOTS).map_or(0, |pair| (pair.0 >> 32) as u32));
            pairs.truncate(SLOTS);
        };
        for (first, one) in words.iter().enumerate() {
            for (second, other) in words.iter().enumerate() {
                let independent = u64::from(one.containing) * u64::from(other.containing) / documents;
                let together = together(first, second).max(independent as u32);
                if together >= least {
                    pairs.push(Reverse(u64::from(together) << 32 | (words.len() * first + second) as u64));
                }
            }
            if pairs.len() > 2 * SLOTS {
                keep_best(&mut pairs);
            }
        }
        keep_best(&mut pairs);
        let mut table = zeros(words.len() * words.len())?;
        for (place, pair) in pairs.iter().enumerate() {
            table[pair.0 as u32 as usize] = place as u16 + 1;
        }
        let together = collected(pairs.iter().map(|pair| (pair.0 >> 32) as u32).chain([without]))?;
        Ok(Limit { bytes, documents, words: words.len(), table, together, kept: pairs.len().into() })
    }

    /// The least product of the documents of two words whose pair is kept, however many documents have both.
    pub fn least(&self) -> u64 {
        (u64::from(self.together[self.kept()]) + 1) * self.documents
    }

    /// How many places there are.
    pub fn slots(&self) -> usize {
        self.together.len() - 1
    }

    /// How many of them are of pairs that are kept yet.
    pub fn kept(&self) -> usize {
        self.kept.load(Relaxed)
    }

    /// The places of the pairs that are kept yet.
    pub fn places(&self) -> Places<'_> {
        Places { words: self.words, table: &self.table, kept: self.kept() }
    }

    /// Gives up pairs until those that are left, which take `bytes` by `size`, are small enough, and empties the others.
    pub fn keep(&self, pairs: &mut [Gaps], bytes: &mut usize, size: impl Fn(&Gaps) -> usize) {
        while *bytes > self.bytes {
            // Others may have given up pairs that are still here.
            let kept = self.kept();
            for gone in &mut pairs[kept..] {
                *bytes -= size(&std::mem::take(gone));
            }
            if *bytes > self.bytes {
                self.kept.fetch_min(kept - kept.div_ceil(64), Relaxed);
            }
        }
    }
}
