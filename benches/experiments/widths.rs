//! Decoding by gap width: Li 2014, figure 6.

use crate::harness::context::Context;
use crate::harness::outcome::{Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::data;
use crate::support::plot::Plot;
use postings::{Codec, PostingList};

pub const EXPERIMENT: Experiment = Experiment {
    name: "widths",
    title: "Decoding by b",
    question: "How does decoding speed depend on the mean gap 2^b, that is, on QS's width b of lower bits?",
    redraws: &[("li-2014", "figure 6")],
    why: "Widths that do not divide 32 cost nothing today: fields are fetched by unaligned loads and variable shifts \
          that are the same for every width. Nothing of the figure's slope is left for QS either: in the thesis \
          wider lists were also shorter, and short lists left the GPU idle; here all have the same length, and 2^17 \
          docIDs stay in the caches of a CPU and take a device little more than a launch.",
    run,
};

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let log: u32 = if context.quick() { 15 } else { 17 };
    // docIDs have 32 bits.
    let means = 0..=14u32;
    outcome.note(format!("Lists of 2^{log} docIDs; geometric gaps."));
    let mut plot = Plot::new("widths", "Decoding: speed against the mean gap 2^b", "mean gap", "10⁹ docIDs/s");
    let mut curves: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    let mut put = |name: String, x: f64, y: f64| match curves.iter_mut().find(|(known, _)| *known == name) {
        Some((_, points)) => points.push((x, y)),
        None => curves.push((name, vec![(x, y)])),
    };
    let mut table = Table::new(
        "QuasiSuccinct: width of lower bits and speed, 10⁹ docIDs/s",
        ["mean gap", "b", "CPU, one thread", "device, kernel"],
    );
    let mut qs = Vec::new();
    for log_mean in means {
        let mean = f64::from(log_mean).exp2();
        let doc_ids = data::geometric(1 << log, mean, 8);
        let n = doc_ids.len() as f64 / 1e9;
        let lists: Vec<PostingList> =
            Codec::ALL.into_iter().filter_map(|codec| PostingList::encode(&doc_ids, codec).ok()).collect();
        for (list, time) in lists.iter().zip(context.decoding(&lists)) {
            let case = list.codec().php_case();
            let rate = time.rate(n);
            put(format!("{case}, CPU"), mean, rate.median);
            let mut on_device = None;
            if let Some(device) = &context.device {
                let (kernel, decoded) = context.kernels(device, || device.decode(list))?;
                assert!(decoded == doc_ids, "{case} decodes wrongly on the device");
                on_device = Some(kernel.rate(n));
                put(format!("{case}, device"), mean, kernel.rate(n).median);
            }
            if list.codec() == Codec::QuasiSuccinct {
                let cells: [crate::harness::outcome::Cell; 3] =
                    [f64::from(list.parameter()).into(), rate.into(), on_device.into()];
                table.row(mean.to_string(), cells);
                qs.push((list.parameter(), on_device.unwrap_or(rate).median));
            }
        }
    }
    curves.into_iter().for_each(|(name, points)| plot.curve(name, points));
    outcome.tables.push(table);
    outcome.plots.push(plot);
    let special = |b: u32| b > 0 && 32 % b == 0;
    let mut compared = Vec::new();
    // Each special width with its neighbours.
    let slower: Vec<f64> = qs
        .windows(3)
        .filter(|three| special(three[1].0) && !special(three[0].0) && !special(three[2].0))
        .map(|three| {
            compared.push(three[1].0.to_string());
            0.5 * (three[0].1 + three[2].1) / three[1].1
        })
        .collect();
    if !slower.is_empty() {
        let mean = slower.iter().sum::<f64>() / slower.len() as f64;
        outcome.finding(
            ("li-2014", "figure 6"),
            "Widths that do not divide 32 are only slightly slower than those that do",
            mean >= 0.8,
            format!(
                "QS decodes lists of such widths at {mean:.2} times the speed of their neighbours of width {} (rule: at \
                 least 0.8).",
                compared.join(", ")
            ),
        );
    }
    Ok(outcome)
}
