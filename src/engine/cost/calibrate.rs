//! Measuring the rates: operations on lists of 2^19 docIDs and fewer.

use super::{
    DECODE, DECODED, FAR, GATHERED, INTERSECT, KINDS, LIST, MARKED, MERGED, NEAR, PROBED, QUERY, RECEIVED, Rates, SENT,
    UNPACKED, nth,
};
use crate::codec::Codec;
use crate::device::{self, Device};
use crate::error::{Error, Result};
use crate::intersect::{self, Count};
use crate::list::PostingList;
use std::hint::black_box;
use std::time::Instant;

/// Runs, of which the lower quartile counts: a disturbance makes runs longer, never shorter.
const RUNS: usize = 9;

/// docIDs of the lists that the CPU has to do with, and their mean gap: more than its nearest caches hold.
const LONG: u32 = 1 << 17;
const GAP: u32 = 8;

/// docIDs of the list that goes to the device and back.
const LONGEST: u32 = 1 << 19;

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

/// docIDs with gaps of about that mean, spread as those of documents drawn at random are: how long runs are matters.
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
    let mut rates = Rates([0.0; KINDS]);
    let begun = Instant::now();
    let lists = on_cpu(&mut rates)?;
    let cpu = begun.elapsed();
    on_device(&mut rates, device, &lists)?;
    log::debug!("measuring took {cpu:?} for the CPU, {:?} in all", begun.elapsed());
    Ok(rates)
}

/// Two lists of [`LONG`] docIDs, two of 16.
type Lists = ([PostingList; 2], [PostingList; 2]);

impl Rates {
    /// Keeps a rate, at least so great, and returns it.
    fn set(&mut self, kind: usize, rate: f64, least: f64) -> f64 {
        self.0[kind] = if rate.is_finite() { rate.max(least) } else { least };
        self.0[kind]
    }
}

/// Measures what the CPU does, and returns lists of both codecs.
pub(super) fn on_cpu(rates: &mut Rates) -> Result<[Lists; 2]> {
    let n = f64::from(LONG);
    let (ids, other_ids) = (doc_ids(LONG, GAP, 0), doc_ids(LONG, GAP, 77));
    // Both so much shorter that they are probed, whatever the codec: one as dense as the longer list, as far as it goes.
    let near_ids = &other_ids[..(LONG / 64) as usize];
    let far_ids = doc_ids(LONG / 2048, 2048 * GAP, 9);
    let mut of_codec = |codec: Codec| -> Result<Lists> {
        let encode = |ids: &[u32]| PostingList::encode(ids, codec);
        let pair = [encode(&ids)?, encode(&other_ids)?];
        let tiny = [encode(&near_ids[..16])?, encode(&near_ids[8..24])?];
        let repeated = |lists: &[PostingList], times: u32| {
            Ok::<f64, Error>(quartile(|| Ok((0..times).map(|_| count(lists)).sum::<u64>()))? / f64::from(times))
        };
        let list = rates.set(LIST, repeated(&tiny, 16)? / 2.0, 5.0);
        let decoded = rates.set(DECODED + nth(codec), quartile(|| Ok(pair[0].decode()))? / n, 0.01);
        rates.set(MERGED + nth(codec), quartile(|| Ok(count(&pair)))? / (2.0 * n), 0.05);
        let probe = |ids: &[u32], times: u32| {
            let query = [encode(ids)?, pair[0].clone()];
            let wall = repeated(&query, times)? - 2.0 * list;
            Ok::<f64, Error>(wall / ids.len() as f64 - decoded)
        };
        rates.set(NEAR + nth(codec), probe(near_ids, 4)?, 0.5);
        rates.set(FAR + nth(codec), probe(&far_ids, 16)?, 0.5);
        Ok((pair, tiny))
    };
    Ok([of_codec(Codec::Simple9)?, of_codec(Codec::QuasiSuccinct)?])
}

/// Measures what the device does.
fn on_device(rates: &mut Rates, device: &Device, lists: &[Lists; 2]) -> Result<()> {
    let [([words, _], _), (pair, [tiny, second])] = lists;
    let n = f64::from(LONG);
    let (tiny_wall, tiny_kernel) = quartile_on(device, || device.decode(tiny))?;
    let call = rates.set(DECODE, tiny_wall, 1e3);
    let (_, kernel) = quartile_on(device, || device.decode(words))?;
    rates.set(UNPACKED, (kernel - tiny_kernel) / n, 0.0005);
    // Long enough for transfers to run at their speed.
    let longest = PostingList::encode(&doc_ids(LONGEST, GAP, 3), Codec::QuasiSuccinct)?;
    let (wall, kernel) = quartile_on(device, || device.decode(&longest))?;
    let unpacked = rates.set(UNPACKED + 1, (kernel - tiny_kernel) / f64::from(LONGEST), 0.0005);
    rates.set(RECEIVED, (wall - call) / f64::from(LONGEST) - unpacked, 0.004);
    let sent_wall = quartile(|| {
        device.forget_lists()?;
        device.decode(&longest)
    })?;
    rates.set(SENT, (sent_wall - wall) / longest.size() as f64, 0.001);

    let small = vec![vec![tiny.clone(), second.clone()]; 256];
    let (one, one_kernel) = quartile_on(device, || device.intersect_batch(&small[..1]))?;
    let call = rates.set(INTERSECT, one, 1e3);
    let (many, many_kernel) = quartile_on(device, || device.intersect_batch(&small))?;
    rates.set(QUERY, (many - one - (many_kernel - one_kernel)) / 255.0, 1.0);
    // Kernels with enough to do on all of the device.
    let probed = [PostingList::encode(&doc_ids(LONG / 64, 64 * GAP, 5), Codec::QuasiSuccinct)?, pair[0].clone()];
    for (way, kind, query, times) in [(0, PROBED, &probed, 32), (1, MARKED, pair, 4)] {
        let queries = vec![query.to_vec(); times];
        let (_, kernel) = quartile_on(device, || device.intersect_count_batch(&queries))?;
        let lengths = query.iter().map(|list| (list.codec(), list.len()));
        let largest = query.iter().map(PostingList::universe).min().unwrap_or(0);
        let reckoned = device::kernel_work(lengths, largest)[way] / 1e3 * times as f64;
        rates.set(kind, (kernel - one_kernel) / reckoned, 0.1);
    }
    // With itself, so that much comes back.
    let same = [vec![pair[0].clone(); 2]];
    let (wall, kernel) = quartile_on(device, || device.intersect_batch(&same))?;
    rates.set(GATHERED, (wall - call - (kernel - one_kernel)) / n, 0.004);
    if device.decode(&pair[0])? != pair[0].decode() {
        return Err(Error::Device("it decodes wrongly".into()));
    }
    Ok(())
}
