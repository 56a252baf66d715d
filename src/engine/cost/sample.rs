//! Large batches are estimated from samples.

use crate::device::Device;
use crate::list::PostingList;

/// The most lists that are looked up in the table of resident lists; of more, a sample of about this many.
const SAMPLE_LISTS: usize = 512;

/// Samples one in `step` items of an iterator on average. The distances are pseudorandom, because queries may follow a
/// pattern.
pub(super) struct Spread<I> {
    items: I,
    step: usize,
    state: u64,
}

impl<I: Iterator> Spread<I> {
    pub(super) fn new(items: I, step: usize) -> Self {
        Spread { items, step, state: 1 }
    }
}

impl<I: Iterator> Iterator for Spread<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.step <= 1 {
            return self.items.next();
        }
        self.state = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        // Skips 0 to 2 · (step − 1) items, step − 1 on average.
        let skipped = (self.state >> 33) as usize % (2 * self.step - 1);
        self.items.nth(skipped)
    }
}

/// The total size of those of these lists that are not in device memory, counting each list once. Estimated from a
/// sample if there are many.
pub(in crate::engine) fn missing<'l>(device: &Device, lists: impl Iterator<Item = &'l PostingList> + Clone) -> u64 {
    let total = lists.clone().count();
    let mut looked_at = 0;
    let sample = Spread::new(lists, total.div_ceil(SAMPLE_LISTS)).inspect(|_| looked_at += 1);
    let mut missing = device.missing(sample);
    let seen = missing.len() as f64;
    missing.sort_unstable_by_key(|list| list.id());
    missing.dedup_by_key(|list| list.id());
    let bytes: usize = missing.iter().map(|list| list.size()).sum();
    if missing.is_empty() {
        return 0;
    }
    let different = missing.len() as f64;
    (bytes as f64 / different * different_of_all(seen, different, seen / f64::from(looked_at) * total as f64)) as u64
}

/// Estimates how many different lists there are among `all`, given that a sample of `seen` has `different` ones.
pub(super) fn different_of_all(seen: f64, different: f64, all: f64) -> f64 {
    if different >= seen || all <= seen {
        return different * (all / seen).max(1.0);
    }
    // The expected number of different lists after n draws from a pool. Bisection finds the pool that explains the
    // sample.
    let drawn = |pool: f64, n: f64| pool * (1.0 - (-n / pool).exp());
    let (mut low, mut high) = (different, different * seen);
    for _ in 0..50 {
        let pool = low.midpoint(high);
        if drawn(pool, seen) < different { low = pool } else { high = pool }
    }
    drawn(high, all)
}
