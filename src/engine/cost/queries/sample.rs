//! [`Sample`]: some queries of a batch, looked at to place all of them.

use super::batch::{Batch, SAMPLE};
use super::features::Features;
use super::models::Models;
use crate::base::error::Result;
use crate::base::threads;
use crate::device::{Device, Name};
use crate::engine::cost::MARGIN;
use crate::engine::cost::sample::{Spread, different_of_all};
use crate::engine::keys;
use crate::engine::schedule::{Costs, split};
use crate::search::QUERIES_PER_THREAD;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// So many queries can be divided nearly as evenly as any number.
pub(super) const MANY: usize = 512;

/// Some queries of a batch with their predictions.
pub(super) struct Sample {
    pub(super) costs: Costs,
    pub(super) threads: usize,
    /// How many queries of the batch each stands for.
    pub(super) each: f64,
    /// How many lists of the batch each stands for.
    pub(super) each_list: f64,
    /// The lists that they need, and the nanoseconds of making and sending each.
    pub(super) lists: Vec<(Name, f64)>,
}

impl Sample {
    pub(super) fn of(batch: &Batch, k: usize, models: &Models) -> Result<Sample> {
        let Batch { index, queries, options, .. } = batch;
        let documents = index.snapshot().documents();
        let parts = index.snapshot().parts();
        let threads = threads::at_most(batch.settings.threads, queries.len() / QUERIES_PER_THREAD);
        let sending = models.call(0, 1.0) - models.call(0, 0.0);
        let (mut costs, mut lists, mut seen) = (Vec::new(), Vec::new(), 0);
        for query in Spread::new(queries.iter(), queries.len().div_ceil(SAMPLE)) {
            seen += 1;
            let Some(query) = index.prepare(*query, options)? else { continue };
            costs.push(models.cost(&Features::of(&query, k, documents), options.matching));
            for term in &query.terms {
                for (part, recipe) in parts.iter().zip(&term.lists) {
                    let Some(recipe) = recipe else { continue };
                    // About the part of the documents that are in this segment.
                    let share = f64::from(part.segment.documents()) / documents.max(1) as f64;
                    let [postings, joins] = [term.documents, term.joins].map(|of| (of as f64 * share) as u64);
                    let making = Features::joining_of(joins) / threads as f64;
                    let key = keys::list(part.segment.identity(), term.field, recipe);
                    lists.push((key.name(), making + sending * Features::bytes(postings)));
                }
            }
        }
        let each = if seen == 0 { 0.0 } else { queries.len() as f64 / f64::from(seen) };
        let each_list = each;
        // So many that they can be divided as the batch could.
        let sampled = costs.len();
        while costs.len() < MANY.min((sampled as f64 * each) as usize) {
            costs.extend_from_within(..sampled.min(costs.len()));
        }
        let each = each * sampled as f64 / costs.len().max(1) as f64;
        let call = models.call(documents, 0.0) / each.max(1.0);
        Ok(Sample { costs: Costs { queries: costs, call }, threads, each, each_list, lists })
    }

    /// Nanoseconds by the CPU alone, and by both, if a call of the device took so much longer.
    pub(super) fn times(&self, more: f64) -> [f64; 2] {
        let mut costs = self.costs.clone();
        costs.call += more / self.each.max(1.0);
        let cpu: f64 = costs.queries.iter().map(|cost| cost.cpu).sum();
        [cpu / self.threads as f64 * self.each, split(&costs, self.threads).makespan * self.each]
    }

    pub(super) fn saving(&self) -> f64 {
        let [cpu, both] = self.times(0.0);
        cpu - both
    }

    /// Nanoseconds in which the lists that none of these devices has are made and sent for the batch.
    fn missing(&self, holders: &[Device]) -> f64 {
        let (mut names, mut time, mut seen) = (HashSet::new(), 0.0, 0.0);
        let mut lacked: Vec<&(Name, f64)> = self.lists.iter().collect();
        for device in holders {
            lacked = device.lacks(&lacked, |(name, _)| name).into_iter().copied().collect();
        }
        for (name, of_list) in lacked {
            seen += 1.0;
            if names.insert(name) {
                time += of_list;
            }
        }
        let different = names.len() as f64;
        if different == 0.0 { 0.0 } else { time / different * different_of_all(seen, different, seen * self.each_list) }
    }

    /// Whether the device is to be used; `holders` are those that may have its lists.
    pub(super) fn offloads(&self, holders: &[Device]) -> bool {
        /// Nanoseconds that queries would have been faster by, had their lists been there.
        static ABSENT: AtomicU64 = AtomicU64::new(0);

        let wins = |[cpu, both]: [f64; 2]| both < MARGIN * cpu;
        if !wins(self.times(0.0)) {
            return false;
        }
        let sending = self.missing(holders);
        if sending == 0.0 || wins(self.times(sending)) {
            return true;
        }
        // What is sent stays there: it pays in the end.
        let saving = self.saving();
        if ABSENT.fetch_add(saving as u64, Relaxed) as f64 + saving < sending {
            return false;
        }
        ABSENT.store(0, Relaxed);
        true
    }
}
