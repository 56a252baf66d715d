//! Batches in sub-batches: the host prepares the next sub-batch, and takes the hits of the last one, while kernels of another
//! run.

use super::launch::SubBatch;
use super::{Device, FEW, LANES, MOST_GROUPS, MOST_HIT_WORDS, MOST_HITS, MOST_SCRATCH, OUT, Provider, RankBatch};
use super::{ITEMS, Ranked, SCRATCH_SHARE, STATE, sizes};
use crate::base::error::Result;
use crate::device::platform::Limits;
use crate::device::session::{Reading, Session};
use std::time::Instant;

/// Terms of a sub-batch, about.
pub(crate) const TERMS_PER_SUB_BATCH: usize = 8_000;
/// Queries of a sub-batch at least: fewer leave the device idle at the ends of kernels.
const LEAST: usize = 250;

/// Takes what was found for a query, by the numbers of its batch and of the query there: once for each query. `None` if the
/// device cannot answer it: the CPU has to.
pub(crate) type Take<'t> = dyn FnMut(usize, usize, Option<Ranked>) + 't;

/// Batches on their way through a device, which is nobody else's meanwhile.
pub(crate) struct Flights<'p, 'd> {
    session: Session<'d>,
    /// The batches, and where what they need comes from.
    batches: Vec<(RankBatch, Box<dyn Provider + 'p>)>,
    in_flight: [Option<Flight>; LANES],
    /// The lane of the next sub-batch.
    next: usize,
    /// Queries with too many candidates, and their batches.
    crowded: Vec<(usize, usize)>,
}

/// How queries are tried.
#[derive(Clone, Copy)]
struct Attempt {
    /// Queries of a sub-batch at most.
    at_once: usize,
    /// Whether those that have too many candidates are left to the CPU.
    is_last: bool,
}

/// A sub-batch that the device works at.
struct Flight {
    batch: usize,
    queries: Vec<usize>,
    attempt: Attempt,
    reading: Reading,
    /// The call of the cache that wanted its first items.
    since: u64,
}

fn most_hits(limits: &Limits) -> usize {
    MOST_HITS.min(sizes(limits.local).1 / 2)
}

impl Device {
    /// How many hits of a query kernels find here, at most.
    pub(crate) fn most_hits(&self) -> usize {
        most_hits(&self.limits())
    }

    /// Begins to rank batches, whose lists may take that many bytes of the device's memory; 0 means a quarter of it.
    ///
    /// # Errors
    /// [`Error::Device`](crate::base::error::Error::Device).
    pub(crate) fn flights<'p>(&self, budget: u64) -> Result<Flights<'p, '_>> {
        let mut session = self.lock()?;
        session.limit_cache((budget / 4) as usize);
        let (in_flight, crowded) = (Default::default(), Vec::new());
        Ok(Flights { session, batches: Vec::new(), in_flight, next: 0, crowded })
    }

    /// What is found for each query of a batch; `None` for queries that this device cannot answer: the CPU has to.
    ///
    /// # Errors
    /// [`Error::Device`](crate::base::error::Error::Device), and those of `provider`.
    pub(crate) fn rank(&self, batch: RankBatch, provider: &dyn Provider) -> Result<Vec<Option<Ranked>>> {
        let mut ranked = vec![None; batch.queries()];
        let mut take = |_, query: usize, found| ranked[query] = found;
        let mut flights = self.flights(batch.budget)?;
        flights.add(batch, Box::new(provider), &mut take)?;
        flights.end(&mut take)?;
        Ok(ranked)
    }
}

impl<'p> Flights<'p, '_> {
    /// Adds a batch. What was found for earlier ones, and for the first of its queries, may be taken meanwhile.
    ///
    /// # Errors
    /// [`Error::Device`](crate::base::error::Error::Device), and those of `provider`. What is on its way is lost then.
    pub(crate) fn add(
        &mut self,
        batch: RankBatch,
        provider: Box<dyn Provider + 'p>,
        take: &mut Take<'_>,
    ) -> Result<()> {
        let (number, count, terms) = (self.batches.len(), batch.queries(), batch.terms.len());
        let most = most_hits(&self.session.limits());
        self.batches.push((batch, provider));
        let batch = &self.batches[number].0;
        if batch.k == 0 || batch.k > most {
            log::debug!("{} hits a query; kernels of this device find 1 to {most}", batch.k);
            (0..count).for_each(|query| take(number, query, None));
            return Ok(());
        }
        self.repeat_crowded(take)?;
        let batch = &self.batches[number].0;
        let at_once = self.session.queries_at_once(batch);
        let count_of_subs = (terms / TERMS_PER_SUB_BATCH).min(count / LEAST).max(1);
        let of_sub = count.div_ceil(count_of_subs).clamp(1, at_once);
        self.begin_by_kind(number, 0..count, Attempt { at_once: of_sub, is_last: false }, take)
    }

    /// Whether the device has nothing to do once it is done with one sub-batch.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight.iter().flatten().count() < LANES
    }

    /// Takes all that has not been taken.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub(crate) fn end(mut self, take: &mut Take<'_>) -> Result<()> {
        self.land_all(take)?;
        self.repeat_crowded(take)?;
        self.land_all(take)?;
        self.session.rest();
        Ok(())
    }

    /// Begins queries anew that had too many candidates, a few at a time, so that each has more room. Answers to others may wait for
    /// theirs.
    fn repeat_crowded(&mut self, take: &mut Take<'_>) -> Result<()> {
        let crowded = std::mem::take(&mut self.crowded);
        for of_batch in crowded.chunk_by(|a, b| a.0 == b.0) {
            let (batch, queries) = (of_batch[0].0, of_batch.iter().map(|&(_, query)| query));
            let at_once = FEW.min(self.session.queries_at_once(&self.batches[batch].0));
            self.begin_by_kind(batch, queries, Attempt { at_once, is_last: true }, take)?;
        }
        Ok(())
    }

    /// Begins sub-batches, of queries [with leads](RankBatch::has_leads) or of others.
    fn begin_by_kind(
        &mut self,
        number: usize,
        queries: impl Iterator<Item = usize>,
        attempt: Attempt,
        take: &mut Take<'_>,
    ) -> Result<()> {
        let batch = &self.batches[number].0;
        let (few, many): (Vec<usize>, Vec<usize>) = queries.partition(|&query| batch.has_leads(query));
        let mut parts = few.chunks(attempt.at_once).chain(many.chunks(attempt.at_once));
        parts.try_for_each(|queries| self.begin(number, queries, attempt, take))
    }

    /// Begins a sub-batch. If its lists do not fit in the cache together, each half is a sub-batch.
    fn begin(&mut self, number: usize, queries: &[usize], attempt: Attempt, take: &mut Take<'_>) -> Result<()> {
        let lane = self.next;
        self.land(lane, take)?;
        let began = Instant::now();
        let own = self.session.next_call();
        self.keep(own);
        let (batch, provider) = &self.batches[number];
        let sub = SubBatch { batch, queries, lane };
        if !self.session.launch_all(sub, &**provider)? {
            // Kernels may have begun in some segments: what they need is nobody's now.
            self.session.settle()?;
            let (first, second) = queries.split_at(queries.len() / 2);
            if first.is_empty() {
                log::debug!("the lists of a query do not fit in the cache of the device");
                queries.iter().for_each(|&query| take(number, query, None));
                return Ok(());
            }
            self.begin(number, first, attempt, take)?;
            return self.begin(number, second, attempt, take);
        }
        let reading = self.session.start_reading(0, OUT[lane], sub.hit_words())?;
        log::debug!("{} queries: launched in {:?}", queries.len(), began.elapsed());
        self.in_flight[lane] = Some(Flight { batch: number, queries: queries.to_vec(), attempt, reading, since: own });
        self.next = (lane + 1) % LANES;
        Ok(())
    }

    /// Keeps what sub-batches in flight need, and what was wanted since `call`.
    fn keep(&mut self, call: u64) {
        let since = self.in_flight.iter().flatten().map(|flight| flight.since).min();
        self.session.keep_since(since.map_or(call, |since| since.min(call)));
    }

    /// Takes the hits of the sub-batch in a lane, if there is one.
    fn land(&mut self, lane: usize, take: &mut Take<'_>) -> Result<()> {
        let Some(Flight { batch: number, queries, attempt, mut reading, .. }) = self.in_flight[lane].take() else {
            return Ok(());
        };
        let began = Instant::now();
        self.session.finish_reading(&mut reading)?;
        let waited = began.elapsed();
        let sub = SubBatch { batch: &self.batches[number].0, queries: &queries, lane };
        let found = sub.take_best(self.session.words(&reading)?)?;
        for (&query, found) in queries.iter().zip(found) {
            match found {
                None if !attempt.is_last => self.crowded.push((number, query)),
                found => take(number, query, found),
            }
        }
        log::debug!("{} queries: waited for {waited:?}, taken in {:?}", queries.len(), began.elapsed() - waited);
        Ok(())
    }

    /// Takes the hits of all sub-batches, the oldest first.
    fn land_all(&mut self, take: &mut Take<'_>) -> Result<()> {
        (0..LANES).try_for_each(|lane| self.land((self.next + lane) % LANES, take))
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
