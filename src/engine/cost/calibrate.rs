//! Measures the rates with operations on lists of up to 2^19 docIDs.

use super::rates::{CodecTerms, Rates, Terms};
use crate::base::error::{Error, Result};
use crate::codec::Codec;
use crate::device::{self, Device};
use crate::intersect::{self, Count};
use crate::list::PostingList;
use std::hint::black_box;
use std::time::Instant;

/// How often each operation is timed. The lower quartile counts, because disturbances only make times longer.
const RUNS: usize = 9;

/// Length and mean gap of the lists for CPU measurements: larger than the CPU's nearest caches.
const LONG: u32 = 1 << 17;
const GAP: u32 = 8;

/// Length of the list for measuring transfers.
const LONGEST: u32 = 1 << 19;

/// The lower quartile of the times of `run`, in nanoseconds.
fn quartile<T>(mut run: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut times = [0.0; RUNS];
    for time in &mut times {
        let begun = Instant::now();
        black_box(run()?);
        *time = begun.elapsed().as_nanos() as f64;
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times[RUNS / 4])
}

/// The same for a device call: nanoseconds of wall-clock time, and how many of them its kernels took.
fn quartile_on<T>(device: &Device, mut run: impl FnMut() -> Result<T>) -> Result<(f64, f64)> {
    run()?; // Builds the program and makes the lists resident.
    let wall = quartile(&mut run)?;
    device.take_kernel_times()?;
    let before = device.set_profiling(true);
    let mut kernels = f64::INFINITY;
    for _ in 0..3 {
        let again = run();
        if let Err(error) = again {
            device.set_profiling(before);
            return Err(error);
        }
        let times = device.take_kernel_times()?;
        kernels = kernels.min(times.iter().map(|time| time.nanoseconds as f64).sum());
    }
    device.set_profiling(before);
    Ok((wall, kernels.min(wall)))
}

/// docIDs with geometrically distributed gaps of about that mean, as if documents were drawn at random. The
/// distribution matters: it determines how many consecutive docIDs stand together.
fn doc_ids(count: u32, gap: u32, seed: u64) -> Vec<u32> {
    let gaps: [u32; 64] = std::array::from_fn(|k| {
        let share = (k as f64 + 0.5) / 64.0;
        1 + (f64::from(gap - 1) * -(1.0 - share).ln()) as u32
    });
    let mut state = seed;
    let mut last = 0;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            last += gaps[(state >> 58) as usize];
            last
        })
        .collect()
}

fn count(lists: &[PostingList]) -> u64 {
    let mut count = Count::default();
    intersect::intersect(lists, &mut count);
    count.0
}

/// Measures all rates.
pub(super) fn measure(device: &Device) -> Result<Rates> {
    let mut rates = Terms::default();
    let begun = Instant::now();
    let lists = on_cpu(&mut rates)?;
    let cpu = begun.elapsed();
    on_device(&mut rates, device, &lists)?;
    log::debug!("measuring took {cpu:?} for the CPU, {:?} in all", begun.elapsed());
    Ok(Rates(rates))
}

/// The lists of one codec to measure with.
pub(super) struct Lists {
    codec: Codec,
    /// Two lists of [`LONG`] docIDs.
    pair: [PostingList; 2],
    /// Two lists of 16 docIDs.
    tiny: [PostingList; 2],
}

/// A measured rate, but at least `least`, so that noise cannot make it zero or negative.
fn rate(measured: f64, least: f64) -> f64 {
    if measured.is_finite() { measured.max(least) } else { least }
}

/// Measures the CPU's rates, and returns the lists of all codecs.
pub(super) fn on_cpu(rates: &mut Terms) -> Result<Vec<Lists>> {
    let n = f64::from(LONG);
    let (ids, other_ids) = (doc_ids(LONG, GAP, 0), doc_ids(LONG, GAP, 77));
    // Both are short enough to be looked up in the longer list, whatever the codec. `near_ids` is as dense as the
    // longer list; `far_ids` spans all of it.
    let near_ids = &other_ids[..(LONG / 64) as usize];
    let far_ids = doc_ids(LONG / 2048, 2048 * GAP, 9);
    let mut lists = Vec::with_capacity(Codec::COUNT);
    for codec in Codec::ALL {
        let encode = |ids: &[u32]| PostingList::encode(ids, codec);
        let pair = [encode(&ids)?, encode(&other_ids)?];
        let tiny = [encode(&near_ids[..16])?, encode(&near_ids[8..24])?];
        let repeated = |lists: &[PostingList], times: u32| {
            Ok::<f64, Error>(quartile(|| Ok((0..times).map(|_| count(lists)).sum::<u64>()))? / f64::from(times))
        };
        let list = rate(repeated(&tiny, 16)? / 2.0, 5.0);
        let decoded = rate(quartile(|| Ok(pair[0].decode()))? / n, 0.01);
        let probe = |ids: &[u32], times: u32| {
            let query = [encode(ids)?, pair[0].clone()];
            let wall = repeated(&query, times)? - 2.0 * list;
            Ok::<f64, Error>(rate(wall / ids.len() as f64 - decoded, 0.5))
        };
        let (near, far) = (probe(near_ids, 4)?, probe(&far_ids, 16)?);
        let merged = rate(quartile(|| Ok(count(&pair)))? / (2.0 * n), 0.05);
        if codec == Codec::default() {
            rates.list = list;
        }
        *rates.of(codec) = CodecTerms { decoded, merged, near, far, unpacked: 0.0 };
        lists.push(Lists { codec, pair, tiny });
    }
    Ok(lists)
}

/// Measures the device's rates. Those that do not depend on the codec are measured with the default one.
fn on_device(rates: &mut Terms, device: &Device, lists: &[Lists]) -> Result<()> {
    let Some(Lists { codec, pair, tiny }) = lists.iter().find(|lists| lists.codec == Codec::default()) else {
        return Err(Error::Device("there is no default codec".into()));
    };
    let n = f64::from(LONG);
    for lists in lists {
        let (tiny_wall, tiny_kernel) = quartile_on(device, || device.decode(&lists.tiny[0]))?;
        if lists.codec == *codec {
            rates.decode = rate(tiny_wall, 1e3);
        }
        let (_, kernel) = quartile_on(device, || device.decode(&lists.pair[0]))?;
        rates.of(lists.codec).unpacked = rate((kernel - tiny_kernel) / n, 0.0005);
    }
    // Long enough for transfers to reach full speed.
    let longest = PostingList::encode(&doc_ids(LONGEST, GAP, 3), *codec)?;
    let (wall, kernel) = quartile_on(device, || device.decode(&longest))?;
    let unpacked = rate(kernel / f64::from(LONGEST), 0.0005);
    rates.received = rate((wall - rates.decode) / f64::from(LONGEST) - unpacked, 0.004);
    let sent_wall = quartile(|| {
        device.forget_lists()?;
        device.decode(&longest)
    })?;
    rates.sent = rate((sent_wall - wall) / longest.size() as f64, 0.001);

    let small = vec![tiny.to_vec(); 256];
    let (one, one_kernel) = quartile_on(device, || device.intersect_batch(&small[..1], 1))?;
    rates.intersect = rate(one, 1e3);
    let (many, many_kernel) = quartile_on(device, || device.intersect_batch(&small, 1))?;
    rates.query = rate((many - one - (many_kernel - one_kernel)) / 255.0, 1.0);
    // Enough work for the kernels to occupy the whole device.
    let probed = [PostingList::encode(&doc_ids(LONG / 64, 64 * GAP, 5), *codec)?, pair[0].clone()];
    for (way, to, query, times) in [(0, &mut rates.probed, &probed, 32), (1, &mut rates.marked, pair, 4)] {
        let queries = vec![query.to_vec(); times];
        let (_, kernel) = quartile_on(device, || device.intersect_count_batch(&queries))?;
        let lengths = query.iter().map(|list| (list.codec(), list.len()));
        let largest = query.iter().map(PostingList::universe).min().unwrap_or(0);
        let reckoned = device::kernel_work(lengths, largest)[way] / 1e3 * times as f64;
        *to = rate((kernel - one_kernel) / reckoned, 0.1);
    }
    // A list with itself, so that many results are read back.
    let same = [vec![pair[0].clone(); 2]];
    let (wall, kernel) = quartile_on(device, || device.intersect_batch(&same, 1))?;
    rates.gathered = rate((wall - rates.intersect - (kernel - one_kernel)) / n, 0.004);
    for Lists { pair, .. } in lists {
        if device.decode(&pair[0])? != pair[0].decode() {
            return Err(Error::Device("it decodes a list incorrectly".into()));
        }
    }
    Ok(())
}
