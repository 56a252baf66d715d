//! Operations on posting lists.

use super::cost::{self, Work};
use super::offload::{on_cpu, run};
use super::settings::Settings;
use crate::base::error::Result;
use crate::codec::Sink;
use crate::intersect::{self, Count, batch};
use crate::list::PostingList;
use crate::list::results::Results;

/// Passes all docIDs of a list, ascending, to a sink.
pub fn decode_to(list: &PostingList, settings: &Settings, sink: &mut impl Sink) {
    // The sink has to find room before a device is given the work.
    let mut is_wanted = true;
    let decoded = run(
        settings,
        || Work::decode(list),
        |device| cost::missing(device, std::iter::once(list)),
        |device| {
            is_wanted = sink.expect(list.len());
            if is_wanted { device.decode(list).map(Some) } else { Ok(None) }
        },
        || None,
    );
    match decoded {
        Some(doc_ids) => sink.take(&doc_ids),
        None if is_wanted => list.decode_to(sink),
        None => {}
    }
}

/// All docIDs of a list, ascending.
pub fn decode(list: &PostingList, settings: &Settings) -> Vec<u32> {
    run(
        settings,
        || Work::decode(list),
        |device| cost::missing(device, std::iter::once(list)),
        |device| device.decode(list),
        || list.decode(),
    )
}

/// The docIDs common to all lists, ascending.
pub fn intersect(lists: &[PostingList], settings: &Settings) -> Vec<u32> {
    run(
        settings,
        || Work::intersect([lists].into_iter(), false),
        |device| cost::missing(device, lists.iter()),
        |device| Ok(device.intersect_batch(&[lists.to_vec()], 1)?.into_doc_ids()),
        || intersect_on_cpu(lists),
    )
}

fn intersect_on_cpu(lists: &[PostingList]) -> Vec<u32> {
    let mut doc_ids = Vec::new();
    intersect::intersect(lists, &mut doc_ids);
    doc_ids
}

/// The number of docIDs common to all lists.
pub fn intersect_count(lists: &[PostingList], settings: &Settings) -> u64 {
    run(
        settings,
        || Work::intersect([lists].into_iter(), true),
        |device| cost::missing(device, lists.iter()),
        |device| Ok(device.intersect_count_batch(&[lists.to_vec()])?.pop().unwrap_or_default()),
        || {
            let mut count = Count::default();
            intersect::intersect(lists, &mut count);
            count.0
        },
    )
}

/// The docIDs common to all lists, as a list. Always on the CPU, where dense stretches are never expanded.
///
/// # Errors
/// As [`intersect::intersect_list`].
pub fn intersect_list(lists: &[PostingList]) -> Result<PostingList> {
    on_cpu(|| intersect::intersect_list(lists))
}

/// For each query, the docIDs common to its lists, ascending. A device gets all queries in one submission.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn intersect_batch(queries: &[Vec<PostingList>], settings: &Settings) -> Result<Results> {
    run(
        settings,
        || Work::intersect(queries.iter().map(Vec::as_slice), false),
        |device| cost::missing(device, queries.iter().flatten()),
        |device| device.intersect_batch(queries, settings.threads).map(Ok),
        || batch::intersect_batch(queries, settings.threads),
    )
}
