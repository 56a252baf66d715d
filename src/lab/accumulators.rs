//! OR with an accumulator for each document of the collection (Ding et al. 2009, 5.2), to compare with what the engine
//! does: `cl/lab/accumulators.cl`. Everything but that is the engine's.

use crate::base::error::Result;
use crate::device::Device;
use crate::device::memory::{Placed, Slot};
use crate::device::platform::Limits;
use crate::device::program::{KernelOf, Source};
use crate::device::rank::launch::SubBatch;
use crate::device::rank::tables::{Tables, Tasks};
use crate::device::rank::{
    ALLOWED, BOUNDS, CANDIDATES, ITEMS, KERNELS, LANES, MOST_GROUPS, MOST_SCRATCH, ORDER, OUT, Provider, RankBatch,
    RankSegment, Ranked, SCRATCH_SHARE, STATES, TABLES, options, room,
};
use crate::device::session::{Arg, Session};
use crate::engine::Settings;
use crate::engine::ranked::ranker::Ranker;
use crate::engine::ranked::{Fleet, Job};
use crate::search::prepared::Prepared;
use crate::search::{Found, Index, Options};

static SOURCE: Source = Source {
    name: "rank-plain",
    parts: &{
        let [list, tiled, common, any, max_score, count, all, best] = KERNELS;
        [list, tiled, common, any, max_score, count, all, best, include_str!("../../cl/lab/accumulators.cl")]
    },
};

/// Accumulators that a work-item looks at in a pass.
const PASS: usize = 16;

/// Bytes of an accumulator.
const BYTES: usize = 8;

/// Buffers that OR by tiles uses otherwise.
const ACCUMULATORS: [Slot; LANES] = BOUNDS;
const MOST: [Slot; LANES] = ORDER;

/// The lane of all parts.
const LANE: usize = 0;

/// The hits of each query, as [`Index::search_batch`] gives them; `None` for queries that the kernels do not take. AND is the
/// engine's own, as it has no accumulators.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device), and as [`Index::search`].
pub fn search_batch(
    device: &Device,
    index: &Index,
    queries: &[&str],
    options: &Options,
    settings: &Settings,
) -> Result<Vec<Option<Found>>> {
    let wanted = index.wanted(options)?;
    let fleet = Fleet::by_queries(Vec::new());
    let job = Job::new(index, options, settings, wanted, &fleet, settings.threads);
    let prepared: Vec<Option<Prepared>> =
        queries.iter().map(|query| index.prepare(query, options)).collect::<Result<_>>()?;
    let of_device: Vec<&Prepared> = prepared.iter().flatten().collect();
    let mut ranked = job.found(&Accumulators(device), &of_device)?.into_iter();
    Ok(prepared.iter().map(|query| query.as_ref().and_then(|_| ranked.next().flatten())).collect())
}

/// A device that ranks in this way.
struct Accumulators<'d>(&'d Device);

impl Ranker for Accumulators<'_> {
    fn rank(&self, batch: RankBatch, provider: &dyn Provider) -> Result<Vec<Option<Ranked>>> {
        if batch.needs_all {
            return self.0.rank(batch, provider);
        }
        let mut session = self.0.lock()?;
        session.limit_cache((batch.budget / 4) as usize);
        let mut ranked = vec![None; batch.queries()];
        let all: Vec<usize> = (0..batch.queries()).collect();
        for queries in all.chunks(queries_at_once(&session.limits(), &batch.segments)) {
            rank_sub_batch(&mut session, SubBatch { batch: &batch, queries, lane: LANE }, provider, &mut ranked)?;
        }
        Ok(ranked)
    }
}

/// Ranks a part, and waits for it; each half of it, if its lists do not fit in the cache together.
fn rank_sub_batch(
    session: &mut Session<'_>,
    part: SubBatch<'_>,
    provider: &dyn Provider,
    ranked: &mut [Option<Ranked>],
) -> Result<()> {
    let call = session.next_call();
    session.keep_since(call);
    session.enter(LANE)?;
    session.clear(part)?;
    for (at, segment) in part.batch.segments.iter().enumerate() {
        let Some(places) = session.places_of(part, at, provider)? else {
            session.settle()?;
            let (first, second) = part.queries.split_at(part.queries.len() / 2);
            if first.is_empty() {
                return Ok(());
            }
            rank_sub_batch(session, SubBatch { queries: first, ..part }, provider, ranked)?;
            return rank_sub_batch(session, SubBatch { queries: second, ..part }, provider, ranked);
        };
        launch_segment(session, part, segment, &places)?;
    }
    session.launch_best(part, true)?;
    let mut reading = session.start_reading(0, OUT[LANE], part.hit_words())?;
    session.finish_reading(&mut reading)?;
    for (&query, found) in part.queries.iter().zip(part.take_best(session.words(&reading)?)?) {
        ranked[query] = found;
    }
    session.settle()
}

/// The tasks of all terms: of those that add to scores, then of those that exclude documents. And the work-groups of the
/// first.
fn tasks(part: SubBatch<'_>, places: &[Option<Placed>]) -> (Tasks, usize) {
    let (mut tasks, mut added) = (Tasks::default(), 0);
    for excludes in [false, true] {
        let (mut term, mut next) = (0, part.batch.tables + 1);
        for (number, &query) in (0..).zip(part.queries) {
            for of in part.batch.terms_of(query) {
                if let (true, Some(place)) = (of.excludes == excludes, &places[next]) {
                    tasks.add(number, term, place);
                }
                (term, next) = (term + 1, next + 1);
            }
        }
        if !excludes {
            added = tasks.groups;
        }
    }
    (tasks, added)
}

/// Queries of which the accumulators fit in scratch memory together; at least 1, also if those of one do not.
fn queries_at_once(limits: &Limits, segments: &[RankSegment]) -> usize {
    let documents = segments.iter().map(|segment| segment.documents).max().unwrap_or(0).max(1) as usize;
    let scratch = (MOST_SCRATCH.min(limits.memory / SCRATCH_SHARE) / LANES).min(limits.allocation);
    (scratch / (BYTES * documents)).min(MOST_GROUPS / parts(documents)).max(1)
}

/// Work-groups that look at the accumulators of a query.
fn parts(documents: usize) -> usize {
    documents.div_ceil(ITEMS * PASS)
}

/// Submits what ranks a part in a segment.
fn launch_segment(
    session: &mut Session<'_>,
    part: SubBatch<'_>,
    segment: &RankSegment,
    places: &[Option<Placed>],
) -> Result<()> {
    let (SubBatch { batch, lane, .. }, count) = (part, part.count());
    if segment.documents == 0 {
        return Ok(());
    }
    let mut tables = Tables::new(batch, part.queries, places)?;
    let (tasks, added) = tasks(part, places);
    tables.set_tasks(tasks)?;
    session.send_tables(lane, segment, &tables)?;
    let limits = session.limits();
    let options = format!("{} -DPASS={PASS}u", options(limits.local));
    let of = |name| KernelOf { source: &SOURCE, options: &options, name };
    let parts = parts(segment.documents as usize);
    session.scratch(ACCUMULATORS[lane], BYTES / 4 * segment.documents as usize * count)?;
    session.scratch(MOST[lane], parts * count)?;
    let number = |number: usize| Arg::U32(number as u32);
    let documents = Arg::U32(segment.documents);
    let accumulators = [Arg::Slot(ACCUMULATORS[lane]), documents, number(parts)];
    // SAFETY: each query has an accumulator for each document. A kernel and no fill, so that its time is known.
    unsafe { session.launch(of("plain_clear"), parts * count, ITEMS, &accumulators)? };
    for (first, groups) in [(0, added), (added, tables.groups - added)] {
        let tasks = [Arg::U32(tables.tasks_at), Arg::U32(tables.tasks), number(first)];
        let queries = [Arg::Cache, Arg::Slot(TABLES[lane]), Arg::U32(tables.terms_at)];
        let args = [&queries[..], &tasks, &[documents, Arg::Slot(ACCUMULATORS[lane])]].concat();
        // SAFETY: as for `rank_all`; docIDs of lists are below the segment's number of documents, and each of these has
        // an accumulator for each query.
        unsafe { session.launch(of("plain_add"), groups, ITEMS, &args)? };
    }
    let allowed = [Arg::Slot(ALLOWED[lane]), Arg::U32(segment.allowed.is_some().into())];
    let states = [Arg::Slot(STATES[lane]), number(count)];
    let counted = [&[Arg::Slot(MOST[lane])], &states[..], &[Arg::U32(batch.counting.into())]].concat();
    let args = [&accumulators[..], &allowed, &counted].concat();
    // SAFETY: each query has an accumulator for each document, a word of `MOST` for each part, and a state.
    unsafe { session.launch(of("plain_count"), parts * count, ITEMS, &args)? };
    let base = [Arg::Slot(MOST[lane]), Arg::U32(tables.ordinals), Arg::U32(segment.base), Arg::Cache];
    let found = [Arg::Slot(CANDIDATES[lane]), number(room(&limits, batch.k, count)), number(batch.k)];
    let args = [&accumulators[..], &base, &states, &found].concat();
    // SAFETY: as above; there is room for `room` candidates of each query, and for the ordinal of each document.
    unsafe { session.launch(of("plain_collect"), parts * count, ITEMS, &args) }
}
