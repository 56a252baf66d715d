//! The best documents of the queries of a batch: `cl/op/rank.cl`, where the algorithm is described.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | a batch, and its way over the segments |
//! | `tables` | what the kernels are told of a batch in a segment |
//! | `best` | the hits are read back |
//! | `plain` | OR as the paper has it, to compare with |
//! | `warm` | makes lists resident ahead of time |
//!
//! A batch is divided so that its scratch buffers fit, and again if its lists do not fit in the cache together. A query that
//! a device cannot answer alone is left to the CPU.

mod best;
mod plain;
mod tables;
mod warm;

pub(crate) use best::{Hits, Kept};
pub use plain::plain_accumulators;

use super::handle::Device;
use super::memory::{ALIGNMENT, Key, Placed, Slot};
use super::platform::Limits;
use super::program::{KernelOf, Source};
use super::session::{Arg, Session};
use crate::error::{Error, Result};
use crate::rank::tiled;
use crate::threads;
use once_cell::sync::OnceCell;
use std::sync::Arc;
use std::time::Instant;
use tables::Tables;

static SOURCE: Source =
    Source { name: "rank", parts: &[include_str!("../../../cl/list.cl"), include_str!("../../../cl/op/rank.cl")] };

/// Work-items of a work-group, and buckets of a histogram.
const ITEMS: usize = 256;
/// Terms of which a work-group adds up the postings at once.
const TERMS_AT_ONCE: usize = 64;
/// Accumulators that a work-item looks at in a pass, in the experiment.
const PASS: usize = 16;
/// Postings of a leading term that a work-item takes.
const SPAN: usize = 4;
/// The most terms of a query.
pub(crate) const MOST_TERMS: usize = 256;
/// The most hits of a query.
pub(crate) const MOST_HITS: usize = 1024;
/// Words of a query's state.
const STATE: usize = 8;
/// Bits of a score. Single scores have 24, so that sums are exact unless one is 2^39 times another.
const SCORE_BITS: i32 = 63;
/// The low bits of a score that are not its bucket's, for the kernels.
const BELOW_BUCKET: i32 = SCORE_BITS - 8;

const OUT: Slot = Slot(0);
const TABLES: Slot = Slot(1);
const ALLOWED: Slot = Slot(2);
const BOUNDS: Slot = Slot(3);
const ORDER: Slot = Slot(4);
const SIZES: Slot = Slot(5);
const STATES: Slot = Slot(6);
const CANDIDATES: Slot = Slot(7);

/// What does not exist: a list that a segment does not have, ordinals of a segment in order.
const NONE: u32 = u32::MAX;

/// Scratch memory that a batch may take, and the part of the device's memory that this may be.
const MOST_SCRATCH: usize = 4 << 30;
const SCRATCH_SHARE: usize = 8;
/// Candidates for which there is room if few queries share it.
const MOST_SHARED: usize = 1 << 23;
/// Words of the hits of a batch, at most.
const MOST_HIT_WORDS: usize = 16 << 20;
/// The most work-groups of a launch.
const MOST_GROUPS: usize = 1 << 30;

/// A term of a query, in a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankTerm {
    /// BM25's weight.
    pub(crate) weight: f32,
    /// The clause that it belongs to: the terms of a query stand clause by clause, those that exclude documents last.
    pub(crate) clause: u16,
    /// Whether documents with the term are excluded.
    pub(crate) excludes: bool,
    /// The number of the field's table.
    pub(crate) table: u16,
}

/// What a batch asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct RankBatch {
    /// How many hits each query wants, 1 to [`MOST_HITS`].
    pub(crate) k: usize,
    /// Whether documents must have all clauses. The first clause of each query is then the one in the fewest documents.
    pub(crate) needs_all: bool,
    /// Whether to count all documents that match.
    pub(crate) counting: bool,
    /// The first term of each query, then the number of terms.
    pub(crate) first_terms: Vec<usize>,
    /// The terms of all queries; each has 1 to [`MOST_TERMS`], not counting those that exclude.
    pub(crate) terms: Vec<RankTerm>,
    /// The number of tables.
    pub(crate) tables: usize,
    /// The segments.
    pub(crate) segments: Arc<[RankSegment]>,
    /// Bytes of device memory that the cache may take; 0 means a quarter of it.
    pub(crate) budget: u64,
    /// Threads for the host's part; 0 means one per core.
    pub(crate) threads: usize,
    /// Whether OR has an accumulator for each document: see [`plain_accumulators`].
    pub(crate) plain: bool,
}

/// A segment.
#[derive(Debug, Clone)]
pub(crate) struct RankSegment {
    pub(crate) documents: u32,
    /// The docID of its first document in the index.
    pub(crate) base: u32,
    /// The documents that may be hits, as a bit set; all if there is none.
    pub(crate) allowed: Option<Arc<Vec<u32>>>,
}

/// Something that kernels need in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The saturations and norms of a field: [`tiled::table`] and [`tiled::norms`].
    Table(usize),
    /// The ordinal of each document of a segment.
    Ordinals(usize),
    /// The postings of a term in a segment: [`tiled::encode`].
    List {
        /// The segment.
        segment: usize,
        /// The index of the term in the batch.
        term: usize,
    },
}

/// Where what the kernels need comes from.
pub(crate) trait Provider: Sync {
    /// What it is called in the cache; `None` if it does not exist.
    fn key(&self, wanted: Wanted) -> Option<Key>;

    /// Its words. Called by several threads.
    ///
    /// # Errors
    /// Whatever reading an index gives.
    fn build(&self, wanted: Wanted) -> Result<Vec<u32>>;
}

/// Of what is wanted, what exists, and what it is called in the cache.
fn present(wanted: &[Wanted], provider: &dyn Provider) -> (Vec<Wanted>, Vec<Key>) {
    wanted.iter().filter_map(|&what| Some((what, provider.key(what)?))).unzip()
}

/// The words of those of `wanted` that are missing, built by at most so many threads.
fn build(missing: &[usize], wanted: &[Wanted], provider: &dyn Provider, threads: usize) -> Result<Vec<Vec<u32>>> {
    // Building a list takes as long as starting a thread, or longer.
    let threads = threads::at_most(threads, missing.len() / 4);
    threads::map(threads, missing.len(), |at| provider.build(wanted[missing[at]]))
}

/// Takes the hits of the query with that number, and how many documents match it, if they were counted. Called by several
/// threads.
pub(crate) type Take<'t, T> = dyn Fn(usize, Hits<'_>, u64) -> Result<T> + Sync + 't;

impl RankBatch {
    fn terms_of(&self, query: usize) -> &[RankTerm] {
        &self.terms[self.first_terms[query]..self.first_terms[query + 1]]
    }

    fn queries(&self) -> usize {
        self.first_terms.len().saturating_sub(1)
    }

    /// The exponent of the power of two above all scores of a query: its scores are counted in 2^(exponent − [`SCORE_BITS`]).
    fn exponent(&self, query: usize) -> i32 {
        let scored = self.terms_of(query).iter().filter(|term| !term.excludes);
        let most: f64 = scored.map(|term| f64::from(term.weight)).sum();
        // Powers of two that are too small for `f32` are not needed: scores below the unit count as one.
        (most.max(f64::MIN_POSITIVE).log2().floor() as i32 + 1).clamp(-60, 120)
    }
}

/// The tile of a work-group, and how many candidates it can sort, on a device with that much local memory.
fn sizes(local: usize) -> (u32, usize) {
    if local >= 40 << 10 { (tiled::TILE_LOG, 2048) } else { (tiled::TILE_LOG - 1, 1024) }
}

fn kernel(local: usize, name: &'static str) -> KernelOf<'static> {
    /// Build options for much and for little local memory.
    static OPTIONS: [OnceCell<String>; 2] = [const { OnceCell::new() }; 2];
    let (tile_log, most_sorted) = sizes(local);
    let options = OPTIONS[usize::from(tile_log == tiled::TILE_LOG)].get_or_init(|| {
        let header = tiled::HEADER;
        format!(
            "-DITEMS={ITEMS}u -DSPAN={SPAN}u -DTERMS_AT_ONCE={TERMS_AT_ONCE}u -DTILE_LOG={tile_log}u -DALIGNMENT={ALIGNMENT}u -DHEADER={header}u \
             -DBELOW_BUCKET={BELOW_BUCKET} -DMOST_TERMS={MOST_TERMS} -DMOST_SORTED={most_sorted}u -DPASS={PASS}u"
        )
    });
    KernelOf { source: &SOURCE, options, name }
}

impl Device {
    /// What `take` makes of the best documents of each query; `None` for queries that this device cannot answer: the CPU
    /// has to.
    ///
    /// # Errors
    /// [`Error::Device`], and those of `provider` and `take`.
    pub(crate) fn rank<T: Send>(
        &self,
        batch: &RankBatch,
        provider: &dyn Provider,
        take: &Take<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        if plain::is_on() && !batch.needs_all && !batch.plain {
            return self.rank(&RankBatch { plain: true, ..batch.clone() }, provider, take);
        }
        let mut session = self.lock()?;
        let mut taken: Vec<Option<T>> = (0..batch.queries()).map(|_| None).collect();
        let most = MOST_HITS.min(sizes(session.limits().local).1 / 2);
        if batch.k == 0 || batch.k > most {
            log::debug!("{} hits a query; kernels of this device find 1 to {most}", batch.k);
            return Ok(taken);
        }
        session.limit_cache((batch.budget / 4) as usize);
        let at_once = session.queries_at_once(batch);
        let all: Vec<usize> = (0..batch.queries()).collect();
        let mut crowded = Vec::new();
        for queries in all.chunks(at_once) {
            session.rank_part(batch, queries, provider, take, &mut taken, &mut crowded)?;
        }
        // Alone they have more room for candidates. What does not fit even then is left to the CPU.
        for queries in crowded.chunks(FEW.min(at_once)) {
            session.rank_part(batch, queries, provider, take, &mut taken, &mut Vec::new())?;
        }
        Ok(taken)
    }
}

/// Queries that share the room for candidates if they had too many before.
const FEW: usize = 64;

/// Candidates of a query for which there is room, if as many as `queries` share the scratch memory. The threshold leaves
/// some multiples of k, of which most come before it has risen.
fn room(limits: &Limits, k: usize, queries: usize) -> usize {
    // A device with little memory has none to spare for more.
    let shared = MOST_SHARED.min((limits.memory / SCRATCH_SHARE).min(limits.allocation) / 16);
    (1024 + 16 * k).max(shared / queries.max(1))
}

impl Session<'_> {
    fn tiles(&self, documents: u32) -> usize {
        ((documents.max(1) as usize - 1) >> sizes(self.limits().local).0) + 1
    }

    /// Queries that fit in scratch memory together.
    fn queries_at_once(&self, batch: &RankBatch) -> usize {
        let limits = self.limits();
        let tiles = batch.segments.iter().map(|segment| self.tiles(segment.documents)).max().unwrap_or(1);
        let of_query = 5 * tiles + 16 * (1024 + 17 * batch.k) + 4 * (ITEMS + STATE);
        let scratch = MOST_SCRATCH.min(limits.memory / SCRATCH_SHARE);
        let largest = limits.allocation / (16 * (1024 + 16 * batch.k)).max(4 * tiles);
        // Hits are lent from pinned memory.
        let mut largest = largest.min(MOST_HIT_WORDS / (4 * (1 + batch.k)));
        if batch.plain {
            largest = largest.min(plain::queries_at_once(&limits, &batch.segments));
        }
        (scratch / of_query).min(largest).min(MOST_GROUPS / tiles).max(1)
    }

    /// Ranks some queries, given by their numbers. If their lists do not fit in the cache together, each half is ranked
    /// alone. Those with too many candidates are appended to `crowded`.
    fn rank_part<T: Send>(
        &mut self,
        batch: &RankBatch,
        queries: &[usize],
        provider: &dyn Provider,
        take: &Take<'_, T>,
        taken: &mut [Option<T>],
        crowded: &mut Vec<usize>,
    ) -> Result<()> {
        let began = Instant::now();
        if self.launch_all(batch, queries, provider)? {
            let launched = began.elapsed();
            self.read_best(batch, queries, take, taken, crowded)?;
            let read = began.elapsed() - launched;
            log::debug!("{} queries on a device: launched in {launched:?}, read in {read:?}", queries.len());
            return Ok(());
        }
        if queries.len() == 1 {
            log::debug!("the lists of a query do not fit in the cache of the device");
            return Ok(());
        }
        let (first, second) = queries.split_at(queries.len() / 2);
        self.rank_part(batch, first, provider, take, taken, crowded)?;
        self.rank_part(batch, second, provider, take, taken, crowded)
    }

    /// Submits everything for some queries; false if their lists in a segment do not fit in the cache together.
    fn launch_all(&mut self, batch: &RankBatch, queries: &[usize], provider: &dyn Provider) -> Result<bool> {
        let count = queries.len();
        let room = room(&self.limits(), batch.k, count);
        self.fill(STATES, (STATE + ITEMS) * count, 0)?;
        self.scratch(CANDIDATES, 4 * count * room)?;
        self.scratch(OUT, 4 * count * (1 + batch.k))?;
        for segment in 0..batch.segments.len() {
            let Some(tables) = self.tables(batch, queries, segment, provider)? else { return Ok(false) };
            self.launch_segment(batch, &batch.segments[segment], &tables, count)?;
        }
        self.launch_best(batch, count, true)?;
        Ok(true)
    }

    /// Leaves the best k candidates of each query, as hits if they are the `last` ones.
    fn launch_best(&mut self, batch: &RankBatch, count: usize, last: bool) -> Result<()> {
        let room = room(&self.limits(), batch.k, count);
        let args = [
            Arg::Slot(STATES),
            Arg::U32(count as u32),
            Arg::Slot(CANDIDATES),
            Arg::U32(room as u32),
            Arg::U32(batch.k as u32),
            Arg::U32(last.into()),
            Arg::Slot(OUT),
        ];
        let kernel = kernel(self.limits().local, "rank_best");
        // SAFETY: the buffers have the sizes that `launch_all` requested: `room` candidates, a state and k hits for each
        // query; `rank` made sure that k is at most half of what a work-group sorts.
        unsafe { self.launch(kernel, count, ITEMS, &args) }
    }

    /// Makes resident what the queries need in a segment, and lays it out for the kernels; `None` if it does not fit.
    fn tables(
        &mut self,
        batch: &RankBatch,
        queries: &[usize],
        segment: usize,
        provider: &dyn Provider,
    ) -> Result<Option<Tables>> {
        let terms = queries.iter().flat_map(|&query| batch.first_terms[query]..batch.first_terms[query + 1]);
        let mut wanted: Vec<Wanted> = (0..batch.tables).map(Wanted::Table).collect();
        wanted.push(Wanted::Ordinals(segment));
        wanted.extend(terms.map(|term| Wanted::List { segment, term }));
        let (present, keys) = present(&wanted, provider);
        let mut build = |missing: &[usize]| build(missing, &present, provider, batch.threads);
        let mut places = Vec::with_capacity(keys.len());
        if !self.ensure(&keys, &mut build, &mut places)? {
            return Ok(None);
        }
        if places.len() != keys.len() {
            return Err(Error::Device("an item of the cache is missing".into()));
        }
        // Back to all that was wanted.
        let mut placed = present.into_iter().zip(places).peekable();
        let of = |what: &Wanted| placed.next_if(|(present, _)| present == what).map(|(_, place)| place);
        let places: Vec<Option<Placed>> = wanted.iter().map(of).collect();
        Tables::new(batch, queries, &places).map(Some)
    }

    fn launch_segment(
        &mut self,
        batch: &RankBatch,
        segment: &RankSegment,
        tables: &Tables,
        count: usize,
    ) -> Result<()> {
        if batch.needs_all && tables.groups == 0 {
            return Ok(());
        }
        self.upload(TABLES, &tables.words)?;
        let words = segment.documents.div_ceil(32) as usize;
        match &segment.allowed {
            Some(allowed) if allowed.len() < words => {
                return Err(Error::Device(format!("{} words for {} documents", allowed.len(), segment.documents)));
            }
            Some(allowed) => self.upload(ALLOWED, allowed)?,
            None => self.scratch(ALLOWED, 1)?,
        }
        if batch.plain {
            return self.launch_plain(batch, segment, tables, count);
        }
        let restricted = Arg::U32(segment.allowed.is_some().into());
        let [k, counting] = [Arg::U32(batch.k as u32), Arg::U32(batch.counting.into())];
        let room = Arg::U32(room(&self.limits(), batch.k, count) as u32);
        let (base, ordinals) = (Arg::U32(segment.base), Arg::U32(tables.ordinals));
        let found = [Arg::Slot(STATES), Arg::U32(count as u32), Arg::Slot(CANDIDATES), room, k, counting];
        let queries = [Arg::Cache, Arg::Slot(TABLES), Arg::U32(tables.terms_at)];
        let allowed = [Arg::Slot(ALLOWED), restricted, ordinals, base];
        let local = self.limits().local;
        if batch.needs_all {
            let tasks = [Arg::U32(tables.tasks_at), Arg::U32(tables.tasks)];
            let args = [&queries[..], &tasks, &allowed, &found].concat();
            // SAFETY: places are those of items in the cache, which `tiled` has encoded for this segment, so that ranges,
            // docIDs and codes are within bounds; a query has at most `MOST_TERMS` scored terms, as `Tables` checked; the
            // other buffers have an entry for each query, task and document.
            return unsafe { self.launch(kernel(local, "rank_all"), tables.groups, ITEMS, &args) };
        }
        let tiles = self.tiles(segment.documents);
        self.scratch(BOUNDS, (tiles * count).div_ceil(4))?;
        self.scratch(ORDER, tiles * count)?;
        self.scratch(SIZES, count)?;
        let of_tiles = [Arg::U32(tiles as u32), Arg::Slot(BOUNDS), Arg::Slot(ORDER), Arg::Slot(SIZES)];
        let args = [&queries[..], &of_tiles].concat();
        // SAFETY: as above; `BOUNDS` has a byte and `ORDER` a word for each tile of each query.
        unsafe { self.launch(kernel(local, "rank_tiles"), count, ITEMS, &args)? };
        let of_tiles = [Arg::U32(tiles as u32), Arg::Slot(ORDER), Arg::Slot(SIZES)];
        let mut from = 0;
        while from < tiles {
            // Few tiles at first: they raise the threshold for those that follow. With few queries there is room for all.
            let to = if count <= FEW { tiles } else { tiles.min(4 * from.max(1)) };
            let args = [&queries[..], &of_tiles, &allowed, &found, &[Arg::U32(from as u32)]].concat();
            // SAFETY: as above; `rank_tiles` wrote `ORDER` and `SIZES`. Every tile is one of the segment.
            unsafe { self.launch(kernel(local, "rank_any"), (to - from) * count, ITEMS, &args)? };
            if to < tiles {
                self.launch_best(batch, count, false)?;
            }
            from = to;
        }
        Ok(())
    }
}
