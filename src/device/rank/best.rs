//! The hits are read back.

use super::{BELOW_BUCKET, CANDIDATES, OUT, RankBatch, Ranked, SCORE_BITS, room, sizes};
use crate::device::session::Session;
use crate::error::{Error, Result};
use crate::threads;
use std::cmp::Reverse;

/// Hits that justify one more thread.
const HITS_PER_THREAD: usize = 100_000;

/// Words of a candidate and of a hit: the score's low and high word, the ordinal, the docID.
const WORDS: usize = 4;

fn score(of: &[u32]) -> u64 {
    u64::from(of[1]) << 32 | u64::from(of[0])
}

impl Session<'_> {
    /// Waits for some queries, and fills in their hits; those with too many candidates are appended to `crowded`.
    pub(super) fn read_best(
        &mut self,
        batch: &RankBatch,
        queries: &[usize],
        ranked: &mut [Option<Ranked>],
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
            let unit = unit(queries[at]);
            let hits = own.chunks_exact(WORDS).map(|hit| (score(hit) as f64 * unit, hit[3])).collect();
            Ok(Read::Sorted(Ranked { hits, total: total.into() }))
        })?;
        drop(out);
        for ((at, &query), read) in queries.iter().enumerate().zip(read) {
            ranked[query] = match read {
                Read::Sorted(found) => Some(found),
                Read::Crowded => {
                    crowded.push(query);
                    None
                }
                Read::Unsorted { threshold, candidates, total } => {
                    let mut own = Vec::new();
                    let first = WORDS * room * at;
                    self.read(CANDIDATES, first..first + WORDS * candidates as usize, &mut own)?;
                    Some(Ranked { hits: best(&own, threshold, k, unit(query)), total: total.into() })
                }
            };
        }
        Ok(())
    }
}

/// What was read of a query.
enum Read {
    Sorted(Ranked),
    /// There was no room for all candidates.
    Crowded,
    /// More candidates reach the threshold than a work-group can sort.
    Unsorted {
        threshold: u32,
        candidates: u32,
        total: u32,
    },
}

/// The best k candidates.
fn best(candidates: &[u32], threshold: u32, k: usize, unit: f64) -> Vec<(f64, u32)> {
    let all = candidates.chunks_exact(WORDS).map(|found| (Reverse(score(found)), found[2], found[3]));
    let mut best: Vec<_> = all.filter(|found| found.0.0 >> BELOW_BUCKET >= u64::from(threshold)).collect();
    best.sort_unstable();
    best.truncate(k);
    best.into_iter().map(|(Reverse(score), _, doc_id)| (score as f64 * unit, doc_id)).collect()
}
