//! What do frequencies and positions take in each codec, and how fast are searches then?
//!
//!     cargo run --release --manifest-path benches/search/Cargo.toml -- codecs --passages 300000 --out codecs.json
//!
//! An index of the same tokens per codec, all of them searched in turn in one process; what they find must be the same.

use crate::args::Args;
use crate::data::Passages;
use crate::engine::{Contestant, Engine, Fields, Result};
use crate::indexing;
use crate::ours::Ours;
use crate::queries::{self, Shape};
use crate::searching::{self, Task};
use postings::index::list::Decoded;
use postings::index::segment::{Section, Segment};
use postings::index::{BlockCodec, Codecs};
use postings::search::Index;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// What is asked for, unless `--shapes` and `--tasks` say otherwise.
const ASKED: [(Shape, &str); 6] = [
    (Shape::Passage, "and-top10"),
    (Shape::Passage, "or-top10"),
    (Shape::Common, "or-top10"),
    (Shape::TwoCommon, "and-top10"),
    (Shape::Phrase, "phrase-top10"),
    (Shape::Phrase, "phrase-count"),
];

/// An index and what it takes.
struct Row {
    name: &'static str,
    sizes: Sizes,
    /// Mean microseconds of a query, and of each query's fastest round, by task.
    times: Vec<(f64, f64)>,
}

/// Bytes of an index.
#[derive(Default)]
struct Sizes {
    /// Frequencies of long lists, with their directories.
    frequencies: usize,
    /// The same of positions.
    positions: usize,
    /// Short lists, which have no codec.
    short: usize,
    /// All of it.
    segment: u64,
    /// Microseconds of reading and checking all long lists, which a process does once for each that it uses.
    check: f64,
}

/// The codecs that were asked for: of frequencies and of positions.
fn chosen(names: &[String]) -> Result<Vec<(&'static str, Codecs)>> {
    let find = |name: &str| BlockCodec::from_name(name).ok_or_else(|| format!("no codec is called {name}"));
    if names.is_empty() {
        let both = |codec: BlockCodec| (codec.name(), Codecs { frequencies: codec, positions: codec });
        return Ok(BlockCodec::all().map(both).collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let (frequencies, positions) = name.split_once('+').unwrap_or((name, name));
        let codecs = Codecs { frequencies: find(frequencies)?, positions: find(positions)? };
        // The process ends soon.
        chosen.push((&*name.clone().leak(), codecs));
    }
    Ok(chosen)
}

/// Builds the indexes that are missing, measures, and prints a table.
pub fn measure(args: &Args, passages: &Passages, queries: &Path) -> Result<()> {
    let mut rows = Vec::new();
    let mut engines: Vec<(&'static str, Box<dyn Engine>)> = Vec::new();
    for (name, codecs) in chosen(&args.codecs)? {
        let contestant = Ours::with(format!("codecs-{name}").leak(), codecs);
        let rebuild = args.rebuild.iter().any(|other| other == name);
        let folder = indexing::for_searches(&contestant, &args.data, passages, Fields::One, rebuild)?;
        rows.push(Row { name, sizes: sizes(&folder)?, times: Vec::new() });
        engines.push((name, contestant.open(&folder)?));
    }
    let mut asked = Vec::new();
    for (shape, task) in tasks(args) {
        let mut queries = queries::read(queries, shape, passages)?;
        queries.truncate(args.queries);
        let times = searching::measure(&mut engines, task, &queries, args.rounds)?;
        rows.iter_mut().zip(times).for_each(|(row, times)| row.times.push((times.rounds.median, times.best)));
        asked.push(format!("{} {}", shape.name(), task.name));
    }
    print(&rows, &asked);
    let Some(path) = &args.out else { return Ok(()) };
    let row = |row: &Row| {
        let Sizes { frequencies, positions, short, segment, check } = row.sizes;
        let times: Vec<Value> = row.times.iter().map(|(mean, best)| json!({"mean": mean, "best": best})).collect();
        json!({
            "codecs": row.name, "frequencies": frequencies, "positions": positions, "short": short, "segment": segment,
            "check": check, "times": times,
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    let all = json!({"passages": passages.len(), "rounds": args.rounds, "unit": "µs", "tasks": asked, "rows": rows});
    std::fs::write(path, serde_json::to_string_pretty(&all)? + "\n")?;
    Ok(())
}

fn tasks(args: &Args) -> impl Iterator<Item = (Shape, Task)> {
    let is_asked = |shape: Shape, task: &Task| {
        if args.shapes.is_empty() && args.tasks.is_empty() {
            return ASKED.contains(&(shape, task.name));
        }
        let named = |names: &[String], name: &str| names.is_empty() || names.iter().any(|of| name.starts_with(&**of));
        named(&args.shapes, shape.name()) && named(&args.tasks, task.name)
    };
    let of_shape = |shape| searching::tasks(shape).into_iter().map(move |task| (shape, task));
    Shape::ALL.into_iter().flat_map(of_shape).filter(move |(shape, task)| is_asked(*shape, task))
}

/// Of an index of one segment.
fn sizes(folder: &Path) -> Result<Sizes> {
    let index = Index::open(folder)?;
    let [part] = index.snapshot().parts() else { return Err("our index has one segment".into()) };
    let segment: &Segment = &part.segment;
    let lists = segment.section(Section::Lists, 0)?.len();
    let mut sizes = Sizes { segment: segment.meta().bytes, short: lists, ..Sizes::default() };
    let mut values = Vec::new();
    let mut terms = segment.dictionary(0)?.terms()?;
    while let Some((_, value, ())) = terms.next()? {
        // Long lists have odd values.
        values.extend((value % 2 == 1).then_some(value));
    }
    let begin = Instant::now();
    let mut decoded = Decoded::default();
    for &value in &values {
        let Some(view) = segment.list(0, value, false, &mut decoded)? else { continue };
        sizes.short -= view.bytes();
        sizes.frequencies += view.frequencies.bytes();
        sizes.positions += view.positions.map_or(0, |positions| positions.gaps.bytes());
    }
    sizes.check = begin.elapsed().as_secs_f64() * 1e6;
    Ok(sizes)
}

fn print(rows: &[Row], asked: &[String]) {
    let base = &rows[0];
    println!("bytes of long lists; mean µs of a query, and each query's fastest round beside {}", base.name);
    print!("{:<22} {:>12} {:>12} {:>12} {:>9}", "codecs", "frequencies", "positions", "segment", "check µs");
    asked.iter().for_each(|name| print!(" | {name:>24}"));
    println!();
    for row in rows {
        let Sizes { frequencies, positions, segment, check, .. } = row.sizes;
        print!("{:<22} {frequencies:>12} {positions:>12} {segment:>12} {check:>9.0}", row.name);
        for ((mean, best), (_, of_base)) in row.times.iter().zip(&base.times) {
            print!(" | {mean:>11.1} {best:>7.1} {:>4.2}", best / of_base);
        }
        println!();
    }
}
