//! [`Stream`]: queries that threads and devices answer while the caller goes on, for workers that live long.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | [`Stream`]: queries in, answers out |
//! | `state` | what waits, and who takes what |
//! | `workers` | the threads |
//! | `calls` | calls of a device that follow each other |
//! | `answers` | what is done |
//!
//! Without a device, CPU threads answer queries in the order in which they came, and nothing else is done about them. With
//! devices, the [scheduler](super::schedule) needs to know what queries cost. Finding out takes about ten microseconds a
//! query, a tenth of what the CPU needs to answer it and several times what a device does; so not the caller does it, who
//! is one thread and has other things to do, but the CPU threads do, before anything else.

mod answers;
mod calls;
mod state;
#[cfg(test)]
mod tests;
mod workers;

use super::cost;
use super::ranked::Fleet;
use super::schedule::Policy;
use super::settings::{Offload, Settings};
use crate::base::error::{Error, Result};
use crate::base::process::{self, Process};
use crate::base::{background, environment, threads};
use crate::search::{Asked, Found, Index, Options};
use answers::Answers;
use state::{CPU, State, Waiting};
use std::mem;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use workers::{Core, Samples};

/// The most nanoseconds of a call of a device, and the part of the time until the deadline that it may take. On an H200 a
/// call of 10,000 queries takes 25 to 40 ms, and larger ones are hardly better.
const LONGEST: f64 = 5e7;
const LONGEST_SHARE: f64 = 0.125;
/// The most queries of a call of a device.
const MOST_AT_ONCE: usize = 16_384;
/// Bytes of the texts that a stream keeps.
const MOST_BYTES: usize = 256 << 20;

/// Queries of an index that are answered in the background, as of one commit. What they find is what
/// [`Index::search`] finds, to the last bit of the scores, wherever it comes from.
///
/// Threads are started by the first query: at most as many as the settings say, of which each device has one. Dropping the
/// stream ends them: queries in progress are waited for, the others are not answered.
///
/// A fork waits for queries in progress. Only the parent can use the stream.
pub struct Stream {
    core: Arc<Core>,
    process: Process,
    capacity: usize,
    /// Queries that have come and whose answers have not been taken.
    untaken: AtomicUsize,
    threads: Mutex<Threads>,
}

#[derive(Default)]
struct Threads {
    started: bool,
    /// CPU threads that the system has started.
    of_cpu: usize,
    all: Vec<JoinHandle<()>>,
}

/// What [`Stream::take`] takes.
#[derive(Debug, PartialEq)]
pub enum Taken {
    /// Queries that were answered, by their tickets; empty if nothing was done in time.
    Found(Vec<(u64, Found)>),
    /// A query that failed. The others are not affected.
    Failed {
        /// Its ticket.
        ticket: u64,
        /// As [`Index::search`] gives it; [`Error::Panicked`].
        error: Error,
    },
}

impl Stream {
    /// A stream of at most `capacity` queries that were not taken. The deadline of `options` holds for each query: what was
    /// not begun by then comes back [expired](Found::expired). Unless `settings` forbid it, opens the devices that they
    /// select, which takes 0.1 to 1 s the first time; with [`Offload::Auto`] GPUs and accelerators.
    ///
    /// # Errors
    /// [`Error::Argument`] for options that do not fit the fields; [`Error::File`] if the system has no descriptor left.
    pub fn new(index: &Index, options: &Options, settings: &Settings, capacity: usize) -> Result<Stream> {
        let wanted = index.wanted(options)?;
        index.prepare("", options)?;
        let fleet = Fleet::of_stream(index, options, settings, wanted);
        Stream::on(index, options, settings, capacity, wanted, fleet)
    }

    /// As [`new`](Self::new), with these devices.
    fn on(
        index: &Index,
        options: &Options,
        settings: &Settings,
        capacity: usize,
        wanted: usize,
        fleet: Fleet,
    ) -> Result<Stream> {
        let devices = fleet.devices();
        let threads = threads::at_most(settings.threads, usize::MAX);
        let policy = devices.first().map(|first| {
            let patience = options.deadline.map_or(f64::INFINITY, |deadline| deadline.as_nanos() as f64);
            Policy {
                threads: threads.saturating_sub(devices.len()).max(1),
                call: cost::models(first).call(index.snapshot().documents(), 0.0),
                most: MOST_AT_ONCE,
                longest: LONGEST.min(LONGEST_SHARE * patience) / devices.len() as f64,
                shared: settings.offload == Offload::Auto,
                ..Policy::default()
            }
        });
        let no_descriptor = |error| Stream::failed(index, &format!("a stream needs a descriptor: {error}"));
        let core = Core {
            index: index.clone(),
            options: options.clone(),
            settings: settings.clone(),
            wanted,
            fleet,
            threads,
            began: Instant::now(),
            state: Mutex::new(State::new(policy)),
            work: [Condvar::new(), Condvar::new()],
            bytes: AtomicUsize::new(0),
            answers: Answers::new().map_err(no_descriptor)?,
            samples: Mutex::new(Samples { times: Vec::new(), since: Instant::now() }),
        };
        Ok(Stream {
            core: Arc::new(core),
            process: process::current(),
            capacity,
            untaken: AtomicUsize::new(0),
            threads: Mutex::default(),
        })
    }

    fn failed(index: &Index, what: &str) -> Error {
        Error::File { path: index.snapshot().path().display().to_string(), what: what.into() }
    }

    /// Checks that this process made the stream. In another one, the threads do not exist, and may seem to hold locks.
    fn check_process(&self) -> Result<()> {
        match self.process == process::current() {
            true => Ok(()),
            false => {
                let what = "the stream belongs to the process that this one was forked from: make another";
                Err(Stream::failed(&self.core.index, what))
            }
        }
    }

    /// Adds a query, and returns its ticket, by which to know its answer. Takes about a microsecond.
    ///
    /// # Errors
    /// [`Error::Full`] if the stream has as many queries as it may have, or their texts have 256 MiB; [`Error::File`] in a
    /// forked process.
    pub fn push<'q>(&self, asked: impl Into<Asked<'q>>) -> Result<u64> {
        Ok(self.push_all(&[asked.into()])?.start)
    }

    /// Adds queries, all or none, and returns their tickets. Many at a time take less than a microsecond each.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_all<'q, Q: Copy + Into<Asked<'q>>>(&self, queries: &[Q]) -> Result<Range<u64>> {
        self.check_process()?;
        let core = &*self.core;
        if !core.fleet.devices().is_empty() {
            environment::look();
        }
        let arrived = core.now();
        let patience = core.options.deadline.and_then(|deadline| u64::try_from(deadline.as_nanos()).ok());
        let deadline = arrived.saturating_add(patience.unwrap_or(u64::MAX));
        let bytes = queries.iter().map(|&query| query.into().bytes()).sum::<usize>();
        self.check_room(queries.len(), bytes)?;
        // Copied before others have to wait for it.
        let new = |asked: Asked<'q>| Waiting { ticket: 0, asked: asked.into(), arrived, deadline, prepared: None };
        let new = queries.iter().map(|&query| new(query.into())).collect();
        let mut state = core.lock();
        // Nobody else adds to these, without the lock.
        self.check_room(queries.len(), bytes)?;
        self.untaken.fetch_add(queries.len(), AcqRel);
        core.bytes.fetch_add(bytes, Relaxed);
        let first = state.push(new);
        let waking = state.wake(CPU, queries.len());
        drop(state);
        core.notify(waking);
        self.start();
        Ok(first..first + queries.len() as u64)
    }

    /// Checks that there is room for so many queries more, whose texts have so many bytes.
    fn check_room(&self, queries: usize, bytes: usize) -> Result<()> {
        if self.untaken().saturating_add(queries) > self.capacity {
            return Err(Error::Full(format!("it may hold {} queries that were not taken", self.capacity)));
        }
        match self.core.bytes.load(Relaxed).saturating_add(bytes) > MOST_BYTES {
            true => Err(Error::Full(format!("at most {MOST_BYTES} bytes of queries can wait"))),
            false => Ok(()),
        }
    }

    /// Takes at most `most` answers, in the order in which they were found. If there is none, but there are queries, waits
    /// for one at most so long, or until the calling thread has handled a signal.
    ///
    /// # Errors
    /// [`Error::File`] in a forked process.
    pub fn take(&self, most: usize, wait: Duration) -> Result<Taken> {
        self.check_process()?;
        let mut taken = self.take_now(most);
        if taken == Taken::Found(Vec::new()) && most > 0 && self.untaken() > 0 {
            if self.helps() {
                while self.core.answers.are_none() && self.core.help() {}
            } else if !wait.is_zero() {
                self.core.answers.wait(wait);
            }
            taken = self.take_now(most);
        }
        Ok(taken)
    }

    fn take_now(&self, most: usize) -> Taken {
        let taken = self.core.answers.take(most);
        let count = if let Taken::Found(found) = &taken { found.len() } else { 1 };
        self.untaken.fetch_sub(count, AcqRel);
        taken
    }

    /// Whether the system has refused to start a single CPU thread, so that who takes answers has to find them.
    fn helps(&self) -> bool {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.started && threads.of_cpu == 0
    }

    /// The queries whose answers have not been taken, be they found or not.
    pub fn untaken(&self) -> usize {
        self.untaken.load(Acquire)
    }

    /// The index that is searched.
    pub fn index(&self) -> &Index {
        &self.core.index
    }

    /// A descriptor that can be read while there are answers to take, for poll(2) and its kin. Only to be waited for: its
    /// contents are the stream's.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.core.answers.descriptor()
    }

    /// Starts the threads, or as many as the system can have.
    fn start(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if mem::replace(&mut threads.started, true) {
            return;
        }
        let core = &self.core;
        for device in 0..core.fleet.devices().len() {
            let of_device = core.clone();
            threads.all.extend(background::start(move || of_device.rank(device)).ok());
        }
        if threads.all.is_empty() {
            core.lock().without_devices();
        }
        for _ in 0..core.threads.saturating_sub(core.fleet.devices().len()).max(1) {
            let of_cpu = core.clone();
            let Ok(started) = background::start(move || of_cpu.work()) else { break };
            threads.all.push(started);
            threads.of_cpu += 1;
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let threads = mem::take(&mut self.threads.get_mut().unwrap_or_else(PoisonError::into_inner).all);
        if self.process != process::current() {
            // Here they do not exist.
            mem::forget(threads);
            return;
        }
        self.core.lock().stopping = true;
        self.core.work.iter().for_each(Condvar::notify_all);
        for thread in threads {
            // Panics of queries are caught; the log has others.
            let _ = thread.join();
        }
    }
}
