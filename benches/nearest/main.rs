//! The nearest vectors on a device: how many queries of a batch a second, and how many times as many as the CPU?
//!
//!     cargo bench --no-default-features --features lab --bench nearest -- --device NAME [--rows N[,N…]] [--dimensions D] \
//!         [--metric cosine|dot|euclidean] [--bits 16|32] [--data clusters|noise] [--segments S] [--batch N[,N…]] [--limit K] \
//!         [--folder DIR] [--memory BYTES] [--rounds N] [--sample N] [--ways NAME[,NAME…]] [--seconds N] [--out FILE]
//!
//! The binary that cargo builds needs no other file, and generates its vectors: noise around 10,000 centres, or noise alone, in S
//! segments, at most 15. They are written below `--folder`, and removed at the end.
//!
//! 1. Each way of making products (`POSTINGS_DEVICE_NEAREST`) is tried in a process of its own with few vectors, which are
//!    compared with the host's sums: OK, what the compiler says, or what was wrong.
//! 2. For each number of rows, the CPU answers the batches on all cores. Then each way that is OK (or that `--ways` names) does,
//!    in a process of its own, which ends after `--seconds` at the latest. Hits of the first `--sample` queries are
//!    compared with the CPU's, to the last bit.
//! 3. A table.
//!
//! **What can be reached.** All rows are compared with all queries, in 8 bits a dimension. 20,000 queries a second of
//! 10,000,000 × 384 are 7.7 · 10^13 products a second: 8 in 100 of the 9.9 · 10^14 that NVIDIA states for the bytes of an H100 or
//! H200 (1,979 dense TOPS), so 250,000 queries a second are the end. Rows are read once for 512 queries: .15 TB/s of 3.35; and
//! by each work-group, for 64 queries, from the second-level cache: 1.2 TB/s. Codes of 1 bit would not help: NVIDIA states no rate of
//! tensor cores for bits since Hopper; `popc` counts 16 words a clock of a multiprocessor, 1.2 · 10^14 products of bits a second,
//! an eighth of those of bytes; and bounds by 1 bit leave most vectors to be looked at.

#[path = "../support/clock.rs"]
#[allow(dead_code)]
mod clock;
mod data;
mod measure;
#[path = "../../tests/common/random.rs"]
mod random;

use clock::seconds;
use data::Data;
use measure::Printer;
use postings::device;
use postings::search::{Index, Options};
use postings::vector::{Metric, Precision, Query, Shape};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What lines of the table begin with.
const ROW: &str = "| ";
const HEAD: &str = "| rows | segments | batch | by | q/s, median | quartiles | × CPU | kernels, ms | whole call, ms | first call, s | products/s | resident, MB | sample |";

/// Seconds for the trial of a way.
const TRIAL: u64 = 120;

struct Args {
    device: String,
    rows: Vec<u64>,
    shape: Shape,
    clusters: bool,
    segments: usize,
    batches: Vec<usize>,
    limit: usize,
    folder: PathBuf,
    memory: u64,
    rounds: usize,
    /// Queries whose hits are compared.
    sample: usize,
    ways: Option<String>,
    /// For a way.
    seconds: u64,
    out: Option<PathBuf>,
    /// In a child process: the way to try, or the queries a second of the CPU for each batch.
    trial: Option<String>,
    measure: Option<Vec<f64>>,
}

/// The items of a list with commas.
fn list<T: std::str::FromStr>(text: &str) -> std::result::Result<Vec<T>, T::Err> {
    text.split(',').map(str::parse).collect()
}

fn args() -> Result<Args> {
    let mut args = Args {
        device: "auto".into(),
        rows: vec![100_000],
        shape: Shape { dimensions: 384, metric: Metric::Cosine, precision: Precision::Bits32 },
        clusters: true,
        segments: 1,
        batches: vec![1000, 100, 10],
        limit: 10,
        folder: std::env::temp_dir(),
        memory: 0,
        rounds: 5,
        sample: 32,
        ways: None,
        seconds: 100,
        out: None,
        trial: None,
        measure: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--bench" => {}
            "--device" => args.device = value()?,
            "--rows" => args.rows = list(&value()?)?,
            "--dimensions" => args.shape.dimensions = value()?.parse()?,
            "--metric" => {
                let name = value()?;
                args.shape.metric = Metric::named(name.as_bytes()).ok_or_else(|| format!("{name}: no metric"))?;
            }
            "--bits" => {
                let bits = value()?;
                args.shape.precision =
                    Precision::of_bits(bits.parse()?).ok_or_else(|| format!("{bits}: no precision"))?;
            }
            "--data" => args.clusters = value()? != "noise",
            "--segments" => args.segments = value()?.parse()?,
            "--batch" => args.batches = list(&value()?)?,
            "--limit" => args.limit = value()?.parse()?,
            "--folder" => args.folder = value()?.into(),
            "--memory" => args.memory = value()?.parse()?,
            "--rounds" => args.rounds = value()?.parse()?,
            "--sample" => args.sample = value()?.parse()?,
            "--ways" => args.ways = Some(value()?),
            "--seconds" => args.seconds = value()?.parse()?,
            "--out" => args.out = Some(value()?.into()),
            "--trial" => args.trial = Some(value()?),
            "--measure" => args.measure = Some(list(&value()?)?),
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    Ok(args)
}

fn main() -> Result<()> {
    let args = args()?;
    if let Some(way) = &args.trial {
        return measure::trial(&args, way);
    }
    if let Some(of_cpu) = &args.measure {
        log::set_logger(&Printer)?;
        return measure::measure(&args, of_cpu);
    }
    let Some(device) = device::select(&args.device)? else {
        println!("No device ({}); name one with --device. Nothing measured.", args.device);
        return Ok(());
    };
    let info = device.info();
    println!("{}, {}", info.platform, info.name);
    let ways = device.nearest_ways();
    // Children use the device.
    drop(device);
    let mut good = Vec::new();
    for way in ways {
        let lines = child(&["--trial", way], way, TRIAL)?;
        let is_ok = lines.last().is_some_and(|line| line == "OK");
        println!("trial of {way}: {}", if is_ok { "OK" } else { "failed" });
        // Plain code in place of tensor cores is no contestant.
        if is_ok && way != "emulated" {
            good.push(way.to_owned());
        }
    }
    if let Some(ways) = &args.ways {
        good = list(ways)?;
    }
    let own = args.folder.join(format!("postings-nearest-{}", std::process::id()));
    let mut table = vec![HEAD.to_owned(), format!("|{}", "---|".repeat(HEAD.matches('|').count() - 1))];
    let measured = args.rows.iter().try_for_each(|&rows| {
        let measured = all_ways(&args, &good, rows, &own, &mut table);
        let _ = std::fs::remove_dir_all(&own);
        measured
    });
    let table = table.join("\n");
    println!("\n{table}");
    if let Some(out) = &args.out {
        std::fs::write(out, format!("{table}\n"))?;
    }
    measured
}

/// The CPU, and each way.
fn all_ways(args: &Args, ways: &[String], rows: u64, folder: &Path, table: &mut Vec<String>) -> Result<()> {
    let data = Data::new(args);
    let (time, index) = seconds(|| data.index(args, rows, folder));
    let index = index?;
    println!("\n{rows} vectors generated and written in {time:.1} s");
    let (of_cpu, lines) = by_cpu(args, &index, &data)?;
    for line in lines {
        println!("{line}");
        table.push(line);
    }
    drop((index, data));
    for way in ways {
        let of_cpu: Vec<String> = of_cpu.iter().map(f64::to_string).collect();
        let (rows, folder) = (rows.to_string(), folder.to_string_lossy());
        let lines = child(&["--measure", &of_cpu.join(","), "--rows", &rows, "--folder", &folder], way, args.seconds)?;
        table.extend(lines.into_iter().filter(|line| line.starts_with(ROW)));
    }
    Ok(())
}

/// Queries a second of the CPU, for each batch, and lines of the table.
fn by_cpu(args: &Args, index: &Index, data: &Data) -> Result<(Vec<f64>, Vec<String>)> {
    let rows = index.documents();
    let most = args.batches.iter().copied().max().unwrap_or(0);
    let queries = measure::queries(args, data, rows, most)?;
    let options = Options { limit: args.limit, ..Options::default() };
    // This reads the codes from the disk.
    index.nearest(0, &queries[..most.min(1)], &options, 1)?;
    let (mut of_cpu, mut lines) = (Vec::new(), Vec::new());
    for &batch in &args.batches {
        let (time, found) = seconds(|| index.nearest(0, &queries[..batch], &options, 0));
        found?;
        let rate = batch as f64 / time;
        let segments = index.snapshot().parts().len();
        lines.push(format!(
            "{ROW}{rows} | {segments} | {batch} | CPU, all cores | {rate:.1} | one round | 1 | | {:.1} | | | | |",
            time * 1e3
        ));
        of_cpu.push(rate);
    }
    Ok((of_cpu, lines))
}

/// The lines that a child process writes, which has at most that many seconds.
fn child(more: &[&str], way: &str, limit: u64) -> Result<Vec<String>> {
    println!("-- {way}");
    let mut child = Command::new(std::env::current_exe()?)
        .args(std::env::args().skip(1))
        .args(more)
        .env("POSTINGS_DEVICE_NEAREST", way)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("a pipe")?;
    let lines = std::thread::spawn(move || -> Vec<String> {
        let lines = BufReader::new(out).lines().map_while(std::result::Result::ok);
        lines.inspect(|line| println!("{line}")).collect()
    });
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if began.elapsed() > Duration::from_secs(limit) {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    match status {
        Some(status) if status.success() => {}
        Some(status) => println!("{way}: {status}"),
        None => println!("{way}: ended after {limit} s"),
    }
    Ok(lines.join().unwrap_or_default())
}

/// So many queries, which are no vectors of the index.
type Queries = Vec<Query>;
