//! The hits that were read back.

use super::launch::SubBatch;
use super::{NONE, SCORE_BITS, Take};
use crate::base::error::{Error, Result};
use crate::base::threads;
use std::cmp::Reverse;

/// Hits that justify one more thread.
const HITS_PER_THREAD: usize = 2_500;

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

impl Hits<'_> {
    /// Those that have not been taken yet, with all that is known of them.
    pub(crate) fn keep(self) -> Kept {
        Kept { words: self.hits.flatten().copied().collect(), unit: self.unit }
    }
}

/// Hits of a query that outlast their reading, to be merged with those of other devices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    words: Vec<u32>,
    unit: f64,
}

impl Kept {
    /// The best k of these, which are of the same query and of different documents: by score as the devices have it, and by
    /// ordinal if scores are equal.
    pub(crate) fn merged<'k>(parts: impl Iterator<Item = &'k Kept> + Clone, k: usize) -> Kept {
        let unit = parts.clone().next().map_or(1.0, |part| part.unit);
        let mut hits: Vec<&[u32]> = parts.flat_map(|part| part.words.chunks_exact(WORDS)).collect();
        // Each part is sorted, which makes it a merge.
        hits.sort_by_key(|hit| (Reverse(score(hit)), hit[2]));
        hits.truncate(k);
        Kept { words: hits.concat(), unit }
    }

    pub(crate) fn hits(&self) -> Hits<'_> {
        Hits::new(&self.words, self.unit)
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

    /// Has the hits of each query taken; queries with too many candidates are appended to `crowded`.
    pub(crate) fn take_best<T: Send>(
        &self,
        words: &[u32],
        take: &Take<'_, T>,
        taken: &mut [Option<T>],
        crowded: &mut Vec<usize>,
    ) -> Result<()> {
        let (SubBatch { batch, queries, .. }, count) = (*self, self.count());
        let k = batch.k;
        let unit = |query: usize| f64::exp2(f64::from(batch.exponent(query) - SCORE_BITS));
        let states = &words[..WORDS * count];
        let threads = threads::at_most(batch.threads, count * k / HITS_PER_THREAD);
        let read = threads::map(threads, count, |at| {
            let [kept, total, ..] = states[WORDS * at..][..WORDS] else {
                return Err(Error::Device("a state is missing".into()));
            };
            if kept == NONE {
                return Ok(None);
            }
            let own = &words[WORDS * (count + k * at)..][..WORDS * k.min(kept as usize)];
            take(queries[at], Hits::new(own, unit(queries[at])), total.into()).map(Some)
        })?;
        for (&query, read) in queries.iter().zip(read) {
            if read.is_none() {
                crowded.push(query);
            }
            taken[query] = read;
        }
        Ok(())
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
            let kept: Vec<Kept> = (0..parts).map(|part| {
                let mut own: Vec<_> = all.iter().copied().filter(|hit| hit.1 as usize % parts == part).collect();
                order(&mut own);
                Hits::new(&hits(&own), 0.5).keep()
            }).collect();
            order(&mut all);
            prop_assert_eq!(Kept::merged(kept.iter(), k), Kept { words: hits(&all), unit: 0.5 });
        }
    }
}
