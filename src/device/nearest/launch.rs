//! Submits what finds the candidates of some queries.

use super::form::Queries;
use super::ways::kernel;
use super::{
    CANDIDATE, CANDIDATES, COUNTING, Candidate, ITEMS, NearestBatch, OUT, Part, QUERIES, ROWS, STATE, STATES, TERMS,
    TOTAL, VECTORS,
};
use crate::base::error::Result;
use crate::device::session::{Arg, Session};
use std::ops::Range;

/// Work-groups that keep a large device busy. If there are more, each takes more tiles.
const GROUPS: usize = 1 << 13;
/// Tiles of a work-group, at most.
const MOST_TILES: usize = 16;

/// Rows of the first stretch, all of which are candidates, and how much longer the next ones are than all before.
const FIRST: usize = 8192;
const GROWTH: usize = 4;

/// The states of queries that have these thresholds and no candidates yet, and of those that fill the last work-group.
pub(super) fn states(thresholds: &[f32]) -> Vec<u32> {
    let none = thresholds.len().next_multiple_of(QUERIES) - thresholds.len();
    let all = thresholds.iter().copied().chain(std::iter::repeat_n(f32::INFINITY, none));
    all.flat_map(|threshold| [threshold.to_bits(), 0, 0, 0]).collect()
}

/// The candidates of a query.
pub(super) fn read_candidates(words: &[u32]) -> impl Iterator<Item = Candidate> + '_ {
    words.as_chunks::<CANDIDATE>().0.iter().map(|&[row, most, _, segment]| Candidate {
        segment,
        row,
        most: f32::from_bits(most),
    })
}

/// What launches for some queries have in common.
pub(super) struct Launch<'o> {
    pub(super) lane: usize,
    pub(super) options: &'o str,
    pub(super) count: usize,
    /// For candidates of a query.
    pub(super) room: usize,
    pub(super) k: usize,
}

/// A part of the vectors, where it is in the cache, and where the bits of its segment begin, unless all rows count.
pub(super) struct Placed {
    pub(super) part: Part,
    pub(super) place: u32,
    pub(super) bits: Option<u32>,
}

impl Session<'_> {
    /// Submits everything for some queries, of which these are the thresholds at first, to a lane.
    pub(super) fn launch_nearest(
        &mut self,
        batch: &NearestBatch,
        queries: &[usize],
        thresholds: &[f32],
        parts: &[Placed],
        launch: &Launch,
    ) -> Result<()> {
        let lane = launch.lane;
        let told = Queries::new(batch.shape, queries.iter().map(|&query| batch.queries[query]));
        self.enter(lane)?;
        self.upload(VECTORS[lane], &told.vectors)?;
        self.upload(TERMS[lane], &told.terms)?;
        self.upload(STATES[lane], &states(thresholds))?;
        for slot in [CANDIDATES[lane], OUT[lane]] {
            self.scratch(slot, CANDIDATE * launch.count * launch.room)?;
        }
        self.fill(TOTAL[lane], 1, 0)?;
        let tiles = |placed: &Placed| placed.part.rows.div_ceil(ROWS);
        let all: usize = parts.iter().map(tiles).sum();
        let mut from = 0;
        while from < all {
            let to = if from == 0 { FIRST.min(launch.room / 2) / ROWS } else { GROWTH * from }.min(all);
            let mut begin = 0;
            for placed in parts {
                let end = begin + tiles(placed);
                let own = from.clamp(begin, end) - begin..to.clamp(begin, end) - begin;
                let Part { segment, first, rows, .. } = placed.part;
                let of_part = [placed.place, rows as u32, first as u32, segment as u32];
                // SAFETY: the part is at its place in the cache, as `form` encoded it, and `own` are tiles of it.
                unsafe { self.launch_rows(launch, Arg::Cache, of_part, own, placed.bits)? };
                begin = end;
            }
            self.raise_thresholds(launch, to == all)?;
            from = to;
        }
        Ok(())
    }

    /// Offers tiles of a part to all queries: its place, its rows, its first row, its segment.
    ///
    /// # Safety
    /// The buffer has such a part at that place, and the part has these tiles.
    pub(super) unsafe fn launch_rows(
        &mut self,
        launch: &Launch,
        buffer: Arg,
        part: [u32; 4],
        tiles: Range<usize>,
        bits: Option<u32>,
    ) -> Result<()> {
        let Launch { lane, options, count, room, .. } = *launch;
        let of_queries = count.div_ceil(QUERIES);
        let of_group = (tiles.len() * of_queries / GROUPS).clamp(1, MOST_TILES);
        let groups = tiles.len().div_ceil(of_group) * of_queries;
        self.scratch(COUNTING, 1)?;
        let mut args = vec![buffer];
        args.extend(part.map(Arg::U32));
        args.extend([tiles.start, tiles.end, of_group].map(|of| Arg::U32(of as u32)));
        args.extend([Arg::Slot(VECTORS[lane]), Arg::Slot(TERMS[lane]), Arg::U32(count as u32)]);
        args.extend([Arg::Slot(STATES[lane]), Arg::Slot(CANDIDATES[lane]), Arg::U32(room as u32), Arg::Slot(COUNTING)]);
        args.extend([Arg::U32(bits.unwrap_or(0)), Arg::U32(bits.is_some().into())]);
        // SAFETY: the part is there, by the contract of this function; `VECTORS`, `TERMS` and `STATES` have entries for a multiple of
        // `QUERIES` queries, `CANDIDATES` has `room` for each of `count`, and `COUNTING` a bit for each row of the segment from
        // the word `bits` on.
        unsafe { self.launch(kernel(options, "nearest_rows"), groups, ITEMS, &args) }
    }

    /// Raises the thresholds, and moves what remains if it is the `last` time.
    fn raise_thresholds(&mut self, launch: &Launch, last: bool) -> Result<()> {
        let Launch { lane, options, count, room, k } = *launch;
        let args = [
            Arg::Slot(STATES[lane]),
            Arg::Slot(CANDIDATES[lane]),
            Arg::U32(room as u32),
            Arg::U32(k as u32),
            Arg::U32(last.into()),
            Arg::Slot(TOTAL[lane]),
            Arg::Slot(OUT[lane]),
        ];
        // SAFETY: there are a state and `room` for candidates for each query, and as much room in `OUT`.
        unsafe { self.launch(kernel(options, "nearest_best"), count, ITEMS, &args) }
    }
}

/// What is known of a query at the end.
pub(super) struct End {
    pub(super) threshold: f32,
    /// Whether there were too many candidates.
    pub(super) is_crowded: bool,
    /// Its words in `OUT`.
    pub(super) words: Range<usize>,
}

/// The ends of queries, from their states.
pub(super) fn ends(states: &[u32]) -> impl Iterator<Item = End> + '_ {
    states.as_chunks::<STATE>().0.iter().map(|&[threshold, count, crowded, begin]| {
        let [begin, count] = [begin, count].map(|of| CANDIDATE * of as usize);
        End { threshold: f32::from_bits(threshold), is_crowded: crowded != 0, words: begin..begin + count }
    })
}
