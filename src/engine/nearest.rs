//! The nearest vectors, on a device or the CPU. A device says which rows may be near enough; what is nearest is always computed
//! by the CPU, from the vectors themselves.

use super::cost::{self, VectorWork};
use super::keys;
use super::offload::{on_cpu, place, try_on};
use super::settings::{Offload, Settings};
use crate::base::error::{Error, Result};
use crate::device::{
    Candidate, Device, Key, MOST_NEAREST, NearestBatch, NearestSegment, Vectors, bytes_of_rows, parts_of,
};
use crate::index::segment::VectorColumn;
use crate::search::{End, Found, Index, Near, Options, Screening};
use crate::vector::{Query, Shape};
use std::borrow::Borrow;

/// For each of some queries the documents whose vectors in a field are the nearest; see [`Index::nearest`]. Hits and scores are
/// the same wherever they come from.
///
/// # Errors
/// As there.
pub fn nearest<Q: Borrow<Query> + Sync>(
    index: &Index,
    field: usize,
    queries: &[Q],
    options: &Options,
    settings: &Settings,
) -> Result<Vec<Found>> {
    let end = options.end();
    let queries: Vec<&Query> = queries.iter().map(Borrow::borrow).collect();
    let mut found = by_device(index, field, &queries, options, settings, end)?;
    let rest: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_none()).collect();
    if !rest.is_empty() || queries.is_empty() {
        let of_rest: Vec<&Query> = rest.iter().map(|&at| queries[at]).collect();
        let of_rest = on_cpu(|| index.nearest_until(field, &of_rest, options, settings.threads, end))?;
        rest.into_iter().zip(of_rest).for_each(|(at, of)| found[at] = Some(of));
    }
    Ok(found.into_iter().map(Option::unwrap_or_default).collect())
}

/// What a device answers.
fn by_device(
    index: &Index,
    field: usize,
    queries: &[&Query],
    options: &Options,
    settings: &Settings,
    end: End,
) -> Result<Vec<Option<Found>>> {
    let mut found = vec![None; queries.len()];
    let Some(shape) = queries.first().map(|query| query.shape()) else { return Ok(found) };
    // A device compares all vectors.
    if options.probes.is_some() {
        return Ok(found);
    }
    let most = VectorWork::new(shape, queries.len(), index.snapshot().documents());
    if settings.offload == Offload::Never || settings.offload == Offload::Auto && !cost::may_offload(settings, &most) {
        return Ok(found);
    }
    let screening = match index.screening(field, queries, options, end) {
        Err(Error::Expired) => return Ok(vec![Some(Found::late()); queries.len()]),
        screening => screening?,
    };
    let k = screening.wanted();
    if !(1..=MOST_NEAREST).contains(&k) {
        return Ok(found);
    }
    let of = Columns { screening: &screening, field };
    let segments = of.segments()?;
    let rows = |segment: &NearestSegment| bytes_of_rows(shape, segment.rows);
    let needed: u64 = segments.iter().map(rows).sum();
    let fits = |device: &Device| needed <= device.cache_bytes(settings.device_memory);
    let work = VectorWork {
        rows: segments.iter().map(|segment| segment.rows as u64).sum(),
        counting: segments.iter().map(counting).sum(),
        ..most
    };
    let auto = || cost::choose_for_vectors(settings, &work, fits, |device| of.missing(device, shape, &segments));
    let Some(device) = place(settings, auto).filter(fits) else { return Ok(found) };
    // Queries without bounds are compared with all vectors.
    let bounded: Vec<usize> = (0..queries.len()).filter(|&at| queries[at].terms().is_some()).collect();
    if bounded.is_empty() || end.has_come() {
        return Ok(found);
    }
    let own: Vec<&Query> = bounded.iter().map(|&at| queries[at]).collect();
    let (budget, threads) = (settings.device_memory, settings.threads);
    let batch = NearestBatch { shape, queries: &own, k, segments: &segments, budget, threads };
    let take = |at: usize, candidates: Vec<Candidate>| {
        let near = |Candidate { segment, row, most }| Near { segment, row, most };
        screening.found(own[at], candidates.into_iter().map(near).collect())
    };
    let of_device = try_on(&device, |device| match device.nearest(&batch, &of, &take) {
        // Damaged files are not the device's failure. The CPU finds them, too.
        Err(error) if !matches!(error, Error::Device(_)) => Ok(Vec::new()),
        of_device => of_device,
    });
    for (at, of_query) in bounded.into_iter().zip(of_device.into_iter().flatten()) {
        found[at] = of_query;
    }
    Ok(found)
}

/// How many rows count.
fn counting(segment: &NearestSegment) -> u64 {
    let ones = |bits: &Vec<u32>| bits.iter().map(|word| u64::from(word.count_ones())).sum();
    segment.counting.as_ref().map_or(segment.rows as u64, ones)
}

/// The vectors of a field.
struct Columns<'s> {
    screening: &'s Screening<'s>,
    field: usize,
}

impl Columns<'_> {
    fn segments(&self) -> Result<Vec<NearestSegment>> {
        let segment = |(at, column): (usize, &VectorColumn)| {
            Ok(NearestSegment { rows: column.rows(), counting: self.screening.counting(at)? })
        };
        self.screening.columns().enumerate().map(segment).collect()
    }

    /// The rows of which no part is in device memory.
    fn missing(&self, device: &Device, shape: Shape, segments: &[NearestSegment]) -> u64 {
        let of_segment = |(at, segment): (usize, &NearestSegment)| {
            let parts = parts_of(shape, segment.rows);
            let names: Vec<_> = (0..parts).map(|part| self.key(at, part).name()).collect();
            let missing = device.lacks(&names, |name| name).len();
            (segment.rows * missing).checked_div(parts).unwrap_or(0) as u64
        };
        segments.iter().enumerate().map(of_segment).sum()
    }
}

impl Vectors for Columns<'_> {
    fn key(&self, segment: usize, part: usize) -> Key<'_> {
        keys::vectors(self.screening.identity(segment), self.field, part)
    }

    fn vector(&self, segment: usize, row: usize) -> Result<&[u8]> {
        self.screening.vector(segment, row)
    }
}
