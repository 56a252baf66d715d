//! A batch in sub-batches: the host takes the candidates of one while the device finds those of the next.

use super::form::{encode, words};
use super::launch::{End, Launch, Placed, ends, read_candidates};
use super::{
    CANDIDATE, COUNTING, Candidate, LANES, MOST_NEAREST, NearestBatch, OUT, Part, STATE, STATES, TakeCandidates,
    Vectors, ways,
};
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::handle::Device;
use crate::device::memory::Key;
use crate::device::platform::Limits;
use crate::device::session::{Reading, Session};
use std::time::Instant;

/// Queries of a sub-batch.
const QUERIES: usize = if cfg!(test) { 100 } else { 512 };

/// Candidates of a sub-batch for which there is room, and the part of the device's memory that this may be.
const MOST_CANDIDATES: usize = 1 << 23;
const SCRATCH_SHARE: usize = 8;

/// The most tiles of an index: they are counted in 32 bits.
const MOST_ROWS: usize = 1 << 32;

/// Candidates of a query for which there is room.
fn room(limits: &Limits, k: usize, queries: usize) -> usize {
    // Each lane has them twice.
    let bytes = (limits.memory / SCRATCH_SHARE / (2 * LANES)).min(limits.allocation);
    let shared = MOST_CANDIDATES.min(bytes / (size_of::<u32>() * CANDIDATE)) / queries.max(1);
    shared.clamp(1024 + 4 * k, 1 << 20)
}

/// The sub-batches of a batch on their way.
struct Flights<'p, 'd, T> {
    session: Session<'d>,
    batch: &'p NearestBatch<'p>,
    parts: &'p [Placed],
    options: &'p str,
    take: &'p TakeCandidates<'p, T>,
    in_flight: [Option<Flight>; LANES],
    /// The lane of the next sub-batch.
    next: usize,
    taken: Vec<Option<T>>,
    /// Queries with too many candidates, and their thresholds.
    crowded: Vec<(usize, f32)>,
}

/// A sub-batch that the device works at.
struct Flight {
    queries: Vec<usize>,
    reading: Reading,
}

impl Device {
    /// What `take` makes of the candidates of each query; `None` for queries that the CPU has to answer, because they have too
    /// many; for all of them if the vectors do not fit in the cache.
    ///
    /// # Errors
    /// [`Error::Device`], and those of `vectors` and `take`.
    pub(crate) fn nearest<T: Send>(
        &self,
        batch: &NearestBatch,
        vectors: &dyn Vectors,
        take: &TakeCandidates<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        let none = || (0..batch.queries.len()).map(|_| None).collect();
        let rows = batch.segments.iter().map(|segment| segment.rows);
        if rows.clone().any(|rows| rows >= MOST_ROWS) || !(1..=MOST_NEAREST).contains(&batch.k) {
            return Ok(none());
        }
        let parts = batch.parts();
        let needed: usize = parts.iter().map(|part| words(batch.shape, part.rows)).sum();
        if (size_of::<u32>() * needed) as u64 > self.cache_bytes(batch.budget) {
            log::debug!("the vectors take {needed} words of device memory, which is more than they may");
            return Ok(none());
        }
        let mut session = self.lock()?;
        session.limit_cache((batch.budget / 4) as usize);
        let Some(parts) = session.place_vectors(batch, parts, vectors)? else { return Ok(none()) };
        let options = ways::options(batch.shape, session.way(batch.shape, &self.info().platform)?);
        let (parts, options) = (&parts[..], &options[..]);
        let (in_flight, taken, crowded) = (Default::default(), none(), Vec::new());
        let mut flights = Flights { session, batch, parts, options, take, in_flight, next: 0, taken, crowded };
        let all: Vec<(usize, f32)> = (0..batch.queries.len()).map(|query| (query, f32::NEG_INFINITY)).collect();
        flights.fly(&all)?;
        // They now have thresholds of which the first rows knew nothing. What does not fit even then is left to the CPU.
        let crowded = std::mem::take(&mut flights.crowded);
        flights.fly(&crowded)?;
        flights.session.settle()?;
        Ok(flights.taken)
    }
}

impl Session<'_> {
    /// Makes the vectors resident, and sends which of them count; `None` if they do not fit.
    fn place_vectors(
        &mut self,
        batch: &NearestBatch,
        parts: Vec<Part>,
        vectors: &dyn Vectors,
    ) -> Result<Option<Vec<Placed>>> {
        self.enter(0)?;
        let keys: Vec<Key> = parts.iter().map(|part| vectors.key(part.segment, part.number)).collect();
        let build_one = |part: &Part| {
            let began = Instant::now();
            let vector = |row| vectors.vector(part.segment, part.first + row);
            let words = encode(batch.shape, part.rows, batch.threads, vector)?;
            log::debug!("{} vectors encoded in {:?}", part.rows, began.elapsed());
            Ok(words)
        };
        let mut build = |missing: &[usize]| missing.iter().map(|&at| build_one(&parts[at])).collect();
        let mut places = Vec::new();
        // One after the other, as they are large. Those before are wanted again, so that the next does not evict them.
        for end in 1..=keys.len() {
            if end < keys.len() && self.has(&keys[end - 1].name()) {
                continue;
            }
            places.clear();
            if !self.ensure(&keys[..end], &mut build, &mut places)? {
                return Ok(None);
            }
        }
        if places.len() != parts.len() {
            return Err(Error::Device("an item of the cache is missing".into()));
        }
        let (mut bits, mut begins) = (Vec::new(), Vec::new());
        for segment in batch.segments {
            begins.push(segment.counting.as_ref().map(|_| bits.len() as u32));
            let Some(counting) = &segment.counting else { continue };
            if counting.len() < segment.rows.div_ceil(32) {
                return Err(Error::Device(format!("{} words for {} rows", counting.len(), segment.rows)));
            }
            bits.extend_from_slice(counting);
        }
        self.upload(COUNTING, &bits)?;
        // Other lanes use what was sent in this one.
        self.settle()?;
        let placed = parts.into_iter().zip(places).map(|(part, at)| Placed {
            bits: begins[part.segment],
            part,
            place: at.place,
        });
        Ok(Some(placed.collect()))
    }
}

impl<T: Send> Flights<'_, '_, T> {
    /// Finds the candidates of queries with these thresholds.
    fn fly(&mut self, queries: &[(usize, f32)]) -> Result<()> {
        for queries in queries.chunks(QUERIES) {
            let lane = self.next;
            self.end(lane)?;
            let (queries, thresholds): (Vec<usize>, Vec<f32>) = queries.iter().copied().unzip();
            let Flights { session, batch, parts, options, .. } = self;
            let (count, k) = (queries.len(), batch.k);
            let launch = Launch { lane, options, count, room: room(&session.limits(), k, count), k };
            session.launch_nearest(batch, &queries, &thresholds, parts, &launch)?;
            let reading = session.start_reading(0, STATES[lane], STATE * count)?;
            self.in_flight[lane] = Some(Flight { queries, reading });
            self.next = (lane + 1) % LANES;
        }
        (0..LANES).try_for_each(|lane| self.end((self.next + lane) % LANES))
    }

    /// Takes the candidates of the sub-batch in a lane, if there is one.
    fn end(&mut self, lane: usize) -> Result<()> {
        let Some(Flight { queries, mut reading }) = self.in_flight[lane].take() else { return Ok(()) };
        let Flights { session, batch, take, .. } = self;
        let began = Instant::now();
        session.finish_reading(&mut reading)?;
        let ends: Vec<End> = ends(session.words(&reading)?).collect();
        let all: usize = ends.iter().map(|end| end.words.len()).sum();
        let mut reading = session.start_reading(1, OUT[lane], all)?;
        session.finish_reading(&mut reading)?;
        let (words, waited) = (session.words(&reading)?, began.elapsed());
        let threads = threads::at_most(batch.threads, queries.len() / 4);
        let taken = threads::map(threads, queries.len(), |at| {
            let End { is_crowded, words: own, .. } = &ends[at];
            if *is_crowded {
                return Ok(None);
            }
            let own = words.get(own.clone()).ok_or_else(|| Error::Device("candidates are missing".into()))?;
            let candidates: Vec<Candidate> = read_candidates(own).collect();
            take(queries[at], candidates).map(Some)
        })?;
        log::debug!(
            "{} queries: waited for {waited:?}, {} candidates taken in {:?}",
            queries.len(),
            all / CANDIDATE,
            began.elapsed() - waited
        );
        for ((query, taken), end) in queries.into_iter().zip(taken).zip(&ends) {
            if taken.is_none() {
                self.crowded.push((query, end.threshold));
            }
            self.taken[query] = taken;
        }
        Ok(())
    }
}
