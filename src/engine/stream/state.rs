//! [`State`]: what waits in a stream, and who takes what.

use crate::engine::cost::Features;
use crate::engine::ranked::Answer;
use crate::engine::schedule::{Call, Cost, Job, Policy, Queue, Sorted};
use crate::search::AskedBuf;
use crate::search::prepared::Prepared;
use std::collections::VecDeque;

/// Queries that a thread prepares at a time: some take as long as a query that the CPU answers.
const PREPARED_AT_ONCE: usize = 64;

/// Of so many CPU threads one does not take what a device is to answer.
pub(super) const SPARE: usize = 6;

/// CPU threads, and threads of devices.
pub(super) const CPU: usize = 0;
pub(super) const DEVICE: usize = 1;

/// A query that waits. Times are nanoseconds since the stream began.
pub(super) struct Waiting {
    pub(super) ticket: u64,
    pub(super) asked: AskedBuf,
    pub(super) arrived: u64,
    /// When it is too late to begin it.
    pub(super) deadline: u64,
    /// For devices, once that was found out; nothing for a query that only the CPU can answer.
    pub(super) prepared: Option<Box<(Prepared, Features)>>,
}

/// How queries are sorted for the scheduler, by a thread that does not keep others from it meanwhile.
#[derive(Clone, Copy)]
pub(super) struct Pricing {
    policy: Policy,
    /// What queries cost a CPU thread lately, on average.
    typical: f64,
}

impl Pricing {
    /// Sorts queries that were prepared. Those without a cost are the CPU's.
    pub(super) fn sort(&mut self, queries: Vec<(Waiting, Option<Cost>)>) -> Sorted<Waiting> {
        let Pricing { policy, typical } = self;
        policy.sort(queries.into_iter().map(|(query, cost)| {
            let cost = match cost {
                Some(cost) => {
                    *typical += (cost.cpu - *typical) / if *typical > 0.0 { 64.0 } else { 1.0 };
                    cost
                }
                None => Cost { cpu: *typical, device: f64::INFINITY },
            };
            let (arrived, deadline) = (query.arrived, query.deadline);
            Job { query, cost, arrived, deadline }
        }))
    }
}

/// What a CPU thread is to do next.
pub(super) enum Turn {
    /// Find out what these queries cost, and sort them.
    Prepare(Vec<Waiting>, Pricing),
    Answer(Waiting),
    /// Make hits of what a device has found: its thread has better things to do.
    Finish(Vec<(u64, Answer)>),
    /// Free the memory of queries that a device has answered.
    Forget(Vec<Waiting>),
    Nothing,
}

/// Threads of a kind that are to be woken: so many, or all.
pub(super) enum Waking {
    Some(usize, usize),
    All(usize),
}

/// What waits. Without devices, queries wait in the order in which they came. With devices, they are prepared in this
/// order, and then wait in the queues of the scheduler.
pub(super) struct State {
    arrived: VecDeque<Waiting>,
    queue: Queue<Waiting>,
    devices: bool,
    /// What queries cost a CPU thread lately, on average.
    typical: f64,
    next_ticket: u64,
    /// What devices have found, by tickets.
    pub(super) ranked: VecDeque<Vec<(u64, Answer)>>,
    /// Queries that a device has answered.
    pub(super) answered: Vec<Vec<Waiting>>,
    /// CPU threads, and those of devices, that wait for something to do; and how many of them have been woken since.
    pub(super) idle: [usize; 2],
    pub(super) woken: [usize; 2],
    pub(super) stopping: bool,
}

impl State {
    /// With a policy if there are devices.
    pub(super) fn new(policy: Option<Policy>) -> State {
        State {
            arrived: VecDeque::new(),
            queue: Queue::new(policy.unwrap_or_default()),
            devices: policy.is_some(),
            typical: 0.0,
            next_ticket: 0,
            ranked: VecDeque::new(),
            answered: Vec::new(),
            idle: [0; 2],
            woken: [0; 2],
            stopping: false,
        }
    }

    /// No device gets anything after all.
    pub(super) fn without_devices(&mut self) {
        self.devices = false;
    }

    /// Queries come. Returns the first of their tickets, which they get here.
    pub(super) fn push(&mut self, queries: Vec<Waiting>) -> u64 {
        let first = self.next_ticket;
        self.next_ticket += queries.len() as u64;
        self.arrived.extend((first..).zip(queries).map(|(ticket, waiting)| Waiting { ticket, ..waiting }));
        first
    }

    /// What a CPU thread is to do now; queries that are too late to be begun are appended to `late`, unless they are yet to be prepared.
    /// That comes first, so that a device does not wait.
    pub(super) fn turn(&mut self, now: u64, late: &mut Vec<Waiting>) -> Turn {
        if !self.devices {
            return self.next_in_order(now, late).map_or(Turn::Nothing, Turn::Answer);
        }
        self.expire(now, late);
        if let Some(ranked) = self.ranked.pop_front() {
            return Turn::Finish(ranked);
        }
        if let Some(answered) = self.answered.pop() {
            return Turn::Forget(answered);
        }
        let share = self.arrived.len().div_ceil(1 + self.idle[CPU]);
        if share > 0 {
            let some = self.arrived.drain(..share.min(PREPARED_AT_ONCE)).collect();
            return Turn::Prepare(some, self.pricing());
        }
        let may_steal = self.may_steal(0);
        self.queue.for_cpu(now, may_steal).map_or(Turn::Nothing, |job| Turn::Answer(job.query))
    }

    fn next_in_order(&mut self, now: u64, late: &mut Vec<Waiting>) -> Option<Waiting> {
        while let Some(waiting) = self.arrived.pop_front() {
            if waiting.deadline > now {
                return Some(waiting);
            }
            late.push(waiting);
        }
        None
    }

    /// Whether there is more for CPU threads to do, and for one that would have to be woken.
    pub(super) fn has_more(&mut self) -> bool {
        let may_steal = self.may_steal(1);
        !self.arrived.is_empty() || !self.ranked.is_empty() || self.queue.is_for_cpu(may_steal)
    }

    /// Whether a CPU thread may take what a device is to answer: not while so many are awake, or would be with some more of them, that
    /// what a device waits for would have to wait for a core, or its own thread, or whoever pushes and takes.
    fn may_steal(&self, more: usize) -> bool {
        self.asleep(CPU) >= self.queue.policy().threads / SPARE + more
    }

    /// Threads of a kind that wait for something to do, and have not been woken.
    fn asleep(&self, kind: usize) -> usize {
        self.idle[kind].saturating_sub(self.woken[kind])
    }

    /// Removes what is too late.
    pub(super) fn expire(&mut self, now: u64, late: &mut Vec<Waiting>) {
        late.extend(self.queue.expired(now).into_iter().map(|job| job.query));
    }

    pub(super) fn pricing(&self) -> Pricing {
        Pricing { policy: self.queue.policy(), typical: self.typical }
    }

    /// Queries that were prepared wait in the queues of the scheduler.
    pub(super) fn schedule(&mut self, queries: Sorted<Waiting>, pricing: Pricing) {
        self.queue.push_sorted(queries);
        self.typical = pricing.typical;
    }

    /// How many queries wait in the queues of the scheduler.
    pub(super) fn scheduled(&self) -> usize {
        self.queue.len()
    }

    /// As [`Queue::fill`].
    pub(super) fn fill(&mut self, call: &mut Call<Waiting>, now: u64, count: usize) -> bool {
        self.queue.fill(call, now, count)
    }

    /// Calls of the device take so many nanoseconds now, whatever is in them.
    pub(super) fn set_call(&mut self, nanoseconds: f64) {
        self.queue.set_call(nanoseconds);
    }

    /// Which threads of a kind are to be woken for so many pieces of work. What was woken and has not come yet is not woken again:
    /// that would be a system call per query.
    #[must_use]
    pub(super) fn wake(&mut self, kind: usize, pieces: usize) -> Waking {
        let asleep = self.asleep(kind);
        let count = pieces.min(asleep);
        self.woken[kind] += count;
        if count > 0 && count == asleep { Waking::All(kind) } else { Waking::Some(kind, count) }
    }
}
