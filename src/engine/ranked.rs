//! Ranked search on the device or the CPU.

use super::offload::{Settings, for_queries, on_cpu, run_on};
use crate::device::{Device, Key, MOST_HITS, MOST_TERMS, Provider, RankBatch, RankSegment, RankTerm, Ranked, Wanted};
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
    let mut ranked = Vec::new();
    let mut found: Vec<Option<Found>> = vec![None; queries.len()];
    for part in parts {
        for done in part? {
            match done {
                Done::Device(of_device) => ranked = of_device,
                Done::Cpu(at, of_cpu) => found[at] = Some(of_cpu),
            }
        }
    }
    log::debug!("ranked in {:?}", began.elapsed());
    let began = Instant::now();
    let all = threads::map(threads, queries.len(), |at| match (&found[at], &ranked[at]) {
        (Some(found), _) => Ok(found.clone()),
        (None, Some(ranked)) => index.found(&ranked.hits, Some(ranked.total), options),
        (None, None) => index.search(queries[at], options),
    });
    log::debug!("ids in {:?}", began.elapsed());
    all
}

/// What a thread has done of a batch.
enum Done {
    Device(Vec<Option<Ranked>>),
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
    fn rank(&self, device: &Device, prepared: &[Option<Prepared>]) -> Result<Vec<Option<Ranked>>> {
        let Job { options, wanted, .. } = *self;
        let mut ranked: Vec<Option<Ranked>> = vec![None; prepared.len()];
        let all: Vec<usize> = (0..prepared.len()).filter(|&at| prepared[at].is_some()).collect();
        if options.matching == Matching::Any {
            self.pass(device, prepared, &all, false, options.total, &mut ranked)?;
            return Ok(ranked);
        }
        let (none, some): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|&&at| prepared[at].as_ref().is_some_and(|query| query.none_has_all));
        none.into_iter().for_each(|at| ranked[at] = Some(Ranked::default()));
        self.pass(device, prepared, &some, true, options.total, &mut ranked)?;
        if options.matching == Matching::All {
            return Ok(ranked);
        }
        // Documents with any word follow, and all of them count.
        let few = |at: &usize| ranked[*at].as_ref().is_some_and(|all| options.total || all.hits.len() < wanted);
        let few: Vec<usize> = all.into_iter().filter(few).collect();
        let mut any = vec![None; prepared.len()];
        self.pass(device, prepared, &few, false, options.total, &mut any)?;
        for at in few {
            ranked[at] = match (ranked[at].take(), any[at].take()) {
                (Some(all), Some(any)) => Some(Ranked { hits: then_any(all.hits, any.hits, wanted), total: any.total }),
                _ => None,
            };
        }
        Ok(ranked)
    }

    /// Ranks some of the queries.
    fn pass(
        &self,
        device: &Device,
        prepared: &[Option<Prepared>],
        which: &[usize],
        needs_all: bool,
        counting: bool,
        ranked: &mut [Option<Ranked>],
    ) -> Result<()> {
        if which.is_empty() {
            return Ok(());
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
        for (&at, found) in which.iter().zip(device.rank(&batch, &lists)?) {
            ranked[at] = found;
        }
        Ok(())
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
