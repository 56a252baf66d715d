//! Tokens in the order of documents → postings in the order of terms.

use super::sorter::{Layout, Pair, Range, Sorter};
use super::terms::{HOLE, Terms};
use super::token_store::{TokenStore, TokensOf};
use crate::base::error::Result;
use crate::base::memory::{filled, room};
use crate::index::list::Postings;
use std::iter::repeat;

/// What tokens are inverted to.
#[derive(Clone, Copy)]
pub(super) enum Inverted<'t> {
    /// Postings of a text field, of whose documents these are the length bytes.
    Text { lengths: &'t [u8], positions: bool },
    /// Postings of a keyword field.
    Keywords,
    /// Postings of a weights field: the code of each token.
    Weights { codes: &'t TokenStore },
}

/// Bytes that inverting tokens takes, beside which there are numbers up to `greatest`.
pub(super) fn memory(terms: &Terms, tokens: &TokenStore, greatest: u32) -> usize {
    let most = terms.most() as usize;
    let layout = Layout::new(tokens.len(), greatest);
    layout.bytes() * layout.range(tokens.units()).max(most)
        + OfTerm::memory(tokens.len(), most)
        // Once terms are sorted: the rank of each, where its pairs end, and how many documents it has, of which the last two grow by a
        // quarter; and in the place of what sorted them, those that are frequent.
        + terms.len() * (Terms::SORTING + 4 + 5 + 5)
}

/// All tokens of a field of a segment.
pub(super) struct Inverter {
    terms: Terms,
    /// If tokens are words, the term of each.
    of_words: Option<Vec<u32>>,
    tokens: TokenStore,
    /// The greatest number that will stand beside a docID: of positions, or codes.
    greatest: u32,
}

impl Inverter {
    pub fn new(mut terms: Terms, of_words: Option<Vec<u32>>, tokens: TokenStore, greatest: u32) -> Inverter {
        terms.freeze();
        Inverter { terms, of_words, tokens, greatest }
    }

    /// Calls `each` with every term that a document has, in ascending order, and its postings. Documents are numbered without dead
    /// ones.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and those of `each`.
    pub fn invert(
        mut self,
        dead: impl Fn(usize) -> bool,
        of: Inverted,
        mut each: impl FnMut(&[u8], &Postings) -> Result<()>,
    ) -> Result<Ranked> {
        self.bury(&dead);
        let mut sorted = self.terms.sorted()?;
        sorted.retain(|&number| self.terms.counted(number) > 0);
        let ranks = self.ranks(&sorted)?;
        let Inverter { terms, tokens, greatest, .. } = self;
        let layout = Layout::new(tokens.len(), greatest);
        let ranked = Ranked { tokens, ranks };
        match layout.narrow {
            true => ranked.sort::<u32>(&terms, &sorted, layout, &dead, of, &mut each)?,
            false => ranked.sort::<u64>(&terms, &sorted, layout, &dead, of, &mut each)?,
        }
        Ok(ranked)
    }

    /// Uncounts the tokens of dead documents.
    fn bury(&mut self, dead: impl Fn(usize) -> bool) {
        for (_, tokens) in self.tokens.documents().enumerate().filter(|&(doc, _)| dead(doc)) {
            for number in tokens.filter(|&number| number != HOLE) {
                self.terms.uncount(self.of_words.as_ref().map_or(number, |terms| terms[number as usize]));
            }
        }
    }

    /// The rank of each token's term among those that are left, which are sorted; [`HOLE`] of others.
    fn ranks(&mut self, sorted: &[u32]) -> Result<Vec<u32>> {
        let mut ranks = filled(HOLE, self.terms.len())?;
        for (rank, &number) in (0..).zip(sorted) {
            ranks[number as usize] = rank;
        }
        let Some(mut of_words) = self.of_words.take() else { return Ok(ranks) };
        for term in &mut of_words {
            *term = ranks.get(*term as usize).copied().unwrap_or(HOLE);
        }
        Ok(of_words)
    }
}

/// Tokens that were [inverted](Inverter::invert), still in the order of documents.
pub(super) struct Ranked {
    tokens: TokenStore,
    /// By token, the number of its term among those in ascending order; [`HOLE`] if it has none.
    pub ranks: Vec<u32>,
}

impl Ranked {
    /// Sorts the tokens of terms that are sorted, and calls `each` with their postings.
    fn sort<P: Pair>(
        &self,
        terms: &Terms,
        sorted: &[u32],
        layout: Layout,
        dead: impl Fn(usize) -> bool,
        of: Inverted,
        mut each: impl FnMut(&[u8], &Postings) -> Result<()>,
    ) -> Result<()> {
        let most = terms.most() as usize;
        let mut sorter = Sorter::<P>::new(layout, layout.range(self.tokens.units()), most)?;
        let mut of_term = OfTerm::new(self.tokens.len(), most)?;
        let mut low = 0;
        while low < sorted.len() {
            let taken = sorter.take(sorted[low..].iter().map(|&number| terms.counted(number)))?;
            debug_assert!(taken > 0, "every range has a term");
            let range = Range::new(&self.ranks, low, taken)?;
            match of {
                Inverted::Weights { codes } => sorter.fill(range, self.alive(&dead, codes.documents())),
                _ => sorter.fill(range, self.alive(&dead, repeat(0u32..))),
            }
            for (&number, pairs) in sorted[low..].iter().zip(sorter.by_term()) {
                debug_assert_eq!(pairs.len(), terms.counted(number) as usize);
                of_term.set(pairs, layout, &of);
                each(terms.term(number), &of_term.postings(&of))?;
            }
            low += taken;
        }
        Ok(())
    }

    /// The tokens of each document that is not dead, and what else there is of it.
    fn alive<T>(
        &self,
        dead: impl Fn(usize) -> bool,
        others: impl Iterator<Item = T>,
    ) -> impl Iterator<Item = (TokensOf<'_>, T)> {
        self.tokens.documents().zip(others).enumerate().filter(move |&(doc, _)| !dead(doc)).map(|(_, of_doc)| of_doc)
    }

    /// The tokens of each document that is not dead.
    pub fn documents<'t>(&'t self, dead: impl Fn(usize) -> bool + 't) -> impl Iterator<Item = TokensOf<'t>> {
        self.alive(dead, repeat(())).map(|(tokens, ())| tokens)
    }

    /// How many documents that are not dead have a term.
    pub fn with_terms(&self, dead: impl Fn(usize) -> bool) -> u32 {
        self.documents(dead).filter_map(|mut tokens| tokens.find(|&token| token != HOLE)).count() as u32
    }
}

/// The postings of one term; vectors are reused.
struct OfTerm {
    doc_ids: Vec<u32>,
    frequencies: Vec<u32>,
    positions: Vec<u32>,
}

impl OfTerm {
    /// Bytes that it takes for a term that occurs that often in so many documents.
    fn memory(documents: usize, most: usize) -> usize {
        size_of::<u32>() * (2 * most.min(documents) + most)
    }

    fn new(documents: usize, most: usize) -> Result<OfTerm> {
        let containing = most.min(documents);
        Ok(OfTerm { doc_ids: room(containing)?, frequencies: room(containing)?, positions: room(most)? })
    }

    fn set<P: Pair>(&mut self, pairs: &[P], layout: Layout, of: &Inverted) {
        debug_assert!(pairs.is_sorted_by(|a, b| a < b), "a position is used once");
        self.doc_ids.clear();
        self.frequencies.clear();
        self.positions.clear();
        debug_assert!(self.positions.capacity() >= pairs.len(), "no term is more frequent than the most frequent one");
        if let Inverted::Weights { .. } = of {
            self.doc_ids.extend(pairs.iter().map(|&pair| layout.doc(pair)));
            self.frequencies.extend(pairs.iter().map(|&pair| layout.second(pair) + 1));
            return;
        }
        let mut last = u32::MAX;
        for &pair in pairs {
            let doc = layout.doc(pair);
            match self.frequencies.last_mut() {
                Some(frequency) if doc == last => *frequency += 1,
                _ => {
                    self.doc_ids.push(doc);
                    self.frequencies.push(1);
                    last = doc;
                }
            }
        }
        if let Inverted::Text { positions: true, .. } = of {
            self.positions.extend(pairs.iter().map(|&pair| layout.second(pair)));
        }
    }

    fn postings<'a>(&'a self, of: &Inverted<'a>) -> Postings<'a> {
        let (frequencies, lengths): (&[u32], &[u8]) = match of {
            Inverted::Text { lengths, .. } => (&self.frequencies, lengths),
            Inverted::Keywords => (&[], &[]),
            Inverted::Weights { .. } => (&self.frequencies, &[]),
        };
        Postings { doc_ids: &self.doc_ids, frequencies, positions: &self.positions, lengths }
    }
}
