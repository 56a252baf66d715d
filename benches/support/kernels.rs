//! Kernel times from OpenCL events.

use super::clock::{Spread, seconds};
use postings::device::{Device, KernelTime};

/// The seconds that the kernels of a call take in each of `samples` calls, and the result of a first call, which is not
/// timed. A kernel that is launched twice in a call, because its first output was too small, counts once.
pub fn kernel_times<T>(
    device: &Device,
    samples: usize,
    call: impl FnMut() -> postings::Result<T>,
) -> postings::Result<(Spread, T)> {
    let (rounds, result) = each_kernel(device, samples, call)?;
    let total = |round: &Round| {
        let mut last: Vec<&KernelTime> = Vec::new();
        for time in &round.kernels {
            last.retain(|known| known.kernel != time.kernel);
            last.push(time);
        }
        last.iter().map(|time| time.nanoseconds as f64 * 1e-9).sum()
    };
    Ok((Spread::of(&rounds, total), result))
}

/// A call of which the kernels were timed.
#[derive(Debug, Clone)]
pub struct Round {
    /// Seconds of the whole call.
    pub whole: f64,
    /// All kernels that it launched, in their order.
    pub kernels: Vec<KernelTime>,
}

impl Round {
    /// Seconds of these kernels, of all if none are named.
    pub fn kernel_seconds(&self, named: &[&str]) -> f64 {
        let of = |time: &&KernelTime| named.is_empty() || named.contains(&time.kernel);
        self.kernels.iter().filter(of).map(|time| time.nanoseconds as f64 * 1e-9).fold(0.0, |sum, time| sum + time)
    }
}

/// `samples` calls with all kernels of each, and the result of a first call, which is not timed.
pub fn each_kernel<T>(
    device: &Device,
    samples: usize,
    mut call: impl FnMut() -> postings::Result<T>,
) -> postings::Result<(Vec<Round>, T)> {
    let result = call()?;
    device.set_profiling(true);
    let mut rounds = Vec::new();
    for _ in 0..samples {
        device.take_kernel_times()?;
        let (whole, result) = seconds(&mut call);
        drop(result?);
        let kernels = device.take_kernel_times()?;
        assert!(!kernels.is_empty(), "the call launched no kernel");
        rounds.push(Round { whole, kernels });
    }
    device.set_profiling(false);
    Ok((rounds, result))
}
