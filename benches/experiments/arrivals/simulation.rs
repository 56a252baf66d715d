//! A simulation of queries that arrive at random at a CPU and a device.

use crate::support::data::Random;
use postings::engine::schedule::{Cost, Job, Policy, Queue};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Nanoseconds of a call of the device, at most, with more than one query.
const LONGEST: f64 = 2e6;

/// A simulated system.
#[derive(Clone, Copy)]
pub struct System {
    pub threads: usize,
    /// Nanoseconds of a call of the device, and the most queries in it.
    pub call: f64,
    pub most: usize,
    /// Nanoseconds after its arrival by which a query must be done.
    pub deadline: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    Device,
    Cpu,
    /// Whichever is predicted to be better, one query at a time.
    Better,
    Both,
}

impl Way {
    pub const ALL: [(Way, &'static str); 4] = [
        (Way::Cpu, "CPU only"),
        (Way::Device, "device only"),
        (Way::Better, "the better one, one at a time"),
        (Way::Both, "both, scheduled"),
    ];
}

/// What queries take, and what is predicted.
#[derive(Clone, Copy)]
pub struct Query {
    pub real: Cost,
    pub predicted: Cost,
}

/// What came of a simulation.
pub struct Outcomes {
    /// Mean delay in milliseconds.
    pub delay: f64,
    pub late: usize,
    /// When the last one came, and when all were done, in nanoseconds.
    pub ends: [f64; 2],
}

/// What waits, by the way that it is worked off.
enum Waiting {
    InOrder(VecDeque<Job<usize>>),
    Scheduled(Box<Queue<usize>>),
}

impl Waiting {
    fn push(&mut self, job: Job<usize>) {
        match self {
            Waiting::InOrder(jobs) => jobs.push_back(job),
            Waiting::Scheduled(queue) => queue.push([job]),
        }
    }

    /// Takes what is next for a CPU thread.
    fn for_cpu(&mut self, way: Way, now: u64) -> Option<Job<usize>> {
        match self {
            Waiting::InOrder(jobs) => {
                if way == Way::Device {
                    None
                } else {
                    jobs.pop_front()
                }
            }
            Waiting::Scheduled(queue) => queue.for_cpu(now, true),
        }
    }

    fn for_device(&mut self, way: Way, now: u64, system: &System) -> Vec<Job<usize>> {
        match self {
            Waiting::InOrder(jobs) if way == Way::Device => jobs.drain(..jobs.len().min(system.most)).collect(),
            Waiting::InOrder(_) => Vec::new(),
            Waiting::Scheduled(queue) => queue.for_device(now),
        }
    }
}

/// Runs `arrivals` queries that arrive at random, so many per second on average; gives up after the first that is late if
/// that is all that is asked.
pub fn simulate(system: &System, way: Way, queries: &[Query], rate: f64, arrivals: usize, give_up: bool) -> Outcomes {
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
            waiting.push(Job { query: came, cost, arrived: now, deadline: now + system.deadline as u64 });
            came += 1;
            arrival += -random.unit().ln() * 1e9 / rate;
        }
        let mut finish = |job: &Job<usize>, end: u64| {
            let delay = (end - job.arrived) as f64;
            sum += delay;
            late += usize::from(delay > system.deadline);
            ends = [ends[0].max(job.arrived as f64), ends[1].max(end as f64)];
        };
        while busy.len() < threads
            && let Some(job) = waiting.for_cpu(way, now)
        {
            let query = &queries[job.query % queries.len()];
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
                let cost = |job: &Job<usize>| queries[job.query % queries.len()].real.device;
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
pub fn check() {
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
pub fn highest(system: &System, way: Way, queries: &[Query], most: usize) -> f64 {
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
pub fn with_error(queries: &[Query], deviation: f64) -> Vec<Query> {
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
