//! What a query will cost: Ding 2009, section 9.

use crate::corpora::text::Text;
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

/// Queries of a text, each timed on one thread: the median of some runs.
pub fn timed(text: &Text, matching: Matching, k: usize, count: usize) -> Result<Vec<Timed>, Failure> {
    let options = Options { matching, limit: k, ..Options::default() };
    let documents = text.documents() as u64;
    let one = |query: Vec<usize>| {
        let words = query.iter().map(|&term| &*text.terms[term]).collect::<Vec<_>>().join(" ");
        let mut lengths: Vec<u64> = query.iter().map(|&term| text.length(term)).collect();
        let features = Features::new(&mut lengths, query.len(), k, documents);
        let mut times = Vec::new();
        for _ in 0..5 {
            let (time, found) = seconds(|| text.index.search(&words, &options));
            found?;
            times.push(time);
        }
        Ok(Timed { text: words, features, nanoseconds: 1e9 * median(&mut times) })
    };
    text.queries(count).into_iter().map(one).collect()
}

/// A model of three quarters of the queries; the last quarter is for tests.
pub fn learned(queries: &[Timed]) -> (CpuModel, &[Timed]) {
    let (learned, tested) = queries.split_at(queries.len() / 4 * 3);
    let mut model = CpuModel::default();
    learned.iter().for_each(|query| model.learn(&query.features, query.nanoseconds));
    model.update();
    (model, tested)
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
    let Some(text) = context.text()? else {
        outcome.note("No text was given (`--text`): not measured.");
        return Ok(outcome);
    };
    let count = if context.quick() { 800 } else { 4000 };
    outcome.note(format!(
        "{} documents; {count} queries of 2 to 6 words, each from a document, three quarters of them to learn from and one \
         quarter to test; each timed 5 times.",
        text.documents()
    ));
    let head = ["query", "mean error", "median error", "sum of predictions / sum of times"];
    let mut table = Table::new("One CPU thread, predictions of single queries, %", head);
    for (name, matching, k) in KINDS {
        let queries = timed(text, matching, k, count)?;
        let (model, tested) = learned(&queries);
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
        on_device(context, text, count, &mut outcome)?;
    }
    Ok(outcome)
}

fn on_device(context: &Context, text: &Text, count: usize, outcome: &mut Outcome) -> Result<(), Failure> {
    let device = context.options.device.clone().unwrap_or_default();
    let settings = Settings { device, offload: Offload::Always, ..Settings::default() };
    let documents = text.documents() as u64;
    let mut table = Table::new(
        "Device, predictions of calls of 1 to 1000 queries, lists resident, %",
        ["query", "mean error", "median error", "sum of predictions / sum of times"],
    );
    for (name, matching, k) in KINDS {
        let options = Options { matching, limit: k, ..Options::default() };
        let queries = text.queries(count);
        let mut calls = Vec::new();
        let mut rest = &queries[..];
        for size in [1, 1, 1, 10, 1, 100, 1, 1000].into_iter().cycle() {
            let Some((call, others)) = rest.split_at_checked(size) else { break };
            rest = others;
            let mut sum = Features::call(documents);
            for query in call {
                let mut lengths: Vec<u64> = query.iter().map(|&term| text.length(term)).collect();
                let features = Features::new(&mut lengths, query.len(), k, documents);
                sum.iter_mut().zip(features.on_device(matching)).for_each(|(sum, of)| *sum += of);
            }
            let words = |query: &Vec<usize>| query.iter().map(|&term| &*text.terms[term]).collect::<Vec<_>>().join(" ");
            let texts: Vec<String> = call.iter().map(words).collect();
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let search = || engine::search_batch(&text.index, &texts, &options, &settings);
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
