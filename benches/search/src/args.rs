//! The command line.

use std::path::PathBuf;

pub const USAGE: &str = "\
postings-search-bench search|fields|conditions|index|codecs|queries|extract [options]
  search      searches of all shapes and tasks, contestants alternating (the default)
  fields      searches of all shapes and tasks, with the first words of passages in a field of their own
  conditions  searches with filters, sorting, facets, prefixes and fuzzy words
  index       seconds and bytes of indexing, from text, with each contestant's own analyzer
  codecs      sizes and searches of our index with each codec of frequencies and positions
  queries     only draws the queries
  extract     makes DATA/passages.txt from a folder of unpacked documentation (corpus.sh calls it)
options
  --data DIR          where passages, queries and indexes lie (target/search-bench)
  --passages N        only the first N passages
  --queries N         only the first N queries of each shape
  --shapes A,B        passage many rare medium common two-common common-rare phrase long-phrase thirty hundred
  --tasks A,B         those whose names begin so: and-top10 and-top1000 and-top10-count and-count or-… first-… phrase-…
  --engines A,B       ours tantivy
  --rounds N          timed rounds (3); searches report the median, indexing the fastest
  --threads A,B       for index (1,2)
  --codecs A,B        for codecs (all): names, or two of them as frequencies+positions
  --memory A,B        for index: MiB that all threads together may hold (64,256)
  --rebuild A,B       contestants whose index is built anew
  --from DIR          for extract
  --out FILE          JSON";

/// What was asked for on the command line.
pub struct Args {
    pub command: String,
    pub data: PathBuf,
    pub passages: usize,
    pub queries: usize,
    pub shapes: Vec<String>,
    pub tasks: Vec<String>,
    pub engines: Vec<String>,
    pub rounds: usize,
    pub threads: Vec<usize>,
    pub memory: Vec<usize>,
    pub codecs: Vec<String>,
    pub rebuild: Vec<String>,
    pub from: PathBuf,
    pub out: Option<PathBuf>,
}

impl Args {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut args = Args {
            command: "search".into(),
            data: "target/search-bench".into(),
            passages: usize::MAX,
            queries: usize::MAX,
            shapes: Vec::new(),
            tasks: Vec::new(),
            engines: Vec::new(),
            rounds: 3,
            threads: vec![1, 2],
            memory: vec![64, 256],
            codecs: Vec::new(),
            rebuild: Vec::new(),
            from: PathBuf::new(),
            out: None,
        };
        let mut first = true;
        while let Some(word) = words.next() {
            if first && !word.starts_with('-') {
                args.command = word;
                first = false;
                continue;
            }
            first = false;
            let value = words.next().ok_or_else(|| format!("{word} has no value\n{USAGE}"))?;
            match word.as_str() {
                "--data" => args.data = value.into(),
                "--passages" => args.passages = number(&word, &value)?,
                "--queries" => args.queries = number(&word, &value)?,
                "--shapes" => args.shapes = list(&value),
                "--tasks" => args.tasks = list(&value),
                "--engines" => args.engines = list(&value),
                "--rounds" => args.rounds = number(&word, &value)?,
                "--threads" => args.threads = numbers(&word, &value)?,
                "--memory" => args.memory = numbers(&word, &value)?,
                "--codecs" => args.codecs = list(&value),
                "--rebuild" => args.rebuild = list(&value),
                "--from" => args.from = value.into(),
                "--out" => args.out = Some(value.into()),
                _ => return Err(format!("{word} is unknown\n{USAGE}")),
            }
        }
        Ok(args)
    }

    /// Whether this contestant's index is built anew.
    pub fn rebuilds(&self, contestant: &str) -> bool {
        self.rebuild.iter().any(|name| name == contestant)
    }
}

fn list(value: &str) -> Vec<String> {
    value.split(',').map(str::to_owned).collect()
}

/// A number above 0.
fn number(name: &str, value: &str) -> Result<usize, String> {
    value.parse().ok().filter(|&number| number > 0).ok_or_else(|| format!("{name} takes a number above 0, not {value}"))
}

fn numbers(name: &str, value: &str) -> Result<Vec<usize>, String> {
    value.split(',').map(|value| number(name, value)).collect()
}
