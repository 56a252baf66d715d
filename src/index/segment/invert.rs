//! Tokens in the order of documents → postings in the order of terms.
//!
//! While documents come in, a token is the number of its term, two bytes mostly ([`TokenStore`]). At the end they are sorted by the ranks
//! of the terms, of the terms ([`Sorter`]).
//!
//! If terms are stems, the numbers are those of words, each of which has a term (`stems.rs`).

use super::sorter::{Layout, Pair, Range, Sorter};
use super::stems::{Stems, Words};
use super::terms::{HOLE, Terms};
use super::token_store::{TokenStore, TokensOf};
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::base::memory::{self, filled, room};
use crate::index::length;
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

/// The tokens of a field with terms, in memory.
#[derive(Debug)]
pub(super) struct Tokens {
    terms: Terms,
    /// If terms are stems, tokens are numbers of words.
    stems: Option<Stems>,
    /// The same once there are no [`Stems`] any more: the term of each word.
    of_words: Vec<u32>,
    /// Of documents that have been ended.
    tokens: TokenStore,
    /// Of the one that has not: the token at each position.
    document: Vec<u32>,
    /// Per document of a text field, its length byte.
    lengths: Vec<u8>,
    /// The greatest number that stands beside a docID when tokens are sorted: of positions, or codes.
    greatest: u32,
    /// Bytes of memory that could not be had for the document that has not been ended.
    missing: usize,
    /// Once they are inverted, the rank of each token's term among those that are left.
    ranks: Vec<u32>,
}

impl Tokens {
    /// Nothing; `stems`: whether terms are to be added as words.
    pub fn new(stems: bool) -> Tokens {
        Tokens {
            terms: Terms::new(),
            stems: stems.then(Stems::new),
            of_words: Vec::new(),
            tokens: TokenStore::default(),
            document: Vec::new(),
            lengths: Vec::new(),
            greatest: 0,
            missing: 0,
            ranks: Vec::new(),
        }
    }

    /// Bytes in use, and those that [`Tokens::invert`] will need besides.
    pub fn memory(&self) -> (usize, usize) {
        let kept = self.tokens.memory() + 4 * self.document.capacity() + self.lengths.len() + self.terms.memory();
        let most = self.terms.most() as usize;
        let layout = Layout::new(self.tokens.len(), self.greatest);
        let transient = layout.bytes() * layout.range(self.tokens.units()).max(most)
            + OfTerm::memory(self.tokens.len(), most)
            // Then the frequent words are found, with 8 bytes per term.
            + self.terms.len() * (Terms::SORTING + 12 + 8);
        // When terms are sorted, there is no table of them any more, and of words only their terms.
        let (of_words, for_words, their_terms) = self.stems.as_ref().map_or((0, 0, 0), Stems::memory);
        let gone = of_words + self.terms.table();
        (kept + of_words, (transient + their_terms).saturating_sub(gone).max(for_words))
    }

    /// Entries in use of those that 32 bits can name: tokens and bytes of terms.
    pub fn used(&self) -> usize {
        self.tokens.units().max(self.terms.bytes()).max(self.stems.as_ref().map_or(0, Stems::bytes))
    }

    /// Adds a term of the document that has not been ended. Positions between it and the one before stay empty; it is put
    /// after the one before in any case. If there is no memory for it, nothing more is added, and ending the document fails.
    #[inline]
    pub fn push(&mut self, position: u32, term: &[u8]) {
        if !self.reaches(position as usize) {
            return;
        }
        let number = match &mut self.stems {
            None => self.terms.count(term),
            Some(stems) => {
                stems.term(term, &mut self.terms).inspect(|&word| self.terms.count_again(stems.term_of(word)))
            }
        };
        match number {
            Some(number) => self.document.push(number),
            None => self.missing = term.len().max(1),
        }
    }

    /// The number of a word, for [`push_word`](Self::push_word), if terms are stems. `None` if it has no term.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn word(&mut self, word: &str, analyzer: &Analyzer) -> Result<Option<u32>> {
        let Tokens { stems, terms, .. } = self;
        stems.as_mut().map_or(Ok(None), |stems| stems.word(word, terms, analyzer))
    }

    /// Adds a word by its number, as [`push`](Self::push) adds a term, and its parts after it. Returns how many these are.
    #[inline]
    pub fn push_word(&mut self, position: u32, word: u32) -> u32 {
        if !self.reaches(position as usize) {
            return 0;
        }
        let Some(stems) = &self.stems else { return 0 };
        self.terms.count_again(stems.term_of(word));
        self.document.push(word);
        if stems.parts_of(word).is_empty() { 0 } else { self.push_parts(word) }
    }

    fn push_parts(&mut self, word: u32) -> u32 {
        let count = self.stems.as_ref().map_or(0, |stems| stems.parts_of(word).len());
        if self.has_room(count)
            && let Some(stems) = &self.stems
        {
            for &part in stems.parts_of(word) {
                self.terms.count_again(stems.term_of(part));
                self.document.push(part);
            }
        }
        count as u32
    }

    /// Leaves positions empty up to this one, and makes room for a token there; tells whether it could.
    #[inline]
    fn reaches(&mut self, position: usize) -> bool {
        self.missing == 0
            && (self.document.len() >= position || self.skip_to(position))
            && (self.document.len() < self.document.capacity() || self.has_room(1))
    }

    /// Makes room for tokens; tells whether it could.
    #[cold]
    fn has_room(&mut self, more: usize) -> bool {
        let reserved = memory::reserve(&mut self.document, more);
        if reserved.is_err() {
            self.missing = (size_of::<u32>() * more).max(1);
        }
        reserved.is_ok()
    }

    fn skip_to(&mut self, position: usize) -> bool {
        let reserved = self.has_room(position - self.document.len());
        if reserved {
            self.document.resize(position, HOLE);
        }
        reserved
    }

    /// Ends a document of a text field that has `length` terms.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: [`Tokens::undo`] it.
    pub fn end_text(&mut self, length: u32) -> Result<()> {
        memory::reserve(&mut self.lengths, 1)?;
        self.lengths.push(length::encode(length));
        self.end()
    }

    /// Ends a document of a weights field, whose tokens have these codes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: [`Tokens::undo`] it.
    pub fn end_weights(&mut self, codes: &[u32]) -> Result<()> {
        self.greatest = codes.iter().fold(self.greatest, |greatest, &code| greatest.max(code));
        self.end_text(codes.len() as u32)
    }

    /// Ends a document of a keyword field.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: [`Tokens::undo`] it.
    pub fn end_keywords(&mut self) -> Result<()> {
        // Usually there are one or two.
        self.document.sort_unstable();
        let terms = &mut self.terms;
        self.document.dedup_by(|again, number| {
            let is_there = again == number;
            if is_there {
                terms.uncount(*number);
            }
            is_there
        });
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        match std::mem::take(&mut self.missing) {
            0 => {}
            bytes => return Err(Error::OutOfMemory { bytes }),
        }
        self.tokens.push(&self.document)?;
        self.greatest = self.greatest.max(self.document.len().saturating_sub(1) as u32);
        self.document.clear();
        Ok(())
    }

    /// Takes back what has been added since there were that many documents.
    pub fn undo(&mut self, documents: usize) {
        self.missing = 0;
        self.lengths.truncate(documents);
        let Tokens { terms, stems, tokens, document, .. } = self;
        let mut uncount = |number| terms.uncount(stems.as_ref().map_or(number, |stems| stems.term_of(number)));
        tokens.documents().skip(documents).flatten().filter(|&number| number != HOLE).for_each(&mut uncount);
        document.drain(..).filter(|&number| number != HOLE).for_each(uncount);
        tokens.truncate(documents);
    }

    /// Whether terms are stems of words, some of which are known.
    pub fn has_words(&self) -> bool {
        self.stems.as_ref().is_some_and(Stems::has_words)
    }

    /// Gives up words for their terms, which [`invert`](Self::invert) expects; the words of documents that are not dead.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn take_words(&mut self, dead: impl Fn(usize) -> bool) -> Result<Option<Words>> {
        let Some(stems) = self.stems.take() else { return Ok(None) };
        let (words, terms) = stems.into_words(&self.tokens, dead)?;
        self.of_words = terms;
        Ok(Some(words))
    }

    /// The length bytes of the documents that are not dead.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn lengths(&self, dead: impl Fn(usize) -> bool) -> Result<Vec<u8>> {
        let mut lengths = room(self.lengths.len())?;
        lengths.extend(self.lengths.iter().enumerate().filter(|(doc, _)| !dead(*doc)).map(|(_, &length)| length));
        Ok(lengths)
    }

    /// Calls `each` with every term that a document has, in ascending order, and its postings. Documents are numbered without dead
    /// ones. Returns how many of them have a term.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and those of `each`.
    pub fn invert(
        &mut self,
        dead: impl Fn(usize) -> bool,
        of: Inverted,
        mut each: impl FnMut(&[u8], &Postings) -> Result<()>,
    ) -> Result<u32> {
        debug_assert!(self.document.is_empty(), "all documents were ended");
        debug_assert!(self.stems.is_none(), "tokens are terms, or words whose terms are known");
        self.terms.freeze();
        self.bury(&dead);
        let sorted = self.rank()?;
        match Layout::new(self.tokens.len(), self.greatest) {
            layout @ Layout { narrow: true, .. } => self.sort::<u32>(layout, &sorted, &dead, of, &mut each)?,
            layout => self.sort::<u64>(layout, &sorted, &dead, of, &mut each)?,
        }
        let first = |(mut tokens, ()): (TokensOf, _)| tokens.find(|&token| token != HOLE);
        Ok(self.alive(&dead, repeat(())).filter_map(first).count() as u32)
    }

    /// Sorts the tokens of terms that are sorted, and calls `each` with their postings.
    fn sort<P: Pair>(
        &self,
        layout: Layout,
        sorted: &[u32],
        dead: impl Fn(usize) -> bool,
        of: Inverted,
        mut each: impl FnMut(&[u8], &Postings) -> Result<()>,
    ) -> Result<()> {
        let most = self.terms.most() as usize;
        let mut sorter = Sorter::<P>::new(layout, layout.range(self.tokens.units()), most)?;
        let mut of_term = OfTerm::new(self.tokens.len(), most)?;
        let mut low = 0;
        while low < sorted.len() {
            let taken = sorter.take(sorted[low..].iter().map(|&number| self.terms.counted(number)))?;
            debug_assert!(taken > 0, "every range has a term");
            let range = Range::new(&self.ranks, low, taken)?;
            match of {
                Inverted::Weights { codes } => sorter.fill(range, self.alive(&dead, codes.documents())),
                _ => sorter.fill(range, self.alive(&dead, repeat(0u32..))),
            }
            for (&number, pairs) in sorted[low..].iter().zip(sorter.by_term()) {
                debug_assert_eq!(pairs.len(), self.terms.counted(number) as usize);
                of_term.set(pairs, layout, &of);
                each(self.terms.term(number), &of_term.postings(&of))?;
            }
            low += taken;
        }
        Ok(())
    }

    /// Uncounts the tokens of dead documents.
    fn bury(&mut self, dead: impl Fn(usize) -> bool) {
        let Tokens { terms, of_words, tokens, .. } = self;
        for (_, tokens) in tokens.documents().enumerate().filter(|&(doc, _)| dead(doc)) {
            for number in tokens.filter(|&number| number != HOLE) {
                terms.uncount(of_words.get(number as usize).copied().unwrap_or(number));
            }
        }
    }

    /// Finds the ranks of the terms that are left. Returns their numbers in this order.
    fn rank(&mut self) -> Result<Vec<u32>> {
        let mut sorted = self.terms.sorted()?;
        sorted.retain(|&number| self.terms.counted(number) > 0);
        let mut ranks = filled(HOLE, self.terms.len())?;
        for (rank, &number) in (0..).zip(&sorted) {
            ranks[number as usize] = rank;
        }
        let mut of_words = std::mem::take(&mut self.of_words);
        for term in &mut of_words {
            *term = ranks.get(*term as usize).copied().unwrap_or(HOLE);
        }
        self.ranks = if of_words.is_empty() { ranks } else { of_words };
        Ok(sorted)
    }

    /// The tokens of each document that is not dead, and what else there is of it.
    fn alive<T>(
        &self,
        dead: impl Fn(usize) -> bool,
        others: impl Iterator<Item = T>,
    ) -> impl Iterator<Item = (TokensOf<'_>, T)> {
        self.tokens.documents().zip(others).enumerate().filter(move |&(doc, _)| !dead(doc)).map(|(_, of_doc)| of_doc)
    }

    /// What [`invert`](Self::invert) has sorted, still in the order of documents: the tokens of each that is not dead.
    pub fn inverted<'t>(
        &'t self,
        dead: impl Fn(usize) -> bool + 't,
    ) -> Ranked<'t, Box<dyn Iterator<Item = TokensOf<'t>> + 't>> {
        Ranked { documents: Box::new(self.alive(dead, repeat(())).map(|(tokens, ())| tokens)), ranks: &self.ranks }
    }
}

/// The tokens of documents, and the number of each one's term, among those in ascending order.
pub(super) struct Ranked<'t, I> {
    pub documents: I,
    /// By token; [`HOLE`] if it has none.
    pub ranks: &'t [u32],
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
