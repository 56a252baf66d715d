//! Timing and medians.

use std::time::Instant;

/// The seconds of each contestant in each round. In a round each contestant takes a turn of `repeats` calls, so that
/// disturbances of the machine affect all alike.
pub fn rounds(rounds: usize, repeats: usize, contestants: &mut [Box<dyn FnMut() -> u64 + '_>]) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); contestants.len()];
    // The first round warms the caches and is not counted.
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

/// The median of a function of each item.
pub fn median_of<T>(values: impl IntoIterator<Item = T>, figure: impl FnMut(T) -> f64) -> f64 {
    median(&mut values.into_iter().map(figure).collect::<Vec<_>>())
}

/// The median; the lower one if there are two middle values.
pub fn median(times: &mut [f64]) -> f64 {
    assert!(!times.is_empty());
    times.sort_unstable_by(f64::total_cmp);
    times[(times.len() - 1) / 2]
}

/// What is reported of the rounds of a measurement: the median, and the quartiles as its spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    /// A quarter of the rounds lies below this.
    pub low: f64,
    /// A quarter of the rounds lies above this.
    pub high: f64,
}

impl Spread {
    /// The median and quartiles of a figure of each round.
    pub fn of<T>(rounds: impl IntoIterator<Item = T>, figure: impl FnMut(T) -> f64) -> Spread {
        let mut values: Vec<f64> = rounds.into_iter().map(figure).collect();
        let median = median(&mut values);
        let quarter = (values.len() - 1) / 4;
        Spread { median, low: values[quarter], high: values[values.len() - 1 - quarter] }
    }

    /// The rates of `amount` per so many seconds.
    pub fn rate(self, amount: f64) -> Spread {
        Spread { median: amount / self.median, low: amount / self.high, high: amount / self.low }
    }

    /// All three times `factor`.
    pub fn times(self, factor: f64) -> Spread {
        Spread { median: factor * self.median, low: factor * self.low, high: factor * self.high }
    }

    /// The distance of the quartiles as a share of the median.
    pub fn relative(self) -> f64 {
        (self.high - self.low) / self.median
    }
}

/// The seconds that `call` takes, and its result.
pub fn seconds<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let began = Instant::now();
    let result = std::hint::black_box(call());
    (began.elapsed().as_secs_f64(), result)
}

/// How often and for how long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The number of samples; the median counts.
    pub samples: usize,
    /// The least seconds per sample; short calls are repeated within a sample.
    pub sample: f64,
}

/// Calls that take at least this many seconds get one warm-up call, others two.
const LONG: f64 = 0.05;

/// The seconds per call of each contestant in each round, in turns so that disturbances of the machine affect all of
/// them.
pub fn turns(effort: Effort, calls: &mut [&mut dyn FnMut()]) -> Vec<Vec<f64>> {
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
    times
}

/// The median seconds per call of each contestant, by [`turns`].
pub fn in_turns(effort: Effort, calls: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    turns(effort, calls).iter_mut().map(|times| median(times)).collect()
}

/// The median seconds per call.
pub fn alone(effort: Effort, call: &mut dyn FnMut()) -> f64 {
    in_turns(effort, &mut [call])[0]
}
