//! The page `experiments/results.md`: every experiment with its question, the papers' tables, the tables and plots of each
//! machine, figures beside the papers', and whether the findings hold. `docs/experiments.md`, written by hand, says what
//! follows from them.

use super::outcome::{Cell, Outcome, Table};
use super::results::Machine;
use super::{Experiment, Failure, papers};
use crate::support::report::figure;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Makes the page and its plots of the results in `folder/experiments`.
pub fn write(folder: &Path, experiments: &[&Experiment]) -> Result<(), Failure> {
    let results = folder.join("experiments");
    let mut paths: Vec<_> = std::fs::read_dir(&results)
        .map_err(|error| format!("{}: {error}", results.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let mut machines = Vec::new();
    for path in &paths {
        machines.extend(Machine::read(path)?);
    }
    let images = folder.join("images").join("experiments");
    std::fs::create_dir_all(&images)?;
    let page = page(experiments, &machines, |machine, plot| {
        let name = format!("{machine}-{}.svg", plot.file);
        let Some(svg) = plot.svg() else { return Ok(None) };
        std::fs::write(images.join(&name), svg)?;
        Ok(Some(format!("../images/experiments/{name}")))
    })?;
    let path = results.join("results.md");
    std::fs::write(&path, page)?;
    println!("{}", path.display());
    Ok(())
}

type Draw<'d> = dyn Fn(&str, &crate::support::plot::Plot) -> Result<Option<String>, Failure> + 'd;

fn page(
    experiments: &[&Experiment],
    machines: &[Machine],
    draw: impl Fn(&str, &crate::support::plot::Plot) -> Result<Option<String>, Failure>,
) -> Result<String, Failure> {
    let mut page = String::from(HEAD);
    page.push_str("\n## Machines\n\n");
    for machine in machines {
        let about: Vec<String> = machine.about.iter().map(|(what, is)| format!("{what}: {is}")).collect();
        let _ = writeln!(page, "* **{}**: {}.", machine.name, about.join("; "));
    }
    page.push_str("\nThe papers' hardware:\n\n");
    for paper in papers::all() {
        let hardware = paper["hardware"].as_object().into_iter().flatten();
        let hardware: Vec<String> = hardware.map(|(kind, is)| format!("{kind}: {}", string(is))).collect();
        let _ = writeln!(
            page,
            "* **{}**: {}. {}. Data: {}.",
            string(&paper["name"]),
            string(&paper["title"]),
            hardware.join("; "),
            string(&paper["data"])
        );
    }
    page.push_str("\n## Summary\n\n");
    summary(&mut page, experiments, machines);
    for experiment in experiments {
        section(&mut page, experiment, machines, &draw)?;
    }
    Ok(page)
}

const HEAD: &str = "# Results of the experiments

The tables and figures of the documents that this project comes from, redrawn on today's hardware, beside the documents'
own numbers. Made by `make experiments`, from the results of each machine in this folder: do not edit it.
[experiments.md](../experiments.md) says what follows from them. [Contributing](../contributing.md#a-benchmark-or-experiment)
says how to add an experiment, and how to run one on a GPU machine.

Figures are medians of interleaved rounds; after `±`, half the distance of their quartiles in percent. Rates
of devices are of kernels alone, with resident lists, unless a table says otherwise. Sizes are those of whole lists, with
header and directory. A finding holds or not by the rule that stands beside it; the explanation below was written by a
person.
";

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn summary(page: &mut String, experiments: &[&Experiment], machines: &[Machine]) {
    let _ = writeln!(page, "| finding | source | machine | holds? |\n|---|---|---|---|");
    for experiment in experiments {
        for machine in machines {
            for finding in machine.outcome(experiment.name).iter().flat_map(|outcome| &outcome.findings) {
                let holds = if finding.holds { "yes" } else { "**no**" };
                let _ = writeln!(
                    page,
                    "| [{}](#{}) | {} | {} | {holds} |",
                    finding.claim,
                    anchor(experiment.title),
                    finding.source,
                    machine.name
                );
            }
        }
    }
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || " -".contains(*c)).collect::<String>();
    kept.replace(' ', "-")
}

fn section(page: &mut String, experiment: &Experiment, machines: &[Machine], draw: &Draw) -> Result<(), Failure> {
    let _ = writeln!(page, "\n## {}\n\n*{}*", experiment.title, experiment.question);
    for (file, name) in experiment.redraws {
        paper_item(page, file, name);
    }
    let measured: Vec<(&Machine, &Outcome)> =
        machines.iter().filter_map(|machine| Some((machine, machine.outcome(experiment.name)?))).collect();
    for (machine, outcome) in &measured {
        let quick = if outcome.quick { ", `--quick`" } else { "" };
        let _ = writeln!(page, "\n### Measured: {}{quick}", machine.name);
        if !outcome.date.is_empty() {
            let _ = writeln!(page, "\nRun on {}.", outcome.date);
        }
        for note in &outcome.notes {
            let _ = writeln!(page, "\n{note}");
        }
        for table in &outcome.tables {
            page.push('\n');
            page.push_str(&markdown(table));
        }
        for plot in &outcome.plots {
            if let Some(path) = draw(&machine.name, plot)? {
                let _ = writeln!(page, "\n![{}]({path})", plot.title);
            }
        }
    }
    if measured.iter().any(|(_, outcome)| !outcome.beside.is_empty()) {
        page.push_str("\n### Beside the papers\n\n| what | paper | its figure | machine | ours | ours / paper |\n");
        page.push_str("|---|---|---:|---|---:|---:|\n");
    }
    for (machine, outcome) in &measured {
        for beside in &outcome.beside {
            let [file, item, row, column] = beside.paper.each_ref().map(String::as_str);
            let theirs = papers::number(file, item, row, column);
            let _ = writeln!(
                page,
                "| {} | {}: {} | {} | {} | {} | {} |",
                in_table(&beside.what),
                papers::cite(file, item),
                in_table(&format!("{row}, {column}")),
                figure(theirs),
                machine.name,
                figure(beside.ours),
                figure(beside.ours / theirs)
            );
        }
    }
    page.push_str("\n### Does it hold?\n\n");
    if measured.is_empty() {
        page.push_str("Not measured yet.\n");
    }
    for (machine, outcome) in &measured {
        for finding in &outcome.findings {
            let verdict = if finding.holds { "Holds" } else { "Does not hold" };
            let (claim, source, because) = (&finding.claim, &finding.source, &finding.because);
            let _ = writeln!(page, "* {claim} ({source}). **{verdict}** on {}: {because}", machine.name);
        }
    }
    if !experiment.why.is_empty() {
        let _ = writeln!(page, "\n{}", experiment.why);
    }
    Ok(())
}

/// What a paper has, as printed.
fn paper_item(page: &mut String, file: &str, name: &str) {
    let item = papers::item(file, name);
    let _ = writeln!(
        page,
        "\n> **{}** ({}): {}, in {}.",
        papers::cite(file, name),
        string(&item["place"]),
        string(&item["what"]),
        string(&item["unit"])
    );
    for text in item["text"].as_array().into_iter().flatten() {
        let _ = writeln!(page, "> {}", string(text));
    }
    let Some(columns) = item["columns"].as_array() else { return };
    let heads = columns.iter().map(|column| in_table(string(column)));
    let _ = writeln!(page, ">\n> | | {} |", heads.collect::<Vec<_>>().join(" | "));
    let _ = writeln!(page, "> |---|{}", "---:|".repeat(columns.len()));
    for row in item["rows"].as_array().into_iter().flatten() {
        let cells = row.as_array().into_iter().flatten().map(|cell| match cell {
            Value::String(text) => in_table(text),
            Value::Null => String::new(),
            other => other.to_string(),
        });
        let _ = writeln!(page, "> | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

/// A text within a table, in which bars would end a cell.
fn in_table(text: &str) -> String {
    text.replace('|', "\\|")
}

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => in_table(text),
        Cell::Figure(value) if value.fract() == 0.0 && value.abs() < 1e9 => format!("{value:.0}"),
        Cell::Figure(value) => figure(*value),
        Cell::Spread(spread) => format!("{} ± {:.0} %", figure(spread.median), 50.0 * spread.relative()),
    }
}

/// The table, without columns that are empty.
fn markdown(table: &Table) -> String {
    let filled = |at: &usize| table.rows.iter().any(|row| row.get(*at).is_some_and(|cell| *cell != Cell::Empty));
    let shown: Vec<usize> = (0..table.head.len()).filter(filled).collect();
    let line = |cell: &dyn Fn(usize) -> String| shown.iter().map(|&at| cell(at)).collect::<Vec<_>>().join(" | ");
    let mut text = String::new();
    let _ = writeln!(text, "{}:\n\n| {} |", table.title, line(&|at| in_table(&table.head[at])));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(shown.len().saturating_sub(1)));
    for row in &table.rows {
        let _ = writeln!(text, "| {} |", line(&|at| row.get(at).map_or_else(String::new, cell_text)));
    }
    text
}

/// The outcome for the terminal.
pub fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    outcome.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
    outcome.tables.iter().for_each(|table| text.push_str(&markdown(table)));
    for beside in &outcome.beside {
        let [file, item, row, column] = beside.paper.each_ref().map(String::as_str);
        let theirs = papers::number(file, item, row, column);
        let cite = papers::cite(file, item);
        let ratio = figure(beside.ours / theirs);
        let (ours, theirs) = (figure(beside.ours), figure(theirs));
        let _ = writeln!(text, "{}: {ours}; {cite}, {row}, {column}: {theirs}; ratio {ratio}", beside.what);
    }
    for finding in &outcome.findings {
        let holds = if finding.holds { "holds" } else { "DOES NOT HOLD" };
        let _ = writeln!(text, "{}: {holds}: {} ({})", finding.source, finding.claim, finding.because);
    }
    let _ = writeln!(text, "[{:.1} s]", outcome.seconds);
    text
}
