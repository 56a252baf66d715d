//! The nearest vectors on a device: how many queries of a batch a second, and how many times as many as the CPU?
//!
//!     cargo bench --no-default-features --features lab --bench nearest -- --device NAME [--rows N] [--dimensions D] \
//!         [--metric cosine|dot|euclidean] [--data noise|clusters] [--segments S] [--batch N[,N…]] [--limit K] \
//!         [--index DIR] [--memory BYTES] [--rounds N] [--sample N] [--out FILE] [--log]
//!
//! Vectors are generated: noise, or noise around 10,000 centres, in S segments, at most 15. `--index` keeps them in a
//! folder, and uses what an earlier run left there. The binary that cargo builds needs no other file. Hits of the first queries
//! of a batch are compared with the CPU's, to the last bit. `POSTINGS_DEVICE_NEAREST` names a kernel: `mma`, `mma-free`, `dot`
//! or `plain`.

#[path = "support/clock.rs"]
#[allow(dead_code)]
mod clock;
#[path = "../tests/common/random.rs"]
mod random;

use clock::{Spread, seconds};
use postings::device::{self, Device};
use postings::engine::{self, Offload, Settings};
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::{Index, Options};
use postings::vector::{Metric, Query, Shape};
use random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Centres of clusters.
const CENTRES: u64 = 10_000;
/// Vectors that are generated at a time.
const CHUNK: u64 = 1 << 16;

struct Args {
    device: String,
    rows: u64,
    shape: Shape,
    clusters: bool,
    segments: u64,
    batches: Vec<usize>,
    limit: usize,
    index: Option<PathBuf>,
    memory: u64,
    rounds: usize,
    /// Queries that the CPU answers, to compare and for its rate.
    sample: usize,
    out: Option<PathBuf>,
    log: bool,
}

fn args() -> Result<Args> {
    let mut args = Args {
        device: "auto".into(),
        rows: 100_000,
        shape: Shape { dimensions: 384, metric: Metric::Cosine },
        clusters: false,
        segments: 1,
        batches: vec![1000],
        limit: 10,
        index: None,
        memory: 0,
        rounds: 5,
        sample: 32,
        out: None,
        log: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--bench" => {}
            "--device" => args.device = value()?,
            "--rows" => args.rows = value()?.parse()?,
            "--dimensions" => args.shape.dimensions = value()?.parse()?,
            "--metric" => {
                let name = value()?;
                args.shape.metric = Metric::named(name.as_bytes()).ok_or_else(|| format!("{name}: no metric"))?;
            }
            "--data" => args.clusters = value()? == "clusters",
            "--segments" => args.segments = value()?.parse()?,
            "--batch" => args.batches = value()?.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?,
            "--limit" => args.limit = value()?.parse()?,
            "--index" => args.index = Some(value()?.into()),
            "--memory" => args.memory = value()?.parse()?,
            "--rounds" => args.rounds = value()?.parse()?,
            "--sample" => args.sample = value()?.parse()?,
            "--out" => args.out = Some(value()?.into()),
            "--log" => args.log = true,
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    Ok(args)
}

/// Adds noise of about the variance 1 / dimensions to components.
fn add_noise(random: &mut Random, vector: &mut [f32]) {
    // The sum of four uniform numbers, of 16 bits each, has the variance 1/3 of 2^32.
    let scale = (3.0 / vector.len() as f32).sqrt() / 65_536.0;
    for component in vector {
        let bits = random.next();
        let sum = (0..4).map(|at| (bits >> (16 * at)) as u16 as f32).sum::<f32>() - 2.0 * 65_535.0;
        *component += sum * scale;
    }
}

/// The vector with that number.
fn vector(args: &Args, number: u64) -> Vec<f32> {
    let seeded = |seed: u64| {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    };
    let mut random = seeded(number);
    let mut vector = vec![0.0; args.shape.dimensions.into()];
    if args.clusters {
        let centre = random.below(CENTRES);
        add_noise(&mut seeded(u64::MAX - centre), &mut vector);
    }
    add_noise(&mut random, &mut vector);
    vector
}

/// The vectors with these numbers, by all cores.
fn vectors(args: &Args, numbers: std::ops::Range<u64>) -> Vec<Vec<f32>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let step = (numbers.end - numbers.start).div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = (numbers.start..numbers.end)
            .step_by(step as usize)
            .map(|from| scope.spawn(move || (from..numbers.end.min(from + step)).map(|at| vector(args, at)).collect()))
            .collect();
        parts.into_iter().flat_map(|part| -> Vec<Vec<f32>> { part.join().expect("no panic") }).collect()
    })
}

fn generate(args: &Args, folder: &Path) -> Result<Index> {
    let (kind, vector) = (Kind::Vector, Some(args.shape));
    let field = Field { name: "embedding".into(), kind, weight: 1.0, stored: false, analyzer: None, vector };
    let analyzer = postings::analysis::Analyzer::new(Default::default())?;
    let schema = Schema { fields: vec![field], positions: false, analyzer, codecs: Default::default() };
    // Each commit is one segment, which is gathered in memory: vectors, and codes and what writing them takes.
    let of_segment = args.rows.div_ceil(args.segments);
    let memory = (of_segment as usize * (args.shape.bytes() * 2 + 256)).max(256 << 20);
    let mut writer = Writer::open(folder, Some(schema), WriterOptions { memory, ..Default::default() })?;
    for from in (0..args.rows).step_by(of_segment as usize) {
        let end = args.rows.min(from + of_segment);
        for from in (from..end).step_by(CHUNK as usize) {
            for (id, vector) in (from..).zip(vectors(args, from..end.min(from + CHUNK))) {
                writer.add(Id::Int(id as i64), Document { values: vec![(0, Value::Vector(vector))] })?;
            }
        }
        writer.commit()?;
    }
    Ok(Index::open(folder)?)
}

fn main() -> Result<()> {
    let args = args()?;
    if args.log {
        log::set_logger(&Printer)?;
        log::set_max_level(log::LevelFilter::Debug);
    }
    let Some(device) = device::select(&args.device)? else {
        println!("No device ({}); name one with --device. Nothing measured.", args.device);
        return Ok(());
    };
    let own = std::env::temp_dir().join(format!("postings-nearest-{}", std::process::id()));
    let folder = args.index.clone().unwrap_or_else(|| own.clone());
    let measured = measure(&args, &device, &folder);
    let _ = std::fs::remove_dir_all(&own);
    let rows = measured?;
    if let Some(out) = &args.out {
        std::fs::write(out, format!("[\n{}\n]\n", rows.join(",\n")))?;
    }
    Ok(())
}

fn measure(args: &Args, device: &Device, folder: &Path) -> Result<Vec<String>> {
    let index = match Index::open(folder) {
        Ok(index) => index,
        Err(_) => {
            let (time, index) = seconds(|| generate(args, folder));
            println!("{} vectors generated and written in {time:.1} s", args.rows);
            index?
        }
    };
    if index.schema().fields.first().and_then(|field| field.vector) != Some(args.shape) {
        return Err("the index has other vectors".into());
    }
    let info = device.info();
    let (rows, shape) = (index.documents(), args.shape);
    let name = format!(
        "{rows} × {}, {}, {}, {} segments, top {}",
        shape.dimensions,
        shape.metric.name(),
        if args.clusters { "clusters" } else { "noise" },
        index.snapshot().parts().len(),
        args.limit
    );
    println!("{}, {}: {name}", info.platform, info.name);
    let settings = Settings {
        device: args.device.clone(),
        offload: Offload::Always,
        device_memory: args.memory,
        ..Settings::default()
    };
    let options = Options { limit: args.limit, ..Options::default() };
    let most = args.batches.iter().copied().max().unwrap_or(0);
    let all = vectors(args, rows..rows + most as u64);
    let all = all.iter().map(|vector| Query::new(shape, vector)).collect::<postings::Result<Vec<_>>>()?;
    let sample = &all[..args.sample.min(most)];
    // The first of them reads the codes from the disk.
    index.nearest(0, &sample[..sample.len().min(1)], &options, 1)?;
    let (time, expected) = seconds(|| index.nearest(0, sample, &options, 0));
    let (cpu, expected) = (sample.len() as f64 / time, expected?);
    println!("CPU, all cores: {cpu:.1} q/s");
    let mut out = Vec::new();
    for &batch in &args.batches {
        let queries = &all[..batch];
        let before = engine::stats();
        let search = || engine::nearest(&index, 0, queries, &options, &settings);
        let (first, found) = seconds(search);
        let times: Vec<f64> = (0..args.rounds).map(|_| seconds(search).0).collect();
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
        if failures + on_cpu > 0 {
            println!("{failures} failures of the device, {on_cpu} calls in which the CPU answered some or all");
        }
        for (number, (found, expected)) in found?.iter().zip(&expected).enumerate() {
            if found != expected {
                return Err(format!("query {number}: {found:?}, not {expected:?}").into());
            }
        }
        let rate = Spread::of(times, |time| batch as f64 / time);
        let sum: f64 = kernels.values().sum();
        let products = rows as f64 * batch as f64 * f64::from(shape.dimensions);
        let list: Vec<String> = kernels.iter().map(|(name, time)| format!("{name} {time:.2}")).collect();
        println!(
            "batch of {batch}: {:.0} q/s ({:.0}–{:.0}), {:.1} × the CPU; first call {first:.2} s; kernels {sum:.2} ms ({}), {:.2e} products a second",
            rate.median,
            rate.low,
            rate.high,
            rate.median / cpu,
            list.join(", "),
            products / sum * 1e3
        );
        out.push(format!(
            "{{\"device\": \"{}\", \"name\": \"{name}\", \"batch\": {batch}, \"rate\": {:.1}, \"low\": {:.1}, \"high\": {:.1}, \"cpu\": {cpu:.2}, \"first\": {first:.3}, \"kernel_ms\": {sum:.3}, \"kernels\": \"{}\", \"failures\": {failures}, \"on_cpu\": {on_cpu}}}",
            info.name,
            rate.median,
            rate.low,
            rate.high,
            list.join(", ")
        ));
    }
    Ok(out)
}

/// Prints what the library logs.
struct Printer;

impl log::Log for Printer {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, record: &log::Record) {
        println!("    {}", record.args());
    }

    fn flush(&self) {}
}
