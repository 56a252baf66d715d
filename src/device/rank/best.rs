//! The hits are read back.

use super::{BELOW_BUCKET, CANDIDATES, OUT, RankBatch, Ranked, SCORE_BITS, STATE, STATES, room, sizes};
use crate::device::session::Session;
use crate::error::Result;
use crate::threads;
use std::cmp::Reverse;
use std::ops::Range;
use std::time::Instant;

/// Hits that justify one more thread.
const HITS_PER_THREAD: usize = 100_000;

/// Words of a candidate and of a hit: the score's low and high word, the ordinal, the docID.
const WORDS: usize = 4;

fn score(of: &[u32]) -> u64 {
    u64::from(of[1]) << 32 | u64::from(of[0])
}

impl Session<'_> {
    /// Waits for some queries, and fills in their hits; leaves those out whose candidates were too many.
    pub(super) fn read_best(
        &mut self,
        batch: &RankBatch,
        queries: Range<usize>,
        ranked: &mut [Option<Ranked>],
    ) -> Result<()> {
        let (k, count) = (batch.k, queries.len());
        let (room, most_sorted) = (room(k, count), sizes(self.limits().local).1);
        let mut states = Vec::new();
        self.read(STATES, 0..STATE * count, &mut states)?;
        let unit = |query: usize| f64::exp2(f64::from(batch.exponent(query) - SCORE_BITS));
        let began = Instant::now();
        let out = self.peek(OUT, 0..WORDS * k * count)?;
        log::debug!("hits of {count} queries read in {:?}", began.elapsed());
        // `None` of those with too many candidates, `Some(None)` of those with more than a work-group can sort.
        let threads = threads::at_most(batch.threads, count * k / HITS_PER_THREAD);
        let found = threads::map(threads, count, |at| {
            let [_, candidates, total, kept] = states[STATE * at..][..STATE] else { return Ok(None) };
            if candidates as usize > room {
                log::debug!("{candidates} candidates of a query on a device, {room} at most");
                return Ok(None);
            }
            if kept as usize > most_sorted {
                return Ok(Some(None));
            }
            let own = &out[WORDS * k * at..][..WORDS * k.min(kept as usize)];
            let unit = unit(queries.start + at);
            let hits = own.chunks_exact(WORDS).map(|hit| (score(hit) as f64 * unit, hit[3])).collect();
            Ok(Some(Some(Ranked { hits, total: total.into() })))
        })?;
        drop(out);
        let mut later = Vec::new();
        for ((at, query), found) in queries.enumerate().zip(found) {
            match found {
                Some(Some(found)) => ranked[query] = Some(found),
                Some(None) => later.push((at, query)),
                None => {}
            }
        }
        // More candidates reach the threshold than a work-group can sort.
        for (at, query) in later {
            let state = &states[STATE * at..][..STATE];
            let mut own = Vec::new();
            let first = WORDS * room * at;
            self.read(CANDIDATES, first..first + WORDS * state[1] as usize, &mut own)?;
            let all = own.chunks_exact(WORDS).map(|found| (Reverse(score(found)), found[2], found[3]));
            let mut best: Vec<_> = all.filter(|found| found.0.0 >> BELOW_BUCKET >= u64::from(state[0])).collect();
            best.sort_unstable();
            best.truncate(k);
            let hits =
                best.into_iter().map(|(Reverse(score), _, doc_id)| (score as f64 * unit(query), doc_id)).collect();
            ranked[query] = Some(Ranked { hits, total: state[2].into() });
        }
        Ok(())
    }
}
