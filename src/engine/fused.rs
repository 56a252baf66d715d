//! Queries with vectors and without. Of those with some, what words find and the nearest vectors are looked for apart, each of
//! all queries together, on devices or the CPU; then each query's lists become one.

use super::nearest::nearest;
use super::offload::on_cpu;
use super::ranked::{self, Put};
use super::settings::Settings;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::search::{Asked, End, Found, Fusion, Index, Options};
use crate::vector::Query;
use std::collections::BTreeMap;

/// Starting a thread costs about as much as reading so many queries.
const PER_THREAD: usize = 16;

/// The best hits of a query; see [`Index::search`].
///
/// # Errors
/// As there.
pub fn search<'q>(index: &Index, asked: impl Into<Asked<'q>>, options: &Options, settings: &Settings) -> Result<Found> {
    Ok(search_batch(index, &[asked.into()], options, settings)?.pop().unwrap_or_default())
}

/// The best hits of each of many queries; see [`Index::search_batch`]. Devices [rank](ranked::search_batch) them, and compare
/// [vectors](nearest) if these are fused by ranks. By scores, how long the lists of a query have to be depends on what is in them,
/// so the CPU answers one query after the other.
///
/// # Errors
/// As there.
pub fn search_batch<'q, Q: Copy + Into<Asked<'q>>>(
    index: &Index,
    queries: &[Q],
    options: &Options,
    settings: &Settings,
) -> Result<Vec<Found>> {
    let queries: Vec<Asked> = queries.iter().map(|&query| query.into()).collect();
    collected(queries.len(), |put| search_each(index, &queries, options, settings, put))
}

/// What is passed on of so many queries.
fn collected(count: usize, search: impl FnOnce(&mut Put<'_>) -> Result<()>) -> Result<Vec<Found>> {
    let mut all = Vec::new();
    search(&mut |found| {
        match all.is_empty() {
            true => {
                all = found;
                all.reserve_exact(count - all.len());
            }
            false => all.extend(found),
        }
        true
    })?;
    Ok(all)
}

/// The hits of queries without vectors.
fn without_vectors(index: &Index, queries: &[Asked], options: &Options, settings: &Settings) -> Result<Vec<Found>> {
    collected(queries.len(), |put| ranked::search_batch(index, queries, options, settings, put))
}

/// As [`search_batch`]: passes hits on as soon as those of the first queries are known.
///
/// # Errors
/// As there. What was passed on before is what was found.
pub fn search_each(
    index: &Index,
    queries: &[Asked],
    options: &Options,
    settings: &Settings,
    put: &mut Put<'_>,
) -> Result<()> {
    if queries.iter().all(|asked| asked.nearest.is_empty()) {
        return ranked::search_batch(index, queries, options, settings, put);
    }
    let (with, without): (Vec<usize>, Vec<usize>) = (0..queries.len()).partition(|&at| !queries[at].nearest.is_empty());
    let end = options.end();
    let mut found = vec![Found::default(); queries.len()];
    let some = |which: &[usize]| which.iter().map(|&at| queries[at]).collect::<Vec<Asked>>();
    let of_with = match options.fusion {
        Fusion::Ranks => by_ranks(index, &some(&with), options, settings, end)?,
        Fusion::Scores { .. } => on_cpu(|| index.search_batch(&some(&with), options, settings.threads))?,
    };
    let of_without = without_vectors(index, &some(&without), &until(end, options), settings)?;
    with.into_iter().zip(of_with).chain(without.into_iter().zip(of_without)).for_each(|(at, of)| found[at] = of);
    put(found);
    Ok(())
}

fn by_ranks(index: &Index, queries: &[Asked], options: &Options, settings: &Settings, end: End) -> Result<Vec<Found>> {
    let [of_text, of_vectors] = index.options_of_lists(queries, options)?;
    let text = text(index, queries, &of_text, settings, end)?;
    let nearest = vectors(index, queries, &of_vectors, settings, end)?;
    text.into_iter().zip(nearest).map(|(text, nearest)| index.fuse_by_ranks(options, text, nearest)).collect()
}

/// With the time that is left.
fn until(end: End, options: &Options) -> Options {
    Options { deadline: end.left(), ..options.clone() }
}

/// What text and weights of each query find.
fn text(index: &Index, queries: &[Asked], options: &Options, settings: &Settings, end: End) -> Result<Vec<Found>> {
    let mut found = vec![Found::late(); queries.len()];
    let threads = threads::at_most(settings.threads, queries.len() / PER_THREAD);
    let has_clauses = threads::map(threads, queries.len(), |at| match index.has_clauses(queries[at], options, end) {
        Ok(has_some) => Ok(Some(has_some)),
        Err(Error::Expired) => Ok(None),
        Err(error) => Err(error),
    })?;
    let which = |has_some: bool| (0..queries.len()).filter(|&at| has_clauses[at] == Some(has_some)).collect::<Vec<_>>();
    let (some, none) = (which(true), which(false));
    let without_hits = Options { limit: 0, ..options.clone() };
    for (which, options) in [(some, options), (none, &without_hits)] {
        let asked: Vec<Asked> = which.iter().map(|&at| queries[at].without_vectors()).collect();
        let of_them = without_vectors(index, &asked, &until(end, options), settings)?;
        which.into_iter().zip(of_them).for_each(|(at, of)| found[at] = of);
    }
    Ok(found)
}

/// Vectors that are looked for in a field, each with the number of its query, and its number there.
type InField<'q> = Vec<((usize, usize), &'q Query)>;

/// The nearest documents of each vector of each query.
fn vectors(
    index: &Index,
    queries: &[Asked],
    options: &Options,
    settings: &Settings,
    end: End,
) -> Result<Vec<Vec<Found>>> {
    let mut found: Vec<Vec<Found>> = queries.iter().map(|asked| vec![Found::late(); asked.nearest.len()]).collect();
    let mut by_field: BTreeMap<usize, InField> = BTreeMap::new();
    for (at, asked) in queries.iter().enumerate() {
        for (list, (field, query)) in asked.nearest.iter().enumerate() {
            by_field.entry(*field).or_default().push(((at, list), query));
        }
    }
    for (field, queries) in by_field {
        let of_field: Vec<&Query> = queries.iter().map(|&(_, query)| query).collect();
        let of_field = nearest(index, field, &of_field, &until(end, options), settings)?;
        queries.into_iter().zip(of_field).for_each(|(((at, list), _), of)| found[at][list] = of);
    }
    Ok(found)
}
