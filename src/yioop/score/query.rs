//! One document against the words and phrases of a query.

use super::{Collection, Document, Phrase, Round, Weights, estimated_postings, proximity};
use crate::base::error::{Error, Result};

/// What the query asks of the lists it intersects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    lists: usize,
    /// For each word of the query, in its order, the list that it is in.
    words: Vec<usize>,
    phrases: Vec<Phrase>,
}

/// A document's posting in one of the lists.
#[derive(Debug, Clone, Copy)]
pub struct Match<'a> {
    /// Where the word stands.
    pub positions: &'a [u32],
    /// Length of the whole list in this shard.
    pub list_bytes: usize,
    /// Length of this posting.
    pub posting_bytes: usize,
}

/// The two factors of a score that depend on the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The sum of the words' relevances.
    pub relevance: f64,
    /// How near to each other the words stand; 1 if fewer than two have positions.
    pub proximity: f64,
}

impl Query {
    /// A query over `lists` lists.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no list, a word names a missing list, or the first word is not in the first
    /// list; or as [`with_phrases`](Self::with_phrases).
    pub fn new(lists: usize, words: Vec<usize>, phrases: Vec<Phrase>) -> Result<Self> {
        if lists == 0 {
            return Err(Error::Argument("a query needs at least one list".into()));
        }
        if let Some((index, list)) = words.iter().enumerate().find(|&(_, &list)| list >= lists) {
            return Err(Error::Argument(format!("word {index} is in list {list}, but there are {lists} lists")));
        }
        // Yioop scores the first list for the first word, whatever that names.
        if let Some(list) = words.first().filter(|&&list| list != 0) {
            return Err(Error::Argument(format!("word 0 is in list {list}, but the first word's list is list 0")));
        }
        Query { lists, words, phrases: Vec::new() }.with_phrases(phrases)
    }

    /// The query with these phrases.
    ///
    /// # Errors
    /// [`Error::Argument`] if a phrase names a missing word.
    pub fn with_phrases(self, phrases: Vec<Phrase>) -> Result<Self> {
        let words = self.words.len();
        let last_word = phrases.iter().filter_map(Phrase::last_list).max();
        match last_word.filter(|&word| word >= words.max(1)) {
            Some(word) => Err(Error::Argument(format!("a phrase names word {word}, but there are {words} words"))),
            None => Ok(Query { phrases, ..self }),
        }
    }

    /// How many lists the query intersects.
    pub fn lists(&self) -> usize {
        self.lists
    }

    /// Scores a document that all lists have; `None` if a phrase does not occur in it. `matches` holds one posting
    /// per list.
    ///
    /// As in Yioop, the first list stands for the first word; a word whose list has a smaller number than the word
    /// itself counts as a repetition, which doubles the relevance so far and takes the positions that stand at that
    /// place; a word without positions takes part in relevance only.
    ///
    /// # Errors
    /// As [`Collection::relevance`].
    pub fn score(
        &self,
        collection: &Collection,
        document: &Document,
        matches: &[Match<'_>],
        weights: &Weights,
        round: Round,
    ) -> Result<Option<Scored>> {
        let of = |found: &Match<'_>| {
            let postings = estimated_postings(found.list_bytes, found.posting_bytes);
            collection.relevance(document, found.positions, postings, weights, round)
        };
        let first = &matches[0];
        let mut relevance = of(first)?;
        let mut positions = vec![first.positions];
        for (word, &list) in self.words.iter().enumerate().skip(1) {
            if list < word {
                positions.push(positions.get(list).copied().unwrap_or_default());
                relevance += relevance;
            } else {
                let found = &matches[list];
                if !found.positions.is_empty() {
                    positions.push(found.positions);
                }
                relevance += of(found)?;
            }
        }
        if positions.len() < 2 {
            return Ok(Some(Scored { relevance, proximity: 1.0 }));
        }
        if !self.phrases.iter().all(|phrase| phrase.occurs(&positions)) {
            return Ok(None);
        }
        Ok(Some(Scored { relevance, proximity: proximity(&positions, !document.is_link, weights) }))
    }
}
