//! Runs a batch of queries on several cores.
//!
//! Threads are started per call and end with it: none exists before the first batch that is worth it, none between
//! calls, and so a fork loses none. The calling thread takes part. Threads claim a few queries at a time from a shared
//! counter, so a long query delays only its own thread. Each thread collects its results in its own memory, and the
//! results are passed on without copying.

use crate::error::Result;
use crate::intersect;
use crate::list::PostingList;
use crate::results::Results;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// The work that justifies one thread, in docIDs of the queries' shortest lists. Measured on a Xeon: starting and
/// joining a thread takes 22 µs and counting the cores 19 µs; queries of two or three lists take 2.7 ns (long lists) to
/// 9 ns (short ones) per such docID, so this much work takes 0.2 to 0.6 ms.
const SHARE: usize = 1 << 16;

/// How often each thread claims queries if all claim equally often: often enough that all threads finish at about the
/// same time, and rarely enough that claiming costs nothing.
const TAKINGS: usize = 32;

/// For each query, the docIDs common to its lists, ascending. Uses at most `threads` threads; 0 means one per core
/// available to this process.
pub(super) fn intersect_batch(queries: &[Vec<PostingList>], threads: usize) -> Result<Results> {
    let bound = queries.iter().map(|lists| most(lists)).sum();
    intersect_by(queries, worth(threads, queries.len(), bound), bound)
}

/// How many of `threads` threads a batch should use. `bound` is the number of docIDs in the shortest lists of all
/// queries.
fn worth(threads: usize, queries: usize, bound: usize) -> usize {
    let worth = (bound / SHARE).min(queries).max(1);
    match threads {
        _ if worth == 1 => 1,
        0 => worth.min(thread::available_parallelism().map_or(1, usize::from)),
        threads => worth.min(threads),
    }
}

/// An upper bound on the docIDs that a query finds.
fn most(lists: &[PostingList]) -> usize {
    lists.iter().map(PostingList::len).min().unwrap_or(0)
}

fn intersect_by(queries: &[Vec<PostingList>], threads: usize, bound: usize) -> Result<Results> {
    let at_a_time = queries.len().div_ceil(threads * TAKINGS).max(1);
    let share = bound.div_ceil(threads);
    let pieces = spread(threads, queries.len(), at_a_time, |takings| {
        let (mut results, mut whose, mut found) = (Results::default(), Vec::new(), 0usize);
        for query in takings.flatten() {
            let most = most(&queries[query]);
            results.push_at_most(most, share.saturating_sub(found), |doc_ids| {
                intersect::intersect(&queries[query], doc_ids);
            })?;
            found += most;
            whose.push(query);
        }
        Ok((results, whose))
    });
    Ok(Results::of_pieces(queries.len(), pieces.into_iter().collect::<Result<Vec<_>>>()?))
}

/// Runs `work` on `threads` threads, including the calling one, or on fewer if the system refuses to start more. Each
/// thread receives ranges of `at_a_time` items; together they receive each of `items` items exactly once.
///
/// # Panics
/// If `work` panics, after all threads have ended.
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
            // Failing to start a thread (`ulimit -u`) is no error: the others do its share.
            (1..threads).map_while(|_| start().ok()).collect()
        };
        let own = work();
        let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(own).chain(others).collect()
    })
}

/// The ranges of items that one thread claims.
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
mod signals {
    use std::mem::MaybeUninit;

    /// The mask to restore; `None` if it could not be changed.
    pub(super) struct Blocked(Option<libc::sigset_t>);

    /// Blocks all signals in the calling thread, and so in the threads that it starts, until the returned guard is
    /// dropped.
    pub(super) fn block() -> Blocked {
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
mod tests;
