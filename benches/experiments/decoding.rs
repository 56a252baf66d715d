//! Decoding by length: Li 2014, table 2; Ding 2009, table 1 and figure 4.

use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::parallel::in_parallel;
use crate::harness::{Experiment, Failure};
use crate::support::clock::Spread;
use crate::support::data;
use crate::support::plot::Plot;
use postings::{Codec, PostingList};

pub const EXPERIMENT: Experiment = Experiment {
    name: "decoding",
    title: "Decoding by list length",
    question: "How many docIDs per second does each codec decode, on a CPU thread and on the device, by list length?",
    redraws: &[("li-2014", "table 2"), ("ding-2009", "table 1"), ("ding-2009", "figure 4")],
    why: "On both sides the papers' rates were limited by instructions per docID, branches and passes over \
          intermediate arrays. Vector instructions decode a block of 128 in registers today, so a CPU thread is \
          bound by its caches, and on lists that exceed them by memory, which brings codecs closer together. A \
          device decodes a block per work-group in local memory, so codecs in which every docID is found alike come \
          near the bounds of its memory; quotients in unary (Rice) and exceptions of exceptions (PForDelta) cost as \
          much again. (The H200's rates here are of the kernels of that day. That of PForDelta has since become half \
          as fast again: docs/results.md.) Short lists still favour the CPU: starting a kernel takes microseconds, as it did then. If \
          docIDs are wanted on the host, the CPU is at any length the better place for codecs that it decodes as \
          fast as the bus could bring the docIDs.",
    run,
};

const MEAN: f64 = 8.0;
/// Whole calls are timed up to this length, by which the device is faster or is not.
const MOST_CALLS: u32 = 22;

/// What of a codec: rates in 10⁹ docIDs/s.
struct Rates {
    codec: Codec,
    log: u32,
    cpu: Spread,
    kernel: Option<Spread>,
    /// Seconds of a whole call on the device and on the CPU.
    calls: Option<[Spread; 2]>,
}

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let log_max = context.log_max();
    outcome.note(format!(
        "Lists of 2^10 to 2^{log_max} docIDs, geometric gaps of mean {MEAN}; to docIDs, with prefix sums."
    ));
    let all = data::geometric(1 << log_max, MEAN, 1);
    let mut logs: Vec<u32> = (10..log_max).step_by(if context.quick() { 5 } else { 3 }).collect();
    logs.push(log_max);
    let mut rates = Vec::new();
    for log in logs {
        measure(context, &all[..1 << log], log, &mut rates)?;
    }
    let longest: Vec<&Rates> = rates.iter().filter(|rate| rate.log == log_max).collect();
    let mut table = Table::new(
        format!("2^{log_max} docIDs, 10⁹ docIDs/s"),
        ["codec", "CPU, one thread", "device, kernel", "device / CPU"],
    );
    for rate in &longest {
        let ratio = rate.kernel.map(|kernel| kernel.median / rate.cpu.median);
        table.row(rate.codec.php_case(), [Cell::from(rate.cpu), Cell::from(rate.kernel), Cell::from(ratio)]);
    }
    outcome.tables.push(table);
    let mut plot = Plot::new(
        "decoding",
        "Decoding, gaps of mean 8: speed against list length",
        "docIDs in the list",
        "10⁹ docIDs/s",
    );
    for codec in Codec::ALL {
        let of = || rates.iter().filter(|rate| rate.codec == codec);
        let n = |rate: &Rates| f64::from(rate.log).exp2();
        plot.curve(format!("{}, CPU", codec.php_case()), of().map(|rate| (n(rate), rate.cpu.median)).collect());
        let kernels: Vec<_> = of().filter_map(|rate| Some((n(rate), rate.kernel?.median))).collect();
        if !kernels.is_empty() {
            plot.curve(format!("{}, device", codec.php_case()), kernels);
        }
    }
    outcome.plots.push(plot);
    beside(&mut outcome, &longest);
    findings(&mut outcome, &rates, &longest);
    Ok(outcome)
}

fn measure(context: &Context, doc_ids: &[u32], log: u32, rates: &mut Vec<Rates>) -> Result<(), Failure> {
    let lists = in_parallel(Codec::COUNT, |at| PostingList::encode(doc_ids, Codec::ALL[at]));
    let lists = lists.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut out = Vec::with_capacity(doc_ids.len() + 64);
    for list in &lists {
        out.clear();
        list.decode_into(&mut out);
        assert!(out == doc_ids, "{} decodes wrongly", list.codec().name());
    }
    drop(out);
    let n = doc_ids.len() as f64;
    for (list, time) in lists.iter().zip(context.decoding(&lists)) {
        let mut rate = Rates { codec: list.codec(), log, cpu: time.rate(n / 1e9), kernel: None, calls: None };
        if let Some(device) = &context.device {
            let (kernel, decoded) = context.kernels(device, || device.decode(list))?;
            assert!(decoded == doc_ids, "{} decodes wrongly on the device", list.codec().name());
            rate.kernel = Some(kernel.rate(n / 1e9));
            if log <= MOST_CALLS {
                let calls = context.times(&mut [
                    &mut || drop(std::hint::black_box(device.decode(list).expect("it just did"))),
                    &mut || drop(std::hint::black_box(list.decode())),
                ]);
                rate.calls = Some([calls[0], calls[1]]);
            }
        }
        rates.push(rate);
    }
    Ok(())
}

fn beside(outcome: &mut Outcome, longest: &[&Rates]) {
    let of = |case: &str| longest.iter().find(|rate| rate.codec.php_case() == case);
    for (case, li) in [("Rice", "Rice (CPU)"), ("PForDelta", "PForDelta (CPU)"), ("QuasiSuccinct", "QS (CPU)")] {
        if let Some(rate) = of(case) {
            outcome.beside(
                format!("{case}, one CPU thread"),
                ("li-2014", "table 2", li, "10⁹ docIDs/s"),
                rate.cpu.median,
            );
        }
    }
    if let Some(kernel) = of("QuasiSuccinct").and_then(|rate| rate.kernel) {
        let place = ("li-2014", "table 2", "Parallel-QS (GPU)", "10⁹ docIDs/s");
        outcome.beside("QuasiSuccinct, device", place, kernel.median);
    }
    for case in ["Rice", "PForDelta"] {
        if let Some(rate) = of(case) {
            let millions = 1000.0 * rate.cpu.median;
            outcome.beside(format!("{case}, one CPU thread, 10⁶/s"), ("ding-2009", "table 1", case, "CPU"), millions);
            if let Some(kernel) = rate.kernel {
                outcome.beside(
                    format!("{case}, device, 10⁶/s"),
                    ("ding-2009", "table 1", case, "GPU"),
                    1000.0 * kernel.median,
                );
            }
        }
    }
    if let Some(kernel) = of("PForDelta").and_then(|rate| rate.kernel) {
        let place = ("ding-2009", "figure 4", "GPU, longer lists, docIDs", "10⁶ docIDs/s");
        outcome.beside("PForDelta, device, 10⁶/s", place, 1000.0 * kernel.median);
    }
}

fn findings(outcome: &mut Outcome, rates: &[Rates], longest: &[&Rates]) {
    let of = |case: &str| longest.iter().find(|rate| rate.codec.php_case() == case);
    if let (Some(rice), Some(pfd)) = (of("Rice"), of("PForDelta")) {
        outcome.finding(
            ("ding-2009", "table 1"),
            "PForDelta decodes much faster than Rice",
            pfd.cpu.median > 2.0 * rice.cpu.median,
            format!(
                "on a CPU thread {:.2} and {:.2} · 10⁹ docIDs/s (rule: over twice).",
                pfd.cpu.median, rice.cpu.median
            ),
        );
        if let (Some(pfd), Some(rice)) = (pfd.kernel, rice.kernel) {
            outcome.finding(
                ("ding-2009", "table 1"),
                "PForDelta decodes much faster than Rice on the GPU, too",
                pfd.median > 2.0 * rice.median,
                format!("kernels: {:.1} and {:.1} · 10⁹ docIDs/s (rule: over twice).", pfd.median, rice.median),
            );
        }
    }
    if let (Some(qs), Some(pfd)) = (of("QuasiSuccinct"), of("PForDelta")) {
        let pair = qs.kernel.zip(pfd.kernel).map_or((qs.cpu, pfd.cpu), |pair| pair);
        outcome.finding(
            ("li-2014", "table 2"),
            "Parallel-QS decodes much faster than PForDelta and Rice",
            pair.0.median > pair.1.median,
            format!("QS {:.2}, PForDelta {:.2} · 10⁹ docIDs/s (rule: faster than both on the device, or on the CPU without one).", pair.0.median, pair.1.median),
        );
    }
    // The shortest length at which the device's whole call is faster.
    let mut crossings = Vec::new();
    for codec in Codec::ALL {
        let mut faster = rates.iter().filter(|rate| rate.codec == codec).filter_map(|rate| {
            let [device, cpu] = rate.calls?;
            (device.median < cpu.median).then_some(rate.log)
        });
        let has = rates.iter().any(|rate| rate.codec == codec && rate.calls.is_some());
        if has {
            crossings.push((codec, faster.next()));
        }
    }
    if !crossings.is_empty() {
        let each: Vec<String> = crossings
            .iter()
            .map(|(codec, log)| {
                format!("{} {}", codec.php_case(), log.map_or("never".into(), |log| format!("2^{log}")))
            })
            .collect();
        outcome.finding(
            ("ding-2009", "figure 4"),
            "The GPU is much slower than the CPU for short lists, and faster for longer ones",
            crossings.iter().all(|(_, log)| log.is_none_or(|log| log > 10)) && crossings.iter().any(|(_, log)| log.is_some()),
            format!("whole calls with resident lists are faster on the device from: {} docIDs (rule: not at 2^10, but later).", each.join(", ")),
        );
    }
}
