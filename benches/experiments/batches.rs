//! PARA batches: Ao 2011, figures 5, 6 and 9.

use super::compressed::{batch, by_merges, encoded};
use crate::corpora;
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::plot::{Plot, Scale};
use postings::Codec;
use postings::intersect::intersect;

pub const EXPERIMENT: Experiment = Experiment {
    name: "batches",
    title: "Batches by computational threshold",
    question: "If queries are collected until their shortest lists have c docIDs in all, what are throughput and response \
               time, and how much of the time do kernels take?",
    redraws: &[("ao-2011", "figure 5"), ("ao-2011", "figure 6"), ("ao-2011", "figure 9")],
    why: "A device answers a small batch in the time that it takes to start and to read results back, so throughput rises \
          with c until its units are full. That point has moved up with the number of units: a card of today is not full at \
          the paper's largest batches. Transfers and the CPU still take their share, and more of it, since kernels became \
          faster than the bus and the host did. Figure 9 (a), the speedup by number of multiprocessors, is not redrawn: it \
          needs a card whose units can be switched off.",
    run,
};

const THRESHOLDS: [usize; 9] = [8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000, 2_000_000];

struct Point {
    codec: Codec,
    threshold: usize,
    queries: f64,
    /// Seconds of the batch on a CPU thread and, with results on the host and in kernels alone, on the device.
    cpu: f64,
    device: Option<[f64; 2]>,
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut points = Vec::new();
    let Some(corpus) = context.corpora_of(corpora::GOV)?.next() else { return Err("no GOV-shaped corpus".into()) };
    outcome.note(corpus.describe());
    let most = if context.quick() { 4 } else { THRESHOLDS.len() };
    for &threshold in &THRESHOLDS[..most] {
        let Some(queries) = batch(corpus, threshold) else { continue };
        for codec in Codec::ALL {
            let Some(coded) = encoded(corpus, queries, codec) else { continue };
            let mut out = Vec::new();
            let cpu = context.time(&mut || {
                for query in &coded {
                    out.clear();
                    intersect(query, &mut out);
                }
            });
            let mut point = Point { codec, threshold, queries: queries.len() as f64, cpu: cpu.median, device: None };
            if let Some(device) = &context.device {
                let (kernels, found) = context.kernels(device, || device.intersect_batch(&coded))?;
                for (found, query) in found.iter().zip(queries).step_by(10) {
                    assert!(found == by_merges(corpus, query), "{} finds others on the device", codec.name());
                }
                let whole = context.time(&mut || drop(device.intersect_batch(&coded).expect("it just did")));
                point.device = Some([whole.median, kernels.median]);
            }
            points.push(point);
        }
    }
    tables(&mut outcome, &points);
    findings(&mut outcome, &points);
    Ok(outcome)
}

fn tables(outcome: &mut Outcome, points: &[Point]) {
    let shown = || Codec::ALL.into_iter().filter(|codec| points.iter().any(|point| point.codec == *codec));
    let thresholds: Vec<usize> =
        THRESHOLDS.into_iter().filter(|c| points.iter().any(|point| point.threshold == *c)).collect();
    let has_device = points.iter().any(|point| point.device.is_some());
    type Pick = fn(&Point) -> Option<f64>;
    let on_cpu: [(&str, &str, Pick); 1] =
        [("CPU, one thread: throughput by threshold c, queries/s", "batches-cpu", |point| {
            Some(point.queries / point.cpu)
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
        let head = ["codec".to_owned()].into_iter().chain(thresholds.iter().map(|c| format!("{}K", c / 1000)));
        let mut table = Table::new(title, head);
        let unit = title.rsplit(", ").next().unwrap_or_default();
        let mut plot = Plot::new(file, title, "c, docIDs in the shortest lists of a batch", unit);
        plot = plot.scales(Scale::Log2, if file == "batches-share" { Scale::Linear } else { Scale::Log10 });
        for codec in shown() {
            let of = |c: usize| points.iter().find(|point| point.codec == codec && point.threshold == c).and_then(pick);
            table.row(codec.php_case(), thresholds.iter().map(|&c| Cell::from(of(c))));
            let curve = thresholds.iter().filter_map(|&c| Some((c as f64, of(c)?))).collect();
            plot.curve(codec.php_case(), curve);
        }
        outcome.tables.push(table);
        if file != "batches-cpu" {
            outcome.plots.push(plot);
        }
    }
}

fn findings(outcome: &mut Outcome, points: &[Point]) {
    let best = |threshold: usize, of: fn(&Point) -> Option<f64>| {
        points.iter().filter(|point| point.threshold == threshold).filter_map(of).fold(0f64, f64::max)
    };
    let throughput = |point: &Point| Some(point.queries / point.device?[0]);
    if best(8_000, throughput) == 0.0 {
        return;
    }
    let at = |threshold: usize| best(threshold, throughput);
    if at(1_000_000) > 0.0 {
        let place = ("ao-2011", "figure 5", "HS16", "queries/s at 1M");
        outcome.beside("the best codec, device, results on the host, queries/s at 1M", place, at(1_000_000));
        outcome.finding(
            ("ao-2011", "figure 5"),
            "Throughput rises with the threshold, also from 1M to 2M",
            at(2_000_000) > 1.05 * at(1_000_000) && at(1_000_000) > at(128_000),
            format!(
                "best codec: {:.0} queries/s at 8K, {:.0} at 128K, {:.0} at 1M, {:.0} at 2M (rule: more at 1M than at 128K, and \
                 5 % more at 2M than at 1M).",
                at(8_000),
                at(128_000),
                at(1_000_000),
                at(2_000_000)
            ),
        );
    }
    let shares: Vec<f64> = points
        .iter()
        .filter_map(|point| point.device.map(|[whole, kernels]| 100.0 * (1.0 - kernels / whole)))
        .collect();
    let least = shares.iter().fold(f64::MAX, |least, &share| least.min(share));
    let place = ("ao-2011", "figure 9", "HS16 and HS256_LRC", "share of transfers and CPU, % at least");
    outcome.beside("least share of transfers and CPU, device, %", place, least);
    outcome.finding(
        ("ao-2011", "figure 9"),
        "Transfers and the CPU always take more than 20 % of the time",
        least > 20.0,
        format!("the least share of any codec and threshold is {least:.0} % (rule: above 20 %)."),
    );
}
