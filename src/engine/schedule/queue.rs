//! [`Queue`]: a stream of queries with deadlines.

use super::Cost;
use std::collections::{BTreeMap, BTreeSet};

/// A query that waits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Job {
    /// Its name, of which there is no other in the queue.
    pub id: u64,
    /// What it is expected to cost.
    pub cost: Cost,
    /// When it came, in nanoseconds of any clock.
    pub arrived: u64,
    /// When it is too late to start it.
    pub deadline: u64,
}

/// How a [`Queue`] works.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// CPU threads that take queries.
    pub threads: usize,
    /// Nanoseconds of a call of the device, whatever is in it.
    pub call: f64,
    /// The most queries of a call.
    pub most: usize,
    /// The most nanoseconds of a call that takes more than one query: what comes meanwhile has to wait for it.
    pub longest: f64,
    /// A query belongs to one side if the other is so many times as slow; otherwise to either.
    pub suits: f64,
    /// A query is urgent once this share of the time to its deadline has passed.
    pub urgent: f64,
    /// Of two queries of a queue the one goes first that came first, but one that takes a nanosecond less is preferred
    /// to one that came so many nanoseconds earlier.
    pub brevity: f64,
    /// Whether either side may take what the other could answer, too. Otherwise the device has all that it can answer.
    pub shared: bool,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            threads: 1,
            call: 1e5,
            most: 10_000,
            longest: 1e7,
            suits: 1.2,
            urgent: 0.5,
            brevity: 8.0,
            shared: true,
        }
    }
}

/// The queries of a call of the device.
#[derive(Debug, Default)]
pub struct Call {
    /// The queries.
    pub jobs: Vec<Job>,
    /// What they add to the call, in nanoseconds.
    cost: f64,
}

/// Three queues: queries for the CPU, for the device, and for either.
///
/// Who is free takes, in this order: what is urgent and its own or either's; its own, short ones and old ones first; the
/// oldest of either; and steals what would end there before the other side had come to it, of all such queries the one
/// that it suits best. A CPU thread also steals what is urgent, as nobody can say when a call of the device ends.
#[derive(Debug, Default)]
pub struct Queue {
    policy: Policy,
    cpu: Lane,
    device: Lane,
    either: Lane,
}

/// Queries in several orders. Keys are nanoseconds, or bits of positive numbers.
#[derive(Debug, Default)]
struct Lane {
    jobs: BTreeMap<u64, Job>,
    /// By when they came and how long they take.
    by_turn: BTreeSet<(u64, u64)>,
    by_deadline: BTreeSet<(u64, u64)>,
    by_affinity: BTreeSet<(u64, u64)>,
    /// The sum of the costs, on the CPU and on the device.
    costs: [f64; 2],
}

impl Lane {
    fn keys(job: &Job, turn: u64) -> [(u64, u64); 3] {
        [(turn, job.id), (job.deadline, job.id), (job.cost.affinity().to_bits(), job.id)]
    }

    fn push(&mut self, job: Job, turn: u64) {
        let [turn, deadline, affinity] = Lane::keys(&job, turn);
        self.by_turn.insert(turn);
        self.by_deadline.insert(deadline);
        self.by_affinity.insert(affinity);
        self.costs[0] += job.cost.cpu;
        self.costs[1] += on_device(&job);
        self.jobs.insert(job.id, job);
    }

    fn remove(&mut self, id: u64, turn: impl Fn(&Job) -> u64) -> Option<Job> {
        let job = self.jobs.remove(&id)?;
        let [turn, deadline, affinity] = Lane::keys(&job, turn(&job));
        self.by_turn.remove(&turn);
        self.by_deadline.remove(&deadline);
        self.by_affinity.remove(&affinity);
        self.costs[0] -= job.cost.cpu;
        self.costs[1] -= on_device(&job);
        if self.jobs.is_empty() {
            // No rounding error outlives the jobs.
            self.costs = [0.0; 2];
        }
        Some(job)
    }
}

/// Nothing for a query that the device cannot answer: it does not wait for it.
fn on_device(job: &Job) -> f64 {
    if job.cost.device.is_finite() { job.cost.device } else { 0.0 }
}

/// Which of the three queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Cpu,
    Device,
    Either,
}

impl Queue {
    /// An empty one.
    pub fn new(policy: Policy) -> Queue {
        Queue { policy, ..Queue::default() }
    }

    /// How many queries wait.
    pub fn len(&self) -> usize {
        [&self.cpu, &self.device, &self.either].iter().map(|lane| lane.jobs.len()).sum()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A query comes.
    pub fn push(&mut self, job: Job) {
        let which = self.suits(job.cost);
        let turn = self.turn(which, &job);
        self.lane(which).push(job, turn);
    }

    /// The query for a CPU thread that is free.
    pub fn for_cpu(&mut self, now: u64) -> Option<Job> {
        let found = self.urgent(Which::Cpu, now).or_else(|| self.next(Which::Cpu)).or_else(|| self.next(Which::Either));
        let (which, id) = match found {
            Some(found) => found,
            None if self.policy.shared => self.of_device().or_else(|| self.urgent(Which::Device, now))?,
            None => return None,
        };
        self.remove(which, id)
    }

    /// The queries for the device's next call, if it is free.
    pub fn for_device(&mut self, now: u64) -> Vec<Job> {
        let mut call = Call::default();
        self.fill(&mut call, now, usize::MAX);
        call.jobs
    }

    /// Adds at most `count` queries to the device's next call, in which there may be some. False if it is to begin: it is
    /// full, or nothing is left.
    pub fn fill(&mut self, call: &mut Call, now: u64, count: usize) -> bool {
        let Call { jobs, cost } = call;
        for _ in 0..count {
            let so_far = self.policy.call + *cost;
            if jobs.len() >= self.policy.most || (!jobs.is_empty() && so_far >= self.policy.longest) {
                return false;
            }
            let found = self
                .urgent(Which::Device, now)
                .or_else(|| self.next(Which::Device))
                .or_else(|| self.next(Which::Either));
            let Some((which, id)) = found.or_else(|| self.of_cpu(so_far)) else { return false };
            let Some(job) = self.remove(which, id) else { return false };
            *cost += job.cost.device;
            jobs.push(job);
        }
        true
    }

    /// Calls of the device take so many nanoseconds now, whatever is in them.
    pub fn set_call(&mut self, nanoseconds: f64) {
        self.policy.call = nanoseconds;
    }

    /// Removes the queries whose deadlines have passed: nobody has started them, and nobody should.
    pub fn expired(&mut self, now: u64) -> Vec<Job> {
        let mut expired = Vec::new();
        for which in [Which::Cpu, Which::Device, Which::Either] {
            while let Some(&(_, id)) = self.lane(which).by_deadline.first().filter(|&&(deadline, _)| deadline <= now) {
                expired.extend(self.remove(which, id));
            }
        }
        expired
    }

    /// Where a query belongs. A side's cost is the time for which nothing else can run there, so a thread of many counts
    /// for little.
    fn suits(&self, cost: Cost) -> Which {
        if !self.policy.shared {
            return if cost.device.is_finite() { Which::Device } else { Which::Cpu };
        }
        let affinity = cost.affinity() / self.policy.threads.max(1) as f64;
        match () {
            () if affinity > self.policy.suits => Which::Device,
            () if affinity * self.policy.suits < 1.0 => Which::Cpu,
            () => Which::Either,
        }
    }

    fn lane(&mut self, which: Which) -> &mut Lane {
        match which {
            Which::Cpu => &mut self.cpu,
            Which::Device => &mut self.device,
            Which::Either => &mut self.either,
        }
    }

    fn turn(&self, which: Which, job: &Job) -> u64 {
        turn(&self.policy, which, job)
    }

    fn remove(&mut self, which: Which, id: u64) -> Option<Job> {
        let policy = self.policy;
        self.lane(which).remove(id, |job| turn(&policy, which, job))
    }

    /// The query with the nearest deadline that is urgent and may run on that side.
    fn urgent(&mut self, own: Which, now: u64) -> Option<(Which, u64)> {
        let urgent = self.policy.urgent;
        let of_lane = |which: Which, lane: &Lane| {
            let &(deadline, id) = lane.by_deadline.first()?;
            let job = lane.jobs.get(&id)?;
            let span = deadline.saturating_sub(job.arrived) as f64;
            (now.saturating_sub(job.arrived) as f64 >= urgent * span).then_some((deadline, which, id))
        };
        let found = [of_lane(own, self.lane(own)), of_lane(Which::Either, &self.either)];
        found.into_iter().flatten().min_by_key(|&(deadline, ..)| deadline).map(|(_, which, id)| (which, id))
    }

    fn next(&mut self, which: Which) -> Option<(Which, u64)> {
        self.lane(which).by_turn.first().map(|&(_, id)| (which, id))
    }

    /// A query that a CPU thread should steal.
    fn of_device(&self) -> Option<(Which, u64)> {
        // The device takes all that waits with its next call, or with the one after it.
        let wait = self.policy.call + self.device.costs[1];
        let &(_, id) = self.device.by_affinity.first()?;
        let job = self.device.jobs.get(&id)?;
        (job.cost.cpu < wait).then_some((Which::Device, id))
    }

    /// A query that the device should steal, if its call takes `cost` so far.
    fn of_cpu(&self, cost: f64) -> Option<(Which, u64)> {
        let wait = self.cpu.costs[0] / self.policy.threads.max(1) as f64;
        let &(_, id) = self.cpu.by_affinity.last()?;
        let job = self.cpu.jobs.get(&id)?;
        (job.cost.device.is_finite() && cost + job.cost.device < wait).then_some((Which::Cpu, id))
    }
}

fn turn(policy: &Policy, which: Which, job: &Job) -> u64 {
    let cost = match which {
        Which::Cpu => job.cost.cpu,
        Which::Device => job.cost.device,
        // Whoever comes takes the oldest.
        Which::Either => 0.0,
    };
    job.arrived.saturating_add((policy.brevity * cost) as u64)
}
