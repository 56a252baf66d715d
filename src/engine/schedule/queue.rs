//! [`Queue`]: a stream of queries with deadlines.

use super::Cost;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
///
/// A query comes and goes in a quarter of a microsecond if some ten thousand wait.
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
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// By when they came and how long they take.
    by_turn: Order,
    by_deadline: Order,
    /// What the other side would steal first.
    by_affinity: Order,
    /// The sum of the costs, on the CPU and on the device.
    costs: [f64; 2],
}

/// A query, or the place of one.
#[derive(Debug)]
struct Slot {
    /// How many queries have been here before.
    generation: u32,
    job: Option<Job>,
}

/// The number of a slot and its generation: no two queries of a lane are at the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u32, u32);

/// Places, least key first. Those that were left stay until they come first, or there are many of them.
#[derive(Debug, Default)]
struct Order(BinaryHeap<Reverse<(u64, Place)>>);

impl Order {
    fn first(&mut self, slots: &[Slot]) -> Option<(u64, Place)> {
        while let Some(&Reverse((key, place))) = self.0.peek() {
            if is_there(slots, place) {
                return Some((key, place));
            }
            self.0.pop();
        }
        None
    }

    fn push(&mut self, key: u64, place: Place, slots: &[Slot]) {
        if self.0.len() >= 64 && self.0.len() > 2 * slots.len() {
            self.0.retain(|&Reverse((_, place))| is_there(slots, place));
        }
        self.0.push(Reverse((key, place)));
    }
}

fn is_there(slots: &[Slot], Place(slot, generation): Place) -> bool {
    slots.get(slot as usize).is_some_and(|slot| slot.generation == generation && slot.job.is_some())
}

impl Lane {
    fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn push(&mut self, job: Job, turn: u64, affinity: u64) {
        self.costs[0] += job.cost.cpu;
        self.costs[1] += on_device(&job);
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, job: None });
            (self.slots.len() - 1) as u32
        });
        let slot = &mut self.slots[number as usize];
        slot.job = Some(job);
        let place = Place(number, slot.generation);
        self.by_turn.push(turn, place, &self.slots);
        self.by_deadline.push(job.deadline, place, &self.slots);
        self.by_affinity.push(affinity, place, &self.slots);
    }

    fn get(&self, place: Place) -> Option<&Job> {
        self.slots.get(place.0 as usize)?.job.as_ref()
    }

    fn remove(&mut self, Place(number, _): Place) -> Option<Job> {
        let slot = self.slots.get_mut(number as usize)?;
        let job = slot.job.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(number);
        self.costs[0] -= job.cost.cpu;
        self.costs[1] -= on_device(&job);
        if self.len() == 0 {
            // No rounding error outlives the jobs.
            self.costs = [0.0; 2];
        }
        Some(job)
    }

    fn first_by_turn(&mut self) -> Option<Place> {
        self.by_turn.first(&self.slots).map(|(_, place)| place)
    }

    fn first_by_deadline(&mut self) -> Option<(u64, Place)> {
        self.by_deadline.first(&self.slots)
    }

    fn first_to_steal(&mut self) -> Option<(Place, Job)> {
        let (_, place) = self.by_affinity.first(&self.slots)?;
        Some((place, *self.get(place)?))
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
        [&self.cpu, &self.device, &self.either].iter().map(|lane| lane.len()).sum()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A query comes.
    pub fn push(&mut self, job: Job) {
        let which = self.suits(job.cost);
        let affinity = job.cost.affinity().to_bits();
        let (alone, to_steal) = match which {
            Which::Cpu => (job.cost.cpu, !affinity),
            Which::Device => (job.cost.device, affinity),
            // Whoever comes takes the oldest.
            Which::Either => (0.0, 0),
        };
        let turn = job.arrived.saturating_add((self.policy.brevity * alone) as u64);
        self.lane(which).push(job, turn, to_steal);
    }

    /// The query for a CPU thread that is free.
    pub fn for_cpu(&mut self, now: u64) -> Option<Job> {
        let found = self.urgent(Which::Cpu, now).or_else(|| self.next(Which::Cpu)).or_else(|| self.next(Which::Either));
        let (which, place) = match found {
            Some(found) => found,
            None if self.policy.shared => self.of_device().or_else(|| self.urgent(Which::Device, now))?,
            None => return None,
        };
        self.lane(which).remove(place)
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
            let Some((which, place)) = found.or_else(|| self.of_cpu(so_far)) else { return false };
            let Some(job) = self.lane(which).remove(place) else { return false };
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
            let lane = self.lane(which);
            while let Some((_, place)) = lane.first_by_deadline().filter(|&(deadline, _)| deadline <= now) {
                expired.extend(lane.remove(place));
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

    /// The query with the nearest deadline that is urgent and may run on that side.
    fn urgent(&mut self, own: Which, now: u64) -> Option<(Which, Place)> {
        let urgent = self.policy.urgent;
        let of_lane = |which: Which, lane: &mut Lane| {
            let (deadline, place) = lane.first_by_deadline()?;
            let job = lane.get(place)?;
            let span = deadline.saturating_sub(job.arrived) as f64;
            (now.saturating_sub(job.arrived) as f64 >= urgent * span).then_some((deadline, which, place))
        };
        let found = [of_lane(own, self.lane(own)), of_lane(Which::Either, &mut self.either)];
        found.into_iter().flatten().min_by_key(|&(deadline, ..)| deadline).map(|(_, which, place)| (which, place))
    }

    fn next(&mut self, which: Which) -> Option<(Which, Place)> {
        self.lane(which).first_by_turn().map(|place| (which, place))
    }

    /// A query that a CPU thread should steal.
    fn of_device(&mut self) -> Option<(Which, Place)> {
        // The device takes all that waits with its next call, or with the one after it.
        let wait = self.policy.call + self.device.costs[1];
        let (place, job) = self.device.first_to_steal()?;
        (job.cost.cpu < wait).then_some((Which::Device, place))
    }

    /// A query that the device should steal, if its call takes `cost` so far.
    fn of_cpu(&mut self, cost: f64) -> Option<(Which, Place)> {
        let wait = self.cpu.costs[0] / self.policy.threads.max(1) as f64;
        let (place, job) = self.cpu.first_to_steal()?;
        (job.cost.device.is_finite() && cost + job.cost.device < wait).then_some((Which::Cpu, place))
    }
}
