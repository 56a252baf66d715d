//! Ranked search on the device or the CPU.

use super::offload::{Settings, for_queries, on_cpu, try_on};
use super::shared::Shared;
use crate::device::{
    self, Device, Hits, Key, MOST_HITS, MOST_TERMS, Provider, RankBatch, RankSegment, RankTerm, Take, Wanted,
};
use crate::error::Result;
use crate::index::snapshot::Part;
use crate::rank::tiled;
use crate::search::prepared::{Prepared, PreparedTerm, then_any};
use crate::search::{Found, Index, Matching, Options};
use crate::threads;
use std::time::Instant;

/// Queries that justify one more thread.
const QUERIES_PER_THREAD: usize = 8;

/// Queries that are worth dividing among several devices.
const MANY: usize = 512;

/// The best hits of a query; see [`Index::search`].
///
/// # Errors
/// As there.
pub fn search(index: &Index, query: &str, options: &Options, settings: &Settings) -> Result<Found> {
    Ok(search_batch(index, &[query], options, settings)?.pop().unwrap_or_default())
}

/// The best hits of each of many queries; see [`Index::search_batch`]. A device ranks those that consist of words, excluded
/// ones too, in any number of fields; meanwhile the CPU answers those with phrases, prefixes or fuzzy words. Results are
/// the same, to the last bit of the scores, wherever they come from.
///
/// # Errors
/// As there.
pub fn search_batch(index: &Index, queries: &[&str], options: &Options, settings: &Settings) -> Result<Vec<Found>> {
    let Some(device) = for_queries(settings, queries.len()) else {
        return on_cpu(|| index.search_batch(queries, options, settings.threads));
    };
    index.check_files()?;
    let wanted = index.wanted(options)?;
    if wanted == 0 || wanted > MOST_HITS || index.snapshot().documents() > u32::MAX.into() {
        return on_cpu(|| index.search_batch(queries, options, settings.threads));
    }
    let devices = if queries.len() < MANY { vec![device] } else { device::twins(&settings.device) };
    let threads = threads::at_most(settings.threads, queries.len() / QUERIES_PER_THREAD);
    let began = Instant::now();
    let prepare = |at: usize| Ok(index.prepare(queries[at], options)?.filter(fits));
    let prepared = threads::map(threads, queries.len(), prepare)?;
    let (of_device, elsewhere): (Vec<usize>, Vec<usize>) = (0..queries.len()).partition(|&at| prepared[at].is_some());
    log::debug!("{} queries prepared in {:?}, {} for the CPU", queries.len(), began.elapsed(), elsewhere.len());
    let began = Instant::now();
    let of_a_device = if devices.len() == 1 { settings.threads } else { threads.div_ceil(devices.len()) };
    let job = Job { index, options, wanted, settings, threads: of_a_device };
    let rank = |device: usize, which: &[usize]| {
        let queries: Vec<&Prepared> = which.iter().filter_map(|&at| prepared[at].as_ref()).collect();
        try_on(&devices[device], |device| job.rank(device, &queries))
    };
    let shared = Shared::new(of_device, devices.len());
    let mut found: Vec<Option<Found>> = vec![None; queries.len()];
    // A thread has each device work, and the others answer what devices cannot.
    let items = devices.len() + elsewhere.len();
    let parts = threads::spread(threads.max(devices.len()).min(items), items, 1, |takings| {
        let mut done = Vec::new();
        for at in takings.flatten() {
            match at.checked_sub(devices.len()) {
                None => shared.work(at, rank, &mut done),
                Some(at) => done.push((elsewhere[at], index.search(queries[elsewhere[at]], options)?)),
            }
        }
        Ok(done)
    });
    for part in parts {
        let part: Vec<(usize, Found)> = part?;
        part.into_iter().for_each(|(at, of_query)| found[at] = Some(of_query));
    }
    // A device that failed may have left work when the others had ended.
    let mut done = Vec::new();
    (0..devices.len()).for_each(|device| shared.work(device, rank, &mut done));
    done.into_iter().for_each(|(at, of_query)| found[at] = Some(of_query));
    log::debug!("ranked in {:?}", began.elapsed());
    // What devices have left to the CPU.
    let left: Vec<usize> = (0..queries.len()).filter(|&at| found[at].is_none()).collect();
    if !shared.is_done() {
        on_cpu(|| log::debug!("{} queries are left to the CPU", left.len()));
    }
    let threads = threads::at_most(settings.threads, left.len());
    let of_cpu = threads::map(threads, left.len(), |at| index.search(queries[left[at]], options))?;
    left.into_iter().zip(of_cpu).for_each(|(at, of_cpu)| found[at] = Some(of_cpu));
    Ok(found.into_iter().flatten().collect())
}

/// Whether a device takes a query with so many terms.
fn fits(query: &Prepared) -> bool {
    query.terms.iter().filter(|term| term.clause.is_some()).count() <= MOST_TERMS
}

/// What is to be ranked on devices.
struct Job<'j> {
    index: &'j Index,
    options: &'j Options,
    wanted: usize,
    settings: &'j Settings,
    /// Threads of each device's work on the host.
    threads: usize,
}

impl Job<'_> {
    /// Ranks queries; `None` for those that the device leaves to the CPU.
    fn rank(&self, device: &Device, queries: &[&Prepared]) -> Result<Vec<Option<Found>>> {
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

    /// What `take` makes of the hits of each query with any clause, if it `is_any`, or with all clauses.
    fn in_two<T: Send>(
        &self,
        device: &Device,
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
        device: &Device,
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
            ..RankBatch::default()
        };
        for part in parts {
            let allowed = self.index.allowed(part, self.options)?;
            batch.segments.push(RankSegment { documents: part.segment.documents(), base: part.base as u32, allowed });
        }
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

/// What kernels need of an index.
struct Lists<'j> {
    index: &'j Index,
    options: &'j Options,
    parts: &'j [Part],
    /// The field of each table.
    fields: Vec<usize>,
    terms: Vec<&'j PreparedTerm>,
}

/// The kind of the items that are ordinals; those that are lists have the number of their field.
const ORDINALS: u32 = u32::MAX;

impl Provider for Lists<'_> {
    fn key(&self, wanted: Wanted) -> Option<Key> {
        let (owner, item) = match wanted {
            Wanted::Table(table) => {
                let [k1, b] = [self.options.bm25.k1, self.options.bm25.b].map(|of| u64::from(of.to_bits()));
                (self.index.identity(), (self.fields[table] as u32, k1 << 32 | b))
            }
            Wanted::Ordinals(segment) => {
                let segment = &self.parts[segment].segment;
                (segment.is_reordered().then(|| segment.identity())?, (ORDINALS, 0))
            }
            Wanted::List { segment, term } => {
                let term = self.terms[term];
                (self.parts[segment].segment.identity(), (term.field as u32, term.values[segment]?))
            }
        };
        Some(Key { owner: owner.clone(), item })
    }

    fn build(&self, wanted: Wanted) -> Result<Vec<u32>> {
        match wanted {
            Wanted::Table(table) => {
                let norms = self.index.norms_of(self.fields[table], &self.options.bm25);
                let mut words = tiled::table(&norms);
                words.extend(tiled::norms(&norms));
                Ok(words)
            }
            Wanted::Ordinals(segment) => {
                Ok(self.parts[segment].segment.kept_ordinals()?.map(<[u32]>::to_vec).unwrap_or_default())
            }
            Wanted::List { segment, term } => {
                let term = self.terms[term];
                match term.values[segment] {
                    Some(value) => self.index.tiled(&self.parts[segment], term.field, value),
                    None => Ok(Vec::new()),
                }
            }
        }
    }
}

mod warm;

pub use warm::Warming;
