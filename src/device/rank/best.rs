//! The hits that were read back.

use super::launch::Part;
use super::{NONE, SCORE_BITS, Take};
use crate::error::{Error, Result};
use crate::threads;

/// Hits that justify one more thread.
const HITS_PER_THREAD: usize = 8_000;

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

impl Iterator for Hits<'_> {
    type Item = (f64, u32);

    fn next(&mut self) -> Option<(f64, u32)> {
        self.hits.next().map(|hit| (score(hit) as f64 * self.unit, hit[3]))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.hits.size_hint()
    }
}

impl Part<'_> {
    /// Words that are read back.
    pub(super) fn hit_words(&self) -> usize {
        WORDS * (1 + self.batch.k) * self.count()
    }

    /// Has the hits of each query taken; queries with too many candidates are appended to `crowded`.
    pub(super) fn take_best<T: Send>(
        &self,
        words: &[u32],
        take: &Take<'_, T>,
        taken: &mut [Option<T>],
        crowded: &mut Vec<usize>,
    ) -> Result<()> {
        let (Part { batch, queries, .. }, count) = (*self, self.count());
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
