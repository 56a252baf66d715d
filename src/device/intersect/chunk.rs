//! The chunks of a batch on their way through a device. While the kernels of one run, the host plans the next one, and reads
//! and [orders](super::order) what the ones before have found. Each chunk has a lane of its own, with its own scratch memory.

use super::plan::ChunkPlan;
use super::{FIRST_CAPACITY, INTERSECT, MAX_RESULTS, Way, capacity_for, order};
use crate::base::error::Result;
use crate::base::huge_pages::try_with_room;
use crate::device::codec::{self, Codecs};
use crate::device::link::LANES;
use crate::device::memory::Slot;
use crate::device::pieces::Pieces;
use crate::device::session::{Arg, Reading, Session};
use crate::list::PostingList;
use crate::list::results::Results;
use std::ops::Range;
use std::time::{Duration, Instant};

/// docIDs, or for each query of a plan a count.
const OUT: [Slot; LANES] = [Slot(0), Slot(3), Slot(6)];
/// The number of docIDs found and an unused word, then the records of the work-groups, of two words each.
const RECORDS: [Slot; LANES] = [Slot(1), Slot(4), Slot(7)];
const TABLES: [Slot; LANES] = [Slot(2), Slot(5), Slot(8)];
/// Words of `RECORDS` before the first record.
pub(super) const HEAD: usize = 2;

/// The passages of a lane.
const OF_RECORDS: usize = 0;
const OF_OUT: usize = 1;

/// What the host did in a batch, and how long.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stages {
    /// Parts of the batch, whose kernels and host work overlap.
    pub chunks: usize,
    /// Finding lists and planning, with sending lists that are missing.
    pub planning: Duration,
    /// Sending tables and submitting kernels.
    pub submitting: Duration,
    /// Waiting for kernels and for transfers.
    pub waiting: Duration,
    /// Putting results in order, or waiting for a thread that does.
    pub ordering: Duration,
}

/// So many chunks are many.
pub(super) const MANY: usize = 4;

/// The chunks of so many queries.
fn ranges(queries: usize, chunk: usize) -> Vec<Range<usize>> {
    let equal = |from: usize, to: usize| {
        let count = ((to - from) / chunk).max(1);
        (0..count).map(move |at| from + at * (to - from) / count..from + (at + 1) * (to - from) / count)
    };
    let (half, quarter) = (chunk / 2, chunk / 4);
    if queries / chunk < MANY || quarter == 0 {
        return equal(0, queries).collect();
    }
    let last = queries - quarter;
    let ends = [last - half..last, last..queries];
    std::iter::once(0..half).chain(equal(half, last - half)).chain(ends).collect()
}

/// A chunk that is on its way.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) plan: ChunkPlan,
    pub(super) capacity: usize,
    /// Records or counts, then docIDs.
    pub(super) readings: [Option<Reading>; 2],
}

/// A batch on its way.
pub(super) struct Batch<'b, 'd> {
    pub(super) session: &'b mut Session<'d>,
    pub(super) queries: &'b [Vec<PostingList>],
    /// The chunks, each as a range of queries.
    pub(super) ranges: Vec<Range<usize>>,
    counts_only: bool,
    pub(super) lanes: [Chunk; LANES],
    /// The memory of plans, for when that of a lane is taken.
    pub(super) spares: Vec<ChunkPlan>,
    codecs: [Codecs; 2],
    pub(super) stages: Stages,
}

/// Runs `work` and adds its time to `stage`.
fn timed<T>(stage: &mut Duration, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let result = work();
    *stage += began.elapsed();
    result
}

impl<'b, 'd> Batch<'b, 'd> {
    /// A batch in chunks of `chunk` queries at least, and less than twice that; if they are [`MANY`], the first and the last ones have
    /// fewer, as nothing runs on the device before the first is planned, and on the host little besides the last.
    pub(super) fn new(
        session: &'b mut Session<'d>,
        queries: &'b [Vec<PostingList>],
        chunk: usize,
        counts_only: bool,
    ) -> Batch<'b, 'd> {
        let ranges = ranges(queries.len(), chunk.max(1));
        let stages = Stages { chunks: ranges.len(), ..Stages::default() };
        Batch {
            session,
            queries,
            ranges,
            counts_only,
            lanes: Default::default(),
            spares: Vec::new(),
            codecs: Default::default(),
            stages,
        }
    }

    /// The counts of all queries.
    pub(super) fn counts(&mut self) -> Result<Vec<u64>> {
        let mut counts = vec![0; self.queries.len()];
        self.run(|batch, lane| {
            let Chunk { plan, readings, .. } = &batch.lanes[lane];
            let Some(reading) = &readings[OF_RECORDS] else { return Ok(()) };
            let queries = plan.sides.iter().flat_map(|side| &side.queries);
            for (query, count) in queries.zip(batch.session.words(reading)?) {
                counts[*query as usize] = u64::from(*count);
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// Takes each chunk through its three steps. Between two steps of a chunk come steps of its neighbours, and then the
    /// device works on two chunks: the kernels of one start as those of the other end.
    pub(super) fn run(&mut self, mut finish: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<()> {
        let count = self.ranges.len();
        for step in 0..count + 2 {
            if step < count {
                self.submit(step)?;
            }
            if (1..=count).contains(&step) {
                self.collect((step - 1) % LANES)?;
            }
            if step >= 2 {
                let lane = (step - 2) % LANES;
                let Batch { session, lanes, stages, .. } = &mut *self;
                if let Some(reading) = &mut lanes[lane].readings[OF_OUT] {
                    timed(&mut stages.waiting, || session.finish_reading(reading))?;
                }
                let began = Instant::now();
                finish(self, lane)?;
                self.stages.ordering += began.elapsed();
            }
        }
        // The last command of each chunk is a reading that is finished.
        self.session.rest();
        Ok(())
    }

    /// Plans a chunk and submits its kernels, and the reading of its records or counts.
    fn submit(&mut self, chunk: usize) -> Result<()> {
        let lane = chunk % LANES;
        let Batch { session, queries, ranges, counts_only, lanes, codecs, stages, .. } = &mut *self;
        let plan = &mut lanes[lane].plan;
        let range = ranges[chunk].clone();
        session.enter(lane)?;
        timed(&mut stages.planning, || {
            plan.make(queries, range.clone(), &session.places(), codecs)?;
            if plan.misses {
                // Sending lists may move others. Those of the whole batch are sent at once, so this happens once.
                if ranges.len() > 1 {
                    session.settle()?;
                }
                session.resident(queries.iter().flatten(), &mut Vec::new())?;
                if ranges.len() > 1 {
                    session.settle()?;
                }
                plan.make(queries, range, &session.places(), codecs)?;
            }
            Ok(())
        })?;
        log::trace!(
            "intersections on a device, {:?}: {} queries probe, {} mark tiles",
            plan.range,
            plan.sides[0].queries.len(),
            plan.sides[1].queries.len()
        );
        let most = FIRST_CAPACITY / ranges.len().min(LANES);
        lanes[lane].capacity = if *counts_only { 0 } else { plan.bound.min(most) };
        let began = Instant::now();
        if lanes[lane].plan.groups() != 0 {
            session.upload(TABLES[lane], &lanes[lane].plan.tables)?;
        }
        self.launch(lane)?;
        self.stages.submitting += began.elapsed();
        Ok(())
    }

    /// Submits the kernels of a lane's chunk, whose tables have been sent.
    fn launch(&mut self, lane: usize) -> Result<()> {
        let Batch { session, counts_only, lanes, .. } = &mut *self;
        let Chunk { plan, capacity, readings } = &mut lanes[lane];
        *readings = [None, None];
        let groups = plan.groups();
        if groups == 0 {
            return Ok(());
        }
        session.scratch(RECORDS[lane], if *counts_only { HEAD } else { HEAD + 2 * groups })?;
        session.fill(RECORDS[lane], HEAD, 0)?;
        if *counts_only {
            session.fill(OUT[lane], plan.queries(), 0)?;
        } else {
            session.scratch(OUT[lane], *capacity)?;
        }
        let (mut first_group, mut first_query) = (0, 0);
        for (way, side) in Way::ALL.into_iter().zip(&plan.sides) {
            let args = [
                Arg::Arena,
                Arg::Slot(TABLES[lane]),
                Arg::U32(side.tables_at as u32),
                Arg::U32(side.queries.len() as u32),
                Arg::Slot(OUT[lane]),
                Arg::U32(*capacity as u32),
                Arg::U32((*counts_only).into()),
                Arg::U32(first_query as u32),
                Arg::Slot(RECORDS[lane]),
                Arg::U32((HEAD + 2 * first_group) as u32),
                Arg::U32(side.span as u32),
            ];
            if side.groups != 0 {
                let kernel = codec::kernel(&INTERSECT, side.codecs, way.kernel_name());
                // SAFETY: every `PostingList` is checked, and `ChunkPlan::make` accepted these, which are resident: it found the
                // place of each. Its tables, which were sent, have an entry for each query and one for the end. `OUT` has
                // `capacity` words, or a count for each query. `RECORDS` has an entry for each work-group of both kernels.
                unsafe { session.launch(kernel, side.groups, way.items(), &args)? };
            }
            first_group += side.groups;
            first_query += side.queries.len();
        }
        let reading = match *counts_only {
            true => session.start_reading(OF_RECORDS, OUT[lane], plan.queries())?,
            false => session.start_reading(OF_RECORDS, RECORDS[lane], HEAD + 2 * groups)?,
        };
        readings[OF_RECORDS] = Some(reading);
        session.flush()
    }

    /// Waits for the kernels of a lane's chunk, and starts to read the docIDs.
    fn collect(&mut self, lane: usize) -> Result<()> {
        loop {
            let Batch { session, queries, counts_only, lanes, stages, .. } = &mut *self;
            let Chunk { plan, capacity, readings } = &mut lanes[lane];
            let Some(reading) = &mut readings[OF_RECORDS] else { return Ok(()) };
            timed(&mut stages.waiting, || session.finish_reading(reading))?;
            if *counts_only {
                return Ok(());
            }
            let (head, records) = session.words(reading)?.split_at(HEAD);
            // The kernels' own count, unless it may have wrapped around.
            let found: usize = match plan.bound {
                ..=MAX_RESULTS => head[0] as usize,
                _ => records.chunks_exact(2).map(|record| record[1] as usize).sum(),
            };
            if found <= *capacity {
                // A single result is read straight to where it stays.
                if queries.len() > 1 {
                    let start = || session.start_reading(OF_OUT, OUT[lane], found);
                    readings[OF_OUT] = Some(timed(&mut stages.submitting, start)?);
                }
                return Ok(());
            }
            *capacity = capacity_for(found, *capacity, plan.bound)?;
            self.launch(lane)?;
        }
    }

    /// Adds the docIDs of a lane's chunk in the order of its queries.
    pub(super) fn order(&mut self, lane: usize, results: &mut Results) -> Result<()> {
        let Batch { session, queries, lanes, .. } = self;
        let Chunk { plan, readings, .. } = &lanes[lane];
        let found = match readings {
            [None, _] => None,
            [Some(records), Some(out)] => Some((session.words(records)?, session.words(out)?)),
            [Some(records), None] => {
                debug_assert_eq!(queries.len(), 1);
                let records = session.words(records)?[HEAD..].to_vec();
                let pieces = Pieces::new(&records, lanes[lane].capacity)?;
                let mut out = try_with_room(pieces.total())?;
                session.read(OUT[lane], 0..pieces.total(), &mut out)?;
                *results = Results::of_one(pieces.gather(out));
                return Ok(());
            }
        };
        order::append(plan, found, queries.len() - plan.range.start, results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_follow_each_other() {
        for queries in (1..80).chain([999, 10_000]) {
            for chunk in [1, 2, 3, 4, 7, 16, 1000] {
                let ranges = ranges(queries, chunk);
                let all: Vec<usize> = ranges.iter().cloned().flatten().collect();
                assert!(all.into_iter().eq(0..queries), "{queries} in chunks of {chunk}: {ranges:?}");
                assert!(ranges.iter().all(|range| !range.is_empty() && range.len() < 2 * chunk));
            }
        }
    }
}
