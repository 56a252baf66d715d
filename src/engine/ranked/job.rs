//! [`Job`]: calls of devices that rank some queries, from prepared queries to hits.

use super::fleet::Fleet;
use super::group::Group;
use super::lists::Lists;
use super::ranker::Ranker;
use crate::base::error::{Error, Result};
use crate::device::{self, Hits, RankBatch, RankSegment, RankTerm, Take};
use crate::engine::cost::Features;
use crate::engine::offload::try_on;
use crate::engine::settings::Settings;
use crate::index::snapshot::SnapshotSegment;
use crate::search::prepared::{Prepared, then_any};
use crate::search::{Found, Index, Matching, Options};
use once_cell::sync::OnceCell;
use std::sync::Arc;
use std::time::Instant;

/// What a call of a device finds, `None` for queries that it leaves to the CPU, and the nanoseconds that it took, unless
/// lists were sent, which is no measure of what follows.
pub(in crate::engine) type Called = (Vec<Option<Found>>, Option<f64>);

fn timed(call: impl FnOnce() -> Option<Vec<Option<Found>>>) -> Option<Called> {
    let (began, misses) = (Instant::now(), device::cache_stats().misses);
    let found = call()?;
    let time = (device::cache_stats().misses == misses).then(|| began.elapsed().as_nanos() as f64);
    Some((found, time))
}

/// What is to be ranked on devices.
pub(crate) struct Job<'j> {
    index: &'j Index,
    options: &'j Options,
    settings: &'j Settings,
    /// The hits that a query needs.
    wanted: usize,
    fleet: &'j Fleet,
    /// The devices together, if they divide the index.
    group: Option<Group<'j>>,
    /// Threads of each device's work on the host.
    threads: usize,
    /// The segments with the documents that may be hits, once a device wanted to know.
    segments: OnceCell<Arc<[RankSegment]>>,
}

impl<'j> Job<'j> {
    /// Queries of an index for these devices, with so many threads for the work of each on the host.
    pub(crate) fn new(
        index: &'j Index,
        options: &'j Options,
        settings: &'j Settings,
        wanted: usize,
        fleet: &'j Fleet,
        threads: usize,
    ) -> Job<'j> {
        let (group, segments) = (Group::of(fleet), OnceCell::new());
        Job { index, options, settings, wanted, fleet, group, threads, segments }
    }

    /// A call of a worker: a device, or all of them if they divide the index. If it fails, that is counted and logged.
    pub(in crate::engine) fn call(&self, worker: usize, queries: &[&Prepared]) -> Option<Called> {
        match &self.group {
            Some(group) => timed(|| self.rank_or_leave(group, queries).ok()),
            None => timed(|| try_on(&self.fleet.devices()[worker], |device| self.rank_or_leave(device, queries))),
        }
    }

    /// As [`rank`](Self::rank). Damaged files are not a device's failure. The CPU finds them, too.
    fn rank_or_leave(&self, ranker: &impl Ranker, queries: &[&Prepared]) -> Result<Vec<Option<Found>>> {
        match self.rank(ranker, queries) {
            Err(error) if !matches!(error, Error::Device(_)) => Ok(vec![None; queries.len()]),
            ranked => ranked,
        }
    }

    /// What a device does for these queries.
    pub(in crate::engine) fn work(&self, queries: impl Iterator<Item = Features>) -> [f64; Features::DEVICE] {
        let mut call = Features::call(self.index.snapshot().documents());
        for added in queries.map(|query| query.on_device(self.options.matching)) {
            call.iter_mut().zip(added).for_each(|(sum, of)| *sum += of);
        }
        call
    }

    /// Ranks queries; `None` for those that the device leaves to the CPU.
    pub(crate) fn rank(&self, device: &impl Ranker, queries: &[&Prepared]) -> Result<Vec<Option<Found>>> {
        let Job { index, options, wanted, .. } = *self;
        let found = |_, hits: Hits, total| index.found(hits, total, options);
        if options.matching == Matching::Any {
            return self.pass(device, queries, false, options.total, &found);
        }
        if options.matching == Matching::All {
            // What has only one clause has any if it has all; tile by tile, equal scores cost less.
            let is_one = |query: &Prepared| query.terms.iter().all(|term| term.clause.is_none_or(|clause| clause == 0));
            return self.in_two(device, queries, is_one, options.total, &found);
        }
        let (with_all, all): (Vec<usize>, Vec<&Prepared>) =
            queries.iter().copied().enumerate().filter(|(_, query)| !query.none_has_all).unzip();
        let collect = |_, hits: Hits, _| Ok(hits.collect::<Vec<_>>());
        let mut of_all: Vec<Option<Vec<(f64, u32)>>> = vec![Some(Vec::new()); queries.len()];
        for (at, hits) in with_all.into_iter().zip(self.pass(device, &all, true, false, &collect)?) {
            of_all[at] = hits;
        }
        // Documents with any word follow, and all of them count.
        let is_few = |hits: &Option<Vec<_>>| hits.as_ref().is_some_and(|hits| options.total || hits.len() < wanted);
        let (few, any): (Vec<usize>, Vec<&Prepared>) =
            queries.iter().copied().enumerate().filter(|&(at, _)| is_few(&of_all[at])).unzip();
        let follow = |at: usize, any: Hits, total| {
            let hits = of_all[few[at]].as_deref().unwrap_or_default();
            let mut found = index.found(then_any(hits, any, wanted).into_iter(), total, options)?;
            found.count_with_all(Some(hits.len()), options);
            Ok(found)
        };
        let mut followed = self.pass(device, &any, false, options.total, &follow)?.into_iter();
        let finish = |hits: &Option<Vec<(f64, u32)>>| match hits {
            hits if is_few(hits) => Ok(followed.next().flatten()),
            Some(hits) => {
                let mut found = index.found(hits.iter().copied(), 0, options)?;
                found.count_with_all(Some(hits.len()), options);
                Ok(Some(found))
            }
            None => Ok(None),
        };
        of_all.iter().map(finish).collect()
    }

    fn segments(&self) -> Result<Arc<[RankSegment]>> {
        let segment = |part: &SnapshotSegment| {
            let allowed = self.index.allowed(part, self.options)?.map(Arc::new);
            Ok(RankSegment { documents: part.segment.documents(), base: part.base as u32, allowed })
        };
        let segments = || self.index.snapshot().parts().iter().map(segment).collect();
        self.segments.get_or_try_init(segments).cloned()
    }

    /// What `take` makes of the hits of each query with any clause, if it `is_any`, or with all clauses.
    fn in_two<T: Send>(
        &self,
        device: &impl Ranker,
        queries: &[&Prepared],
        is_any: impl Fn(&Prepared) -> bool,
        counting: bool,
        take: &Take<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        let mut taken: Vec<Option<T>> = queries.iter().map(|_| None).collect();
        for any in [true, false] {
            let of_kind = queries.iter().copied().enumerate().filter(|(_, query)| is_any(query) == any);
            let (which, own): (Vec<usize>, Vec<&Prepared>) = of_kind.unzip();
            let of_query = |at: usize, hits: Hits, total| take(which[at], hits, total);
            for (&at, of_device) in which.iter().zip(self.pass(device, &own, !any, counting, &of_query)?) {
                taken[at] = of_device;
            }
        }
        Ok(taken)
    }

    /// What `take` makes of the hits of each query.
    fn pass<T: Send>(
        &self,
        device: &impl Ranker,
        queries: &[&Prepared],
        needs_all: bool,
        counting: bool,
        take: &Take<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        let parts = self.index.snapshot().parts();
        let mut batch = RankBatch {
            k: self.wanted,
            needs_all,
            counting,
            budget: self.settings.device_memory,
            threads: self.threads,
            segments: self.segments()?,
            ..RankBatch::default()
        };
        let (mut fields, mut terms) = (Vec::new(), Vec::new());
        for query in queries {
            batch.first_terms.push(terms.len());
            for term in &query.terms {
                let table = fields.iter().position(|&field| field == term.field).unwrap_or_else(|| {
                    fields.push(term.field);
                    fields.len() - 1
                });
                batch.terms.push(RankTerm {
                    weight: term.weight,
                    clause: term.clause.unwrap_or(u16::MAX),
                    excludes: term.clause.is_none(),
                    table: table as u16,
                });
                terms.push(term);
            }
        }
        batch.first_terms.push(terms.len());
        batch.tables = fields.len();
        let lists = Lists { index: self.index, options: self.options, parts, fields, terms };
        device.rank(&batch, &lists, take)
    }
}
