//! The corpora: real lists, lists of a text with its documents in three orders, generated ones.

pub mod collection;
pub mod real;
pub mod shaped;
pub mod text;

use crate::failure::Failure;
use crate::support::data;
use std::path::Path;
use text::Text;

/// Lists over the same documents, and conjunctive queries over them.
#[derive(Debug, Clone)]
pub struct Corpus {
    pub name: String,
    /// What it is, for notes.
    pub about: String,
    /// DocIDs are below this.
    pub universe: u64,
    pub lists: Vec<Vec<u32>>,
    /// Indices of lists, the shortest list first. May be empty.
    pub queries: Vec<Vec<usize>>,
}

impl Corpus {
    /// The number of docIDs in all lists.
    pub fn postings(&self) -> usize {
        self.lists.iter().map(Vec::len).sum()
    }

    /// Name, sizes and what it is.
    pub fn describe(&self) -> String {
        format!(
            "{}: {}; {} lists, {} docIDs below {}, {} queries.",
            self.name,
            self.about,
            self.lists.len(),
            self.postings(),
            self.universe,
            self.queries.len()
        )
    }
}

/// The names of the corpora in Ao's sense: natural order, ordered by content, random.
pub const NATURAL: &str = "text, natural";
pub const ORDERED: &str = "text, bisection";
pub const RANDOM: &str = "text, random";
pub const GOV: &str = "GOV-shaped";

/// All corpora: of real lists in a folder, of a text, and generated ones; small ones if they are to be `quick`.
pub fn all(lists: Option<&Path>, text: Option<&Text>, quick: bool) -> Result<Vec<Corpus>, Failure> {
    let mut all = Vec::new();
    if let Some(folder) = lists {
        all.extend(real::read(folder)?);
    }
    if let Some(text) = text {
        all.extend(text.corpora(if quick { 500 } else { 2_000 })?);
    }
    all.push(shaped::Shape::gov(if quick { 1 } else { 4 }).corpus());
    let count = if quick { 1 << 18 } else { 1 << 21 };
    type Make = fn(usize, f64, u64) -> Vec<u32>;
    let generated: [(&str, &str, Make); 2] = [
        ("geometric", "generated, gaps geometric with means 4 to 256", data::geometric),
        ("clustered", "generated, clusters of 64 docIDs with mean gap 2, mean of all gaps 4 to 256", data::clustered),
    ];
    for (name, about, make) in generated {
        let lists: Vec<Vec<u32>> = (2..=8).map(|log| make(count, f64::from(1 << log), 300 + log)).collect();
        let universe = lists.iter().filter_map(|list| list.last()).max().map_or(0, |&last| u64::from(last) + 1);
        all.push(Corpus { name: name.into(), about: about.into(), universe, lists, queries: Vec::new() });
    }
    Ok(all)
}

/// The shares of queries of 2 to 6 terms (Ao 2011, table 4), in percent of all.
pub const SHARES: [f64; 5] = [16.1, 24.5, 22.8, 14.8, 8.24];

/// The number of terms of a query, distributed as in Ao 2011, table 4, by a number from 0 to 1.
pub fn terms_at(quantile: f64) -> usize {
    let mut left = quantile * SHARES.iter().sum::<f64>();
    for (terms, share) in (2..).zip(SHARES) {
        if left <= share {
            return terms;
        }
        left -= share;
    }
    6
}
