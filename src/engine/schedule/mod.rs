//! The scheduler of ranked queries: which of them the CPU answers, and which a device (Ding et al. 2009, section 9).
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | costs |
//! | [`split`](split()) | a batch, divided beforehand by predictions |
//! | [`Share`] | a batch, divided while both sides work |
//! | [`Queue`] | a stream of queries with deadlines, for workers that live long; `lane` has the orders in which they wait |
//!
//! Predictions come from `engine::cost`; nothing here knows what a query is, nor starts threads, nor reads a clock, so that
//! a simulation runs the same code. Costs are nanoseconds. A device takes queries by calls: a call costs something
//! whatever there is in it, and each query in it a little more. CPU threads take them singly.
//!
//! One number decides where a query belongs: its *affinity*, its cost on a CPU thread by that on the device. The CPU takes
//! the queries with the lowest. With exact costs that the sides may share, no other division ends earlier: exchanging
//! a query for one of a lower affinity would give the CPU more work to take the same load from the device.

mod lane;
mod queue;
mod share;
mod split;
#[cfg(test)]
mod tests;

pub use queue::{Call, Job, Policy, Queue, Sorted};
pub use share::Share;
pub use split::{Split, device_is_enough, split};

/// What a query is expected to cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Nanoseconds on one CPU thread.
    pub cpu: f64,
    /// Nanoseconds that it adds to a call of the device; infinite if the device cannot answer it.
    pub device: f64,
}

impl Cost {
    /// What it is worth if so many devices share the work.
    pub(super) fn on_one_of(self, devices: usize) -> Cost {
        Cost { device: self.device / devices.max(1) as f64, ..self }
    }

    /// How many times as long the CPU takes. What cannot be compared belongs to the CPU.
    fn affinity(self) -> f64 {
        let ratio = self.cpu.max(0.0) / self.device.max(1e-3);
        if self.device.is_finite() && ratio.is_finite() { ratio } else { 0.0 }
    }
}

/// What a batch is expected to cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Costs {
    /// Each query.
    pub queries: Vec<Cost>,
    /// Nanoseconds of a call of the device, whatever is in it.
    pub call: f64,
}
