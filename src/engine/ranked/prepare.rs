//! Queries as devices rank them, and what they are expected to cost.

use crate::base::error::Result;
use crate::device::MOST_TERMS;
use crate::engine::cost::{Features, Models};
use crate::engine::schedule::Cost;
use crate::search::prepared::Prepared;
use crate::search::{Asked, End, Index, Options};

/// Numbers of all recipes of a batch, at most: prefixes and fuzzy words stand for up to a thousand words each.
pub(super) const MOST_SIZE: usize = 1 << 24;

/// A query that devices can answer, and what it is expected to cost.
pub(in crate::engine) struct Candidate {
    pub(in crate::engine) query: Prepared,
    pub(in crate::engine) features: Features,
    pub(in crate::engine) cost: Cost,
}

/// A query as devices rank it; `None` if they cannot, because it has too many terms for example.
///
/// # Errors
/// As [`Index::search`].
pub(super) fn prepare(index: &Index, asked: Asked<'_>, options: &Options, end: End) -> Result<Option<Prepared>> {
    let fits = |query: &Prepared| query.terms.iter().filter(|term| term.clause.is_some()).count() <= MOST_TERMS;
    Ok(index.prepare_until(asked, options, end)?.filter(fits))
}

/// The same with what it is expected to cost by these models, if `wanted` hits are. Takes some microseconds.
///
/// # Errors
/// As [`Index::search`].
pub(in crate::engine) fn candidate(
    index: &Index,
    asked: Asked<'_>,
    options: &Options,
    end: End,
    wanted: usize,
    models: &Models,
) -> Result<Option<Candidate>> {
    let Some(query) = prepare(index, asked, options, end)? else { return Ok(None) };
    let features = Features::of(&query, wanted, index.snapshot().documents());
    let cost = models.cost(&features, options.matching);
    Ok(Some(Candidate { query, features, cost }))
}
