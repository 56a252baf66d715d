//! [`InTokens`]: which words follow each other in tokens.

use super::counts::PairCounts;
use super::limit::Row;
use super::{Adjacency, Word};
use crate::base::error::Result;
use crate::base::memory::{collected, zeros};
use std::ops::Range;

/// Documents as their tokens, of which common words are looked for.
pub(super) struct InTokens<I> {
    documents: I,
    /// Per token, 1 more than the number of the common word that it is; 0 if it is none.
    words: Vec<u16>,
    counts: PairCounts,
}

impl<I> InTokens<I> {
    /// Pairs of some words, which have so many places, in documents whose tokens have these ranks among so many terms.
    pub fn new(documents: I, ranks: &[u32], of: &[Word], terms: usize, slots: usize) -> Result<InTokens<I>> {
        let mut of_terms = zeros(terms)?;
        for (number, word) in (1..).zip(of) {
            of_terms[word.term as usize] = number;
        }
        let words = collected(ranks.iter().map(|&rank| of_terms.get(rank as usize).copied().unwrap_or(0)))?;
        Ok(InTokens { documents, words, counts: PairCounts::new(slots)? })
    }
}

impl<D: Iterator<Item = u32>, I: Iterator<Item = D>> Adjacency for InTokens<I> {
    /// There is one part.
    fn seek(&mut self, from: u32) {
        debug_assert_eq!(from, 0);
    }

    fn each(
        &mut self,
        rows: &[Row],
        documents: Range<u32>,
        mut take: impl FnMut(u32, usize, u32) -> Result<()>,
    ) -> Result<()> {
        let InTokens { documents: tokens, words, counts } = self;
        for (doc_id, tokens) in documents.zip(tokens) {
            counts.add_neighbours(rows, tokens.map(|token| words.get(token as usize).copied().unwrap_or(0)));
            counts.drain(|place, frequency| take(doc_id, place, frequency))?;
        }
        Ok(())
    }
}
