//! Ranked search on a device: how many queries a second, and how many times as many as one thread of the CPU?
//!
//!     cargo bench --no-default-features --features lab --bench ranked -- --device NAME [--index DIR [--queries FILE] [--phrases FILE]] \
//!         [--documents N [--segments S]] [--split query|segment] [--memory BYTES]
//!
//! `DIR` is an index with one text field, `--queries` has a query a line, `--phrases` a phrase a line, without quotes.
//! `--documents` generates a collection instead: N documents of 55 words each, drawn from a million by Zipf's law, in
//! one segment or in S, at most 15. Several devices that NAME means divide batches; `--split` says how, and `--memory`
//! what each may keep lists in. To compare with one of them, name that with another `--device P:D`. The binary that
//! cargo builds is self-contained and can be copied to another machine. Results of the device are compared with the
//! CPU's, to the last bit.

#[path = "support/clock.rs"]
#[allow(dead_code)]
mod clock;
#[path = "support/generated.rs"]
mod generated;
#[path = "../tests/common/random.rs"]
mod random;
#[path = "support/rank_targets.rs"]
mod rank_targets;

use clock::{Spread, seconds};
use generated::{generate, zipf_queries};
use postings::device::{self, Device};
use postings::engine::{self, Division, Offload, Settings};
use postings::lab::accumulators;
use postings::search::{Found, Index, Matching, Options};
use random::Random;
use rank_targets::{Measured, SMALL};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Who ranks on the device.
#[derive(Clone, Copy)]
enum Way {
    Engine,
    /// With an accumulator per document, as the papers do it.
    Accumulators,
}

struct Args {
    /// Selectors: what is measured is measured with each.
    devices: Vec<String>,
    index: Option<PathBuf>,
    queries: Option<PathBuf>,
    phrases: Option<PathBuf>,
    documents: Option<u64>,
    segments: u64,
    division: Division,
    /// Bytes of device memory for lists.
    memory: u64,
    rounds: usize,
    /// Queries that one thread of the CPU answers, for its rate.
    sample: usize,
    out: Option<PathBuf>,
    /// Prints what the library logs.
    log: bool,
}

fn args() -> Result<Args> {
    let mut args = Args {
        devices: Vec::new(),
        index: None,
        queries: None,
        phrases: None,
        documents: None,
        segments: 1,
        division: Division::Auto,
        memory: 0,
        rounds: 5,
        sample: 300,
        out: None,
        log: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--bench" => {}
            "--device" => args.devices.push(value()?),
            "--index" => args.index = Some(value()?.into()),
            "--queries" => args.queries = Some(value()?.into()),
            "--phrases" => args.phrases = Some(value()?.into()),
            "--documents" => args.documents = Some(value()?.parse()?),
            "--segments" => args.segments = value()?.parse()?,
            "--memory" => args.memory = value()?.parse()?,
            "--split" => {
                args.division = match &*value()? {
                    "query" => Division::Queries,
                    "segment" => Division::Segments,
                    other => return Err(format!("--split {other}: query or segment").into()),
                }
            }
            "--rounds" => args.rounds = value()?.parse()?,
            "--sample" => args.sample = value()?.parse()?,
            "--log" => args.log = true,
            "--out" => args.out = Some(value()?.into()),
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    if args.devices.is_empty() {
        args.devices.push("auto".into());
    }
    Ok(args)
}

fn main() -> Result<()> {
    let args = args()?;
    if args.index.is_some() != (args.queries.is_some() || args.phrases.is_some()) {
        return Err("--index and --queries or --phrases belong together".into());
    }
    if args.index.is_none() && args.documents.is_none() {
        println!("Nothing to search: name --index DIR --queries FILE, or --documents N, or run `make bench-ranked`.");
        return Ok(());
    }
    if args.log {
        log::set_logger(&Printer)?;
        log::set_max_level(log::LevelFilter::Debug);
    }
    let mut benches = Vec::new();
    for selector in &args.devices {
        let Some(device) = device::select(selector)? else {
            println!("No device ({selector}); name one with --device. Nothing measured.");
            return Ok(());
        };
        benches.push(Bench { device, selector: selector.clone(), args: &args, rows: Vec::new(), measured: Vec::new() });
    }
    if let Some(index) = &args.index {
        let index = Index::open(index)?;
        let lines = |file: &Path| -> Result<Vec<String>> {
            Ok(std::fs::read_to_string(file)?.lines().map(str::to_owned).collect())
        };
        if let Some(queries) = &args.queries {
            let queries = lines(queries)?;
            benches.iter_mut().try_for_each(|bench| bench.measure(&index, &queries))?;
        }
        if let Some(phrases) = &args.phrases {
            let phrases: Vec<String> = lines(phrases)?.iter().map(|phrase| format!("\"{phrase}\"")).collect();
            benches.iter_mut().try_for_each(|bench| bench.phrases(&index, &phrases))?;
        }
    }
    if let Some(documents) = args.documents {
        let folder = std::env::temp_dir().join(format!("postings-ranked-{}", std::process::id()));
        let (time, made) = seconds(|| generate(&folder, documents, args.segments.max(1)));
        println!("\n{documents} documents generated in {time:.1} s");
        let queries = zipf_queries(10_000);
        let measured = made.and_then(|index| benches.iter_mut().try_for_each(|bench| bench.measure(&index, &queries)));
        let _ = std::fs::remove_dir_all(&folder);
        measured?;
    }
    // Of several devices, beside one of them where a selector means one.
    let devices = |bench: &Bench| device::twins(&bench.selector).len();
    let alone = benches.iter().find(|bench| devices(bench) == 1).map_or(&[][..], |bench| &bench.measured);
    for bench in &benches {
        println!("\n{}:", bench.selector);
        rank_targets::lines(devices(bench), &bench.measured, alone).iter().for_each(|line| println!("{line}"));
    }
    let rows: Vec<String> = benches.into_iter().flat_map(|bench| bench.rows).collect();
    if let Some(out) = &args.out {
        std::fs::write(out, format!("[\n{}\n]\n", rows.join(",\n")))?;
    }
    Ok(())
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

/// Calls that may send lists before others are timed.
const MOST_SENDING: usize = 30;

struct Bench<'b> {
    device: Device,
    selector: String,
    args: &'b Args,
    /// JSON objects.
    rows: Vec<String>,
    /// What may have a target.
    measured: Vec<Measured>,
}

impl Bench<'_> {
    fn settings(&self) -> Settings {
        let Args { division, memory, .. } = *self.args;
        let device = self.selector.clone();
        Settings { device, offload: Offload::Always, division, device_memory: memory, ..Settings::default() }
    }

    fn measure(&mut self, index: &Index, queries: &[String]) -> Result<()> {
        let devices = device::twins(&self.selector);
        // Others may have used them.
        devices.iter().try_for_each(|device| device.forget_lists())?;
        let devices = devices.len();
        let info = self.device.info();
        println!("\n{}: {devices} × {}, {}; {:?}", self.selector, info.platform, info.name, self.args.division);
        println!(
            "\n{} documents in {} segments, {} queries",
            index.documents(),
            index.snapshot().parts().len(),
            queries.len()
        );
        let words: Vec<&str> = queries.iter().flat_map(|query| query.split(' ')).collect();
        let long = |terms: usize, count: usize| -> Vec<String> {
            let mut random = Random(5);
            (0..count)
                .map(|_| {
                    let word = || words[(random.next() >> 11) as usize % words.len()];
                    std::iter::repeat_with(word).take(terms).collect::<Vec<_>>().join(" ")
                })
                .collect()
        };
        let usual = Options::default();
        let any = Options { matching: Matching::Any, ..usual.clone() };
        self.batch("AND top 10", index, queries, &usual)?;
        // A tenth of them.
        let part = &queries[..queries.len().div_ceil(10)];
        self.batch(&format!("AND top 10{SMALL}"), index, part, &usual)?;
        self.batch("AND top 10, total", index, queries, &Options { total: true, ..usual.clone() })?;
        self.batch("OR top 10", index, queries, &any)?;
        self.batch(&format!("OR top 10{SMALL}"), index, part, &any)?;
        // As the papers do it, for some queries: each has 8 bytes per document.
        let some: Vec<String> = queries.iter().step_by(queries.len().div_ceil(200).max(1)).cloned().collect();
        self.batch("OR top 10, 200 queries", index, &some, &any)?;
        self.batch_by(Way::Accumulators, "OR top 10, plain accumulators", index, &some, &any)?;
        self.batch("OR top 10, total", index, queries, &Options { total: true, ..any.clone() })?;
        self.batch("OR top 1000", index, queries, &Options { limit: 1000, ..any.clone() })?;
        self.batch("OR top 10, 30 words", index, &long(30, 2000), &any)?;
        self.batch("OR top 10, 100 words", index, &long(100, 1000), &any)?;
        self.alone("AND top 10, one query", index, queries, &usual)?;
        self.alone("OR top 10, one query", index, queries, &any)
    }

    /// Phrases that were not asked before, in several calls, and then again.
    fn phrases(&mut self, index: &Index, phrases: &[String]) -> Result<()> {
        const CALLS: usize = 8;
        println!("\n{} phrases", phrases.len());
        self.device.forget_lists()?;
        let options = Options::default();
        let settings = self.settings();
        for (at, phrases) in phrases.chunks(phrases.len().div_ceil(CALLS).max(1)).enumerate() {
            let phrases: Vec<&str> = phrases.iter().map(|phrase| &**phrase).collect();
            self.device.set_profiling(true);
            self.device.take_kernel_times()?;
            let (time, found) = seconds(|| engine::search_batch(index, &phrases, &options, &settings));
            self.device.set_profiling(false);
            let kernels: u64 = self.device.take_kernel_times()?.iter().map(|time| time.nanoseconds).sum();
            let (cpu, expected) = seconds(|| index.search_batch(&phrases, &options, 1));
            for ((phrase, found), expected) in phrases.iter().zip(&found?).zip(&expected?) {
                compare(phrase, found, expected)?;
            }
            let [rate, cpu] = [time, cpu].map(|time| phrases.len() as f64 / time);
            let name = format!("phrases, new, call {}", at + 1);
            println!(
                "{name:24} {rate:9.0} q/s, {:6.1} × one thread ({cpu:.0} q/s); kernels {:.2} ms",
                rate / cpu,
                kernels as f64 * 1e-6
            );
            let selector = &self.selector;
            self.rows.push(format!(
                "{{\"device\": \"{selector}\", \"documents\": {}, \"name\": \"{name}\", \"queries\": {}, \"rate\": {rate:.0}, \"cpu\": {cpu:.1}}}",
                index.documents(),
                phrases.len()
            ));
        }
        self.batch("phrases top 10", index, phrases, &options)?;
        self.alone("phrases top 10, one query", index, phrases, &options)
    }

    /// A batch: device, one thread of the CPU.
    fn batch(&mut self, name: &str, index: &Index, queries: &[String], options: &Options) -> Result<()> {
        self.batch_by(Way::Engine, name, index, queries, options)
    }

    fn batch_by(&mut self, way: Way, name: &str, index: &Index, queries: &[String], options: &Options) -> Result<()> {
        let queries: Vec<&str> = queries.iter().map(|query| &**query).collect();
        let settings = self.settings();
        let device = self.device.clone();
        let search = || match way {
            Way::Engine => engine::search_batch(index, &queries, options, &settings),
            Way::Accumulators => {
                let found = accumulators::search_batch(&device, index, &queries, options, &settings)?;
                Ok(found.into_iter().map(Option::unwrap_or_default).collect())
            }
        };
        let failures = engine::stats().device_failures;
        // The first call sends the lists.
        let (first, found) = seconds(search);
        let found = found?;
        // Several devices get lists that only others had in later ones.
        let mut sending = 1;
        while sending < MOST_SENDING {
            let misses = device::cache_stats().misses;
            search()?;
            if device::cache_stats().misses == misses {
                break;
            }
            sending += 1;
        }
        let mut times = Vec::new();
        for _ in 0..self.args.rounds {
            times.push(seconds(search).0);
        }
        self.device.set_profiling(true);
        self.device.take_kernel_times()?;
        search()?;
        self.device.set_profiling(false);
        let mut kernels: BTreeMap<&str, f64> = BTreeMap::new();
        for time in self.device.take_kernel_times()? {
            *kernels.entry(time.kernel).or_default() += time.nanoseconds as f64 * 1e-6;
        }
        let step = queries.len().div_ceil(self.args.sample).max(1);
        let sample: Vec<&str> = queries.iter().copied().step_by(step).collect();
        let (cpu, expected) = seconds(|| index.search_batch(&sample, options, 1));
        for ((query, found), expected) in sample.iter().zip(found.iter().step_by(step)).zip(&expected?) {
            compare(query, found, expected)?;
        }
        if engine::stats().device_failures != failures {
            return Err(format!("{name}: the device failed").into());
        }
        let postings = postings(index, &queries)?;
        let rate = Spread::of(times, |time| queries.len() as f64 / time);
        let cpu = sample.len() as f64 / cpu;
        let kernels: Vec<String> = kernels.iter().map(|(name, time)| format!("{name} {time:.2}")).collect();
        println!(
            "{name:24} {:9.0} q/s ({:.0}–{:.0}), {:6.1} × one thread ({cpu:.0} q/s); first call {:.0} ms, lists sent in {sending}; {:.1} k postings a query; kernels, ms: {}",
            rate.median,
            rate.low,
            rate.high,
            rate.median / cpu,
            1e3 * first,
            postings as f64 / queries.len() as f64 / 1e3,
            kernels.join(", ")
        );
        self.measured.push(Measured { name: name.into(), documents: index.documents(), value: rate.median });
        let (selector, division) = (&self.selector, self.args.division);
        self.rows.push(format!(
            "{{\"device\": \"{selector}\", \"division\": \"{division:?}\", \"documents\": {}, \"name\": \"{name}\", \"queries\": {}, \"rate\": {:.0}, \"low\": {:.0}, \"high\": {:.0}, \"cpu\": {cpu:.1}, \"postings\": {postings}, \"kernels\": \"{}\"}}",
            index.documents(),
            queries.len(),
            rate.median,
            rate.low,
            rate.high,
            kernels.join(", ")
        ));
        Ok(())
    }

    /// Single queries, whole calls.
    fn alone(&mut self, name: &str, index: &Index, queries: &[String], options: &Options) -> Result<()> {
        let settings = self.settings();
        let queries: Vec<&str> = queries.iter().step_by(queries.len().div_ceil(200)).map(|query| &**query).collect();
        engine::search_batch(index, &queries, options, &settings)?;
        let mut of = [Vec::new(), Vec::new()];
        for query in &queries {
            of[0].push(seconds(|| engine::search(index, query, options, &settings)).0);
            of[1].push(seconds(|| index.search(query, options)).0);
        }
        let [device, cpu] = of.map(|times| Spread::of(times, |time| 1e3 * time));
        println!(
            "{name:24} {:9.3} ms ({:.3}–{:.3}); one thread {:.3} ms ({:.3}–{:.3})",
            device.median, device.low, device.high, cpu.median, cpu.low, cpu.high
        );
        self.measured.push(Measured { name: name.into(), documents: index.documents(), value: device.median });
        let (selector, division) = (&self.selector, self.args.division);
        self.rows.push(format!(
            "{{\"device\": \"{selector}\", \"division\": \"{division:?}\", \"documents\": {}, \"name\": \"{name}\", \"ms\": {:.4}, \"cpu_ms\": {:.4}}}",
            index.documents(),
            device.median,
            cpu.median
        ));
        Ok(())
    }
}

/// The postings of all words of the queries together.
fn postings(index: &Index, queries: &[&str]) -> Result<u64> {
    let mut known = BTreeMap::new();
    let mut sum = 0;
    for word in queries.iter().flat_map(|query| query.split([' ', '"'])).filter(|word| !word.is_empty()) {
        sum += match known.get(word) {
            Some(&count) => count,
            None => {
                let count = index.count(word, &Options::default())?;
                known.insert(word, count);
                count
            }
        };
    }
    Ok(sum)
}

fn compare(query: &str, found: &Found, expected: &Found) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{query}: {found:?}, not {expected:?}").into())
}
