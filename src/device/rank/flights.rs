//! A batch in sub-batches: the host prepares the next sub-batch, and takes the hits of the last one, while kernels of another run.

use super::launch::SubBatch;
use super::{Device, FEW, LANES, MOST_GROUPS, MOST_HIT_WORDS, MOST_HITS, MOST_SCRATCH, OUT, Provider, RankBatch};
use super::{ITEMS, SCRATCH_SHARE, STATE, Take, sizes};
use crate::base::error::Result;
use crate::device::session::{Reading, Session};
use std::time::Instant;

/// Terms of a sub-batch, about, and the least queries: fewer leave the device idle at the ends of kernels.
const TERMS_PER_SUB_BATCH: usize = 8_000;
const LEAST: usize = 250;

/// The sub-batches of a batch on their way.
struct Flights<'p, 'd, T> {
    session: Session<'d>,
    batch: &'p RankBatch,
    provider: &'p dyn Provider,
    take: &'p Take<'p, T>,
    in_flight: [Option<Flight>; LANES],
    /// The lane of the next sub-batch.
    next: usize,
    taken: Vec<Option<T>>,
    /// Queries with too many candidates.
    crowded: Vec<usize>,
}

/// A sub-batch that the device works at.
struct Flight {
    queries: Vec<usize>,
    reading: Reading,
    /// The call of the cache that wanted its first items.
    since: u64,
}

impl Device {
    /// How many hits of a query kernels find here, at most.
    pub(crate) fn most_hits(&self) -> usize {
        MOST_HITS.min(sizes(self.limits().local).1 / 2)
    }

    /// What `take` makes of the best documents of each query; `None` for queries that this device cannot answer: the CPU
    /// has to.
    ///
    /// # Errors
    /// [`Error::Device`](crate::base::error::Error::Device), and those of `provider` and `take`.
    pub(crate) fn rank<T: Send>(
        &self,
        batch: &RankBatch,
        provider: &dyn Provider,
        take: &Take<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        let mut session = self.lock()?;
        let count = batch.queries();
        let taken: Vec<Option<T>> = (0..count).map(|_| None).collect();
        let most = self.most_hits();
        if batch.k == 0 || batch.k > most {
            log::debug!("{} hits a query; kernels of this device find 1 to {most}", batch.k);
            return Ok(taken);
        }
        session.limit_cache((batch.budget / 4) as usize);
        let at_once = session.queries_at_once(batch);
        let count_of_subs = (batch.terms.len() / TERMS_PER_SUB_BATCH).min(count / LEAST).max(1);
        let of_sub = count.div_ceil(count_of_subs).clamp(1, at_once);
        let all: Vec<usize> = (0..count).collect();
        let (in_flight, crowded) = (Default::default(), Vec::new());
        let mut flights = Flights { session, batch, provider, take, in_flight, next: 0, taken, crowded };
        for queries in all.chunks(of_sub) {
            flights.begin(queries)?;
        }
        flights.end_all()?;
        // Alone they have more room for candidates. What does not fit even then is left to the CPU.
        let crowded = std::mem::take(&mut flights.crowded);
        for queries in crowded.chunks(FEW.min(at_once)) {
            flights.begin(queries)?;
        }
        flights.end_all()?;
        flights.session.rest();
        Ok(flights.taken)
    }
}

impl<T: Send> Flights<'_, '_, T> {
    /// Begins a sub-batch. If its lists do not fit in the cache together, each half is a sub-batch.
    fn begin(&mut self, queries: &[usize]) -> Result<()> {
        let lane = self.next;
        self.end(lane)?;
        let began = Instant::now();
        let own = self.session.next_call();
        self.keep(own);
        let sub = SubBatch { batch: self.batch, queries, lane };
        if !self.session.launch_all(sub, self.provider)? {
            // Kernels may have begun in some segments: what they need is nobody's now.
            self.session.settle()?;
            let (first, second) = queries.split_at(queries.len() / 2);
            if first.is_empty() {
                log::debug!("the lists of a query do not fit in the cache of the device");
                return Ok(());
            }
            self.begin(first)?;
            return self.begin(second);
        }
        let reading = self.session.start_reading(0, OUT[lane], sub.hit_words())?;
        log::debug!("{} queries: launched in {:?}", queries.len(), began.elapsed());
        self.in_flight[lane] = Some(Flight { queries: queries.to_vec(), reading, since: own });
        self.next = (lane + 1) % LANES;
        Ok(())
    }

    /// Keeps what sub-batches in flight need, and what was wanted since `call`.
    fn keep(&mut self, call: u64) {
        let since = self.in_flight.iter().flatten().map(|flight| flight.since).min();
        self.session.keep_since(since.map_or(call, |since| since.min(call)));
    }

    /// Takes the hits of the sub-batch in a lane, if there is one.
    fn end(&mut self, lane: usize) -> Result<()> {
        let Some(Flight { queries, mut reading, .. }) = self.in_flight[lane].take() else { return Ok(()) };
        let began = Instant::now();
        self.session.finish_reading(&mut reading)?;
        let waited = began.elapsed();
        let sub = SubBatch { batch: self.batch, queries: &queries, lane };
        let words = self.session.words(&reading)?;
        sub.take_best(words, self.take, &mut self.taken, &mut self.crowded)?;
        log::debug!("{} queries: waited for {waited:?}, taken in {:?}", queries.len(), began.elapsed() - waited);
        Ok(())
    }

    /// Takes the hits of all sub-batches, the oldest first.
    fn end_all(&mut self) -> Result<()> {
        (0..LANES).try_for_each(|lane| self.end((self.next + lane) % LANES))
    }
}

impl Session<'_> {
    /// Queries of a sub-batch of which the scratch buffers fit, for each lane.
    fn queries_at_once(&self, batch: &RankBatch) -> usize {
        let limits = self.limits();
        let tiles = batch.segments.iter().map(|segment| self.tiles(segment.documents)).max().unwrap_or(1);
        let of_query = 5 * tiles + 16 * (1024 + 17 * batch.k) + 4 * (ITEMS + STATE);
        let scratch = MOST_SCRATCH.min(limits.memory / SCRATCH_SHARE) / LANES;
        let largest = limits.allocation / (16 * (1024 + 16 * batch.k)).max(4 * tiles);
        // Hits are lent from pinned memory.
        let largest = largest.min(MOST_HIT_WORDS / (4 * (1 + batch.k)));
        (scratch / of_query).min(largest).min(MOST_GROUPS / tiles).max(1)
    }
}
