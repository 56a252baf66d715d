//! The device half of Ding 2009, tables 2 and 3.

use super::{COLUMNS, options};
use crate::corpora::collection::{Collection, Query, texts};
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Failure, papers};
use crate::support::clock::Spread;
use crate::support::kernels::Round;
use postings::device::Device;
use postings::engine::{self, Offload, Settings};
use postings::lab::accumulators;
use postings::search::Matching;
use postings::{Codec, PostingList};

/// How queries are answered.
struct Way {
    name: &'static str,
    /// Queries of a call.
    at_once: usize,
    /// Whether OR has an accumulator for each document of the collection, as in the paper.
    plain: bool,
    /// How many queries are measured.
    count: usize,
}

/// Batches with plain accumulators: a query has 8 bytes for each document.
const PLAIN: usize = 200;
/// Queries whose steps are compared with intersections alone.
const STEPS: usize = 2000;

const WAYS: [Way; 4] = [
    Way { name: "one query a call", at_once: 1, plain: false, count: 500 },
    Way { name: "one query a call, plain accumulators", at_once: 1, plain: true, count: PLAIN },
    Way { name: "batch", at_once: usize::MAX, plain: false, count: usize::MAX },
    Way { name: "batch, plain accumulators", at_once: usize::MAX, plain: true, count: PLAIN },
];
const ALONE: usize = 0;
const ALONE_PLAIN: usize = 1;
const BATCH_PLAIN: usize = 3;

impl Way {
    /// How many queries of a collection are measured.
    fn count(&self, context: &Context, collection: &Collection) -> usize {
        let most = if context.quick() { 100 } else { usize::MAX };
        self.count.min(most).min(collection.queries.len())
    }

    /// The name with that number of queries, if they are in one call.
    fn name(&self, count: usize) -> String {
        self.name.replacen("batch", &format!("batch of {count}"), 1)
    }
}

/// What a query takes on average.
struct Cost {
    /// Milliseconds of whole calls, from text to hits.
    whole: Spread,
    /// Milliseconds of kernels, by name.
    kernels: Vec<(&'static str, f64)>,
}

impl Cost {
    /// Milliseconds of these kernels.
    fn of(&self, names: &[&str]) -> f64 {
        self.kernels.iter().filter(|(name, _)| names.contains(name)).map(|(_, ms)| ms).sum()
    }

    fn all(&self) -> f64 {
        self.kernels.iter().map(|(_, ms)| ms).sum()
    }
}

/// Medians of the rounds, for each of `count` queries.
fn kernels(rounds: &[Round], count: usize) -> Vec<(&'static str, f64)> {
    let mut names: Vec<&'static str> = rounds.iter().flat_map(|round| &round.kernels).map(|time| time.kernel).collect();
    names.sort_unstable();
    names.dedup();
    let of = |name| Spread::of(rounds, |round| 1e3 * round.kernel_seconds(&[name]) / count as f64).median;
    names.into_iter().map(|name| (name, of(name))).collect()
}

/// Answers queries in a way, compares the hits with those of the CPU, and measures.
fn cost(
    context: &Context,
    device: &Device,
    collection: &Collection,
    way: &Way,
    matching: Matching,
) -> Result<Cost, Failure> {
    let queries = texts(collection.first(way.count(context, collection)));
    let options = options(matching);
    let selector = context.options.device.clone().unwrap_or_default();
    let settings = Settings { device: selector, offload: Offload::Always, ..Settings::default() };
    let failures = engine::stats().device_failures;
    let search = || -> postings::Result<Vec<_>> {
        let mut found = Vec::with_capacity(queries.len());
        for call in queries.chunks(way.at_once.min(queries.len())) {
            if way.plain {
                let ranked = accumulators::search_batch(device, &collection.index, call, &options, &settings)?;
                found.extend(ranked.into_iter().flatten());
            } else {
                found.extend(engine::search_batch(&collection.index, call, &options, &settings)?);
            }
        }
        Ok(found)
    };
    let found = search()?;
    if found.len() != queries.len() {
        return Err(format!("{}: {} of {} queries answered", way.name, found.len(), queries.len()).into());
    }
    for (query, found) in queries.iter().zip(&found).step_by(queries.len().div_ceil(PLAIN)) {
        assert!(*found == collection.index.search(query, &options)?, "{query}: other hits, {}", way.name);
    }
    let whole = context.time(&mut || drop(std::hint::black_box(search())));
    let (rounds, _) = context.each_kernel(device, search)?;
    if engine::stats().device_failures != failures {
        return Err(format!("{}: the device failed", way.name).into());
    }
    let kernels = kernels(&rounds, queries.len());
    Ok(Cost { whole: whole.times(1e3 / queries.len() as f64), kernels })
}

/// Milliseconds of kernels that a query takes to be intersected alone, and the number of queries.
fn intersection(
    context: &Context,
    device: &Device,
    collection: &Collection,
    queries: &[Query],
    codec: Codec,
) -> Result<(f64, usize), Failure> {
    let lists: Vec<Vec<PostingList>> = collection.lists(queries, codec)?;
    let (rounds, _) = context.each_kernel(device, || device.intersect_batch(&lists, 0))?;
    let time = Spread::of(&rounds, |round| round.kernel_seconds(&[])).median;
    Ok((1e3 * time / lists.len().max(1) as f64, lists.len()))
}

/// Measures. `cpu`: milliseconds of a query on one CPU thread, by column.
pub(super) fn measure(
    context: &Context,
    collection: &Collection,
    cpu: [f64; 3],
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let Some(device) = &context.device else { return Ok(()) };
    let mut costs: Vec<[Option<Cost>; 3]> = Vec::new();
    for way in &WAYS {
        let mut row = [const { None }; 3];
        for ((_, matching), cell) in COLUMNS.into_iter().zip(&mut row) {
            // AND has no accumulators.
            if !(way.plain && matching == Matching::All) {
                *cell = Some(cost(context, device, collection, way, matching)?);
            }
        }
        costs.push(row);
    }
    let counts = WAYS.each_ref().map(|way| way.count(context, collection));
    table_2(counts, cpu, &costs, outcome);
    let steps = Way { name: "batch", at_once: usize::MAX, plain: false, count: STEPS };
    let and = cost(context, device, collection, &steps, Matching::All)?;
    let queries = collection.first(steps.count(context, collection));
    let (raw, count) = intersection(context, device, collection, queries, Codec::Raw)?;
    let (coded, _) = intersection(context, device, collection, queries, Codec::PForDelta)?;
    outcome.note(format!(
        "Table 3, AND by the paper's steps: {count} queries in a call. Intersection is that of uncompressed lists alone \
         ({:.3} µs of kernels per query), decompression what PForDelta adds ({:.3} µs in all), and scoring with top-k what \
         `rank_all` and `rank_best` ({:.3} µs) take beyond the intersection, if they do. Otherwise nothing is decompressed: lists \
         lie open in the device's memory.",
        1e3 * raw,
        1e3 * coded,
        1e3 * and.all()
    ));
    let stepwise = [raw, (coded - raw).max(0.0), (and.all() - raw).max(0.0)];
    table_3(&costs, stepwise, outcome);
    findings(cpu, &costs, stepwise, outcome);
    Ok(())
}

fn table_2(counts: [usize; 4], cpu: [f64; 3], costs: &[[Option<Cost>; 3]], outcome: &mut Outcome) {
    let head = [""].into_iter().chain(COLUMNS.map(|(column, _)| column));
    let mut table = Table::new("Table 2 with a device: milliseconds per query, lists resident, top 10", head);
    table.row("one CPU thread", cpu);
    for ((way, count), costs) in WAYS.iter().zip(counts).zip(costs) {
        let name = way.name(count);
        let cells = |of: fn(&Cost) -> Cell| costs.each_ref().map(|cost| cost.as_ref().map_or(Cell::Empty, of));
        table.row(format!("device, {name}"), cells(|cost| cost.whole.into()));
        table.row(format!("device, {name}, kernels"), cells(|cost| cost.all().into()));
    }
    outcome.tables.push(table);
    for (at, (column, _)) in COLUMNS.into_iter().enumerate() {
        for (way, what) in [(ALONE, "one query a call"), (ALONE_PLAIN, "one query a call, plain accumulators")] {
            if let Some(cost) = &costs[way][at] {
                let place = ("ding-2009", "table 2", "GPU", column);
                outcome.beside(format!("{column}, device, {what}, ms"), place, cost.whole.median);
            }
        }
    }
}

/// The kernels of the steps of OR: initialization, scoring, top-k.
const OURS: [&[&str]; 3] = [&["rank_tiles"], &["rank_max_score", "rank_any"], &["rank_best"]];
const PAPERS: [&[&str]; 3] = [&["plain_clear"], &["plain_add"], &["plain_count", "plain_collect", "rank_best"]];

fn table_3(costs: &[[Option<Cost>; 3]], [intersection, decompression, ranking]: [f64; 3], outcome: &mut Outcome) {
    let head = ["", "initialization", "intersection", "decompression", "scoring", "top-k"];
    let mut table = Table::new("Table 3: shares of kernels, in % of their time", head);
    let share = |part: f64, all: f64| Cell::from(100.0 * part / all);
    let all = intersection + decompression + ranking;
    let cells = [intersection, decompression, ranking].map(|part| share(part, all));
    let [intersection, decompression, ranking] = cells;
    let empty = Cell::Empty;
    table.row(
        "AND by the paper's steps (scoring and top-k together)",
        [empty.clone(), intersection, decompression, ranking, empty.clone()],
    );
    for (way, costs) in WAYS.iter().zip(costs) {
        if let Some(and) = &costs[0] {
            let [found, best] = [&["rank_all"], &["rank_best"]].map(|names| share(and.of(names), and.all()));
            let name = format!("AND, `rank_all` (intersection and scoring together) and `rank_best`, {}", way.name);
            table.row(name, [empty.clone(), found, empty.clone(), empty.clone(), best]);
        }
        if let Some(or) = &costs[1] {
            let steps = if way.plain { PAPERS } else { OURS };
            let [init, scoring, top] = steps.map(|names| share(or.of(names), or.all()));
            table.row(format!("OR, {}", way.name), [init, empty.clone(), empty.clone(), scoring, top]);
        }
    }
    outcome.tables.push(table);
}

fn findings(cpu: [f64; 3], costs: &[[Option<Cost>; 3]], stepwise: [f64; 3], outcome: &mut Outcome) {
    let whole = |way: usize, at: usize| costs[way][at].as_ref().map_or(f64::NAN, |cost| cost.whole.median);
    let faster = [0, 1, 2].map(|at| cpu[at] / whole(ALONE, at));
    let theirs = ["AND", "OR", "AND+OR"].map(|column| {
        let of = |row| papers::number("ding-2009", "table 2", row, column);
        of("CPU") / of("GPU")
    });
    let source = ("ding-2009", "table 2");
    outcome.finding(
        source,
        "On AND queries the GPU slightly outperforms a CPU core, one query at a time",
        faster[0] > 1.0,
        format!("{:.2} times as fast; the paper's: {:.2} (rule: over 1).", faster[0], theirs[0]),
    );
    let plain = cpu[1] / whole(ALONE_PLAIN, 1);
    outcome.finding(
        source,
        "On OR queries the GPU substantially outperforms a CPU core, one query at a time",
        plain.max(faster[1]) > 3.0,
        format!(
            "{:.2} times as fast, with the paper's accumulators {plain:.2}; the paper's: {:.2} (rule: over 3).",
            faster[1], theirs[1]
        ),
    );
    outcome.finding(
        source,
        "For AND+OR queries the difference is not as large as for OR",
        faster[2] < faster[1],
        format!("{:.2} times as fast; the paper's: {:.2} (rule: less than OR).", faster[2], theirs[2]),
    );
    let ranking = 100.0 * stepwise[2] / stepwise.iter().sum::<f64>();
    let source = ("ding-2009", "table 3");
    outcome.finding(
        source,
        "Less than 10 % of the time of AND queries is spent on scoring and choosing the best, on the GPU",
        ranking < 10.0,
        format!("{ranking:.1} % by the paper's steps (rule: below 10 %)."),
    );
    let shares = |way: usize| {
        let or = costs[way][1].as_ref();
        or.map_or(f64::NAN, |or| 100.0 * or.of(PAPERS[1]) / or.all())
    };
    outcome.finding(
        source,
        "Almost half of the time of OR queries is spent on scoring and updating accumulators, on the GPU",
        (40.0..60.0).contains(&shares(BATCH_PLAIN)),
        format!(
            "{:.0} % in batches with the paper's accumulators, {:.0} % one query at a time (rule: 40 to 60 % in batches).",
            shares(BATCH_PLAIN),
            shares(ALONE_PLAIN)
        ),
    );
}
