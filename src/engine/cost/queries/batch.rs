//! [`Batch`]: queries that are to be placed.

use super::features::Features;
use super::models::{change, kind};
use crate::device::Device;
use crate::engine::cost::MARGIN;
use crate::engine::schedule::{Costs, device_is_enough};
use crate::engine::settings::Settings;
use crate::search::{Asked, Index, Options};
use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The most queries of a batch that are looked at beforehand.
pub(super) const SAMPLE: usize = 32;

/// A batch of queries that are to be placed.
pub(in crate::engine) struct Batch<'b> {
    pub(in crate::engine) index: &'b Index,
    pub(in crate::engine) queries: &'b [Asked<'b>],
    pub(in crate::engine) options: &'b Options,
    pub(in crate::engine) settings: &'b Settings,
    /// The device for which nanoseconds on the CPU were predicted, and these.
    pub(super) expected: OnceCell<(Device, f64)>,
    /// What some of the queries are expected to cost, if devices were preferred for it.
    pub(super) sampled: OnceCell<Costs>,
}

impl<'b> Batch<'b> {
    pub(in crate::engine) fn new(
        index: &'b Index,
        queries: &'b [Asked<'b>],
        options: &'b Options,
        settings: &'b Settings,
    ) -> Batch<'b> {
        Batch { index, queries, options, settings, expected: OnceCell::new(), sampled: OnceCell::new() }
    }

    /// Whether so many devices alone would end hardly later than with the help of so many threads, as far as the queries
    /// that were looked at say.
    pub(in crate::engine) fn is_for_devices(&self, devices: usize, threads: usize) -> bool {
        /// Nanoseconds in which a thread prepares a query. Before a batch is divided, all are prepared; devices alone begin with
        /// the first.
        const PREPARING: f64 = 6_000.0;
        self.sampled.get().is_some_and(|sampled| {
            let queries: Vec<_> = sampled.queries.iter().map(|cost| cost.on_one_of(devices)).collect();
            let dividing = PREPARING * queries.len() as f64 / threads.max(1) as f64;
            device_is_enough(&Costs { queries, ..*sampled }, threads, dividing)
        })
    }

    /// Learns from the time in which the CPU answered the queries.
    pub(in crate::engine) fn ran_on_cpu(&self, time: Duration) {
        let nanoseconds = time.as_nanos() as f64;
        match self.expected.get() {
            Some((device, expected)) => {
                let weight = self.queries.len().min(SAMPLE) as f64;
                change(device, |models| {
                    models.cpu[kind(self.options.matching)].learn_bias(nanoseconds, *expected, weight);
                });
            }
            None => {
                let saved = (nanoseconds * MARGIN - Features::ASSUMED[0]).max(0.0);
                LOST.fetch_add(saved as u64, Relaxed);
            }
        }
    }
}

/// Nanoseconds that a device would have saved so far.
pub(super) static LOST: AtomicU64 = AtomicU64::new(0);
