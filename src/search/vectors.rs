//! The nearest vectors.

use super::Index;
use super::filter;
use super::options::{End, Options};
use super::run;
use super::{Found, check};
use crate::base::bits::has_bit;
use crate::base::error::{Error, Result};
use crate::base::{cpu, threads};
use crate::index::segment::{Allowed, ClusterColumn, CodeColumn, Gathered, VectorColumn};
use crate::index::snapshot::SnapshotSegment;
use crate::rank::{Clock, Hit, TopK};
use crate::vector::Query;
use smallvec::SmallVec;
use std::borrow::Borrow;
use std::ops::Range;
use std::sync::Arc;

/// Rows of which the coarse codes are looked at together: for all queries of a group, while they are in the nearest cache.
const ROWS: usize = 256;

/// Queries of a group.
const GROUP: usize = 16;

/// Rows whose bounds are all known before the vectors of some are looked at.
const STRETCH: usize = if cfg!(test) { 1 << 5 } else { 1 << 20 };

/// Before there is a threshold, so many rows are looked at for each hit that is wanted: those with the greatest bounds.
const FIRST: usize = 4;

/// Rows whose fine codes are looked at before the vectors of some of them are.
const AT_A_TIME: usize = 64;

/// Rows ahead of which the processor fetches fine codes.
const AHEAD: usize = 16;

/// The same for vectors, each of which has many lines.
const VECTORS_AHEAD: usize = 2;

/// A thread takes a part of the rows of others if there are so many for it.
const PER_THREAD: usize = if cfg!(test) { 1 << 6 } else { 1 << 15 };

/// Rows that are looked at as a whole if at least one of so many counts.
const SPARSE: usize = 4;

/// The documents nearest to each of some queries.
pub(super) fn nearest<Q: Borrow<Query> + Sync>(
    index: &Index,
    field: usize,
    queries: &[Q],
    options: &Options,
    threads: usize,
    end: End,
) -> Result<Vec<Found>> {
    let wanted = check(index, field, queries, options)?;
    let groups: Vec<&[Q]> = queries.chunks(group(queries.len(), threads)).collect();
    // Threads without a group look at a part of another's rows.
    let of_group = threads::at_most(threads, usize::MAX) / groups.len().max(1);
    let threads = threads::at_most(threads, groups.len());
    let found = threads::map(threads, groups.len(), |at| {
        let queries: Vec<&Query> = groups[at].iter().map(Borrow::borrow).collect();
        group_found(index, field, &queries, options, wanted, of_group, end)
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// How many hits have to be found for these options, if they and the queries suit the field.
pub(super) fn check<Q: Borrow<Query>>(index: &Index, field: usize, queries: &[Q], options: &Options) -> Result<usize> {
    check::check(index, options)?;
    let of_field = index.schema().fields.get(field);
    let shape = of_field.and_then(|field| field.vector);
    if let Some(probes) = options.probes
        && (probes == 0 || of_field.is_none_or(|field| !field.clusters))
    {
        return Err(Error::Argument(format!("{probes} clusters of field {field} cannot be looked at")));
    }
    if queries.iter().any(|query| Some(query.borrow().shape()) != shape) {
        return Err(Error::Argument(format!("field {field} has no vectors such as those that are looked for")));
    }
    Ok(wanted(index, options))
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
    threads: usize,
    end: End,
) -> Result<Vec<Found>> {
    match hits_of_probes(index, field, queries, options, (wanted, options.probes), threads, &end.clock()) {
        Ok(hits) => hits.into_iter().map(|hits| run::found(index, &hits, None, options)).collect(),
        Err(Error::Expired) => Ok(queries.iter().map(|_| Found::late()).collect()),
        Err(error) => Err(error),
    }
}

/// The nearest `wanted` hits of each query, among all vectors, on up to `threads` threads. Their scores are similarities.
pub(super) fn hits(
    index: &Index,
    field: usize,
    queries: &[&Query],
    options: &Options,
    wanted: usize,
    threads: usize,
    clock: &Clock,
) -> Result<Vec<Vec<Hit>>> {
    hits_of_probes(index, field, queries, options, (wanted, None), threads, clock)
}

/// The same among the vectors of so many clusters.
fn hits_of_probes(
    index: &Index,
    field: usize,
    queries: &[&Query],
    options: &Options,
    (wanted, probes): (usize, Option<usize>),
    threads: usize,
    clock: &Clock,
) -> Result<Vec<Vec<Hit>>> {
    let mut all = 0;
    let mut rows = Vec::with_capacity(index.snapshot().parts().len());
    for (number, part) in index.snapshot().parts().iter().enumerate().filter(|_| wanted > 0) {
        let of_part = Rows::new(part, number, field, options, clock)?;
        let clusters = if probes.is_some() { part.segment.clusters(field)? } else { None };
        all += of_part.len();
        rows.push((of_part, probes.zip(clusters).filter(|(probes, clusters)| *probes < clusters.count())));
    }
    // The rows of a thread follow each other, beginning in one segment and ending in another. Of some clusters there are few.
    let threads = if probes.is_some() { 1 } else { threads.min(all / PER_THREAD).max(1) };
    let of_thread = |at: usize, clock: &Clock| {
        let mut searches: Vec<Search> = queries.iter().map(|query| Search::new(query, wanted)).collect();
        let own = all * at / threads..all * (at + 1) / threads;
        let mut before = 0;
        for (rows, probes) in &rows {
            let within = |place: usize| place.clamp(before, before + rows.len()) - before;
            match probes {
                Some((probes, clusters)) => rows.probe(clusters, *probes, &mut searches, clock)?,
                None => rows.search(within(own.start)..within(own.end), &mut searches, clock)?,
            }
            before += rows.len();
        }
        Ok(searches.into_iter().map(|search| search.top).collect::<Vec<TopK>>())
    };
    let mut found = match threads {
        1 => vec![of_thread(0, clock)?],
        _ => {
            let end = clock.end();
            threads::map(threads, threads, |at| of_thread(at, &Clock::new(end)))?
        }
    };
    let mut tops = found.pop().unwrap_or_default();
    for others in found {
        for (top, other) in tops.iter_mut().zip(others) {
            other.into_hits().into_iter().for_each(|hit| top.push(hit));
        }
    }
    Ok(tops.into_iter().map(TopK::into_hits).collect())
}

/// The similarity of a document's vector, if it has one.
pub(super) fn similarity(index: &Index, field: usize, query: &Query, doc_id: u64) -> Result<Option<f64>> {
    let Some((part, local)) = index.place(doc_id) else { return Ok(None) };
    let column = part.segment.vectors(field)?;
    let Some(row) = column.row_of(local) else { return Ok(None) };
    let closeness = query.closeness(cpu::tier(), column.vector(row)?);
    Ok(Some(query.shape().metric.similarity(closeness)))
}

/// A query that is being answered. Scores are similarities: what is equally similar is in the order of insertion.
struct Search<'q> {
    query: &'q Query,
    top: TopK,
    /// What the closenesses of the rows of a stretch do not exceed, by their coarse codes.
    bounds: Vec<f32>,
    /// The rows with the greatest of them, while there is no threshold.
    best: Best,
}

impl<'q> Search<'q> {
    fn new(query: &'q Query, wanted: usize) -> Search<'q> {
        Search { query, top: TopK::new(wanted), bounds: Vec::new(), best: Best::default() }
    }

    /// What is less close is not among the best; minus infinity until there are as many as are wanted.
    fn threshold(&self) -> f64 {
        self.query.shape().metric.closeness(self.top.threshold())
    }
}

/// Those of some rows with the greatest bounds, and some more.
struct Best {
    /// With places.
    rows: Vec<(f32, u32)>,
    /// None of the others has a greater bound.
    least: f32,
}

impl Default for Best {
    fn default() -> Self {
        Best { rows: Vec::new(), least: f32::NEG_INFINITY }
    }
}

impl Best {
    /// Takes further rows, from the place `first` on, of which the best `wanted` are to be kept.
    fn add(&mut self, bounds: &[f32], first: usize, wanted: usize) {
        let least = self.least;
        let rows = bounds.iter().copied().zip(first as u32..);
        self.rows.extend(rows.filter(|&(bound, _)| bound > least));
        if self.rows.len() >= wanted.saturating_mul(2) {
            self.cut(wanted);
        }
    }

    fn cut(&mut self, wanted: usize) {
        if let Some(last) = wanted.checked_sub(1).filter(|&last| last < self.rows.len()) {
            self.least = self.rows.select_nth_unstable_by(last, |a, b| b.0.total_cmp(&a.0)).1.0;
            self.rows.truncate(wanted);
        }
    }
}

/// Places of rows, with bounds of their closenesses.
type Near = SmallVec<[(f32, u32); AT_A_TIME]>;

/// Memory to work in.
#[derive(Default)]
struct Scratch {
    sums: Vec<i32>,
    gathered: Gathered,
    /// Rows of a stretch that may be near enough, by their places, with bounds of their closenesses.
    near: Vec<(f32, u32)>,
}

/// The vectors of a segment, and which of them count.
pub(super) struct Rows<'s> {
    pub(super) column: VectorColumn<'s>,
    codes: CodeColumn<'s>,
    pub(super) part: &'s SnapshotSegment,
    number: u32,
    pub(super) allowed: Option<Arc<Allowed>>,
    ordinals: Option<&'s [u32]>,
}

/// Rows of a segment.
#[derive(Clone, Copy)]
enum Stretch<'r> {
    /// From the first on, up to the other.
    All(usize, usize),
    /// These.
    Some(&'r [usize]),
}

impl Stretch<'_> {
    fn len(self) -> usize {
        match self {
            Stretch::All(from, to) => to - from,
            Stretch::Some(rows) => rows.len(),
        }
    }

    fn row(self, at: u32) -> usize {
        match self {
            Stretch::All(from, _) => from + at as usize,
            Stretch::Some(rows) => rows[at as usize],
        }
    }
}

impl<'s> Rows<'s> {
    pub(super) fn new(
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

    /// The documents that pass a filter, if they are few.
    fn few(&self) -> Option<&[u32]> {
        self.allowed.as_ref().and_then(|allowed| allowed.few.as_deref())
    }

    /// How many rows are looked at.
    fn len(&self) -> usize {
        self.few().map_or(self.column.rows(), <[u32]>::len)
    }

    /// Offers those of these rows that count to all queries.
    fn search(&self, which: Range<usize>, searches: &mut [Search], clock: &Clock) -> Result<()> {
        let mut scratch = Scratch::default();
        if let Some(few) = self.few() {
            let rows: Vec<usize> = few[which].iter().filter_map(|&doc| self.column.row_of(doc)).collect();
            return rows
                .chunks(STRETCH)
                .try_for_each(|rows| self.stretch(Stretch::Some(rows), searches, &mut scratch, clock));
        }
        for from in which.clone().step_by(STRETCH) {
            let to = which.end.min(from + STRETCH);
            let some: Vec<usize> = match self.allowed {
                None => Vec::new(),
                Some(_) => (from..to).filter(|&row| self.counts(row)).collect(),
            };
            let is_sparse = self.allowed.is_some() && SPARSE * some.len() < to - from;
            let stretch = if is_sparse { Stretch::Some(&some) } else { Stretch::All(from, to) };
            self.stretch(stretch, searches, &mut scratch, clock)?;
        }
        Ok(())
    }

    /// Offers to each query the rows that count of the clusters that are closest to it.
    fn probe(&self, clusters: &ClusterColumn, probes: usize, searches: &mut [Search], clock: &Clock) -> Result<()> {
        let mut scratch = Scratch::default();
        for search in searches {
            let mut rows = clusters.probed(search.query, probes)?;
            if self.allowed.is_some() {
                rows.retain(|&row| self.counts(row));
            }
            for rows in rows.chunks(STRETCH) {
                self.stretch(Stretch::Some(rows), std::slice::from_mut(search), &mut scratch, clock)?;
            }
        }
        Ok(())
    }

    /// Whether the document of a row counts.
    pub(super) fn counts(&self, row: usize) -> bool {
        self.column.doc(row).is_some_and(|doc| {
            self.allowed.as_ref().is_none_or(|allowed| has_bit(&allowed.bits, doc)) && self.part.is_live(doc)
        })
    }

    /// Offers the rows of a stretch that count.
    fn stretch(&self, stretch: Stretch, searches: &mut [Search], scratch: &mut Scratch, clock: &Clock) -> Result<()> {
        for search in &mut *searches {
            search.bounds.clear();
            search.bounds.resize(stretch.len(), 0.0);
        }
        for from in (0..stretch.len()).step_by(ROWS) {
            clock.check()?;
            let to = stretch.len().min(from + ROWS);
            let Scratch { sums, gathered, .. } = &mut *scratch;
            let run = match stretch {
                Stretch::All(first, _) => self.codes.coarse(first + from..first + to),
                Stretch::Some(rows) => self.codes.gather(&rows[from..to], gathered),
            };
            for search in &mut *searches {
                search.query.coarse(cpu::tier(), run, sums, &mut search.bounds[from..to]);
                if search.threshold() == f64::NEG_INFINITY {
                    search.best.add(&search.bounds[from..to], from, search.top.k().saturating_mul(FIRST));
                }
            }
        }
        for search in searches {
            clock.check()?;
            self.offer(stretch, search, &mut scratch.near)?;
        }
        Ok(())
    }

    /// Offers the rows of a stretch that by their bounds may be near enough, the most promising first.
    fn offer(&self, stretch: Stretch, search: &mut Search, near: &mut Vec<(f32, u32)>) -> Result<()> {
        let mut bounds = std::mem::take(&mut search.bounds);
        if search.threshold() == f64::NEG_INFINITY {
            // Some are looked at first, so that there is a threshold for the others.
            let mut best = std::mem::take(&mut search.best);
            best.cut(search.top.k().saturating_mul(FIRST));
            best.rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.rescore(stretch, search, &best.rows)?;
            // No threshold is reached by what is not a number.
            best.rows.iter().for_each(|&(_, at)| bounds[at as usize] = f32::NAN);
        }
        let threshold = search.threshold();
        near.clear();
        near.extend(bounds.iter().copied().zip(0..).filter(|&(bound, _)| f64::from(bound) >= threshold));
        self.rescore(stretch, search, near)?;
        search.bounds = bounds;
        Ok(())
    }

    /// Offers those of some rows that by their fine codes may be near enough.
    fn rescore(&self, stretch: Stretch, search: &mut Search, near: &[(f32, u32)]) -> Result<()> {
        let tier = cpu::tier();
        let mut some = Near::new();
        near.iter().take(AHEAD).for_each(|&(_, at)| self.codes.prefetch_fine(stretch.row(at)));
        for from in (0..near.len()).step_by(AT_A_TIME) {
            let threshold = search.threshold();
            let may_be_near = |&(bound, _): &(f32, u32)| f64::from(bound) >= threshold;
            some.clear();
            for place in from..near.len().min(from + AT_A_TIME) {
                if let Some(&(_, ahead)) = near.get(place + AHEAD).filter(|of| may_be_near(of)) {
                    self.codes.prefetch_fine(stretch.row(ahead));
                }
                if !may_be_near(&near[place]) {
                    continue;
                }
                let at = near[place].1;
                let row = stretch.row(at);
                let (codes, factor, norm) = self.codes.fine(row);
                let bound = search.query.fine(tier, codes, factor, norm);
                if f64::from(bound) >= threshold {
                    some.push((bound, at));
                }
            }
            self.compare(stretch, search, &mut some)?;
        }
        Ok(())
    }

    /// Offers those of some rows that by the bounds of their fine codes may be near enough.
    fn compare(&self, stretch: Stretch, search: &mut Search, near: &mut Near) -> Result<()> {
        near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        near.iter().take(VECTORS_AHEAD).for_each(|&(_, at)| self.column.prefetch(stretch.row(at)));
        for (place, &(bound, at)) in near.iter().enumerate() {
            let (row, threshold) = (stretch.row(at), search.threshold());
            if f64::from(bound) < threshold {
                break;
            }
            if let Some(&(_, ahead)) = near.get(place + VECTORS_AHEAD).filter(|of| f64::from(of.0) >= threshold) {
                self.column.prefetch(stretch.row(ahead));
            }
            if !self.counts(row) {
                continue;
            }
            let closeness = search.query.closeness(cpu::tier(), self.column.vector(row)?);
            let score = search.query.shape().metric.similarity(closeness);
            if let Some(hit) = self.hit(row, score).filter(|_| closeness >= threshold) {
                search.top.push(hit);
            }
        }
        Ok(())
    }

    /// The document of a row, as a hit of that similarity.
    pub(super) fn hit(&self, row: usize, score: f64) -> Option<Hit> {
        let doc_id = self.column.doc(row)?;
        let ordinal = self.ordinals.and_then(|ordinals| ordinals.get(doc_id as usize)).copied().unwrap_or(doc_id);
        let ordinal = self.part.base + u64::from(ordinal);
        Some(Hit { score, ordinal, segment: self.number, doc_id })
    }
}
