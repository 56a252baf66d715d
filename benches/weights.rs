//! Learned sparse weights: how long does a query take on one thread, and how many a second does a device answer?
//!
//!     cargo bench --no-default-features --features lab --bench weights -- [--documents N] [--queries N] [--limit K[,K…]] \
//!         [--device NAME] [--index DIR] [--peers DIR] [--rounds N] [--alone N] [--sample N]
//!
//! The collection is generated in the shape that SPLADE gives to passages (Formal, Lassance, Piwowarski, Clinchant 2022): 120 terms
//! of 30,522 a document, which come in topics, and 40 a query. Weights of documents are integers of at most 5 significant bits, and
//! those of queries integers to 32, so that indexes which keep 8 bits lose nothing, however they round. `--peers` writes the
//! collection as a CIFF and as PISA reads it, the queries and what was found to that folder, for `benches/weights/peers.py`. `--index`
//! keeps the index, and uses what an earlier run left there. The binary that cargo builds needs no other file. Hits of the device are
//! compared with the CPU's, to the last bit, and some of the CPU's with sums over all documents.

#[path = "weights/ciff.rs"]
mod ciff;
#[path = "support/clock.rs"]
#[allow(dead_code)]
mod clock;
#[path = "weights/collection.rs"]
mod collection;
#[path = "weights/pisa.rs"]
mod pisa;
#[path = "../tests/common/random.rs"]
mod random;

use clock::{Spread, seconds};
use collection::{Collection, QUERY_TERMS, score};
use postings::device;
use postings::engine::{self, Offload, Settings};
use postings::index::impacts::Precision;
use postings::index::{Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::{Asked, Found, Index, Options, WeightedTerms};
use std::io::Write;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Queries of which the postings are counted.
const COUNTED: usize = 50;

struct Args {
    documents: u32,
    queries: u32,
    limits: Vec<usize>,
    device: Option<String>,
    index: Option<PathBuf>,
    peers: Option<PathBuf>,
    rounds: usize,
    /// Queries that one thread answers, with whose hits the device's are compared.
    alone: usize,
    /// Queries whose hits are compared with sums over all documents.
    sample: usize,
}

fn args() -> Result<Args> {
    let mut args = Args {
        documents: 100_000,
        queries: 500,
        limits: vec![10, 1000],
        device: None,
        index: None,
        peers: None,
        rounds: 5,
        alone: usize::MAX,
        sample: 3,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--bench" => {}
            "--documents" => args.documents = value()?.parse()?,
            "--queries" => args.queries = value()?.parse()?,
            "--limit" => args.limits = value()?.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?,
            "--device" => args.device = Some(value()?),
            "--index" => args.index = Some(value()?.into()),
            "--peers" => args.peers = Some(value()?.into()),
            "--rounds" => args.rounds = value()?.parse()?,
            "--alone" => args.alone = value()?.parse()?,
            "--sample" => args.sample = value()?.parse()?,
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    Ok(args)
}

fn main() -> Result<()> {
    let args = args()?;
    let own = std::env::temp_dir().join(format!("postings-weights-{}", std::process::id()));
    let folder = args.index.clone().unwrap_or_else(|| own.clone());
    let measured = measure(&args, &folder);
    let _ = std::fs::remove_dir_all(&own);
    measured
}

fn generate(collection: &Collection, folder: &Path) -> Result<Index> {
    let field = Field { weights: Some(Precision::Bits8), ..Field::new("expansion", Kind::Weights) };
    let analyzer = postings::analysis::Analyzer::new(Default::default())?;
    let schema = Schema { fields: vec![field], positions: false, analyzer, codecs: Default::default() };
    let threads = std::thread::available_parallelism()?.get();
    let options = WriterOptions { memory: threads * (512 << 20), threads, ..Default::default() };
    let mut writer = Writer::open(folder, Some(schema), options)?;
    let name = |term: u32| collection::name(term).into_bytes();
    collection.each(|number, terms| {
        let weights = terms.iter().map(|&(term, weight)| (name(term), weight as f32)).collect();
        Ok(writer.add(Id::Int(number.into()), Document { values: vec![(0, Value::Weights(weights))] })?)
    })?;
    writer.commit()?;
    writer.optimize(false)?;
    Ok(Index::open(folder)?)
}

fn measure(args: &Args, folder: &Path) -> Result<()> {
    let collection = Collection { documents: args.documents };
    let index = match Index::open(folder) {
        Ok(index) => index,
        Err(_) => {
            let (time, index) = seconds(|| generate(&collection, folder));
            println!("{} documents generated and written in {time:.1} s", args.documents);
            index?
        }
    };
    if index.documents() != args.documents.into() {
        return Err("the index has another number of documents".into());
    }
    let bytes: u64 = std::fs::read_dir(folder)?.map_while(|file| Some(file.ok()?.metadata().ok()?.len())).sum();
    println!("{:.2} bytes a weight, with the ids", bytes as f64 / f64::from(args.documents) / collection::TERMS as f64);
    let queries: Vec<Vec<(u32, u32)>> = (0..args.queries).map(|number| collection.query(number)).collect();
    let terms = |query: &[(u32, u32)]| {
        query.iter().map(|&(term, weight)| (collection::name(term).into_bytes(), weight as f32)).collect()
    };
    let weighted: Vec<[WeightedTerms; 1]> =
        queries.iter().map(|query| [WeightedTerms { field: 0, terms: terms(query) }]).collect();
    let asked: Vec<Asked> = weighted.iter().map(|weighted| Asked { weighted, ..Asked::default() }).collect();
    let mut postings = 0;
    for term in weighted.iter().take(COUNTED).flat_map(|[of_query]| &of_query.terms) {
        let one = [WeightedTerms { field: 0, terms: vec![term.clone()] }];
        postings += index.count(Asked { weighted: &one, ..Asked::default() }, &Options::default())?;
    }
    let mut table =
        vec![format!("{} postings a query, on average", postings / weighted.len().clamp(1, COUNTED) as u64)];
    for &limit in &args.limits {
        let options = Options { limit, ..Options::default() };
        let mut found: Vec<Found> = Vec::new();
        let mut times = Vec::new();
        // The first round reads the lists from the disk.
        for _ in 0..2 {
            times.clear();
            found.clear();
            for &asked in asked.iter().take(args.alone) {
                let (time, of_query) = seconds(|| index.search(asked, &options));
                found.push(of_query?);
                times.push(1e3 * time);
            }
        }
        table.push(format!("top {limit}, one thread: {}", in_milliseconds(&mut times)));
        if limit == args.limits[0] {
            compare(&collection, &queries[..args.sample.min(found.len())], &found)?;
        }
        if let Some(folder) = &args.peers {
            write_found(&folder.join(format!("found-{limit}.txt")), &found, &times)?;
        }
        if let Some(device) = &args.device {
            table.push(on_device(args, device, &index, &asked, &options, &found)?);
        }
    }
    if let Some(folder) = &args.peers {
        std::fs::create_dir_all(folder)?;
        let mut out = std::io::BufWriter::new(std::fs::File::create(folder.join("queries.txt"))?);
        for query in &queries {
            let terms: Vec<String> =
                query.iter().map(|(term, weight)| format!("{} {weight}", collection::name(*term))).collect();
            writeln!(out, "{}", terms.join("\t"))?;
        }
        let (ciff, pisa) = (folder.join("collection.ciff"), folder.join("pisa"));
        if !ciff.exists() || !pisa.exists() {
            let lists = collection.lists()?;
            ciff::write(args.documents, &lists, &ciff)?;
            pisa::write(args.documents, &lists, &pisa)?;
        }
    }
    println!("{} documents of {} terms, {} queries of {QUERY_TERMS}", args.documents, collection::TERMS, args.queries);
    table.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn in_milliseconds(times: &mut [f64]) -> String {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    format!("mean {mean:.3} ms, median {:.3}, p99 {:.3}", at(0.5), at(0.99))
}

/// Compares the scores of hits with sums over all documents.
fn compare(collection: &Collection, queries: &[Vec<(u32, u32)>], found: &[Found]) -> Result<()> {
    let mut all: Vec<Vec<u64>> = vec![Vec::new(); queries.len()];
    collection.each(|_, terms| {
        all.iter_mut().zip(queries).for_each(|(scores, query)| scores.push(score(terms, query)));
        Ok(())
    })?;
    for (number, (mut scores, found)) in all.into_iter().zip(found).enumerate() {
        scores.sort_unstable_by(|a, b| b.cmp(a));
        let hits: Vec<u64> = found.hits.iter().map(|hit| hit.score as u64).collect();
        scores.truncate(hits.len());
        if hits != scores {
            return Err(format!("query {number}: {hits:?}, not {scores:?}").into());
        }
    }
    Ok(())
}

fn write_found(path: &Path, found: &[Found], times: &[f64]) -> Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    for (found, time) in found.iter().zip(times) {
        let scores: Vec<String> = found.hits.iter().map(|hit| hit.score.to_string()).collect();
        writeln!(out, "{time}\t{}", scores.join(" "))?;
    }
    Ok(())
}

fn on_device(
    args: &Args,
    selector: &str,
    index: &Index,
    asked: &[Asked],
    options: &Options,
    expected: &[Found],
) -> Result<String> {
    let Some(device) = device::select(selector)? else {
        return Ok(format!("no device ({selector})"));
    };
    let settings = Settings { device: selector.into(), offload: Offload::Always, ..Settings::default() };
    let before = engine::stats();
    let search = || engine::search_batch(index, asked, options, &settings);
    let (first, found) = seconds(search);
    for (number, (found, expected)) in found?.iter().zip(expected).enumerate() {
        if found != expected {
            return Err(format!("query {number} on the device: {found:?}, not {expected:?}").into());
        }
    }
    let times: Vec<f64> = (0..args.rounds).map(|_| seconds(search).0).collect();
    let after = engine::stats();
    let rate = Spread::of(times, |time| asked.len() as f64 / time);
    Ok(format!(
        "top {}, {}: {:.0} q/s ({:.0}–{:.0}), the first call {first:.2} s; {} failures, {} calls in which the CPU answered some",
        options.limit,
        device.info().name,
        rate.median,
        rate.low,
        rate.high,
        after.device_failures - before.device_failures,
        after.cpu_calls - before.cpu_calls
    ))
}
