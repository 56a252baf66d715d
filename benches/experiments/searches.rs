//! Searches of uncompressed lists: Ao 2011, table 3 (left half), and the memory that figure 5's text gives.

use super::compressed::{THRESHOLD, batch, by_merges};
use crate::corpora::{self, Corpus};
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::clock::Spread;
use crate::support::data::merge;
use postings::device::Device;
use postings::lab::device_search::{Aids, DeviceSearch, Gathering, Line};
use postings::lab::locate::{Locate, Located, LrRange};
use postings::{Codec, PostingList};
use std::collections::HashMap;

pub const EXPERIMENT: Experiment = Experiment {
    name: "searches",
    title: "Searches of uncompressed lists",
    question: "How many queries per second do the searches answer that look each docID of the shortest list up in the longer \
               ones, compared with skip lists?",
    redraws: &[("ao-2011", "table 3"), ("ao-2011", "figure 5")],
    why: "The searches differ in how many places of a list they touch. A CPU's caches hold the first steps of any \
          binary search but not the last ones, so on a CPU thread that still decides: hash segmentation touches a \
          pointer and a bucket of one or two cache lines, whatever the order of documents. A safe range helps as far \
          as the list is linear: much at random, not after bisection. Interpolation loses by its divisions and by \
          steps in the list, as the paper found. Galloping and skip lists use the rank before, which one thread that \
          goes through a list has and threads of a GPU have not. On a device of today the searches are within a \
          sixth of each other, interpolation among them: kernels take less than a third of a call that ends with \
          results on the host, and the cache has the first steps. Only parallel merge find, which has more launches, \
          stays behind.",
    run,
};

/// Queries timed per corpus.
const QUERIES: usize = 200;

/// Seconds of all queries by each search, checked against merges first.
fn times(context: &Context, corpus: &Corpus) -> (Vec<Spread>, Vec<f64>, usize) {
    let queries: Vec<&Vec<usize>> = corpus.queries.iter().take(if context.quick() { 40 } else { QUERIES }).collect();
    let mut longer: Vec<usize> = queries.iter().flat_map(|query| query[1..].iter().copied()).collect();
    longer.sort_unstable();
    longer.dedup();
    let words: usize = longer.iter().map(|&list| corpus.lists[list].len()).sum();
    let indices: Vec<HashMap<usize, Located>> = Locate::ALL
        .iter()
        .map(|search| longer.iter().map(|&list| (list, search.prepare(&corpus.lists[list]))).collect())
        .collect();
    let extra =
        indices.iter().map(|index| index.values().map(Located::words).sum::<usize>() as f64 / words as f64).collect();
    let answer = |index: &HashMap<usize, Located>, query: &[usize], candidates: &mut Vec<u32>| {
        candidates.clear();
        candidates.extend_from_slice(&corpus.lists[query[0]]);
        for list in &query[1..] {
            let kept = index[list].retain(candidates);
            candidates.truncate(kept);
        }
    };
    let mut found = Vec::new();
    for query in queries.iter().take(20) {
        let lists = query[1..].iter().map(|&list| &corpus.lists[list]);
        let merged = lists.fold(corpus.lists[query[0]].clone(), |common, list| merge(&common, list));
        for (search, index) in Locate::ALL.iter().zip(&indices) {
            answer(index, query, &mut found);
            assert!(found == merged, "{} finds others", search.name());
        }
    }
    let candidates = std::cell::RefCell::new(Vec::new());
    let mut calls: Vec<Box<dyn FnMut() + '_>> = Vec::new();
    for index in &indices {
        calls.push(Box::new(|| {
            let mut candidates = candidates.borrow_mut();
            queries.iter().for_each(|query| answer(index, query, &mut candidates));
        }));
    }
    (context.times_of(&mut calls), extra, queries.len())
}

/// The searches on the device, by the names of the paper: the search and the size of buckets.
pub const ON_DEVICE: [(&str, DeviceSearch, f64); 9] = [
    ("IS", DeviceSearch::Interpolation, 16.0),
    ("BS", DeviceSearch::Binary, 16.0),
    ("LR", DeviceSearch::LrRange, 16.0),
    ("HS256", DeviceSearch::HashSegmentation, 256.0),
    ("HS128", DeviceSearch::HashSegmentation, 128.0),
    ("HS64", DeviceSearch::HashSegmentation, 64.0),
    ("HS32", DeviceSearch::HashSegmentation, 32.0),
    ("HS16", DeviceSearch::HashSegmentation, 16.0),
    ("PMF 3", DeviceSearch::ParallelMerge(3), 16.0),
];

/// The line of docIDs relative to `base`, with its safe range.
pub fn line(doc_ids: &[u32], base: u32) -> Line {
    let line = LrRange::of(doc_ids, base);
    Line { slope: line.slope, low: line.intercept - line.left, high: line.intercept + line.right + 1 }
}

/// Uncompressed lists of queries with buckets of that size, and their regression lines.
pub struct Uncompressed {
    pub queries: Vec<Vec<PostingList>>,
    lines: Aids,
}

impl Uncompressed {
    /// Encodes the lists of queries, each once.
    pub fn new(corpus: &Corpus, queries: &[Vec<usize>], bucket: f64) -> Result<Uncompressed, Failure> {
        let mut lists: HashMap<usize, PostingList> = HashMap::new();
        for &term in queries.iter().flatten() {
            if let std::collections::hash_map::Entry::Vacant(entry) = lists.entry(term) {
                let doc_ids = &corpus.lists[term];
                let list = PostingList::encode_with(doc_ids, Codec::Raw, &[("bucket", bucket)])?;
                entry.insert(list);
            }
        }
        let lines = Aids::of(DeviceSearch::LrRange, lists.values(), line);
        let queries = queries.iter().map(|query| query.iter().map(|term| lists[term].clone()).collect()).collect();
        Ok(Uncompressed { queries, lines })
    }

    /// Searches some of the queries on the device.
    pub fn search(
        &self,
        device: &Device,
        queries: &[Vec<PostingList>],
        search: DeviceSearch,
        gathering: Gathering,
    ) -> postings::Result<postings::list::results::Results> {
        match search {
            DeviceSearch::LrRange => device.search_batch(queries, &self.lines, gathering),
            _ => device.search_batch(queries, &Aids::of(search, queries.iter().flatten(), line), gathering),
        }
    }
}

/// Queries per second of each search on the device, with results on the host, in batches with the threshold of table 3.
fn on_device(context: &Context, device: &Device, corpus: &Corpus) -> Result<Option<Vec<Spread>>, Failure> {
    let Some(queries) = batch(corpus, if context.quick() { THRESHOLD / 10 } else { THRESHOLD }) else {
        return Ok(None);
    };
    let expected: Vec<Vec<u32>> = queries.iter().map(|query| by_merges(corpus, query)).collect();
    let mut rates = Vec::new();
    for (name, search, bucket) in ON_DEVICE {
        let lists = Uncompressed::new(corpus, queries, bucket)?;
        let found = lists.search(device, &lists.queries, search, Gathering::Reserve)?;
        assert!(found.iter().zip(&expected).all(|(found, expected)| found == *expected), "{name} finds others");
        let time = context
            .time(&mut || drop(lists.search(device, &lists.queries, search, Gathering::Reserve).expect("it just did")));
        rates.push(time.rate(queries.len() as f64));
    }
    Ok(Some(rates))
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let orders =
        [(corpora::GOV, "GOVR"), (corpora::NATURAL, "GOV"), (corpora::ORDERED, "GOVPR"), (corpora::RANDOM, "GOVR")];
    let mut columns: Vec<(&str, &str, Vec<Spread>, usize)> = Vec::new();
    for (name, row) in orders {
        for corpus in context.corpora_of(name)? {
            outcome.note(corpus.describe());
            let (times, extra, queries) = times(context, corpus);
            if columns.is_empty() {
                let mut table = Table::new(format!("{name}: memory beside the lists, % of them"), ["search", "%"]);
                Locate::ALL.iter().zip(&extra).for_each(|(search, share)| table.row(search.name(), [100.0 * share]));
                outcome.tables.push(table);
                if let Some(at) = Locate::ALL.iter().position(|search| search.name() == "HS16") {
                    let place = ("ao-2011", "figure 5", "HS16", "extra memory, %");
                    outcome.beside("HS16, memory beside the lists, %", place, 100.0 * extra[at]);
                }
            }
            columns.push((name, row, times, queries));
        }
    }
    let skip_list = Locate::ALL.iter().position(|search| search.name() == "skip list").ok_or("no skip list")?;
    let head = columns.iter().flat_map(|(name, ..)| [format!("{name}: queries/s"), "speedup".to_owned()]);
    let mut table = Table::new(
        "One CPU thread: queries per second, and speedup over skip lists",
        ["search".to_owned()].into_iter().chain(head),
    );
    for (at, search) in Locate::ALL.iter().enumerate() {
        let cells = columns.iter().flat_map(|(_, _, times, queries)| {
            let speedup = times[skip_list].median / times[at].median;
            [Cell::from(times[at].rate(*queries as f64)), Cell::from(speedup)]
        });
        table.row(search.name(), cells);
    }
    outcome.tables.push(table);
    if let Some(device) = &context.device {
        device_half(context, device, &columns, skip_list, &mut outcome)?;
    }
    let at = |name: &str| Locate::ALL.iter().position(|search| search.name() == name);
    for (name, row, times, _) in &columns {
        for search in PAPERS.into_iter().filter(|_| context.device.is_none()) {
            let Some(at) = at(search) else { continue };
            let speedup = times[skip_list].median / times[at].median;
            let what = format!("{search}, {name}, one CPU thread (the paper's: GPU)");
            outcome.beside(what, ("ao-2011", "table 3", row, search), speedup);
        }
        let speed = |search: &str| at(search).map_or(f64::NAN, |at| 1.0 / times[at].median);
        let best = times.iter().map(|time| 1.0 / time.median).fold(0f64, f64::max);
        let papers =
            ["IS", "BS", "LR", "HS32", "HS16"].map(|search| format!("{search} {:.2}", speed(search) / speed("BS")));
        outcome.finding(
            ("ao-2011", "table 3"),
            format!("HS16 is the fastest of the searches of uncompressed lists, LR faster than BS, IS slower ({name})"),
            ["IS", "BS", "LR", "HS32"].iter().all(|search| speed("HS16") > speed(search))
                && speed("LR") > speed("BS")
                && speed("IS") < speed("BS"),
            format!(
                "{name}, one CPU thread, relative to BS: {}; the best of all searches {:.2} (rule: all three).",
                papers.join(", "),
                best / speed("BS")
            ),
        );
    }
    Ok(outcome)
}

/// The searches of table 3.
const PAPERS: [&str; 5] = ["IS", "BS", "LR", "HS32", "HS16"];

/// What was measured of a corpus on the CPU: its name, the paper's row, seconds of each search, queries.
type Column<'c> = (&'c str, &'c str, Vec<Spread>, usize);

fn device_half(
    context: &Context,
    device: &Device,
    columns: &[Column],
    skip_list: usize,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let mut measured: Vec<(&Column, Vec<Spread>)> = Vec::new();
    for column in columns {
        for corpus in context.corpora_of(column.0)? {
            match on_device(context, device, corpus)? {
                Some(rates) => measured.push((column, rates)),
                None => outcome.note(format!("{}: too few queries for a batch on the device.", column.0)),
            }
        }
    }
    let head = measured.iter().flat_map(|(column, _)| [format!("{}: queries/s", column.0), "speedup".to_owned()]);
    let mut table = Table::new(
        "Device, batches with a threshold of 1M, results on the host: queries per second, and speedup over skip lists on one \
         CPU thread",
        ["search".to_owned()].into_iter().chain(head),
    );
    let baseline = |column: &Column| column.3 as f64 / column.2[skip_list].median;
    for (at, (name, ..)) in ON_DEVICE.iter().enumerate() {
        let cells = measured
            .iter()
            .flat_map(|(column, rates)| [Cell::from(rates[at]), Cell::from(rates[at].median / baseline(column))]);
        table.row(*name, cells);
    }
    outcome.tables.push(table);
    for (column, rates) in &measured {
        let rate =
            |name: &str| ON_DEVICE.iter().position(|known| known.0 == name).map_or(f64::NAN, |at| rates[at].median);
        for search in PAPERS {
            let what = format!("{search}, {}, device", column.0);
            outcome.beside(what, ("ao-2011", "table 3", column.1, search), rate(search) / baseline(column));
        }
        let papers = PAPERS.map(|search| format!("{search} {:.2}", rate(search) / rate("BS")));
        outcome.finding(
            ("ao-2011", "table 3"),
            format!("HS16 is the fastest of the searches of uncompressed lists on the GPU, LR faster than BS, IS slower ({})", column.0),
            ["IS", "BS", "LR", "HS32"].iter().all(|search| rate("HS16") > rate(search))
                && rate("LR") > rate("BS")
                && rate("IS") < rate("BS"),
            format!("relative to BS: {} (rule: all three).", papers.join(", ")),
        );
    }
    Ok(())
}
