//! [`in_order`]: items that come one after the other, worked on by several threads, with results in the same order.

use super::{beside, lock};
use crate::base::error::Result;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

/// Items per thread that are begun or done, and not taken yet.
const AHEAD: usize = 3;

/// Calls `work` with each item that `next` gives, on up to `threads` threads, and `take` with the results, in the order of the
/// items. `next` and `take` are called on the calling thread, which works too while there is nothing for them to do. Each thread has
/// a state of its own, which `state` makes; returned are those of the threads that have worked, in no order. At most three items per
/// thread wait at a time, or their results.
///
/// # Errors
/// The first error of `next`, `state`, `work` or `take`, after all threads have ended.
///
/// # Panics
/// If one of them panics, after all threads have ended.
pub(crate) fn in_order<T: Send, R: Send, S: Send>(
    threads: usize,
    state: impl Fn() -> Result<S> + Sync,
    mut next: impl FnMut() -> Result<Option<T>>,
    work: impl Fn(&mut S, T) -> Result<R> + Sync,
    mut take: impl FnMut(R) -> Result<()>,
) -> Result<Vec<S>> {
    if threads <= 1 {
        let mut state = state()?;
        while let Some(item) = next()? {
            take(work(&mut state, item)?)?;
        }
        return Ok(vec![state]);
    }
    let line = Line { inner: Mutex::default(), changed: Condvar::new() };
    let other = || {
        let _end = EndOnDrop(&line);
        let mut state = state()?;
        while let Some((number, item)) = line.claim() {
            line.put(number, work(&mut state, item));
        }
        Ok(state)
    };
    let own = |others: usize| {
        let _end = EndOnDrop(&line);
        let mut state = state()?;
        let mut is_more = true;
        loop {
            while is_more && line.len() < AHEAD * (others + 1) {
                match next()? {
                    Some(item) => line.push(item),
                    None => is_more = false,
                }
            }
            match line.step() {
                Step::Take(result) => take(result?)?,
                Step::Work(number, item) => line.put(number, work(&mut state, item)),
                Step::End => return Ok(state),
            }
        }
    };
    let (own, others) = beside(threads - 1, other, own);
    std::iter::once(own).chain(others).collect()
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
    /// Whether nothing will be claimed any more.
    ended: bool,
}

impl<T, R> Default for Inner<T, R> {
    fn default() -> Self {
        Inner { places: VecDeque::new(), first: 0, unbegun: 0, ended: false }
    }
}

impl<T, R> Inner<T, R> {
    fn claim(&mut self) -> Option<(usize, T)> {
        let place = self.places.get_mut(self.unbegun - self.first)?;
        let Place::Waiting(item) = std::mem::replace(place, Place::Begun) else { return None };
        self.unbegun += 1;
        Some((self.unbegun - 1, item))
    }
}

/// Items in order, with what became of each.
struct Line<T, R> {
    inner: Mutex<Inner<T, R>>,
    changed: Condvar,
}

/// What the calling thread is to do.
enum Step<T, R> {
    Take(Result<R>),
    Work(usize, T),
    End,
}

impl<T, R> Line<T, R> {
    fn len(&self) -> usize {
        lock(&self.inner).places.len()
    }

    fn push(&self, item: T) {
        lock(&self.inner).places.push_back(Place::Waiting(item));
        self.changed.notify_all();
    }

    /// The first item that nobody has begun; waits for one. `None` at the end.
    fn claim(&self) -> Option<(usize, T)> {
        let mut inner = lock(&self.inner);
        loop {
            if inner.ended {
                return None;
            }
            match inner.claim() {
                None => inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner),
                claimed => return claimed,
            }
        }
    }

    fn put(&self, number: usize, result: Result<R>) {
        let mut inner = lock(&self.inner);
        let at = number - inner.first;
        inner.places[at] = Place::Done(result);
        drop(inner);
        self.changed.notify_all();
    }

    /// The first result, if it is there; otherwise an item to work on; otherwise waits. The end is when nothing is left or a thread
    /// has ended early, whose panic or error is then to be passed on.
    fn step(&self) -> Step<T, R> {
        let mut inner = lock(&self.inner);
        loop {
            match inner.places.front() {
                None => return Step::End,
                Some(Place::Done(_)) => {
                    inner.first += 1;
                    if let Some(Place::Done(result)) = inner.places.pop_front() {
                        return Step::Take(result);
                    }
                }
                Some(_) if inner.ended => return Step::End,
                Some(_) => {
                    if let Some((number, item)) = inner.claim() {
                        return Step::Work(number, item);
                    }
                    inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// Ends the line when a thread leaves it, for whatever reason.
struct EndOnDrop<'l, T, R>(&'l Line<T, R>);

impl<T, R> Drop for EndOnDrop<'_, T, R> {
    fn drop(&mut self) {
        lock(&self.0.inner).ended = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    /// Doubles the numbers up to `count`; `fails` may end it.
    fn doubled(threads: usize, count: u64, fails: impl Fn(&str, u64) -> Result<()> + Sync) -> Result<(Vec<u64>, u64)> {
        let (mut numbers, mut taken) = (0..count, Vec::new());
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
                fails("take", result / 2)
            },
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
        for threads in [1, 2, 5] {
            for failing in ["next", "work", "take"] {
                let fails = |at: &str, number| match at == failing && number == 100 {
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
