//! Ao 2011, table 1: how far a list is from a line.

use crate::corpora::{self, Corpus};
use crate::harness::context::Context;
use crate::harness::outcome::{Outcome, Table};
use crate::harness::{Experiment, Failure};

pub const EXPERIMENT: Experiment = Experiment {
    name: "linearity",
    title: "How linear lists are",
    question: "By how much does a least-squares line narrow the search for a docID, and how well does it fit, by list \
               length and order of documents?",
    redraws: &[("ao-2011", "table 1")],
    why: "A list of docIDs drawn at random is a random walk with fixed ends, whose distance from the line grows with the \
          root of its length; its share of the list so falls as 1/√n, on any hardware and for any text. Documents in an \
          order that means something (a crawl, a manual's chapters, graph bisection) put a term's documents side by side, \
          and the list climbs in steps that no line follows. The paper's GOVPR stands between its GOV and GOV2; \
          bisection, made after the paper to produce such steps, is further from a line than any of its orders.",
    run,
};

/// Least squares through (i, docID i), i from 0; the safe range of a search as a share of the length, and R².
pub fn fit(list: &[u32]) -> (f64, f64) {
    let n = list.len() as f64;
    let (mean_x, mean_y) = ((n - 1.0) / 2.0, list.iter().map(|&doc| f64::from(doc)).sum::<f64>() / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (i, &doc) in list.iter().enumerate() {
        let (x, y) = (i as f64 - mean_x, f64::from(doc) - mean_y);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let slope = xy / xx;
    let (mut left, mut right) = (0f64, 0f64);
    for (i, &doc) in list.iter().enumerate() {
        let deviation = mean_x + (f64::from(doc) - mean_y) / slope - i as f64;
        left = left.max(deviation);
        right = right.max(-deviation);
    }
    ((left + right) / n, xy * xy / (xx * yy))
}

/// The paper's bands: lengths in thousands for 1,053,372 documents, taken as shares of the documents.
const BANDS: [(&str, f64, f64); 6] = [
    ("(0K, 100K)", 0.0, 100.0),
    ("[100K, 200K)", 100.0, 200.0),
    ("[200K, 400K)", 200.0, 400.0),
    ("[400K, 600K)", 400.0, 600.0),
    ("[600K, 800K)", 600.0, 800.0),
    ("[800K, 1M)", 800.0, 1000.0),
];
const GOV: f64 = 1_053.372;

/// The mean of both by band, and the lists in it.
fn by_band(corpus: &Corpus) -> Vec<Option<(f64, f64, usize)>> {
    let share = |list: &&Vec<u32>| list.len() as f64 / corpus.universe as f64;
    BANDS
        .iter()
        .map(|&(_, from, to)| {
            let of_band = corpus.lists.iter().filter(|list| (from / GOV..to / GOV).contains(&share(list)));
            let fits: Vec<(f64, f64)> = of_band.filter(|list| list.len() > 2).map(|list| fit(list)).collect();
            let mean = |pick: fn(&(f64, f64)) -> f64| fits.iter().map(pick).sum::<f64>() / fits.len() as f64;
            (!fits.is_empty()).then(|| (mean(|fit| fit.0), mean(|fit| fit.1), fits.len()))
        })
        .collect()
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    outcome.note(
        "Bands are the paper's lengths divided by GOV's 1,053,372 documents, so that a band means the same density in \
         collections of other sizes.",
    );
    let mut found = Vec::new();
    for name in [corpora::NATURAL, corpora::ORDERED, corpora::RANDOM, corpora::GOV] {
        for corpus in context.corpora_of(name)? {
            outcome.note(corpus.describe());
            found.push((name, by_band(corpus)));
        }
    }
    let head = ["length, of GOV's documents".to_owned()].into_iter();
    let head =
        head.chain(found.iter().flat_map(|(name, _)| ["ratio", "R²", "lists"].map(|what| format!("{name}: {what}"))));
    let mut table = Table::new("Mean contraction ratio (L + R) / n and coefficient of determination", head);
    for (at, (band, ..)) in BANDS.iter().enumerate() {
        let cells = found.iter().flat_map(|(_, bands)| match bands[at] {
            Some((ratio, r2, lists)) => [Some(ratio), Some(r2), Some(lists as f64)],
            None => [None; 3],
        });
        table.row(*band, cells);
    }
    outcome.tables.push(table);
    let columns =
        [(corpora::NATURAL, "GOV"), (corpora::ORDERED, "GOVPR"), (corpora::RANDOM, "GOVR"), (corpora::GOV, "GOVR")];
    for (name, bands) in &found {
        let column = columns.iter().find(|(known, _)| known == name).map_or("GOV", |(_, column)| column);
        for ((band, ..), fit) in BANDS.iter().zip(bands) {
            if let Some((ratio, r2, _)) = fit {
                let place = |what: &str| format!("{column} {what}");
                outcome.beside(format!("{name}, {band}"), ("ao-2011", "table 1", band, &place("ratio")), *ratio);
                outcome.beside(format!("{name}, {band}"), ("ao-2011", "table 1", band, &place("R²")), *r2);
            }
        }
    }
    let shortest = |name: &str| found.iter().find(|(known, _)| *known == name).and_then(|(_, bands)| bands[0]);
    if let (Some(natural), Some(random), Some(ordered)) =
        (shortest(corpora::NATURAL), shortest(corpora::RANDOM), shortest(corpora::ORDERED))
    {
        outcome.finding(
            ("ao-2011", "table 1"),
            "Lists of randomised docIDs are more linear, and their contraction ratio is better",
            random.0 < natural.0 && random.0 < ordered.0 && random.1 > natural.1 && random.1 > ordered.1,
            format!(
                "in the shortest band the ratio is {:.3} at random, {:.3} in natural order and {:.3} by bisection; R² is \
                 {:.3}, {:.3} and {:.3} (rule: random is best in both).",
                random.0, natural.0, ordered.0, random.1, natural.1, ordered.1
            ),
        );
        let falls =
            found.iter().filter(|(name, _)| [corpora::NATURAL, corpora::RANDOM].contains(name)).all(|(_, bands)| {
                let ratios: Vec<f64> = bands.iter().flatten().map(|band| band.0).collect();
                ratios.last() < ratios.first()
            });
        outcome.finding(
            ("ao-2011", "table 1"),
            "The longer the list, the smaller the contraction ratio",
            falls,
            "rule: in natural and in random order the longest band with lists has a smaller ratio than the shortest.",
        );
    }
    Ok(outcome)
}
