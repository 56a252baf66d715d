//! Batches of queries on compressed lists: Ao 2011, table 7 and the right half of table 3.

use crate::corpora::{self, Corpus};
use crate::harness::context::{Context, codec_of};
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::clock::Spread;
use crate::support::data::merge;
use postings::intersect::intersect;
use postings::lab::locate::Locate;
use postings::lab::para::{Amount, Para};
use postings::{Codec, PostingList};
use std::collections::HashMap;

pub const EXPERIMENT: Experiment = Experiment {
    name: "compressed",
    title: "Queries on compressed lists",
    question: "With batches whose shortest lists have a million docIDs in all, how many queries per second does each codec \
               answer, and after how long?",
    redraws: &[("ao-2011", "table 7"), ("ao-2011", "table 3")],
    why: "The paper's element-wise searches favour codecs in which one docID decodes alone. Blocks of 128 with a \
          directory give every codec of today that access at the price of a block, and the directory is itself the \
          first levels of the search; so the distance between codecs is smaller than the paper's. On a device codecs \
          of lines still answer a third more to twice as many queries as codecs of gaps, but among themselves they \
          are level: kernels are only a quarter of the time of a batch. On a CPU thread they lead by little: \
          decoding a block costs about as much as a binary search whose every step computes a docID. Codecs that \
          look docIDs up in their payload (quasi-succinct lists, partitions, raw lists) lead there. These pass skip \
          lists on uncompressed lists on every machine, because they touch little of a list; codecs whose blocks are \
          decoded do so if merging tiles is fast, as it is on one of the two processors here and not on the other.",
    run,
};

/// The computational threshold of table 7.
pub const THRESHOLD: usize = 1_000_000;

/// A query of a corpus that waits in a queue.
struct Waiting<'c> {
    query: &'c Vec<usize>,
    amount: usize,
}

impl Amount for Waiting<'_> {
    fn amount(&self) -> usize {
        self.amount
    }
}

/// The first batch of a queue with that threshold, as many queries; `None` if there are too few.
pub fn batch(corpus: &Corpus, threshold: usize) -> Option<&[Vec<usize>]> {
    let mut queue = Para::new(threshold);
    let waiting = |query| Waiting { query, amount: corpus.lists[query[0]].len() };
    let batch = corpus.queries.iter().find_map(|query| queue.push(waiting(query)))?;
    debug_assert!(batch.iter().zip(&corpus.queries).all(|(waiting, query)| waiting.query == query));
    Some(&corpus.queries[..batch.len()])
}

/// A codec, with options or with its defaults.
#[derive(Debug, Clone, Copy)]
pub struct Contestant {
    pub codec: Codec,
    option: Option<(&'static str, f64)>,
}

impl Contestant {
    /// All codecs, and some once more with the options of the paper.
    pub fn all() -> Vec<Contestant> {
        let mut all: Vec<Contestant> = Codec::ALL.map(|codec| Contestant { codec, option: None }).into();
        for (case, name, value) in OPTIONS {
            let has = |codec: &Codec| codec.options().iter().any(|option| option.name == name);
            all.extend(codec_of(case).filter(has).map(|codec| Contestant { codec, option: Some((name, value)) }));
        }
        all
    }

    pub fn name(&self) -> String {
        match self.option {
            Some((name, value)) => format!("{}, {name} {value}", self.codec.php_case()),
            None => self.codec.php_case().into(),
        }
    }
}

/// The paper's variants.
const OPTIONS: [(&str, &str, f64); 4] = [
    ("ParaPFor", "exceptions", 0.2),
    ("ParaPFor", "exceptions", 0.0),
    ("HS_LRC", "bucket", 256.0),
    ("HS_LRC", "bucket", 128.0),
];

/// The queries with lists of a contestant; `None` if it cannot code one.
pub fn encoded(corpus: &Corpus, queries: &[Vec<usize>], contestant: Contestant) -> Option<Vec<Vec<PostingList>>> {
    let options: Vec<(&str, f64)> = contestant.option.into_iter().collect();
    let mut lists: HashMap<usize, PostingList> = HashMap::new();
    for &term in queries.iter().flatten() {
        if let std::collections::hash_map::Entry::Vacant(entry) = lists.entry(term) {
            entry.insert(PostingList::encode_with(&corpus.lists[term], contestant.codec, &options).ok()?);
        }
    }
    Some(queries.iter().map(|query| query.iter().map(|term| lists[term].clone()).collect()).collect())
}

/// The result of a query by merges.
pub fn by_merges(corpus: &Corpus, query: &[usize]) -> Vec<u32> {
    let lists = query[1..].iter().map(|&list| &corpus.lists[list]);
    lists.fold(corpus.lists[query[0]].clone(), |common, list| merge(&common, list))
}

/// Seconds of the batch: skip lists on uncompressed lists, then each codec on the CPU; and each codec on the device.
struct Times {
    queries: usize,
    skip_list: Spread,
    codecs: Vec<(String, Spread, Option<Spread>)>,
}

fn measure(context: &Context, corpus: &Corpus) -> Result<Option<Times>, Failure> {
    let threshold = if context.quick() { THRESHOLD / 10 } else { THRESHOLD };
    let Some(queries) = batch(corpus, threshold) else { return Ok(None) };
    let expected: Vec<Vec<u32>> = queries.iter().map(|query| by_merges(corpus, query)).collect();
    let coded: Vec<(Contestant, Vec<Vec<PostingList>>)> = Contestant::all()
        .into_iter()
        .filter_map(|contestant| Some((contestant, encoded(corpus, queries, contestant)?)))
        .collect();
    let mut prepared = HashMap::new();
    for &term in queries.iter().flat_map(|query| &query[1..]) {
        prepared.entry(term).or_insert_with(|| Locate::SkipList.prepare(&corpus.lists[term]));
    }
    let out = std::cell::RefCell::new(Vec::new());
    let mut calls: Vec<Box<dyn FnMut() + '_>> = Vec::new();
    calls.push(Box::new(|| {
        let mut out = out.borrow_mut();
        for query in queries {
            out.clear();
            out.extend_from_slice(&corpus.lists[query[0]]);
            for term in &query[1..] {
                let kept = prepared[term].retain(&mut out);
                out.truncate(kept);
            }
        }
    }));
    for (contestant, queries) in &coded {
        for (query, expected) in queries.iter().zip(&expected) {
            let mut out = out.borrow_mut();
            out.clear();
            intersect(query, &mut *out);
            assert!(*out == *expected, "{} finds others", contestant.name());
        }
        let out = &out;
        calls.push(Box::new(move || {
            let mut out = out.borrow_mut();
            for query in queries {
                out.clear();
                intersect(query, &mut *out);
            }
        }));
    }
    let times = context.times_of(&mut calls);
    drop(calls);
    let mut codecs = Vec::new();
    for ((contestant, queries), &cpu) in coded.iter().zip(&times[1..]) {
        let mut on_device = None;
        if let Some(device) = &context.device {
            let found = device.intersect_batch(queries, 0)?;
            let same = found.iter().zip(&expected).all(|(found, expected)| found == *expected);
            assert!(same, "{} finds others on the device", contestant.name());
            on_device = Some(context.time(&mut || drop(device.intersect_batch(queries, 0).expect("it just did"))));
        }
        codecs.push((contestant.name(), cpu, on_device));
    }
    Ok(Some(Times { queries: queries.len(), skip_list: times[0], codecs }))
}

/// Our codecs by the names of tables 3 and 7.
const AO: [(&str, &str); 7] = [
    ("ParaPFor, exceptions 0.2", "ParaPFD (0.2)"),
    ("ParaPFor, exceptions 0", "ParaPFD (0.0)"),
    ("LRC", "LRC"),
    ("LRCSeg", "LRCSeg"),
    ("SegLRC", "SegLRC"),
    ("HS_LRC, bucket 256", "HS256_LRC"),
    ("HS_LRC, bucket 128", "HS128_LRC"),
];

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let orders =
        [(corpora::GOV, "GOVR"), (corpora::NATURAL, "GOV"), (corpora::ORDERED, "GOVPR"), (corpora::RANDOM, "GOVR")];
    for (name, theirs) in orders {
        for corpus in context.corpora_of(name)? {
            let Some(times) = measure(context, corpus)? else {
                outcome.note(format!("{name}: too few queries for a batch."));
                continue;
            };
            outcome.note(format!("{} A batch has {} of them.", corpus.describe(), times.queries));
            let n = times.queries as f64;
            let mut table = Table::new(
                format!(
                    "{name}: throughput in queries/s, response in ms per batch; speedup over skip lists on uncompressed lists, one CPU thread"
                ),
                [
                    "codec",
                    "CPU, one thread: queries/s",
                    "ms",
                    "speedup",
                    "device, results on the host: queries/s",
                    "ms",
                    "speedup",
                ],
            );
            let skip_list: [Cell; 3] =
                [times.skip_list.rate(n).into(), (1e3 * times.skip_list.median).into(), 1.0.into()];
            table.row("skip lists, uncompressed", skip_list);
            for (codec, cpu, device) in &times.codecs {
                let cells = |time: &Spread| -> [Cell; 3] {
                    [time.rate(n).into(), (1e3 * time.median).into(), (times.skip_list.median / time.median).into()]
                };
                let on_device = device.as_ref().map(cells).into_iter().flatten();
                table.row(codec.clone(), cells(cpu).into_iter().chain(on_device));
            }
            outcome.tables.push(table);
            let rate = |case: &str| {
                let (_, cpu, device) = times.codecs.iter().find(|(name, ..)| name == case)?;
                Some(n / device.unwrap_or(*cpu).median)
            };
            let on = if context.device.is_some() { "device" } else { "one CPU thread (the paper's: GPU)" };
            for (case, row) in AO {
                if let Some(rate) = rate(case) {
                    let what = format!("{case}, {name}, {on}, queries/s");
                    if row != "HS128_LRC" {
                        outcome.beside(what, ("ao-2011", "table 7", row, &format!("{theirs} TP")), rate);
                    }
                    let what = format!("{case}, {name}, {on}, speedup over skip lists");
                    let speedup = rate * times.skip_list.median / n;
                    outcome.beside(what, ("ao-2011", "table 3", theirs, row), speedup);
                }
            }
            if let [Some(pfor), _, Some(lrc), _, Some(seg), Some(hs), _] = AO.map(|(case, _)| rate(case)) {
                outcome.finding(
                    ("ao-2011", "table 7"),
                    format!("HS_LRC is faster than SegLRC, SegLRC than LRC, and all than ParaPFD ({name})"),
                    hs > seg && seg > lrc && lrc > pfor,
                    format!("{name}, {on}: HS_LRC {hs:.0}, SegLRC {seg:.0}, LRC {lrc:.0}, ParaPFor {pfor:.0} queries/s (rule: in this order)."),
                );
            }
        }
    }
    Ok(outcome)
}
