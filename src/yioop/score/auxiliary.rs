//! What Yioop 2019 keeps after a document's keys: weights of its positions, and ranks that classifiers gave it.

use super::Weights;
use crate::base::error::{Error, Result};

/// Weights of a document's positions and ranks that classifiers gave it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Auxiliary {
    /// (first position after the title, weight from there on), in the order of the document.
    pub description_scores: Vec<(u32, f64)>,
    /// Ranks, 0 to 1.
    pub user_ranks: Vec<f64>,
}

impl Auxiliary {
    /// Reads it from the bytes after a document's third key: if they begin with 0xFFFF, a list of position gaps and one
    /// of weights; then a list of ranks. A list is a u16 count, then that many u16, little-endian; one that does not
    /// fit is taken as empty, as Yioop does.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if positions and weights differ in number.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let mut description_scores: Vec<(u32, f64)> = Vec::new();
        let mut rest = bytes;
        if let Some(behind) = bytes.strip_prefix(&[0xff, 0xff]) {
            let (gaps, behind) = list(behind);
            let (scores, behind) = list(behind);
            if gaps.len() != scores.len() {
                let what = format!("{} positions but {} weights", gaps.len(), scores.len());
                return Err(Error::corrupt("shard", "document's auxiliary keys", 2, what));
            }
            let mut position = 0u32;
            for (gap, score) in gaps.zip(scores) {
                // At most 2^16 - 1 gaps of 2^16 - 1: below 2^32.
                position += u32::from(gap);
                let score = f64::from(score) / 65536.0;
                // A PHP array has a key once: a later weight takes the place of the first.
                match description_scores.iter_mut().find(|entry| entry.0 == position) {
                    Some(entry) => entry.1 = score,
                    None => description_scores.push((position, score)),
                }
            }
            rest = behind;
        }
        let user_ranks = list(rest).0.map(|rank| f64::from(rank) / 65536.0).collect();
        Ok(Auxiliary { description_scores, user_ranks })
    }

    /// The weights of positions after the title, asked for in ascending order.
    pub(super) fn scores<'a>(&'a self, weights: &Weights) -> Scores<'a> {
        Scores {
            scores: &self.description_scores,
            at: 0,
            next: weights.title_length,
            title: weights.title,
            title_length: weights.title_length,
        }
    }
}

/// A cursor over a document's position weights.
pub(super) struct Scores<'a> {
    scores: &'a [(u32, f64)],
    at: usize,
    /// Where the part after part `at` begins.
    next: i64,
    title: f64,
    title_length: i64,
}

impl Scores<'_> {
    /// The weight of a position that is not below the one asked for before.
    pub(super) fn at(&mut self, position: i64) -> f64 {
        let Some(last) = self.scores.len().checked_sub(1) else {
            return 1.0;
        };
        while self.at < last {
            self.next = self.title_length + i64::from(self.scores[self.at + 1].0);
            if self.next > position {
                break;
            }
            self.at += 1;
        }
        self.title * self.scores[self.at].1
    }
}

/// The list of u16 at the front of `bytes`, and what follows it.
fn list(bytes: &[u8]) -> (impl ExactSizeIterator<Item = u16>, &[u8]) {
    let word = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
    let whole = bytes.get(..2).map(word).and_then(|count| bytes.get(2..2 + 2 * usize::from(count)));
    let (values, rest) = match whole {
        Some(values) => (values, &bytes[2 + values.len()..]),
        None => (&[][..], bytes),
    };
    (values.chunks_exact(2).map(word), rest)
}
