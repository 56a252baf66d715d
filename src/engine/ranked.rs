//! Ranked search on the device or the CPU.

use super::cost::{self, Batch, Features, Models, Ran};
use super::offload::{Offload, Settings, for_queries, on_cpu, try_on, twins};
use super::schedule::{Cost, Costs, Share, device_is_enough};
use super::shared::Shared;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::{self, Device, Hits, MOST_HITS, MOST_TERMS, RankBatch, RankSegment, RankTerm, Take};
use crate::index::snapshot::SnapshotSegment;
use crate::search::prepared::{Prepared, then_any};
use crate::search::{Found, Index, Matching, Options, QUERIES_PER_THREAD};
use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Queries that are worth dividing among several devices.
const MANY: usize = 512;

/// The best hits of a query; see [`Index::search`].
///
/// # Errors
/// As there.
pub fn search(index: &Index, query: &str, options: &Options, settings: &Settings) -> Result<Found> {
    Ok(search_batch(index, &[query], options, settings)?.pop().unwrap_or_default())
}

/// The best hits of each of many queries; see [`Index::search_batch`]. A device ranks them, unless they have very many words;
/// with `offload=auto` the CPU meanwhile answers those that suit it. Results are the same, to the last bit of the scores,
/// wherever they come from.
///
/// # Errors
/// As there.
pub fn search_batch(index: &Index, queries: &[&str], options: &Options, settings: &Settings) -> Result<Vec<Found>> {
    let divides_lists = |device: &Device| segments::by_segments(index, settings, device);
    let (threads, expected) = (settings.threads, None.into());
    let batch = Batch { index, queries, options, threads, divides_lists: &divides_lists, expected };
    let Some(device) = for_queries(settings, &batch) else {
        let began = Instant::now();
        let found = on_cpu(|| index.search_batch(queries, options, settings.threads));
        batch.ran_on_cpu(began.elapsed());
        return found;
    };
    index.check_files()?;
    let wanted = index.wanted(options)?;
    if wanted == 0 || wanted > MOST_HITS || index.snapshot().documents() > u32::MAX.into() {
        return on_cpu(|| index.search_batch(queries, options, settings.threads));
    }
    let is_alone = queries.len() < MANY && !divides_lists(&device);
    let devices = if is_alone { vec![device] } else { twins(settings) };
    by_both(index, queries, options, settings, &devices, wanted)
}

/// Has devices answer queries, and the CPU others.
fn by_both(
    index: &Index,
    queries: &[&str],
    options: &Options,
    settings: &Settings,
    devices: &[Arc<Device>],
    wanted: usize,
) -> Result<Vec<Found>> {
    let Some(first) = devices.first() else { return index.search_batch(queries, options, settings.threads) };
    let threads = threads::at_most(settings.threads, queries.len() / QUERIES_PER_THREAD);
    let (began, end) = (Instant::now(), options.end());
    let models = cost::models(first);
    let size = AtomicUsize::new(0);
    let prepare = |at: usize| {
        let prepared = prepare(index, queries[at], options, wanted, &models)?;
        let fits = |query: &Prepared| size.fetch_add(query.size(), Relaxed) < MOST_SIZE;
        let prepared = prepared.filter(|(query, ..)| fits(query));
        Ok(prepared.map_or((None, None), |(query, features, cost)| (Some(query), Some((features, cost)))))
    };
    let (prepared, known): (Vec<Option<Prepared>>, Vec<Known>) =
        threads::map(threads, queries.len(), prepare)?.into_iter().unzip();
    if known.iter().all(Option::is_none) {
        return on_cpu(|| index.search_batch(queries, options, settings.threads));
    }
    let of_a_device = if devices.len() == 1 { settings.threads } else { threads.div_ceil(devices.len()) };
    // Together, devices that divide the index are like one.
    let group = Group::of(index, settings, devices);
    let workers = if group.is_some() { 1 } else { devices.len() };
    let job = Job { index, options, wanted, settings, threads: of_a_device, segments: OnceCell::new() };
    let share = job.share(&models, &known, threads, devices.len());
    log::debug!("{} queries prepared in {:?}", queries.len(), began.elapsed());
    let began = Instant::now();
    let calls = Mutex::new(Vec::new());
    let rank = |device: usize, which: &[usize]| {
        if end.has_come() {
            return Some(vec![None; which.len()]);
        }
        let queries: Vec<&Prepared> = which.iter().filter_map(|&at| prepared[at].as_ref()).collect();
        let (found, time) = match &group {
            Some(group) => job.call_group(group, &queries),
            None => job.call(&devices[device], &queries),
        }?;
        if let Some(time) = time {
            let features = which.iter().filter_map(|&at| Some(known[at]?.0));
            // One device alone would have taken so many times as long.
            let alone = time * (devices.len() / workers) as f64;
            calls.lock().unwrap_or_else(PoisonError::into_inner).push((job.work(features), alone));
        }
        Some(found)
    };
    let shared = Shared::new(workers);
    // A thread has each device work until it has its share; the others, and then these too, have queries for the CPU.
    let items = threads.min(share.size()).max(workers);
    let parts = threads::spread(items, items, 1, |takings| {
        let (mut done, mut times) = (Vec::new(), Vec::new());
        for at in takings.flatten() {
            while at < workers && shared.work(at, rank, &mut done) {
                let more = share.for_device();
                if more.is_empty() {
                    break;
                }
                shared.add(more);
            }
            while let Some(at) = share.for_cpu() {
                if end.has_come() {
                    break;
                }
                let began = Instant::now();
                done.push((at, index.search(queries[at], options)?));
                let plain = known[at].filter(|(features, _)| times.len() < LEARNED && features.joining() == 0.0);
                if let Some((features, _)) = plain {
                    times.push((features, began.elapsed().as_nanos() as f64));
                }
            }
        }
        Ok((done, times))
    });
    let mut found: Vec<Option<Found>> = vec![None; queries.len()];
    let mut ran = Ran::default();
    for part in parts {
        let (part, times): (Vec<(usize, Found)>, Vec<_>) = part?;
        part.into_iter().for_each(|(at, of_query)| found[at] = Some(of_query));
        ran.cpu.extend(times);
    }
    // A device that failed may have left work when the others had ended.
    let mut done = Vec::new();
    for device in 0..workers {
        shared.work(device, rank, &mut done);
    }
    done.into_iter().for_each(|(at, of_query)| found[at] = Some(of_query));
    ran.device = calls.into_inner().unwrap_or_else(PoisonError::into_inner);
    log::debug!("ranked in {:?}, {} calls of devices", began.elapsed(), ran.device.len());
    cost::learn(first, options.matching, &ran);
    // What devices have left to the CPU.
    let left: Vec<usize> = (0..queries.len()).filter(|&at| found[at].is_none()).collect();
    if !shared.is_done() {
        on_cpu(|| log::debug!("{} queries are left to the CPU", left.len()));
    }
    let threads = threads::at_most(settings.threads, left.len());
    let of_cpu = threads::map(threads, left.len(), |at| match end.has_come() {
        false => index.search(queries[left[at]], options),
        true => Ok(Found::late()),
    })?;
    left.into_iter().zip(of_cpu).for_each(|(at, of_cpu)| found[at] = Some(of_cpu));
    Ok(found.into_iter().flatten().collect())
}

/// Queries of a batch that a thread times, to learn from.
const LEARNED: usize = 64;

/// Numbers of all recipes of a batch, at most: prefixes and fuzzy words stand for up to a thousand words each.
const MOST_SIZE: usize = 1 << 24;

/// What is known of a query that devices can answer, and what it is expected to cost.
type Known = Option<(Features, Cost)>;

/// A query that devices can answer, and what it is expected to cost; `None` if they cannot. Takes some microseconds.
///
/// # Errors
/// As [`Index::search`].
pub(super) fn prepare(
    index: &Index,
    query: &str,
    options: &Options,
    wanted: usize,
    models: &Models,
) -> Result<Option<(Prepared, Features, Cost)>> {
    let Some(query) = index.prepare(query, options)?.filter(fits) else { return Ok(None) };
    let features = cost::features(&query, wanted, index.snapshot().documents());
    let cost = models.cost(&features, options.matching);
    Ok(Some((query, features, cost)))
}

/// Whether a device takes a query with so many terms.
fn fits(query: &Prepared) -> bool {
    query.terms.iter().filter(|term| term.clause.is_some()).count() <= MOST_TERMS
}

/// What a call of a device finds, `None` for queries that it leaves to the CPU, and the nanoseconds that it took, unless
/// lists were sent, which is no measure of what follows.
pub(super) type Called = (Vec<Option<Found>>, Option<f64>);

fn timed(call: impl FnOnce() -> Option<Vec<Option<Found>>>) -> Option<Called> {
    let (began, misses) = (Instant::now(), device::cache_stats().misses);
    let found = call()?;
    let time = (device::cache_stats().misses == misses).then(|| began.elapsed().as_nanos() as f64);
    Some((found, time))
}

/// What is to be ranked on devices.
pub(crate) struct Job<'j> {
    pub(crate) index: &'j Index,
    pub(crate) options: &'j Options,
    pub(crate) wanted: usize,
    pub(crate) settings: &'j Settings,
    /// Threads of each device's work on the host.
    pub(crate) threads: usize,
    /// The segments with the documents that may be hits, once a device wanted to know.
    pub(crate) segments: OnceCell<Arc<[RankSegment]>>,
}

impl Job<'_> {
    /// Who answers what. Devices have all they can, unless they are to be used only where they are faster.
    fn share(&self, models: &Models, known: &[Known], threads: usize, devices: usize) -> Share {
        let (here, elsewhere): (Vec<usize>, Vec<usize>) = (0..known.len()).partition(|&at| known[at].is_some());
        if self.settings.offload != Offload::Auto {
            return Share::fixed(&elsewhere, &here);
        }
        let (count, mut sum) = (known.iter().flatten().count(), 0.0);
        known.iter().flatten().for_each(|(_, cost)| sum += cost.cpu);
        // What a device cannot answer is taken for as long as the others.
        let alone = Cost { cpu: sum / count.max(1) as f64, device: f64::INFINITY };
        let cost = |of: &Known| of.map_or(alone, |(_, cost)| Cost { device: cost.device / devices as f64, ..cost });
        let call = models.call(self.index.snapshot().documents(), 0.0);
        let costs = Costs { queries: known.iter().map(cost).collect(), call };
        match device_is_enough(&costs, threads) {
            true => Share::fixed(&elsewhere, &here),
            false => Share::new(costs, threads),
        }
    }

    /// A call of a device. If it fails, that is counted and logged.
    pub(super) fn call(&self, device: &Device, queries: &[&Prepared]) -> Option<Called> {
        timed(|| try_on(device, |device| self.rank_or_leave(device, queries)))
    }

    /// A call of devices that divide the index.
    fn call_group(&self, group: &Group, queries: &[&Prepared]) -> Option<Called> {
        timed(|| self.rank_or_leave(group, queries).ok())
    }

    /// As [`rank`](Self::rank). Damaged files are not a device's failure. The CPU finds them, too.
    fn rank_or_leave(&self, ranker: &impl Ranker, queries: &[&Prepared]) -> Result<Vec<Option<Found>>> {
        match self.rank(ranker, queries) {
            Err(error) if !matches!(error, Error::Device(_)) => Ok(vec![None; queries.len()]),
            ranked => ranked,
        }
    }

    /// What a device does for these queries.
    pub(super) fn work(&self, queries: impl Iterator<Item = Features>) -> [f64; Features::DEVICE] {
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
            index.found(then_any(hits, any, wanted).into_iter(), total, options)
        };
        let mut followed = self.pass(device, &any, false, options.total, &follow)?.into_iter();
        let finish = |hits: &Option<Vec<(f64, u32)>>| match hits {
            hits if is_few(hits) => Ok(followed.next().flatten()),
            Some(hits) => index.found(hits.iter().copied(), 0, options).map(Some),
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

mod lists;
mod segments;
mod warm;

use lists::Lists;
pub use segments::Division;
use segments::Group;
pub(crate) use segments::Ranker;
pub use warm::Warming;

#[cfg(test)]
pub(super) mod tests;
