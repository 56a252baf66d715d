//! [`Para`]: a queue that hands its queries over as one batch once they are work enough for a device, as in PARA (Wu et
//! al., "Efficient lists intersection by CPU–GPU cooperative computing", IPDPSW 2010, as Ao et al. 2011 describe it in section
//! 4.1): a batch is complete when the shortest lists of its queries have `threshold` docIDs together, Σ|ℓ1| ≥ c.
//!
//! A higher threshold makes larger batches, of which a device does more per second, but each query waits longer.

use crate::list::PostingList;

/// A query, and what it amounts to.
pub trait Amount {
    /// The work of the query: the docIDs of its shortest list.
    fn amount(&self) -> usize;
}

impl Amount for Vec<PostingList> {
    fn amount(&self) -> usize {
        self.iter().map(PostingList::len).min().unwrap_or(0)
    }
}

/// Queries that wait for their batch.
#[derive(Debug)]
pub struct Para<Q> {
    threshold: usize,
    amount: usize,
    waiting: Vec<Q>,
}

impl<Q: Amount> Para<Q> {
    /// An empty queue with the threshold c.
    pub fn new(threshold: usize) -> Para<Q> {
        Para { threshold, amount: 0, waiting: Vec::new() }
    }

    /// Adds a query. Returns the batch if the query completes it.
    pub fn push(&mut self, query: Q) -> Option<Vec<Q>> {
        self.amount = self.amount.saturating_add(query.amount());
        self.waiting.push(query);
        (self.amount >= self.threshold).then(|| self.take())
    }

    /// The queries that wait, whatever they amount to: at the end of the stream, or when one has waited long enough.
    pub fn take(&mut self) -> Vec<Q> {
        self.amount = 0;
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Amount for usize {
        fn amount(&self) -> usize {
            *self
        }
    }

    #[test]
    fn a_batch_is_complete_when_it_amounts_to_the_threshold() {
        let mut queue = Para::new(10);
        let batches: Vec<Vec<usize>> =
            [4, 5, 1, 0, 10, 9, 0, 30, 2, 3].into_iter().filter_map(|q| queue.push(q)).collect();
        assert_eq!(batches, [vec![4, 5, 1], vec![0, 10], vec![9, 0, 30]]);
        assert_eq!(queue.take(), [2, 3]);
        assert!(queue.take().is_empty());
        assert_eq!(queue.push(9), None);
    }

    #[test]
    fn a_query_amounts_to_its_shortest_list() {
        let list = |count: u32| PostingList::encode(&(0..count).collect::<Vec<u32>>(), crate::Codec::Raw).unwrap();
        assert_eq!(vec![list(30), list(7), list(9)].amount(), 7);
        assert_eq!(Vec::<PostingList>::new().amount(), 0);
    }
}
