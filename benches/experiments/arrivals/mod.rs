//! A stream of queries for one CPU and one device: Ding 2009, figure 7, in simulation.

mod simulation;

use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table, rounded};
use crate::harness::parallel::in_parallel;
use crate::harness::{Experiment, Failure, papers};
use crate::prediction::{KINDS, Timed, model, parts, timed};
use crate::support::clock::{median, seconds};
use crate::support::plot::{Plot, Scale};
use postings::engine::schedule::Cost;
use postings::engine::{self, DeviceModel, Features, Offload, Settings};
use postings::search::{Matching, Options};
use serde_json::{Value, json};
use simulation::{Query, System, Way, check, highest, simulate, with_error};

pub const EXPERIMENT: Experiment = Experiment {
    name: "arrivals",
    title: "A stream of queries for CPU and device",
    question: "How many queries per second can arrive, at random, before one misses its deadline: if the CPU answers them \
               alone, the device alone, whichever is better for a query but one at a time, or both under the scheduler?",
    redraws: &[("ding-2009", "figure 7")],
    why: "This is a simulation, by costs that were measured. In it both together answer more than the sum of what each does alone, because each gets the queries that suit it: the \
          comparative advantage that the paper hoped for. The better one of both, one at a time, never was a way to use two \
          processors. One query at a time wastes a GPU, whose time is then that of launches, so that a core is faster at AND; \
          in batches the device does the work of dozens of cores. Errors of predictions cost \
          less than they are large: a standard deviation of e^0.5 a tenth of the rate, e a fifth to a quarter, e² a third or a \
          little more, as what is placed badly is stolen. The device's costs in batches \
          are a model's, and so better predicted than real ones; the threads that a device's host part takes are not counted \
          except one. The rule of three times a CPU alone depends on how far apart the sides are, not on the scheduler. On a real host both reach less than the sum, \
          because the device's queries need the cores to be prepared: docs/performance.md.",
    run,
};

/// What calls of a device took: the features of each, then nanoseconds; by kind of queries.
type Calls = Vec<Vec<f64>>;

/// How many queries the calls have from which a device's costs are learned.
const SIZES: [usize; 12] = [1, 1, 1, 1, 1, 3, 10, 30, 100, 300, 1000, 3000];

/// Times calls of a device with queries.
fn calls(context: &Context, queries: &[Timed], matching: Matching, k: usize) -> Result<Calls, Failure> {
    let Some(collection) = context.collection()? else { return Ok(Vec::new()) };
    let (settings, options) = on_device(context, matching, k);
    let mut calls = Vec::new();
    let mut first = 0;
    for size in SIZES {
        let size = size.min(queries.len());
        if first + size > queries.len() {
            first = 0;
        }
        let of_call = &queries[first..first + size];
        first += size;
        let words: Vec<&str> = of_call.iter().map(|query| &*query.text).collect();
        let nanoseconds = nanoseconds(|| engine::search_batch(&collection.index, &words, &options, &settings))?;
        let mut call = Features::call(collection.documents());
        let added = of_call.iter().map(|query| query.features.on_device(matching));
        added.for_each(|query| call.iter_mut().zip(query).for_each(|(sum, of)| *sum += of));
        calls.push(call.into_iter().chain([nanoseconds]).map(rounded).collect());
    }
    Ok(calls)
}

fn on_device(context: &Context, matching: Matching, k: usize) -> (Settings, Options) {
    let device = context.options.device.clone().unwrap_or_default();
    let settings = Settings { device, offload: Offload::Always, ..Settings::default() };
    (settings, Options { matching, limit: k, ..Options::default() })
}

/// The median of some calls, after one that sends what they need.
fn nanoseconds<T>(mut call: impl FnMut() -> postings::Result<T>) -> Result<f64, Failure> {
    call()?;
    let mut times = Vec::new();
    for _ in 0..3 {
        let (time, done) = seconds(&mut call);
        done?;
        times.push(1e9 * time);
    }
    Ok(median(&mut times))
}

/// What these calls teach of a device; without any, what is assumed.
fn device_model(calls: &Calls) -> DeviceModel {
    let mut model = DeviceModel::default();
    for call in calls {
        if let Some((features, &[nanoseconds])) = call.split_first_chunk::<{ Features::DEVICE }>() {
            model.learn(features, nanoseconds);
        }
    }
    model
}

/// Calls of an H200 that were measured with `--device`, for machines without a device.
fn kept() -> Result<Value, Failure> {
    Ok(serde_json::from_str(include_str!("h200-ranked.json"))?)
}

/// Queries of a kind, and what they cost.
struct Costs {
    name: &'static str,
    matching: Matching,
    /// Nanoseconds of a call of the device.
    call: f64,
    /// Each query's costs in batches, and alone: the same, by the model, unless a device is here to be timed.
    in_batches: Vec<Query>,
    alone: Vec<Query>,
}

fn costs(
    context: &Context,
    (name, matching, k): (&'static str, Matching, usize),
    count: usize,
    outcome: &mut Outcome,
    measured: &mut serde_json::Map<String, Value>,
) -> Result<Option<Costs>, Failure> {
    let Some(collection) = context.collection()? else { return Ok(None) };
    let timed = timed(collection, matching, k, count)?;
    let (learned, tested) = parts(&timed);
    let cpu = model(learned);
    let calls: Calls = match context.device {
        Some(_) => calls(context, learned, matching, k)?,
        None => serde_json::from_value(kept()?["calls"][name].clone()).unwrap_or_default(),
    };
    let device = device_model(&calls);
    let call = device.predict(&Features::call(collection.documents()));
    let query = |query: &Timed| {
        let on_device = device.predict(&query.features.on_device(matching));
        let real = Cost { cpu: query.nanoseconds, device: on_device };
        Query { real, predicted: Cost { cpu: cpu.predict(&query.features), device: on_device } }
    };
    let mut in_batches: Vec<Query> = tested.iter().map(query).collect();
    let mut alone = in_batches.clone();
    let mean = |of: fn(&Query) -> f64| in_batches.iter().map(of).sum::<f64>() / in_batches.len() as f64 / 1e3;
    outcome.note(format!(
        "{name}: {:.1} µs on a CPU thread, {:.2} µs in a call of the device, of which each takes {:.0} µs, on average.",
        mean(|query| query.real.cpu),
        mean(|query| query.real.device),
        call / 1e3
    ));
    if context.device.is_some() {
        measured.insert(name.into(), json!(calls));
        let (settings, options) = on_device(context, matching, k);
        let mut sum = 0.0;
        for (query, timed) in alone.iter_mut().zip(tested) {
            let own = nanoseconds(|| engine::search(&collection.index, &timed.text, &options, &settings))?;
            sum += own;
            query.real.device = (own - call).max(0.0);
        }
        let texts: Vec<&str> = tested.iter().map(|query| &*query.text).collect();
        let batch = nanoseconds(|| engine::search_batch(&collection.index, &texts, &options, &settings))?;
        let by_model: f64 = in_batches.iter().map(|query| query.real.device).sum();
        // A query's part of a call cannot be timed, but all of them together can.
        let factor = (batch - call).max(0.0) / by_model;
        in_batches.iter_mut().for_each(|query| query.real.device *= factor);
        outcome.note(format!(
            "{name}, timed: {:.1} µs in a call of its own, on average; a call with all {} of these queries {:.2} ms, by the model \
             {:.2} ms.",
            sum / tested.len() as f64 / 1e3,
            tested.len(),
            batch / 1e6,
            (call + by_model) / 1e6
        ));
    }
    Ok(Some(Costs { name, matching, call, in_batches, alone }))
}

/// A kind of queries that arrive at a system.
struct Scenario<'c> {
    costs: &'c Costs,
    system: System,
    /// What the system is, and the end of its plot's name.
    setting: [&'static str; 2],
    queries: &'c [Query],
}

/// Standard deviations of the logarithms of factors by which predictions are off.
const DEVIATIONS: [f64; 4] = [0.0, 0.5, 1.0, 2.0];

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let Some(collection) = context.collection()? else {
        outcome.note("No text was given (`--text` or `--index`): not measured.");
        return Ok(outcome);
    };
    check();
    let (count, most) = if context.quick() { (800, 30_000) } else { (4000, 200_000) };
    let count = collection.first(count).len();
    outcome.note(format!(
        "{} documents; queries {}, timed here on one thread; the last quarter of {count} arrives again and again, as a \
         Poisson process. Costs are predicted by models of the other queries.",
        collection.documents(),
        collection.about
    ));
    outcome.note(match &context.device {
        Some(_) => {
            "A query alone costs the device what was timed here; in a batch a part, by the model, of what a call with all of \
 them took."
                .into()
        }
        None => format!(
            "Device costs are not from here, but by a model of figures of an H200 ({}).",
            kept()?["what"].as_str().unwrap_or_default()
        ),
    });
    let (mut kinds, mut measured) = (Vec::new(), serde_json::Map::new());
    for kind in KINDS.into_iter().take(2) {
        kinds.extend(costs(context, kind, count, &mut outcome, &mut measured)?);
    }
    if !measured.is_empty() {
        keep(context, collection.documents(), measured)?;
    }
    let mut scenarios = Vec::new();
    for costs in &kinds {
        let alone = System { threads: 1, call: costs.call, most: 1, deadline: 5e8 };
        let server = System { threads: 16, call: costs.call, most: 10_000, deadline: 5e7 };
        let settings = [
            (["one core, one query at a time, 500 ms", "alone"], alone, &costs.alone),
            (["16 threads, batches, 50 ms", "server"], server, &costs.in_batches),
        ];
        scenarios.extend(settings.map(|(setting, system, queries)| Scenario { costs, system, setting, queries }));
    }
    const WAYS: usize = Way::ALL.len();
    const EACH: usize = WAYS + DEVIATIONS.len();
    let rates = in_parallel(EACH * scenarios.len(), |at| {
        let Scenario { system, queries, .. } = &scenarios[at / EACH];
        match at % EACH {
            at if at < WAYS => highest(system, Way::ALL[at].0, queries, most),
            at => highest(system, Way::Both, &with_error(queries, DEVIATIONS[at - WAYS]), most),
        }
    });
    for (scenario, rates) in scenarios.iter().zip(rates.chunks(EACH)) {
        let (rates, with_errors) = rates.split_at(WAYS);
        report(scenario, rates, with_errors, &mut outcome);
        if scenario.costs.matching == Matching::All {
            outcome.plots.push(plot(scenario, rates, most.min(50_000)));
        }
    }
    Ok(outcome)
}

/// Writes what calls took to the file that the next build of this experiment takes for `h200-ranked.json`.
fn keep(context: &Context, documents: u64, calls: serde_json::Map<String, Value>) -> Result<(), Failure> {
    let of = |name: &str| context.about().into_iter().find(|(what, _)| what == name).map(|(_, value)| value);
    let what = format!(
        "{}; host: {}; {documents} documents, lists resident, whole calls from text to hits",
        of("device").unwrap_or_default(),
        of("processor").unwrap_or_default()
    );
    // A line per call, so that versions can be compared.
    let line = |call: &Value| format!("      {call}");
    let kind = |(name, calls): (&String, &Value)| {
        let lines: Vec<String> = calls.as_array().into_iter().flatten().map(line).collect();
        format!("    {}: [\n{}\n    ]", json!(name), lines.join(",\n"))
    };
    let kinds: Vec<String> = calls.iter().map(kind).collect();
    let text = format!(
        "{{\n  \"what\": {},\n  \"documents\": {documents},\n  \"calls\": {{\n{}\n  }}\n}}\n",
        json!(what),
        kinds.join(",\n")
    );
    let path = context.options.out.join(format!("{}-ranked.json", context.options.machine));
    std::fs::create_dir_all(&context.options.out)?;
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(())
}

fn plot(scenario: &Scenario, rates: &[f64], arrivals: usize) -> Plot {
    const SHARES: [f64; 13] = [0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0];
    let Scenario { costs, system, setting: [setting, short], queries } = scenario;
    let points = in_parallel(SHARES.len() * rates.len(), |at| {
        let (way, rate) = (at / SHARES.len(), SHARES[at % SHARES.len()] * rates[at / SHARES.len()]);
        (rate, simulate(system, Way::ALL[way].0, queries, rate, arrivals, false).delay)
    });
    let title = format!("Mean delay; {}; {setting}", costs.name);
    let mut plot = Plot::new(&format!("arrivals-{short}"), &title, "arriving queries/s", "ms");
    plot = plot.scales(Scale::Log10, Scale::Log10);
    for ((_, what), points) in Way::ALL.iter().zip(points.chunks(SHARES.len())) {
        plot.curve(*what, points.to_vec());
    }
    plot
}

/// The highest rates of each way, and of both sides with predictions that are off.
fn report(scenario: &Scenario, rates: &[f64], with_errors: &[f64], outcome: &mut Outcome) {
    let Scenario { costs: Costs { name, matching, .. }, setting: [setting, short], .. } = scenario;
    let mut table = Table::new(format!("{name}; {setting}"), ["", "queries/s without a late one", "by CPU + device"]);
    let sum = rates[0] + rates[1];
    for ((way, what), rate) in Way::ALL.iter().zip(rates) {
        let share = if *way == Way::Both { Cell::from(rate / sum) } else { Cell::Empty };
        table.row(*what, [Cell::from(*rate), share]);
    }
    for (deviation, rate) in DEVIATIONS.iter().zip(with_errors) {
        let what = format!("both, predictions off by a factor of e^±{deviation}");
        table.row(what, [Cell::from(*rate), Cell::from(rate / sum)]);
    }
    outcome.tables.push(table);
    if *matching == Matching::All && *short == "alone" {
        let place = |row: &'static str| ("ding-2009", "figure 7", row, "q/s");
        outcome.beside("one core, AND, queries/s", place("CPU only (less than)"), rates[0]);
        outcome.beside("one core and the device, one at a time", place("both in parallel (beyond)"), rates[3]);
        let theirs = papers::number("ding-2009", "figure 7", "both in parallel (beyond)", "q/s")
            / papers::number("ding-2009", "figure 7", "CPU only (less than)", "q/s");
        let ours = rates[3] / rates[0];
        outcome.finding(
            ("ding-2009", "figure 7"),
            "Simulated: CPU and GPU in parallel sustain three times what the CPU does alone",
            ours >= theirs,
            format!("one core and one query at a time: {ours:.2} times (rule: at least {theirs:.0})."),
        );
    }
    let best = rates[..3].iter().copied().fold(0.0, f64::max);
    outcome.finding(
        ("ding-2009", "figure 7"),
        format!("Simulated: both in parallel sustain a higher rate than all other methods ({name}; {setting})"),
        rates[3] > best,
        format!("{:.2} times the best other one; {:.2} of CPU and device added up.", rates[3] / best, rates[3] / sum),
    );
}
