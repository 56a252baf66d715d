//! The device: how near do kernels come to the bounds of its memory, what do transfers and whole calls cost, from where
//! on is it faster than the CPU, and does `postings.offload=auto` know that?
//!
//!     cargo bench --no-default-features --bench device -- --device NAME [--log-max N] [--out DIR] [--quick]
//!
//! The binary that cargo builds for it is self-contained and can be carried to another machine. Lists are generated: see
//! `support/data.rs`; the longest has 2^N docIDs (28; fewer on small devices, 20 on a CPU's driver). Every result is compared with the CPU's once. Kernel times are medians of what OpenCL events say,
//! lists resident; end-to-end times are medians of whole calls, from a list in host memory to docIDs in host memory.

mod auto;
mod decode;
mod intersect;
#[path = "../support/mod.rs"]
mod support;
mod yioop;

use postings::device::{self, Ceilings, Device};
use postings::engine::{Offload, Settings};
use postings::{Codec, PostingList};
use std::panic::AssertUnwindSafe;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use support::args::Args;
use support::clock::{Effort, median, seconds};
use support::data;
use support::report::{Report, Row};

const USAGE: &str = "device --device NAME [--log-max N] [--out DIR] [--quick]";

/// What the parts of this bench share.
struct Bench {
    device: Arc<Device>,
    selector: String,
    log_max: u32,
    quick: bool,
    ceilings: Ceilings,
    report: Report,
    began: Instant,
    /// Parts that failed.
    failed: usize,
}

fn main() {
    let args = Args::read(USAGE);
    let selector = args.device.clone().unwrap_or_else(|| "none".into());
    if args.child.is_some() {
        return first_call(&selector);
    }
    let device = match device::select(&selector) {
        Ok(Some(device)) => device,
        Ok(None) => return println!("No device ({selector}); name one with --device. Nothing measured."),
        Err(error) => return println!("{selector}: {error}. Nothing measured."),
    };
    if let Err(error) = run(&args, selector, device) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run(args: &Args, selector: String, device: Arc<Device>) -> Result<(), Failure> {
    let info = device.info();
    let mut report = Report::here();
    report.note("device", format!("{} / {}, {} compute units", info.platform, info.name, info.compute_units));
    report.note("device memory", format!("{:.1} GiB", info.global_memory as f64 / (1u64 << 30) as f64));
    report.note("OpenCL", info.version.clone());
    if let Ok(driver) = std::fs::read_to_string("/proc/driver/nvidia/version") {
        report.note("driver", driver.lines().next().unwrap_or_default());
    }
    report.note("seed", data::SEED.to_string());
    let log_max = args.log_max.unwrap_or(match info.kind.as_str() {
        "CPU" => 20,
        _ if info.global_memory < 16 << 30 => 24,
        _ => 28,
    });
    report.note("longest list", format!("2^{log_max} docIDs"));
    let words = 1 << log_max;
    let ceilings = device.ceilings(words)?;
    let mut bench =
        Bench { device, selector, log_max, quick: args.quick, ceilings, report, began: Instant::now(), failed: 0 };
    bench.report.add(Row::new("copy kernel (read + write)", ceilings.copied_bytes / 1e12, "TB/s"));
    bench.report.add(Row::new("write-only kernel", ceilings.written_words / 1e9, "G u32/s"));
    bench.part("first calls", Bench::first_calls);
    bench.part("decoding by length", decode::longest);
    bench.part("decoding by mean gap", decode::by_gap);
    bench.part("Yioop's doc indexes", yioop::doc_indexes);
    bench.part("intersections of two lists", intersect::pairs);
    bench.part("intersections by length ratio", intersect::by_ratio);
    bench.part("a batch of queries", intersect::batch);
    bench.part("offload=auto", auto::grid);
    let total = format!("{:.0} s", bench.began.elapsed().as_secs_f64());
    bench.report.note("run time", total);
    bench.report.finish("device", &args.out)?;
    match bench.failed {
        0 => Ok(()),
        failed => Err(format!("{failed} parts failed").into()),
    }
}

/// What a part says where it fails.
type Failure = Box<dyn std::error::Error>;

impl Bench {
    fn settings(&self, offload: Offload) -> Settings {
        Settings { device: self.selector.clone(), offload, ..Settings::default() }
    }

    /// Whether the run is of the size that the targets are for.
    fn full_size(&self) -> bool {
        self.log_max == 28
    }

    /// Launches, or calls, of which the median counts.
    fn samples(&self) -> usize {
        if self.quick { 3 } else { 7 }
    }

    fn effort(&self) -> Effort {
        Effort { samples: if self.quick { 3 } else { 5 }, sample: 0.004 }
    }

    /// Runs a part and says how it went: a part that fails, or panics as a result is wrong, leaves the others alone.
    fn part<E: Into<Failure>>(&mut self, name: &str, part: fn(&mut Bench) -> Result<(), E>) {
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| part(self).map_err(Into::into)));
        let failure = match result {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("panicked".to_owned()),
        };
        if let Some(failure) = failure {
            self.failed += 1;
            self.report.note(&format!("FAILED: {name}"), failure);
        }
        println!("    [{:.0} s: {name}]", self.began.elapsed().as_secs_f64());
    }

    /// Median seconds that the kernels of a call take, and what its first call gives, which is not timed. A kernel that
    /// a call launches twice, as its first output was too small, counts once.
    fn kernel_time<T>(&self, mut call: impl FnMut() -> postings::Result<T>) -> postings::Result<(f64, T)> {
        let result = call()?;
        self.device.set_profiling(true);
        let mut times = Vec::new();
        for _ in 0..self.samples() {
            self.device.take_kernel_times()?;
            drop(call()?);
            let mut last: Vec<device::KernelTime> = Vec::new();
            for time in self.device.take_kernel_times()? {
                last.retain(|known| known.kernel != time.kernel);
                last.push(time);
            }
            assert!(!last.is_empty(), "the call launched no kernel");
            times.push(last.iter().map(|time| time.nanoseconds as f64 * 1e-9).sum());
        }
        self.device.set_profiling(false);
        Ok((median(&mut times), result))
    }

    /// Median seconds of a call that may fail.
    fn call_time<T>(&self, samples: usize, mut call: impl FnMut() -> postings::Result<T>) -> postings::Result<f64> {
        let mut times = Vec::new();
        for _ in 0..samples {
            let (time, result) = seconds(&mut call);
            result?;
            times.push(time);
        }
        Ok(median(&mut times))
    }

    /// What the first calls of a new process cost, with and without kept programs: measured in processes of their own.
    fn first_calls(&mut self) -> Result<(), Failure> {
        let folder = std::env::temp_dir().join(format!("postings-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let child = |cold: bool| -> Result<Vec<f64>, Failure> {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["--device", &self.selector, "--child", "first-call"]).env("POSTINGS_CACHE_DIR", &folder);
            if cold {
                // NVIDIA's driver keeps programs too.
                command.env("CUDA_CACHE_DISABLE", "1");
            }
            let output = command.output()?;
            let text = String::from_utf8(output.stdout)?;
            text.split_whitespace().map(|number| Ok(number.parse()?)).collect()
        };
        let runs = || -> Result<_, Failure> {
            let cold = child(true)?;
            let warm: Vec<Vec<f64>> = (0..3).map(|_| child(false)).collect::<Result<_, _>>()?;
            Ok((cold, warm))
        };
        let found = runs();
        std::fs::remove_dir_all(&folder)?;
        let (cold, warm) = found?;
        if cold.len() != 3 || warm.iter().any(|run| run.len() != 3) {
            return Err("the child process for first calls failed".into());
        }
        let middle = |index: usize| median(&mut warm.iter().map(|run| run[index] * 1e3).collect::<Vec<_>>());
        let rows = [
            Row::new("new process: finding and opening the device", middle(0), "ms"),
            Row::new("new process: first decode, no program kept", cold[1] * 1e3, "ms"),
            Row::new("new process: first decode, program kept", middle(1), "ms").at_most(50.0),
            Row::new("new process: second decode", middle(2), "ms"),
        ];
        rows.into_iter().for_each(|row| self.report.add(row));
        Ok(())
    }
}

/// The child's part: opens the device, decodes a small list twice, prints seconds.
fn first_call(selector: &str) {
    let doc_ids = data::geometric(100_000, 8.0, 5);
    let list = PostingList::encode(&doc_ids, Codec::default()).expect("rising docIDs");
    let (open, device) = seconds(|| device::select(selector));
    let Ok(Some(device)) = device else { return };
    for (index, (time, decoded)) in [(); 2].map(|()| seconds(|| device.decode(&list))).into_iter().enumerate() {
        assert!(decoded.is_ok_and(|decoded| decoded == doc_ids));
        if index == 0 {
            print!("{open} ");
        }
        print!("{time} ");
    }
}

/// 2^10 → `1K`, 2^24 → `16M`.
fn size_name(log: u32) -> String {
    match log {
        0..10 => (1u32 << log).to_string(),
        10..20 => format!("{}K", 1u32 << (log - 10)),
        _ => format!("{}M", 1u64 << (log - 20)),
    }
}
