//! The threads of a stream.
//!
//! One thread for each device gives it calls, one after the other; its work on the host is spread over some more threads
//! for a moment. All others, and at least one, prepare what has come and answer what the scheduler leaves to the CPU.

use super::answers::Answers;
use super::calls::Calls;
use super::state::{CPU, DEVICE, Pricing, State, Turn, Waiting, Waking};
use crate::base::background;
use crate::base::error::Error;
use crate::engine::cost::{self, Features, Ran};
use crate::engine::ranked::{Answer, Fleet, Job, by_cpu, candidate};
use crate::engine::schedule::Call;
use crate::engine::settings::Settings;
use crate::search::{Found, Index, Options};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Numbers of the recipes of a query for a device, at most: many queries wait, and a prefix stands for up to a thousand words.
const MOST_SIZE: usize = 1024;

/// Queries that a device's thread takes before it lets others at the queues: as many as take some ten microseconds.
const TAKEN_AT_ONCE: usize = 512;

/// Queries of CPU threads that are kept to be learned from, and how long they wait if no device has a call.
const SAMPLES: usize = 256;
const LEARN_AFTER: Duration = Duration::from_millis(200);

/// So often a CPU thread without work looks whether a query that waits for a device has become urgent, or too late.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What the threads of a stream share.
pub(super) struct Core {
    pub(super) index: Index,
    pub(super) options: Options,
    pub(super) settings: Settings,
    /// The hits that a query needs.
    pub(super) wanted: usize,
    pub(super) fleet: Fleet,
    /// Threads of all kinds.
    pub(super) threads: usize,
    pub(super) began: Instant,
    pub(super) state: Mutex<State>,
    /// For CPU threads, and for those of devices.
    pub(super) work: [Condvar; 2],
    /// Bytes of the texts of queries whose memory was not freed yet.
    pub(super) bytes: AtomicUsize,
    pub(super) answers: Answers,
    pub(super) samples: Mutex<Samples>,
}

/// Times of queries on CPU threads, to be learned from.
pub(super) struct Samples {
    pub(super) times: Vec<(Features, f64)>,
    pub(super) since: Instant,
}

impl Core {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    /// Wakes threads, for whom nobody should have to wait: without the lock.
    pub(super) fn notify(&self, waking: Waking) {
        match waking {
            Waking::All(kind) => self.work[kind].notify_all(),
            Waking::Some(kind, count) => (0..count).for_each(|_| self.work[kind].notify_one()),
        }
    }

    fn wait<'s>(&self, mut state: MutexGuard<'s, State>, kind: usize) -> MutexGuard<'s, State> {
        state.idle[kind] += 1;
        let mut state = if state.scheduled() == 0 {
            self.work[kind].wait(state).unwrap_or_else(PoisonError::into_inner)
        } else {
            self.work[kind].wait_timeout(state, LOOK_AGAIN).unwrap_or_else(PoisonError::into_inner).0
        };
        state.idle[kind] -= 1;
        state.woken[kind] = state.woken[kind].saturating_sub(1);
        state
    }

    fn answer_late(&self, late: &mut Vec<Waiting>) {
        if !late.is_empty() {
            self.answers.add(late.iter().map(|waiting| (waiting.ticket, Ok(Found::late()))));
            self.forget(late.drain(..));
        }
    }

    /// Frees what was answered.
    fn forget(&self, answered: impl Iterator<Item = Waiting>) {
        self.bytes.fetch_sub(answered.map(|waiting| waiting.asked.get().bytes()).sum(), Relaxed);
    }

    /// The life of a CPU thread.
    pub(super) fn work(&self) {
        let mut late = Vec::new();
        loop {
            let mut state = self.lock();
            let turn = loop {
                if state.stopping {
                    return;
                }
                let turn = state.turn(self.now(), &mut late);
                if !late.is_empty() || !matches!(turn, Turn::Nothing) {
                    break turn;
                }
                state = self.wait(state, CPU);
            };
            // One after the other, as long as there is work.
            let more = usize::from(state.has_more());
            let waking = state.wake(CPU, more);
            drop(state);
            self.notify(waking);
            let _busy = background::busy();
            self.answer_late(&mut late);
            self.perform(turn);
        }
    }

    /// One piece of work by the calling thread, if there is one.
    pub(super) fn help(&self) -> bool {
        let mut late = Vec::new();
        let turn = self.lock().turn(self.now(), &mut late);
        let any = !late.is_empty() || !matches!(turn, Turn::Nothing);
        self.answer_late(&mut late);
        self.perform(turn);
        any
    }

    fn perform(&self, turn: Turn) {
        match turn {
            Turn::Prepare(queries, pricing) => self.prepare(queries, pricing),
            Turn::Answer(waiting) => self.answer(waiting),
            Turn::Finish(ranked) => self.finish(ranked),
            Turn::Forget(answered) => self.forget(answered.into_iter()),
            Turn::Nothing => (),
        }
    }

    fn answer(&self, waiting: Waiting) {
        let began = Instant::now();
        let search = || by_cpu(&self.index, waiting.asked.get(), &self.options);
        let answer = catch_unwind(AssertUnwindSafe(search)).unwrap_or(Err(Error::Panicked));
        if let Some((_, features)) = waiting.prepared.as_deref() {
            self.sample(features, began.elapsed());
        }
        self.answers.add([(waiting.ticket, answer)]);
        self.forget(std::iter::once(waiting));
    }

    /// Makes hits of what a device has found.
    fn finish(&self, ranked: Vec<(u64, Answer)>) {
        let hits = |answer: &Answer| answer.hits(&self.index, &self.options, self.wanted);
        let finished = ranked.into_iter().map(|(ticket, answer)| {
            (ticket, catch_unwind(AssertUnwindSafe(|| hits(&answer))).unwrap_or(Err(Error::Panicked)))
        });
        self.answers.add(finished.collect::<Vec<_>>());
    }

    /// Finds out which queries devices can answer, and what they cost.
    fn prepare(&self, queries: Vec<Waiting>, mut pricing: Pricing) {
        let now = self.now();
        let (mut late, queries): (Vec<_>, Vec<_>) = queries.into_iter().partition(|waiting| waiting.deadline <= now);
        self.answer_late(&mut late);
        let devices = self.fleet.devices();
        let Some(first) = devices.first() else { return };
        let models = cost::models(first);
        let mut prepared = Vec::with_capacity(queries.len());
        for mut waiting in queries {
            let end = self.options.end();
            let prepare = || candidate(&self.index, waiting.asked.get(), &self.options, end, self.wanted, &models);
            // What fails fails again, on the CPU, and is told there.
            let known = catch_unwind(AssertUnwindSafe(prepare)).ok().and_then(|known| known.ok().flatten());
            let known = known.filter(|known| known.query.size() <= MOST_SIZE);
            let cost = known.map(|known| {
                waiting.prepared = Some(Box::new((known.query, known.features)));
                known.cost.on_one_of(devices.len())
            });
            prepared.push((waiting, cost));
        }
        let count = prepared.len();
        let sorted = pricing.sort(prepared);
        let mut state = self.lock();
        state.schedule(sorted, pricing);
        // What CPU threads are to answer, this one sees itself.
        let waking = state.wake(DEVICE, count);
        drop(state);
        self.notify(waking);
    }

    fn sample(&self, features: &Features, time: Duration) {
        let Ok(mut samples) = self.samples.try_lock() else { return };
        if samples.times.len() < SAMPLES {
            samples.times.push((*features, time.as_nanos() as f64));
        } else if samples.since.elapsed() > LEARN_AFTER {
            let cpu = samples.take();
            drop(samples);
            self.learn(&Ran { cpu, device: Vec::new() });
        }
    }

    /// Later queries are predicted by what has run, too. All devices have the models of the first.
    fn learn(&self, ran: &Ran) {
        let Some(first) = self.fleet.devices().first() else { return };
        cost::learn(first, self.options.matching, ran);
        let call = cost::models(first).call(self.index.snapshot().documents(), 0.0);
        self.lock().set_call(call);
    }

    /// The life of a device's thread.
    pub(super) fn rank(&self, device: usize) {
        // For moments, in which they share the cores with the CPU threads.
        let threads = self.threads.div_ceil(2 * self.fleet.devices().len());
        let job = Job::new(&self.index, &self.options, &self.settings, self.wanted, &self.fleet, threads);
        while let Some(queries) = self.next_call() {
            let _busy = background::busy();
            let left = self.calls(&job, device, queries);
            if !left.is_empty() {
                let mut state = self.lock();
                let count = left.len();
                let mut pricing = state.pricing();
                let left = pricing.sort(left.into_iter().map(|waiting| (waiting, None)).collect());
                state.schedule(left, pricing);
                let waking = state.wake(CPU, count);
                drop(state);
                self.notify(waking);
            }
        }
    }

    /// What a device is to answer next, once there is something; nothing once the stream ends.
    fn next_call(&self) -> Option<Vec<Waiting>> {
        let mut state = self.lock();
        loop {
            state = match self.waiting(state) {
                Ok(queries) => return Some(queries),
                Err(state) if state.stopping => return None,
                Err(state) => self.wait(state, DEVICE),
            };
        }
    }

    /// What waits for a device now; the lock again if nothing does, or the stream ends.
    pub(super) fn waiting<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
    ) -> std::result::Result<Vec<Waiting>, MutexGuard<'s, State>> {
        let now = self.now();
        let mut late = Vec::new();
        state.expire(now, &mut late);
        self.answer_late(&mut late);
        let mut call = Call::default();
        while !state.stopping && state.fill(&mut call, now, TAKEN_AT_ONCE) {
            drop(state);
            state = self.lock();
        }
        if state.stopping || call.is_empty() {
            return Err(state);
        }
        drop(state);
        Ok(call.into_jobs().map(|job| job.query).collect())
    }

    /// Has a device answer queries, and in further calls, while kernels of the last one run, what has come meanwhile. CPU threads
    /// make hits of what it finds. Returns what it leaves to the CPU, or fails at.
    fn calls(&self, job: &Job, device: usize, queries: Vec<Waiting>) -> Vec<Waiting> {
        let calls = Calls::new(self, queries);
        let pipe = || job.pipe(device, |_| calls.next(), |query, answer| calls.take(query, answer));
        let done = catch_unwind(AssertUnwindSafe(pipe)).ok().flatten();
        calls.pass_on(1);
        if let Some(Some(time)) = done {
            let features = calls.queries().filter_map(|waiting| Some(waiting.prepared.as_deref()?.1));
            let cpu = self.samples.lock().unwrap_or_else(PoisonError::into_inner).take();
            self.learn(&Ran { cpu, device: vec![(job.work(features), time)] });
        }
        let (answered, left) = calls.end();
        let mut state = self.lock();
        state.answered.push(answered);
        let waking = state.wake(CPU, 1);
        drop(state);
        self.notify(waking);
        left
    }
}

impl Samples {
    fn take(&mut self) -> Vec<(Features, f64)> {
        self.since = Instant::now();
        std::mem::take(&mut self.times)
    }
}
