//! Compares `postings.offload=auto` with `always` and `never`, over a grid of lengths, numbers of lists and batch
//! sizes, with lists that are resident in device memory and with lists that have to be sent.

use super::support::clock::seconds;
use super::support::{data, report::Row};
use super::{Bench, size_name};
use postings::engine::{self, Offload, Settings};
use postings::{Codec, PostingList, Result};

/// What a cell of the grid measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Decodes one list.
    Decode,
    /// Intersects that many lists of equal length, for each query.
    Equal(usize),
    /// Intersects a list with one 64 times as long, for each query.
    Skewed,
}

impl Shape {
    fn name(self) -> String {
        match self {
            Shape::Decode => "decode".into(),
            Shape::Equal(count) => format!("{count} lists"),
            Shape::Skewed => "1:64, shorter".into(),
        }
    }
}

/// The most docIDs in all lists of a call, so that even the slower setting takes only a fraction of a second.
const LARGEST: usize = 1 << 26;
/// Calls shorter than this many seconds are repeated within a timing. No device call is as short.
const SHORT: f64 = 20e-6;
/// A choice counts as good if it takes at most this many times as long as the better one.
const NEAR: f64 = 1.1;
/// The most measurements of a cell.
const ATTEMPTS: usize = 3;
/// The most different lists of one length.
const POOL: usize = 24;

/// One cell of the grid: a call and its times.
struct Cell {
    name: String,
    auto: f64,
    always: f64,
    never: f64,
}

impl Cell {
    /// How many times as long as the better of `always` and `never` the setting `auto` takes.
    fn excess(&self) -> f64 {
        self.auto / self.always.min(self.never)
    }
}

pub fn grid(bench: &mut Bench) -> Result<()> {
    let logs = [8, 11, 14, 17, 20, 23].into_iter().filter(|&log| log + 3 <= bench.log_max);
    let auto = bench.settings(Offload::Auto);
    let (time, ready) = seconds(|| engine::prepare(&auto));
    if ready? {
        bench.report.add(Row::new(
            "offload=auto: measuring the machine, or loading what was measured",
            time * 1e3,
            "ms",
        ));
    }
    let mut cells = Vec::new();
    for log in logs {
        let pool = lists(log, POOL.min(LARGEST >> log).max(4))?;
        let longer = if log + 6 <= 24.min(bench.log_max) { lists(log + 6, 4)? } else { Vec::new() };
        for shape in [Shape::Decode, Shape::Equal(2), Shape::Equal(4), Shape::Skewed] {
            for batch in [1, 32, 1024] {
                let queries: Vec<Vec<PostingList>> =
                    (0..batch).map(|query| lists_of(shape, query, &pool, &longer)).collect();
                let total: usize = queries.iter().flatten().map(PostingList::len).sum();
                let pointless = shape == Shape::Decode && batch > 1 || shape == Shape::Skewed && longer.is_empty();
                if pointless || total > LARGEST {
                    continue;
                }
                for sent in [false, true] {
                    let name = format!(
                        "{} of {}, batch of {batch}, {}",
                        shape.name(),
                        size_name(log),
                        if sent { "sent" } else { "resident" }
                    );
                    cells.push(cell(bench, name, shape, &queries, sent)?);
                }
            }
        }
    }
    let near = cells.iter().filter(|cell| cell.excess() <= NEAR).count();
    let total = cells.len();
    println!("    cells of offload=auto, ms: auto, always, never, auto / better");
    for cell in &cells {
        let [auto, always, never] = [cell.auto, cell.always, cell.never].map(|time| time * 1e3);
        println!("    {:<44} {auto:>10.4} {always:>10.4} {never:>10.4} {:>6.2}", cell.name, cell.excess());
    }
    let Some(worst) = cells.iter().max_by(|a, b| a.excess().total_cmp(&b.excess())) else { return Ok(()) };
    bench.report.note("offload=auto: worst cell", worst.name.clone());
    let rows = [
        Row::new(
            format!("offload=auto: of {total} cells, within 10 % of the better"),
            near as f64 / total as f64,
            "share",
        )
        .at_least(0.9),
        Row::new("offload=auto: worst cell, time / the better's", worst.excess(), "×").at_most(1.5),
    ];
    rows.into_iter().for_each(|row| bench.report.add(row));
    for (name, pick) in [("always", (|cell| cell.always) as fn(&Cell) -> f64), ("never", |cell| cell.never)] {
        let mean = cells.iter().map(|cell| (pick(cell) / cell.auto).ln()).sum::<f64>() / total as f64;
        bench.report.add(Row::new(format!("offload=auto: times as fast as {name}, geometric mean"), mean.exp(), "×"));
    }
    Ok(())
}

/// `count` lists of 2^log docIDs, mean gap 16.
fn lists(log: u32, count: usize) -> Result<Vec<PostingList>> {
    (0..count as u64)
        .map(|k| PostingList::encode(&data::geometric(1 << log, 16.0, 300 + u64::from(log) * 64 + k), Codec::default()))
        .collect()
}

fn lists_of(shape: Shape, query: usize, pool: &[PostingList], longer: &[PostingList]) -> Vec<PostingList> {
    let from = |pool: &[PostingList], k: usize| pool.get((query * 5 + k) % pool.len().max(1)).cloned();
    match shape {
        Shape::Decode => from(pool, 0).into_iter().collect(),
        Shape::Equal(count) => (0..count).filter_map(|k| from(pool, k)).collect(),
        Shape::Skewed => from(pool, 0).into_iter().chain(from(longer, 0)).collect(),
    }
}

/// Measures the three settings in turns, so that disturbances affect all of them. Each turn begins with a different
/// setting, because what ran before may matter. The shortest time of each setting counts. If `auto` seems to choose
/// badly, all three are measured longer.
fn cell(bench: &Bench, name: String, shape: Shape, queries: &[Vec<PostingList>], sent: bool) -> Result<Cell> {
    let settings = [Offload::Auto, Offload::Always, Offload::Never].map(|offload| bench.settings(offload));
    let call = |settings: &Settings| match shape {
        Shape::Decode => engine::decode(&queries[0][0], settings),
        _ => engine::intersect_batch(queries, settings).expect("memory").into_doc_ids(),
    };
    // Resident lists are resident for `auto` too.
    let prepare = || if sent { bench.device.forget_lists() } else { Ok(()) };
    let failures = engine::stats().device_failures;
    bench.device.forget_lists()?;
    let expected = call(&settings[2]);
    // The first call makes the lists resident; the others show how long each setting takes, and where it runs.
    let mut repeats = [1; 3];
    let mut turn = 0.0;
    for (way, settings) in [1, 0, 1, 2].map(|way| (way, &settings[way])) {
        prepare()?;
        let on_device = engine::stats().device_calls;
        let (time, found) = seconds(|| call(settings));
        assert!(found == expected, "{name}: {:?} gives other docIDs", settings.offload);
        // Calls too short for the clock are repeated, but never device calls.
        if time < SHORT && engine::stats().device_calls == on_device {
            repeats[way] = (10.0 * SHORT / time.max(1e-7)) as usize;
        }
        turn += time * repeats[way] as f64;
    }
    drop(expected);
    let (least, budget) = if bench.quick { (3, 0.02) } else { (9, 0.08) };
    let turns = ((budget / turn) as usize).clamp(least, 51);
    let mut times = [f64::INFINITY; 3];
    for _ in 0..ATTEMPTS {
        for turn in 0..turns {
            for way in (0..3).map(|k| (turn + k) % 3) {
                prepare()?;
                let (time, ()) =
                    seconds(|| (0..repeats[way]).for_each(|_| drop(std::hint::black_box(call(&settings[way])))));
                times[way] = times[way].min(time / repeats[way] as f64);
            }
        }
        let [auto, always, never] = times;
        if auto <= NEAR * always.min(never) || bench.quick {
            break;
        }
    }
    assert_eq!(engine::stats().device_failures, failures, "{name}: the device failed");
    let [auto, always, never] = times;
    Ok(Cell { name, auto, always, never })
}
