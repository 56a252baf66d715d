//! PARA batches: Ao 2011, figures 5, 6 and 9.

use super::compressed::{Contestant, batch, by_merges, encoded};
use super::searches::{ON_DEVICE, Uncompressed};
use crate::corpora;
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::clock::Spread;
use crate::support::kernels::Round;
use crate::support::plot::{Plot, Scale};
use postings::intersect::intersect;
use postings::lab::device_search::Gathering;

pub const EXPERIMENT: Experiment = Experiment {
    name: "batches",
    title: "Batches by computational threshold",
    question: "If queries are collected until their shortest lists have c docIDs in all, what are throughput and response \
               time, and how much of the time do kernels take?",
    redraws: &[("ao-2011", "figure 5"), ("ao-2011", "figure 6"), ("ao-2011", "figure 9")],
    why: "A device answers a small batch in the time that it takes to start and to read results back, so throughput \
          rises with c until its units are full. That point has moved up with the number of units: a card of today \
          is not full at the paper's largest batches. Transfers and the CPU still take their share, and more of it, \
          since kernels became faster than the bus and the host did. A CPU thread answers one query after the other, \
          so c means little to it. Figure 9 (a), the speedup by number of multiprocessors, is not redrawn: it needs \
          a card whose units can be switched off.",
    run,
};

const THRESHOLDS: [usize; 9] = [8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000, 2_000_000];

/// The largest threshold for which queries are timed on the CPU, too.
const ON_CPU: usize = 128_000;

struct Point {
    /// A codec's name, or that of a search of uncompressed lists.
    name: String,
    threshold: usize,
    queries: f64,
    /// Seconds of the batch on a CPU thread and, with results on the host and in kernels alone, on the device.
    cpu: Option<f64>,
    device: Option<[f64; 2]>,
}

/// Median seconds of whole calls and of their kernels.
fn medians(rounds: &[Round]) -> [f64; 2] {
    [Spread::of(rounds, |round| round.whole).median, Spread::of(rounds, |round| round.kernel_seconds(&[])).median]
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut points = Vec::new();
    let Some(corpus) = context.corpora_of(corpora::GOV)?.next() else { return Err("no GOV-shaped corpus".into()) };
    outcome.note(corpus.describe());
    let thresholds = &THRESHOLDS[..if context.quick() { 4 } else { THRESHOLDS.len() }];
    // Batches are prefixes of the same queries.
    let batches: Vec<(usize, &[Vec<usize>])> =
        thresholds.iter().filter_map(|&threshold| Some((threshold, batch(corpus, threshold)?))).collect();
    let Some(&(_, longest)) = batches.last() else { return Err("too few queries".into()) };
    for contestant in Contestant::all() {
        let Some(coded) = encoded(corpus, longest, contestant) else { continue };
        for &(threshold, queries) in &batches {
            let coded = &coded[..queries.len()];
            let mut out = Vec::new();
            // Queries on the CPU do not depend on batches.
            let cpu = (threshold <= ON_CPU).then(|| {
                let time = context.time(&mut || {
                    for query in coded {
                        out.clear();
                        intersect(query, &mut out);
                    }
                });
                time.median
            });
            let mut point =
                Point { name: contestant.name(), threshold, queries: queries.len() as f64, cpu, device: None };
            if let Some(device) = &context.device {
                let (rounds, found) = context.each_kernel(device, || device.intersect_batch(coded, 0))?;
                for (found, query) in found.iter().zip(queries).step_by(10) {
                    assert!(found == by_merges(corpus, query), "{} finds others on the device", contestant.name());
                }
                point.device = Some(medians(&rounds));
            }
            points.push(point);
        }
    }
    for (name, search, bucket) in ON_DEVICE {
        let Some(device) = &context.device else { break };
        let lists = Uncompressed::new(corpus, longest, bucket)?;
        for &(threshold, queries) in &batches {
            let coded = &lists.queries[..queries.len()];
            for (how, gathering) in
                [("scan and compaction", Gathering::Scan), ("reserve and order", Gathering::Reserve)]
            {
                let (rounds, found) = context.each_kernel(device, || lists.search(device, coded, search, gathering))?;
                for (found, query) in found.iter().zip(queries).step_by(10) {
                    assert!(found == by_merges(corpus, query), "{name}, {how}, finds others on the device");
                }
                let name = format!("uncompressed, {name}, {how}");
                let device = Some(medians(&rounds));
                points.push(Point { name, threshold, queries: queries.len() as f64, cpu: None, device });
            }
        }
    }
    tables(&mut outcome, &points);
    findings(&mut outcome, &points);
    Ok(outcome)
}

fn tables(outcome: &mut Outcome, points: &[Point]) {
    let mut names: Vec<&str> = Vec::new();
    points.iter().for_each(|point| {
        if !names.contains(&&*point.name) {
            names.push(&point.name);
        }
    });
    let thresholds: Vec<usize> =
        THRESHOLDS.into_iter().filter(|c| points.iter().any(|point| point.threshold == *c)).collect();
    let has_device = points.iter().any(|point| point.device.is_some());
    type Pick = fn(&Point) -> Option<f64>;
    let on_cpu: [(&str, &str, Pick); 1] =
        [("CPU, one thread: throughput by threshold c, queries/s", "batches-cpu", |point| {
            Some(point.queries / point.cpu?)
        })];
    let on_device: [(&str, &str, Pick); 3] = [
        ("Device: throughput by threshold c, queries/s, results on the host", "batches-throughput", |point| {
            Some(point.queries / point.device?[0])
        }),
        ("Device: response by threshold c, ms per batch", "batches-response", |point| Some(1e3 * point.device?[0])),
        ("Device: share of kernels in the whole call, %", "batches-share", |point| {
            point.device.map(|[whole, kernels]| 100.0 * kernels / whole)
        }),
    ];
    let all = on_cpu.into_iter().chain(on_device.into_iter().filter(|_| has_device));
    for (title, file, pick) in all {
        let head =
            ["codec or search".to_owned()].into_iter().chain(thresholds.iter().map(|c| format!("{}K", c / 1000)));
        let mut table = Table::new(title, head);
        let unit = title.rsplit(", ").next().unwrap_or_default();
        let mut plot = Plot::new(file, title, "c, docIDs in the shortest lists of a batch", unit);
        plot = plot.scales(Scale::Log2, if file == "batches-share" { Scale::Linear } else { Scale::Log10 });
        for &name in &names {
            let of = |c: usize| points.iter().find(|point| point.name == name && point.threshold == c).and_then(pick);
            if thresholds.iter().all(|&c| of(c).is_none()) {
                continue;
            }
            table.row(name, thresholds.iter().map(|&c| Cell::from(of(c))));
            let curve = thresholds.iter().filter_map(|&c| Some((c as f64, of(c)?))).collect();
            // Both ways of gathering would be too many curves.
            if !name.ends_with("compaction") {
                plot.curve(name.trim_end_matches(", reserve and order"), curve);
            }
        }
        outcome.tables.push(table);
        if file != "batches-cpu" {
            outcome.plots.push(plot);
        }
    }
}

fn findings(outcome: &mut Outcome, points: &[Point]) {
    let of =
        |name: &str, threshold: usize| points.iter().find(|point| point.name == name && point.threshold == threshold);
    let throughput = |name: &str, threshold: usize| {
        of(name, threshold).and_then(|point| Some(point.queries / point.device?[0])).unwrap_or(f64::NAN)
    };
    let (hs, bs) = ("uncompressed, HS16, reserve and order", "uncompressed, BS, reserve and order");
    if throughput(hs, 8_000).is_nan() {
        return;
    }
    let [k8, k128, m1, m2] = [8_000, 128_000, 1_000_000, 2_000_000].map(|c| throughput(hs, c));
    if m1.is_finite() {
        let place = |column: &'static str| ("ao-2011", "figure 5", "HS16", column);
        outcome.beside("HS16, device, results on the host, queries/s at 1M", place("queries/s at 1M"), m1);
        outcome.beside("HS16 / BS, device, at 1M", place("ratio to BS"), m1 / throughput(bs, 1_000_000));
        outcome.finding(
            ("ao-2011", "figure 5"),
            "HS16's throughput rises with the threshold, also from 1M to 2M",
            m2 > 1.05 * m1 && m1 > k128,
            format!(
                "{k8:.0} queries/s at 8K, {k128:.0} at 128K, {m1:.0} at 1M, {m2:.0} at 2M (rule: more at 1M than at 128K, and \
                 5 % more at 2M than at 1M)."
            ),
        );
        outcome.finding(
            ("ao-2011", "figure 5"),
            "HS16 is about 60 % faster than BS at a threshold of 1M",
            m1 > 1.3 * throughput(bs, 1_000_000),
            format!("{:.2} times as fast (rule: over 1.3).", m1 / throughput(bs, 1_000_000)),
        );
    }
    let response = |name: &str, c| of(name, c).and_then(|point| Some(1e3 * point.device?[0]));
    if let (Some(a), Some(b)) = (response(hs, 64_000), response(bs, 64_000)) {
        outcome.finding(
            ("ao-2011", "figure 6"),
            "Below a threshold of 128K the response times of the searches are indistinguishable",
            a.max(b) < 1.15 * a.min(b),
            format!("at 64K HS16 {a:.3} ms, BS {b:.3} ms (rule: within 15 %)."),
        );
    }
    let scan = throughput("uncompressed, HS16, scan and compaction", 512_000);
    if scan.is_finite() {
        let reserve = throughput(hs, 512_000);
        outcome.note(format!(
            "Scan and compaction (the paper's) against reserving room and putting pieces in order (ours), HS16 at 512K: \
             {scan:.0} and {reserve:.0} queries/s."
        ));
    }
    let share = |point: &Point| point.device.map(|[whole, kernels]| 100.0 * (1.0 - kernels / whole));
    let least = points.iter().filter_map(share).fold(f64::MAX, f64::min);
    let place = ("ao-2011", "figure 9", "HS16 and HS256_LRC", "share of transfers and CPU, % at least");
    outcome.beside("least share of transfers and CPU, device, %", place, least);
    outcome.finding(
        ("ao-2011", "figure 9"),
        "Transfers and the CPU always take more than 20 % of the time",
        least > 20.0,
        format!("the least share of any codec, search and threshold is {least:.0} % (rule: above 20 %)."),
    );
}
