//! Tables for people, and JSON.

use crate::clock::Spread;
use crate::data::Passages;
use crate::engine::{Fields, Result};
use crate::indexing;
use crate::queries::Shape;
use crate::searching::{Task, Times};
use crate::targets::{self, Target};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The result of one shape and task.
pub struct Row {
    pub shape: Shape,
    pub task: Task,
    pub fields: Fields,
    pub queries: usize,
    /// By contestant, in the order in which they were named.
    pub times: Vec<(&'static str, Times)>,
}

impl Row {
    /// There are targets for one field.
    fn target(&self) -> Option<Target> {
        targets::of(self.shape, self.task).filter(|_| self.fields == Fields::One)
    }
}

pub fn search_header(engines: &[&str]) {
    print!("{:<12} {:<16}", "shape", "task");
    for engine in engines {
        print!(" | {:>10} {:>5} {:>9} {:>9} {:>9}", format!("{engine} µs"), "± %", "median", "p99", "best");
    }
    println!("{}", if engines.len() == 2 { " |  ratio  median     p99    best  target" } else { "" });
}

pub fn search_row(row: &Row) {
    print!("{:<12} {:<16}", row.shape.name(), row.task.name);
    for (_, times) in &row.times {
        let spread = 50.0 * times.rounds.relative();
        print!(
            " | {:>10.1} {:>5.1} {:>9.1} {:>9.1} {:>9.1}",
            times.rounds.median, spread, times.median, times.p99, times.best
        );
    }
    if let [(_, a), (_, b)] = row.times[..] {
        let (mean, p99) = (a.rounds.median / b.rounds.median, a.p99 / b.p99);
        print!(" | {mean:>6.2} {:>7.2} {p99:>7.2} {:>7.2}", a.median / b.median, a.best / b.best);
        if let Some(target) = row.target() {
            let of_p99 = target.p99.map_or(String::new(), |p99| format!(", p99 {p99:.2}"));
            let is_met = mean <= target.mean && target.p99.is_none_or(|most| p99 <= most);
            print!("  {:.2}{of_p99}{}", target.mean, if is_met { "" } else { ": missed" });
        }
    }
    println!();
}

/// Writes the searches' results: times in microseconds.
pub fn write_search(path: &Path, passages: &Passages, rounds: usize, rows: &[Row]) -> Result<()> {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let times = |times: &Times| {
                let Spread { median: mean, low, high } = times.rounds;
                let total = mean * row.queries as f64;
                json!({"mean": mean, "low": low, "high": high, "median": times.median, "p99": times.p99, "best": times.best, "total": total})
            };
            let engines: serde_json::Map<_, _> =
                row.times.iter().map(|(name, found)| ((*name).to_owned(), times(found))).collect();
            let mut shown = json!({"shape": row.shape.name(), "task": row.task.name, "queries": row.queries, "engines": engines});
            if let Some(target) = row.target() {
                shown["target"] = json!(target.mean);
                if let Some(p99) = target.p99 {
                    shown["target_p99"] = json!(p99);
                }
            }
            shown
        })
        .collect();
    write(
        path,
        &json!({"machine": machine(), "date": today(), "command": "make bench-search", "passages": passages.len(), "rounds": rounds, "unit": "µs", "rows": rows}),
    )
}

pub fn index_header() {
    println!(
        "{:<9} {:>7} {:>7} {:>9} {:>9} {:>9} {:>9} {:>12} {:>12} {:>10}",
        "engine", "threads", "MiB", "commit s", "merge s", "CPU s", "all s", "tokens", "tokens/s", "bytes/pass"
    );
}

pub fn index_row(row: &indexing::Row, passages: &Passages) {
    let all = row.seconds();
    println!(
        "{:<9} {:>7} {:>7} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>12} {:>12.0} {:>10.1}",
        row.engine,
        row.job.threads,
        row.job.memory >> 20,
        row.built.commit,
        row.built.merge,
        row.cpu,
        all,
        row.built.tokens,
        row.built.tokens as f64 / all,
        row.bytes as f64 / passages.len() as f64,
    );
}

/// How many times as fast the first contestant is as the second on one thread, and as itself on one thread, with the targets.
pub fn indexing_ratios(rows: &[indexing::Row]) {
    for row in rows {
        for (of, ratio, target) in ratios(rows, row) {
            let met = if ratio >= target { "" } else { ": missed" };
            let (engine, threads, memory) = (row.engine, row.job.threads, row.job.memory >> 20);
            println!(
                "{engine}, threads: {threads}, {memory} MiB: {ratio:.2} times as fast as {of}; target {target}{met}"
            );
        }
    }
}

/// What a row of the first contestant is to be so many times as fast as, the ratio, and the target.
fn ratios(rows: &[indexing::Row], row: &indexing::Row) -> Vec<(&'static str, f64, f64)> {
    let same = |other: &&indexing::Row, engine: &str, threads: usize| {
        other.engine == engine && other.job.threads == threads && other.job.memory == row.job.memory
    };
    let faster = |other: &indexing::Row| other.seconds() / row.seconds();
    let mut ratios = Vec::new();
    if row.engine != rows[0].engine {
        return ratios;
    }
    let peer = rows.iter().find(|other| other.engine != row.engine && same(other, other.engine, row.job.threads));
    if let (Some(peer), 1) = (peer, row.job.threads) {
        ratios.push((peer.engine, faster(peer), targets::INDEXING));
    }
    let alone = rows.iter().find(|other| same(other, row.engine, 1));
    if let (Some(alone), Some(target)) = (alone, targets::speed_up(row.job.threads)) {
        ratios.push(("one thread", faster(alone), target));
    }
    ratios
}

/// Writes the results of indexing: times in seconds.
pub fn write_index(path: &Path, passages: &Passages, rows: &[indexing::Row]) -> Result<()> {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let ratios = ratios(rows, row).into_iter();
            let ratios: Vec<Value> = ratios.map(|(of, ratio, target)| json!({"of": of, "ratio": ratio, "target": target})).collect();
            json!({
                "engine": row.engine, "threads": row.job.threads, "memory": row.job.memory, "commit": row.built.commit,
                "merge": row.built.merge, "cpu": row.cpu, "tokens": row.built.tokens, "bytes": row.bytes, "times_as_fast": ratios,
            })
        })
        .collect();
    write(
        path,
        &json!({"machine": machine(), "date": today(), "command": "make bench-search", "passages": passages.len(), "text": passages.bytes(), "unit": "s", "rows": rows}),
    )
}

/// The processor and how many threads it runs; `scripts/results.php` shows it with the results.
pub fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':')).map(|(_, name)| name.trim());
    let threads = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{}, {threads} threads", name.unwrap_or("a processor whose name is not known"))
}

/// The date, as `date` has it.
pub fn today() -> String {
    let date = std::process::Command::new("date").args(["-u", "+%-d %B %Y"]).env("LC_ALL", "C").output();
    date.map(|date| String::from_utf8_lossy(&date.stdout).trim().to_owned()).unwrap_or_default()
}

pub fn write(path: &Path, value: &Value) -> Result<()> {
    fs::write(path, serde_json::to_string_pretty(value)? + "\n")?;
    Ok(())
}
