//! Lines `COMMAND<TAB>query` from standard input → a number each: how many documents match, or 1 if only the best are wanted.

use postings::search::{Direction, Index, Matching, Options, SortKey};
use std::error::Error;
use std::io::{BufRead, Write};

/// What a command asks for.
struct Command {
    /// The hits; none are counted only.
    limit: Option<usize>,
    /// Whether all matches are counted.
    count: bool,
    /// Whether hits are in the order of the numeric field, the greatest first.
    by_field: bool,
}

fn parse(command: &str) -> Option<Command> {
    let only_counts = Command { limit: None, count: true, by_field: false };
    if command == "COUNT" {
        return Some(only_counts);
    }
    let rest = command.strip_prefix("TOP_")?;
    let (limit, what) = rest.split_once('_').unwrap_or((rest, ""));
    let limit = Some(limit.parse().ok()?);
    match what {
        "" => Some(Command { limit, count: false, by_field: false }),
        "COUNT" => Some(Command { limit, ..only_counts }),
        "FF" => Some(Command { limit, count: false, by_field: true }),
        _ => None,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let index = Index::open(folder.as_ref())?;
    let field = index.schema().fields.iter().position(|field| field.name == "sort_field").ok_or("no sort_field")?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (command, query) = line.split_once('\t').ok_or("a line is COMMAND<TAB>query")?;
        let Some(command) = parse(command) else {
            writeln!(out, "UNSUPPORTED")?;
            continue;
        };
        // Words with + are required all the same.
        let mut options = Options { matching: Matching::Any, total: command.count, ..Options::default() };
        if command.by_field {
            options.sort = vec![(SortKey::Field(field), Direction::Descending)];
        }
        let count = match command.limit {
            None => index.count(query, &options)?,
            Some(limit) => {
                options.limit = limit;
                index.search(query, &options)?.total.unwrap_or(1)
            }
        };
        writeln!(out, "{count}")?;
    }
    Ok(())
}
