//! What child processes do: try a way, or measure one.

use super::clock::{Spread, seconds};
use super::{Args, Data, Queries, ROW, Result};
use postings::device::{self, Device};
use postings::engine::{self, Offload, Settings};
use postings::search::{Index, Options};
use postings::vector::{Metric, Query, Shape};
use std::collections::BTreeMap;
use std::time::Duration;

/// Queries after the vectors of an index of so many rows.
pub fn queries(args: &Args, data: &Data, rows: u64, count: usize) -> Result<Queries> {
    let vectors = data.vectors(rows..rows + count as u64);
    Ok(vectors.iter().map(|vector| Query::new(args.shape, vector)).collect::<postings::Result<_>>()?)
}

fn device(args: &Args) -> Result<Device> {
    Ok(device::select(&args.device)?.ok_or("no device")?.with_timeout(Duration::from_secs(60)))
}

/// Prints what is wrong with a way, or as the last line "OK".
pub fn trial(args: &Args, way: &str) -> Result<()> {
    let device = device(args)?;
    let mut is_ok = true;
    for (dimensions, metric) in [
        (1, Metric::Dot),
        (45, Metric::Euclidean),
        (384, Metric::Cosine),
        (1000, Metric::Dot),
        (4096, Metric::Euclidean),
    ] {
        let (time, tried) = seconds(|| device.try_nearest(Shape { dimensions, metric, ..args.shape }, way));
        match tried {
            Ok(()) => println!("{dimensions}, {}: as the host, {time:.2} s", metric.name()),
            Err(error) => {
                let said = error.to_string();
                println!("{dimensions}, {}: {}", metric.name(), said.chars().take(1500).collect::<String>());
                is_ok = false;
                // What the compiler says of one shape it says of all.
                break;
            }
        }
    }
    if is_ok {
        println!("OK");
    }
    Ok(())
}

/// Measures the way that the environment names.
pub fn measure(args: &Args, of_cpu: &[f64]) -> Result<()> {
    let device = device(args)?;
    let index = Index::open(&args.folder)?;
    let (rows, segments) = (index.documents(), index.snapshot().parts().len());
    let most = args.batches.iter().copied().max().unwrap_or(0);
    let all = queries(args, &Data::new(args), rows, most)?;
    let settings = Settings {
        device: args.device.clone(),
        offload: Offload::Always,
        device_memory: args.memory,
        device_timeout: Duration::from_secs(60),
        ..Settings::default()
    };
    let options = Options { limit: args.limit, ..Options::default() };
    let sample = &all[..args.sample.min(most)];
    let expected = index.nearest(0, sample, &options, 0)?;
    for (at, &batch) in args.batches.iter().enumerate() {
        let queries = &all[..batch];
        let before = engine::stats();
        let search = || engine::nearest(&index, 0, queries, &options, &settings);
        // The log says what was encoded and compiled, and how long the host waited and worked.
        log::set_max_level(log::LevelFilter::Debug);
        let (first, found) = seconds(search);
        log::set_max_level(log::LevelFilter::Warn);
        let times: Vec<f64> = (0..args.rounds).map(|_| seconds(search).0).collect();
        log::set_max_level(log::LevelFilter::Debug);
        println!("    one more call:");
        search()?;
        log::set_max_level(log::LevelFilter::Warn);
        device.set_profiling(true);
        device.take_kernel_times()?;
        search()?;
        device.set_profiling(false);
        let mut kernels: BTreeMap<&str, f64> = BTreeMap::new();
        for time in device.take_kernel_times()? {
            *kernels.entry(time.kernel).or_default() += time.nanoseconds as f64 * 1e-6;
        }
        let after = engine::stats();
        let (failures, on_cpu) = (after.device_failures - before.device_failures, after.cpu_calls - before.cpu_calls);
        let different = found?.iter().zip(&expected).filter(|(found, expected)| found != expected).count();
        let compared = match (failures + on_cpu, different) {
            (0, 0) => format!("{} equal", sample.len().min(batch)),
            (0, _) => format!("{different} WRONG"),
            _ => format!("{different} wrong; {failures} failures, {on_cpu} calls with the CPU"),
        };
        let whole = Spread::of(&times, |time| time * 1e3).median;
        let rate = Spread::of(times, |time| batch as f64 / time);
        let sum: f64 = kernels.values().sum();
        let products = rows as f64 * batch as f64 * f64::from(args.shape.dimensions);
        let list: Vec<String> = kernels.iter().map(|(name, time)| format!("{name} {time:.2}")).collect();
        println!(
            "{ROW}{rows} | {segments} | {batch} | {} | {:.0} | {:.0}–{:.0} | {:.1} | {} | {whole:.2} | {first:.2} | {:.2e} | {:.0} | {compared} |",
            device.nearest_way(args.shape)?.unwrap_or("none"),
            rate.median,
            rate.low,
            rate.high,
            of_cpu.get(at).map_or(0.0, |of_cpu| rate.median / of_cpu),
            list.join(", "),
            products / sum * 1e3,
            device::cache_stats().bytes as f64 * 1e-6,
        );
    }
    Ok(())
}

/// Prints what the library logs.
pub struct Printer;

impl log::Log for Printer {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, record: &log::Record) {
        println!("    {}", record.args());
    }

    fn flush(&self) {}
}
