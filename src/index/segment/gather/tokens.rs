//! [`InTokens`]: which words follow each other in tokens.

use super::{Adjacency, Neighbours, Word, add_neighbours};
use crate::base::error::Result;
use crate::base::memory::{collected, zeros};
use std::ops::Range;

/// Documents as their tokens, of which common words are looked for.
pub(super) struct InTokens<A, I> {
    all: A,
    /// Those from the next one on.
    documents: I,
    next: u32,
    /// Per token, 1 more than the number of the common word that it is; 0 if it is none.
    words: Vec<u16>,
}

impl<A: Fn() -> I, I> InTokens<A, I> {
    /// Some words in documents, of which `all` is an iterator and whose tokens have these ranks among so many terms.
    pub fn new(all: A, ranks: &[u32], of: &[Word], terms: usize) -> Result<InTokens<A, I>> {
        let mut of_terms = zeros(terms)?;
        for (number, word) in (1..).zip(of) {
            of_terms[word.term as usize] = number;
        }
        let words = collected(ranks.iter().map(|&rank| of_terms.get(rank as usize).copied().unwrap_or(0)))?;
        Ok(InTokens { documents: all(), all, next: 0, words })
    }
}

impl<A: Fn() -> I, D: Iterator<Item = u32>, I: Iterator<Item = D>> Adjacency for InTokens<A, I> {
    fn seek(&mut self, from: u32) {
        if from < self.next {
            (self.documents, self.next) = ((self.all)(), 0);
        }
        (self.next..from).for_each(|_| drop(self.documents.next()));
        self.next = from;
    }

    fn each(&mut self, documents: Range<u32>, to: &mut impl Neighbours) -> Result<()> {
        let words = &self.words;
        self.next = documents.end;
        for (doc_id, tokens) in documents.zip(&mut self.documents) {
            add_neighbours(doc_id, tokens.map(|token| words.get(token as usize).copied().unwrap_or(0)), to);
            to.end(doc_id)?;
        }
        Ok(())
    }
}
