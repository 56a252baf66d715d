//! [`Job`]: calls of devices that rank some queries, from prepared queries to hits.

use super::fleet::Fleet;
use super::group::Group;
use super::lists::Lists;
use super::ranker::Ranker;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::{self, Device, RankBatch, RankSegment, RankTerm, Ranked};
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

/// Hits that justify one more thread to read their ids.
const HITS_PER_THREAD: usize = 2_500;

/// The result of a call, and the nanoseconds that it took, unless lists were sent.
fn timed<T>(call: impl FnOnce() -> Option<T>) -> Option<(T, Option<f64>)> {
    let (began, misses) = (Instant::now(), device::cache_stats().misses);
    let found = call()?;
    let time = (device::cache_stats().misses == misses).then(|| began.elapsed().as_nanos() as f64);
    Some((found, time))
}

/// What devices have found for a query.
pub(in crate::engine) enum Answer {
    /// The documents with all clauses, or those with any.
    Only(Ranked),
    /// Those with all, and those with any.
    Then(Box<Then>),
}

/// What is found of documents with all clauses, and of those with any.
#[derive(Default)]
pub(in crate::engine) struct Then {
    /// Nothing if no document has all.
    all: Option<Ranked>,
    /// Nothing if the former are enough.
    any: Option<Ranked>,
}

impl Answer {
    /// The hits, of which so many are wanted, with their ids.
    pub(in crate::engine) fn hits(&self, index: &Index, options: &Options, wanted: usize) -> Result<Found> {
        let Then { all, any } = match self {
            Answer::Only(ranked) => return index.found(ranked.hits(), ranked.total, options),
            Answer::Then(then) => &**then,
        };
        let all: Vec<(f64, u32)> = all.iter().flat_map(Ranked::hits).collect();
        let mut found = match any {
            Some(any) => index.found(then_any(&all, any.hits(), wanted).into_iter(), any.total, options)?,
            None => index.found(all.iter().copied(), 0, options)?,
        };
        found.count_with_all(Some(all.len()), options);
        Ok(found)
    }
}

/// Queries with their numbers.
#[derive(Default)]
struct Numbered<'q> {
    numbers: Vec<usize>,
    queries: Vec<&'q Prepared>,
}

impl<'q> Numbered<'q> {
    fn with_capacity(count: usize) -> Self {
        Numbered { numbers: Vec::with_capacity(count), queries: Vec::with_capacity(count) }
    }

    fn push(&mut self, number: usize, query: &'q Prepared) {
        self.numbers.push(number);
        self.queries.push(query);
    }
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
        timed(|| match &self.group {
            Some(group) => self.found_or_left(group, queries).ok(),
            None => try_on(&self.fleet.devices()[worker], |device| self.found_or_left(device, queries)),
        })
    }

    /// As [`found`](Self::found). Damaged files are not a device's failure. The CPU finds them, too.
    fn found_or_left(&self, ranker: &impl Ranker, queries: &[&Prepared]) -> Result<Vec<Option<Found>>> {
        or_left(self.found(ranker, queries), || vec![None; queries.len()])
    }

    /// Has a worker rank queries that come in parts: those that `next` gives, which is told whether the device has nothing to do
    /// afterwards. What is found is taken as soon as it is there, by the numbers of the queries in the order in which they came;
    /// nothing for those that are left to the CPU. Returns nothing if the worker fails, which is counted and logged; otherwise the
    /// nanoseconds that it took, unless lists were sent.
    pub(in crate::engine) fn pipe<'q>(
        &'q self,
        worker: usize,
        next: impl FnMut(bool) -> Option<Vec<&'q Prepared>>,
        take: impl FnMut(usize, Option<Answer>),
    ) -> Option<Option<f64>> {
        timed(|| self.piped(worker, next, take)).map(|((), time)| time)
    }

    fn piped<'q>(
        &'q self,
        worker: usize,
        mut next: impl FnMut(bool) -> Option<Vec<&'q Prepared>>,
        mut take: impl FnMut(usize, Option<Answer>),
    ) -> Option<()> {
        // Without queries a device is not called.
        let mut first = Some(match next(true) {
            Some(first) => first,
            None => return Some(()),
        });
        let mut next = |is_idle| first.take().or_else(|| next(is_idle));
        let on_device = |rank: &mut dyn FnMut(&Device) -> Result<()>| {
            try_on(&self.fleet.devices()[worker], |device| or_left(rank(device), || ()))
        };
        if self.group.is_none() && self.options.matching != Matching::AllThenAny {
            return on_device(&mut |device| self.pipe_through(device, &mut next, &mut take));
        }
        let mut queries = Vec::new();
        while let Some(part) = next(false) {
            queries.extend(part);
        }
        let mut take_all = |ranked: Vec<Option<Answer>>| {
            ranked.into_iter().enumerate().for_each(|(number, answer)| take(number, answer));
        };
        match &self.group {
            Some(group) => or_left(self.ranked(group, &queries).map(take_all), || ()).ok(),
            None => on_device(&mut |device| self.ranked(device, &queries).map(&mut take_all)),
        }
    }

    fn pipe_through<'q>(
        &'q self,
        device: &Device,
        next: &mut impl FnMut(bool) -> Option<Vec<&'q Prepared>>,
        take: &mut impl FnMut(usize, Option<Answer>),
    ) -> Result<()> {
        let mut flights = device.flights(self.settings.device_memory)?;
        // The numbers of the queries of each batch.
        let mut numbers: Vec<Vec<usize>> = Vec::new();
        let mut count = 0;
        let mut add = |flights: &mut device::Flights<'q, '_>, part: Numbered<'q>, all| {
            if part.queries.is_empty() {
                return Ok(());
            }
            numbers.push(part.numbers);
            let (batch, lists) = self.batch(&part.queries, all, self.options.total)?;
            let mut take = |batch: usize, query: usize, found: Option<Ranked>| {
                take(numbers[batch][query], found.map(Answer::Only));
            };
            flights.add(batch, Box::new(lists), &mut take)
        };
        let all = self.options.matching == Matching::All;
        while let Some(queries) = next(flights.is_idle()) {
            let (mut part, mut of_one_clause) = (Numbered::with_capacity(queries.len()), Numbered::default());
            for query in queries {
                let of = if all && has_one_clause(query) { &mut of_one_clause } else { &mut part };
                of.push(count, query);
                count += 1;
            }
            add(&mut flights, part, all)?;
            // Even if they are few: the answers to all that came with them wait for theirs.
            add(&mut flights, of_one_clause, false)?;
        }
        let mut take = |batch: usize, query: usize, found: Option<Ranked>| {
            take(numbers[batch][query], found.map(Answer::Only));
        };
        flights.end(&mut take)
    }

    /// What a device does for these queries.
    pub(in crate::engine) fn work(&self, queries: impl Iterator<Item = Features>) -> [f64; Features::DEVICE] {
        let mut call = Features::call(self.index.snapshot().documents());
        for added in queries.map(|query| query.on_device(self.options.matching)) {
            call.iter_mut().zip(added).for_each(|(sum, of)| *sum += of);
        }
        call
    }

    /// The hits of queries; `None` for those that the device leaves to the CPU.
    pub(crate) fn found(&self, ranker: &impl Ranker, queries: &[&Prepared]) -> Result<Vec<Option<Found>>> {
        let ranked = self.ranked(ranker, queries)?;
        let threads = threads::at_most(self.threads, queries.len() * self.wanted / HITS_PER_THREAD);
        threads::map(threads, ranked.len(), |at| ranked[at].as_ref().map(|answer| self.hits(answer)).transpose())
    }

    /// The hits of an answer, with their ids.
    pub(super) fn hits(&self, answer: &Answer) -> Result<Found> {
        answer.hits(self.index, self.options, self.wanted)
    }

    /// What is found for each query; `None` for those that the device leaves to the CPU.
    fn ranked(&self, ranker: &impl Ranker, queries: &[&Prepared]) -> Result<Vec<Option<Answer>>> {
        let Job { options, wanted, .. } = *self;
        match options.matching {
            Matching::Any => {
                let ranked = self.pass(ranker, queries, false, options.total)?;
                return Ok(ranked.into_iter().map(|of| of.map(Answer::Only)).collect());
            }
            Matching::All => return self.in_two(ranker, queries),
            Matching::AllThenAny => {}
        }
        let (with_all, all): (Vec<usize>, Vec<&Prepared>) =
            queries.iter().copied().enumerate().filter(|(_, query)| !query.none_has_all).unzip();
        let mut found: Vec<Option<Then>> = queries.iter().map(|_| Some(Then::default())).collect();
        for (at, ranked) in with_all.into_iter().zip(self.pass(ranker, &all, true, false)?) {
            found[at] = ranked.map(|all| Then { all: Some(all), any: None });
        }
        // Documents with any word follow, and all of them count.
        let is_few = |then: &Then| options.total || then.all.iter().flat_map(Ranked::hits).count() < wanted;
        let (few, any): (Vec<usize>, Vec<&Prepared>) =
            queries.iter().copied().enumerate().filter(|&(at, _)| found[at].as_ref().is_some_and(is_few)).unzip();
        for (at, ranked) in few.into_iter().zip(self.pass(ranker, &any, false, options.total)?) {
            let all = found[at].take().and_then(|then| then.all);
            found[at] = ranked.map(|any| Then { all, any: Some(any) });
        }
        Ok(found.into_iter().map(|then| then.map(|then| Answer::Then(then.into()))).collect())
    }

    fn segments(&self) -> Result<Arc<[RankSegment]>> {
        let segment = |part: &SnapshotSegment| {
            let allowed = self.index.allowed(part, self.options)?.map(Arc::new);
            Ok(RankSegment { documents: part.segment.documents(), base: part.base as u32, allowed })
        };
        let segments = || self.index.snapshot().parts().iter().map(segment).collect();
        self.segments.get_or_try_init(segments).cloned()
    }

    /// What is found of documents with all clauses of a query.
    fn in_two(&self, ranker: &impl Ranker, queries: &[&Prepared]) -> Result<Vec<Option<Answer>>> {
        let mut answers: Vec<Option<Answer>> = queries.iter().map(|_| None).collect();
        for one in [true, false] {
            let of_kind = queries.iter().copied().enumerate().filter(|(_, query)| has_one_clause(query) == one);
            let (which, own): (Vec<usize>, Vec<&Prepared>) = of_kind.unzip();
            for (at, ranked) in which.into_iter().zip(self.pass(ranker, &own, !one, self.options.total)?) {
                answers[at] = ranked.map(Answer::Only);
            }
        }
        Ok(answers)
    }

    fn pass(
        &self,
        ranker: &impl Ranker,
        queries: &[&Prepared],
        needs_all: bool,
        counting: bool,
    ) -> Result<Vec<Option<Ranked>>> {
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        let (batch, lists) = self.batch(queries, needs_all, counting)?;
        ranker.rank(batch, &lists)
    }

    /// Queries as a batch of a device, and where the lists are that it needs.
    fn batch<'q>(
        &'q self,
        queries: &[&'q Prepared],
        needs_all: bool,
        counting: bool,
    ) -> Result<(RankBatch, Lists<'q>)> {
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
        let count = queries.iter().map(|query| query.terms.len()).sum();
        let (mut fields, mut terms) = (Vec::new(), Vec::with_capacity(count));
        batch.terms.reserve(count);
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
        Ok((batch, Lists { index: self.index, options: self.options, parts, fields, terms }))
    }
}

/// Whether a query has one clause at most: what has only one has any if it has all; tile by tile, equal scores cost less.
fn has_one_clause(query: &Prepared) -> bool {
    query.terms.iter().all(|term| term.clause.is_none_or(|clause| clause == 0))
}

/// What was found, or what stands for queries that are left to the CPU, because files are damaged.
fn or_left<T>(found: Result<T>, left: impl FnOnce() -> T) -> Result<T> {
    match found {
        Err(error) if !matches!(error, Error::Device(_)) => Ok(left()),
        found => found,
    }
}
