//! The hits that were read back.

use super::launch::SubBatch;
use super::{NONE, SCORE_BITS};
use crate::base::error::{Error, Result};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// Words of a hit: the score's low and high word, the ordinal, the docID. What is said of a query takes as many.
const WORDS: usize = 4;

fn score(of: &[u32]) -> u64 {
    u64::from(of[1]) << 32 | u64::from(of[0])
}

/// The hits of a query, best first: score and docID in the index.
pub(crate) struct Hits<'h> {
    hits: std::slice::ChunksExact<'h, u32>,
    /// What a score of 1 stands for.
    unit: f64,
}

impl<'h> Hits<'h> {
    fn new(words: &'h [u32], unit: f64) -> Hits<'h> {
        Hits { hits: words.chunks_exact(WORDS), unit }
    }
}

/// What a device has found for a query.
#[derive(Debug, Clone)]
pub(crate) struct Ranked {
    /// The hits of this query and of others that were read with it.
    words: Arc<[u32]>,
    own: Range<u32>,
    unit: f64,
    /// How many documents match, if they were counted.
    pub(crate) total: u64,
}

impl Ranked {
    /// What devices with different documents have found for one query: the best k hits of all, by score as the devices have it,
    /// and by ordinal if scores are equal.
    pub(crate) fn merged<'r>(parts: impl Iterator<Item = &'r Ranked> + Clone, k: usize) -> Ranked {
        let unit = parts.clone().next().map_or(1.0, |part| part.unit);
        let total = parts.clone().map(|part| part.total).sum();
        let mut hits: Vec<&[u32]> = parts.flat_map(|part| part.own().chunks_exact(WORDS)).collect();
        // Each part is sorted, which makes it a merge.
        hits.sort_by_key(|hit| (Reverse(score(hit)), hit[2]));
        hits.truncate(k);
        let words: Arc<[u32]> = hits.concat().into();
        Ranked { own: 0..words.len() as u32, words, unit, total }
    }

    fn own(&self) -> &[u32] {
        &self.words[self.own.start as usize..self.own.end as usize]
    }

    /// Its hits, best first.
    pub(crate) fn hits(&self) -> Hits<'_> {
        Hits::new(self.own(), self.unit)
    }
}

impl Iterator for Hits<'_> {
    type Item = (f64, u32);

    fn next(&mut self) -> Option<(f64, u32)> {
        self.hits.next().map(|hit| (score(hit) as f64 * self.unit, hit[3]))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.hits.size_hint()
    }
}

impl SubBatch<'_> {
    /// Words that are read back.
    pub(crate) fn hit_words(&self) -> usize {
        WORDS * (1 + self.batch.k) * self.count()
    }

    /// Takes what was read: for each query what was found; `None` if it had too many candidates.
    pub(crate) fn take_best(&self, read: &[u32]) -> Result<Vec<Option<Ranked>>> {
        let (SubBatch { batch, queries, .. }, count, k) = (*self, self.count(), self.batch.k);
        let words: Arc<[u32]> = read.into();
        let of_query = |(at, &query): (usize, &usize)| {
            let [kept, total, ..] = words[WORDS * at..][..WORDS] else {
                return Err(Error::Device("a state is missing".into()));
            };
            // All of them together are some megabytes.
            let first = (WORDS * (count + k * at)) as u32;
            let own = first..first + (WORDS * k.min(kept as usize)) as u32;
            // A power of two, from -123 to 57.
            let unit = f64::from_bits(((1023 + batch.exponent(query) - SCORE_BITS) as u64) << 52);
            Ok((kept != NONE).then(|| Ranked { words: words.clone(), own, unit, total: total.into() }))
        };
        queries.iter().enumerate().map(of_query).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merged_parts_are_the_best_of_all(
            scores in prop::collection::vec(0..1u64 << 34, 0..60),
            parts in 1usize..5,
            k in 1usize..40,
            equal in 0..34u32,
        ) {
            let hits = |of: &[(u64, u32)]| -> Vec<u32> {
                of.iter().flat_map(|&(score, at)| [score as u32, (score >> 32) as u32, at, 1000 - at]).collect()
            };
            // Many scores are equal, and the ordinals are not the docIDs.
            let mut all: Vec<(u64, u32)> = (0..).zip(&scores).map(|(at, score)| (score >> equal << equal, at)).collect();
            let order = |hits: &mut Vec<(u64, u32)>| {
                hits.sort_by_key(|&(score, at)| (Reverse(score), at));
                hits.truncate(k);
            };
            let found: Vec<Ranked> = (0..parts).map(|part| {
                let mut own: Vec<_> = all.iter().copied().filter(|hit| hit.1 as usize % parts == part).collect();
                order(&mut own);
                let words: Arc<[u32]> = hits(&own).into();
                Ranked { own: 0..words.len() as u32, words, unit: 0.5, total: own.len() as u64 }
            }).collect();
            let total = found.iter().map(|part| part.total).sum::<u64>();
            order(&mut all);
            let merged = Ranked::merged(found.iter(), k);
            prop_assert_eq!(merged.own(), hits(&all));
            prop_assert_eq!((merged.unit, merged.total), (0.5, total));
        }
    }
}
