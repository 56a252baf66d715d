//! The best documents of the queries of a batch: `cl/op/rank_common.cl` describes the algorithm.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | a batch |
//! | `provider` | where what it needs comes from |
//! | `items` | items of the cache are built where they are missing |
//! | `flights` | a batch in sub-batches, which follow each other on the device |
//! | `launch` | submits a sub-batch, segment by segment |
//! | `phrase` | lists of phrases are made of those of their words: `cl/op/phrase.cl` |
//! | `tables` | what the kernels are told of a sub-batch in a segment |
//! | `best` | the hits that were read back |
//! | `warm` | makes lists resident ahead of time |
//!
//! A batch is divided so that its scratch buffers fit, and again if its lists do not fit in the cache together. A query that
//! a device cannot answer alone is left to the CPU.

mod best;
mod flights;
mod items;
pub(crate) mod launch;
mod phrase;
mod provider;
pub(crate) mod tables;
mod warm;

pub(crate) use best::Ranked;
pub(crate) use flights::{Flights, TERMS_PER_SUB_BATCH};
pub(crate) use provider::{PhraseWord, Provider, Wanted};

use super::handle::Device;
use super::memory::{ALIGNMENT, Slot};
use super::platform::Limits;
use super::program::{KernelOf, Source};
use super::session::SENDING;
use crate::device::tiled;
use once_cell::sync::OnceCell;
use std::sync::Arc;

static SOURCE: Source = Source { name: "rank", parts: &KERNELS };

/// The sources of the kernels.
pub(crate) const KERNELS: [&str; 8] = [
    include_str!("../../../cl/list.cl"),
    include_str!("../../../cl/tiled.cl"),
    include_str!("../../../cl/op/rank_common.cl"),
    include_str!("../../../cl/op/rank_any.cl"),
    include_str!("../../../cl/op/rank_max_score.cl"),
    include_str!("../../../cl/op/rank_count.cl"),
    include_str!("../../../cl/op/rank_all.cl"),
    include_str!("../../../cl/op/rank_best.cl"),
];

/// Work-items of a work-group, and buckets of a histogram.
pub(crate) const ITEMS: usize = 256;
/// Terms of which a work-group adds up the postings at once.
const TERMS_AT_ONCE: usize = 64;
/// Postings of a leading term that a work-item takes.
const SPAN: usize = 4;
/// Postings of a leading term that a work-group takes at a time: four for each work-item.
const PIECE: usize = 4 * ITEMS;
/// The logarithm of the documents that a work-group counts.
const COUNTED_LOG: u32 = 15;
/// The most terms of a query of which postings are looked up in the lists of the others.
pub(crate) const MOST_LEADS: usize = 12;
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

/// The lanes of kernels; in the third one, items of the cache are sent.
pub(crate) const LANES: usize = SENDING;

pub(crate) const OUT: [Slot; LANES] = [Slot(0), Slot(8)];
pub(crate) const TABLES: [Slot; LANES] = [Slot(1), Slot(9)];
pub(crate) const ALLOWED: [Slot; LANES] = [Slot(2), Slot(10)];
pub(crate) const BOUNDS: [Slot; LANES] = [Slot(3), Slot(11)];
pub(crate) const ORDER: [Slot; LANES] = [Slot(4), Slot(12)];
const SIZES: [Slot; LANES] = [Slot(5), Slot(13)];
pub(crate) const STATES: [Slot; LANES] = [Slot(6), Slot(14)];
pub(crate) const CANDIDATES: [Slot; LANES] = [Slot(7), Slot(15)];

/// What does not exist: a list that a segment does not have, ordinals of a segment in order.
const NONE: u32 = u32::MAX;

/// Scratch memory that a batch may take, and the part of the device's memory that this may be.
pub(crate) const MOST_SCRATCH: usize = 4 << 30;
pub(crate) const SCRATCH_SHARE: usize = 8;
/// Candidates for which there is room if few queries share it.
const MOST_SHARED: usize = 1 << 23;
/// Words of the hits of a batch, at most.
const MOST_HIT_WORDS: usize = 16 << 20;
/// The most work-groups of a launch.
pub(crate) const MOST_GROUPS: usize = 1 << 30;

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
    /// Threads that build lists; 0 means one per core.
    pub(crate) threads: usize,
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

impl RankBatch {
    pub(crate) fn terms_of(&self, query: usize) -> &[RankTerm] {
        &self.terms[self.first_terms[query]..self.first_terms[query + 1]]
    }

    pub(crate) fn queries(&self) -> usize {
        self.first_terms.len().saturating_sub(1)
    }

    /// Whether a query asks for documents with any of a few terms: then postings of the terms that can add most are looked up in
    /// the lists of the others. Otherwise the postings of all terms are added up, tile by tile.
    fn has_leads(&self, query: usize) -> bool {
        !self.needs_all && self.terms_of(query).iter().filter(|term| !term.excludes).count() <= MOST_LEADS
    }

    /// The exponent of the power of two above all scores of a query: its scores are counted in 2^(exponent − [`SCORE_BITS`]).
    fn exponent(&self, query: usize) -> i32 {
        let scored = self.terms_of(query).iter().filter(|term| !term.excludes);
        let most: f64 = scored.map(|term| f64::from(term.weight)).sum();
        // Powers of two that are too small for `f32` are not needed: scores below the unit count as one.
        // The exponent of a number as it is stored is its logarithm, rounded down.
        ((most.max(f64::MIN_POSITIVE).to_bits() >> 52) as i32 - 1022).clamp(-60, 120)
    }
}

/// The tile of a work-group, and how many candidates it can sort, on a device with that much local memory.
fn sizes(local: usize) -> (u32, usize) {
    if local >= 40 << 10 { (tiled::TILE_LOG, 2048) } else { (tiled::TILE_LOG - 1, 1024) }
}

/// The build options of kernels on a device with that much local memory.
pub(crate) fn options(local: usize) -> &'static str {
    /// Build options for much and for little local memory.
    static OPTIONS: [OnceCell<String>; 2] = [const { OnceCell::new() }; 2];
    let (tile_log, most_sorted) = sizes(local);
    OPTIONS[usize::from(tile_log == tiled::TILE_LOG)].get_or_init(|| {
        let (header, exception, table) = (tiled::HEADER, tiled::EXCEPTION, tiled::TABLE);
        format!(
            "-DITEMS={ITEMS}u -DSPAN={SPAN}u -DTERMS_AT_ONCE={TERMS_AT_ONCE}u -DPIECE={PIECE}u -DMOST_LEADS={MOST_LEADS}u \
             -DCOUNTED_LOG={COUNTED_LOG}u -DTILE_LOG={tile_log}u -DALIGNMENT={ALIGNMENT}u -DHEADER={header}u \
             -DBELOW_BUCKET={BELOW_BUCKET} -DMOST_TERMS={MOST_TERMS} -DMOST_SORTED={most_sorted}u -DSTATE={STATE}u -DEXCEPTION={exception}u \
             -DTABLE={table}u"
        )
    })
}

fn kernel(local: usize, name: &'static str) -> KernelOf<'static> {
    KernelOf { source: &SOURCE, options: options(local), name }
}

/// Queries that share the room for candidates if they had too many before.
const FEW: usize = 64;

/// Candidates of a query for which there is room, if as many as `queries` share the scratch memory. The threshold leaves
/// some multiples of k, of which most come before it has risen.
pub(crate) fn room(limits: &Limits, k: usize, queries: usize) -> usize {
    // A device with little memory has none to spare for more.
    let shared = MOST_SHARED.min((limits.memory / SCRATCH_SHARE).min(limits.allocation) / 16);
    (1024 + 16 * k).max(shared / queries.max(1))
}
