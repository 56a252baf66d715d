//! A batch of queries on the cores of this machine.
//!
//! Threads live no longer than the call that wants them: there is none before the first batch that is worth it, none
//! between calls, and so none for a fork to lose. They take queries a few at a time from a counter, so that a long query
//! holds up only the thread that has it; the calling thread is one of them. Each collects results in memory of its own,
//! and the parts are handed on as they are.

use crate::intersect;
use crate::list::PostingList;
use crate::results::Results;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// docIDs of the shortest lists of all queries for which a thread is worth it. Measured on a Xeon: a thread takes 22 µs to
/// start and end, asking how many cores there are 19 µs; queries of two or three lists take 2.7 ns (long lists) to 9 ns
/// (short ones) per such docID, so 0.2 to 0.6 ms a share.
const SHARE: usize = 1 << 16;

/// Takings of a thread, were all to take as many queries: so many that the last ones end at about the same time, and so
/// few that taking costs nothing.
const TAKINGS: usize = 32;

/// The docIDs that all lists of a query have, ascending, for each query, by at most so many threads; 0: as many as this
/// process has cores.
pub(super) fn intersect_batch(queries: &[Vec<PostingList>], threads: usize) -> Results {
    let bound = queries.iter().map(|lists| most(lists)).sum();
    intersect_by(queries, worth(threads, queries.len(), bound), bound)
}

/// Of so many threads that a batch may use, those that it is worth.
fn worth(threads: usize, queries: usize, bound: usize) -> usize {
    let worth = (bound / SHARE).min(queries).max(1);
    match threads {
        _ if worth == 1 => 1,
        0 => worth.min(thread::available_parallelism().map_or(1, usize::from)),
        threads => worth.min(threads),
    }
}

/// docIDs that a query finds at most.
fn most(lists: &[PostingList]) -> usize {
    lists.iter().map(PostingList::len).min().unwrap_or(0)
}

fn intersect_by(queries: &[Vec<PostingList>], threads: usize, bound: usize) -> Results {
    let at_a_time = queries.len().div_ceil(threads * TAKINGS).max(1);
    let share = bound.div_ceil(threads);
    let pieces = spread(threads, queries.len(), at_a_time, |takings| {
        let (mut results, mut whose, mut found) = (Results::default(), Vec::new(), 0usize);
        for query in takings.flatten() {
            let most = most(&queries[query]);
            results.push_at_most(most, share.saturating_sub(found), |doc_ids| {
                intersect::intersect(&queries[query], doc_ids);
            });
            found += most;
            whose.push(query);
        }
        (results, whose)
    });
    Results::of_pieces(queries.len(), pieces)
}

/// Runs `work` in so many threads, of which the calling one is one, or in fewer where the system has no more. Each is
/// given ranges of `items`, so many at a time; together they get each item once.
///
/// # Panics
/// As `work`, when all threads have ended.
fn spread<T: Send>(threads: usize, items: usize, at_a_time: usize, work: impl Fn(Takings) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let _last = StopOnPanic { next: &next, items };
        work(Takings { next: &next, items, at_a_time })
    };
    if threads <= 1 {
        return vec![work()];
    }
    thread::scope(|scope| {
        let others: Vec<_> = {
            let _blocked = signals::block();
            let start = || thread::Builder::new().name("postings".into()).spawn_scoped(scope, work);
            // No thread to be had (`ulimit -u`) is no error: there are fewer of them then.
            (1..threads).map_while(|_| start().ok()).collect()
        };
        let own = work();
        let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(own).chain(others).collect()
    })
}

/// Ranges of items for one thread.
struct Takings<'c> {
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

/// Leaves nothing to the other threads where one panics.
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

/// Signals are for the calling thread: PHP's handlers and time limits expect its own.
#[cfg(unix)]
mod signals {
    use std::mem::MaybeUninit;

    /// The mask to go back to; `None` where it could not be changed.
    pub(super) struct Blocked(Option<libc::sigset_t>);

    /// Blocks all signals of the calling thread, and so of those that it starts, as long as the answer lives.
    pub(super) fn block() -> Blocked {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: `sigfillset` fills the set that `pthread_sigmask` reads; `before` is read only if that filled it.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            let changed = libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) == 0;
            Blocked(changed.then(|| before.assume_init()))
        }
    }

    impl Drop for Blocked {
        fn drop(&mut self) {
            if let Some(before) = &self.0 {
                // SAFETY: `before` is a set that this function gave.
                unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) };
            }
        }
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) fn block() {}
}

#[cfg(test)]
mod tests;
