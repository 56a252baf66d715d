//! Intersects the lists of a batch of queries on the device: `cl/op/intersect.cl`.

mod chunk;
mod order;
mod plan;

use super::codec::{self, Operation};
use super::handle::Device;
use super::memory::ALIGNMENT;
use crate::base::error::{Error, Result};
use crate::codec::{BLOCK, Codec};
use crate::list::PostingList;
use crate::list::results::Results;
use chunk::Batch;
pub use chunk::Stages;

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

/// Queries of a chunk, at least. On an H200 they take 0.4 ms in kernels and 0.2 to 0.3 ms on the host, and submitting them
/// takes some 30 µs.
const CHUNK: usize = 1000;

/// Work-items per tile.
const TILE_ITEMS: usize = 256;

/// Work-groups and lists of a batch, at most: kernels count them in 32 bits.
const MAX_GROUPS: usize = 1 << 24;
const MAX_LISTS: usize = 1 << 30;

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
    /// For each query, the docIDs common to its lists, ascending. Large batches pass through the device in chunks, so that
    /// the host plans one and puts others in order while kernels run, on up to `threads` threads (0: one per core). All queries
    /// of a chunk share at most two launches, repeated once if the results need more room. Lists that are not resident are
    /// sent first.
    ///
    /// # Errors
    /// [`Error::Device`]; [`Error::OutOfMemory`].
    pub fn intersect_batch(&self, queries: &[Vec<PostingList>], threads: usize) -> Result<Results> {
        let (results, stages) = self.intersect_batch_in(queries, CHUNK, threads)?;
        log::debug!("intersections of {} queries on a device: {stages:?}", queries.len());
        Ok(results)
    }

    /// [`intersect_batch`](Self::intersect_batch) in chunks of about `chunk` queries. With more queries than the batch has
    /// there is one chunk, whose kernels run alone and so can be timed. Also returns what the host did.
    ///
    /// # Errors
    /// As there.
    pub fn intersect_batch_in(
        &self,
        queries: &[Vec<PostingList>],
        chunk: usize,
        threads: usize,
    ) -> Result<(Results, Stages)> {
        if queries.is_empty() {
            return Ok(Default::default());
        }
        let mut session = self.lock()?;
        let mut batch = Batch::new(&mut session, queries, chunk, false);
        let results = batch.results(threads)?;
        Ok((results, batch.stages))
    }

    /// For each query, the number of docIDs common to its lists. Only the counts are read back.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn intersect_count_batch(&self, queries: &[Vec<PostingList>]) -> Result<Vec<u64>> {
        self.intersect_count_batch_in(queries, CHUNK)
    }

    /// [`intersect_count_batch`](Self::intersect_count_batch) in chunks as [`intersect_batch_in`](Self::intersect_batch_in)
    /// has them.
    ///
    /// # Errors
    /// As there.
    pub fn intersect_count_batch_in(&self, queries: &[Vec<PostingList>], chunk: usize) -> Result<Vec<u64>> {
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        let mut session = self.lock()?;
        Batch::new(&mut session, queries, chunk, true).counts()
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
