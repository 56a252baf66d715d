//! [`in_order`]: items that come one after the other, worked on by several threads, with results in the same order.

use super::{beside, lock};
use crate::base::error::{Error, Result};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

/// Items per thread that are begun or done, and not taken yet.
const AHEAD: usize = 3;

/// Calls `work` with each item that `next` gives, on up to `threads` threads, and `take` with the results, one at a time, in the order
/// of the items. `next` is called on the calling thread, which works too; `take` on any. Each thread has a state of its own, which
/// `state` makes; returned are those of the threads, in no order. At most three items per thread wait at a time, or their results.
/// `aside` is called between items: by all threads but the calling one, on which the others depend for items, unless it is alone.
///
/// # Errors
/// The first error of `next`, `state`, `work`, `take` or `aside`, after all threads have ended.
///
/// # Panics
/// If one of them panics, after all threads have ended.
pub(crate) fn in_order<T: Send, R: Send, S: Send>(
    threads: usize,
    state: impl Fn() -> Result<S> + Sync,
    mut next: impl FnMut() -> Result<Option<T>>,
    work: impl Fn(&mut S, T) -> Result<R> + Sync,
    mut take: impl FnMut(R) -> Result<()> + Send,
    aside: impl Fn() -> Result<()> + Sync,
) -> Result<Vec<S>> {
    if threads <= 1 {
        let mut state = state()?;
        while let Some(item) = next()? {
            take(work(&mut state, item)?)?;
            aside()?;
        }
        return Ok(vec![state]);
    }
    let (line, take) = (Line { inner: Mutex::default(), changed: Condvar::new() }, Mutex::new(take));
    let carry_out = |step: Step<T, R>, state: &mut S| match step {
        // Only the calling thread is told that.
        Step::More => {}
        Step::Work(number, item) => line.put(number, work(state, item)),
        Step::Take(result) => line.taken(result.and_then(|result| lock(&take)(result))),
    };
    let other = || {
        let _end = EndOnDrop(&line);
        let mut state = state()?;
        while let Some(step) = line.step(0) {
            carry_out(step, &mut state);
            aside()?;
        }
        Ok(state)
    };
    let own = |others: usize| {
        let _end = EndOnDrop(&line);
        let mut state = state()?;
        while let Some(step) = line.step(AHEAD * (others + 1)) {
            match step {
                Step::More => match next()? {
                    Some(item) => line.push(item),
                    None => line.close(),
                },
                step => carry_out(step, &mut state),
            }
        }
        Ok(state)
    };
    let (own, others) = beside(threads - 1, other, own);
    let states = std::iter::once(own).chain(others).collect();
    match lock(&line.inner).error.take() {
        Some(error) => Err(error),
        None => states,
    }
}

enum Place<T, R> {
    Waiting(T),
    Begun,
    Done(Result<R>),
}

struct Inner<T, R> {
    /// The first that was not taken, and those after it.
    places: VecDeque<Place<T, R>>,
    /// The number of the first place.
    first: usize,
    /// The number of the first one that nobody has begun.
    unbegun: usize,
    /// Whether a thread takes a result.
    taking: bool,
    /// Whether there will be no further items.
    closed: bool,
    /// Whether nothing is to be done any more.
    ended: bool,
    error: Option<Error>,
}

impl<T, R> Default for Inner<T, R> {
    fn default() -> Self {
        let places = VecDeque::new();
        Inner { places, first: 0, unbegun: 0, taking: false, closed: false, ended: false, error: None }
    }
}

/// What a thread is to do.
enum Step<T, R> {
    /// Get a further item.
    More,
    Work(usize, T),
    Take(Result<R>),
}

impl<T, R> Inner<T, R> {
    fn work(&mut self) -> Option<Step<T, R>> {
        let place = self.places.get_mut(self.unbegun - self.first)?;
        let Place::Waiting(item) = std::mem::replace(place, Place::Begun) else { return None };
        self.unbegun += 1;
        Some(Step::Work(self.unbegun - 1, item))
    }

    fn take(&mut self) -> Option<Step<T, R>> {
        if self.taking || !matches!(self.places.front(), Some(Place::Done(_))) {
            return None;
        }
        let Some(Place::Done(result)) = self.places.pop_front() else { return None };
        self.first += 1;
        self.taking = true;
        Some(Step::Take(result))
    }
}

/// Items in order, with what became of each.
struct Line<T, R> {
    inner: Mutex<Inner<T, R>>,
    changed: Condvar,
}

impl<T, R> Line<T, R> {
    fn change(&self, change: impl FnOnce(&mut Inner<T, R>)) {
        change(&mut lock(&self.inner));
        self.changed.notify_all();
    }

    fn push(&self, item: T) {
        self.change(|inner| inner.places.push_back(Place::Waiting(item)));
    }

    fn close(&self) {
        self.change(|inner| inner.closed = true);
    }

    fn put(&self, number: usize, result: Result<R>) {
        self.change(|inner| {
            let at = number - inner.first;
            inner.places[at] = Place::Done(result);
        });
    }

    /// After a result was taken: `result` says whether it could be.
    fn taken(&self, result: Result<()>) {
        self.change(|inner| {
            inner.taking = false;
            if let Err(error) = result {
                inner.ended = true;
                inner.error.get_or_insert(error);
            }
        });
    }

    /// What is to be done; waits until there is something. `None` at the end. Who has `room` for items sees to it first that there are
    /// as many, and then that all threads have work; who has none takes results first.
    fn step(&self, room: usize) -> Option<Step<T, R>> {
        let mut inner = lock(&self.inner);
        loop {
            if inner.ended || inner.closed && inner.places.is_empty() && !inner.taking {
                return None;
            }
            if !inner.closed && inner.places.len() < room {
                return Some(Step::More);
            }
            let step = match room {
                0 => inner.take().or_else(|| inner.work()),
                _ => inner.work().or_else(|| inner.take()),
            };
            if step.is_some() {
                return step;
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends the line when a thread leaves it, for whatever reason.
struct EndOnDrop<'l, T, R>(&'l Line<T, R>);

impl<T, R> Drop for EndOnDrop<'_, T, R> {
    fn drop(&mut self) {
        self.0.change(|inner| inner.ended = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::time::Duration;

    /// Doubles the numbers up to `count`; `fails` may end it.
    fn doubled(threads: usize, count: u64, fails: impl Fn(&str, u64) -> Result<()> + Sync) -> Result<(Vec<u64>, u64)> {
        let (mut numbers, mut taken, last) = (0..count, Vec::new(), AtomicU64::new(0));
        let states = in_order(
            threads,
            || Ok(0u64),
            || {
                let Some(number) = numbers.next() else { return Ok(None) };
                fails("next", number).map(|()| Some(number))
            },
            |worked, number| {
                // Results come out of order.
                std::thread::sleep(Duration::from_micros(number * 7919 % 100));
                *worked += 1;
                fails("work", number).map(|()| 2 * number)
            },
            |result| {
                taken.push(result);
                last.store(result / 2, Relaxed);
                fails("take", result / 2)
            },
            || fails("aside", last.load(Relaxed)),
        )?;
        Ok((taken, states.into_iter().sum()))
    }

    #[test]
    fn results_come_in_order_and_each_item_once() {
        for threads in [0, 1, 2, 3, 8] {
            for count in [0, 1, 2, 500] {
                let (taken, worked) = doubled(threads, count, |_, _| Ok(())).unwrap();
                assert!(taken.into_iter().eq((0..count).map(|number| 2 * number)), "{threads} threads, {count}");
                assert_eq!(worked, count);
            }
        }
    }

    #[test]
    fn the_first_error_ends_it() {
        for (threads, places) in [(1, 4), (2, 3), (5, 3)] {
            // What several threads do aside depends on who has time.
            for failing in &["next", "work", "take", "aside"][..places] {
                let fails = |at: &str, number| match at == *failing && number == 100 {
                    true => Err(Error::Argument(format!("{at} of {number}"))),
                    false => Ok(()),
                };
                let error = doubled(threads, 500, fails).unwrap_err();
                assert_eq!(error.to_string(), format!("{failing} of 100"), "{threads} threads");
            }
        }
    }

    #[test]
    fn panics_reach_the_caller() {
        for threads in [1, 2, 5] {
            for failing in ["next", "work", "take"] {
                let fails = |at: &str, number| {
                    assert!(at != failing || number != 100, "the {at}");
                    Ok(())
                };
                let panic = catch_unwind(AssertUnwindSafe(|| doubled(threads, 500, fails))).unwrap_err();
                assert_eq!(panic.downcast_ref::<String>(), Some(&format!("the {failing}")), "{threads} threads");
            }
        }
    }
}
