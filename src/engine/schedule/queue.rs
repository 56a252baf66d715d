//! [`Queue`]: a stream of queries with deadlines.

use super::Cost;
use super::lane::{Bundle, Entry, Lane, Place};
use std::cmp::Reverse;

/// A query that waits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Job<T> {
    /// The query, for whoever answers it.
    pub query: T,
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
#[derive(Debug)]
pub struct Call<T> {
    bundles: Vec<Bundle<T>>,
    len: usize,
    /// What they add to the call, in nanoseconds.
    cost: f64,
}

impl<T> Default for Call<T> {
    fn default() -> Self {
        Call { bundles: Vec::new(), len: 0, cost: 0.0 }
    }
}

impl<T> Call<T> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The queries. Takes a while if there are many, for which nobody should be kept from the queue.
    pub fn into_jobs(self) -> impl Iterator<Item = Job<T>> {
        self.bundles.into_iter().flat_map(Bundle::into_jobs)
    }
}

/// Queries that have come together, by where they belong.
#[derive(Debug)]
pub struct Sorted<T> {
    of_device: Bundle<T>,
    others: Vec<(Which, Bundle<T>)>,
}

impl Policy {
    /// Sorts queries, without a queue, so that it is not kept from others meanwhile.
    pub fn sort<T>(&self, jobs: impl IntoIterator<Item = Job<T>>) -> Sorted<T> {
        let jobs = jobs.into_iter();
        let (mut of_device, mut others) = (Vec::with_capacity(jobs.size_hint().0), Vec::new());
        for job in jobs {
            let which = self.suits(job.cost);
            let affinity = job.cost.affinity().to_bits();
            let (alone, to_steal) = match which {
                Which::Cpu => (job.cost.cpu, !affinity),
                Which::Device => (job.cost.device, affinity),
                // Whoever comes takes the oldest.
                Which::Either => (0.0, 0),
            };
            let turn = job.arrived.saturating_add((self.brevity * alone) as u64);
            let entry = Entry { job, turn, to_steal };
            match which {
                Which::Device => of_device.push(entry),
                _ => others.push((which, Bundle::new(vec![entry]))),
            }
        }
        of_device.sort_unstable_by_key(|entry| Reverse(entry.to_steal));
        Sorted { of_device: Bundle::new(of_device), others }
    }

    /// Where a query belongs. A side's cost is the time for which nothing else can run there, so a thread of many counts
    /// for little.
    fn suits(&self, cost: Cost) -> Which {
        if !self.shared {
            return if cost.device.is_finite() { Which::Device } else { Which::Cpu };
        }
        let affinity = cost.affinity() / self.threads.max(1) as f64;
        match () {
            () if affinity > self.suits => Which::Device,
            () if affinity * self.suits < 1.0 => Which::Cpu,
            () => Which::Either,
        }
    }
}

/// Three queues: queries for the CPU, for the device, and for either.
///
/// Who is free takes, in this order: what is urgent and its own or either's; its own, short ones and old ones first; the
/// oldest of either; and steals what would end there before the other side had come to it, of all such queries the one
/// that it suits best. A CPU thread also steals what is urgent, as nobody can say when a call of the device ends.
///
/// A query comes and goes in a fifth of a microsecond if some ten thousand wait. Of those that come together, the device's stay
/// together, and take a third of that.
#[derive(Debug)]
pub struct Queue<T> {
    policy: Policy,
    cpu: Lane<T>,
    device: Lane<T>,
    either: Lane<T>,
}

/// Which of the three queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Cpu,
    Device,
    Either,
}

impl<T> Queue<T> {
    /// An empty one.
    pub fn new(policy: Policy) -> Queue<T> {
        Queue { policy, cpu: Lane::default(), device: Lane::default(), either: Lane::default() }
    }

    /// How it works.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// How many queries wait.
    pub fn len(&self) -> usize {
        [&self.cpu, &self.device, &self.either].map(Lane::len).iter().sum()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Queries come, together.
    pub fn push(&mut self, jobs: impl IntoIterator<Item = Job<T>>) {
        self.push_sorted(self.policy.sort(jobs));
    }

    /// Queries come that were sorted by the policy of this queue.
    pub fn push_sorted(&mut self, Sorted { of_device, others }: Sorted<T>) {
        self.device.push(of_device);
        for (which, bundle) in others {
            self.lane(which).push(bundle);
        }
    }

    /// The query for a CPU thread that is free, and may steal or not what is not urgent.
    pub fn for_cpu(&mut self, now: u64, may_steal: bool) -> Option<Job<T>> {
        let found = self.urgent(Which::Cpu, now).or_else(|| self.next(Which::Cpu)).or_else(|| self.next(Which::Either));
        if let Some((which, place)) = found {
            return self.lane(which).take_last(place);
        }
        if !self.policy.shared {
            return None;
        }
        if may_steal && let Some(place) = self.of_device() {
            return self.device.take_last(place);
        }
        let (which, place) = self.urgent(Which::Device, now)?;
        self.lane(which).take_most_urgent(place)
    }

    /// Whether there is a query for a CPU thread that is free, as long as none is urgent.
    pub fn is_for_cpu(&mut self, may_steal: bool) -> bool {
        self.cpu.len() + self.either.len() > 0 || self.policy.shared && may_steal && self.of_device().is_some()
    }

    /// The queries for the device's next call, if it is free.
    pub fn for_device(&mut self, now: u64) -> Vec<Job<T>> {
        let mut call = Call::default();
        self.fill(&mut call, now, usize::MAX);
        call.into_jobs().collect()
    }

    /// Adds at most `count` queries to the device's next call, in which there may be some. False if it is to begin: it is
    /// full, or nothing is left.
    pub fn fill(&mut self, call: &mut Call<T>, now: u64, count: usize) -> bool {
        let Policy { most, longest, call: alone, .. } = self.policy;
        let enough = call.len.saturating_add(count);
        while call.len < enough {
            let left = longest - alone - call.cost;
            if call.len >= most || (call.len > 0 && left <= 0.0) {
                return false;
            }
            let found = self
                .urgent(Which::Device, now)
                .or_else(|| self.next(Which::Device))
                .or_else(|| self.next(Which::Either));
            let Some((which, place)) = found.or_else(|| self.of_cpu(alone + call.cost)) else { return false };
            let room = most.min(enough) - call.len;
            let Some(bundle) = self.lane(which).take_some(place, room, left) else { return false };
            call.len += bundle.len();
            call.cost += bundle.on_device();
            call.bundles.push(bundle);
        }
        true
    }

    /// Calls of the device take so many nanoseconds now, whatever is in them.
    pub fn set_call(&mut self, nanoseconds: f64) {
        self.policy.call = nanoseconds;
    }

    /// Removes the queries whose deadlines have passed: nobody has started them, and nobody should.
    pub fn expired(&mut self, now: u64) -> Vec<Job<T>> {
        let mut expired = Vec::new();
        [&mut self.cpu, &mut self.device, &mut self.either].into_iter().for_each(|lane| lane.expire(now, &mut expired));
        expired
    }

    fn lane(&mut self, which: Which) -> &mut Lane<T> {
        match which {
            Which::Cpu => &mut self.cpu,
            Which::Device => &mut self.device,
            Which::Either => &mut self.either,
        }
    }

    /// The query with the nearest deadline that is urgent and may run on that side.
    fn urgent(&mut self, own: Which, now: u64) -> Option<(Which, Place)> {
        let urgent = self.policy.urgent;
        let of_lane = |which: Which, lane: &mut Lane<T>| {
            let (deadline, arrived, place) = lane.first_by_deadline()?;
            let span = deadline.saturating_sub(arrived) as f64;
            (now.saturating_sub(arrived) as f64 >= urgent * span).then_some((deadline, which, place))
        };
        let found = [of_lane(own, self.lane(own)), of_lane(Which::Either, &mut self.either)];
        found.into_iter().flatten().min_by_key(|&(deadline, ..)| deadline).map(|(_, which, place)| (which, place))
    }

    fn next(&mut self, which: Which) -> Option<(Which, Place)> {
        self.lane(which).first_by_turn().map(|place| (which, place))
    }

    /// Where a query is that a CPU thread should steal.
    fn of_device(&mut self) -> Option<Place> {
        // The device takes all that waits with its next call, or with the one after it.
        let wait = self.policy.call + self.device.costs()[1];
        let (job, place) = self.device.first_to_steal()?;
        (job.cost.cpu < wait).then_some(place)
    }

    /// A query that the device should steal, if its call takes `cost` so far.
    fn of_cpu(&mut self, cost: f64) -> Option<(Which, Place)> {
        let wait = self.cpu.costs()[0] / self.policy.threads.max(1) as f64;
        let (Job { cost: Cost { device, .. }, .. }, place) = self.cpu.first_to_steal()?;
        (device.is_finite() && cost + device < wait).then_some((Which::Cpu, place))
    }
}
