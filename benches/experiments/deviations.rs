//! Ao 2011, table 5: bits that vertical deviations from a regression line take, by theory and in lists.

use crate::harness::context::Context;
use crate::harness::outcome::{Outcome, Table};
use crate::harness::{Experiment, Failure, papers};
use crate::support::data;

pub const EXPERIMENT: Experiment = Experiment {
    name: "deviations",
    title: "Bits of vertical deviations",
    question: "Does the theory of random lists foretell how many bits the deviations from a list's regression line take?",
    redraws: &[("ao-2011", "table 5")],
    why: "Both sides are mathematics, so they hold wherever the docIDs are random. The theory bounds a single docID's \
          deviation from the line through the expected values; a list has a line fitted to it, and stores the range of \
          all its deviations, so lists stay at or below the bound.",
    run,
};

const LENGTHS: [(&str, usize); 6] =
    [("100K", 100_000), ("200K", 200_000), ("400K", 400_000), ("800K", 800_000), ("1M", 1_000_000), ("2M", 2_000_000)];
const UNIVERSE: u64 = 1 << 24;
const MOMENT: u32 = 22;
const EPSILON: f64 = 1e-5;

/// ⌈log2 t + 1⌉ for the t that the middle docID exceeds with a probability below ε, by the 22nd central moment. That of a
/// symmetric beta distribution on (−1, 1) is the product of (2j + 1) / (n + 2 + 2j), j < 11; docIDs are such a variable
/// times m/2, less the correction for drawing without replacement.
fn bits_by_theory(n: usize) -> f64 {
    let (n, m) = (n as f64, UNIVERSE as f64);
    let log_moment: f64 =
        (0..MOMENT / 2).map(|j| ((2.0 * f64::from(j) + 1.0) / (n + 2.0 + 2.0 * f64::from(j))).log2()).sum();
    let deviation = (m / 2.0).log2() + 0.5 * ((m - n) / (m + 1.0)).log2();
    let log_t = deviation + (log_moment - EPSILON.log2()) / f64::from(MOMENT);
    (log_t + 1.0).ceil()
}

/// The bits that hold every deviation of the list from its least-squares line.
fn bits_of_list(list: &[u32]) -> f64 {
    let n = list.len() as f64;
    let (mean_x, mean_y) = ((n - 1.0) / 2.0, list.iter().map(|&doc| f64::from(doc)).sum::<f64>() / n);
    let deviation = |i: usize, doc: u32| (i as f64 - mean_x, f64::from(doc) - mean_y);
    let (xx, xy) = list.iter().enumerate().fold((0.0, 0.0), |(xx, xy), (i, &doc)| {
        let (x, y) = deviation(i, doc);
        (xx + x * x, xy + x * y)
    });
    let slope = xy / xx;
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = list.iter().enumerate().fold(ends, |(low, high), (i, &doc)| {
        let (x, y) = deviation(i, doc);
        (low.min(y - slope * x), high.max(y - slope * x))
    });
    (high.ceil() - low.ceil() + 1.0).log2().ceil()
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let each = if context.quick() { 2 } else { 8 };
    outcome.note(format!("{each} uniform lists of each length below 2^24."));
    let mut table = Table::new("Bits per deviation", ["n"].into_iter().chain(LENGTHS.map(|(name, _)| name)));
    let theory: Vec<f64> = LENGTHS.iter().map(|&(_, n)| bits_by_theory(n)).collect();
    let lists: Vec<f64> = LENGTHS
        .iter()
        .map(|&(_, n)| {
            let bits = (0..each).map(|k| bits_of_list(&data::uniform(n, UNIVERSE, 700 + k + n as u64)));
            bits.sum::<f64>() / each as f64
        })
        .collect();
    table.row("by theory", theory.iter().copied());
    table.row("average of lists", lists.iter().copied());
    outcome.tables.push(table);
    for (at, (name, _)) in LENGTHS.iter().enumerate() {
        outcome.beside(format!("by theory, {name}"), ("ao-2011", "table 5", "by theory", name), theory[at]);
        outcome.beside(format!("lists, {name}"), ("ao-2011", "table 5", "average of lists", name), lists[at]);
    }
    let same = LENGTHS
        .iter()
        .zip(&theory)
        .all(|((name, _), &bits)| bits == papers::number("ao-2011", "table 5", "by theory", name));
    let near = theory.iter().zip(&lists).all(|(theory, list)| list <= theory && theory - list <= 2.0);
    outcome.finding(
        ("ao-2011", "table 5"),
        "The theoretical bit width is close to that of real lists of random docIDs",
        same && near,
        "rule: our theory gives the paper's row, and lists take at most so many bits and at most 2 fewer.",
    );
    Ok(outcome)
}
