//! Ranked search on the device or the CPU.

use super::offload::{Settings, for_queries, on_cpu, run_on};
use crate::device::{
    Device, Hits, Key, MOST_HITS, MOST_TERMS, Provider, RankBatch, RankSegment, RankTerm, Take, Wanted,
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
    let threads = threads::at_most(settings.threads, queries.len() / QUERIES_PER_THREAD);
    let began = Instant::now();
    let prepare = |at: usize| Ok(index.prepare(queries[at], options)?.filter(fits));
    let prepared = threads::map(threads, queries.len(), prepare)?;
    let elsewhere: Vec<usize> = (0..queries.len()).filter(|&at| prepared[at].is_none()).collect();
    log::debug!("{} queries prepared in {:?}, {} for the CPU", queries.len(), began.elapsed(), elsewhere.len());
    let job = Job { index, options, wanted, settings };
    // One thread has the device work, and the others answer what a device cannot.
    let began = Instant::now();
    let parts = threads::spread(threads.min(1 + elsewhere.len()), 1 + elsewhere.len(), 1, |takings| {
        let work = |at: usize| match at.checked_sub(1) {
            None => {
                Ok(Done::Device(run_on(&device, |device| job.rank(device, &prepared), || vec![None; queries.len()])))
            }
            Some(at) => Ok(Done::Cpu(elsewhere[at], index.search(queries[elsewhere[at]], options)?)),
        };
        takings.flatten().map(work).collect::<Result<Vec<Done>>>()
    });
    let mut found: Vec<Option<Found>> = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        for done in part? {
            match done {
                Done::Device(of_device) => found = of_device,
                Done::Cpu(at, of_cpu) => others.push((at, of_cpu)),
            }
        }
    }
    others.into_iter().for_each(|(at, of_cpu)| found[at] = Some(of_cpu));
    log::debug!("ranked in {:?}", began.elapsed());
    // What the device has left to the CPU.
    let left: Vec<usize> = (0..queries.len()).filter(|&at| found[at].is_none()).collect();
    let threads = threads::at_most(settings.threads, left.len());
    let of_cpu = threads::map(threads, left.len(), |at| index.search(queries[left[at]], options))?;
    left.into_iter().zip(of_cpu).for_each(|(at, of_cpu)| found[at] = Some(of_cpu));
    Ok(found.into_iter().flatten().collect())
}

/// What a thread has done of a batch.
enum Done {
    Device(Vec<Option<Found>>),
    Cpu(usize, Found),
}

/// Whether a device takes a query with so many terms.
fn fits(query: &Prepared) -> bool {
    query.terms.iter().filter(|term| term.clause.is_some()).count() <= MOST_TERMS
}

/// What is to be ranked on a device.
struct Job<'j> {
    index: &'j Index,
    options: &'j Options,
    wanted: usize,
    settings: &'j Settings,
}

impl Job<'_> {
    /// Ranks the queries that are there; `None` for the others, and those that the device leaves to the CPU.
    fn rank(&self, device: &Device, prepared: &[Option<Prepared>]) -> Result<Vec<Option<Found>>> {
        let Job { index, options, wanted, .. } = *self;
        let all: Vec<usize> = (0..prepared.len()).filter(|&at| prepared[at].is_some()).collect();
        let found = |_, hits: Hits, total| index.found(hits, total, options);
        if options.matching != Matching::AllThenAny {
            let needs_all = options.matching == Matching::All;
            return self.pass(device, prepared, &all, needs_all, options.total, &found);
        }
        let has_all = |at: &usize| prepared[*at].as_ref().is_some_and(|query| !query.none_has_all);
        let some: Vec<usize> = all.iter().copied().filter(has_all).collect();
        let collect = |_, hits: Hits, _| Ok(hits.collect::<Vec<_>>());
        let mut of_all = self.pass(device, prepared, &some, true, false, &collect)?;
        all.iter().filter(|at| !has_all(at)).for_each(|&at| of_all[at] = Some(Vec::new()));
        // Documents with any word follow, and all of them count.
        let is_enough = |at: &usize| of_all[*at].as_ref().is_none_or(|hits| !options.total && hits.len() >= wanted);
        let few: Vec<usize> = all.iter().copied().filter(|at| !is_enough(at)).collect();
        let follow = |at: usize, any: Hits, total| {
            let hits = of_all[at].as_deref().unwrap_or_default();
            index.found(then_any(hits, any, wanted).into_iter(), total, options)
        };
        let mut found = self.pass(device, prepared, &few, false, options.total, &follow)?;
        for at in all.into_iter().filter(is_enough) {
            if let Some(hits) = &of_all[at] {
                found[at] = Some(index.found(hits.iter().copied(), 0, options)?);
            }
        }
        Ok(found)
    }

    /// Ranks some of the queries.
    fn pass<T: Send>(
        &self,
        device: &Device,
        prepared: &[Option<Prepared>],
        which: &[usize],
        needs_all: bool,
        counting: bool,
        take: &Take<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        let mut taken: Vec<Option<T>> = prepared.iter().map(|_| None).collect();
        if which.is_empty() {
            return Ok(taken);
        }
        let parts = self.index.snapshot().parts();
        let mut batch = RankBatch {
            k: self.wanted,
            needs_all,
            counting,
            budget: self.settings.device_memory,
            threads: self.settings.threads,
            ..RankBatch::default()
        };
        for part in parts {
            let allowed = self.index.allowed(part, self.options)?;
            batch.segments.push(RankSegment { documents: part.segment.documents(), base: part.base as u32, allowed });
        }
        let (mut fields, mut terms) = (Vec::new(), Vec::new());
        for query in which.iter().filter_map(|&at| prepared[at].as_ref()) {
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
        let of_query = |number: usize, hits: Hits, total| take(which[number], hits, total);
        for (&at, of_device) in which.iter().zip(device.rank(&batch, &lists, &of_query)?) {
            taken[at] = of_device;
        }
        Ok(taken)
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
