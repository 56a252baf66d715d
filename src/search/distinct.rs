//! The first hit of each value of a field.

use super::Index;
use super::options::Options;
use crate::base::error::Result;
use crate::index::Kind;
use crate::rank::{Clock, Hit};
use std::collections::HashSet;

/// More hits are asked for by this factor until enough of them differ.
const MORE: usize = 8;

/// The first `wanted` hits with different values. `first` gives the first so many hits, of at most `all`.
///
/// Hits are in one order however many are asked for, so the first of a value is found as soon as it is among those that are
/// looked at. If few values have most of the hits, all hits are found and held: 32 bytes for each.
pub(super) fn distinct(
    index: &Index,
    field: usize,
    wanted: usize,
    all: usize,
    clock: &Clock,
    first: impl Fn(usize) -> Result<Vec<Hit>>,
) -> Result<Vec<Hit>> {
    let mut count = wanted.saturating_mul(2).saturating_add(16).min(all);
    loop {
        let hits = first(count)?;
        let is_all = hits.len() < count || count == all;
        let hits = differing(index, field, wanted, hits, clock)?;
        if hits.len() >= wanted || is_all {
            return Ok(hits);
        }
        count = count.saturating_mul(MORE).min(all);
    }
}

/// Those hits that are the first of their value, or have none.
fn differing(index: &Index, field: usize, wanted: usize, mut hits: Vec<Hit>, clock: &Clock) -> Result<Vec<Hit>> {
    let parts = index.snapshot().parts();
    let is_keyword = index.schema().fields[field].kind == Kind::Keyword;
    // Values by their numbers in the segment, and by their bytes if there are several segments.
    let mut numbers: HashSet<(u32, u64)> = HashSet::new();
    let mut values: HashSet<Vec<u8>> = HashSet::new();
    let mut kept = 0;
    for at in 0..hits.len() {
        clock.check()?;
        let hit = hits[at];
        let segment = &parts[hit.segment as usize].segment;
        let is_first = if is_keyword {
            let column = segment.keyword_column(field)?;
            match column.of(hit.doc_id).first() {
                None => true,
                Some(&number) => {
                    let value = || column.value(segment.dictionary(field)?, number);
                    numbers.insert((hit.segment, number.into())) && (parts.len() == 1 || values.insert(value()?))
                }
            }
        } else {
            let number = segment.column(field)?.get(hit.doc_id);
            number.is_none_or(|number| numbers.insert((0, (number + 0.0).to_bits())))
        };
        if is_first {
            hits[kept] = hit;
            kept += 1;
            if kept == wanted {
                break;
            }
        }
    }
    hits.truncate(kept);
    Ok(hits)
}

/// Whether the number of hits, if there are fewer than wanted, is that of all documents that match.
pub(super) fn are_all(options: &Options) -> bool {
    options.distinct.is_none() && options.after.is_none()
}
