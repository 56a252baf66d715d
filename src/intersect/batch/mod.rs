//! Runs a batch of queries on several cores.
//!
//! Threads claim a few queries at a time, so a long query delays only its own thread. Each thread collects its results in
//! its own memory, and the results are passed on without copying. How threads are started: [`crate::base::threads`].

use crate::base::error::Result;
use crate::base::threads::{at_most, spread};
use crate::intersect;
use crate::list::PostingList;
use crate::list::results::Results;

/// The work that justifies one thread, in docIDs of the queries' shortest lists. Measured on a Xeon: starting and
/// joining a thread takes 22 µs and counting the cores 19 µs; queries of two or three lists take 2.7 ns (long lists) to
/// 9 ns (short ones) per such docID, so this much work takes 0.2 to 0.6 ms.
const SHARE: usize = 1 << 16;

/// How often each thread claims queries if all claim equally often: often enough that all threads finish at about the
/// same time, and rarely enough that claiming costs nothing.
const TAKINGS: usize = 32;

/// For each query, the docIDs common to its lists, ascending. Uses at most `threads` threads; 0 means one per core
/// available to this process.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn intersect_batch(queries: &[Vec<PostingList>], threads: usize) -> Result<Results> {
    let bound = queries.iter().map(|lists| most(lists)).sum();
    intersect_by(queries, worth(threads, queries.len(), bound), bound)
}

/// How many of `threads` threads a batch should use. `bound` is the number of docIDs in the shortest lists of all
/// queries.
fn worth(threads: usize, queries: usize, bound: usize) -> usize {
    at_most(threads, (bound / SHARE).min(queries))
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

#[cfg(test)]
mod tests;
