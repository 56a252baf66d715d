//! Kernel times from OpenCL events.

use super::clock::Spread;
use postings::device::{Device, KernelTime};

/// The seconds that the kernels of a call take in each of `samples` calls, and the result of a first call, which is not
/// timed. A kernel that is launched twice in a call, because its first output was too small, counts once.
pub fn kernel_times<T>(
    device: &Device,
    samples: usize,
    call: impl FnMut() -> postings::Result<T>,
) -> postings::Result<(Spread, T)> {
    let (times, result) = each_kernel(device, samples, call)?;
    let total = |times: &Vec<KernelTime>| {
        let mut last: Vec<&KernelTime> = Vec::new();
        for time in times {
            last.retain(|known| known.kernel != time.kernel);
            last.push(time);
        }
        last.iter().map(|time| time.nanoseconds as f64 * 1e-9).sum()
    };
    Ok((Spread::of(&times, total), result))
}

/// All kernels of each of `samples` calls, in their order, and the result of a first call, which is not timed.
pub fn each_kernel<T>(
    device: &Device,
    samples: usize,
    mut call: impl FnMut() -> postings::Result<T>,
) -> postings::Result<(Vec<Vec<KernelTime>>, T)> {
    let result = call()?;
    device.set_profiling(true);
    let mut rounds = Vec::new();
    for _ in 0..samples {
        device.take_kernel_times()?;
        drop(call()?);
        let times = device.take_kernel_times()?;
        assert!(!times.is_empty(), "the call launched no kernel");
        rounds.push(times);
    }
    device.set_profiling(false);
    Ok((rounds, result))
}
