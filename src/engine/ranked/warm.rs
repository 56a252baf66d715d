//! [`Warming`]: sends the lists of queries to devices before the queries are asked.

use super::fleet::Fleet;
use super::group::Group;
use super::job::Job;
use super::lists::Lists;
use super::prepare::{MOST_SIZE, prepare};
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::{Device, Provider, Wanted};
use crate::engine::offload::try_on;
use crate::engine::settings::Settings;
use crate::search::prepared::{Prepared, PreparedTerm, Recipes};
use crate::search::{Filter, Index, Options, QUERIES_PER_THREAD};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Collects the lists of queries, of a query log for instance, and makes them resident.
pub struct Warming {
    index: Index,
    options: Options,
    settings: Settings,
    fleet: Fleet,
    /// How many queries have each term: a field, and what its list in each segment is made of.
    uses: HashMap<(usize, Recipes), u64>,
    /// The numbers that all recipes consist of.
    size: usize,
}

impl Warming {
    /// Without queries yet. Of the options, which words a document must have, weights and parameters of BM25 matter.
    /// Opens the devices that `settings` select, if they may rank queries.
    pub fn new(index: &Index, options: &Options, settings: &Settings) -> Warming {
        Warming {
            index: index.clone(),
            options: Options { filter: Filter::default(), sort: Vec::new(), ..options.clone() },
            settings: settings.clone(),
            fleet: Fleet::to_warm(index, settings),
            uses: HashMap::new(),
            size: 0,
        }
    }

    /// Adds queries. Those that a device cannot rank are passed over.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn add(&mut self, queries: &[&str]) -> Result<()> {
        if self.fleet.devices().is_empty() {
            return Ok(());
        }
        self.index.check_files()?;
        let threads = threads::at_most(self.settings.threads, queries.len() / QUERIES_PER_THREAD);
        let end = self.options.end();
        let prepare = |at: usize| prepare(&self.index, queries[at].into(), &self.options, end);
        for query in threads::map(threads, queries.len(), prepare)?.into_iter().flatten() {
            for term in query.terms {
                let size = term.size();
                match self.uses.entry((term.field, term.lists)) {
                    Entry::Occupied(mut uses) => *uses.get_mut() += 1,
                    Entry::Vacant(unused) if self.size < MOST_SIZE => {
                        self.size += size;
                        unused.insert(1);
                    }
                    Entry::Vacant(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Makes as many of the lists resident as the budget has room for, those in the most queries first. Returns how many
    /// there are then: one for each term in each segment that has it; 0 without a device. Of several devices, each gets the
    /// lists, and the least number counts, unless they divide the index by segments.
    ///
    /// # Errors
    /// As [`Index::search`]. A device that fails is logged and counted, and passed over.
    pub fn send(self) -> Result<usize> {
        let Warming { index, options, settings, fleet, uses, .. } = self;
        let devices = fleet.devices();
        let mut uses: Vec<_> = uses.into_iter().collect();
        if devices.is_empty() || uses.is_empty() {
            return Ok(0);
        }
        index.check_files()?;
        uses.sort_unstable_by(|(term, uses), (other, more)| Reverse(uses).cmp(&Reverse(more)).then(term.cmp(other)));
        let term =
            |((field, lists), _)| PreparedTerm { field, weight: 1.0, clause: Some(0), documents: 0, joins: 0, lists };
        let terms: Vec<PreparedTerm> = uses.into_iter().map(term).collect();
        let mut fields: Vec<usize> = terms.iter().map(|term| term.field).collect();
        fields.sort_unstable();
        fields.dedup();
        let parts = index.snapshot().parts();
        let lists = Lists { index: &index, options: &options, parts, fields, terms: terms.iter().collect() };
        let mut wanted: Vec<Wanted> = (0..lists.fields.len()).map(Wanted::Table).collect();
        wanted.extend((0..parts.len()).map(Wanted::Ordinals).filter(|&ordinals| lists.has(ordinals)));
        let of_term = |term| (0..parts.len()).map(move |segment| Wanted::List { segment, term });
        wanted.extend((0..terms.len()).flat_map(of_term).filter(|&list| lists.has(list)));

        let threads = threads::at_most(settings.threads, terms.len()).div_ceil(devices.len());
        let job = Job::new(&index, &options, &settings, 1, &fleet, threads);
        // A query of the first list builds the kernels, and waits until everything has been sent.
        let first = Prepared { terms: terms.iter().take(1).cloned().collect(), none_has_all: false };
        let group = Group::of(&fleet);
        let send = |at: usize, device: &Device| {
            let is_own = |wanted: &Wanted| group.as_ref().is_none_or(|group| group.is_for(at, *wanted));
            let wanted: Vec<Wanted> = wanted.iter().copied().filter(is_own).collect();
            let others = wanted.iter().filter(|wanted| !matches!(wanted, Wanted::List { .. })).count();
            let resident = device.warm(settings.device_memory, threads, &wanted, &lists)?;
            if resident > others && group.is_none() {
                job.found(device, &[&first])?;
            }
            Ok(resident.saturating_sub(others))
        };
        // What an index throws is not the device's fault.
        let sent = |at: usize| match send(at, &devices[at]) {
            Err(error @ Error::Device(_)) => Err(error),
            sent => Ok(sent),
        };
        let resident = threads::map(devices.len(), devices.len(), |at| try_on(&devices[at], |_| sent(at)).transpose())?;
        let resident = resident.into_iter().flatten();
        let Some(group) = group else { return Ok(resident.min().unwrap_or(0)) };
        match job.found(&group, &[&first]) {
            Err(error) if !matches!(error, Error::Device(_)) => Err(error),
            _ => Ok(resident.sum()),
        }
    }
}

impl Lists<'_> {
    fn has(&self, wanted: Wanted) -> bool {
        self.key(wanted).is_some()
    }
}
