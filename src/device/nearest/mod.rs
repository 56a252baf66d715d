//! Which vectors may be the nearest of each query of a batch: `cl/op/nearest.cl`.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | a batch |
//! | `form` | vectors and queries as the kernels read them |
//! | `ways` | which kernel a device runs |
//! | `flights` | a batch in sub-batches, which follow each other on the device |
//! | `launch` | submits a sub-batch |
//!
//! Vectors are in device memory in 8 bits a dimension, some hundred thousand of a segment as an item of the cache. A sub-batch goes
//! through all rows in stretches, each four times as long as all before it; after each, the threshold of a query is raised. What
//! remains are candidates: all rows whose bound is not below the threshold, so the k nearest are among them, whatever the device
//! rounded. The host takes their closenesses.

mod flights;
mod form;
mod launch;
#[cfg(test)]
mod tests;
mod ways;

pub(super) use ways::Chosen;

use super::memory::{Key, Slot};
use super::program::Source;
use super::session::SENDING;
use crate::base::error::Result;
use crate::vector::{Query, Shape};

static SOURCE: Source = Source { name: "nearest", parts: &[include_str!("../../../cl/op/nearest.cl")] };

/// Work-items of a work-group.
const ITEMS: usize = 256;
/// Rows of a tile.
const ROWS: usize = 256;
/// Queries of a work-group.
const QUERIES: usize = 64;
/// Dimensions that are multiplied at once.
const STEP: usize = 32;
/// Steps of which the queries of a work-group are in local memory, at most.
const CHUNK: usize = 16;
/// Words of a query's state: threshold, candidates, whether they were too many, where they begin.
const STATE: usize = 4;
/// Words of a candidate: row, greatest and least closeness, segment.
const CANDIDATE: usize = 4;

/// The most hits of a query.
pub(crate) const MOST_NEAREST: usize = 1024;

/// The lanes of kernels.
const LANES: usize = SENDING;

const VECTORS: [Slot; LANES] = [Slot(0), Slot(8)];
const TERMS: [Slot; LANES] = [Slot(1), Slot(9)];
const STATES: [Slot; LANES] = [Slot(2), Slot(10)];
const CANDIDATES: [Slot; LANES] = [Slot(3), Slot(11)];
const OUT: [Slot; LANES] = [Slot(4), Slot(12)];
const TOTAL: [Slot; LANES] = [Slot(5), Slot(13)];
const COUNTING: Slot = Slot(6);
/// What is not in the cache, for a trial.
const TRIAL: Slot = Slot(7);

/// What a batch asks for.
pub(crate) struct NearestBatch<'b> {
    /// What vectors and queries have in common.
    pub(crate) shape: Shape,
    /// The queries, all of which have [terms](Query::terms).
    pub(crate) queries: &'b [&'b Query],
    /// How many hits each wants, 1 to [`MOST_NEAREST`].
    pub(crate) k: usize,
    /// The segments.
    pub(crate) segments: &'b [NearestSegment],
    /// Bytes of device memory that the cache may take; 0 means a quarter of it.
    pub(crate) budget: u64,
    /// Threads for the host's part; 0 means one per core.
    pub(crate) threads: usize,
}

/// The vectors of a segment.
pub(crate) struct NearestSegment {
    pub(crate) rows: usize,
    /// Which rows may be hits, as a bit set; all if there is none.
    pub(crate) counting: Option<Vec<u32>>,
}

/// Where vectors come from.
pub(crate) trait Vectors: Sync {
    /// What a part of a segment's vectors is called in the cache.
    fn key(&self, segment: usize, part: usize) -> Key<'_>;

    /// A vector, in little-endian bytes. Called by several threads.
    ///
    /// # Errors
    /// Whatever reading an index gives.
    fn vector(&self, segment: usize, row: usize) -> Result<&[u8]>;
}

/// A row that may be among the nearest of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) segment: u32,
    pub(crate) row: u32,
    /// No less than its closeness.
    pub(crate) most: f32,
}

/// Takes the candidates of the query with that number, in no order. Called by several threads.
pub(crate) type TakeCandidates<'t, T> = dyn Fn(usize, Vec<Candidate>) -> Result<T> + Sync + 't;

impl NearestBatch<'_> {
    /// The parts of all segments: the segment, which part it is, its first row and its rows.
    fn parts(&self) -> Vec<Part> {
        let of_part = form::rows_of_part(self.shape);
        let of_segment = |(segment, of): (usize, &NearestSegment)| {
            let rows = of.rows;
            (0..rows.div_ceil(of_part)).map(move |number| {
                let first = number * of_part;
                Part { segment, number, first, rows: of_part.min(rows - first) }
            })
        };
        self.segments.iter().enumerate().flat_map(of_segment).collect()
    }
}

/// Vectors that are an item of the cache.
#[derive(Debug, Clone, Copy)]
struct Part {
    segment: usize,
    number: usize,
    /// Its first row in the segment.
    first: usize,
    rows: usize,
}

/// Bytes of device memory that so many vectors of a segment take.
pub(crate) fn bytes_of_rows(shape: Shape, rows: usize) -> u64 {
    (size_of::<u32>() * form::words(shape, rows)) as u64
}

/// How many parts a segment of so many vectors has.
pub(crate) fn parts_of(shape: Shape, rows: usize) -> usize {
    rows.div_ceil(form::rows_of_part(shape))
}
