//! What a ranked query costs on a CPU thread and on a device, learned from queries that ran.
//!
//! On a CPU the costs of queries span five orders of magnitude, and blocks that are skipped make them anything but a sum. So
//! the logarithm of the time is a polynomial of degree two of the logarithms of what is known of a query beforehand: the
//! features of Ding et al. 2009 (section 9), k, and the number of documents that would have all words if they were
//! independent. A device does much alike for all queries of a call, so its time is a sum.
//!
//! Both are least squares of relative errors: of each, the sums of the normal equations are kept, in which what is new
//! counts more than what is old.

use super::features::{DEVICE, Features, PRODUCTS, VARIABLES};

/// The weight of all earlier queries when one more is learned: about the last thousand count.
const MEMORY: f64 = 0.999;
/// The same for calls of a device.
const MEMORY_OF_CALLS: f64 = 0.98;
/// Added to the diagonal, so that there is always one solution, and weights that no query tells of stay small.
const RIDGE: f64 = 1e-3;
/// Times that can be: from 100 ns to a quarter of an hour.
const TIMES: [f64; 2] = [1e2, 1e12];
/// Sums that can be.
const MOST: f64 = 1e18;

/// The normal equations of a least-squares problem of N unknowns.
#[derive(Debug, Clone, PartialEq)]
struct Sums<const N: usize> {
    /// Products of features: the matrix, whole.
    matrix: Vec<[f64; N]>,
    /// Products of features and what they are to give.
    right: [f64; N],
}

impl<const N: usize> Sums<N> {
    fn new() -> Sums<N> {
        Sums { matrix: vec![[0.0; N]; N], right: [0.0; N] }
    }

    fn add(&mut self, row: &[f64; N], value: f64, memory: f64) {
        for (sums, &by) in self.matrix.iter_mut().zip(row) {
            sums.iter_mut().zip(row).for_each(|(sum, of)| *sum = *sum * memory + by * of);
        }
        self.right.iter_mut().zip(row).for_each(|(sum, of)| *sum = *sum * memory + value * of);
    }

    /// The solution, by Cholesky's decomposition; `None` if the matrix is none that sums of squares can give.
    fn solve(&self) -> Option<[f64; N]> {
        let mut lower = vec![[0.0; N]; N];
        for row in 0..N {
            for column in 0..=row {
                let known: f64 = (0..column).map(|at| lower[row][at] * lower[column][at]).sum();
                let rest = self.matrix[row][column] - known;
                lower[row][column] = if row != column {
                    rest / lower[column][column]
                } else if rest + RIDGE > 0.0 {
                    (rest + RIDGE).sqrt()
                } else {
                    return None;
                };
            }
        }
        let mut found = self.right;
        for row in 0..N {
            let known: f64 = (0..row).map(|at| lower[row][at] * found[at]).sum();
            found[row] = (found[row] - known) / lower[row][row];
        }
        for row in (0..N).rev() {
            let known: f64 = (row + 1..N).map(|at| lower[at][row] * found[at]).sum();
            found[row] = (found[row] - known) / lower[row][row];
        }
        found.iter().all(|weight| weight.is_finite()).then_some(found)
    }

    fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        self.matrix.as_flattened_mut().iter_mut().chain(&mut self.right)
    }
}

/// What one kind of query costs on a CPU thread.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuModel {
    sums: Sums<PRODUCTS>,
    /// The least and the greatest value of each variable that was learned. A polynomial says nothing beyond.
    range: [[f64; VARIABLES]; 2],
    /// Sums of times that were measured and of those that had been predicted: of logarithms, the mean is that of a typical
    /// query, not that of a sum.
    bias: [f64; 2],
    weights: Option<[f64; PRODUCTS]>,
}

impl Default for CpuModel {
    fn default() -> CpuModel {
        let range = [[f64::MAX; VARIABLES], [f64::MIN; VARIABLES]];
        CpuModel { sums: Sums::new(), range, bias: [0.0; 2], weights: None }
    }
}

impl CpuModel {
    /// Learns from a query that took so many nanoseconds. Counts in predictions after [`update`](Self::update).
    pub fn learn(&mut self, query: &Features, nanoseconds: f64) {
        let nanoseconds = nanoseconds.clamp(TIMES[0], TIMES[1]);
        if self.weights.is_some() {
            let sums = [nanoseconds, self.typical(query)];
            self.bias.iter_mut().zip(sums).for_each(|(sum, of)| *sum = *sum * MEMORY + of);
        }
        let variables = query.variables();
        for (at, &of) in variables.iter().enumerate() {
            self.range[0][at] = self.range[0][at].min(of);
            self.range[1][at] = self.range[1][at].max(of);
        }
        self.sums.add(&Features::products(&variables), nanoseconds.ln(), MEMORY);
    }

    /// Learns from queries that took so many nanoseconds in all instead of those predicted, as much as from `weight` queries.
    pub(super) fn learn_bias(&mut self, nanoseconds: f64, predicted: f64, weight: f64) {
        if !(predicted > 0.0 && nanoseconds.is_finite()) {
            return;
        }
        let [measured, typical] = self.bias;
        let now = if typical > 0.0 { measured / typical } else { 1.0 };
        let size = if typical > 0.0 { typical * (1.0 - MEMORY) } else { 1.0 };
        let memory = MEMORY.powf(weight);
        let more = [size * weight * now * (nanoseconds / predicted).clamp(0.1, 10.0), size * weight];
        self.bias.iter_mut().zip(more).for_each(|(sum, of)| *sum = *sum * memory + of);
    }

    /// Makes what was learned count.
    pub fn update(&mut self) {
        self.weights = self.sums.solve().or(self.weights);
    }

    /// Nanoseconds of a query on one CPU thread.
    pub fn predict(&self, query: &Features) -> f64 {
        let [measured, predicted] = self.bias;
        let bias = if predicted > 0.0 { (measured / predicted).clamp(0.1, 10.0) } else { 1.0 };
        self.typical(query) * bias
    }

    fn typical(&self, query: &Features) -> f64 {
        let Some(weights) = &self.weights else { return TIMES[0] };
        let [least, greatest] = &self.range;
        let mut variables = query.variables();
        let known = |at: usize, of: f64| of.max(least[at]).min(greatest[at]);
        // Beyond all lists that were seen, time is in proportion to their length.
        let beyond = (variables[Features::SUM] - greatest[Features::SUM]).max(0.0);
        variables.iter_mut().enumerate().for_each(|(at, of)| *of = known(at, *of));
        let products = Features::products(&variables);
        let logarithm: f64 = products.iter().zip(weights).map(|(of, weight)| of * weight).sum();
        (logarithm + beyond).exp().clamp(TIMES[0], query.most().min(TIMES[1]))
    }

    pub(super) fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        self.sums.numbers().chain(self.range.as_flattened_mut()).chain(&mut self.bias)
    }

    /// Whether the numbers, that were read, can be.
    pub(super) fn sound(&mut self) -> bool {
        let [least, greatest] = self.range;
        self.update();
        self.numbers().all(|number| number.abs() < MOST)
            && self.bias.iter().all(|&sum| sum >= 0.0)
            && least.iter().zip(&greatest).all(|(least, greatest)| least <= greatest)
            && self.weights.is_some()
    }
}

/// What queries cost on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceModel {
    sums: Sums<DEVICE>,
    /// Nanoseconds of each feature.
    rates: [f64; DEVICE],
}

impl Default for DeviceModel {
    fn default() -> DeviceModel {
        DeviceModel { sums: Sums::new(), rates: Features::ASSUMED }
    }
}

impl DeviceModel {
    /// Learns from a call with these features in sum that took so many nanoseconds.
    pub fn learn(&mut self, call: &[f64; DEVICE], nanoseconds: f64) {
        let nanoseconds = nanoseconds.clamp(TIMES[0], TIMES[1]);
        // The unknowns are the rates by the assumed ones.
        let row: [f64; DEVICE] = std::array::from_fn(|at| call[at] * Features::ASSUMED[at] / nanoseconds);
        self.sums.add(&row, 1.0, MEMORY_OF_CALLS);
        self.update();
    }

    fn update(&mut self) {
        /// Rates are at least and at most so many times the assumed ones.
        const RANGE: [f64; 2] = [0.01, 100.0];
        const ROUNDS: usize = 100;
        /// What was assumed counts as much as so many calls that each rate explains alone.
        const ASSUMED: f64 = 0.01;

        // Each unknown in turn gets the best value that is allowed.
        let mut found = [1.0; DEVICE];
        for _ in 0..ROUNDS {
            for at in 0..DEVICE {
                let others: f64 =
                    (0..DEVICE).filter(|&other| other != at).map(|o| self.sums.matrix[at][o] * found[o]).sum();
                let best = (self.sums.right[at] - others + ASSUMED) / (self.sums.matrix[at][at] + ASSUMED);
                found[at] = best.clamp(RANGE[0], RANGE[1]);
            }
        }
        self.rates = std::array::from_fn(|at| found[at] * Features::ASSUMED[at]);
    }

    /// Nanoseconds of a call with these features, or of what a query with these adds.
    pub fn predict(&self, call: &[f64; DEVICE]) -> f64 {
        call.iter().zip(&self.rates).map(|(of, rate)| of * rate).sum()
    }

    pub(super) fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        self.sums.numbers()
    }

    pub(super) fn sound(&mut self) -> bool {
        self.update();
        self.numbers().all(|number| (0.0..MOST).contains(number)) && self.rates.iter().all(|rate| rate.is_finite())
    }
}
