//! Which kernel does which queries of a batch, and the tables that tell the kernels.

use super::{MAX_GROUPS, MAX_LISTS, Way};
use crate::device::codec::check_fits;
use crate::device::memory::{ALIGNMENT, Places};
use crate::error::{Error, Result};
use crate::list::PostingList;
use crate::threads::spread;
use std::ops::Range;

/// The place of a list that is not in the arena.
pub(super) const ELSEWHERE: u32 = u32::MAX;

/// A word of the arena as kernels take it: in units of [`ALIGNMENT`].
pub(super) fn place(word: u64) -> u32 {
    (word / ALIGNMENT as u64) as u32
}

/// The queries of a batch that use one method, laid out as the kernel expects them.
#[derive(Default)]
pub(super) struct Plan<'q> {
    /// Index of each query in the batch.
    pub(super) queries: Vec<usize>,
    /// Units of work of each query.
    pieces: Vec<usize>,
    pub(super) span: usize,
    /// The first work-group of each query, then the number of work-groups.
    pub(super) first_group: Vec<u32>,
    /// The first list of each query, then the number of lists.
    pub(super) first_list: Vec<u32>,
    pub(super) lists: Vec<&'q PostingList>,
    /// The [`place`] of each list; [`ELSEWHERE`] if it is not resident.
    pub(super) places: Vec<u32>,
    pub(super) groups: usize,
    /// The most docIDs that all results together can have.
    pub(super) bound: usize,
}

impl<'q> Plan<'q> {
    fn add(&mut self, query: usize, way: Way, lists: &[&'q PostingList], places: &Places) {
        self.queries.push(query);
        self.pieces.push(way.pieces(lists));
        self.first_list.push(self.lists.len() as u32);
        self.lists.extend(lists);
        self.places.extend(lists.iter().map(|list| places.of(list).map_or(ELSEWHERE, place)));
        self.bound += lists[0].len();
    }

    /// Adds the queries of another plan, after its own.
    fn append(&mut self, other: Plan<'q>) {
        let before = self.lists.len() as u32;
        self.queries.extend(other.queries);
        self.pieces.extend(other.pieces);
        self.first_list.extend(other.first_list.into_iter().map(|first| before + first));
        self.lists.extend(other.lists);
        self.places.extend(other.places);
        self.bound += other.bound;
    }

    /// Divides the queries among work-groups.
    fn finish(&mut self, way: Way) -> Result<()> {
        self.span = way.span(self.pieces.iter().sum());
        for pieces in &self.pieces {
            self.first_group.push(self.groups as u32);
            self.groups += pieces.div_ceil(self.span);
            if self.groups > MAX_GROUPS || self.lists.len() > MAX_LISTS {
                let what = format!("a batch of over {MAX_GROUPS} work-groups or {MAX_LISTS} lists is not supported");
                return Err(Error::Device(what));
            }
        }
        self.first_group.push(self.groups as u32);
        self.first_list.push(self.lists.len() as u32);
        Ok(())
    }
}

/// The plans of both methods. A query without lists or with an empty list is in neither, because its result is empty.
pub(super) fn plan<'q>(queries: &'q [Vec<PostingList>], threads: usize, places: &Places) -> Result<[Plan<'q>; 2]> {
    let share = queries.len().div_ceil(threads).max(1);
    let parts = spread(threads, queries.len(), share, |takings| {
        takings.map(|range| Ok((range.start, plan_some(queries, range, places)?))).collect::<Result<Vec<_>>>()
    });
    let mut parts: Vec<_> = parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    parts.sort_unstable_by_key(|part| part.0);
    let mut plans: [Plan; 2] = Default::default();
    for (_, part) in parts {
        plans.iter_mut().zip(part).for_each(|(plan, part)| plan.append(part));
    }
    for way in Way::ALL {
        plans[way as usize].finish(way)?;
    }
    Ok(plans)
}

/// The plans of some of the queries, not finished.
fn plan_some<'q>(queries: &'q [Vec<PostingList>], range: Range<usize>, places: &Places) -> Result<[Plan<'q>; 2]> {
    let mut plans: [Plan; 2] = Default::default();
    let mut sorted = Vec::new();
    for (query, at) in queries[range.clone()].iter().zip(range) {
        sorted.clear();
        sorted.extend(query);
        sorted.sort_unstable_by_key(|list: &&PostingList| list.len());
        let Some(shortest) = sorted.first() else { continue };
        if shortest.is_empty() {
            continue;
        }
        sorted.iter().try_for_each(|list| check_fits(list))?;
        let way = Way::of(&sorted, queries.len());
        plans[way as usize].add(at, way, &sorted, places);
    }
    Ok(plans)
}
