//! Measuring the rates: operations on lists of 2^17 docIDs and fewer.

use super::{
    DECODE, DECODED, FAR, GATHERED, INTERSECT, KINDS, LIST, MARKED, MERGED, NEAR, PROBED, QUERY, RECEIVED, Rates, SENT,
    UNPACKED, nth, reach,
};
use crate::codec::Codec;
use crate::cpu;
use crate::device::{self, Device};
use crate::error::{Error, Result};
use crate::intersect::{self, Count};
use crate::list::PostingList;
use std::hint::black_box;
use std::time::Instant;

/// Runs, of which the lower quartile counts: a disturbance makes runs longer, never shorter.
const RUNS: usize = 9;

/// docIDs of the longest lists, and their mean gap.
const LONG: u32 = 1 << 17;
const GAP: u32 = 8;

/// Nanoseconds of a run.
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

/// The same on the device: wall-clock nanoseconds, and those of kernels among them.
fn quartile_on<T>(device: &Device, mut run: impl FnMut() -> Result<T>) -> Result<(f64, f64)> {
    run()?; // Builds the program, makes the lists resident.
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

/// docIDs in every `gap`-sized stretch one, where a hash says.
fn doc_ids(count: u32, gap: u32, seed: u32) -> Vec<u32> {
    (0..count).map(|i| i * gap + (i ^ seed).wrapping_mul(0x9e37_79b9).rotate_left(13) % gap).collect()
}

fn count(lists: &[PostingList]) -> u64 {
    let mut count = Count::default();
    intersect::intersect(lists, &mut count);
    count.0
}

/// Measures all rates.
pub(super) fn measure(device: &Device) -> Result<Rates> {
    let mut rates = [0.0; KINDS];
    let mut set = |kind: usize, rate: f64, least: f64| {
        rates[kind] = if rate.is_finite() { rate.max(least) } else { least };
        rates[kind]
    };
    let n = f64::from(LONG);
    let tier = cpu::tier();
    let (ids, other_ids) = (doc_ids(LONG, GAP, 0), doc_ids(LONG, GAP, 77));
    // Both so much shorter that they are probed, whatever the codec.
    let near_ids = doc_ids(LONG / 64, 64 * GAP, 5);
    let far_ids = doc_ids(LONG / 2048, 2048 * GAP, 9);
    let mut lists = Vec::new();
    let mut list = 0.0;
    for codec in [Codec::Simple9, Codec::QuasiSuccinct] {
        let encode = |ids: &[u32]| PostingList::encode(ids, codec);
        let pair = [encode(&ids)?, encode(&other_ids)?];
        let tiny = [encode(&near_ids[..16])?, encode(&near_ids[8..24])?];
        let repeated = |lists: &[PostingList], times: u32| {
            Ok::<f64, Error>(quartile(|| Ok((0..times).map(|_| count(lists)).sum::<u64>()))? / f64::from(times))
        };
        list = repeated(&tiny, 16)? / 2.0;
        let decoded = set(DECODED + nth(codec), quartile(|| Ok(pair[0].decode()))? / n, 0.01);
        set(MERGED + nth(codec), quartile(|| Ok(count(&pair)))? / (2.0 * n), 0.05);
        let probe = |ids: &[u32], times: u32| {
            let query = [encode(ids)?, pair[0].clone()];
            let wall = repeated(&query, times)? - 2.0 * list;
            Ok::<f64, Error>(wall / ids.len() as f64 - decoded)
        };
        let (near, far) = (probe(&near_ids, 1)?, probe(&far_ids, 16)?);
        // The first are 64 docIDs apart, which is some of the way.
        let way = 64.0 / reach(tier, codec);
        let far = set(FAR + nth(codec), far, 0.5);
        set(NEAR + nth(codec), (near - far * way) / (1.0 - way), 0.5);
        lists.push((pair, tiny));
    }
    set(LIST, list, 5.0);

    let [([words, _], _), (pair, [tiny, second])] = &lists[..] else {
        return Err(Error::Device("no lists to measure with".into()));
    };
    let (tiny_wall, tiny_kernel) = quartile_on(device, || device.decode(tiny))?;
    let call = set(DECODE, tiny_wall, 1e3);
    for (codec, list) in [(Codec::Simple9, words), (Codec::QuasiSuccinct, &pair[0])] {
        let (wall, kernel) = quartile_on(device, || device.decode(list))?;
        let unpacked = set(UNPACKED + nth(codec), (kernel - tiny_kernel) / n, 0.0005);
        set(RECEIVED, (wall - call) / n - unpacked, 0.004);
        if codec == Codec::QuasiSuccinct {
            let sent_wall = quartile(|| {
                device.forget_lists()?;
                device.decode(list)
            })?;
            set(SENT, (sent_wall - wall) / list.size() as f64, 0.001);
        }
    }

    let small = vec![vec![tiny.clone(), second.clone()]; 256];
    let (one, one_kernel) = quartile_on(device, || device.intersect_batch(&small[..1]))?;
    let call = set(INTERSECT, one, 1e3);
    let (many, many_kernel) = quartile_on(device, || device.intersect_batch(&small))?;
    set(QUERY, (many - one - (many_kernel - one_kernel)) / 255.0, 1.0);
    // Kernels with enough to do on all of the device.
    let probed = [PostingList::encode(&near_ids, Codec::QuasiSuccinct)?, pair[0].clone()];
    for (way, kind, query, times) in [(0, PROBED, &probed, 32), (1, MARKED, pair, 4)] {
        let queries = vec![query.to_vec(); times];
        let (_, kernel) = quartile_on(device, || device.intersect_count_batch(&queries))?;
        let lengths = query.iter().map(|list| (list.codec(), list.len()));
        let largest = query.iter().map(PostingList::universe).min().unwrap_or(0);
        let reckoned = device::kernel_work(lengths, largest)[way] / 1e3 * times as f64;
        set(kind, (kernel - one_kernel) / reckoned, 0.1);
    }
    let (wall, kernel) = quartile_on(device, || device.intersect_batch(&[pair.to_vec()]))?;
    set(GATHERED, (wall - call - (kernel - one_kernel)) / count(pair).max(1) as f64, 0.004);
    if device.decode(&pair[0])? != pair[0].decode() {
        return Err(Error::Device("it decodes wrongly".into()));
    }
    Ok(Rates(rates))
}
