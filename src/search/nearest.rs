//! Hits by distance without looking at documents far away.

use super::Index;
use super::condition::Condition;
use super::options::Options;
use super::order::{Direction, SortKey};
use super::plan::QueryPlan;
use super::sorted::sorted;
use crate::base::earth::area::{Area, Circle};
use crate::base::error::Result;
use crate::rank::{Clock, Hit};

/// Indexes with fewer documents are looked at as a whole.
const FEWEST: u64 = 4096;

/// The radius of the first circle, in metres, and by which factor it grows.
const FIRST: f64 = 400.0;
const GROWTH: f64 = 4.0;

/// A circle is looked at if it may have so many documents for each hit that is wanted, and some more. One with more than a
/// part of all documents is not.
const PER_HIT: usize = 8;
const MORE: usize = 64;
const PART: u64 = 8;

/// A filter is repeated for each circle, so it must not have more values.
const MOST_VALUES: usize = 1000;

/// The first `wanted` hits, if they are ordered by distance first and found within circles around the point that have few
/// documents; `None` if they have to be looked for among all.
///
/// What is in a circle comes before what is not, so hits of the circle are the first ones as soon as they are enough. Queries
/// with words are not answered in this way: few documents near by may have the words.
pub(super) fn nearest(
    index: &Index,
    plan: &QueryPlan,
    options: &Options,
    needs_all: bool,
    wanted: usize,
    clock: &Clock,
) -> Result<Option<Vec<Hit>>> {
    let Some(&(SortKey::Distance(field, from), Direction::Ascending)) = options.sort.first() else { return Ok(None) };
    let values = options.filter.condition().map_or(0, Condition::values);
    if !plan.clauses.is_empty() || index.documents() < FEWEST || values > MOST_VALUES {
        return Ok(None);
    }
    let mut metres = FIRST;
    while let Some(circle) = Circle::new(from, metres) {
        let area = Area::Circle(circle);
        let mut expected = 0;
        for part in index.snapshot().parts() {
            expected += part.segment.points(field)?.expected(&area)?;
        }
        if expected as u64 > index.documents() / PART {
            break;
        }
        if expected >= wanted.saturating_mul(PER_HIT).saturating_add(MORE) {
            let filter = options.filter.and(Condition::Within(field, area));
            let hits = sorted(index, plan, &Options { filter, ..options.clone() }, needs_all, wanted, clock)?;
            if hits.len() >= wanted {
                return Ok(Some(hits));
            }
        }
        metres *= GROWTH;
    }
    Ok(None)
}
