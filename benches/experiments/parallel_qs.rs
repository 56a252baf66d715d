//! The thesis' Parallel-QS, step by step: Li 2014, figures 8, 10, 11 and 14.

use crate::harness::context::Context;
use crate::harness::outcome::{Cell, Outcome, Table};
use crate::harness::{Experiment, Failure};
use crate::support::clock::{Spread, seconds};
use crate::support::data;
use crate::support::kernels::Round;
use crate::support::plot::{Plot, Scale};
use postings::codec::quasi_succinct::{self, RawList};
use postings::device::Device;
use postings::lab::parallel_qs::{ITEMS, ParallelQs};
use postings::{Codec, PostingList};

pub const EXPERIMENT: Experiment = Experiment {
    name: "parallel-qs",
    title: "Parallel-QS, naive to merged",
    question: "Where does the time of the thesis' three variants go, how large should work-groups be, and what does decoding \
               blocks in one kernel, as we do, gain over them?",
    redraws: &[("li-2014", "figure 8"), ("li-2014", "figure 10"), ("li-2014", "figure 11"), ("li-2014", "figure 14")],
    why: "The naive variant moves 32 words through memory for every word of upper bits, in its prefix sums on a \
          device and in its gather on a CPU thread. Counting per word takes that away, which gains more on a CPU \
          thread, where nothing hides the time of so many words, than on a device; merging kernels saves one pass \
          over the docIDs. Work-groups of 256 are no worse than smaller ones for short lists: few of them leave most \
          of a card of today idle, whatever their size. All variants keep intermediate arrays in global memory; a \
          kernel that decodes a block of 128 in local memory, with a directory to begin at, writes nothing but \
          docIDs.",
    run,
};

fn run(context: &Context) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let log = context.log_max().min(24);
    let doc_ids = data::geometric(1 << log, 8.0, 1);
    outcome.note(format!("Raw quasi-succinct lists with c = 1, geometric gaps of mean 8, up to 2^{log} docIDs. \
                          OpenCL allows work-groups of 256 on every device here, so block sizes are 64, 128 and 256 in the \
                          place of the thesis' 256, 512 and 1,024."));
    on_cpu(context, &doc_ids, &mut outcome);
    if let Some(device) = &context.device {
        by_step(context, device, &doc_ids, &mut outcome)?;
        by_length(context, device, &doc_ids, &mut outcome)?;
    }
    Ok(outcome)
}

/// The arrays of a raw list, as the thesis has them.
struct Arrays {
    count: usize,
    width: u32,
    lower: Vec<u32>,
    upper: Vec<u32>,
    upper_bits: usize,
}

impl Arrays {
    /// Encodes docIDs, which must not be empty, with c = 1.
    fn new(doc_ids: &[u32]) -> Arrays {
        let (count, universe) = (doc_ids.len(), doc_ids[doc_ids.len() - 1]);
        let width = (f64::from(universe) / count as f64).log2().floor().max(0.0) as u32;
        let upper_bits = count + (universe >> width) as usize;
        let mut lower = vec![0; (count * width as usize).div_ceil(32) + 1];
        let mut upper = vec![u32::MAX; upper_bits.div_ceil(32)];
        for (i, &doc) in doc_ids.iter().enumerate() {
            let (at, shift) = (i * width as usize / 32, i * width as usize % 32);
            let field = (u64::from(doc) & ((1 << width) - 1)) << shift;
            lower[at] |= field as u32;
            lower[at + 1] |= (field >> 32) as u32;
            let stop = (doc >> width) as usize + i;
            upper[stop / 32] &= !(1 << (stop % 32));
        }
        Arrays { count, width, lower, upper, upper_bits }
    }

    fn is_one(&self, bit: usize) -> bool {
        self.upper[bit / 32] >> (bit % 32) & 1 == 1
    }

    #[inline]
    fn lower_of(&self, i: usize) -> u32 {
        let (at, shift) = (i * self.width as usize / 32, i * self.width as usize % 32);
        let pair = u64::from(self.lower[at]) | u64::from(self.lower[at + 1]) << 32;
        (pair >> shift) as u32 & ((1 << self.width) - 1)
    }
}

/// Exclusive prefix sums, in place.
fn scan(values: &mut [u32]) {
    let mut sum = 0;
    for value in values {
        (*value, sum) = (sum, sum + *value);
    }
}

/// The buffers of the steps on the CPU.
#[derive(Default)]
struct Buffers {
    scanned: Vec<u32>,
    uppers: Vec<u32>,
    lowers: Vec<u32>,
}

type Step = (&'static str, fn(&Arrays, &mut Buffers));

const NAIVE: [Step; 5] = [
    ("unpack", |list, buffers| {
        buffers.scanned.clear();
        buffers.scanned.extend((0..list.upper_bits).map(|bit| u32::from(list.is_one(bit))));
    }),
    ("prefix sums", |_, buffers| scan(&mut buffers.scanned)),
    ("gather", |list, buffers| {
        buffers.uppers.resize(list.count, 0);
        for (bit, &before) in buffers.scanned.iter().enumerate() {
            if !list.is_one(bit) {
                buffers.uppers[bit - before as usize] = before;
            }
        }
    }),
    ("lower bits", lower),
    ("combine", combine),
];

const BLOCKS: [Step; 5] = [
    ("count", count),
    ("prefix sums", |_, buffers| scan(&mut buffers.scanned)),
    ("gather", gather_words),
    ("lower bits", lower),
    ("combine", combine),
];

const MERGED: [Step; 4] = [
    ("count", count),
    ("prefix sums", |_, buffers| scan(&mut buffers.scanned)),
    ("gather", gather_words),
    ("lower bits and combine", |list, buffers| {
        for (i, upper) in buffers.uppers.iter_mut().enumerate() {
            *upper = *upper << list.width | list.lower_of(i);
        }
    }),
];

fn count(list: &Arrays, buffers: &mut Buffers) {
    buffers.scanned.clear();
    buffers.scanned.extend(list.upper.iter().map(|word| word.count_ones()));
}

fn gather_words(list: &Arrays, buffers: &mut Buffers) {
    buffers.uppers.resize(list.count, 0);
    for (at, (&word, &before)) in list.upper.iter().zip(&buffers.scanned).enumerate() {
        let mut stops = !word;
        let mut rank = 32 * at - before as usize;
        // Bits beyond the last stop bit are 1 here.
        while stops != 0 {
            let bit = stops.trailing_zeros();
            buffers.uppers[rank] = (32 * at) as u32 + bit - rank as u32;
            rank += 1;
            stops &= stops - 1;
        }
    }
}

fn lower(list: &Arrays, buffers: &mut Buffers) {
    buffers.lowers.clear();
    buffers.lowers.extend((0..list.count).map(|i| list.lower_of(i)));
}

fn combine(list: &Arrays, buffers: &mut Buffers) {
    for (upper, &lower) in buffers.uppers.iter_mut().zip(&buffers.lowers) {
        *upper = *upper << list.width | lower;
    }
}

/// The variants as passes over arrays on a CPU thread, and our decoder beside them.
fn on_cpu(context: &Context, doc_ids: &[u32], outcome: &mut Outcome) {
    let list = Arrays::new(doc_ids);
    let n = doc_ids.len() as f64 / 1e9;
    let mut table = Table::new(
        format!("One CPU thread, 2^{} docIDs: 10⁹ docIDs/s, and the share of each step in %", doc_ids.len().ilog2()),
        ["variant", "10⁹ docIDs/s", "unpack or count", "prefix sums", "gather", "lower bits", "combine"],
    );
    let mut rates = Vec::new();
    for (name, steps) in [("naive", &NAIVE[..]), ("block-based", &BLOCKS), ("merged", &MERGED)] {
        let mut buffers = Buffers::default();
        steps.iter().for_each(|(_, step)| step(&list, &mut buffers));
        assert!(buffers.uppers == doc_ids, "{name} decodes wrongly");
        let rounds: Vec<Vec<f64>> = (0..context.rounds())
            .map(|_| steps.iter().map(|(_, step)| seconds(|| step(&list, &mut buffers)).0).collect())
            .collect();
        let whole = Spread::of(&rounds, |times| times.iter().sum());
        let times = (0..steps.len()).map(|at| Spread::of(&rounds, |times| times[at]).median);
        let times: Vec<f64> = times.collect();
        let total: f64 = times.iter().sum();
        let rate = whole.rate(n);
        let shares = times.iter().map(|time| Cell::from(100.0 * time / total));
        table.row(name, [Cell::from(rate)].into_iter().chain(shares));
        rates.push(rate.median);
    }
    let ours = PostingList::encode(doc_ids, Codec::QuasiSuccinct).expect("docIDs");
    let mut out = Vec::with_capacity(doc_ids.len());
    let time = context.time(&mut || {
        out.clear();
        ours.decode_into(&mut out);
    });
    table.row("ours, by blocks", [Cell::from(time.rate(n))]);
    outcome.tables.push(table);
    outcome.finding(
        ("li-2014", "figure 11"),
        "The block-based variant is faster than the naive one, and merging makes it faster still (on one CPU thread)",
        rates[1] > rates[0] && rates[2] > rates[1],
        format!(
            "naive {:.3}, block-based {:.3}, merged {:.3}, ours {:.3} · 10⁹ docIDs/s (rule: in this order).",
            rates[0],
            rates[1],
            rates[2],
            time.rate(n).median
        ),
    );
}

/// The steps by kernel; launches of the same kernel count together.
const STEPS: [(&str, &[&str]); 5] = [
    ("unpack or count", &["qs_unpack", "qs_count"]),
    ("prefix sums", &["qs_scan", "qs_add"]),
    ("gather", &["qs_gather_bits", "qs_gather_words"]),
    ("lower bits", &["qs_lower"]),
    ("combine", &["qs_combine", "qs_lower_combine"]),
];

/// Kernel times of each round.
fn rounds(
    context: &Context,
    device: &Device,
    list: &RawList,
    doc_ids: &[u32],
    variant: ParallelQs,
    items: usize,
) -> Result<Vec<Round>, Failure> {
    let (rounds, decoded) = context.each_kernel(device, || device.parallel_qs(list, variant, items))?;
    assert!(decoded == doc_ids, "{} decodes wrongly", variant.name());
    Ok(rounds)
}

fn raw(doc_ids: &[u32]) -> Result<RawList, Failure> {
    Ok(RawList::from_bytes(&quasi_succinct::encode(doc_ids, 1.0)?)?)
}

fn by_step(context: &Context, device: &Device, doc_ids: &[u32], outcome: &mut Outcome) -> Result<(), Failure> {
    let list = raw(doc_ids)?;
    let n = doc_ids.len() as f64 / 1e9;
    let head = ["variant", "10⁹ docIDs/s"].into_iter().chain(STEPS.map(|(name, _)| name));
    let title = format!(
        "Device, kernels, 2^{} docIDs, work-groups of 256: 10⁹ docIDs/s, and the share of each step in %",
        doc_ids.len().ilog2()
    );
    let mut table = Table::new(title, head);
    let mut rates = Vec::new();
    for variant in ParallelQs::ALL {
        let rounds = rounds(context, device, &list, doc_ids, variant, 256)?;
        let whole = Spread::of(&rounds, |round| round.kernel_seconds(&[])).rate(n);
        let share = |kernels: &[&str]| {
            100.0 * Spread::of(&rounds, |round| round.kernel_seconds(kernels) / round.kernel_seconds(&[])).median
        };
        let shares = STEPS.map(|(_, kernels)| share(kernels));
        table.row(variant.name(), [Cell::from(whole)].into_iter().chain(shares.map(Cell::from)));
        if variant == ParallelQs::Blocks {
            let place = ("li-2014", "figure 10", "gather", "share of the time, %");
            outcome.beside("block-based, share of the gather, device, %", place, shares[2]);
            outcome.finding(
                ("li-2014", "figure 10"),
                "The gather takes most of the block-based variant's time",
                shares[2] > 50.0,
                format!("{:.0} % on the device (rule: over half; the thesis says 70 %).", shares[2]),
            );
        }
        rates.push(whole.median);
    }
    let ours = PostingList::encode(doc_ids, Codec::QuasiSuccinct)?;
    let (kernel, _) = context.kernels(device, || device.decode(&ours))?;
    table.row("ours, by blocks", [Cell::from(kernel.rate(n))]);
    outcome.tables.push(table);
    let place = ("li-2014", "table 2", "Parallel-QS (GPU)", "10⁹ docIDs/s");
    outcome.beside("merged, device, 10⁹ docIDs/s", place, rates[2]);
    outcome.finding(
        ("li-2014", "figure 11"),
        "The block-based variant is faster than the naive one, and merging makes it faster still",
        rates[1] > rates[0] && rates[2] > rates[1],
        format!(
            "on the device naive {:.2}, block-based {:.2}, merged {:.2}, ours {:.2} · 10⁹ docIDs/s (rule: in this order).",
            rates[0],
            rates[1],
            rates[2],
            kernel.rate(n).median
        ),
    );
    Ok(())
}

fn by_length(context: &Context, device: &Device, doc_ids: &[u32], outcome: &mut Outcome) -> Result<(), Failure> {
    let mut plot = Plot::new(
        "parallel-qs",
        "Parallel-QS, merged: speed by work-group and list length",
        "docIDs in the list",
        "10⁹ docIDs/s, kernels",
    );
    plot = plot.scales(Scale::Log2, Scale::Log10);
    let groups: Vec<usize> = [64, 128, 256].into_iter().filter(|items| ITEMS.contains(items)).collect();
    let mut curves: Vec<Vec<(f64, f64)>> = vec![Vec::new(); groups.len()];
    for log in (11..=doc_ids.len().ilog2()).step_by(if context.quick() { 4 } else { 2 }) {
        let doc_ids = &doc_ids[..1 << log];
        let list = raw(doc_ids)?;
        for (curve, &items) in curves.iter_mut().zip(&groups) {
            let rounds = rounds(context, device, &list, doc_ids, ParallelQs::Merged, items)?;
            let rate = Spread::of(&rounds, |round| round.kernel_seconds(&[])).rate(doc_ids.len() as f64 / 1e9);
            curve.push((doc_ids.len() as f64, rate.median));
        }
    }
    let mut table = Table::new(
        "Merged variant, kernels: 10⁹ docIDs/s by work-group",
        ["docIDs".to_owned()].into_iter().chain(groups.iter().map(|items| format!("{items} work-items"))),
    );
    for at in 0..curves[0].len() {
        table.row(format!("2^{:.0}", curves[0][at].0.log2()), curves.iter().map(|curve| curve[at].1));
    }
    let (first, last) = (0, curves[0].len() - 1);
    let at = |group: usize, point: usize| curves[group][point].1;
    outcome.finding(
        ("li-2014", "figure 14"),
        "Small work-groups are better for short lists, large ones for long lists",
        at(0, first) > at(2, first) && at(2, last) > at(0, last),
        format!(
            "64 against 256 work-items: {:.2} and {:.2} at the shortest, {:.2} and {:.2} · 10⁹ docIDs/s at the longest list \
             (rule: both; the thesis had 256 against 1,024).",
            at(0, first),
            at(2, first),
            at(0, last),
            at(2, last)
        ),
    );
    groups.iter().zip(curves).for_each(|(items, curve)| plot.curve(format!("{items} work-items"), curve));
    outcome.tables.push(table);
    outcome.plots.push(plot);
    Ok(())
}
