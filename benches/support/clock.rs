//! Clocks and medians.

use std::time::Instant;

/// Seconds of each contestant in each round; in a round each runs in its turn, `repeats` times in a row, so that what
/// disturbs the machine disturbs all alike.
pub fn rounds(rounds: usize, repeats: usize, contestants: &mut [Box<dyn FnMut() -> u64 + '_>]) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); contestants.len()];
    // The first round warms caches and is not counted.
    for round in 0..=rounds {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            let (all, _) = seconds(|| (0..repeats).fold(0, |sum: u64, _| sum.wrapping_add(contestant())));
            if round != 0 {
                times.push(all / repeats as f64);
            }
        }
    }
    times
}

/// The median of what a function makes of each.
pub fn median_of<T>(values: impl IntoIterator<Item = T>, figure: impl FnMut(T) -> f64) -> f64 {
    median(&mut values.into_iter().map(figure).collect::<Vec<_>>())
}

/// The middle one; the lower of the middle two.
pub fn median(times: &mut [f64]) -> f64 {
    assert!(!times.is_empty());
    times.sort_unstable_by(f64::total_cmp);
    times[(times.len() - 1) / 2]
}

/// Seconds that `call` takes, and what it gives.
pub fn seconds<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let began = Instant::now();
    let result = std::hint::black_box(call());
    (began.elapsed().as_secs_f64(), result)
}

/// How often and how long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Samples, of which the median counts.
    pub samples: usize,
    /// Seconds that a sample takes at least; short calls are repeated within it.
    pub sample: f64,
}

/// Calls of so many seconds or more are made once before the clock runs, others twice.
const LONG: f64 = 0.05;

/// Median seconds a call of each, sampled in turns so that a disturbance of the machine meets them all.
pub fn in_turns(effort: Effort, calls: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let repeats: Vec<usize> = calls
        .iter_mut()
        .map(|call| {
            let (mut once, ()) = seconds(&mut **call);
            if once < LONG {
                (once, ()) = seconds(&mut **call);
            }
            ((effort.sample / once.max(1e-9)) as usize).clamp(1, 1_000_000)
        })
        .collect();
    let mut times = vec![Vec::new(); calls.len()];
    for _ in 0..effort.samples {
        for ((call, &repeats), times) in calls.iter_mut().zip(&repeats).zip(&mut times) {
            let (all, ()) = seconds(|| (0..repeats).for_each(|_| call()));
            times.push(all / repeats as f64);
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

/// Median seconds a call.
pub fn alone(effort: Effort, call: &mut dyn FnMut()) -> f64 {
    in_turns(effort, &mut [call])[0]
}
