//! A stream of queries for one CPU and one device: Ding 2009, figure 7, in simulation.

use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure, papers};
use crate::prediction::{KINDS, Timed, learned, timed};
use crate::support::clock::seconds;
use crate::support::data::Random;
use crate::support::plot::{Plot, Scale};
use postings::engine::schedule::{Cost, Job, Policy, Queue};
use postings::engine::{self, DeviceModel, Features, Offload, Settings};
use postings::search::{Matching, Options};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

pub const EXPERIMENT: Experiment = Experiment {
    name: "arrivals",
    title: "A stream of queries for CPU and device",
    question: "How many queries per second can arrive, at random, before one misses its deadline: if the CPU answers them \
               alone, the device alone, whichever is better for a query but one at a time, or both under the scheduler?",
    redraws: &[("ding-2009", "figure 7")],
    why: "Both together answer more than the sum of what each does alone, because each gets the queries that suit it: the \
          comparative advantage that the paper hoped for. The better one of both, one at a time, never was a way to use two \
          processors. One query at a time wastes a GPU, whose time is then that of launches, so that a core is faster at AND; \
          in batches the device does the work of dozens of cores. Errors of predictions cost \
          less than they are large: a standard deviation of e^0.5 a tenth of the rate, e a fifth to a quarter, e² a third or a \
          little more, as what is placed badly is stolen. The device's costs are a \
          model's here, and so better predicted than real ones; the threads that a device's host part takes are not counted \
          except one. The rule of three times a CPU alone depends on how far apart the sides are, not on the scheduler.",
    run,
};

/// Nanoseconds of a call of the device, at most, with more than one query.
const LONGEST: f64 = 2e6;

/// A simulated system.
#[derive(Clone, Copy)]
struct System {
    threads: usize,
    /// Nanoseconds of a call of the device, and the most queries in it.
    call: f64,
    most: usize,
    /// Nanoseconds after its arrival by which a query must be done.
    deadline: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Device,
    Cpu,
    /// Whichever is predicted to be better, one query at a time.
    Better,
    Both,
}

impl Way {
    const ALL: [(Way, &'static str); 4] = [
        (Way::Cpu, "CPU only"),
        (Way::Device, "device only"),
        (Way::Better, "the better one, one at a time"),
        (Way::Both, "both, scheduled"),
    ];
}

/// What queries take, and what is predicted.
#[derive(Clone, Copy)]
struct Query {
    real: Cost,
    predicted: Cost,
}

/// What came of a simulation.
struct Outcomes {
    /// Mean delay in milliseconds.
    delay: f64,
    late: usize,
    /// When the last one came, and when all were done, in nanoseconds.
    ends: [f64; 2],
}

/// What waits, by the way that it is worked off.
enum Waiting {
    InOrder(VecDeque<Job>),
    Scheduled(Box<Queue>),
}

impl Waiting {
    fn push(&mut self, job: Job) {
        match self {
            Waiting::InOrder(jobs) => jobs.push_back(job),
            Waiting::Scheduled(queue) => queue.push(job),
        }
    }

    /// Takes what is next for a CPU thread.
    fn for_cpu(&mut self, way: Way, now: u64) -> Option<Job> {
        match self {
            Waiting::InOrder(jobs) => {
                if way == Way::Device {
                    None
                } else {
                    jobs.pop_front()
                }
            }
            Waiting::Scheduled(queue) => queue.for_cpu(now),
        }
    }

    fn for_device(&mut self, way: Way, now: u64, system: &System) -> Vec<Job> {
        match self {
            Waiting::InOrder(jobs) if way == Way::Device => jobs.drain(..jobs.len().min(system.most)).collect(),
            Waiting::InOrder(_) => Vec::new(),
            Waiting::Scheduled(queue) => queue.for_device(now),
        }
    }
}

/// Runs `arrivals` queries that arrive at random, so many per second on average; gives up after the first that is late if
/// that is all that is asked.
fn simulate(system: &System, way: Way, queries: &[Query], rate: f64, arrivals: usize, give_up: bool) -> Outcomes {
    let threads = match way {
        Way::Better => 1,
        // One waits for the device.
        Way::Both => (system.threads - 1).max(1),
        _ => system.threads,
    };
    let policy = Policy { threads, call: system.call, most: system.most, longest: LONGEST, ..Policy::default() };
    let mut waiting = match way {
        Way::Both => Waiting::Scheduled(Queue::new(policy).into()),
        _ => Waiting::InOrder(VecDeque::new()),
    };
    let mut random = Random::new(91);
    // When a thread, and the device, will be free.
    let mut busy: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let (mut device_free, mut device_busy) = (0u64, false);
    let (mut arrival, mut came, mut done) = (0.0, 0, 0);
    let (mut sum, mut late, mut ends) = (0.0, 0, [0f64; 2]);
    while done < arrivals && !(give_up && late > 0) {
        let next_free = busy.peek().map(|free| free.0).into_iter().chain(device_busy.then_some(device_free)).min();
        let next_arrival = if came < arrivals { arrival as u64 } else { u64::MAX };
        let now = next_free.unwrap_or(u64::MAX).min(next_arrival);
        while busy.peek().is_some_and(|free| free.0 <= now) {
            busy.pop();
        }
        device_busy &= device_free > now;
        if next_arrival <= now {
            let cost = queries[came % queries.len()].predicted;
            waiting.push(Job { id: came as u64, cost, arrived: now, deadline: now + system.deadline as u64 });
            came += 1;
            arrival += -random.unit().ln() * 1e9 / rate;
        }
        let mut finish = |job: &Job, end: u64| {
            let delay = (end - job.arrived) as f64;
            sum += delay;
            late += usize::from(delay > system.deadline);
            ends = [ends[0].max(job.arrived as f64), ends[1].max(end as f64)];
        };
        while busy.len() < threads
            && let Some(job) = waiting.for_cpu(way, now)
        {
            let query = &queries[job.id as usize % queries.len()];
            let by_device = way == Way::Better && system.call + query.predicted.device < query.predicted.cpu;
            let cost = if by_device { system.call + query.real.device } else { query.real.cpu };
            let end = now + cost as u64;
            finish(&job, end);
            busy.push(Reverse(end));
            done += 1;
        }
        if !device_busy {
            let jobs = waiting.for_device(way, now, system);
            if !jobs.is_empty() {
                let cost = |job: &Job| queries[job.id as usize % queries.len()].real.device;
                device_free = now + (system.call + jobs.iter().map(cost).sum::<f64>()) as u64;
                device_busy = true;
                jobs.iter().for_each(|job| finish(job, device_free));
                done += jobs.len();
            }
        }
    }
    Outcomes { delay: sum / 1e6 / done.max(1) as f64, late, ends }
}

/// Checks the simulation against theory: with constant times and half the load (M/D/1) queries wait half a time on average.
fn check() {
    let cost = Cost { cpu: 1e6, device: f64::INFINITY };
    let queries = [Query { real: cost, predicted: cost }];
    let system = System { threads: 1, call: 0.0, most: 1, deadline: 1e12 };
    for way in [Way::Cpu, Way::Both] {
        let delay = simulate(&system, way, &queries, 500.0, 100_000, false).delay;
        assert!((1.47..1.53).contains(&delay), "{way:?}: {delay} ms instead of 1.5");
    }
}

/// The highest rate, within 2 %, at which no query is late. Short runs would hide a backlog that grows, so nor may one take
/// more than a thirtieth of the run, beyond two calls, to work off in the end.
fn highest(system: &System, way: Way, queries: &[Query], most: usize) -> f64 {
    let longest = queries.iter().map(|query| query.real.cpu).fold(0.0, f64::max);
    let sustained = |rate: f64| {
        let arrivals = ((50.0 * system.deadline * 1e-9 * rate) as usize).clamp(1000, most);
        let Outcomes { late, ends: [came, done], .. } = simulate(system, way, queries, rate, arrivals, true);
        late == 0 && done - came <= came / 30.0 + 2.0 * (LONGEST + system.call) + longest
    };
    let mut high = 256.0;
    while high < 1e9 && sustained(high) {
        high *= 2.0;
    }
    let mut low = high / 2.0;
    while high / low > 1.02 {
        let middle = (low * high).sqrt();
        if sustained(middle) { low = middle } else { high = middle }
    }
    low
}

/// The same queries with predictions that are off by a factor whose logarithm has that standard deviation.
fn with_error(queries: &[Query], deviation: f64) -> Vec<Query> {
    let mut random = Random::new(92);
    let mut factor = || {
        let normal = (-2.0 * random.unit().ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos();
        (deviation * normal).exp()
    };
    let of = |query: &Query| {
        let predicted = Cost { cpu: query.real.cpu * factor(), device: query.real.device * factor() };
        Query { real: query.real, predicted }
    };
    queries.iter().map(of).collect()
}

/// The device's model, a query's call, and where they are from.
fn device_model(
    context: &Context,
    texts: &[Timed],
    matching: Matching,
    k: usize,
) -> Result<(DeviceModel, String), Failure> {
    let mut model = DeviceModel::default();
    let (Some(_), Some(text)) = (&context.device, context.text()?) else {
        let known: Value = serde_json::from_str(include_str!("h200-ranked.json"))?;
        let what = known["what"].as_str().unwrap_or_default();
        return Ok((model, format!("Device costs are not from here, but by a model of figures of an H200 ({what}).")));
    };
    let device = context.options.device.clone().unwrap_or_default();
    let settings = Settings { device, offload: Offload::Always, ..Settings::default() };
    let options = Options { matching, limit: k, ..Options::default() };
    for size in [1, 1, 1, 10, 100, 1000, 1, 3, 30, 300] {
        let of_call = &texts[..size.min(texts.len())];
        let words: Vec<&str> = of_call.iter().map(|query| &*query.text).collect();
        engine::search_batch(&text.index, &words, &options, &settings)?;
        let (time, found) = seconds(|| engine::search_batch(&text.index, &words, &options, &settings));
        found?;
        let mut call = Features::call(text.documents() as u64);
        let added = of_call.iter().map(|query| query.features.on_device(matching));
        added.for_each(|query| call.iter_mut().zip(query).for_each(|(sum, of)| *sum += of));
        model.learn(&call, 1e9 * time);
    }
    Ok((model, "Device costs are by a model of calls that were timed here.".into()))
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let Some(text) = context.text()? else {
        outcome.note("No text was given (`--text`): not measured.");
        return Ok(outcome);
    };
    check();
    let (count, most) = if context.quick() { (800, 30_000) } else { (4000, 200_000) };
    outcome.note(format!(
        "{} documents; queries of 2 to 6 words, each from a document, timed here on one thread; the last quarter of {count} \
         arrives again and again, as a Poisson process. Costs are predicted by models of the other queries.",
        text.documents()
    ));
    for (at, (name, matching, k)) in KINDS.into_iter().enumerate().take(2) {
        let timed = timed(text, matching, k, count)?;
        let (model, tested) = learned(&timed);
        let (device, from) = device_model(context, tested, matching, k)?;
        if at == 0 {
            outcome.note(from);
        }
        let query = |query: &Timed| {
            let device = device.predict(&query.features.on_device(matching));
            let real = Cost { cpu: query.nanoseconds, device };
            Query { real, predicted: Cost { cpu: model.predict(&query.features), device } }
        };
        let queries: Vec<Query> = tested.iter().map(query).collect();
        let call = device.predict(&Features::call(text.documents() as u64));
        let mean = |of: fn(&Query) -> f64| queries.iter().map(of).sum::<f64>() / queries.len() as f64 / 1e3;
        outcome.note(format!(
            "{name}: {:.1} µs on a CPU thread, {:.2} µs in a call of the device, of which each takes {:.0} µs, on average.",
            mean(|query| query.real.cpu),
            mean(|query| query.real.device),
            call / 1e3
        ));
        let alone = System { threads: 1, call, most: 1, deadline: 5e8 };
        let server = System { threads: 16, call, most: 10_000, deadline: 5e7 };
        let systems = [
            ("one core, one query at a time, 500 ms", "alone", alone),
            ("16 threads, batches, 50 ms", "server", server),
        ];
        for (setting, short, system) in systems {
            let rates: Vec<f64> = Way::ALL.iter().map(|(way, _)| highest(&system, *way, &queries, most)).collect();
            let mut table =
                Table::new(format!("{name}; {setting}"), ["", "queries/s without a late one", "by CPU + device"]);
            let sum = rates[0] + rates[1];
            for ((way, what), rate) in Way::ALL.iter().zip(&rates) {
                let share = if *way == Way::Both { Cell::from(rate / sum) } else { Cell::Empty };
                table.row(*what, [Cell::from(*rate), share]);
            }
            for deviation in [0.0, 0.5, 1.0, 2.0] {
                let rate = highest(&system, Way::Both, &with_error(&queries, deviation), most);
                let what = format!("both, predictions off by a factor of e^±{deviation}");
                table.row(what, [Cell::from(rate), Cell::from(rate / sum)]);
            }
            outcome.tables.push(table);
            if matching == Matching::All {
                let file = format!("arrivals-{short}");
                let mut plot = Plot::new(&file, &format!("Mean delay; {name}; {setting}"), "arriving queries/s", "ms");
                plot = plot.scales(Scale::Log10, Scale::Log10);
                for ((way, what), highest) in Way::ALL.iter().zip(&rates) {
                    let shares = [0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0];
                    let delay =
                        |share: f64| simulate(&system, *way, &queries, share * highest, most.min(50_000), false).delay;
                    plot.curve(*what, shares.into_iter().map(|share| (share * highest, delay(share))).collect());
                }
                outcome.plots.push(plot);
            }
            if matching == Matching::All && short == "alone" {
                let place = |row: &'static str| ("ding-2009", "figure 7", row, "q/s");
                outcome.beside("one core, AND, queries/s", place("CPU only (less than)"), rates[0]);
                outcome.beside("one core and the device, one at a time", place("both in parallel (beyond)"), rates[3]);
                let theirs = papers::number("ding-2009", "figure 7", "both in parallel (beyond)", "q/s")
                    / papers::number("ding-2009", "figure 7", "CPU only (less than)", "q/s");
                let ours = rates[3] / rates[0];
                outcome.finding(
                    ("ding-2009", "figure 7"),
                    "CPU and GPU in parallel sustain three times what the CPU does alone",
                    ours >= theirs,
                    format!("one core and one query at a time: {ours:.2} times (rule: at least {theirs:.0})."),
                );
            }
            let best = rates[..3].iter().copied().fold(0.0, f64::max);
            outcome.finding(
                ("ding-2009", "figure 7"),
                format!("Both in parallel sustain a higher rate than all other methods ({name}; {setting})"),
                rates[3] > best,
                format!(
                    "{:.2} times the best other one; {:.2} of CPU and device added up.",
                    rates[3] / best,
                    rates[3] / sum
                ),
            );
        }
    }
    Ok(outcome)
}
