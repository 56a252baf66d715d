//! [`split`]: a batch, divided beforehand.

use super::Costs;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A batch divided in two.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Split {
    /// The queries for the device, those first that suit it best.
    pub device: Vec<usize>,
    /// The queries for the CPU, longest first, so that threads end at about the same time.
    pub cpu: Vec<usize>,
    /// When all is expected to be done, in nanoseconds.
    pub makespan: f64,
}

/// Divides a batch between `threads` CPU threads, one of which has to wait for the device while that works, and the
/// device. By the predictions, this ends no later than if one side did everything.
pub fn split(costs: &Costs, threads: usize) -> Split {
    let threads = threads.max(1);
    let order = by_affinity(costs);
    let (taken, _) = division(costs, &order, threads);
    let mut best = at(costs, &order, taken, threads);
    let all_cpu: f64 = costs.queries.iter().map(|query| query.cpu).sum();
    // A side alone may win, because jobs cannot be cut.
    for (alone, at_least) in [(0, costs.call), (order.len(), all_cpu / threads as f64)] {
        if at_least < best.makespan && alone != taken {
            let other = at(costs, &order, alone, threads);
            if other.makespan < best.makespan {
                best = other;
            }
        }
    }
    best
}

/// A batch is divided only if the device alone would take so many times as long as both: its work has a part on the host,
/// for which the CPU's queries leave less, and several calls take longer than one. On an H200 with 16 cores a division that
/// was to save a fifth cost as much (10,000 queries of a million passages).
const GAIN: f64 = 1.5;

/// Whether the device may as well do all that it can: what the CPU could take from it would hardly end the batch earlier, if
/// dividing it takes so many nanoseconds first.
pub fn device_is_enough(costs: &Costs, threads: usize, dividing: f64) -> bool {
    let (_, both) = division(costs, &by_affinity(costs), threads.max(1));
    let of_device = costs.queries.iter().map(|query| query.device).filter(|cost| cost.is_finite());
    costs.call + of_device.sum::<f64>() < GAIN * (dividing + both)
}

/// The queries, those of the CPU first.
pub(super) fn by_affinity(costs: &Costs) -> Vec<usize> {
    // Affinities are not negative, so their bits are in their order.
    let key = |(at, query): (usize, &super::Cost)| u64::from((query.affinity() as f32).to_bits()) << 32 | at as u64;
    let mut keys: Vec<u64> = costs.queries.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32 as usize).collect()
}

/// How many queries of `order`, from its begin, the CPU should take, and when that would end if jobs could be cut.
pub(super) fn division(costs: &Costs, order: &[usize], threads: usize) -> (usize, f64) {
    let mut on_device: f64 = order.iter().map(|&at| costs.queries[at].device).filter(|cost| cost.is_finite()).sum();
    let (mut on_cpu, mut longest) = (0.0, 0f64);
    let threads = threads as f64;
    let mut best = (0, f64::INFINITY);
    for taken in 0..=order.len() {
        let possible = order.get(taken).is_none_or(|&at| costs.queries[at].device.is_finite());
        let end = if taken == order.len() {
            (on_cpu / threads).max(longest)
        } else {
            let device = costs.call + on_device.max(0.0);
            let beyond = on_cpu - (threads - 1.0) * device;
            let end = if beyond > 0.0 { device + beyond / threads } else { device };
            if threads > 1.0 { end.max(longest) } else { end }
        };
        if possible && end < best.1 {
            best = (taken, end);
        }
        if let Some(&at) = order.get(taken) {
            let query = costs.queries[at];
            on_cpu += query.cpu;
            longest = longest.max(query.cpu);
            on_device -= if query.device.is_finite() { query.device } else { 0.0 };
        }
    }
    best
}

/// The split in which the CPU takes the first queries of `order`.
fn at(costs: &Costs, order: &[usize], taken: usize, threads: usize) -> Split {
    let (cpu, device) = order.split_at(taken);
    let mut cpu = cpu.to_vec();
    cpu.sort_by(|&a, &b| costs.queries[b].cpu.total_cmp(&costs.queries[a].cpu));
    let device: Vec<usize> = device.iter().rev().copied().collect();
    let device_ends = match device.is_empty() {
        true => 0.0,
        false => costs.call + device.iter().map(|&at| costs.queries[at].device).sum::<f64>(),
    };
    let jobs = cpu.iter().map(|&at| costs.queries[at].cpu);
    let makespan = ends(jobs, threads, device_ends);
    Split { device, cpu, makespan }
}

/// When threads are done that take the next job whenever they are free, of which one is not before `busy`.
pub(super) fn ends(jobs: impl Iterator<Item = f64>, threads: usize, busy: f64) -> f64 {
    let mut free: BinaryHeap<Reverse<At>> = (1..threads).map(|_| Reverse(At(0.0))).collect();
    free.push(Reverse(At(busy)));
    let mut last = busy;
    for job in jobs {
        if let Some(mut next) = free.peek_mut() {
            next.0.0 += job;
            last = last.max(next.0.0);
        }
    }
    last
}

/// A time.
#[derive(PartialEq)]
struct At(f64);

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &At) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &At) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
