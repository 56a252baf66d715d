//! What an experiment finds: tables, plots, figures beside a paper's, and findings. Kept as JSON.

use super::papers;
use crate::support::clock::Spread;
use crate::support::plot::Plot;
use serde_json::{Value, json};

/// An entry of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Empty,
    Text(String),
    /// A figure that has no spread, as a size.
    Figure(f64),
    /// A median of rounds, and its spread.
    Spread(Spread),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(figure: f64) -> Cell {
        if figure.is_finite() { Cell::Figure(figure) } else { Cell::Empty }
    }
}

impl From<usize> for Cell {
    fn from(figure: usize) -> Cell {
        Cell::Figure(figure as f64)
    }
}

impl From<Spread> for Cell {
    fn from(spread: Spread) -> Cell {
        Cell::Spread(spread)
    }
}

impl<C: Into<Cell>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Cell {
        cell.map_or(Cell::Empty, Into::into)
    }
}

/// A table: the first column names the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, head: impl IntoIterator<Item = impl Into<String>>) -> Table {
        Table { title: title.into(), head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, name: impl Into<String>, cells: impl IntoIterator<Item = impl Into<Cell>>) {
        let mut row = vec![Cell::Text(name.into())];
        row.extend(cells.into_iter().map(Into::into));
        self.rows.push(row);
    }
}

/// A figure of ours beside one of a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// What of ours is compared.
    pub what: String,
    /// Paper, item, row and column.
    pub paper: [String; 4],
    pub ours: f64,
}

/// What a paper found, and whether it holds here.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The paper's finding.
    pub claim: String,
    /// Paper and item.
    pub source: String,
    /// Whether it holds, by the rule that `because` states.
    pub holds: bool,
    /// The rule and the figures.
    pub because: String,
}

/// What an experiment finds.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Facts about corpora and what was left out.
    pub notes: Vec<String>,
    pub tables: Vec<Table>,
    pub plots: Vec<Plot>,
    pub beside: Vec<Beside>,
    pub findings: Vec<Finding>,
    /// The seconds that it took.
    pub seconds: f64,
    /// Whether it ran with `--quick`.
    pub quick: bool,
    /// The day on which it ran; empty in results of before it was kept.
    pub date: String,
}

impl Outcome {
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Puts a figure beside a paper's.
    pub fn beside(&mut self, what: impl Into<String>, paper: (&str, &str, &str, &str), ours: f64) {
        // Panics if the paper does not have it.
        papers::number(paper.0, paper.1, paper.2, paper.3);
        let paper = [paper.0, paper.1, paper.2, paper.3].map(str::to_owned);
        self.beside.push(Beside { what: what.into(), paper, ours });
    }

    /// States whether a finding of a paper holds.
    pub fn finding(
        &mut self,
        (file, item): (&str, &str),
        claim: impl Into<String>,
        holds: bool,
        because: impl Into<String>,
    ) {
        let source = papers::cite(file, item);
        self.findings.push(Finding { claim: claim.into(), source, holds, because: because.into() });
    }

    pub fn to_json(&self) -> Value {
        let cell = |cell: &Cell| match cell {
            Cell::Empty => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Figure(figure) => json!(rounded(*figure)),
            Cell::Spread(Spread { median, low, high }) => json!([median, low, high].map(|value| rounded(*value))),
        };
        let table = |table: &Table| {
            let rows: Vec<Vec<Value>> = table.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
            json!({ "title": table.title, "head": table.head, "rows": rows })
        };
        let beside =
            |beside: &Beside| json!({ "what": beside.what, "paper": beside.paper, "ours": rounded(beside.ours) });
        let finding = |finding: &Finding| {
            json!({
                "claim": finding.claim, "source": finding.source, "holds": finding.holds, "because": finding.because,
            })
        };
        json!({
            "seconds": (self.seconds * 10.0).round() / 10.0,
            "quick": self.quick,
            "date": self.date,
            "notes": self.notes,
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "plots": self.plots.iter().map(Plot::to_json).collect::<Vec<_>>(),
            "beside": self.beside.iter().map(beside).collect::<Vec<_>>(),
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
        })
    }

    /// Parses the output of `to_json`. What is not in it is empty.
    pub fn from_json(value: &Value) -> Outcome {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = |value: &Value| list(value).iter().map(text).collect::<Vec<_>>();
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let cell = |value: &Value| match value {
            Value::String(text) => Cell::Text(text.clone()),
            Value::Array(spread) if spread.len() == 3 => {
                let [median, low, high] = [0, 1, 2].map(|at| number(&spread[at]));
                Cell::Spread(Spread { median, low, high })
            }
            other => Cell::from(other.as_f64()),
        };
        let table = |value: &Value| Table {
            title: text(&value["title"]),
            head: texts(&value["head"]),
            rows: list(&value["rows"]).iter().map(|row| list(row).iter().map(cell).collect()).collect(),
        };
        let beside = |value: &Value| Beside {
            what: text(&value["what"]),
            paper: [0, 1, 2, 3].map(|at| text(&value["paper"][at])),
            ours: number(&value["ours"]),
        };
        let finding = |value: &Value| Finding {
            claim: text(&value["claim"]),
            source: text(&value["source"]),
            holds: value["holds"].as_bool().unwrap_or(false),
            because: text(&value["because"]),
        };
        Outcome {
            notes: texts(&value["notes"]),
            tables: list(&value["tables"]).iter().map(table).collect(),
            plots: list(&value["plots"]).iter().filter_map(Plot::from_json).collect(),
            beside: list(&value["beside"]).iter().map(beside).collect(),
            findings: list(&value["findings"]).iter().map(finding).collect(),
            seconds: value["seconds"].as_f64().unwrap_or(0.0),
            quick: value["quick"].as_bool().unwrap_or(false),
            date: text(&value["date"]),
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Five significant digits, which is more than is measured.
pub fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
