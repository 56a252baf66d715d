//! Operations on Yioop's lists.

use super::offload::{give, insisted, on_cpu, run_on};
use super::settings::Settings;
use super::stats::CPU_CALLS;
use crate::base::error::Result;
use crate::codec::Sink;
use crate::device::Device;
use crate::yioop::{self, Generation, List, Located, Matches, Shard};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The doc indexes of a Yioop posting list.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn yioop_doc_indexes(postings: &[u8], settings: &Settings) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    yioop_doc_indexes_to(postings, settings, &mut found)?;
    Ok(found)
}

/// Passes the doc indexes of a Yioop posting list to a sink. If the list is damaged, the sink may have received some of
/// them.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt).
pub fn yioop_doc_indexes_to(postings: &[u8], settings: &Settings, sink: &mut impl Sink) -> Result<()> {
    let Some(device) = insisted(settings) else {
        return on_cpu(|| yioop::doc_indexes_to(postings, sink));
    };
    yioop::check(postings)?;
    let on_device = |device: &Device| Ok(device.yioop_doc_indexes(postings, false)?.0);
    match run_on(&device, |device| on_device(device).map(Some), || None) {
        Some(doc_indexes) => {
            give(&doc_indexes, sink);
            Ok(())
        }
        None => yioop::doc_indexes_to(postings, sink),
    }
}

/// The doc indexes common to all Yioop lists, ascending, with the byte offset of the posting in each list. If a device
/// is used, it extracts the doc indexes of each list, and the CPU intersects them.
///
/// # Errors
/// [`Error::Corrupt`](crate::Error::Corrupt) for the first damaged list; the error does not say which list it is.
pub fn yioop_intersect(lists: &[&[u8]], settings: &Settings) -> Result<Matches> {
    let Some(device) = insisted(settings) else {
        return on_cpu(|| yioop::intersect_flat(lists));
    };
    lists.iter().try_for_each(|list| yioop::check(list))?;
    let on_device = |device: &Device| {
        let locate = |list: &&[u8]| Ok((device.yioop_doc_indexes(list, true)?.into(), list.len() as u32));
        Ok(yioop::intersect_located(lists.iter().map(locate).collect::<Result<_>>()?))
    };
    run_on(&device, |device| on_device(device).map(Ok), || yioop::intersect_flat(lists))
}

/// [`yioop_intersect`] for each query, such as the lists of one shard. If a device is used, the lists of all queries
/// are sent in one submission.
///
/// # Errors
/// As [`yioop_intersect`].
pub fn yioop_intersect_batch(queries: &[Vec<&[u8]>], settings: &Settings) -> Result<Vec<Matches>> {
    let by_cpu = || queries.iter().map(|lists| yioop::intersect_flat(lists)).collect();
    let Some(device) = insisted(settings) else {
        return on_cpu(by_cpu);
    };
    queries.iter().flatten().try_for_each(|list| yioop::check(list))?;
    let on_device = |device: &Device| {
        // Concatenated lists form a valid list.
        let (docs, offsets) = device.yioop_doc_indexes(&queries.concat().concat(), true)?;
        let (mut from, mut begin) = (0, 0);
        let mut next = |list: &&[u8]| {
            let end = begin + list.len();
            let to = from + offsets[from..].partition_point(|&offset| (offset as usize) < end);
            let own = offsets[from..to].iter().map(|&offset| offset - begin as u32).collect();
            let located = Located::from((docs[from..to].to_vec(), own));
            (from, begin) = (to, end);
            (located, list.len() as u32)
        };
        Ok(queries.iter().map(|lists| yioop::intersect_located(lists.iter().map(&mut next).collect())).collect())
    };
    run_on(&device, |device| on_device(device).map(Ok), by_cpu)
}

/// Intersects lists of a shard, given by the first and last offset of each, without reading the long ones whole. `None`
/// if that does not pay, or if the settings require a device.
///
/// # Errors
/// As [`probe::gather`](yioop::probe::gather).
pub fn yioop_probe(shard: &Shard, ranges: &[(u32, u32)], settings: &Settings) -> Result<Option<(Vec<List>, Matches)>> {
    if insisted(settings).is_some() {
        return Ok(None);
    }
    let found = yioop::probe::gather(shard, ranges)?;
    if found.is_some() {
        CPU_CALLS.fetch_add(1, Relaxed);
    }
    Ok(found)
}

/// A shard, and the first and last offset in it of each list of a query.
pub type YioopRanges = (Arc<Shard>, Vec<(u32, u32)>);

/// Reads as much of each shard's lists as their intersection needs, and intersects them. If a device is used, all lists
/// that are read whole are sent in one submission.
///
/// # Errors
/// As [`yioop_probe`], [`Shard::postings_at`] and [`yioop_intersect_batch`].
pub fn yioop_generations(ranges: Vec<YioopRanges>, settings: &Settings) -> Result<Vec<Generation>> {
    let mut generations = Vec::with_capacity(ranges.len());
    for (shard, ranges) in ranges {
        let (lists, matches) = match yioop_probe(&shard, &ranges, settings)? {
            Some((lists, matches)) => (lists, Some(matches)),
            None => {
                let read = |&(first, last): &(u32, u32)| shard.postings_at(first, last).map(List::Whole);
                (ranges.iter().map(read).collect::<Result<_>>()?, None)
            }
        };
        generations.push((shard, lists, matches));
    }
    let whole: Vec<Vec<&[u8]>> = generations
        .iter()
        .filter(|(_, _, matches)| matches.is_none())
        .map(|(_, lists, _)| lists.iter().filter_map(List::whole).collect())
        .collect();
    let of_whole = if whole.is_empty() { Vec::new() } else { yioop_intersect_batch(&whole, settings)? };
    let mut of_whole = of_whole.into_iter();
    let generation = |(shard, lists, matches): (_, _, Option<Matches>)| Generation {
        shard,
        lists,
        matches: matches.or_else(|| of_whole.next()).unwrap_or_default(),
    };
    Ok(generations.into_iter().map(generation).collect())
}
