//! What a search can be told.

use super::condition::Filter;
use super::fusion::Fusion;
use super::order::{After, Direction, SortKey};
use super::statistics::Statistics;
use crate::base::earth::Origin;
use crate::query::{Reading, Synonyms, Typos};
use crate::rank::{Bm25, Clock};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Which of the words of a query a document must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Matching {
    /// All of them.
    #[default]
    All,
    /// At least one.
    Any,
    /// All of them; if fewer documents have all than are wanted, they are followed by those that have any.
    AllThenAny,
}

/// How to search.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The most hits to return.
    pub limit: usize,
    /// Hits to leave out at the front.
    pub offset: usize,
    /// Which words documents must have.
    pub matching: Matching,
    /// What hits must meet besides the query.
    pub filter: Filter,
    /// What to sort by, the first one first, in place of the score. Equal hits are in the order of their insertion.
    pub sort: Vec<(SortKey, Direction)>,
    /// Weights of text fields in place of those of the schema, by field number. A field with weight 0 is not searched.
    pub weights: Vec<(usize, f32)>,
    /// Whether to count all documents that match.
    pub total: bool,
    /// BM25's parameters.
    pub bm25: Bm25,
    /// Searches that are not finished when that much time has passed come back [marked](super::Found::expired), without
    /// hits; counts and facets are [`Error::Expired`](crate::Error::Expired). The time of a batch begins with the batch.
    pub deadline: Option<Duration>,
    /// The most terms that the prefixes and fuzzy words of a query stand for in all: 10,000 by default. They share it
    /// evenly, in each field that they are looked up in, and each stands for those of its terms that the most documents
    /// contain: at least one, and at most [`MOST_WORDS`](super::MOST_WORDS).
    pub expansions: usize,
    /// The most postings of the lists that are put together for a query: once for prefixes and fuzzy words, once for
    /// phrases. Each takes 8 bytes while the query runs. By default [`FEW_JOINED`], or [`JOINED_PER_DOCUMENT`] for each
    /// document of the index if that is more.
    ///
    /// Prefixes and fuzzy words that have more stand for fewer terms: the rarest are left out. Phrases that exceed it, in the
    /// order in which they were typed, are looked up as words; if they are to exclude documents, they are ignored.
    pub joined: Option<u64>,
    /// Only hits after this place in their order are returned; the offset begins there. Totals and facets are of all.
    pub after: Option<After>,
    /// A keyword or numeric field of which each value is wanted once: of hits with the same value, the first is returned. The
    /// least of several values counts, in the order of their bytes. Hits without a value are all returned. Totals and facets
    /// are of all documents.
    pub distinct: Option<usize>,
    /// Fields whose [facets](super::Facet) are wanted, each with the most values; `None` if they are not asked for.
    pub facets: Option<Vec<(usize, usize)>>,
    /// How many edits plain words forgive; see [`Reading::typos`]. What they stand for is bounded as by
    /// [`expansions`](Self::expansions).
    pub typos: Typos,
    /// Whether the last word is also a prefix; see [`Reading::prefix`].
    pub prefix: bool,
    /// The numbers of the only text fields that are searched, and that `field:word` can name; a field with weight 0 counts
    /// as if it had none. `None`: all, those with weight 0 only by name.
    pub fields: Option<Vec<usize>>,
    /// Whether a query has operators; otherwise it is plain words.
    pub syntax: bool,
    /// The most words of a query that count; what follows them is ignored.
    pub words: usize,
    /// What else words of the query stand for. Phrases among them that exceed [`joined`](Self::joined) are left out.
    pub synonyms: Option<Arc<Synonyms>>,
    /// What scores depend on besides the documents of this index, in place of its own statistics: the sum of those of several
    /// indexes, of the same queries and options.
    pub statistics: Option<Arc<Statistics>>,
    /// How what a query finds and the nearest vectors become one list, if it has [vectors](super::Asked::nearest).
    pub fusion: Fusion,
    /// By [`Index::nearest`](super::Index::nearest), of each segment whose vectors are in clusters, the vectors of so many clusters
    /// are looked at, those with the closest centroids: at least 1, and all if there are no more. `None`: all vectors. Other
    /// searches look at all.
    pub probes: Option<usize>,
}

/// See [`Options::joined`].
pub const FEW_JOINED: u64 = 1 << 22;
/// See [`Options::joined`].
pub const JOINED_PER_DOCUMENT: u64 = 4;

/// When a search or a batch gives up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End(Option<Instant>);

impl End {
    /// A clock for one query.
    pub(super) fn clock(self) -> Clock {
        Clock::new(self.0)
    }

    /// The time until then; `None` if it never comes.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether that time has come.
    pub(crate) fn has_come(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

impl Options {
    /// Whether hits are in the order of scores alone, from the best on, and nothing else is asked of them: so devices rank.
    pub(crate) fn is_ranking(&self) -> bool {
        self.is_by_score() && self.after.is_none() && self.distinct.is_none() && self.facets.is_none()
    }

    /// Whether more than the best hits have to be found.
    pub(super) fn wants_all(&self) -> bool {
        self.total || self.facets.is_some() || self.distinct.is_some()
    }

    /// Whether hits are in the order of scores, best first.
    pub(super) fn is_by_score(&self) -> bool {
        matches!(self.sort[..], [] | [(SortKey::Score, Direction::Descending)])
    }

    /// What a place in the order of hits has a value of.
    pub(super) fn keys(&self) -> Vec<SortKey> {
        if self.sort.is_empty() { vec![SortKey::Score] } else { self.sort.iter().map(|&(key, _)| key).collect() }
    }

    /// The direction of each of the [keys](Self::keys).
    pub(super) fn directions(&self) -> Vec<Direction> {
        match self.sort.is_empty() {
            true => vec![Direction::Descending],
            false => self.sort.iter().map(|&(_, direction)| direction).collect(),
        }
    }

    /// From where the distances of hits are measured, and those of which field: as the first distance in the order, otherwise
    /// the first circle of the filter.
    pub(super) fn origin(&self) -> Option<(usize, Origin)> {
        let sorted = self.sort.iter().find_map(|&(key, _)| match key {
            SortKey::Distance(field, from) => Some((field, Origin::new(from))),
            _ => None,
        });
        sorted.or_else(|| self.filter.condition()?.first_origin())
    }

    /// How queries are read.
    pub(super) fn reading(&self) -> Reading {
        Reading { typos: self.typos, prefix: self.prefix, operators: self.syntax, words: self.words }
    }

    /// The end of what begins now.
    pub(crate) fn end(&self) -> End {
        // A time too far away to be told never comes.
        End(self.deadline.and_then(|deadline| Instant::now().checked_add(deadline)))
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limit: 10,
            offset: 0,
            matching: Matching::All,
            filter: Filter::default(),
            sort: Vec::new(),
            weights: Vec::new(),
            total: false,
            bm25: Bm25::default(),
            deadline: None,
            expansions: 10_000,
            joined: None,
            after: None,
            distinct: None,
            facets: None,
            typos: Typos::None,
            prefix: false,
            fields: None,
            syntax: true,
            words: usize::MAX,
            synonyms: None,
            statistics: None,
            fusion: Fusion::default(),
            probes: None,
        }
    }
}
