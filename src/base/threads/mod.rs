//! Threads for the work of one call.
//!
//! They are started per call and end with it: none exists before the first work that is worth it, none between calls,
//! and so a fork loses none. (For others see `background`.) The calling thread takes part. Threads claim a few items at
//! a time from a shared counter.

mod in_order;

pub(crate) use in_order::in_order;

use crate::base::error::Result;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Runs `work` on `threads` threads, including the calling one, or on fewer if the system refuses to start more. Each
/// thread receives ranges of `at_a_time` items; together they receive each of `items` items exactly once.
///
/// # Panics
/// If `work` panics, after all threads have ended.
pub(crate) fn spread<T: Send>(
    threads: usize,
    items: usize,
    at_a_time: usize,
    work: impl Fn(Takings) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let _last = StopOnPanic { next: &next, items };
        work(Takings { next: &next, items, at_a_time })
    };
    if threads <= 1 {
        return vec![work()];
    }
    let (own, others) = beside(threads - 1, work, |_| work());
    std::iter::once(own).chain(others).collect()
}

/// Runs `work` on so many threads, or on fewer if the system refuses to start more, and meanwhile `own`, which is told how many
/// there are, on the calling thread.
///
/// # Panics
/// If `work` or `own` panics, after all threads have ended.
pub(crate) fn beside<T: Send, R>(
    threads: usize,
    work: impl Fn() -> T + Sync,
    own: impl FnOnce(usize) -> R,
) -> (R, Vec<T>) {
    thread::scope(|scope| {
        let others: Vec<_> = {
            let _blocked = signals::block();
            let start = || thread::Builder::new().name("postings".into()).spawn_scoped(scope, &work);
            // Failing to start a thread (`ulimit -u`) is no error: the others do its share.
            (0..threads).map_while(|_| start().ok()).collect()
        };
        let own = own(others.len());
        let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (own, others.collect())
    })
}

/// The result of `work` for each item, in order, computed on up to `threads` threads.
///
/// # Errors
/// The first error of a thread. The others do not stop for it.
pub(crate) fn map<T: Send>(threads: usize, items: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let at_a_time = items.div_ceil(threads.max(1) * 64).max(1);
    let parts = spread(threads, items, at_a_time, |takings| {
        takings
            .map(|range| Ok((range.start, range.map(&work).collect::<Result<Vec<T>>>()?)))
            .collect::<Result<Vec<_>>>()
    });
    let mut ranges = Vec::new();
    for part in parts {
        ranges.extend(part?);
    }
    ranges.sort_unstable_by_key(|&(first, _)| first);
    Ok(ranges.into_iter().flat_map(|(_, results)| results).collect())
}

/// How many of `threads` threads (0: one per core available to this process) to use for work that is worth `worth`; at
/// least one.
pub(crate) fn at_most(threads: usize, worth: usize) -> usize {
    match threads {
        _ if worth <= 1 => 1,
        0 => worth.min(thread::available_parallelism().map_or(1, usize::from)),
        threads => worth.min(threads),
    }
}

/// Locks what is in order even after a thread has panicked while it had it.
pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The ranges of items that one thread claims.
pub(crate) struct Takings<'c> {
    next: &'c AtomicUsize,
    items: usize,
    at_a_time: usize,
}

impl Iterator for Takings<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let first = self.next.fetch_add(self.at_a_time, Relaxed);
        (first < self.items).then(|| first..self.items.min(first + self.at_a_time))
    }
}

/// If a thread panics, marks all items as claimed, so that the other threads stop.
struct StopOnPanic<'c> {
    next: &'c AtomicUsize,
    items: usize,
}

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.next.fetch_max(self.items, Relaxed);
        }
    }
}

/// Leaves signals to the calling thread: PHP's handlers and time limits expect to run there.
pub(crate) mod signals {
    use std::mem::MaybeUninit;

    /// The mask to restore; `None` if it could not be changed.
    pub(crate) struct Blocked(Option<libc::sigset_t>);

    /// Blocks all signals in the calling thread, and so in the threads that it starts, until the returned guard is
    /// dropped.
    pub(crate) fn block() -> Blocked {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: `sigfillset` initialises `all`; `before` is read only if `pthread_sigmask` succeeded, which
        // initialises it.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            let changed = libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) == 0;
            Blocked(changed.then(|| before.assume_init()))
        }
    }

    impl Drop for Blocked {
        fn drop(&mut self) {
            if let Some(before) = &self.0 {
                // SAFETY: `before` is the mask that `pthread_sigmask` returned in `block`.
                unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn threads_work_at_the_same_time_and_get_each_item_once() {
        let barrier = Barrier::new(4);
        let taken = spread(4, 1001, 10, |takings| {
            barrier.wait();
            takings.flatten().collect::<Vec<_>>()
        });
        assert_eq!(taken.len(), 4);
        let mut taken = taken.concat();
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..1001));
    }

    #[test]
    fn a_panic_in_a_thread_reaches_the_caller_after_all_have_ended() {
        let barrier = Barrier::new(3);
        let own = thread::current().id();
        let panic = std::panic::catch_unwind(|| {
            spread(3, usize::MAX / 2, 1, |takings| {
                barrier.wait();
                assert!(thread::current().id() == own, "not the caller");
                takings.for_each(drop);
            })
        });
        // The calling thread would count for ever if the panics of the others did not stop it.
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"not the caller"));
    }

    #[test]
    fn signals_stay_with_the_caller() {
        fn blocked(signal: i32) -> bool {
            let mut mask = std::mem::MaybeUninit::uninit();
            // SAFETY: with a null new mask the call only writes the current mask to `mask`, which `sigismember` then reads.
            unsafe {
                libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), mask.as_mut_ptr());
                libc::sigismember(mask.as_ptr(), signal) == 1
            }
        }
        let barrier = Barrier::new(2);
        let own = thread::current().id();
        let seen = spread(2, 0, 1, |_| {
            barrier.wait();
            (thread::current().id() == own, [libc::SIGALRM, libc::SIGTERM, libc::SIGPROF].map(blocked))
        });
        assert_eq!(seen, [(true, [false; 3]), (false, [true; 3])]);
        assert!(!blocked(libc::SIGALRM));
    }
}
