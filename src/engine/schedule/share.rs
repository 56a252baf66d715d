//! [`Share`]: a batch, divided while both sides work.

use super::Costs;
use super::split::{by_affinity, division, split};
use std::sync::{Mutex, PoisonError};

/// The rest of a batch is worth another call of the device if it takes so many times as long as a call of nothing.
const WORTH: f64 = 8.0;

/// So many queries are divided as exactly as they can be.
const MANY: usize = 64;

/// A batch in the order of affinity, of which the CPU takes queries from one end and the device from the other. So what
/// either side would do well is at its end, what both do about as well is in the middle, and a side that is done early
/// steals from the other without further ado. Wrong predictions cost little: the device takes the larger part of its
/// share first, and then of what the CPU has left.
#[derive(Debug)]
pub struct Share {
    costs: Costs,
    threads: usize,
    order: Vec<usize>,
    /// Whether nobody may take what is the other's.
    fixed: bool,
    left: Mutex<Left>,
}

/// What nobody has taken yet: `order[first..end]`.
#[derive(Debug)]
struct Left {
    first: usize,
    end: usize,
    /// Whether the device gets anything.
    device: bool,
}

impl Share {
    /// A batch for the device and `threads` CPU threads, of which one has to wait for the device while that works.
    pub fn new(costs: Costs, threads: usize) -> Share {
        let threads = threads.max(1);
        let order = by_affinity(&costs);
        // Of many queries none matters; of few, it does that they are not cut.
        let device = match order.len() {
            0..=MANY => !split(&costs, threads).device.is_empty(),
            _ => division(&costs, &order, threads).0 < order.len(),
        };
        let left = Mutex::new(Left { first: 0, end: order.len(), device });
        Share { costs, threads, order, fixed: false, left }
    }

    /// A batch of which both have to do their parts alone.
    pub fn fixed(cpu: &[usize], device: &[usize]) -> Share {
        let left = Mutex::new(Left { first: 0, end: cpu.len(), device: !device.is_empty() });
        Share { costs: Costs::default(), threads: 1, order: [cpu, device].concat(), fixed: true, left }
    }

    /// The next query for a CPU thread.
    pub fn for_cpu(&self) -> Option<usize> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.first >= left.end {
            return None;
        }
        left.first += 1;
        Some(self.order[left.first - 1])
    }

    /// The next queries for the device, best first; none if the CPU can do the rest.
    pub fn for_device(&self) -> &[usize] {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if !left.device {
            return &[];
        }
        if self.fixed {
            left.device = false;
            return &self.order[left.end..];
        }
        let rest = &self.order[left.first..left.end];
        let (of_cpu, _) = division(&self.costs, rest, self.threads);
        let own = &rest[of_cpu..];
        if own.is_empty() {
            left.device = false;
            return &[];
        }
        let costs = own.iter().map(|&at| self.costs.queries[at].device);
        let all: f64 = costs.clone().sum();
        let mut kept = 0.0;
        let keep = costs.take_while(|cost| {
            kept += cost;
            kept < all / 3.0
        });
        let keep = if all / 3.0 > WORTH * self.costs.call { keep.count() } else { 0 };
        left.end = left.first + of_cpu + keep;
        &own[keep..]
    }

    /// How many queries there are.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// Whether nothing is left that nobody has taken.
    pub fn is_done(&self) -> bool {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.first >= left.end
    }
}
