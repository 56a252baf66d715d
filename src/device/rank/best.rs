//! The hits are read back.

use super::{BELOW_BUCKET, CANDIDATES, OUT, RankBatch, SCORE_BITS, Take, room, sizes};
use crate::device::session::Session;
use crate::error::{Error, Result};
use crate::threads;
use std::cmp::Reverse;

/// Hits that justify one more thread.
const HITS_PER_THREAD: usize = 8_000;

/// Words of a candidate and of a hit: the score's low and high word, the ordinal, the docID.
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

impl Session<'_> {
    /// Waits for some queries, and has the hits of each taken; those with too many candidates are appended to `crowded`.
    pub(super) fn read_best<T: Send>(
        &mut self,
        batch: &RankBatch,
        queries: &[usize],
        take: &Take<'_, T>,
        taken: &mut [Option<T>],
        crowded: &mut Vec<usize>,
    ) -> Result<()> {
        let (k, count) = (batch.k, queries.len());
        let (room, most_sorted) = (room(k, count), sizes(self.limits().local).1);
        let unit = |query: usize| f64::exp2(f64::from(batch.exponent(query) - SCORE_BITS));
        let out = self.peek(OUT, WORDS * (1 + k) * count)?;
        let states = &out[..WORDS * count];
        let threads = threads::at_most(batch.threads, count * k / HITS_PER_THREAD);
        let read = threads::map(threads, count, |at| {
            let [threshold, candidates, total, kept] = states[WORDS * at..][..WORDS] else {
                return Err(Error::Device("a state is missing".into()));
            };
            if candidates as usize > room {
                return Ok(Read::Crowded);
            }
            if kept as usize > most_sorted {
                return Ok(Read::Unsorted { threshold, candidates, total });
            }
            let own = &out[WORDS * (count + k * at)..][..WORDS * k.min(kept as usize)];
            take(queries[at], Hits::new(own, unit(queries[at])), total.into()).map(Read::Taken)
        })?;
        drop(out);
        for ((at, &query), read) in queries.iter().enumerate().zip(read) {
            taken[query] = match read {
                Read::Taken(found) => Some(found),
                Read::Crowded => {
                    crowded.push(query);
                    None
                }
                Read::Unsorted { threshold, candidates, total } => {
                    let mut own = Vec::new();
                    let first = WORDS * room * at;
                    self.read(CANDIDATES, first..first + WORDS * candidates as usize, &mut own)?;
                    Some(take(query, Hits::new(&best(&own, threshold, k), unit(query)), total.into())?)
                }
            };
        }
        Ok(())
    }
}

/// What was read of a query.
enum Read<T> {
    Taken(T),
    /// There was no room for all candidates.
    Crowded,
    /// More candidates reach the threshold than a work-group can sort.
    Unsorted {
        threshold: u32,
        candidates: u32,
        total: u32,
    },
}

/// The best k candidates, in order.
fn best(candidates: &[u32], threshold: u32, k: usize) -> Vec<u32> {
    let reaches = |found: &&[u32]| score(found) >> BELOW_BUCKET >= u64::from(threshold);
    let mut best: Vec<&[u32]> = candidates.chunks_exact(WORDS).filter(reaches).collect();
    best.sort_unstable_by_key(|found| (Reverse(score(found)), found[2]));
    best.truncate(k);
    best.concat()
}
