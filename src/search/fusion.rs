//! [`Fusion`]: how hits of words and of vectors become one list; [`Ranking`]: such a list by ranks, with those it is made of.

use super::FoundHit;
use std::ops::RangeInclusive;

/// How what a query finds and the nearest vectors become one list. A document is in it if it is in one of them. Equal scores are
/// in the order of insertion.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Fusion {
    /// By ranks: the sum of 1 / ([`RANK`] + rank) over the lists, ranks counting from 1 (Cormack, Clarke, Büttcher 2009). Each
    /// list has [`WINDOW`] hits, or as many as offset and limit ask for if that is more.
    #[default]
    Ranks,
    /// By scores: the weight of the text times the score, and of each vector field times the similarity, by field number; 0 for
    /// a document that does not match, or has no vector. Exact: over all documents.
    Scores {
        /// What the scores of the query are multiplied by.
        text: f64,
        /// What the similarities of a vector field are.
        fields: Vec<(usize, f64)>,
    },
}

impl Fusion {
    /// What weights may be.
    pub const WEIGHTS: RangeInclusive<f64> = 0.0..=1e6;

    /// The weight of a vector field, or of the text: 0 if none is given, and by ranks.
    pub(super) fn weight(&self, field: Option<usize>) -> f64 {
        match (self, field) {
            (Fusion::Ranks, _) => 0.0,
            (Fusion::Scores { text, .. }, None) => *text,
            (Fusion::Scores { fields, .. }, Some(field)) => {
                fields.iter().find(|of| of.0 == field).map_or(0.0, |of| of.1)
            }
        }
    }
}

/// See [`Fusion::Ranks`].
pub const RANK: f64 = 60.0;
/// See [`Fusion::Ranks`].
pub const WINDOW: usize = 100;

/// How many hits lists have, if so many hits of all are wanted; see [`Fusion::Ranks`].
pub(crate) fn window(wanted: usize) -> usize {
    WINDOW.max(wanted)
}

/// Lists of documents fused [by ranks](Fusion::Ranks): all that is needed to fuse them with those of other indexes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    documents: Vec<FoundHit>,
    lists: Vec<RankedList>,
    order: Vec<usize>,
}

/// One of the lists.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankedList {
    /// Its documents, best first, as numbers among those of the ranking; and their scores in this list.
    pub hits: Vec<(usize, f64)>,
    /// As [`Found::with_all`](super::Found::with_all).
    pub with_all: Option<usize>,
}

impl Ranking {
    /// Of documents in the order of their insertion, whose scores are set here. `None` if a list has a document twice, or one that
    /// there is not, or if a document is in no list.
    pub fn new(mut documents: Vec<FoundHit>, lists: Vec<RankedList>) -> Option<Ranking> {
        documents.iter_mut().for_each(|document| document.score = 0.0);
        // By document, how many lists there are up to the last one that has it.
        let mut last = vec![0; documents.len()];
        for (list, number) in lists.iter().zip(1usize..) {
            for (&(at, _), rank) in list.hits.iter().zip(1u32..) {
                let (document, last) = (documents.get_mut(at)?, last.get_mut(at)?);
                if std::mem::replace(last, number) == number {
                    return None;
                }
                document.score += 1.0 / (RANK + f64::from(rank));
            }
        }
        if last.contains(&0) {
            return None;
        }
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_unstable_by(|&a, &b| documents[b].score.total_cmp(&documents[a].score).then(a.cmp(&b)));
        Some(Ranking { documents, lists, order })
    }

    /// The documents of all lists, in the order of their insertion, with their scores.
    pub fn documents(&self) -> &[FoundHit] {
        &self.documents
    }

    /// The lists: that of the query, then those of the vectors.
    pub fn lists(&self) -> &[RankedList] {
        &self.lists
    }

    /// The numbers of the documents, best first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// A page of the documents, best first.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<FoundHit> {
        self.order.iter().skip(offset).take(limit).map(|&at| self.documents[at].clone()).collect()
    }
}

#[cfg(test)]
impl Ranking {
    /// As a leaf could have it that is not to be trusted.
    pub(crate) fn unchecked(documents: Vec<FoundHit>, lists: Vec<RankedList>) -> Ranking {
        Ranking { order: (0..documents.len()).collect(), documents, lists }
    }
}
