//! [`WorkQueue`]: work that devices share.

use crate::base::threads::lock;
use std::sync::Mutex;

/// Queries of a piece at least, if devices share them.
const LEAST: usize = 256;

/// The queries of a batch, in pieces. Each device takes a piece after the other, and leaves the one at which it fails to
/// the others.
pub(super) struct WorkQueue {
    pieces: Mutex<Vec<Vec<usize>>>,
    devices: usize,
    /// The devices that failed, by their number.
    failed: Mutex<Vec<usize>>,
}

impl WorkQueue {
    /// For that many devices.
    pub(super) fn new(devices: usize) -> WorkQueue {
        WorkQueue { pieces: Mutex::default(), devices, failed: Mutex::default() }
    }

    /// Adds queries. One device takes all at once: with fewer queries at a time it does worse.
    pub(super) fn add(&self, queries: &[usize]) {
        let devices = self.devices;
        let at_once = if devices == 1 { queries.len() } else { queries.len().div_ceil(2 * devices).max(LEAST) };
        lock(&self.pieces).extend(queries.chunks(at_once.max(1)).map(<[usize]>::to_vec));
    }

    /// Has a device work until nothing is left, or it fails: `rank` then returns nothing. What it finds is appended to
    /// `done`, but not what it leaves to the CPU. Returns whether it has not failed.
    pub(super) fn work<T>(
        &self,
        device: usize,
        rank: impl Fn(usize, &[usize]) -> Option<Vec<Option<T>>>,
        done: &mut Vec<(usize, T)>,
    ) -> bool {
        while !lock(&self.failed).contains(&device) {
            let Some(piece) = lock(&self.pieces).pop() else { return true };
            match rank(device, &piece) {
                Some(found) => done.extend(piece.into_iter().zip(found).filter_map(|(at, found)| Some((at, found?)))),
                None => {
                    lock(&self.failed).push(device);
                    lock(&self.pieces).push(piece);
                }
            }
        }
        false
    }

    /// Whether devices took everything.
    #[cfg(test)]
    fn is_done(&self) -> bool {
        lock(&self.pieces).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(
        devices: usize,
        order: &[usize],
        rank: impl Fn(usize, &[usize]) -> Option<Vec<Option<usize>>>,
    ) -> (Vec<(usize, usize)>, bool) {
        let shared = WorkQueue::new(devices);
        shared.add(&(0..2000).collect::<Vec<_>>());
        shared.add(&(2000..3000).collect::<Vec<_>>());
        let mut done = Vec::new();
        for &device in order {
            let works = shared.work(device, &rank, &mut done);
            assert_eq!(works, rank(device, &[]).is_some());
        }
        done.sort_unstable();
        (done, shared.is_done())
    }

    #[test]
    fn each_query_is_done_once_by_devices_that_do_not_fail() {
        let once = |device: usize, which: &[usize]| Some(which.iter().map(|_| Some(device)).collect());
        for devices in 1..4 {
            let (done, is_done) = all(devices, &[0, 1], once);
            assert!(is_done && done.iter().map(|done| done.0).eq(0..3000));
        }
        let second_fails = |device: usize, which: &[usize]| if device == 1 { None } else { once(device, which) };
        let (done, is_done) = all(2, &[1, 0, 1], second_fails);
        assert!(is_done && done.len() == 3000 && done.iter().all(|done| done.1 == 0));
        let (done, is_done) = all(2, &[0, 1, 0], |_, _| None);
        assert!(!is_done && done.is_empty());
    }

    #[test]
    fn what_a_device_leaves_to_the_cpu_is_not_done() {
        let (done, is_done) =
            all(2, &[0], |_, which| Some(which.iter().map(|&at| (at % 2 == 0).then_some(at)).collect()));
        assert!(is_done && done.len() == 1500);
    }
}
