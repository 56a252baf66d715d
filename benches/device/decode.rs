//! Decoding: the longest lists compared with the memory's bounds, transfers, whole calls, and times by list length.

use super::support::clock::{alone, in_turns};
use super::support::{data, plot, report::Row, targets};
use super::{Bench, size_name};
use postings::{Codec, PostingList, Result};

/// The mean gap of the lists by length.
const MEAN: f64 = 8.0;

/// A curve of a plot.
type Curve = Vec<(f64, f64)>;

/// Lists of 2^10 to 2^log_max docIDs, all prefixes of the same list.
pub fn longest(bench: &mut Bench) -> Result<()> {
    let all = data::geometric(1 << bench.log_max, MEAN, 1);
    bench.report.note("lists by length", format!("gaps geometric, mean {MEAN}"));
    let mut logs: Vec<u32> = (10..bench.log_max).step_by(2).collect();
    logs.push(bench.log_max);
    for codec in Codec::ALL {
        let mut by_length = Lengths::default();
        for &log in &logs {
            let doc_ids = &all[..1 << log];
            let list = PostingList::encode(doc_ids, codec)?;
            let (kernel, decoded) = bench.kernel_time(|| bench.device.decode(&list))?;
            assert!(decoded == doc_ids, "{} docIDs of {}: device and input differ", doc_ids.len(), codec.name());
            drop(decoded);
            by_length.measure(bench, &list, kernel)?;
            if log == bench.log_max {
                rows(bench, &list, kernel, &by_length);
                transfers(bench, &list, kernel)?;
            }
        }
        let (on_device, on_cpu) =
            (format!("{}, device, kernel", codec.name()), format!("{}, CPU beside it", codec.name()));
        bench.report.curve(plot::decode_by_length(), &on_device, by_length.kernel);
        bench.report.curve(plot::decode_by_length(), &on_cpu, by_length.cpu);
        if codec == Codec::default() {
            crossover(bench, "list resident", &by_length.cpu_call, &by_length.resident);
            crossover(bench, "list sent", &by_length.cpu_call, &by_length.sent);
            bench.report.curve(plot::end_to_end(), &format!("{}, CPU beside it", codec.name()), by_length.cpu_call);
            bench.report.curve(
                plot::end_to_end(),
                &format!("{}, device, list resident", codec.name()),
                by_length.resident,
            );
            bench.report.curve(plot::end_to_end(), &format!("{}, device, list sent", codec.name()), by_length.sent);
            bench.report.curve(
                plot::end_to_end(),
                &format!("{}, device, kernel alone", codec.name()),
                by_length.kernel_time,
            );
        }
    }
    let ceiling = bench.ceilings.written_words / 1e9;
    let ends = [all.len() as f64, 1024.0].map(|n| (n, ceiling)).to_vec();
    bench.report.curve(plot::decode_by_length(), "write-only kernel", ends);
    Ok(())
}

/// Curves by list length n: rates in 10^9 docIDs/s, times in ms.
#[derive(Default)]
struct Lengths {
    kernel: Curve,
    kernel_time: Curve,
    cpu: Curve,
    cpu_call: Curve,
    resident: Curve,
    sent: Curve,
}

impl Lengths {
    fn measure(&mut self, bench: &Bench, list: &PostingList, kernel: f64) -> Result<()> {
        let n = list.len() as f64;
        let mut effort = bench.effort();
        if list.len() >= 1 << 26 {
            effort.samples = 3;
        }
        let mut buffer = Vec::new();
        let cpu = alone(effort, &mut || {
            buffer.clear();
            list.decode_into(&mut buffer);
        });
        drop(buffer);
        let device = &bench.device;
        let decoded = || drop(device.decode(list).unwrap_or_else(|error| panic!("{error}")));
        let calls = in_turns(effort, &mut [&mut || drop(std::hint::black_box(list.decode())), &mut || decoded()]);
        let sent = alone(effort, &mut || {
            device.forget_lists().unwrap_or_else(|error| panic!("{error}"));
            decoded();
        });
        self.kernel.push((n, n / kernel / 1e9));
        self.kernel_time.push((n, kernel * 1e3));
        self.cpu.push((n, n / cpu / 1e9));
        self.cpu_call.push((n, calls[0] * 1e3));
        self.resident.push((n, calls[1] * 1e3));
        self.sent.push((n, sent * 1e3));
        Ok(())
    }
}

/// The rows of the longest list.
fn rows(bench: &mut Bench, list: &PostingList, kernel: f64, curves: &Lengths) {
    let (n, codec) = (list.len() as f64, list.codec());
    let what = format!("{} {}", codec.name(), size_name(bench.log_max));
    let (ceiling, copied) = (bench.ceilings.written_words / 1e9, bench.ceilings.copied_bytes / 1e12);
    let row = Row::new(format!("{what}: decode, kernel"), n / kernel / 1e9, "G docIDs/s");
    let row = row.peer("write-only kernel", ceiling);
    let row = match targets::kernel(codec) {
        Some((rate, Some(share))) => row.at_least(rate).ratio_at_least(share),
        Some((rate, None)) => row.at_least(rate),
        None => row,
    };
    let moved = list.size() as f64 + 4.0 * n;
    let last = |curve: &Curve| curve.last().map_or(f64::NAN, |point| point.1);
    let rate = |time: f64| n / time / 1e6;
    let bits = 8.0 * list.size() as f64 / n;
    let (cpu_call, resident, sent) = (last(&curves.cpu_call), last(&curves.resident), last(&curves.sent));
    let rows = [
        row.only_if(bench.full_size()),
        Row::new(format!("{what}: size"), bits, "bits/docID").peer("u32", 32.0),
        Row::new(format!("{what}: decode, kernel, bytes moved"), moved / kernel / 1e12, "TB/s")
            .peer("copy kernel", copied),
        Row::new(format!("{what}: decode, CPU, one thread, to memory in use"), last(&curves.cpu), "G docIDs/s"),
        Row::new(format!("{what}: decode, whole call, list resident"), rate(resident), "G docIDs/s")
            .peer("CPU, whole call", rate(cpu_call)),
        Row::new(format!("{what}: decode, whole call, list sent"), rate(sent), "G docIDs/s")
            .peer("CPU, whole call", rate(cpu_call)),
    ];
    rows.into_iter().for_each(|row| bench.report.add(row));
}

/// Transfer speeds: sending is the time of a count with the list sent minus one with it resident; reading back is the
/// time of a decode minus its kernel.
fn transfers(bench: &mut Bench, list: &PostingList, kernel: f64) -> Result<()> {
    let device = &bench.device;
    let query = [vec![list.clone()]];
    let samples = bench.samples();
    device.intersect_count_batch(&query)?;
    let there = bench.call_time(samples, || device.intersect_count_batch(&query))?;
    let sent = bench.call_time(samples, || {
        device.forget_lists()?;
        device.intersect_count_batch(&query)
    })?;
    let whole = bench.call_time(samples, || device.decode(list))?;
    let what = format!("{} {}", list.codec().name(), size_name(bench.log_max));
    if sent < 1.05 * there {
        bench.report.note(&format!("{what}: sending the list"), "not told apart from the work on it");
        return Ok(());
    }
    let upload = list.size() as f64 / (sent - there) / 1e9;
    let back = 4.0 * list.len() as f64 / (whole - kernel).max(1e-9) / 1e9;
    bench.report.add(Row::new(format!("{what}: sending the list"), upload, "GB/s"));
    bench
        .report
        .add(Row::new(format!("{what}: reading docIDs back to fresh memory"), back, "GB/s").peer("sending it", upload));
    Ok(())
}

/// The n from which on the device is faster, interpolated between the measured lengths.
fn crossover(bench: &mut Bench, what: &str, cpu: &Curve, device: &Curve) {
    let ahead = |at: usize| (cpu[at].1 / device[at].1).ln();
    // The last length at which the CPU is faster; the device is faster for all longer ones.
    let behind = (0..cpu.len()).rev().find(|&at| ahead(at) < 0.0);
    let name = format!("crossover of whole decode calls, {what}");
    match behind {
        None => bench.report.add(Row::new(name, cpu[0].0, "docIDs or less")),
        Some(at) if at + 1 == cpu.len() => {
            bench.report.note(&name, format!("none up to {} docIDs", cpu[at].0));
        }
        Some(at) => {
            let share = ahead(at) / (ahead(at) - ahead(at + 1));
            let n = cpu[at].0.powf(1.0 - share) * cpu[at + 1].0.powf(share);
            bench.report.add(Row::new(name, n.round(), "docIDs"));
        }
    }
}

/// Kernel rates by mean gap: a list of 2^24 docIDs, for gaps that fit in 32 bits, and one of 2^20.
pub fn by_gap(bench: &mut Bench) -> Result<()> {
    for log in [24, 20].map(|log: u32| log.min(bench.log_max)) {
        let mut curves: [Curve; Codec::COUNT] = Default::default();
        let mut cpu: [Curve; Codec::COUNT] = Default::default();
        let mut buffer = Vec::new();
        for log_mean in 0..(32 - log).min(17) {
            let mean = f64::from(log_mean).exp2();
            let doc_ids = data::geometric(1 << log, mean * 0.99f64.max(1.0 / mean), 2);
            for (at, codec) in Codec::ALL.into_iter().enumerate() {
                let list = PostingList::encode(&doc_ids, codec)?;
                let (kernel, decoded) = bench.kernel_time(|| bench.device.decode(&list))?;
                assert!(decoded == doc_ids, "mean gap {mean}: device and input differ");
                curves[at].push((mean, doc_ids.len() as f64 / kernel / 1e9));
                let time = alone(bench.effort(), &mut || {
                    buffer.clear();
                    list.decode_into(&mut buffer);
                });
                cpu[at].push((mean, doc_ids.len() as f64 / time / 1e9));
            }
        }
        let n = size_name(log);
        for (codec, (device, cpu)) in Codec::ALL.into_iter().zip(curves.into_iter().zip(cpu)) {
            bench.report.curve(plot::decode_by_gap(), &format!("{}, {n}, device, kernel", codec.name()), device);
            if log != 24 {
                bench.report.curve(plot::decode_by_gap(), &format!("{}, {n}, CPU beside it", codec.name()), cpu);
            }
        }
        if bench.log_max <= 20 {
            break;
        }
    }
    Ok(())
}
