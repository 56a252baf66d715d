//! How fast does the ranked index search and index, compared with tantivy on the same passages in the same run?
//!
//!     benches/search/corpus.sh
//!     cargo run --release --manifest-path benches/search/Cargo.toml -- search --out search.json
//!
//! The passages are paragraphs of Debian's documentation packages. For the searches both contestants index the very same
//! tokens, on one thread into one segment, with frequencies and positions, and one thread searches; each query is timed
//! by itself, from its words to the best documents and their scores. What they find must be the same: the same scores
//! within 1e-5, the same documents, the same counts. `fields` has the passages' first words in a field of their own,
//! `conditions` adds filters, sorting and facets to words. Indexing is measured from text, with each contestant's own analyzer.

mod args;
#[cfg(test)]
mod by_definition;
mod check;
#[expect(dead_code, reason = "the other benches use the rest")]
#[path = "../../support/clock.rs"]
mod clock;
mod codecs;
mod conditions;
mod corpus;
#[cfg(test)]
mod cranfield;
mod data;
mod engine;
mod indexing;
mod ours;
mod peer;
mod queries;
mod report;
mod searching;
mod targets;
mod tokens;

use args::Args;
use data::Passages;
use engine::{Contestant, Fields, Job, Result};
use queries::Shape;
use std::process::ExitCode;

/// Ours first: ratios are the first's times by the second's.
fn contestants() -> Vec<Box<dyn Contestant>> {
    vec![Box::new(ours::Ours::default()), Box::new(peer::Tantivy)]
}

fn main() -> ExitCode {
    match Args::parse(std::env::args().skip(1)).map_err(Into::into).and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    match args.command.as_str() {
        "extract" => extract(args),
        "queries" => draw(args),
        "search" => search(args, Fields::One),
        "fields" => search(args, Fields::Two),
        "index" => index(args),
        "codecs" => codecs(args),
        "conditions" => conditions::run(args, &read(args)?),
        other => Err(format!("{other} is unknown\n{}", args::USAGE).into()),
    }
}

fn extract(args: &Args) -> Result<()> {
    std::fs::create_dir_all(&args.data)?;
    let to = args.data.join("passages.txt");
    let found = corpus::extract(&args.from, &to, args.passages as u64)?;
    println!("{}: {} passages, {} tokens, of {} files", to.display(), found.passages, found.tokens, found.files);
    Ok(())
}

fn draw(args: &Args) -> Result<()> {
    let passages = read(args)?;
    queries::write_all(&queries_folder(args, &passages), &passages)?;
    Ok(())
}

fn read(args: &Args) -> Result<Passages> {
    let passages = Passages::read(&args.data.join("passages.txt"), args.passages)?;
    println!("{} passages, {} bytes", passages.len(), passages.bytes());
    Ok(passages)
}

/// Other passages give other queries.
fn queries_folder(args: &Args, passages: &Passages) -> std::path::PathBuf {
    args.data.join(format!("queries-{}", passages.len()))
}

fn chosen(args: &Args) -> Result<Vec<Box<dyn Contestant>>> {
    let named = |name: &str| args.engines.is_empty() || args.engines.iter().any(|engine| engine == name);
    let chosen: Vec<_> = contestants().into_iter().filter(|contestant| named(contestant.name())).collect();
    if chosen.is_empty() {
        return Err(format!("no contestant is called {}", args.engines.join(" or ")).into());
    }
    Ok(chosen)
}

fn search(args: &Args, fields: Fields) -> Result<()> {
    let passages = read(args)?;
    let mut engines = Vec::new();
    for contestant in chosen(args)? {
        let rebuild = args.rebuilds(contestant.name());
        let folder = indexing::for_searches(&*contestant, &args.data, &passages, fields, rebuild)?;
        engines.push((contestant.name(), contestant.open(&folder)?));
    }
    let names: Vec<&str> = engines.iter().map(|(name, _)| *name).collect();
    report::search_header(&names);
    let mut rows = Vec::new();
    for shape in Shape::ALL {
        if !args.shapes.is_empty() && !args.shapes.iter().any(|name| name == shape.name()) {
            continue;
        }
        let mut queries = queries::read(&queries_folder(args, &passages), shape, &passages)?;
        queries.truncate(args.queries);
        for task in searching::tasks(shape) {
            if !args.tasks.is_empty() && !args.tasks.iter().any(|name| task.name.starts_with(name.as_str())) {
                continue;
            }
            let times = searching::measure(&mut engines, task, &queries, args.rounds)?;
            let times = engines.iter().map(|(name, _)| *name).zip(times).collect();
            let row = report::Row { shape, task, fields, queries: queries.len(), times };
            report::search_row(&row);
            rows.push(row);
        }
    }
    match &args.out {
        Some(path) => report::write_search(path, &passages, args.rounds, &rows),
        None => Ok(()),
    }
}

fn codecs(args: &Args) -> Result<()> {
    let passages = read(args)?;
    codecs::measure(args, &passages, &queries_folder(args, &passages))
}

fn index(args: &Args) -> Result<()> {
    let passages = read(args)?;
    report::index_header();
    let mut rows = Vec::new();
    for &threads in &args.threads {
        for &memory in &args.memory {
            let job = Job { own_analyzer: true, fields: Fields::One, threads, memory: memory << 20 };
            for row in indexing::measure(&chosen(args)?, &args.data, &passages, job, args.rounds)? {
                report::index_row(&row, &passages);
                rows.push(row);
            }
        }
    }
    report::indexing_ratios(&rows);
    match &args.out {
        Some(path) => report::write_index(path, &passages, &rows),
        None => Ok(()),
    }
}
