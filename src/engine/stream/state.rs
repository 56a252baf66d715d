//! [`State`]: what waits in a stream, and who takes what.

use crate::engine::cost::Features;
use crate::engine::ranked::Answer;
use crate::engine::schedule::{Call, Cost, Job, Policy, Queue};
use crate::search::AskedBuf;
use crate::search::prepared::Prepared;
use std::collections::VecDeque;

/// Queries that a thread prepares at a time: some take as long as a query that the CPU answers.
const PREPARED_AT_ONCE: usize = 32;

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

/// What a CPU thread is to do next.
pub(super) enum Turn {
    /// Find out what these queries cost.
    Prepare(Vec<Waiting>),
    Answer(Waiting),
    /// Make hits of what a device has found: its thread has better things to do.
    Finish(Vec<(u64, Answer)>),
    /// Free the memory of queries that a device has answered.
    Forget(Vec<Waiting>),
    Nothing,
}

/// What waits. Without devices, queries wait in the order in which they came. With devices, they are prepared in this
/// order, and then wait in the queues of the scheduler.
pub(super) struct State {
    arrived: VecDeque<Waiting>,
    queue: Queue,
    /// The queries in the queue, which calls them by their places here.
    places: Vec<Option<Waiting>>,
    free: Vec<usize>,
    devices: bool,
    /// What queries cost a CPU thread lately, on average.
    typical: f64,
    /// Bytes of the texts.
    bytes: usize,
    pub(super) next_ticket: u64,
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
            places: Vec::new(),
            free: Vec::new(),
            devices: policy.is_some(),
            typical: 0.0,
            bytes: 0,
            next_ticket: 0,
            ranked: VecDeque::new(),
            answered: Vec::new(),
            idle: [0; 2],
            woken: [0; 2],
            stopping: false,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// No device gets anything after all.
    pub(super) fn without_devices(&mut self) {
        self.devices = false;
    }

    /// A query comes.
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.bytes += waiting.asked.get().bytes();
        self.arrived.push_back(waiting);
    }

    /// What a CPU thread is to do now; tickets of queries that are too late to be begun are appended to `late`. What has
    /// come is prepared first, so that a device does not wait.
    pub(super) fn turn(&mut self, now: u64, late: &mut Vec<u64>) -> Turn {
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
        let mut some = Vec::new();
        let share = self.arrived.len() / (1 + self.idle[0]);
        while some.len() < share.clamp(1, PREPARED_AT_ONCE)
            && let Some(waiting) = self.next_in_order(now, late)
        {
            some.push(waiting);
        }
        if !some.is_empty() {
            return Turn::Prepare(some);
        }
        let job = self.queue.for_cpu(now);
        job.and_then(|job| self.leave(&job)).map_or(Turn::Nothing, Turn::Answer)
    }

    fn next_in_order(&mut self, now: u64, late: &mut Vec<u64>) -> Option<Waiting> {
        while let Some(waiting) = self.arrived.pop_front() {
            self.bytes -= waiting.asked.get().bytes();
            if waiting.deadline > now {
                return Some(waiting);
            }
            late.push(waiting.ticket);
        }
        None
    }

    /// Removes what is too late.
    pub(super) fn expire(&mut self, now: u64, late: &mut Vec<u64>) {
        for job in self.queue.expired(now) {
            late.extend(self.leave(&job).map(|waiting| waiting.ticket));
        }
    }

    /// A query that was prepared waits in the queues of the scheduler. Without a cost it is the CPU's.
    pub(super) fn schedule(&mut self, waiting: Waiting, cost: Option<Cost>) {
        let cost = match cost {
            Some(cost) => {
                self.typical += (cost.cpu - self.typical) / if self.typical > 0.0 { 64.0 } else { 1.0 };
                cost
            }
            None => Cost { cpu: self.typical, device: f64::INFINITY },
        };
        self.bytes += waiting.asked.get().bytes();
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() - 1
        });
        self.queue.push(Job { id: place as u64, cost, arrived: waiting.arrived, deadline: waiting.deadline });
        self.places[place] = Some(waiting);
    }

    fn leave(&mut self, job: &Job) -> Option<Waiting> {
        let place = job.id as usize;
        let waiting = self.places.get_mut(place)?.take()?;
        self.free.push(place);
        self.bytes -= waiting.asked.get().bytes();
        Some(waiting)
    }

    /// How many queries wait in the queues of the scheduler.
    pub(super) fn scheduled(&self) -> usize {
        self.queue.len()
    }

    /// Adds at most `count` queries to a device's next call. False if it is to begin.
    pub(super) fn fill(&mut self, call: &mut Call, queries: &mut Vec<Waiting>, now: u64, count: usize) -> bool {
        let before = call.jobs.len();
        let more = self.queue.fill(call, now, count);
        for job in &call.jobs[before..] {
            queries.extend(self.leave(job));
        }
        more
    }

    /// Calls of the device take so many nanoseconds now, whatever is in them.
    pub(super) fn set_call(&mut self, nanoseconds: f64) {
        self.queue.set_call(nanoseconds);
    }
}
