//! The nearest vectors.

use super::Index;
use super::filter;
use super::options::{End, Options};
use super::run;
use super::{Found, check};
use crate::base::bits::has_bit;
use crate::base::error::{Error, Result};
use crate::base::{cpu, threads};
use crate::index::segment::{Allowed, CodeColumn, VectorColumn};
use crate::index::snapshot::SnapshotSegment;
use crate::rank::{Clock, Hit, TopK};
use crate::vector::{Query, Run};
use std::ops::Range;
use std::sync::Arc;

/// Rows of which the coarse codes are looked at together: for all queries of a group, while they are in the nearest cache.
const ROWS: usize = 256;

/// Queries of a group.
const GROUP: usize = 16;

/// Rows that are looked at as a whole if at least one of so many counts.
const SPARSE: usize = 4;

/// The documents nearest to each of some queries.
pub(super) fn nearest(
    index: &Index,
    field: usize,
    queries: &[Query],
    options: &Options,
    threads: usize,
) -> Result<Vec<Found>> {
    check::check(index, options)?;
    let shape = index.schema().fields.get(field).and_then(|field| field.vector);
    if queries.iter().any(|query| Some(query.shape()) != shape) {
        return Err(Error::Argument(format!("field {field} has no vectors such as those that are looked for")));
    }
    let (end, wanted) = (options.end(), wanted(index, options));
    let groups: Vec<&[Query]> = queries.chunks(group(queries.len(), threads)).collect();
    let threads = threads::at_most(threads, groups.len());
    let found = threads::map(threads, groups.len(), |at| {
        let queries: Vec<&Query> = groups[at].iter().collect();
        group_found(index, field, &queries, options, wanted, end)
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// How many queries go together: many, but no thread is to be without.
fn group(queries: usize, threads: usize) -> usize {
    queries.div_ceil(threads::at_most(threads, queries)).clamp(1, GROUP)
}

fn wanted(index: &Index, options: &Options) -> usize {
    let live = usize::try_from(index.documents()).unwrap_or(usize::MAX);
    options.offset.saturating_add(options.limit).min(live)
}

fn group_found(
    index: &Index,
    field: usize,
    queries: &[&Query],
    options: &Options,
    wanted: usize,
    end: End,
) -> Result<Vec<Found>> {
    match hits(index, field, queries, options, wanted, &end.clock()) {
        Ok(hits) => hits.into_iter().map(|hits| run::found(index, hits, None, options)).collect(),
        Err(Error::Expired) => Ok(queries.iter().map(|_| Found::late()).collect()),
        Err(error) => Err(error),
    }
}

/// The nearest `wanted` hits of each query. Their scores are similarities.
pub(super) fn hits(
    index: &Index,
    field: usize,
    queries: &[&Query],
    options: &Options,
    wanted: usize,
    clock: &Clock,
) -> Result<Vec<Vec<Hit>>> {
    let mut searches: Vec<Search> = queries.iter().map(|query| Search::new(query, wanted)).collect();
    for (number, part) in index.snapshot().parts().iter().enumerate().filter(|_| wanted > 0) {
        Rows::new(part, number, field, options, clock)?.search(&mut searches, clock)?;
    }
    let hits = |search: Search| {
        let metric = search.query.shape().metric;
        let similar = |hit: Hit| Hit { score: metric.similarity(hit.score), ..hit };
        search.top.into_hits().into_iter().map(similar).collect()
    };
    Ok(searches.into_iter().map(hits).collect())
}

/// The similarity of a document's vector, if it has one.
pub(super) fn similarity(index: &Index, field: usize, query: &Query, doc_id: u64) -> Result<Option<f64>> {
    let Some((part, local)) = index.place(doc_id) else { return Ok(None) };
    let column = part.segment.vectors(field)?;
    let Some(row) = column.row_of(local) else { return Ok(None) };
    let closeness = query.closeness(cpu::tier(), column.vector(row)?);
    Ok(Some(query.shape().metric.similarity(closeness)))
}

/// A query that is being answered. Scores are closenesses.
struct Search<'q> {
    query: &'q Query,
    top: TopK,
}

impl<'q> Search<'q> {
    fn new(query: &'q Query, wanted: usize) -> Search<'q> {
        Search { query, top: TopK::new(wanted) }
    }
}

/// Memory to work in.
#[derive(Default)]
struct Scratch {
    sums: Vec<i32>,
    /// The places of rows that by their coarse codes may be near enough.
    found: Vec<u32>,
    codes: Vec<u8>,
    factors: Vec<u8>,
    norms: Vec<u8>,
}

/// The vectors of a segment, and which of them count.
struct Rows<'s> {
    column: VectorColumn<'s>,
    codes: CodeColumn<'s>,
    part: &'s SnapshotSegment,
    number: u32,
    allowed: Option<Arc<Allowed>>,
    ordinals: Option<&'s [u32]>,
}

impl<'s> Rows<'s> {
    fn new(
        part: &'s SnapshotSegment,
        number: usize,
        field: usize,
        options: &Options,
        clock: &Clock,
    ) -> Result<Rows<'s>> {
        let column = part.segment.vectors(field)?;
        Ok(Rows {
            column,
            codes: column.codes()?,
            part,
            number: number as u32,
            allowed: filter::allowed(part, options, clock)?,
            ordinals: part.segment.kept_ordinals()?,
        })
    }

    /// Offers all rows that count to all queries.
    fn search(&self, searches: &mut [Search], clock: &Clock) -> Result<()> {
        let mut scratch = Scratch::default();
        if let Some(few) = self.allowed.as_ref().and_then(|allowed| allowed.few.as_deref()) {
            let rows: Vec<usize> = few.iter().filter_map(|&doc| self.column.row_of(doc)).collect();
            return rows.chunks(ROWS).try_for_each(|rows| {
                clock.check()?;
                self.offer_each(rows, searches, &mut scratch)
            });
        }
        for from in (0..self.column.rows()).step_by(ROWS) {
            clock.check()?;
            let range = from..self.column.rows().min(from + ROWS);
            if self.allowed.is_none() {
                self.offer_all(range, searches, &mut scratch)?;
                continue;
            }
            let rows: Vec<usize> = range.clone().filter(|&row| self.counts(row)).collect();
            match SPARSE * rows.len() > range.len() {
                true => self.offer_all(range, searches, &mut scratch)?,
                false => self.offer_each(&rows, searches, &mut scratch)?,
            }
        }
        Ok(())
    }

    /// Whether the document of a row counts.
    fn counts(&self, row: usize) -> bool {
        self.column.doc(row).is_some_and(|doc| {
            self.allowed.as_ref().is_none_or(|allowed| has_bit(&allowed.bits, doc)) && self.part.is_live(doc)
        })
    }

    fn offer_all(&self, range: Range<usize>, searches: &mut [Search], scratch: &mut Scratch) -> Result<()> {
        let run = self.codes.coarse(range.clone());
        searches.iter_mut().try_for_each(|search| {
            let Scratch { sums, found, .. } = scratch;
            search.query.coarse(cpu::tier(), run, search.top.threshold(), sums, found);
            found.iter().try_for_each(|&at| self.offer(search, range.start + at as usize))
        })
    }

    /// Offers some rows, the codes of which are put together.
    fn offer_each(&self, rows: &[usize], searches: &mut [Search], scratch: &mut Scratch) -> Result<()> {
        let Scratch { sums, found, codes, factors, norms } = scratch;
        [&mut *codes, &mut *factors, &mut *norms].into_iter().for_each(Vec::clear);
        for &row in rows {
            let run = self.codes.coarse(row..row + 1);
            codes.extend_from_slice(run.codes);
            factors.extend_from_slice(run.factors);
            norms.extend_from_slice(run.norms);
        }
        let run = Run { codes, factors, norms };
        searches.iter_mut().try_for_each(|search| {
            search.query.coarse(cpu::tier(), run, search.top.threshold(), sums, found);
            found.iter().try_for_each(|&at| self.offer(search, rows[at as usize]))
        })
    }

    /// Offers a row that by its coarse code may be near enough.
    fn offer(&self, search: &mut Search, row: usize) -> Result<()> {
        let (tier, threshold) = (cpu::tier(), search.top.threshold());
        let (codes, factor, norm) = self.codes.fine(row);
        if !search.query.fine(tier, codes, factor, norm, threshold) || !self.counts(row) {
            return Ok(());
        }
        let closeness = search.query.closeness(tier, self.column.vector(row)?);
        let Some(doc_id) = self.column.doc(row).filter(|_| closeness >= threshold) else { return Ok(()) };
        let ordinal = self.ordinals.and_then(|ordinals| ordinals.get(doc_id as usize)).copied().unwrap_or(doc_id);
        let ordinal = self.part.base + u64::from(ordinal);
        search.top.push(Hit { score: closeness, ordinal, segment: self.number, doc_id });
        Ok(())
    }
}
