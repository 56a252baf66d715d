//! [`Calls`]: calls of a device that follow each other.

use super::state::{CPU, Waiting};
use super::workers::Core;
use crate::engine::ranked::Answer;
use crate::search::prepared::Prepared;
use std::cell::{Cell, OnceCell, RefCell};

/// So many calls follow each other without a moment for others who wait for the device.
const MOST_CALLS: usize = 8;

/// Queries whose hits a CPU thread makes at a time, and that wait for one until there are some threads' worth.
const FINISHED_AT_ONCE: usize = 64;
const PASSED_ON: usize = 4 * FINISHED_AT_ONCE;

/// The queries of calls that follow each other, by numbers in the order in which the device gets them.
pub(super) struct Calls<'c> {
    core: &'c Core,
    calls: [OnceCell<Vec<Waiting>>; MOST_CALLS],
    /// Calls that the device was given.
    given: Cell<usize>,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    tickets: Vec<u64>,
    /// Whether each query was answered.
    answered: Vec<bool>,
    /// What CPU threads have not been given yet.
    ready: Vec<(u64, Answer)>,
}

impl<'c> Calls<'c> {
    /// With the queries of the first one.
    pub(super) fn new(core: &'c Core, first: Vec<Waiting>) -> Calls<'c> {
        let calls = [const { OnceCell::new() }; MOST_CALLS];
        let calls = Calls { core, calls, given: Cell::new(0), found: RefCell::default() };
        calls.add(first);
        calls
    }

    fn add(&self, queries: Vec<Waiting>) {
        let found = &mut *self.found.borrow_mut();
        found.tickets.extend(queries.iter().map(|waiting| waiting.ticket));
        found.answered.resize(found.tickets.len(), false);
        if let Some(free) = self.calls.iter().find(|call| call.get().is_none()) {
            let _ = free.set(queries);
        }
    }

    pub(super) fn queries(&self) -> impl Iterator<Item = &Waiting> {
        self.calls.iter().filter_map(OnceCell::get).flatten()
    }

    /// The queries of the next call, as the device ranks them; nothing if there are none now.
    pub(super) fn next(&self) -> Option<Vec<&Prepared>> {
        self.pass_on(1);
        let call = self.calls.get(self.given.replace(self.given.get() + 1))?;
        if call.get().is_none() {
            self.add(self.core.waiting(self.core.lock()).ok()?);
        }
        let queries = call.get()?;
        let prepared = queries.iter().map(|waiting| waiting.prepared.as_deref().map(|(query, _)| query));
        let prepared: Vec<&Prepared> = prepared.collect::<Option<_>>()?;
        // Files that were truncated would be found so by each query on the CPU.
        (!prepared.is_empty() && self.core.index.check_files().is_ok()).then_some(prepared)
    }

    /// Takes what was found for a query.
    pub(super) fn take(&self, query: usize, answer: Option<Answer>) {
        let found = &mut *self.found.borrow_mut();
        if let Some(answer) = answer {
            found.answered[query] = true;
            found.ready.push((found.tickets[query], answer));
        }
        self.give(found, PASSED_ON);
    }

    /// Passes what was found on to CPU threads, if it is so much at least.
    pub(super) fn pass_on(&self, least: usize) {
        self.give(&mut self.found.borrow_mut(), least);
    }

    fn give(&self, found: &mut Found, least: usize) {
        if found.ready.len() >= least.max(1) {
            let mut ready = std::mem::take(&mut found.ready).into_iter();
            let count = ready.len().div_ceil(FINISHED_AT_ONCE);
            let mut state = self.core.lock();
            state.ranked.extend((0..count).map(|_| ready.by_ref().take(FINISHED_AT_ONCE).collect()));
            let waking = state.wake(CPU, count);
            drop(state);
            self.core.notify(waking);
        }
    }

    /// The queries that were answered, and the others.
    pub(super) fn end(self) -> (Vec<Waiting>, Vec<Waiting>) {
        let answered = self.found.into_inner().answered;
        let queries = self.calls.into_iter().filter_map(OnceCell::into_inner).flatten();
        let (mut done, mut left) = (Vec::new(), Vec::new());
        for (waiting, is_answered) in queries.zip(answered) {
            if is_answered { done.push(waiting) } else { left.push(waiting) }
        }
        (done, left)
    }
}
