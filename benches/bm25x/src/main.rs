//! The ten best passages with any of the words of a query, in batches: Postings on a device beside bm25x on CUDA.
//!
//!     cargo run --release --manifest-path benches/bm25x/Cargo.toml -- --passages FILE [--device NAME] [--most N] [--out FILE]
//!
//! FILE has a passage a line. Both index the same tokens, those of `make bench-search`: runs of ASCII letters and digits in lower
//! case. bm25x leaves out the factor k1 + 1, and Postings keeps lengths of passages rounded, as Lucene does, so that scores differ by
//! a few hundredths. What both find is compared by scores, and how often it is the same passage is printed. The binary is
//! self-contained and can be copied to another machine; bm25x needs CUDA's driver and NVRTC there.

#[path = "../../support/clock.rs"]
#[allow(dead_code)]
mod clock;
#[path = "../../search/src/data.rs"]
#[allow(dead_code)]
mod data;

use bm25x::{BM25, Method, SearchResult, TokenizerMode};
use clock::{median, rounds};
use data::{Passages, Random, words};
use postings::analysis::{Analyzer, AnalyzerOptions};
use postings::device;
use postings::engine::{self, Offload, Settings};
use postings::index::{Codecs, Document, Field, Id, Kind, Schema, Value, Writer, WriterOptions};
use postings::search::{Found, Index, Matching, Options};
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const K: usize = 10;
const K1: f32 = 1.2;
const ROUNDS: usize = 7;

/// Queries of a batch.
const SIZES: [usize; 2] = [10_000, 1_000];

/// Of the largest batch, so many times as many queries a second are to be answered.
const AS_MANY: f64 = 60.0;

/// Scores differ at most by this share: lengths are rounded by up to an eighth, of which b = 0.75 counts.
const TOLERANCE: f64 = 0.1;

struct Args {
    passages: PathBuf,
    device: String,
    most: usize,
    out: Option<PathBuf>,
}

fn args() -> Result<Args> {
    let mut args = Args { passages: PathBuf::new(), device: "auto".into(), most: usize::MAX, out: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--passages" => args.passages = value()?.into(),
            "--device" => args.device = value()?,
            "--most" => args.most = value()?.parse()?,
            "--out" => args.out = Some(value()?.into()),
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    Ok(args)
}

fn main() -> Result<()> {
    let args = args()?;
    if !bm25x::is_gpu_available() {
        println!("bm25x finds no CUDA (its driver and NVRTC). Nothing measured.");
        return Ok(());
    }
    let passages = Passages::read(&args.passages, args.most)?;
    let text = |passage| words(passage).map(str::to_ascii_lowercase).collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = passages.iter().map(text).collect();
    println!("{} passages", texts.len());

    let folder = std::env::temp_dir().join(format!("postings-bm25x-{}", std::process::id()));
    let index = index(&folder, &texts);
    let measured = index.and_then(|index| measure(&index, &texts, &args.device));
    let _ = std::fs::remove_dir_all(&folder);
    let rows = measured?;
    if let Some(out) = &args.out {
        std::fs::write(out, format!("[\n{}\n]\n", rows.join(",\n")))?;
    }
    Ok(())
}

/// Our index of the texts, in one segment.
fn index(folder: &Path, texts: &[String]) -> Result<Index> {
    let analyzer = Analyzer::new(AnalyzerOptions::default())?;
    let fields = vec![Field::new("body", Kind::Text)];
    let schema = Schema { fields, positions: false, codecs: Codecs::default(), analyzer };
    let mut writer = Writer::open(folder, Some(schema), WriterOptions { memory: 1 << 30, ..WriterOptions::default() })?;
    for (number, text) in texts.iter().enumerate() {
        let tokens = text.split_ascii_whitespace().map(|word| word.as_bytes().to_vec()).collect();
        writer.add(Id::Int(number as i64), Document { values: vec![(0, Value::Tokens(tokens))] })?;
    }
    writer.commit()?;
    writer.optimize(false)?;
    Ok(Index::open(folder)?)
}

/// 2 to 4 words of one passage each.
fn queries(texts: &[String], count: usize) -> Vec<String> {
    let mut random = Random(1);
    std::iter::repeat_with(|| {
        let words: Vec<&str> = random.pick(texts).split_ascii_whitespace().collect();
        let count = if words.is_empty() { 0 } else { 2 + random.below(3) };
        let mut chosen: Vec<&str> = (0..count).map(|_| *random.pick(&words)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen.join(" ")
    })
    // Words may be the same.
    .filter(|query| query.contains(' '))
    .take(count)
    .collect()
}

/// bm25x's answers to the queries, and the seconds that its faster way takes for batches of each size. On one card both ways are the
/// same search, by kernels that differ.
fn by_bm25x(texts: &[String], queries: &[&str]) -> Result<(Vec<Vec<SearchResult>>, [f64; SIZES.len()])> {
    let mut peer = BM25::with_options(Method::Lucene, K1, 0.75, 0.0, TokenizerMode::Plain, false, true);
    peer.add(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut on_gpu = peer.to_gpu_search_index()?;
    let mut on_gpus = peer.to_multi_gpu_search_index()?;
    let seconds = SIZES.map(|size| {
        let batch = &queries[..size];
        let mut times = rounds(
            ROUNDS,
            1,
            &mut [
                Box::new(|| peer.search_gpu_batch(&mut on_gpu, batch, K).len() as u64),
                Box::new(|| peer.search_multi_gpu_batch(&mut on_gpus, batch, K).len() as u64),
            ],
        );
        let [one, several] = [0, 1].map(|way| median(&mut times[way]));
        println!("bm25x, batch of {size}: {one:.3} s as one card, {several:.3} s as one of several");
        one.min(several)
    });
    Ok((peer.search_gpu_batch(&mut on_gpu, queries, K), seconds))
}

/// Our answers, and the seconds for batches of each size.
fn by_postings(index: &Index, queries: &[&str], device: &str) -> Result<(Vec<Found>, [f64; SIZES.len()])> {
    let options = Options { limit: K, matching: Matching::Any, ..Options::default() };
    let settings = Settings { device: device.into(), offload: Offload::Always, ..Settings::default() };
    let failures = engine::stats().device_failures;
    if device::select(device)?.is_none() {
        return Err(format!("no device ({device}); name one with --device").into());
    }
    let found = engine::search_batch(index, queries, &options, &settings)?;
    let seconds = SIZES.map(|size| {
        let search = || {
            let found = engine::search_batch(index, &queries[..size], &options, &settings);
            found.expect("it was found before").len() as u64
        };
        median(&mut rounds(ROUNDS, 1, &mut [Box::new(search)])[0])
    });
    if engine::stats().device_failures != failures {
        return Err("the device failed".into());
    }
    Ok((found, seconds))
}

/// Measures both, compares what they found, and returns a JSON object for each size.
fn measure(index: &Index, texts: &[String], device: &str) -> Result<Vec<String>> {
    let queries = queries(texts, SIZES[0]);
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    // Not in turns: with contexts of OpenCL and CUDA on the card, each waits for the other's to be put away.
    let (theirs, their_seconds) = by_bm25x(texts, &queries)?;
    let (ours, our_seconds) = by_postings(index, &queries, device)?;
    let mut same = 0;
    for ((query, ours), theirs) in queries.iter().zip(&ours).zip(&theirs) {
        same += compare(query, ours, theirs)?;
    }
    let hits: usize = ours.iter().map(|found| found.hits.len()).sum();
    println!(
        "{hits} hits of {} queries, {:.1} % of them the same passages",
        queries.len(),
        100.0 * same as f64 / hits as f64
    );
    let row = |at: usize| {
        let size = SIZES[at];
        let [ours, theirs] = [our_seconds[at], their_seconds[at]].map(|seconds| size as f64 / seconds);
        let ratio = ours / theirs;
        let target = match (size == SIZES[0], ratio >= AS_MANY) {
            (false, _) => String::new(),
            (true, met) => format!(", target {AS_MANY}{}", if met { "" } else { ": missed" }),
        };
        println!(
            "OR top 10, batch of {size}: ours {ours:.0} q/s, bm25x {theirs:.0} q/s: {ratio:.1} times as many{target}"
        );
        format!(
            "{{\"task\": \"OR top 10\", \"passages\": {}, \"batch\": {size}, \"ours\": {ours:.0}, \"bm25x\": {theirs:.0}, \"ratio\": {ratio:.1}}}",
            texts.len()
        )
    };
    Ok((0..SIZES.len()).map(row).collect())
}

/// How many passages both found, if their scores are near each other at each rank.
fn compare(query: &str, ours: &Found, theirs: &[SearchResult]) -> Result<usize> {
    let differ = ours.hits.iter().zip(theirs).any(|(ours, theirs)| {
        let expected = f64::from((K1 + 1.0) * theirs.score);
        (ours.score - expected).abs() > TOLERANCE * expected
    });
    if differ || ours.hits.len() != theirs.len() {
        return Err(format!("{query}: {ours:?}, and {theirs:?}").into());
    }
    let is_theirs = |id: &Id| theirs.iter().any(|hit| *id == Id::Int(hit.index as i64));
    Ok(ours.hits.iter().filter(|hit| is_theirs(&hit.id)).count())
}
