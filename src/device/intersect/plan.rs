//! Which kernel does which queries of a chunk, and the tables that tell the kernels.

use super::{MAX_GROUPS, MAX_LISTS, Way};
use crate::base::error::{Error, Result};
use crate::device::codec::{Codecs, check_fits};
use crate::device::memory::{ALIGNMENT, Places};
use crate::list::PostingList;
use std::ops::Range;

/// The queries of a chunk that use one method.
#[derive(Default)]
pub(super) struct Side {
    /// Index of each query in the batch; they ascend.
    pub(super) queries: Vec<u32>,
    /// Units of work of each query.
    pieces: Vec<u32>,
    pub(super) span: usize,
    /// The first work-group of each query, then the number of work-groups.
    pub(super) first_group: Vec<u32>,
    /// The first list of each query, then the number of lists.
    first_list: Vec<u32>,
    /// Where each list is, in units of [`ALIGNMENT`] words.
    places: Vec<u32>,
    pub(super) groups: usize,
    /// The word of the tables at which those of this method begin.
    pub(super) tables_at: usize,
    /// The codecs of the lists, with those of the chunks before: programs are made for sets of codecs, and there should be
    /// few.
    pub(super) codecs: Codecs,
}

/// The plan of a chunk of a batch. A query without lists or with an empty list is in neither side, because its result is
/// empty.
#[derive(Default)]
pub(super) struct ChunkPlan {
    pub(super) range: Range<usize>,
    pub(super) sides: [Side; 2],
    /// For each method: `first_group`, `first_list` and `places`.
    pub(super) tables: Vec<u32>,
    /// The most docIDs that all results together can have.
    pub(super) bound: usize,
    /// Whether a list is not resident. Then there are no tables.
    pub(super) misses: bool,
}

impl Side {
    fn clear(&mut self) {
        self.queries.clear();
        self.pieces.clear();
        self.first_group.clear();
        self.first_list.clear();
        self.places.clear();
        self.groups = 0;
    }

    /// Divides the queries among work-groups.
    fn finish(&mut self, way: Way) -> Result<()> {
        self.span = way.span(self.pieces.iter().map(|&pieces| pieces as usize).sum());
        for &pieces in &self.pieces {
            self.first_group.push(self.groups as u32);
            self.groups += (pieces as usize).div_ceil(self.span);
            if self.groups > MAX_GROUPS || self.places.len() > MAX_LISTS {
                let what = format!("a batch of over {MAX_GROUPS} work-groups or {MAX_LISTS} lists is not supported");
                return Err(Error::Device(what));
            }
        }
        self.first_group.push(self.groups as u32);
        self.first_list.push(self.places.len() as u32);
        Ok(())
    }
}

impl ChunkPlan {
    /// Plans the queries of a range, instead of those before. `codecs` are those of earlier chunks.
    pub(super) fn make(
        &mut self,
        queries: &[Vec<PostingList>],
        range: Range<usize>,
        places: &Places,
        codecs: &mut [Codecs; 2],
    ) -> Result<()> {
        self.sides.iter_mut().for_each(Side::clear);
        (self.bound, self.misses) = (0, false);
        let mut sorted: Vec<&PostingList> = Vec::new();
        for (query, at) in queries[range.clone()].iter().zip(range.start as u32..) {
            sorted.clear();
            sorted.extend(query);
            sorted.sort_unstable_by_key(|list| list.len());
            let Some(shortest) = sorted.first().filter(|shortest| !shortest.is_empty()) else { continue };
            sorted.iter().try_for_each(|list| check_fits(list))?;
            self.bound += shortest.len();
            let way = Way::of(&sorted, range.len());
            let side = &mut self.sides[way as usize];
            side.queries.push(at);
            side.pieces.push(way.pieces(&sorted) as u32);
            side.first_list.push(side.places.len() as u32);
            for list in &sorted {
                codecs[way as usize].add(list.codec());
                match places.of(list) {
                    Some(word) => side.places.push((word / ALIGNMENT as u64) as u32),
                    None => self.misses = true,
                }
            }
        }
        self.range = range;
        self.tables.clear();
        if self.misses {
            return Ok(());
        }
        for (way, codecs) in Way::ALL.into_iter().zip(codecs) {
            let side = &mut self.sides[way as usize];
            side.finish(way)?;
            side.codecs = *codecs;
            side.tables_at = self.tables.len();
            for table in [&side.first_group, &side.first_list, &side.places] {
                self.tables.extend_from_slice(table);
            }
        }
        Ok(())
    }

    /// The work-groups of both methods.
    pub(super) fn groups(&self) -> usize {
        self.sides.iter().map(|side| side.groups).sum()
    }

    /// Queries that have work-groups.
    pub(super) fn queries(&self) -> usize {
        self.sides.iter().map(|side| side.queries.len()).sum()
    }

    /// The work-groups of each query of the range, in its order, numbered through both methods; none if its result is
    /// known to be empty.
    pub(super) fn groups_of_each(&self) -> impl Iterator<Item = Range<usize>> {
        let mut next = [0; 2];
        self.range.clone().map(move |query| {
            let mut before = 0;
            for (side, next) in self.sides.iter().zip(&mut next) {
                if side.queries.get(*next) == Some(&(query as u32)) {
                    *next += 1;
                    return before + side.first_group[*next - 1] as usize..before + side.first_group[*next] as usize;
                }
                before += side.groups;
            }
            0..0
        })
    }
}
