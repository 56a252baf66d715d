//! What a query will cost: Ding 2009, section 9.

use crate::corpora::collection::{Collection, Query, texts};
use crate::harness::context::Context;
use crate::harness::outcome::{Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::clock::{median, seconds};
use postings::engine::{self, CpuModel, DeviceModel, Features, Offload, Settings};
use postings::search::{Matching, Options};

pub const EXPERIMENT: Experiment = Experiment {
    name: "prediction",
    title: "The cost of a ranked query before it runs",
    question: "How well do the lengths of a query's lists, the number of terms and of hits wanted predict its time on a CPU \
               thread and on the device?",
    redraws: &[("ding-2009", "section 9")],
    why: "The lengths determine most of the work of AND; the rest is caches, blocks that happen to be skipped, and other \
          programs on the machine. OR passes over blocks that cannot matter, and how many these are depends on scores, which \
          lengths do not tell: its error is larger. AND+OR is one or the other, and which of them cannot be told for sure. A \
          scheduler can live with it: see the next section.",
    run,
};

/// A kind of queries: name, matching, hits.
pub const KINDS: [(&str, Matching, usize); 4] = [
    ("AND, top 10", Matching::All, 10),
    ("OR, top 10", Matching::Any, 10),
    ("AND+OR, top 10", Matching::AllThenAny, 10),
    ("OR, top 1000", Matching::Any, 1000),
];

/// A query with what is known of it, and how long it took.
pub struct Timed {
    pub text: String,
    pub features: Features,
    pub nanoseconds: f64,
}

/// How often each query is timed.
pub const RUNS: usize = 3;

/// What is known of a query that wants `k` hits.
fn features(query: &Query, k: usize, documents: u64) -> Features {
    Features::new(&mut query.lengths.clone(), query.lengths.len(), k, documents)
}

/// The first queries of a collection, each timed on one thread: the median of some runs.
pub fn timed(collection: &Collection, matching: Matching, k: usize, count: usize) -> Result<Vec<Timed>, Failure> {
    let options = Options { matching, limit: k, ..Options::default() };
    let one = |query: &Query| {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let (time, found) = seconds(|| collection.index.search(&query.text, &options));
            found?;
            times.push(time);
        }
        let features = features(query, k, collection.documents());
        Ok(Timed { text: query.text.clone(), features, nanoseconds: 1e9 * median(&mut times) })
    };
    collection.first(count).iter().map(one).collect()
}

/// Three quarters of the queries to learn from, and one to test.
pub fn parts<T>(queries: &[T]) -> (&[T], &[T]) {
    queries.split_at(queries.len() / 4 * 3)
}

/// What these queries teach of a CPU thread.
pub fn model(learned: &[Timed]) -> CpuModel {
    let mut model = CpuModel::default();
    learned.iter().for_each(|query| model.learn(&query.features, query.nanoseconds));
    model.update();
    model
}

/// Mean and median of the errors by the measured time, and the sum of predictions by that of times, in percent.
fn errors(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> [f64; 3] {
    let mut errors: Vec<f64> = pairs.clone().map(|(predicted, time)| 100.0 * (predicted - time).abs() / time).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let (predicted, time) = pairs.fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
    [mean, median(&mut errors), 100.0 * predicted / time]
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let Some(collection) = context.collection()? else {
        outcome.note("No text was given (`--text` or `--index`): not measured.");
        return Ok(outcome);
    };
    let count = collection.first(if context.quick() { 800 } else { 4000 }).len();
    outcome.note(format!(
        "{} documents; {count} queries {}, three quarters of them to learn from and one quarter to test; each timed {RUNS} \
         times.",
        collection.documents(),
        collection.about
    ));
    let head = ["query", "mean error", "median error", "sum of predictions / sum of times"];
    let mut table = Table::new("One CPU thread, predictions of single queries, %", head);
    for (name, matching, k) in KINDS {
        let queries = timed(collection, matching, k, count)?;
        let (learned, tested) = parts(&queries);
        let model = model(learned);
        let found = errors(tested.iter().map(|query| (model.predict(&query.features), query.nanoseconds)));
        table.row(name, found);
        if matching == Matching::All {
            outcome.beside(format!("{name}, one CPU thread, %"), ("ding-2009", "section 9", "CPU", "error"), found[0]);
            outcome.finding(
                ("ding-2009", "section 9"),
                "The time of a query on the CPU can be predicted from its lists' lengths with an error of about a fifth",
                found[0] < 30.0,
                format!("{name}: {:.0} % (rule: below 30 %).", found[0]),
            );
        }
    }
    outcome.tables.push(table);
    if context.device.is_some() {
        on_device(context, collection, count, &mut outcome)?;
    }
    Ok(outcome)
}

fn on_device(context: &Context, collection: &Collection, count: usize, outcome: &mut Outcome) -> Result<(), Failure> {
    let device = context.options.device.clone().unwrap_or_default();
    let settings = Settings { device, offload: Offload::Always, ..Settings::default() };
    let documents = collection.documents();
    let mut table = Table::new(
        "Device, predictions of calls of 1 to 1000 queries, lists resident, %",
        ["query", "mean error", "median error", "sum of predictions / sum of times"],
    );
    for (name, matching, k) in KINDS {
        let options = Options { matching, limit: k, ..Options::default() };
        let mut calls = Vec::new();
        let mut rest = collection.first(count);
        for size in [1, 1, 1, 10, 1, 100, 1, 1000].into_iter().cycle() {
            let Some((call, others)) = rest.split_at_checked(size) else { break };
            rest = others;
            let mut sum = Features::call(documents);
            for query in call {
                let features = features(query, k, documents);
                sum.iter_mut().zip(features.on_device(matching)).for_each(|(sum, of)| *sum += of);
            }
            let texts = texts(call);
            let search = || engine::search_batch(&collection.index, &texts, &options, &settings);
            search()?;
            let mut times = Vec::new();
            for _ in 0..3 {
                let (time, found) = seconds(search);
                found?;
                times.push(time);
            }
            calls.push((sum, 1e9 * median(&mut times)));
        }
        let mut model = DeviceModel::default();
        let (learned, tested) = calls.split_at(calls.len() / 2);
        learned.iter().for_each(|(call, time)| model.learn(call, *time));
        let found = errors(tested.iter().map(|(call, time)| (model.predict(call), *time)));
        table.row(name, found);
        if matching == Matching::All {
            outcome.beside(format!("{name}, device, %"), ("ding-2009", "section 9", "GPU", "error"), found[0]);
        }
    }
    outcome.tables.push(table);
    Ok(())
}
