//! OR with an accumulator for each document of the collection (Ding et al. 2009, 5.2), as an experiment:
//! `cl/experiment/accumulators.cl`. What the engine uses is in `mod.rs`.

use super::launch::Part;
use super::tables::Tables;
use super::{
    ALLOWED, BOUNDS, CANDIDATES, ITEMS, LANES, MOST_GROUPS, MOST_SCRATCH, ORDER, PASS, RankSegment, SCRATCH_SHARE,
    STATES, Session, TABLES, kernel, room,
};
use crate::device::memory::Slot;
use crate::device::platform::Limits;
use crate::device::program::{KernelOf, Source};
use crate::device::session::Arg;
use crate::error::Result;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static SOURCE: Source = Source {
    name: "rank-plain",
    parts: &[
        include_str!("../../../cl/list.cl"),
        include_str!("../../../cl/tiled.cl"),
        include_str!("../../../cl/op/rank.cl"),
        include_str!("../../../cl/experiment/accumulators.cl"),
    ],
};

/// Bytes of an accumulator.
const BYTES: usize = 8;

/// Buffers that OR by tiles uses otherwise.
const ACCUMULATORS: [Slot; LANES] = BOUNDS;
const MOST: [Slot; LANES] = ORDER;

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Has devices of this process answer OR with one accumulator in global memory per document and query, to compare with; or
/// no longer. Returns the previous setting. For benchmarks.
pub fn plain_accumulators(on: bool) -> bool {
    IS_ON.swap(on, Relaxed)
}

pub(super) fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Queries of which the accumulators fit in scratch memory together; at least 1, also if those of one do not.
pub(super) fn queries_at_once(limits: &Limits, segments: &[RankSegment]) -> usize {
    let documents = segments.iter().map(|segment| segment.documents).max().unwrap_or(0).max(1) as usize;
    let scratch = (MOST_SCRATCH.min(limits.memory / SCRATCH_SHARE) / LANES).min(limits.allocation);
    (scratch / (BYTES * documents)).min(MOST_GROUPS / parts(documents)).max(1)
}

/// Work-groups that look at the accumulators of a query.
fn parts(documents: usize) -> usize {
    documents.div_ceil(ITEMS * PASS)
}

impl Session<'_> {
    /// Submits what ranks a part in a segment. `TABLES` and `ALLOWED` have been sent.
    pub(super) fn launch_plain(&mut self, part: Part<'_>, segment: &RankSegment, tables: &Tables) -> Result<()> {
        let (Part { batch, lane, .. }, count) = (part, part.count());
        if segment.documents == 0 {
            return Ok(());
        }
        let limits = self.limits();
        let of = |name| KernelOf { source: &SOURCE, ..kernel(limits.local, name) };
        let parts = parts(segment.documents as usize);
        self.scratch(ACCUMULATORS[lane], BYTES / 4 * segment.documents as usize * count)?;
        self.scratch(MOST[lane], parts * count)?;
        let number = |number: usize| Arg::U32(number as u32);
        let documents = Arg::U32(segment.documents);
        let accumulators = [Arg::Slot(ACCUMULATORS[lane]), documents, number(parts)];
        // SAFETY: each query has an accumulator for each document. A kernel and no fill, so that its time is known.
        unsafe { self.launch(of("plain_clear"), parts * count, ITEMS, &accumulators)? };
        for (first, groups) in [(0, tables.added), (tables.added, tables.groups - tables.added)] {
            let tasks = [Arg::U32(tables.tasks_at), Arg::U32(tables.tasks), number(first)];
            let queries = [Arg::Cache, Arg::Slot(TABLES[lane]), Arg::U32(tables.terms_at)];
            let args = [&queries[..], &tasks, &[documents, Arg::Slot(ACCUMULATORS[lane])]].concat();
            // SAFETY: as for `rank_all`; docIDs of lists are below the segment's number of documents, and each of these has
            // an accumulator for each query.
            unsafe { self.launch(of("plain_add"), groups, ITEMS, &args)? };
        }
        let allowed = [Arg::Slot(ALLOWED[lane]), Arg::U32(segment.allowed.is_some().into())];
        let states = [Arg::Slot(STATES[lane]), number(count)];
        let counted = [&[Arg::Slot(MOST[lane])], &states[..], &[Arg::U32(batch.counting.into())]].concat();
        let args = [&accumulators[..], &allowed, &counted].concat();
        // SAFETY: each query has an accumulator for each document, a word of `MOST` for each part, and a state.
        unsafe { self.launch(of("plain_count"), parts * count, ITEMS, &args)? };
        let base = [Arg::Slot(MOST[lane]), Arg::U32(tables.ordinals), Arg::U32(segment.base), Arg::Cache];
        let found = [Arg::Slot(CANDIDATES[lane]), number(room(&limits, batch.k, count)), number(batch.k)];
        let args = [&accumulators[..], &base, &states, &found].concat();
        // SAFETY: as above; there is room for `room` candidates of each query, and for the ordinal of each document.
        unsafe { self.launch(of("plain_collect"), parts * count, ITEMS, &args) }
    }
}
