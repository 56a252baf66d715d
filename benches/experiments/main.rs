//! Do the findings of the documents that this project comes from hold on today's hardware?
//!
//!     cargo bench --no-default-features --features lab --bench experiments -- [--only NAME[,NAME]] [--device NAME] [--lists DIR]
//!         [--text FILE] [--documents N] [--index DIR] [--queries FILE] [--machine NAME] [--out DIR] [--log-max N] [--quick]
//!     … -- --render [--out DIR]
//!
//! Each experiment is a file, and a line in [`EXPERIMENTS`]. Its results are kept as JSON, a file per machine
//! (`DIR/experiments/MACHINE.json`; DIR is `docs` by default), in which a run replaces the experiments that it ran.
//! The page `DIR/experiments/results.md` and its plots are made of all these files; `--render` does only that.
//!
//! The binary that cargo builds is self-contained and can be copied to a machine with a GPU. With `--device`, the device
//! halves of experiments run too. Corpora: real lists (`--lists`, zip files or folders of text files), a text
//! (`--text`: a document per line, optionally `name<TAB>text`; at most `--documents`), or instead of it an index that is
//! there (`--index`; for ranked search also queries, one per line: `--queries`), and generated ones. What is not given is
//! left out, visibly.

mod corpora;
mod failure;
mod harness;
#[path = "../support/mod.rs"]
mod support;

mod arrivals;
mod batches;
mod buckets;
mod compressed;
mod decoding;
mod deviations;
mod linearity;
mod merge_find;
mod options;
mod parallel_qs;
mod poster;
mod prediction;
mod ranked;
mod searches;
mod shortest;
mod sizes;
mod skipping;
mod stages;
mod widths;

use harness::context::Context;
use harness::options::Options;
use harness::{Experiment, Failure, page, results};

/// The experiments, in the order of the page.
#[rustfmt::skip]
const EXPERIMENTS: &[&Experiment] = &[
    &stages::EXPERIMENT,
    &sizes::EXPERIMENT,
    &options::EXPERIMENT,
    &decoding::EXPERIMENT,
    &widths::EXPERIMENT,
    &shortest::EXPERIMENT,
    &parallel_qs::EXPERIMENT,
    &linearity::EXPERIMENT,
    &buckets::EXPERIMENT,
    &deviations::EXPERIMENT,
    &searches::EXPERIMENT,
    &merge_find::EXPERIMENT,
    &compressed::EXPERIMENT,
    &batches::EXPERIMENT,
    &skipping::EXPERIMENT,
    &poster::EXPERIMENT,
    &ranked::EXPERIMENT,
    &prediction::EXPERIMENT,
    &arrivals::EXPERIMENT,
];

fn main() {
    let options = Options::read();
    let done = if options.render { Ok(0) } else { run(&options) };
    let done = done.and_then(|failed| page::write(&options.out, EXPERIMENTS).map(|()| failed));
    match done {
        Ok(0) => {}
        Ok(failed) => fail(&format!("{failed} experiments failed")),
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(1)
}

/// Runs the chosen experiments, keeps each result as soon as it is there, and returns how many failed.
fn run(options: &Options) -> Result<usize, Failure> {
    if let Some(unknown) = options.only.iter().find(|name| EXPERIMENTS.iter().all(|known| known.name != **name)) {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|known| known.name).collect();
        return Err(format!("{unknown}: no such experiment; there are {}", names.join(", ")).into());
    }
    let context = Context::new(options)?;
    let mut kept = results::Machine::read(&options.results_path())?.unwrap_or_default();
    let mut failed = 0;
    for experiment in EXPERIMENTS {
        if !options.only.is_empty() && !options.only.iter().any(|name| name == experiment.name) {
            continue;
        }
        println!("{}: {}", experiment.name, experiment.question);
        match context.run(experiment) {
            Ok(result) => {
                println!("{}", page::text(&result));
                kept.put(&options.machine, context.about(), experiment.name, result);
                kept.write(&options.results_path())?;
            }
            Err(error) => {
                failed += 1;
                eprintln!("{} FAILED: {error}", experiment.name);
            }
        }
    }
    Ok(failed)
}
