//! [`Fleet`]: the devices that rank queries, and how they divide the work.

use crate::base::error::Result;
use crate::device::{Device, MOST_HITS};
use crate::engine::cost::{Batch, choose_for_queries, divides_segments};
use crate::engine::offload::place;
use crate::engine::settings::Settings;
use crate::search::{Index, Options};
use std::cmp::Reverse;

/// Queries that are worth dividing among several devices.
const MANY: usize = 512;

/// The devices that rank queries. Each takes other queries, or each ranks all queries in other segments.
pub(crate) struct Fleet {
    devices: Vec<Device>,
    /// The segments of each, if they divide the index.
    shares: Option<Vec<Vec<usize>>>,
}

impl Fleet {
    /// Those that a batch is to run on, and how many hits each query needs of them; `None` if the CPU is to answer it.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub(super) fn of_batch(batch: &Batch) -> Result<Option<(Fleet, usize)>> {
        let Batch { index, queries, options, settings, .. } = *batch;
        let Some(device) = place(settings, || choose_for_queries(batch)) else { return Ok(None) };
        index.check_files()?;
        let wanted = index.wanted(options)?;
        if !ranks(index, options, wanted) || wanted > device.most_hits() {
            return Ok(None);
        }
        let is_alone = queries.len() < MANY && !divides_segments(index, settings, &device);
        let devices = if is_alone { vec![device] } else { settings.twins() };
        let fleet = Fleet::divided(index, settings, devices);
        Ok((!fleet.devices.is_empty()).then_some((fleet, wanted)))
    }

    /// Those that lists are sent to ahead of time, opened whether that has paid off yet or not; none if they may not rank
    /// queries of this index.
    pub(super) fn to_warm(index: &Index, settings: &Settings) -> Fleet {
        let few = u32::try_from(index.snapshot().documents()).is_ok();
        Fleet::divided(index, settings, if few { open(settings) } else { Vec::new() })
    }

    /// Those of a stream, of which each answers other queries, opened whether that has paid off yet or not; none if they
    /// cannot rank with these options, or may not.
    pub(in crate::engine) fn of_stream(index: &Index, options: &Options, settings: &Settings, wanted: usize) -> Fleet {
        let mut devices = if ranks(index, options, wanted) { open(settings) } else { Vec::new() };
        devices.retain(|device| wanted <= device.most_hits());
        Fleet::by_queries(devices)
    }

    /// These devices, of which each answers other queries.
    pub(crate) fn by_queries(devices: Vec<Device>) -> Fleet {
        Fleet { devices, shares: None }
    }

    fn divided(index: &Index, settings: &Settings, devices: Vec<Device>) -> Fleet {
        let divides = devices.len() > 1 && divides_segments(index, settings, &devices[0]);
        let shares = divides.then(|| shared_out(&documents(index), devices.len()));
        Fleet { devices, shares }
    }

    /// The devices.
    pub(in crate::engine) fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// The segments of each device, if they divide the index.
    pub(super) fn shares(&self) -> Option<&[Vec<usize>]> {
        self.shares.as_deref()
    }

    /// Who takes calls: each device, or all of them as one.
    pub(super) fn workers(&self) -> usize {
        if self.shares.is_some() { 1 } else { self.devices.len() }
    }
}

/// Whether kernels can rank with these options.
fn ranks(index: &Index, options: &Options, wanted: usize) -> bool {
    let few = u32::try_from(index.snapshot().documents()).is_ok();
    (1..=MOST_HITS).contains(&wanted) && few && options.is_ranking()
}

fn open(settings: &Settings) -> Vec<Device> {
    let auto = || Ok(settings.select()?.filter(|device| device.info().kind != "CPU"));
    place(settings, auto).map(|_| settings.twins()).unwrap_or_default()
}

/// Which segments each of some devices has: the largest segment first, each goes to the device that has the fewest documents
/// so far. So small segments that come and go leave the others where they are.
fn shared_out(documents: &[u32], devices: usize) -> Vec<Vec<usize>> {
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
fn documents(index: &Index) -> Vec<u32> {
    index.snapshot().parts().iter().map(|part| part.segment.documents()).collect()
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
