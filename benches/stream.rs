//! A stream of queries that arrive at random: how many a second, before one in a thousand misses its deadline, if the CPU
//! answers them alone, the device alone, or both under the scheduler (Ding et al. 2009, figure 7, for real)?
//!
//!     cargo bench --no-default-features --features lab --bench stream -- --device NAME [--index DIR --queries FILE] [--documents N]
//!
//! `DIR` is an index with one text field, `FILE` has a query a line; `--documents` generates a collection instead, as
//! `ranked` does. The queries come again and again as a Poisson process, the same in every run. A query's time is from
//! when it was to arrive until its answer was taken: one thread pushes and one takes, beside the threads of the stream
//! (`--threads`, as `postings.threads`). First a stream gets as many queries as it takes, for `--seconds` (2); by this
//! rate, rates are tried for as long each. A rate that is reported is that of the answers until the last one was taken,
//! which is lower than that of the arrivals if a backlog has grown. `--deadline` is in milliseconds (500). Some answers
//! are compared with the CPU's, to the last bit. All takes about two minutes.

#[path = "support/clock.rs"]
#[allow(dead_code)]
mod clock;
#[path = "support/generated.rs"]
mod generated;
#[path = "../tests/common/random.rs"]
mod random;

use clock::seconds;
use generated::{generate, zipf_queries};
use postings::engine::schedule::{Cost, Job, Policy, Queue};
use postings::engine::stream::{Stream, Taken};
use postings::engine::{self, Offload, Settings};
use postings::search::{Found, Index, Matching, Options};
use random::Random;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The share of the sum of what CPU and device answer alone that both are to answer together.
const OF_SUM: f64 = 0.9;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Queries that may be on their way.
const CAPACITY: usize = 1 << 20;
/// The share of queries that may be late.
const LATE: f64 = 1e-3;
/// Rates that are tried.
const TRIALS: usize = 6;

struct Args {
    device: String,
    index: Option<PathBuf>,
    queries: Option<PathBuf>,
    documents: Option<u64>,
    threads: usize,
    deadline: Duration,
    seconds: f64,
}

fn args() -> Result<Args> {
    let mut args = Args {
        device: "auto".into(),
        index: None,
        queries: None,
        documents: None,
        threads: 0,
        deadline: Duration::from_millis(500),
        seconds: 2.0,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--bench" => {}
            "--device" => args.device = value()?,
            "--index" => args.index = Some(value()?.into()),
            "--queries" => args.queries = Some(value()?.into()),
            "--documents" => args.documents = Some(value()?.parse()?),
            "--threads" => args.threads = value()?.parse()?,
            "--deadline" => args.deadline = Duration::from_millis(value()?.parse()?),
            "--seconds" => args.seconds = value()?.parse()?,
            other => return Err(format!("{other}: no such option").into()),
        }
    }
    Ok(args)
}

fn main() -> Result<()> {
    let args = args()?;
    match (&args.index, &args.queries, args.documents) {
        (Some(index), Some(queries), _) => {
            let index = Index::open(index)?;
            let queries: Vec<String> = std::fs::read_to_string(queries)?.lines().map(str::to_owned).collect();
            Bench::new(&args, &index, &queries)?.measure()
        }
        (None, None, Some(documents)) => {
            let folder = std::env::temp_dir().join(format!("postings-stream-{}", std::process::id()));
            let (time, made) = seconds(|| generate(&folder, documents, 1));
            println!("{documents} documents generated in {time:.1} s");
            let queries = zipf_queries(10_000);
            let measured = made.and_then(|index| Bench::new(&args, &index, &queries)?.measure());
            let _ = std::fs::remove_dir_all(&folder);
            measured
        }
        (None, None, None) => {
            println!(
                "Nothing to search: name --index DIR --queries FILE, or --documents N, or run `make bench-stream`."
            );
            Ok(())
        }
        _ => Err("--index and --queries belong together".into()),
    }
}

struct Bench<'b> {
    args: &'b Args,
    index: &'b Index,
    /// The queries twice, so that any part of as many is in one piece.
    queries: Vec<&'b str>,
}

/// What came of some seconds.
struct Outcome {
    /// Answers a second, until the last one was taken.
    rate: f64,
    /// The share of queries that were late, or not begun.
    late: f64,
    /// Milliseconds: the mean, and what one query in a hundred exceeds.
    mean: f64,
    high: f64,
}

impl<'b> Bench<'b> {
    fn new(args: &'b Args, index: &'b Index, queries: &'b [String]) -> Result<Bench<'b>> {
        if queries.is_empty() {
            return Err("there are no queries".into());
        }
        let queries = queries.iter().chain(queries).map(|query| &**query).collect();
        Ok(Bench { args, index, queries })
    }

    fn distinct(&self) -> usize {
        self.queries.len() / 2
    }

    fn measure(&self) -> Result<()> {
        let (documents, segments) = (self.index.documents(), self.index.snapshot().parts().len());
        let threads = match self.args.threads {
            0 => std::thread::available_parallelism()?.get(),
            threads => threads,
        };
        println!(
            "{documents} documents in {segments} segments, {} queries, {threads} threads, deadline {:?}",
            self.distinct(),
            self.args.deadline
        );
        costs_of_scheduling();
        self.costs_of_pushing()?;
        for (name, matching) in [("AND", Matching::All), ("OR", Matching::Any)] {
            println!("\n{name}, top 10");
            let ways = [("CPU only", Offload::Never), ("device only", Offload::Always), ("both", Offload::Auto)];
            let mut rates = Vec::new();
            for (way, offload) in ways {
                rates.push(self.highest(way, matching, offload)?);
            }
            if let [Some(cpu), Some(device), Some(both)] = rates[..] {
                let share = both / (cpu + device);
                let met = if share >= OF_SUM { "" } else { ": missed" };
                println!("both / (CPU only + device only): {share:.2}, target {OF_SUM}{met}");
            }
        }
        Ok(())
    }

    fn stream(&self, matching: Matching, offload: Offload, deadline: Option<Duration>) -> Result<Stream> {
        let device = self.args.device.clone();
        let settings = Settings { device, offload, threads: self.args.threads, ..Settings::default() };
        let options = Options { matching, deadline, ..Options::default() };
        Ok(Stream::new(self.index, &options, &settings, CAPACITY)?)
    }

    /// The highest rate that is kept up with; `None` if a device was to answer and none did.
    fn highest(&self, way: &str, matching: Matching, offload: Offload) -> Result<Option<f64>> {
        let before = engine::stats();
        let compared = self.compare(matching, offload)?;
        let (saturated, cores) = self.saturated(matching, offload)?;
        let of_device = engine::stats().device_calls - before.device_calls;
        println!(
            "{way:12} {saturated:9.0} q/s at most, by {cores:.1} cores; {compared} answers are the CPU's, {of_device} calls of devices"
        );
        if offload != Offload::Never && of_device == 0 {
            println!("{way:12} no device has answered anything ({}): not measured", self.args.device);
            return Ok(None);
        }
        let (mut low, mut high, mut best) = (0.0, f64::INFINITY, None::<Outcome>);
        let mut rate = 0.9 * saturated;
        for _ in 0..TRIALS {
            let outcome = self.trial(matching, offload, rate)?;
            println!(
                "{:12} {rate:9.0} q/s arrive, {:9.0} are answered; late {:.3} %; {:.1} ms on average, one in a hundred {:.1}",
                "",
                outcome.rate,
                100.0 * outcome.late,
                outcome.mean,
                outcome.high
            );
            if outcome.late <= LATE {
                low = rate;
                if best.as_ref().is_none_or(|best| outcome.rate > best.rate) {
                    best = Some(outcome);
                }
            } else {
                high = rate;
            }
            rate = match () {
                () if high.is_infinite() => 1.25 * low,
                () if low == 0.0 => 0.7 * high,
                () => (low * high).sqrt(),
            };
        }
        let Some(best) = best else {
            println!("{way:12} every rate was too high");
            return Ok(None);
        };
        println!("{way:12} {:9.0} q/s are kept up with", best.rate);
        let failures = engine::stats().device_failures - before.device_failures;
        if failures > 0 {
            return Err(format!("{way}: the device failed {failures} times").into());
        }
        Ok(Some(best.rate))
    }

    /// Compares some answers of all queries, which sends their lists. Returns how many.
    fn compare(&self, matching: Matching, offload: Offload) -> Result<usize> {
        let stream = self.stream(matching, offload, None)?;
        let distinct = self.distinct();
        let tickets = stream.push_all(&self.queries[..distinct])?;
        let step = distinct.div_ceil(300);
        let (mut compared, mut taken) = (0, 0);
        let options = Options { matching, ..Options::default() };
        while taken < distinct {
            for (ticket, found) in take(&stream)? {
                let at = (ticket - tickets.start) as usize;
                taken += 1;
                if at.is_multiple_of(step) {
                    compared += 1;
                    if found != self.index.search(self.queries[at], &options)? {
                        return Err(format!("{}: not what the CPU finds", self.queries[at]).into());
                    }
                }
            }
        }
        Ok(compared)
    }

    /// Answers a second if there are always some thousand queries to be answered, and how many cores they keep busy.
    fn saturated(&self, matching: Matching, offload: Offload) -> Result<(f64, f64)> {
        const AHEAD: usize = 60_000;
        const AT_ONCE: usize = 2_000;
        let stream = self.stream(matching, offload, None)?;
        let (began, busy, mut answered, mut next) = (Instant::now(), processor_time(), 0, 0);
        while began.elapsed().as_secs_f64() < self.args.seconds {
            while stream.untaken() < AHEAD {
                let at = next % self.distinct();
                let queries = &self.queries[at..self.queries.len().min(at + AT_ONCE)];
                stream.push_all(queries)?;
                next += queries.len();
            }
            answered += take(&stream)?.len();
        }
        let time = began.elapsed().as_secs_f64();
        Ok((answered as f64 / time, (processor_time() - busy) / time))
    }

    /// Some seconds of queries that arrive at random, so many a second on average.
    fn trial(&self, matching: Matching, offload: Offload, rate: f64) -> Result<Outcome> {
        let stream = self.stream(matching, offload, Some(self.args.deadline))?;
        // What threads and devices need to start is not counted, and nor is the ticket of this query.
        stream.push(self.queries[0])?;
        while stream.untaken() > 0 {
            take(&stream)?;
        }
        let mut random = Random(91);
        let mut at = 0.0;
        let arrival = || {
            let unit = ((random.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            at += -unit.ln() / rate;
            at
        };
        let arrivals: Vec<f64> =
            std::iter::repeat_with(arrival).take_while(|&at| at < self.args.seconds).take(CAPACITY << 3).collect();
        let began = Instant::now();
        let stop = AtomicBool::new(false);
        let (mut times, mut late, mut end) = (Vec::with_capacity(arrivals.len()), 0usize, 0.0);
        std::thread::scope(|scope| -> Result<()> {
            let pushing = scope.spawn(|| self.push(&stream, &arrivals, began, &stop));
            while times.len() < arrivals.len() && !pushing_failed(&pushing, &times, &arrivals, &stream) {
                let found = take(&stream).inspect_err(|_| stop.store(true, Relaxed))?;
                let now = began.elapsed().as_secs_f64();
                for (ticket, found) in found {
                    let time = now - arrivals[ticket as usize - 1];
                    late += usize::from(found.expired || time > self.args.deadline.as_secs_f64());
                    times.push(time);
                }
                end = now;
            }
            pushing.join().map_err(|_| "the thread that pushes has panicked")?.map_err(|error| error.to_string())?;
            Ok(())
        })?;
        times.sort_unstable_by(f64::total_cmp);
        // What a full stream has refused is late.
        let refused = arrivals.len() - times.len();
        let count = times.len().max(1) as f64;
        Ok(Outcome {
            rate: (times.len() - late) as f64 / end.max(self.args.seconds),
            late: (late + refused) as f64 / arrivals.len().max(1) as f64,
            mean: 1e3 * times.iter().sum::<f64>() / count,
            high: 1e3 * times.get(times.len() * 99 / 100).copied().unwrap_or(0.0),
        })
    }

    /// Pushes each query when it is to arrive, together with those that are due by then, unless the stream is full.
    fn push(&self, stream: &Stream, arrivals: &[f64], began: Instant, stop: &AtomicBool) -> postings::Result<()> {
        const NAP: Duration = Duration::from_micros(50);
        let mut pushed = 0;
        while pushed < arrivals.len() && !stop.load(Relaxed) {
            let now = began.elapsed().as_secs_f64();
            let due = arrivals[pushed..].partition_point(|&at| at <= now).min(self.distinct());
            if due == 0 {
                std::thread::sleep(NAP);
                continue;
            }
            let at = pushed % self.distinct();
            match stream.push_all(&self.queries[at..at + due]) {
                Err(postings::Error::Full(_)) => return Ok(()),
                pushed => pushed?,
            };
            pushed += due;
        }
        Ok(())
    }

    fn costs_of_pushing(&self) -> Result<()> {
        const COUNT: usize = 200_000;
        for at_once in [1, 256] {
            let stream = self.stream(Matching::All, Offload::Never, Some(Duration::ZERO))?;
            let calls = COUNT / at_once;
            let of_call = |call: usize| {
                let at = call * at_once % self.distinct();
                &self.queries[at..self.queries.len().min(at + at_once)]
            };
            let (time, pushed) = seconds(|| (0..calls).try_for_each(|call| stream.push_all(of_call(call)).map(drop)));
            pushed?;
            println!(
                "a query that is pushed takes {:.0} ns in calls of {at_once}",
                1e9 * time / (calls * at_once) as f64
            );
        }
        Ok(())
    }
}

/// The seconds that all threads of this process have run.
fn processor_time() -> f64 {
    // SAFETY: all bits zero are a valid value, which is then written to.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Whether the thread that pushes has ended before it has pushed everything, and what it has pushed is done.
fn pushing_failed<T>(
    pushing: &std::thread::ScopedJoinHandle<'_, T>,
    times: &[f64],
    arrivals: &[f64],
    stream: &Stream,
) -> bool {
    pushing.is_finished() && times.len() < arrivals.len() && stream.untaken() == 0
}

fn take(stream: &Stream) -> Result<Vec<(u64, Found)>> {
    match stream.take(usize::MAX, Duration::from_millis(20))? {
        Taken::Found(found) => {
            if found.is_empty() {
                std::thread::sleep(Duration::from_micros(50));
            }
            Ok(found)
        }
        Taken::Failed { ticket, error } => Err(format!("query {ticket}: {error}").into()),
    }
}

/// What the scheduler needs for a query of a device, and for one of the CPU, while some thousand wait. They come as many at once as
/// a thread prepares.
fn costs_of_scheduling() {
    const WAITING: u64 = 20_000;
    const AT_ONCE: u64 = 64;
    const QUERIES: u64 = 10_000 / AT_ONCE * AT_ONCE;
    let mut queue = Queue::new(Policy { threads: 15, longest: 1e12, ..Policy::default() });
    let mut random = Random(7);
    let mut id = 0;
    let mut push = |queue: &mut Queue<u64>| {
        let job = |id: u64| {
            let cost = Cost { cpu: 1e4 + random.below(200_000) as f64, device: 1e3 + random.below(3000) as f64 };
            Job { query: id, cost, arrived: 2_000 * id, deadline: 2_000 * id + 500_000_000 }
        };
        queue.push((id..id + AT_ONCE).map(job));
        id += AT_ONCE;
        2_000 * id
    };
    for _ in 0..WAITING / AT_ONCE {
        push(&mut queue);
    }
    let [mut of_device, mut of_cpu] = [0.0; 2];
    for _ in 0..20 {
        of_device += seconds(|| {
            let now = (0..QUERIES / AT_ONCE).map(|_| push(&mut queue)).last().unwrap_or_default();
            queue.for_device(now).len()
        })
        .0;
        of_cpu += seconds(|| {
            for _ in 0..QUERIES / AT_ONCE {
                let now = push(&mut queue);
                (0..AT_ONCE).for_each(|_| _ = queue.for_cpu(now, true));
            }
        })
        .0;
    }
    let [of_device, of_cpu] = [of_device, of_cpu].map(|time| 1e9 * time / (20 * QUERIES) as f64);
    println!("the scheduler takes {of_device:.0} ns for a query of a device, {of_cpu:.0} ns for one of the CPU");
}
