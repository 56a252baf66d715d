//! Intersects the lists of a batch of queries on the device: `cl/op/intersect.cl`.

mod plan;

use super::codec::{self, Codecs, Operation};
use super::handle::Device;
use super::memory::{ALIGNMENT, Slot};
use super::pieces::Pieces;
use super::session::{Arg, Session};
use crate::codec::{BLOCK, Codec};
use crate::error::{Error, Result};
use crate::list::PostingList;
use crate::results::Results;
use crate::room::try_with_room;
use crate::threads::at_most;
use plan::{ELSEWHERE, Plan, place, plan};
use std::mem::MaybeUninit;

static INTERSECT: Operation = Operation {
    name: "intersect",
    common: include_str!("../../../cl/op/intersect_common.cl"),
    per_codec: include_str!("../../../cl/op/intersect_codec.cl"),
    kernels: include_str!("../../../cl/op/intersect.cl"),
    geometry: &[
        ("TILE_LOG", TILE_LOG as usize),
        ("TILE_ITEMS", TILE_ITEMS),
        ("MOST_BLOCKS", MOST_BLOCKS),
        ("ALIGNMENT", ALIGNMENT),
    ],
};

/// Queries that justify one more thread: planning one and putting its results in order takes 0.3 µs, starting a thread
/// some 20.
const QUERIES_A_THREAD: usize = 500;

/// Work-items per tile.
const TILE_ITEMS: usize = 256;

/// Work-groups and lists of a batch, at most: kernels count them in 32 bits.
const MAX_GROUPS: usize = 1 << 24;
const MAX_LISTS: usize = 1 << 30;

const OUT: Slot = Slot(0);
const TOTAL: Slot = Slot(3);
const RECORDS: [Slot; 2] = [Slot(4), Slot(5)];
const FIRST_GROUPS: [Slot; 2] = [Slot(6), Slot(7)];
const FIRST_LISTS: [Slot; 2] = [Slot(8), Slot(9)];
const LISTS: [Slot; 2] = [Slot(10), Slot(11)];

/// Room for results in the first launch, in words. If there are more results, the kernels are launched again with
/// enough room.
const FIRST_CAPACITY: usize = 1 << 25;
/// Kernels count the results of a batch in 32 bits, so it has at most this many.
const MAX_RESULTS: usize = u32::MAX as usize;

/// The two methods of `cl/op/intersect.cl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Probe = 0,
    Tiles = 1,
}

impl Way {
    const ALL: [Way; 2] = [Way::Probe, Way::Tiles];

    fn kernel_name(self) -> &'static str {
        match self {
            Way::Probe => "intersect_probe",
            Way::Tiles => "intersect_tiles",
        }
    }

    /// Work-items of a work-group.
    fn items(self) -> usize {
        match self {
            Way::Probe => BLOCK,
            Way::Tiles => TILE_ITEMS,
        }
    }

    /// How many units of work a query is divided into: blocks of the shortest list, or tiles. `lists` must be sorted by
    /// length, and none may be empty.
    fn pieces(self, lists: &[&PostingList]) -> usize {
        match self {
            Way::Probe => lists[0].blocks(),
            Way::Tiles => (largest_common(lists) >> TILE_LOG) as usize + 1,
        }
    }

    /// Units of work per work-group, if all queries together have `pieces` of them. With few units it is one, so that
    /// they spread over the whole device. With many it is several, so that there are fewer pieces of output to put in
    /// order.
    fn span(self, pieces: usize) -> usize {
        match self {
            Way::Probe if pieces > 1 << 14 => MOST_BLOCKS,
            _ => 1,
        }
    }

    /// The cheaper method for these lists, in a batch of that many queries. Marking takes at least as long as a tile, whose
    /// docIDs pass through one work-group: 1.2 ns each on an H200, 40 µs for 2^16 docIDs of two lists with a mean gap of 4,
    /// where probing the same lists takes 9 to 14 µs. The queries of a batch share that time, as their tiles are marked at
    /// once.
    fn of(lists: &[&PostingList], queries: usize) -> Way {
        let largest = largest_common(lists);
        let [probing, marking] = kernel_work(lists.iter().map(|list| (list.codec(), list.len())), largest);
        let marked: usize = lists.iter().map(|list| list.len()).sum();
        let tile = 1200.0 * marked as f64 / f64::from((largest >> TILE_LOG) + 1);
        let marking = marking.max(tile / queries as f64);
        if probing <= marking { Way::Probe } else { Way::Tiles }
    }
}

/// Picoseconds that each [`Way`] takes on an H200 for the lists of a query, the shortest first, that have no common
/// docID above `largest`. Measured there: 2.5 ps per docID marked in a tile, 12,000 ps per tile, and per docID looked
/// up the codec's [`look_up`](codec::DeviceCodec). Each list is assumed to leave a share of the candidates equal to its
/// density, but at least a quarter, because the terms of a query tend to occur together. The cost model scales the
/// figures to other devices.
pub(crate) fn kernel_work(lists: impl Iterator<Item = (Codec, usize)>, largest: u32) -> [f64; 2] {
    let (mut left, mut marked, mut probing) = (0.0, 0.0, 0.0);
    for (at, (codec, len)) in lists.enumerate() {
        let len = len as f64;
        marked += len;
        if at == 0 {
            left = len;
            continue;
        }
        probing += left * codec::of(codec).look_up;
        left *= (len / (f64::from(largest) + 1.0)).clamp(0.25, 1.0);
    }
    let tiles = f64::from((largest >> TILE_LOG) + 1);
    [probing, 2.5 * marked + 12_000.0 * tiles]
}

/// A tile is 2^`TILE_LOG` consecutive docIDs. A work-group of the probing kernel takes at most `MOST_BLOCKS` blocks.
const TILE_LOG: u32 = 16;
const MOST_BLOCKS: usize = 8;

/// The largest docID that all lists could have.
fn largest_common(lists: &[&PostingList]) -> u32 {
    lists.iter().map(|list| list.universe()).min().unwrap_or(0)
}

impl Session<'_> {
    /// Plans a batch, makes its lists resident, and uploads the tables of the kernels.
    fn send_plans<'q>(&mut self, queries: &'q [Vec<PostingList>], threads: usize) -> Result<[Plan<'q>; 2]> {
        let mut plans = plan(queries, threads, &self.places())?;
        let of = |way: Way| plans[way as usize].queries.len();
        log::debug!("intersections on a device: {} queries probe, {} mark tiles", of(Way::Probe), of(Way::Tiles));
        if plans.iter().any(|plan| plan.places.contains(&ELSEWHERE)) {
            let mut at = Vec::new();
            self.resident(plans.iter().flat_map(|plan| plan.lists.iter().copied()), &mut at)?;
            let mut at = at.into_iter().map(place);
            for plan in &mut plans {
                plan.places.clear();
                plan.places.extend(at.by_ref().take(plan.lists.len()));
            }
        }
        for way in Way::ALL {
            let plan = &plans[way as usize];
            if plan.groups != 0 {
                self.upload(FIRST_GROUPS[way as usize], &plan.first_group)?;
                self.upload(FIRST_LISTS[way as usize], &plan.first_list)?;
                self.upload(LISTS[way as usize], &plan.places)?;
            }
        }
        Ok(plans)
    }

    fn launch_plan(&mut self, plan: &Plan<'_>, way: Way, capacity: usize, count_only: bool) -> Result<()> {
        if plan.groups == 0 {
            return Ok(());
        }
        self.scratch(RECORDS[way as usize], if count_only { 2 } else { 2 * plan.groups })?;
        let args = [
            Arg::Arena,
            Arg::Slot(FIRST_GROUPS[way as usize]),
            Arg::Slot(FIRST_LISTS[way as usize]),
            Arg::Slot(LISTS[way as usize]),
            Arg::U32(plan.queries.len() as u32),
            Arg::Slot(OUT),
            Arg::U32(capacity as u32),
            Arg::U32(count_only.into()),
            Arg::Slot(TOTAL),
            Arg::Slot(RECORDS[way as usize]),
            Arg::U32(plan.span as u32),
        ];
        let kernel = codec::kernel(&INTERSECT, Codecs::of(plan.lists.iter().copied()), way.kernel_name());
        // SAFETY: every `PostingList` is checked, `plan` accepted these, and `send_plans` made them resident; it also
        // uploaded the tables, which have an entry for each query and one for the end. Callers made `OUT` large enough:
        // `capacity` words, or a count for each query. `RECORDS` has an entry for each work-group.
        unsafe { self.launch(kernel, plan.groups, way.items(), &args) }
    }
}

/// The capacity for a second launch, after the first one found more than `capacity` results. More than [`MAX_RESULTS`]
/// are refused, because their offsets would wrap around.
fn capacity_for(found: usize, capacity: usize, bound: usize) -> Result<usize> {
    if found > bound || capacity >= bound {
        return Err(Error::Device("a kernel reported more results than are possible".into()));
    }
    if found > MAX_RESULTS {
        return Err(Error::Device(format!("a batch has {found} results; kernels support {MAX_RESULTS}")));
    }
    Ok(found)
}

impl Device {
    /// For each query, the docIDs common to its lists, ascending. All queries share at most two launches, repeated once
    /// if the results need more room. Lists that are not resident are sent first.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn intersect_batch(&self, queries: &[Vec<PostingList>]) -> Result<Results> {
        self.intersect_batch_on(queries, 0)
    }

    /// [`intersect_batch`](Self::intersect_batch), planned and put in order by at most `threads` threads; 0 means one per
    /// core available to this process.
    ///
    /// # Errors
    /// As there.
    pub fn intersect_batch_on(&self, queries: &[Vec<PostingList>], threads: usize) -> Result<Results> {
        let threads = at_most(threads, queries.len() / QUERIES_A_THREAD);
        let mut session = self.lock()?;
        let plans = session.send_plans(queries, threads)?;
        if plans.iter().all(|plan| plan.groups == 0) {
            let mut results = Results::with_room(queries.len(), 0)?;
            queries.iter().for_each(|_| results.push(|_| ()));
            return Ok(results);
        }
        let bound: usize = plans.iter().map(|plan| plan.bound).sum();
        let mut capacity = bound.min(FIRST_CAPACITY);
        let records = loop {
            session.scratch(OUT, capacity)?;
            session.fill(TOTAL, 1, 0)?;
            for way in Way::ALL {
                session.launch_plan(&plans[way as usize], way, capacity, false)?;
            }
            let mut records = Vec::new();
            for way in Way::ALL {
                let groups = plans[way as usize].groups;
                if groups != 0 {
                    session.read(RECORDS[way as usize], 0..2 * groups, &mut records)?;
                }
            }
            let found: usize = records.chunks_exact(2).map(|record| record[1] as usize).sum();
            if found <= capacity {
                break records;
            }
            capacity = capacity_for(found, capacity, bound)?;
        };
        let pieces = Pieces::new(&records, capacity)?;
        if queries.len() == 1 {
            let mut out = try_with_room(pieces.total())?;
            session.read(OUT, 0..pieces.total(), &mut out)?;
            return Ok(Results::of_one(pieces.gather(out)));
        }
        // The work-groups of each query; none if its result is known to be empty.
        let mut groups = vec![0..0; queries.len()];
        let mut before = 0;
        for plan in &plans {
            for (query, bounds) in plan.queries.iter().zip(plan.first_group.windows(2)) {
                groups[*query] = before + bounds[0] as usize..before + bounds[1] as usize;
            }
            before += plan.groups;
        }
        let out = session.peek(OUT, 0..pieces.total())?;
        let lengths = groups.iter().map(|groups| pieces.length(groups.clone()));
        let fill = |query: usize, to: &mut [MaybeUninit<u32>]| pieces.copy(groups[query].clone(), &out, to);
        // SAFETY: `copy` writes all of what it is given.
        unsafe { Results::filled(lengths, threads, fill) }
    }

    /// For each query, the number of docIDs common to its lists. Only the counts are read back.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn intersect_count_batch(&self, queries: &[Vec<PostingList>]) -> Result<Vec<u64>> {
        let threads = at_most(0, queries.len() / QUERIES_A_THREAD);
        let mut counts = vec![0; queries.len()];
        let mut session = self.lock()?;
        let plans = session.send_plans(queries, threads)?;
        // Both methods write their counts to the front of `OUT`, so one runs after the other.
        for way in Way::ALL {
            let plan = &plans[way as usize];
            if plan.groups == 0 {
                continue;
            }
            session.fill(OUT, plan.queries.len(), 0)?;
            session.fill(TOTAL, 1, 0)?;
            session.launch_plan(plan, way, 0, true)?;
            let mut found = Vec::with_capacity(plan.queries.len());
            session.read(OUT, 0..plan.queries.len(), &mut found)?;
            for (query, count) in plan.queries.iter().zip(found) {
                counts[*query] = count.into();
            }
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_results_than_kernels_count_are_refused() {
        let bound = 3 * MAX_RESULTS;
        assert_eq!(capacity_for(1 << 26, FIRST_CAPACITY, bound).unwrap(), 1 << 26);
        assert_eq!(capacity_for(MAX_RESULTS, FIRST_CAPACITY, bound).unwrap(), MAX_RESULTS);
        assert!(capacity_for(MAX_RESULTS + 1, FIRST_CAPACITY, bound).is_err());
        assert!(capacity_for(bound + 1, FIRST_CAPACITY, bound).is_err());
        assert!(capacity_for(20, 10, 10).is_err());
    }
}
