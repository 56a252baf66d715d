//! Ao 2011, figure 3: sizes of hash buckets.

use crate::corpora;
use crate::harness::context::Context;
use crate::harness::outcome::{Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::plot::{Plot, Scale};

pub const EXPERIMENT: Experiment = Experiment {
    name: "buckets",
    title: "Sizes of hash buckets",
    question: "If the leading m bits of docIDs divide a list into buckets, how large are they, and how large the largest?",
    redraws: &[("ao-2011", "figure 3")],
    why: "At random, a bucket's size is a binomial variable, whose largest values stay within a few deviations of the mean. \
          Where neighbours share words, some buckets take most of a list and many are empty; a search in a bucket then \
          costs the logarithm of its size, which is still at most that of the list. This is why hash segmentation loses \
          little on ordered documents where interpolation search loses much.",
    run,
};

/// The paper's m for this figure, and its lengths: 2^12 + 1 to 2^13 of 2^20 docIDs, taken as densities.
const M: u32 = 5;
const LENGTHS: [f64; 2] = [4_097.0 / 1_053_372.0, 8_193.0 / 1_053_372.0];

/// The sizes of non-empty buckets of a list of docIDs below `universe`, without the last bucket, which the universe cuts.
fn sizes(list: &[u32], universe: u64) -> Vec<usize> {
    let bits = 64 - (universe - 1).leading_zeros();
    let bucket = |doc: &u32| doc >> (bits - M);
    let whole = (universe >> (bits - M)) as u32;
    list.chunk_by(|a, b| bucket(a) == bucket(b)).filter(|chunk| bucket(&chunk[0]) < whole).map(<[u32]>::len).collect()
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let title = format!("Sizes of buckets by the leading {M} bits, lists of 0.39 to 0.78 % of the documents");
    let mut plot = Plot::new("buckets", &title, "size / mean size of the list's buckets", "% of non-empty buckets");
    plot = plot.scales(Scale::Linear, Scale::Linear);
    let mut table = Table::new(
        "Bucket sizes, as multiples of the length divided by the buckets of the universe",
        ["corpus", "lists", "median", "90 %", "99 %", "largest", "deviation", "binomial deviation"],
    );
    let mut deviations = Vec::new();
    for name in [corpora::NATURAL, corpora::ORDERED, corpora::RANDOM, corpora::GOV] {
        for corpus in context.corpora_of(name)? {
            outcome.note(corpus.describe());
            let density = |list: &&Vec<u32>| list.len() as f64 / corpus.universe as f64;
            let bits = 64 - (corpus.universe - 1).leading_zeros();
            // Non-empty ranges of the universe, of which the last may be shorter.
            let buckets = corpus.universe as f64 / f64::from(1u32 << (bits - M));
            let lists: Vec<&Vec<u32>> =
                corpus.lists.iter().filter(|list| (LENGTHS[0]..LENGTHS[1]).contains(&density(list))).collect();
            let mut relative = Vec::new();
            let mut expected = 0.0;
            for list in &lists {
                let mean = list.len() as f64 / buckets;
                relative.extend(sizes(list, corpus.universe).into_iter().map(|size| size as f64 / mean));
                expected += (1.0 - 1.0 / buckets) / mean;
            }
            if relative.is_empty() {
                outcome.note(format!("{name}: no list of these lengths."));
                continue;
            }
            relative.sort_by(f64::total_cmp);
            let at = |share: f64| relative[((relative.len() - 1) as f64 * share) as usize];
            let deviation = {
                let squares: f64 = relative.iter().map(|size| (size - 1.0) * (size - 1.0)).sum();
                (squares / relative.len() as f64).sqrt()
            };
            let binomial = (expected / lists.len() as f64).sqrt();
            table.row(name, [lists.len() as f64, at(0.5), at(0.9), at(0.99), at(1.0), deviation, binomial]);
            deviations.push((name, deviation / binomial));
            let share = |bin: usize| {
                let within = (bin as f64 / 10.0)..((bin + 1) as f64 / 10.0);
                let count = relative.iter().filter(|size| within.contains(*size)).count();
                (bin as f64 / 10.0 + 0.05, 100.0 * count as f64 / relative.len() as f64)
            };
            plot.curve(name, (0..30).map(share).collect());
        }
    }
    outcome.tables.push(table);
    outcome.plots.push(plot);
    let of = |name: &str| deviations.iter().find(|(known, _)| *known == name).map(|(_, ratio)| *ratio);
    if let Some(random) = of(corpora::RANDOM).or(of(corpora::GOV)) {
        let others: Vec<String> = deviations.iter().map(|(name, ratio)| format!("{name} {ratio:.2}")).collect();
        outcome.finding(
            ("ao-2011", "figure 3"),
            "Bucket sizes follow a binomial distribution",
            random < 1.3,
            format!(
                "deviation of sizes divided by the binomial one: {} (rule: below 1.3 on random docIDs).",
                others.join(", ")
            ),
        );
    }
    Ok(outcome)
}
