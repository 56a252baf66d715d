//! One index on several devices, divided by segments: each device ranks all queries of a batch, but in its own segments, and
//! the host merges the hits. So together the devices keep each list once, where devices that divide a batch by queries keep
//! each list that their queries need.

use super::fleet::Fleet;
use super::ranker::Ranker;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::{Device, Key, PhraseWord, Provider, RankBatch, Ranked, Wanted};
use crate::engine::offload::try_on;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Devices that rank a batch together, each in its own segments.
pub(super) struct Group<'g> {
    devices: &'g [Device],
    /// The segments of each.
    shares: &'g [Vec<usize>],
    /// Devices that have failed at this batch. Their segments go to the others.
    failed: Mutex<Vec<usize>>,
}

impl<'g> Group<'g> {
    /// The devices of a fleet, if they divide the index.
    pub(super) fn of(fleet: &'g Fleet) -> Option<Group<'g>> {
        fleet.shares().map(|shares| Group { devices: fleet.devices(), shares, failed: Mutex::default() })
    }

    /// Whether a device needs something of an index to rank in its own segments.
    pub(super) fn is_for(&self, device: usize, wanted: Wanted) -> bool {
        match wanted {
            Wanted::Table(_) => true,
            Wanted::Ordinals(segment)
            | Wanted::List { segment, .. }
            | Wanted::Word { segment, .. }
            | Wanted::Positions { segment, .. } => self.shares[device].contains(&segment),
        }
    }

    fn failed(&self) -> MutexGuard<'_, Vec<usize>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Devices with the segments that they are to rank next: their own ones of those that are left, and those of devices that
    /// have failed.
    fn round(&self, left: Vec<(usize, Vec<usize>)>) -> Result<Vec<(usize, Vec<usize>)>> {
        let failed = self.failed();
        let working: Vec<usize> = (0..self.devices.len()).filter(|device| !failed.contains(device)).collect();
        let mut round: Vec<(usize, Vec<usize>)> = working.iter().map(|&device| (device, Vec::new())).collect();
        for (number, (device, segments)) in left.into_iter().enumerate() {
            let at = working.iter().position(|&working| working == device);
            let at = at.unwrap_or(number % working.len().max(1));
            let Some((_, own)) = round.get_mut(at) else {
                return Err(Error::Device("all devices have failed".into()));
            };
            own.extend(segments);
        }
        round.retain(|(_, segments)| !segments.is_empty());
        Ok(round)
    }

    /// What a device finds in some segments; `None` if it fails, which is counted and logged.
    fn on(
        &self,
        at: usize,
        segments: &[usize],
        batch: &RankBatch,
        provider: &dyn Provider,
    ) -> Result<Option<Vec<Option<Ranked>>>> {
        let some = segments.iter().map(|&segment| batch.segments[segment].clone()).collect();
        let batch = RankBatch { segments: some, ..batch.clone() };
        let provider = Selected { provider, segments };
        let ranked = try_on(&self.devices[at], |device| match device.rank(batch, &provider) {
            Err(error @ Error::Device(_)) => Err(error),
            // Damaged files are not the device's failure.
            ranked => Ok(ranked),
        });
        if ranked.is_none() {
            self.failed().push(at);
        }
        ranked.transpose()
    }
}

impl Ranker for Group<'_> {
    fn rank(&self, batch: RankBatch, provider: &dyn Provider) -> Result<Vec<Option<Ranked>>> {
        let mut left: Vec<(usize, Vec<usize>)> = self.shares.iter().cloned().enumerate().collect();
        let mut parts: Vec<Vec<Option<Ranked>>> = Vec::new();
        left.retain(|(_, segments)| !segments.is_empty());
        while !left.is_empty() {
            let round = self.round(left)?;
            let found =
                threads::map(round.len(), round.len(), |at| self.on(round[at].0, &round[at].1, &batch, provider))?;
            left = Vec::new();
            for (share, part) in round.into_iter().zip(found) {
                match part {
                    Some(part) => parts.push(part),
                    None => left.push(share),
                }
            }
        }
        let queries = batch.queries();
        let threads = threads::at_most(batch.threads, queries * batch.k * parts.len() / HITS_PER_THREAD);
        threads::map(threads, queries, |query| {
            let of_query: Option<Vec<&Ranked>> = parts.iter().map(|part| part[query].as_ref()).collect();
            // What one of them leaves to the CPU, all do.
            Ok(of_query.map(|of_query| Ranked::merged(of_query.into_iter(), batch.k)))
        })
    }
}

/// Hits that justify one more thread to merge them.
const HITS_PER_THREAD: usize = 8_000;

/// What a provider has of some segments, which are numbered anew.
struct Selected<'p> {
    provider: &'p dyn Provider,
    segments: &'p [usize],
}

impl Selected<'_> {
    /// What it is called among all segments.
    fn of(&self, wanted: Wanted) -> Wanted {
        match wanted {
            Wanted::Table(table) => Wanted::Table(table),
            Wanted::Ordinals(segment) => Wanted::Ordinals(self.segments[segment]),
            Wanted::List { segment, term } => Wanted::List { segment: self.segments[segment], term },
            Wanted::Word { segment, term, word } => Wanted::Word { segment: self.segments[segment], term, word },
            Wanted::Positions { segment, term, word } => {
                Wanted::Positions { segment: self.segments[segment], term, word }
            }
        }
    }
}

impl Provider for Selected<'_> {
    fn key(&self, wanted: Wanted) -> Option<Key<'_>> {
        self.provider.key(self.of(wanted))
    }

    fn reads(&self, wanted: Wanted) -> u64 {
        self.provider.reads(self.of(wanted))
    }

    fn build(&self, wanted: Wanted) -> Result<Vec<u32>> {
        self.provider.build(self.of(wanted))
    }

    fn phrase(&self, segment: usize, term: usize) -> Result<Vec<PhraseWord>> {
        self.provider.phrase(self.segments[segment], term)
    }

    fn encode(&self, segment: usize, term: usize, doc_ids: Vec<u32>, less_one: Vec<u32>) -> Result<Vec<u32>> {
        self.provider.encode(self.segments[segment], term, doc_ids, less_one)
    }
}
