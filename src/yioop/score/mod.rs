//! How Yioop ranks a document that has all words of a query: BM25F relevance of each word ([`Collection::relevance`]),
//! how near to each other the words stand ([`proximity`]), and a rank by the document's place in the index
//! ([`Collection::rank`]).
//!
//! The numbers are those of Yioop's PHP, bit for bit: the same operations on f64 in the same order, rounded where Yioop
//! rounds. PHP versions differ in `number_format`, so the caller provides the rounding ([`Round`]).

mod auxiliary;
mod phrase;
mod proximity;
mod query;

pub use auxiliary::Auxiliary;
pub use phrase::{MAX_PHRASE, Phrase, PhrasePart};
pub use proximity::proximity;
pub use query::{Match, Query, Scored};

use crate::base::error::{Error, Result};

/// Rounds to a number of decimal places as the caller's PHP does; [`round`] without PHP.
pub type Round = fn(f64, u32) -> f64;

/// The summary offset of a document that is not stored yet.
const NEEDS_OFFSET: u32 = 0x7fff_ffff;

/// Four bits of a document's length hold a rank if an archive was crawled; then Yioop keeps this bit of the length
/// (and loses the others, which it meant to keep).
const RANK_SHIFT: u32 = 19;
const RANK_MASK: u32 = 0x0f << RANK_SHIFT;
const LENGTH_BESIDE_RANK: u32 = 2 << 18;

/// The constants of a Yioop site that scores depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// `TITLE_WEIGHT`: of a position in the title.
    pub title: f64,
    /// `DESCRIPTION_WEIGHT`: of a position after the title.
    pub description: f64,
    /// `LINK_WEIGHT`: of a position in the text of a link.
    pub link: f64,
    /// `AD_HOC_TITLE_LENGTH`: positions below this are the title.
    pub title_length: i64,
    /// `AVG_LINKS_PER_PAGE`.
    pub links_per_page: i64,
    /// `PRECISION`: decimal places that some factors are rounded to.
    pub precision: u32,
}

impl Default for Weights {
    /// What Yioop 2019 sets.
    fn default() -> Self {
        Weights { title: 4.0, description: 1.0, link: 2.0, title_length: 50, links_per_page: 24, precision: 10 }
    }
}

/// What a shard's header says of its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Which shard of the index this is, from 0.
    pub generation: u32,
    /// How many documents a shard may hold.
    pub documents_per_generation: u32,
    /// Documents in this shard.
    pub documents: u32,
    /// Links in this shard.
    pub links: u32,
    /// Words in all documents.
    pub documents_length: u32,
    /// Words in all links.
    pub links_length: u32,
}

/// A document or link, as a shard's document map has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Where its summary is stored.
    pub summary_offset: u32,
    /// Whether it is a link.
    pub is_link: bool,
    /// Its length in words, 23 bits (a rank may be among them).
    pub length: u32,
    /// Weights of its positions and ranks given by classifiers.
    pub auxiliary: Auxiliary,
}

/// How often a word occurs, by the weight of where it does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Occurrences {
    title: f64,
    description: f64,
    link: f64,
}

/// One part of a document, for BM25F.
struct Field {
    occurrences: f64,
    length: f64,
    average_length: f64,
    weight: f64,
}

impl Collection {
    /// The rank of a document: what an archive gave it, otherwise 10 minus the decimal logarithm of its place in the
    /// index, rounded.
    pub fn rank(&self, doc_index: u32, document: &Document, weights: &Weights, round: Round) -> Rank {
        let given = document.length & RANK_MASK;
        if given != 0 {
            return Rank::Given((given >> RANK_SHIFT) as u8);
        }
        let before = (weights.links_per_page as f64 + 1.0)
            * f64::from(self.documents_per_generation)
            * f64::from(self.generation);
        Rank::Place(round(10.0 - (f64::from(doc_index) + 1.0 + before).log10(), weights.precision))
    }

    /// The relevance of a document for a word that stands at `positions` in it: BM25F over title, description and link
    /// text. `postings` is Yioop's estimate of how many documents have the word ([`estimated_postings`]).
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the header counts no document of this kind.
    pub fn relevance(
        &self,
        document: &Document,
        positions: &[u32],
        postings: f64,
        weights: &Weights,
        round: Round,
    ) -> Result<f64> {
        if document.summary_offset == NEEDS_OFFSET {
            return Ok(1.0);
        }
        if self.documents == 0 && (self.links == 0 || !document.is_link) {
            return Err(Error::corrupt("shard", "header", 24, "counts no document, but the index has one"));
        }
        let kind = if document.is_link { self.links } else { self.documents };
        let mut length = document.length;
        if length & RANK_MASK != 0 {
            length &= LENGTH_BESIDE_RANK;
        }
        let length = f64::from(length);
        let title_length = weights.title_length as f64;
        let occurrences = document.occurrences(positions, weights);
        let mut relevance = 0.0;
        let mut add = |field: Field| {
            if field.occurrences > 0.0 {
                relevance += self.bm25(&field, postings, f64::from(kind), weights.precision, round);
            }
        };
        if document.is_link {
            add(Field {
                occurrences: occurrences.link,
                length,
                average_length: f64::from(self.links_length) / f64::from(kind.max(1)),
                weight: weights.link,
            });
            return Ok(relevance);
        }
        let average_length = f64::from(self.documents_length) / f64::from(kind);
        add(Field {
            occurrences: occurrences.title,
            length: title_length,
            average_length: title_length,
            weight: weights.title,
        });
        add(Field {
            occurrences: occurrences.description,
            length: (length - title_length).max(1.0),
            average_length: (average_length - title_length).max(1.0),
            weight: weights.description,
        });
        Ok(relevance)
    }

    fn bm25(&self, field: &Field, mut postings: f64, kind: f64, precision: u32, round: Round) -> f64 {
        let ratio = if field.average_length > 0.0 { field.length / field.average_length } else { 0.0 };
        let frequency = round(3.0 * field.occurrences / (field.occurrences + 0.5 + 1.5 * ratio), precision);
        let all = f64::from(self.documents) + f64::from(self.links);
        if postings > all {
            postings = 0.5 * all;
        }
        let with_word = postings * kind / all;
        let inverse_frequency = ((kind - with_word + 0.5) / (with_word + 0.5)).ln();
        0.5 * inverse_frequency * frequency * field.weight
    }
}

/// The rank of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rank {
    /// What an archive gave it, 1 to 15.
    Given(u8),
    /// By its place in the index.
    Place(f64),
}

impl Rank {
    /// The rank as a number.
    pub fn value(self) -> f64 {
        match self {
            Rank::Given(rank) => f64::from(rank),
            Rank::Place(rank) => rank,
        }
    }
}

impl Document {
    fn occurrences(&self, positions: &[u32], weights: &Weights) -> Occurrences {
        let mut count = Occurrences::default();
        if self.is_link {
            count.link = positions.len() as f64;
            return count;
        }
        let mut scores = self.auxiliary.scores(weights);
        for &position in positions {
            if i64::from(position) < weights.title_length {
                count.title += 1.0;
            } else {
                count.description += scores.at(i64::from(position));
            }
        }
        count
    }
}

/// How many documents Yioop takes a word to be in: the bytes of its list but the last word, over the bytes of the
/// posting at hand, rounded up.
pub fn estimated_postings(list_bytes: usize, posting_bytes: usize) -> f64 {
    (list_bytes.saturating_sub(4) as f64 / posting_bytes.max(4) as f64).ceil()
}

/// Rounds half away from zero as PHP 5.3 to 8.3 do: first to the 15 significant digits that a double holds. Below 10^4
/// this is also what `number_format` prints, read back as a number.
pub fn round(value: f64, places: u32) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let places = places.min(22) as i32;
    let half_up = |value: f64| if value >= 0.0 { (value + 0.5).floor() } else { (value - 0.5).ceil() };
    // Powers to 22 are exact, however they are made.
    let power = |exponent: i32| 10f64.powf(f64::from(exponent));
    let significant = 14 - value.abs().log10().floor() as i32;
    let scaled = if significant > places && significant - 15 < places {
        let digits = if significant >= 0 { value * power(significant) } else { value / power(-significant) };
        half_up(digits) / power(significant - places)
    } else {
        value * power(places)
    };
    if scaled.abs() >= 1e15 {
        return value;
    }
    half_up(scaled) / power(places)
}

#[cfg(test)]
mod tests;
