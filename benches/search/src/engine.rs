//! What a contestant offers. Ours and tantivy's are one file each.

use crate::data::Passages;
use std::error::Error;
use std::path::Path;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Which passages match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Match {
    /// Those with all words, in any field.
    And,
    /// Those with any.
    Or,
    /// Those with the first word; the others only add to scores.
    First,
    /// Those where the words stand side by side, in this order, in one field.
    Phrase,
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// The best so many by BM25 (k1 1.2, b 0.75), best first.
    Top(usize),
    /// How many match, exactly.
    Count,
    /// Both.
    TopAndCount(usize),
}

impl Want {
    /// How many hits at most.
    pub fn top(self) -> usize {
        match self {
            Want::Top(k) | Want::TopAndCount(k) => k,
            Want::Count => 0,
        }
    }
}

/// A hit. `id` is the contestant's own number of the document until `Engine::ids` has made it the passage's.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Hit {
    pub id: u64,
    pub score: f32,
}

/// What a search found; reused from query to query.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// Present if a count was wanted.
    pub count: Option<u64>,
}

/// An open index, ready to be searched by one thread.
pub trait Engine {
    /// Searches for words that are lower-case tokens already, and overwrites `found`. This is what is timed, from the
    /// words on: making the query is included.
    fn search(&mut self, words: &[String], how: Match, want: Want, found: &mut Found) -> Result<()>;

    /// Puts the passages' numbers in place of the contestant's own. Not timed.
    fn ids(&mut self, found: &mut Found) -> Result<()>;
}

/// Which fields a passage has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fields {
    /// One of text.
    One,
    /// Two: its title and the rest ([`crate::data::titled`]).
    Two,
    /// One, and a brand, a seller and a price: those of [`crate::data::product`].
    Product,
}

/// How to build an index.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The tokens of [`crate::data::words`], or what the contestant's own analyzer makes of the text.
    pub own_analyzer: bool,
    pub fields: Fields,
    pub threads: usize,
    /// Bytes that all threads together may hold before they write a segment.
    pub memory: usize,
}

/// What building an index took.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// Seconds until the commit was durable.
    pub commit: f64,
    /// Seconds from then on until there was one segment.
    pub merge: f64,
    /// Tokens in the index, by the contestant's own count.
    pub tokens: u64,
}

/// A contestant: how its index is built and opened.
pub trait Contestant {
    fn name(&self) -> &'static str;

    /// Builds the index of all passages in an empty folder, merged to one segment, with frequencies and positions. A
    /// passage's id is its number.
    fn build(&self, folder: &Path, passages: &Passages, job: Job) -> Result<Built>;

    fn open(&self, folder: &Path) -> Result<Box<dyn Engine>>;
}
