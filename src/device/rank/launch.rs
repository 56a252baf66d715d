//! Submits what ranks some queries.

use super::items::{build, present};
use super::tables::Tables;
use super::{
    ALLOWED, BOUNDS, CANDIDATES, COUNTED_LOG, FEW, ITEMS, ORDER, OUT, Provider, RankBatch, RankSegment, SIZES, STATE,
    STATES, TABLES, Wanted, kernel, room, sizes,
};
use crate::base::error::{Error, Result};
use crate::device::memory::Placed;
use crate::device::session::{Arg, Session};

/// How many parts of a query the first round takes, and how many times as many have been taken after a round as before it: of many
/// documents with equal scores few become candidates, as most come after the worst of the hits that an earlier round has left.
#[derive(Clone, Copy)]
struct Rounds {
    first: usize,
    growth: usize,
}

const TILES: Rounds = Rounds { first: 4, growth: 4 };
const PIECES: Rounds = Rounds { first: 1, growth: 16 };
/// Work-groups that take pieces in a round, and those of a query at least, if there is that much to do.
const GROUPS: usize = 16 << 10;
const GROUPS_OF_QUERY: usize = 16;

/// Queries that are ranked together, and the lane in which they are.
#[derive(Clone, Copy)]
pub(crate) struct SubBatch<'q> {
    pub(crate) batch: &'q RankBatch,
    /// Their numbers in the batch. All of them [have leads](RankBatch::has_leads), or none has.
    pub(crate) queries: &'q [usize],
    pub(crate) lane: usize,
}

/// Arguments of kernels that rank a sub-batch in a segment.
struct Given {
    queries: [Arg; 3],
    allowed: [Arg; 4],
    found: [Arg; 5],
    counting: Arg,
}

/// Lists without postings are as good as none.
fn without_empty(place: &mut Option<Placed>) {
    *place = place.filter(|place| place.front != 0);
}

impl SubBatch<'_> {
    pub(crate) fn count(&self) -> usize {
        self.queries.len()
    }
}

impl Session<'_> {
    pub(super) fn tiles(&self, documents: u32) -> usize {
        ((documents.max(1) as usize - 1) >> sizes(self.limits().local).0) + 1
    }

    /// Ensures room for what is found of a sub-batch, and that nothing has been found yet.
    pub(crate) fn clear(&mut self, sub: SubBatch<'_>) -> Result<()> {
        let (SubBatch { batch, lane, .. }, count) = (sub, sub.count());
        let room = room(&self.limits(), batch.k, count);
        self.fill(STATES[lane], (STATE + ITEMS) * count, 0)?;
        self.scratch(CANDIDATES[lane], 4 * count * room)?;
        self.scratch(OUT[lane], 4 * count * (1 + batch.k))
    }

    /// Submits everything for a sub-batch to its lane; false if its lists in a segment do not fit in the cache together.
    pub(super) fn launch_all(&mut self, sub: SubBatch<'_>, provider: &dyn Provider) -> Result<bool> {
        let batch = sub.batch;
        self.enter(sub.lane)?;
        self.clear(sub)?;
        for segment in 0..batch.segments.len() {
            let Some(places) = self.places_of(sub, segment, provider)? else { return Ok(false) };
            let tables = Tables::new(batch, sub.queries, &places)?;
            self.launch_segment(sub, &batch.segments[segment], &tables)?;
        }
        self.launch_best(sub, true)?;
        Ok(true)
    }

    /// Leaves the best k candidates of each query, as hits if they are the `last` ones.
    pub(crate) fn launch_best(&mut self, sub: SubBatch<'_>, last: bool) -> Result<()> {
        let (SubBatch { batch, lane, .. }, count) = (sub, sub.count());
        let room = room(&self.limits(), batch.k, count);
        let args = [
            Arg::Slot(STATES[lane]),
            Arg::U32(count as u32),
            Arg::Slot(CANDIDATES[lane]),
            Arg::U32(room as u32),
            Arg::U32(batch.k as u32),
            Arg::U32(last.into()),
            Arg::Slot(OUT[lane]),
        ];
        let kernel = kernel(self.limits().local, "rank_best");
        // SAFETY: the buffers have the sizes that `clear` requested: `room` candidates, a state and k hits for each
        // query; `rank` made sure that k is at most half of what a work-group sorts.
        unsafe { self.launch(kernel, count, ITEMS, &args) }
    }

    /// Makes resident what a sub-batch needs in a segment. Returns the place of each of the batch's tables, of the ordinals, and of
    /// the terms of the queries; `None` if it does not fit.
    pub(crate) fn places_of(
        &mut self,
        sub: SubBatch<'_>,
        segment: usize,
        provider: &dyn Provider,
    ) -> Result<Option<Vec<Option<Placed>>>> {
        let SubBatch { batch, queries, lane } = sub;
        let terms = || queries.iter().flat_map(|&query| batch.first_terms[query]..batch.first_terms[query + 1]);
        let others = || (0..batch.tables).map(Wanted::Table).chain([Wanted::Ordinals(segment)]);
        let all = || others().chain(terms().map(|term| Wanted::List { segment, term }));
        if let Some(mut places) = self.find_resident(all().map(|wanted| provider.key(wanted)))? {
            places[batch.tables + 1..].iter_mut().for_each(without_empty);
            return Ok(Some(places));
        }
        let wanted: Vec<Wanted> = all().collect();
        let (present, keys) = present(&wanted, provider);
        let mut made = self.phrases(lane, batch.threads, &present, &keys, provider)?;
        let mut build = |missing: &[usize]| build(missing, &present, &mut made, provider, batch.threads);
        let Some(places) = self.ensure_beside(&keys, &mut build)? else { return Ok(None) };
        // Back to all that was wanted.
        let mut placed = present.iter().zip(places).peekable();
        let of = |what: &Wanted| placed.next_if(|&(present, _)| present == what).map(|(_, place)| place);
        let mut places: Vec<Option<Placed>> = wanted.iter().map(of).collect();
        places[batch.tables + 1..].iter_mut().for_each(without_empty);
        Ok(Some(places))
    }

    /// Sends what kernels are told of a sub-batch in a segment: `TABLES` and `ALLOWED`.
    pub(crate) fn send_tables(&mut self, lane: usize, segment: &RankSegment, tables: &Tables) -> Result<()> {
        self.upload(TABLES[lane], &tables.words)?;
        let words = segment.documents.div_ceil(32) as usize;
        match &segment.allowed {
            Some(allowed) if allowed.len() < words => {
                Err(Error::Device(format!("{} words for {} documents", allowed.len(), segment.documents)))
            }
            Some(allowed) => self.upload(ALLOWED[lane], allowed),
            None => self.scratch(ALLOWED[lane], 1),
        }
    }

    fn launch_segment(&mut self, sub: SubBatch<'_>, segment: &RankSegment, tables: &Tables) -> Result<()> {
        let SubBatch { batch, lane, .. } = sub;
        if tables.groups == 0 && tables.pieces == 0 {
            return Ok(());
        }
        self.send_tables(lane, segment, tables)?;
        let given = self.given(sub, segment, tables);
        if batch.needs_all {
            let tasks = [Arg::U32(tables.tasks_at), Arg::U32(tables.tasks)];
            let args = [&given.queries[..], &tasks, &given.allowed, &given.found, &[given.counting]].concat();
            // SAFETY: places are those of items in the cache, which `tiled` has encoded for this segment, so that ranges,
            // docIDs and codes are within bounds; a query has at most `MOST_TERMS` scored terms, as `Tables` checked; the
            // other buffers have an entry for each query, task and document.
            return unsafe { self.launch(kernel(self.limits().local, "rank_all"), tables.groups, ITEMS, &args) };
        }
        let has_leads = sub.queries.first().is_some_and(|&query| batch.has_leads(query));
        debug_assert!(sub.queries.iter().all(|&query| batch.has_leads(query) == has_leads));
        if !has_leads {
            return self.launch_tiles(sub, segment, &given);
        }
        if batch.counting {
            let documents = [Arg::U32(segment.documents)];
            let args = [&given.queries[..], &given.allowed[..2], &given.found[..2], &documents].concat();
            let groups = (segment.documents as usize).div_ceil(1 << COUNTED_LOG) * sub.count();
            // SAFETY: as above; the segment has that many documents.
            unsafe { self.launch(kernel(self.limits().local, "rank_count"), groups, ITEMS, &args)? };
        }
        self.launch_leads(sub, tables.pieces, &given)
    }

    /// What all kernels are given that rank a sub-batch in a segment.
    fn given(&self, sub: SubBatch<'_>, segment: &RankSegment, tables: &Tables) -> Given {
        let (SubBatch { batch, lane, .. }, count) = (sub, sub.count());
        let room = room(&self.limits(), batch.k, count) as u32;
        let number = Arg::U32;
        let restricted = segment.allowed.is_some().into();
        Given {
            queries: [Arg::Cache, Arg::Slot(TABLES[lane]), number(tables.terms_at)],
            allowed: [Arg::Slot(ALLOWED[lane]), number(restricted), number(tables.ordinals), number(segment.base)],
            found: [
                Arg::Slot(STATES[lane]),
                number(count as u32),
                Arg::Slot(CANDIDATES[lane]),
                number(room),
                number(batch.k as u32),
            ],
            counting: number(batch.counting.into()),
        }
    }

    /// Launches what adds up the postings of all terms, tile by tile.
    fn launch_tiles(&mut self, sub: SubBatch<'_>, segment: &RankSegment, given: &Given) -> Result<()> {
        let (lane, count, local) = (sub.lane, sub.count(), self.limits().local);
        let tiles = self.tiles(segment.documents);
        self.scratch(BOUNDS[lane], (tiles * count).div_ceil(4))?;
        self.scratch(ORDER[lane], tiles * count)?;
        self.scratch(SIZES[lane], count)?;
        let of_tiles =
            [Arg::U32(tiles as u32), Arg::Slot(BOUNDS[lane]), Arg::Slot(ORDER[lane]), Arg::Slot(SIZES[lane])];
        let args = [&given.queries[..], &of_tiles].concat();
        // SAFETY: as in `launch_segment`; `BOUNDS` has a byte and `ORDER` a word for each tile of each query.
        unsafe { self.launch(kernel(local, "rank_tiles"), count, ITEMS, &args)? };
        let of_tiles = [Arg::U32(tiles as u32), Arg::Slot(ORDER[lane]), Arg::Slot(SIZES[lane])];
        self.in_rounds(sub, tiles, TILES, |session, from, to| {
            let last = [given.counting, Arg::U32(from as u32)];
            let args = [&given.queries[..], &of_tiles, &given.allowed, &given.found, &last].concat();
            // SAFETY: as above; `rank_tiles` wrote `ORDER` and `SIZES`. Every tile is one of the segment.
            unsafe { session.launch(kernel(local, "rank_any"), (to - from) * count, ITEMS, &args) }
        })
    }

    /// Launches what looks the postings of leading terms up in the other lists: of at most `pieces` pieces.
    fn launch_leads(&mut self, sub: SubBatch<'_>, pieces: usize, given: &Given) -> Result<()> {
        let (count, local) = (sub.count(), self.limits().local);
        self.in_rounds(sub, pieces, PIECES, |session, from, to| {
            let step = (to - from).min((GROUPS / count).max(GROUPS_OF_QUERY));
            let of_round = [from, to, step].map(|number| Arg::U32(number as u32));
            let args = [&given.queries[..], &given.allowed, &given.found, &of_round].concat();
            // SAFETY: as in `launch_segment`; as all have leads, a query has at most `MOST_LEADS` scored terms.
            unsafe { session.launch(kernel(local, "rank_max_score"), step * count, ITEMS, &args) }
        })
    }

    /// Has all parts of each query submitted by `launch`, which is told from which number to which: few at first, which raise the
    /// threshold for those that follow. With few queries there is room for all candidates at once.
    fn in_rounds(
        &mut self,
        sub: SubBatch<'_>,
        all: usize,
        rounds: Rounds,
        mut launch: impl FnMut(&mut Self, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let mut from = 0;
        while from < all {
            let to = match from {
                _ if sub.count() <= FEW => all,
                0 => all.min(rounds.first),
                _ => all.min(rounds.growth * from),
            };
            launch(self, from, to)?;
            if to < all {
                self.launch_best(sub, false)?;
            }
            from = to;
        }
        Ok(())
    }
}
