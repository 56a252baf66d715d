//! Yioop's conjunctive queries: what does one `Conjunction` cost on a CPU thread, step by step, and what is the least
//! that it would cost on a device?
//!
//!     cargo bench --no-default-features --features lab --bench conjunction -- --documents N [--text FILE] [--texts N] [--per-generation N]
//!         [--queries N] [--device NAME]
//!
//! The index has Yioop's form: a shard file per generation. A document is made of some random lines of FILE; without
//! one, of 280 words, drawn from a million by Zipf's law. Queries are words of random documents, as in
//! `yioop/experiment.php`: *common* words are in more than a thirtieth of the documents, *rare* ones in at most one of
//! 600. The binary that cargo builds is self-contained and can be copied to a machine with a device.

#[path = "../support/clock.rs"]
#[allow(dead_code)]
mod clock;
mod index;
#[path = "../../tests/common/random.rs"]
mod random;

use clock::seconds;
use index::Index;
use postings::device::{self, Device};
use postings::engine::{self, Offload, Settings, YioopRanges};
use postings::yioop::score::{self, Collection, Query, Weights};
use postings::yioop::{self, Conjunction, Hit, Shard, pack_posting, unpack_postings};
use std::path::PathBuf;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Calls of which the fastest counts: what else runs on the machine only makes them slower.
const ROUNDS: usize = 9;
/// Documents that the iterator in `yioop/app` has scored when Yioop has the 200 that it groups for a page: 16, then 256.
const PAGE: usize = 272;
struct Args {
    text: Option<PathBuf>,
    documents: usize,
    /// Lines of the text that make a document.
    texts: usize,
    per_generation: usize,
    queries: usize,
    device: Option<String>,
}

fn args() -> Result<Args> {
    let mut args = Args { text: None, documents: 0, texts: 8, per_generation: 30_000, queries: 20, device: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--bench" => {}
            "--text" => args.text = Some(value()?.into()),
            "--documents" => args.documents = value()?.parse()?,
            "--per-generation" => args.per_generation = value()?.parse()?,
            "--texts" => args.texts = value()?.parse()?,
            "--queries" => args.queries = value()?.parse()?,
            "--device" => args.device = Some(value()?),
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    Ok(args)
}

fn main() -> Result<()> {
    let args = args()?;
    if args.documents == 0 {
        println!("Nothing to search: say how many documents with --documents. Nothing measured.");
        return Ok(());
    }
    let device = match &args.device {
        Some(name) => Some(device::select(name)?.ok_or_else(|| format!("{name}: no such device"))?),
        None => None,
    };
    let folder = Folder(std::env::temp_dir().join(format!("postings-conjunction-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0)?;
    let (time, index) = seconds(|| Index::build(&folder.0, &args));
    let index = index?;
    println!(
        "{} documents of {} words on average in {} generations, {} MB of lists; made in {time:.1} s",
        args.documents,
        index.words / args.documents.max(1),
        index.shards.len(),
        index.shards.iter().map(|shard| u64::from(shard.header().word_docs_len)).sum::<u64>() / 1_000_000
    );
    if let Some(device) = &device {
        println!("Device: {}, {}", device.info().platform, device.info().name);
        println!("A call of a device with one posting: {:.3} ms", 1e3 * smallest_call(&settings(&args))?);
    }
    println!(
        "Milliseconds per query, one thread, on average of {} queries, the fastest of {ROUNDS} calls of each.\n",
        args.queries
    );
    let more = if device.is_some() { " made, device | kernels |" } else { "" };
    println!(
        "| words | KB of lists | documents | read | decode | intersect | made | scored | page | of which scores |{more}"
    );
    println!("|---|{}", "---:|".repeat(if device.is_some() { 11 } else { 9 }));
    for (common, rare) in [(2, 0), (3, 0), (4, 0), (5, 0), (1, 1), (2, 1), (0, 2)] {
        let queries = index.queries(common, rare, args.queries);
        if queries.is_empty() {
            println!("| {common} common, {rare} rare | no such queries |");
            continue;
        }
        let mut row = Row::default();
        queries.iter().try_for_each(|query| row.add(query, device.as_ref(), &args))?;
        println!("| {common} common, {rare} rare {}", row.text(queries.len() as f64, device.is_some()));
    }
    Ok(())
}

fn settings(args: &Args) -> Settings {
    let offload = if args.device.is_some() { Offload::Always } else { Offload::Never };
    Settings { device: args.device.clone().unwrap_or_default(), offload, ..Settings::default() }
}

/// Removed when it is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Seconds of a call with one posting: what a device takes for nothing.
fn smallest_call(settings: &Settings) -> Result<f64> {
    let list = pack_posting(7, &[1])?;
    time(|| {
        assert_eq!(engine::yioop_doc_indexes(&list, settings)?, [7]);
        Ok(())
    })
}

/// Seconds of all queries of a row, step by step.
#[derive(Default)]
struct Row {
    bytes: usize,
    documents: usize,
    /// Reading the lists whole.
    read: f64,
    /// Their doc indexes.
    decode: f64,
    /// What intersecting takes beyond that.
    intersect: f64,
    /// `Conjunction::of`: lists read as far as necessary, and intersected.
    made: f64,
    /// How many documents are scored for a page, and that: positions unpacked, documents read, scores.
    scored: usize,
    page: f64,
    /// Of that, relevance and proximity, from positions.
    scores: f64,
    /// `Conjunction::of` with the device, and its kernels alone.
    device: [f64; 2],
}

/// A conjunction of lists 0, 1, ….
fn conjunction(ranges: &[YioopRanges], settings: &Settings) -> Result<Conjunction> {
    let lists = ranges.first().map_or(1, |(_, lists)| lists.len());
    let query = Query::new(lists, (0..lists).collect(), Vec::new())?;
    let generations = engine::yioop_generations(ranges.to_vec(), settings)?;
    Ok(Conjunction::new(generations, query, Weights::default(), score::round)?)
}

/// Seconds of the fastest of some calls, after one that is not counted.
fn time<T>(mut call: impl FnMut() -> Result<T>) -> Result<f64> {
    call()?;
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (time, done) = seconds(&mut call);
        done?;
        fastest = fastest.min(time);
    }
    Ok(fastest)
}

fn cpu() -> Settings {
    Settings { offload: Offload::Never, ..Settings::default() }
}

impl Row {
    /// Adds a query's.
    fn add(&mut self, query: &[YioopRanges], device: Option<&Device>, args: &Args) -> Result<()> {
        let read = || -> Result<Vec<Vec<Vec<u8>>>> {
            let list = |shard: &Shard, &(first, last): &(u32, u32)| shard.postings_at(first, last);
            let of = |(shard, ranges): &YioopRanges| ranges.iter().map(|range| list(shard, range)).collect();
            Ok(query.iter().map(of).collect::<postings::Result<_>>()?)
        };
        let lists = read()?;
        let slices: Vec<Vec<&[u8]>> = lists.iter().map(|lists| lists.iter().map(Vec::as_slice).collect()).collect();
        self.bytes += lists.iter().flatten().map(Vec::len).sum::<usize>();
        self.read += time(read)?;
        let all = |lists: &Vec<&[u8]>| lists.iter().try_for_each(|list| yioop::doc_indexes(list).map(drop));
        let decode = time(|| Ok(slices.iter().try_for_each(all)?))?;
        let both = time(|| Ok(slices.iter().try_for_each(|lists| yioop::intersect_flat(lists).map(drop))?))?;
        self.decode += decode;
        self.intersect += (both - decode).max(0.0);
        self.made += time(|| conjunction(query, &cpu()))?;
        self.documents += conjunction(query, &cpu())?.len();
        let mut cursors: Vec<Conjunction> = (0..=ROUNDS).map(|_| conjunction(query, &cpu())).collect::<Result<_>>()?;
        self.page += time(|| Ok(cursors.pop().map(|mut cursor| cursor.next_hits(PAGE)).transpose()?))?;
        let hits = conjunction(query, &cpu())?.next_hits(PAGE)?;
        self.scored += hits.len();
        self.scores += scores(query, &hits)?;
        if let Some(device) = device {
            let of_query = on_device(query, device, args)?;
            self.device.iter_mut().zip(of_query).for_each(|(sum, of)| *sum += of);
        }
        Ok(())
    }

    fn text(&self, queries: f64, device: bool) -> String {
        let mut text = format!("| {:.0} | {:.0} ", self.bytes as f64 / 1e3 / queries, self.documents as f64 / queries);
        let ms = |seconds: f64| format!("| {:.4} ", 1e3 * seconds / queries);
        [self.read, self.decode, self.intersect, self.made].into_iter().for_each(|seconds| text += &ms(seconds));
        text += &format!("| {:.0} {}{}", self.scored as f64 / queries, ms(self.page), ms(self.scores));
        if device {
            self.device.into_iter().for_each(|seconds| text += &ms(seconds));
        }
        text + "|"
    }
}

/// Seconds of scoring hits whose positions are there.
fn scores(query: &[YioopRanges], hits: &[Hit]) -> Result<f64> {
    let lists = query.first().map_or(1, |(_, lists)| lists.len());
    let scoring = Query::new(lists, (0..lists).collect(), Vec::new())?;
    let mut unpacked = Vec::with_capacity(hits.len());
    for hit in hits {
        let (shard, ranges) = &query[hit.generation];
        let mut of_hit = Vec::with_capacity(lists);
        for (&(first, last), offset) in ranges.iter().zip(&hit.offsets) {
            // No posting of this index is longer than a few hundred bytes.
            let rest = shard.postings_at(first + offset, last.min(first + offset + 4096))?;
            let words = rest.chunks_exact(4).take_while(|word| word[0] & 0x80 != 0).count() + 1;
            let rest = &rest[..rest.len().min(4 * words)];
            let positions = unpack_postings(rest)?.into_iter().next().map(|posting| posting.1).unwrap_or_default();
            of_hit.push((positions, (last - first) as usize + 4, rest.len()));
        }
        unpacked.push(of_hit);
    }
    time(|| {
        for (hit, of_hit) in hits.iter().zip(&unpacked) {
            let matches: Vec<score::Match<'_>> = of_hit
                .iter()
                .map(|(positions, list_bytes, posting_bytes)| score::Match {
                    positions,
                    list_bytes: *list_bytes,
                    posting_bytes: *posting_bytes,
                })
                .collect();
            let document = score::Document {
                summary_offset: hit.document.summary_offset,
                is_link: hit.document.is_link,
                length: hit.document.length,
                auxiliary: hit.auxiliary.clone(),
            };
            let collection = Collection::from(query[hit.generation].0.header());
            let scored = scoring.score(&collection, &document, &matches, &Weights::default(), score::round)?;
            assert!(
                scored.is_some_and(|scored| scored.proximity == hit.proximity && scored.relevance == hit.relevance)
            );
        }
        Ok(())
    })
}

/// Seconds of `Conjunction::of` with the device, and of its kernels.
fn on_device(query: &[YioopRanges], device: &Device, args: &Args) -> Result<[f64; 2]> {
    let settings = settings(args);
    let failures = engine::stats().device_failures;
    let found = [cpu(), settings.clone()].map(|settings| conjunction(query, &settings).map(|found| found.len()));
    let [Ok(here), Ok(there)] = found else { return Err("a query failed".into()) };
    assert_eq!(here, there, "the device finds other documents");
    let made = time(|| conjunction(query, &settings))?;
    device.set_profiling(true);
    device.take_kernel_times()?;
    let done = conjunction(query, &settings);
    device.set_profiling(false);
    done?;
    let kernels = device.take_kernel_times()?.iter().map(|time| time.nanoseconds as f64 * 1e-9).sum();
    if engine::stats().device_failures != failures {
        return Err("the device failed".into());
    }
    Ok([made, kernels])
}
