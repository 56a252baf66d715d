//! [`Lane`]: queries that wait, in several orders.

use super::queue::Job;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Queries in several orders. What comes together stays together until some of it is taken, so that a thousand queries are not a
/// thousand steps for a device.
#[derive(Debug)]
pub(super) struct Lane<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    by_turn: Order,
    /// Without those that have no deadline.
    by_deadline: Order,
    by_affinity: Order,
    /// How many queries wait.
    len: usize,
    /// The sum of their costs, on the CPU and on the device.
    costs: [f64; 2],
}

/// A query with its keys, which are nanoseconds, or bits of positive numbers.
#[derive(Debug)]
pub(super) struct Entry<T> {
    pub(super) job: Job<T>,
    /// By when it came and how long it takes.
    pub(super) turn: u64,
    /// The least one is what the other side steals first.
    pub(super) to_steal: u64,
}

/// Queries that came together, and what a lane has to know of them, so that it need not look at each.
#[derive(Debug)]
pub(super) struct Bundle<T> {
    /// What is stolen first is the last one.
    entries: Vec<Entry<T>>,
    turn: u64,
    /// The next deadline, and when the query came that has it.
    deadline: u64,
    arrived: u64,
    /// The sum of the costs, on the CPU and on the device.
    costs: [f64; 2],
}

impl<T> Bundle<T> {
    /// Queries in the order in which the other side would steal them, backwards.
    pub(super) fn new(entries: Vec<Entry<T>>) -> Bundle<T> {
        let mut bundle = Bundle { entries, turn: u64::MAX, deadline: u64::MAX, arrived: 0, costs: [0.0; 2] };
        for Entry { job, turn, .. } in &bundle.entries {
            bundle.turn = bundle.turn.min(*turn);
            if job.deadline < bundle.deadline {
                (bundle.deadline, bundle.arrived) = (job.deadline, job.arrived);
            }
            bundle.costs[0] += job.cost.cpu;
            // A query that the device cannot answer does not wait for it.
            bundle.costs[1] += if job.cost.device.is_finite() { job.cost.device } else { 0.0 };
        }
        bundle
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// What they cost on the device.
    pub(super) fn on_device(&self) -> f64 {
        self.costs[1]
    }

    pub(super) fn into_jobs(self) -> impl Iterator<Item = Job<T>> {
        self.entries.into_iter().map(|entry| entry.job)
    }
}

/// Queries, or the place of some.
#[derive(Debug)]
struct Slot<T> {
    /// How often queries have been put here before.
    generation: u32,
    bundle: Option<Bundle<T>>,
}

/// The number of a slot and its generation: nothing else of a lane is at the same place, before or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u32, u32);

/// Places, least key first. Those that were left stay until they come first, or there are many of them.
#[derive(Debug, Default)]
struct Order(BinaryHeap<Reverse<(u64, Place)>>);

impl Order {
    fn first<T>(&mut self, slots: &[Slot<T>]) -> Option<(u64, Place)> {
        while let Some(&Reverse((key, place))) = self.0.peek() {
            if is_there(slots, place) {
                return Some((key, place));
            }
            self.0.pop();
        }
        None
    }

    fn push<T>(&mut self, key: u64, place: Place, slots: &[Slot<T>]) {
        if self.0.len() >= 64 && self.0.len() > 2 * slots.len() {
            self.0.retain(|&Reverse((_, place))| is_there(slots, place));
        }
        self.0.push(Reverse((key, place)));
    }
}

fn is_there<T>(slots: &[Slot<T>], Place(slot, generation): Place) -> bool {
    slots.get(slot as usize).is_some_and(|slot| slot.generation == generation && slot.bundle.is_some())
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        let [by_turn, by_deadline, by_affinity] = [const { Order(BinaryHeap::new()) }; 3];
        Lane { slots: Vec::new(), free: Vec::new(), by_turn, by_deadline, by_affinity, len: 0, costs: [0.0; 2] }
    }
}

impl<T> Lane<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The sum of what its queries cost on the CPU, and on the device.
    pub(super) fn costs(&self) -> [f64; 2] {
        self.costs
    }

    /// Adds queries, unless there are none.
    pub(super) fn push(&mut self, bundle: Bundle<T>) {
        let Bundle { turn, deadline, costs, .. } = bundle;
        let Some(to_steal) = bundle.entries.last().map(|entry| entry.to_steal) else { return };
        self.len += bundle.len();
        self.costs = [self.costs[0] + costs[0], self.costs[1] + costs[1]];
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, bundle: None });
            (self.slots.len() - 1) as u32
        });
        let slot = &mut self.slots[number as usize];
        slot.bundle = Some(bundle);
        let place = Place(number, slot.generation);
        self.by_turn.push(turn, place, &self.slots);
        self.by_affinity.push(to_steal, place, &self.slots);
        if deadline < u64::MAX {
            self.by_deadline.push(deadline, place, &self.slots);
        }
    }

    /// Takes all queries from a place. Those that are to wait further are pushed again.
    pub(super) fn take(&mut self, place: Place) -> Option<Bundle<T>> {
        let slot = self.slots.get_mut(place.0 as usize)?;
        let bundle = slot.bundle.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(place.0);
        self.len -= bundle.len();
        self.costs = [self.costs[0] - bundle.costs[0], self.costs[1] - bundle.costs[1]];
        if self.len == 0 {
            // No rounding error outlives the jobs.
            self.costs = [0.0; 2];
        }
        Some(bundle)
    }

    /// Takes the first queries of a place: at most so many, and no more after they cost a device so much.
    pub(super) fn take_some(&mut self, place: Place, most: usize, cost: f64) -> Option<Bundle<T>> {
        let bundle = self.take(place)?;
        if bundle.len() <= most && bundle.on_device() < cost {
            return Some(bundle);
        }
        let mut entries = bundle.entries;
        let (mut count, mut sum) = (0, 0.0);
        while count < entries.len().min(most) && (count == 0 || sum < cost) {
            sum += entries[count].job.cost.device;
            count += 1;
        }
        let rest = entries.split_off(count);
        self.push(Bundle::new(rest));
        Some(Bundle::new(entries))
    }

    /// Takes the query of a place that the other side would steal first.
    pub(super) fn take_last(&mut self, place: Place) -> Option<Job<T>> {
        let mut entries = self.take(place)?.entries;
        let last = entries.pop();
        self.push(Bundle::new(entries));
        last.map(|entry| entry.job)
    }

    /// Takes the query of a place that has the next deadline.
    pub(super) fn take_most_urgent(&mut self, place: Place) -> Option<Job<T>> {
        let mut entries = self.take(place)?.entries;
        let first = entries.iter().enumerate().min_by_key(|(_, entry)| entry.job.deadline).map(|(at, _)| at)?;
        let job = entries.remove(first).job;
        self.push(Bundle::new(entries));
        Some(job)
    }

    /// Moves the queries whose deadlines have passed to `into`.
    pub(super) fn expire(&mut self, now: u64, into: &mut Vec<Job<T>>) {
        while let Some((deadline, place)) = self.by_deadline.first(&self.slots)
            && deadline <= now
            && let Some(bundle) = self.take(place)
        {
            let (late, rest) = bundle.entries.into_iter().partition::<Vec<_>, _>(|entry| entry.job.deadline <= now);
            self.push(Bundle::new(rest));
            into.extend(late.into_iter().map(|entry| entry.job));
        }
    }

    pub(super) fn first_by_turn(&mut self) -> Option<Place> {
        self.by_turn.first(&self.slots).map(|(_, place)| place)
    }

    /// The next deadline, when the query came that has it, and where it is.
    pub(super) fn first_by_deadline(&mut self) -> Option<(u64, u64, Place)> {
        let (deadline, place) = self.by_deadline.first(&self.slots)?;
        Some((deadline, self.slots[place.0 as usize].bundle.as_ref()?.arrived, place))
    }

    /// What the other side would steal first.
    pub(super) fn first_to_steal(&mut self) -> Option<(&Job<T>, Place)> {
        let (_, place) = self.by_affinity.first(&self.slots)?;
        Some((&self.slots[place.0 as usize].bundle.as_ref()?.entries.last()?.job, place))
    }
}
