//! [`Batch`]: queries that are to be placed.

use super::features::Features;
use super::models::{change, kind};
use crate::device::Device;
use crate::engine::cost::MARGIN;
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
}

impl<'b> Batch<'b> {
    pub(in crate::engine) fn new(
        index: &'b Index,
        queries: &'b [Asked<'b>],
        options: &'b Options,
        settings: &'b Settings,
    ) -> Batch<'b> {
        Batch { index, queries, options, settings, expected: OnceCell::new() }
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
