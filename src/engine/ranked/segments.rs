//! One index on several devices, divided by segments: each device ranks all queries of a batch, but in its own segments, and
//! the host merges the hits. So together the devices keep each list once, where devices that divide a batch by queries keep
//! each list that their queries need.

use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::device::{Device, Hits, Kept, Key, PhraseWord, Provider, RankBatch, Take, Wanted};
use crate::engine::offload::{Settings, try_on};
use crate::search::Index;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How several devices divide a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Division {
    /// By queries, unless a device has no room for the lists of the index.
    #[default]
    Auto,
    /// By queries: each device has all segments.
    Queries,
    /// By segments, if there are several: each device has all queries.
    Segments,
}

/// What ranks batches: a device, or several together.
pub(crate) trait Ranker {
    /// As [`Device::rank`].
    fn rank<T: Send>(&self, batch: &RankBatch, provider: &dyn Provider, take: &Take<'_, T>) -> Result<Vec<Option<T>>>;
}

impl Ranker for Device {
    fn rank<T: Send>(&self, batch: &RankBatch, provider: &dyn Provider, take: &Take<'_, T>) -> Result<Vec<Option<T>>> {
        Device::rank(self, batch, provider, take)
    }
}

/// Whether devices like this one are to divide an index by segments.
pub(super) fn by_segments(index: &Index, settings: &Settings, device: &Device) -> bool {
    index.snapshot().parts().len() > 1
        && match settings.division {
            Division::Queries => false,
            Division::Segments => true,
            Division::Auto => bytes(index) > device.cache_bytes(settings.device_memory),
        }
}

/// Bytes of all that devices keep of an index, about and rather too many.
fn bytes(index: &Index) -> u64 {
    /// Of a posting. A token is a posting, or a part of one.
    const POSTING: f64 = 6.5;
    /// Of a list, beside its postings.
    const LIST: f64 = 64.0;
    /// Of a field's table.
    const TABLE: f64 = 262_144.0;
    let of_field = |field: usize| {
        let counts = index.snapshot().parts().iter().map(|part| part.segment.counts(field).unwrap_or_default());
        let lists: f64 =
            counts.filter(|of| of.tokens > 0).map(|of| POSTING * of.tokens as f64 + LIST * of.terms as f64).sum();
        if lists > 0.0 { TABLE + lists } else { 0.0 }
    };
    (0..index.snapshot().schema().fields.len()).map(of_field).sum::<f64>() as u64
}

/// Which segments each of some devices has: the largest segment first, each goes to the device that has the fewest documents
/// so far. So small segments that come and go leave the others where they are.
pub(super) fn shared_out(documents: &[u32], devices: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..documents.len()).collect();
    order.sort_by_key(|&segment| Reverse(documents[segment]));
    let mut shares = vec![(0u64, Vec::new()); devices];
    for segment in order {
        if let Some((sum, share)) = shares.iter_mut().min_by_key(|share| share.0) {
            *sum += u64::from(documents[segment]).max(1);
            share.push(segment);
        }
    }
    let sorted = |(_, mut share): (u64, Vec<usize>)| {
        share.sort_unstable();
        share
    };
    shares.into_iter().map(sorted).collect()
}

/// The documents of each segment.
pub(super) fn documents(index: &Index) -> Vec<u32> {
    index.snapshot().parts().iter().map(|part| part.segment.documents()).collect()
}

/// Devices that rank a batch together, each in its own segments.
pub(super) struct Group<'g> {
    devices: &'g [Arc<Device>],
    /// The segments of each.
    shares: Vec<Vec<usize>>,
    /// Devices that have failed at this batch. Their segments go to the others.
    failed: Mutex<Vec<usize>>,
}

/// What a device found in its segments, for each query: the best hits, and how many documents match.
type Part = Vec<Option<(Kept, u64)>>;

impl<'g> Group<'g> {
    /// These devices, if they are to divide the index by segments.
    pub(super) fn of(index: &Index, settings: &Settings, devices: &'g [Arc<Device>]) -> Option<Group<'g>> {
        let first = devices.first().filter(|_| devices.len() > 1)?;
        let shares = || shared_out(&documents(index), devices.len());
        by_segments(index, settings, first).then(|| Group { devices, shares: shares(), failed: Mutex::default() })
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
    fn on(&self, at: usize, segments: &[usize], batch: &RankBatch, provider: &dyn Provider) -> Result<Option<Part>> {
        let some = segments.iter().map(|&segment| batch.segments[segment].clone()).collect();
        let batch = RankBatch { segments: some, ..batch.clone() };
        let provider = Selected { provider, segments };
        let keep = |_, hits: Hits<'_>, total| Ok((hits.keep(), total));
        let ranked = try_on(&self.devices[at], |device| match device.rank(&batch, &provider, &keep) {
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
    fn rank<T: Send>(&self, batch: &RankBatch, provider: &dyn Provider, take: &Take<'_, T>) -> Result<Vec<Option<T>>> {
        let mut left: Vec<(usize, Vec<usize>)> = self.shares.iter().cloned().enumerate().collect();
        let mut parts: Vec<Part> = Vec::new();
        left.retain(|(_, segments)| !segments.is_empty());
        while !left.is_empty() {
            let round = self.round(left)?;
            let found =
                threads::map(round.len(), round.len(), |at| self.on(round[at].0, &round[at].1, batch, provider))?;
            left = Vec::new();
            for (share, part) in round.into_iter().zip(found) {
                match part {
                    Some(part) => parts.push(part),
                    None => left.push(share),
                }
            }
        }
        let queries = batch.first_terms.len().saturating_sub(1);
        let threads = threads::at_most(batch.threads, queries * batch.k * parts.len() / HITS_PER_THREAD);
        threads::map(threads, queries, |query| {
            let of_query: Option<Vec<&(Kept, u64)>> = parts.iter().map(|part| part[query].as_ref()).collect();
            // What one of them leaves to the CPU, all do.
            let Some(of_query) = of_query else { return Ok(None) };
            let total = of_query.iter().map(|of| of.1).sum();
            let kept = of_query.iter().map(|of| &of.0);
            take(query, Kept::merged(kept, batch.k).hits(), total).map(Some)
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
    fn key(&self, wanted: Wanted) -> Option<Key> {
        self.provider.key(self.of(wanted))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn segments_are_shared_out_once_and_evenly(
            documents in prop::collection::vec(0u32..1000, 0..40),
            devices in 1usize..9,
            small in 0u32..5,
        ) {
            let shares = shared_out(&documents, devices);
            prop_assert_eq!(shares.len(), devices);
            let mut all = shares.concat();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..documents.len()));
            // The fullest has at most one segment more than the emptiest.
            let sums = shares.iter().map(|share| share.iter().map(|&of| u64::from(documents[of]).max(1)).sum::<u64>());
            let largest = documents.iter().max().map_or(0, |&largest| u64::from(largest).max(1));
            let (least, most) = (sums.clone().min().unwrap_or(0), sums.max().unwrap_or(0));
            prop_assert!(most - least <= largest);
            // A small segment that is added last leaves the others where they are.
            let small = small.min(documents.iter().copied().min().unwrap_or(0));
            let mut more = documents.clone();
            more.push(small);
            let mut with_more = shared_out(&more, devices);
            with_more.iter_mut().for_each(|share| share.retain(|&segment| segment < documents.len()));
            prop_assert_eq!(with_more, shares);
        }
    }
}
