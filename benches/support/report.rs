//! Rows of results, the table that they form, and the files that they are written to.

use super::machine;
use super::plot::Plot;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// One measured figure, with a peer or an upper bound from the same run and its targets.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// What the figure is compared with, measured in the same run and unit.
    pub peer: Option<String>,
    /// The peer's figure.
    pub peer_value: Option<f64>,
    /// `value / peer_value`.
    pub ratio: Option<f64>,
    /// The targets, as text.
    pub target: Option<String>,
    /// Whether all targets are met.
    pub met: Option<bool>,
}

impl Row {
    /// A row without a peer or target.
    pub fn new(name: impl Into<String>, value: f64, unit: &str) -> Row {
        Row { name: name.into(), value, unit: unit.into(), ..Row::default() }
    }

    /// Adds a peer's figure and the ratio of the two.
    pub fn peer(mut self, name: impl Into<String>, value: f64) -> Row {
        self.peer = Some(name.into());
        self.peer_value = Some(value);
        self.ratio = Some(self.value / value);
        self
    }

    /// Adds a peer's figure with a ratio that is not that of the two figures, such as the median of the ratios of
    /// rounds.
    pub fn peer_with_ratio(mut self, name: impl Into<String>, value: f64, ratio: f64) -> Row {
        self = self.peer(name, value);
        self.ratio = Some(ratio);
        self
    }

    fn wants(mut self, target: String, met: bool) -> Row {
        self.target = Some(match self.target.take() {
            Some(before) => format!("{before}, {target}"),
            None => target,
        });
        self.met = Some(met && self.met != Some(false));
        self
    }

    /// Adds the target that the value is at least this.
    pub fn at_least(self, value: f64) -> Row {
        let met = self.value >= value;
        self.wants(format!(">= {value}"), met)
    }

    /// Adds the target that the value is at most this.
    pub fn at_most(self, value: f64) -> Row {
        let met = self.value <= value;
        self.wants(format!("<= {value}"), met)
    }

    /// Adds the target that the ratio is at least this.
    pub fn ratio_at_least(self, ratio: f64) -> Row {
        let met = self.ratio.is_some_and(|has| has >= ratio);
        self.wants(format!("ratio >= {ratio}"), met)
    }

    /// Adds the target that the ratio is at most this.
    pub fn ratio_at_most(self, ratio: f64) -> Row {
        let met = self.ratio.is_some_and(|has| has <= ratio);
        self.wants(format!("ratio <= {ratio}"), met)
    }

    /// Removes the targets if the run does not have the size to which they apply.
    pub fn only_if(mut self, of_that_size: bool) -> Row {
        if !of_that_size {
            (self.target, self.met) = (None, None);
        }
        self
    }

    fn to_json(&self) -> Value {
        json!({
            "name": self.name, "value": self.value, "unit": self.unit, "peer": self.peer,
            "peer_value": self.peer_value, "ratio": self.ratio, "target": self.target, "met": self.met,
        })
    }

    /// Parses a row that `to_json` or benches/php wrote; `None` if it is not one.
    pub fn from_json(value: &Value) -> Option<Row> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Row {
            name: text("name")?,
            value: value["value"].as_f64()?,
            unit: text("unit")?,
            peer: text("peer"),
            peer_value: value["peer_value"].as_f64(),
            ratio: value["ratio"].as_f64(),
            target: text("target"),
            met: value["met"].as_bool(),
        })
    }
}

/// The results of a benchmark.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Corpus, sizes, seeds, machine and versions, as pairs of a name and a value.
    pub about: Vec<(String, String)>,
    /// The figures.
    pub rows: Vec<Row>,
    /// The curves.
    pub plots: Vec<Plot>,
}

impl Report {
    /// An empty report on this machine.
    pub fn here() -> Report {
        Report { about: machine::about(), ..Report::default() }
    }

    /// Adds a note about the run.
    pub fn note(&mut self, what: &str, is: impl Into<String>) {
        self.about.push((what.into(), is.into()));
    }

    /// Adds a row and prints it, so that progress is visible.
    pub fn add(&mut self, row: Row) {
        println!("{}", line(&row));
        self.rows.push(row);
    }

    /// Adds points to the curve of that name in `plot`.
    pub fn curve(&mut self, plot: Plot, name: &str, points: Vec<(f64, f64)>) {
        let at = self.plots.iter().position(|known| known.file == plot.file).unwrap_or_else(|| {
            self.plots.push(plot);
            self.plots.len() - 1
        });
        let curves = &mut self.plots[at].curves;
        match curves.iter_mut().find(|(known, _)| known == name) {
            Some((_, more)) => more.extend(points),
            None => curves.push((name.into(), points)),
        }
    }

    /// Merges another report into this one, adding a prefix to the names of its rows and notes.
    pub fn merge(&mut self, prefix: &str, other: Report) {
        for (what, is) in other.about {
            self.about.push((format!("{prefix}: {what}"), is));
        }
        self.rows.extend(other.rows.into_iter().map(|row| Row { name: format!("{prefix}: {}", row.name), ..row }));
        for mut plot in other.plots {
            for (name, points) in std::mem::take(&mut plot.curves) {
                self.curve(plot.clone(), &name, points);
            }
        }
    }

    /// The rows alone, as a JSON array of objects.
    pub fn rows_json(&self) -> Value {
        self.rows.iter().map(Row::to_json).collect()
    }

    /// The whole report as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "about": self.about.iter().map(|(what, is)| json!([what, is])).collect::<Vec<_>>(),
            "rows": self.rows_json(),
            "plots": self.plots.iter().map(Plot::to_json).collect::<Vec<_>>(),
        })
    }

    /// Parses the output of `to_json`, or an array of rows.
    pub fn from_json(value: &Value) -> Report {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let rows = if value.is_array() { list(value) } else { list(&value["rows"]) };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Report {
            about: list(&value["about"]).iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect(),
            rows: rows.iter().filter_map(Row::from_json).collect(),
            plots: list(&value["plots"]).iter().filter_map(Plot::from_json).collect(),
        }
    }

    /// The report as text: the notes, then the table.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (what, is) in &self.about {
            let _ = writeln!(text, "{what}: {is}");
        }
        let _ = writeln!(text, "\n{}\n{}", head(), "-".repeat(head().chars().count()));
        for row in &self.rows {
            let _ = writeln!(text, "{}", line(row));
        }
        let with_target = self.rows.iter().filter(|row| row.met.is_some()).count();
        let met = self.rows.iter().filter(|row| row.met == Some(true)).count();
        let _ = writeln!(text, "\n{met} of {with_target} targets met");
        text
    }

    /// Writes `{name}.json` to the folder, creating the folder if necessary, and prints the report.
    pub fn finish(&self, name: &str, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        write_json(&folder.join(format!("{name}.json")), &self.to_json())?;
        println!("\n{}", self.text());
        Ok(())
    }
}

/// Writes indented JSON.
pub fn write_json(path: &Path, value: &Value) -> std::io::Result<()> {
    std::fs::write(path, serde_json::to_string_pretty(value)? + "\n")
}

fn head() -> String {
    format!(
        "{:<66} {:>10} {:<12} {:<38} {:>10} {:>7} {:<24} met",
        "what", "value", "unit", "peer or ceiling", "its value", "ratio", "target"
    )
}

fn line(row: &Row) -> String {
    let number = |value: Option<f64>| value.map_or_else(String::new, figure);
    format!(
        "{:<66} {:>10} {:<12} {:<38} {:>10} {:>7} {:<24} {}",
        row.name,
        figure(row.value),
        row.unit,
        row.peer.as_deref().unwrap_or(""),
        number(row.peer_value),
        number(row.ratio),
        row.target.as_deref().unwrap_or(""),
        match row.met {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        }
    )
}

/// Formats a number with three or four significant digits.
pub fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.1 => format!("{value:.3}"),
        size if size >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}
