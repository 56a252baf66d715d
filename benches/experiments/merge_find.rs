//! Parallel merge find with 0 to 4 levels of splitters: Ding 2009, figure 6 and the text beside it.

use super::searches::line;
use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::clock::Spread;
use crate::support::data;
use crate::support::plot::{Plot, Scale};
use postings::base::cpu;
use postings::device::Device;
use postings::intersect::Count;
use postings::lab::device_search::{Aids, DeviceSearch, Gathering};
use postings::lab::meet::Meet;
use postings::{Codec, PostingList};

pub const EXPERIMENT: Experiment = Experiment {
    name: "merge-find",
    title: "Intersections of two uncompressed lists",
    question: "What does a docID of two uncompressed lists cost, by length and by levels of splitters?",
    redraws: &[("ding-2009", "figure 6")],
    why: "Splitters divide a binary search into a few shared steps and a short private one. A GPU of 2009 had no \
          cache for global memory, so each shared step saved a trip; one of today has, so the first steps of all \
          searches meet there anyway, and more levels gain nothing on long lists and cost a launch each on short \
          ones. A CPU thread does its steps one after the other, so it gains from every step that is shared. A merge \
          with vector instructions reads both lists once, in order, and is the one to beat at equal lengths; galloping \
          comes level with it only when one list is 64 times as long.",
    run,
};

/// Nanoseconds per docID of the shorter list.
fn measure(context: &Context, a: &[u32], b: &[u32]) -> Vec<Spread> {
    let tier = cpu::tier();
    let expected = data::merge(a, b);
    let mut calls: Vec<Box<dyn FnMut() + '_>> = Vec::new();
    for way in Meet::ALL {
        let mut found = Vec::new();
        way.meet(tier, a, b, &mut found);
        assert!(found == expected, "{} finds others", way.name());
        calls.push(Box::new(move || {
            let mut count = Count::default();
            way.meet(tier, a, b, &mut count);
            std::hint::black_box(count);
        }));
    }
    context.times_of(&mut calls).into_iter().map(|time| time.times(1e9 / a.len() as f64)).collect()
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let most = if context.quick() { 1 << 20 } else { 1 << 23 };
    outcome.note("Uniform lists of density 1/16, one thread; counts only.");
    let mut lengths = vec![5_000];
    while lengths[lengths.len() - 1] * 8 <= most {
        lengths.push(lengths[lengths.len() - 1] * 8);
    }
    let mut pairs: Vec<(usize, usize)> = lengths.iter().map(|&n| (n, n)).collect();
    let short = 200_000;
    pairs.extend([1, 4, 16, 64].map(|ratio| (short, ratio * short)).into_iter().filter(|&(_, m)| m <= 2 * most));
    let names = Meet::ALL.map(Meet::name);
    let mut table = Table::new("Nanoseconds per docID of the shorter list", ["lists"].into_iter().chain(names));
    let mut plot =
        Plot::new("merge-find", "Two lists of equal length: time per docID", "docIDs per list", "ns per docID");
    plot = plot.scales(Scale::Log2, Scale::Log10);
    let mut curves: Vec<Vec<(f64, f64)>> = vec![Vec::new(); names.len()];
    let mut last = Vec::new();
    for (n, m) in pairs {
        let universe = 16 * m as u64;
        let (a, b) = (data::uniform(n, universe, 400 + n as u64), data::uniform(m, universe, 401 + m as u64));
        let times = measure(context, &a, &b);
        table.row(format!("{n} × {m}"), times.iter().map(|&time| Cell::from(time)));
        if n == m && n != short {
            curves.iter_mut().zip(&times).for_each(|(curve, time)| curve.push((n as f64, time.median)));
            last = times;
        } else {
            let at = |way: &str| names.iter().position(|name| *name == way);
            let places = [(short, "GPU, 200,000 × 200,000"), (64 * short, "GPU, 200,000 × 12.8 million")];
            if let (Some((_, row)), Some(at)) = (places.iter().find(|(length, _)| *length == m), at("PMF 3")) {
                let what = format!("PMF 3, {n} × {m}, one CPU thread");
                outcome.beside(what, ("ding-2009", "figure 6", row, "ns/docID"), times[at].median);
            }
        }
    }
    if let Some(device) = &context.device {
        on_device(context, device, &lengths, &mut outcome, &mut plot)?;
    }
    names.iter().zip(curves).for_each(|(name, curve)| plot.curve(*name, curve));
    outcome.tables.push(table);
    outcome.plots.push(plot);
    let of = |way: &str| names.iter().position(|name| *name == way).map_or(f64::NAN, |at| last[at].median);
    let place = ("ding-2009", "figure 6", "GPU, equal lengths, longer lists", "ns/docID");
    outcome.beside("PMF 3, the longest equal lengths, one CPU thread", place, of("PMF 3"));
    outcome.finding(
        ("ding-2009", "figure 6"),
        "For longer lists recursion is much better than the direct approach, on a CPU thread",
        of("PMF 2").min(of("PMF 3")) < 0.67 * of("PMF 0"),
        format!(
            "per docID of the longest lists of equal length: direct {:.1} ns, one to four levels {:.1}, {:.1}, {:.1}, {:.1} \
             ns; a vector merge {:.2} ns (rule: two or three levels take less than two thirds of the direct time).",
            of("PMF 0"),
            of("PMF 1"),
            of("PMF 2"),
            of("PMF 3"),
            of("PMF 4"),
            of("merge")
        ),
    );
    Ok(outcome)
}

/// The same on the device: kernel times of two lists of equal length.
fn on_device(
    context: &Context,
    device: &Device,
    lengths: &[usize],
    outcome: &mut Outcome,
    plot: &mut Plot,
) -> Result<(), Failure> {
    let levels = [0, 1, 2, 3, 4].map(DeviceSearch::ParallelMerge);
    let head = ["lists".to_owned()].into_iter().chain(levels.iter().map(|search| search.name().to_owned()));
    let mut table = Table::new("Device, kernels: nanoseconds per docID of one list", head);
    let mut curves: Vec<Vec<(f64, f64)>> = vec![Vec::new(); levels.len()];
    for &n in lengths {
        let universe = 16 * n as u64;
        let lists = [400, 401].map(|purpose| data::uniform(n, universe, purpose + n as u64));
        let expected = data::merge(&lists[0], &lists[1]);
        let encode = |list: &Vec<u32>| PostingList::encode(list, Codec::Raw);
        let query = [lists.iter().map(encode).collect::<Result<Vec<_>, _>>()?];
        let mut cells = Vec::new();
        for (search, curve) in levels.iter().zip(&mut curves) {
            let aids = Aids::of(*search, [], line);
            let (rounds, found) =
                context.each_kernel(device, || device.search_batch(&query, &aids, Gathering::Reserve))?;
            assert!(found.get(0) == expected, "{} finds others on the device", search.name());
            let time = Spread::of(&rounds, |round| 1e9 * round.kernel_seconds(&[]));
            let each = time.times(1.0 / n as f64);
            curve.push((n as f64, each.median));
            cells.push(Cell::from(each));
        }
        table.row(format!("{n} × {n}"), cells);
    }
    let last = |level: usize| curves[level].last().map_or(f64::NAN, |point| point.1);
    let place = ("ding-2009", "figure 6", "GPU, equal lengths, longer lists", "ns/docID");
    outcome.beside("PMF 3, the longest equal lengths, device", place, last(3));
    outcome.finding(
        ("ding-2009", "figure 6"),
        "For longer lists recursion is much better than the direct approach, on the GPU",
        last(2).min(last(3)) < 0.67 * last(0),
        format!(
            "kernels, per docID of the longest lists: direct {:.4} ns, one to four levels {:.4}, {:.4}, {:.4}, {:.4} ns (rule: two \
             or three levels take less than two thirds of the direct time).",
            last(0),
            last(1),
            last(2),
            last(3),
            last(4)
        ),
    );
    levels.iter().zip(curves).for_each(|(search, curve)| plot.curve(format!("{}, device", search.name()), curve));
    outcome.tables.push(table);
    Ok(())
}
