//! Tokens in the order of documents → postings in the order of terms.
//!
//! While documents come in, a token is four bytes: the number of its term, at the index that is its position. At the end
//! the numbers are replaced by the ranks of the terms, and the tokens are sorted by a counting sort. That is done for one
//! range of terms after the other, so that a quarter of the tokens, at eight bytes each, is sorted at a time.
//!
//! If terms are stems, the numbers are those of words, and become those of their terms first (`stems.rs`).

use super::stems::{Stems, Words};
use super::terms::{HOLE, Terms, documents};
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::base::memory::{self, room, zeros};
use crate::index::length;
use crate::index::list::Postings;

/// Ranges of terms that are sorted one after the other, unless some term is more frequent than that.
const RANGES: usize = 4;

/// What tokens are inverted to.
#[derive(Clone, Copy)]
pub(super) enum Inverted<'t> {
    /// Postings of a text field, of whose documents these are the length bytes.
    Text { lengths: &'t [u8], positions: bool },
    /// Postings of a keyword field.
    Keywords,
    /// Postings of a weights field: the code of each token.
    Weights { codes: &'t [u32] },
}

/// The tokens of a field with terms, in memory.
#[derive(Debug)]
pub(super) struct Tokens {
    terms: Terms,
    /// If terms are stems, tokens are numbers of words.
    stems: Option<Stems>,
    tokens: Vec<u32>,
    /// Per document, where its tokens end.
    ends: Vec<u32>,
    /// Per document of a text field, its length byte.
    lengths: Vec<u8>,
    /// Bytes of memory that could not be had for the document that has not been ended.
    missing: usize,
}

impl Tokens {
    /// Nothing; `stems`: whether terms are to be added as words.
    pub fn new(stems: bool) -> Tokens {
        let stems = stems.then(Stems::new);
        Tokens { terms: Terms::new(), stems, tokens: Vec::new(), ends: Vec::new(), lengths: Vec::new(), missing: 0 }
    }

    /// Bytes in use, and those that [`Tokens::invert`] will need besides.
    pub fn memory(&self) -> (usize, usize) {
        // What large vectors have in reserve takes no memory until it is written to.
        let kept = 4 * (self.tokens.len() + self.ends.len()) + self.lengths.len() + self.terms.memory();
        let range = (self.tokens.len() / RANGES).max(self.terms.most() as usize);
        let of_term = 3 * 4 * self.terms.most() as usize;
        // Then the frequent words are found, with 8 bytes per term.
        let transient = 8 * range + of_term + self.terms.len() * (Terms::SORTING + 12 + 8);
        // Words go before terms are sorted.
        let (of_words, for_words) = self.stems.as_ref().map_or((0, 0), Stems::memory);
        (kept + of_words, transient.saturating_sub(of_words).max(for_words))
    }

    /// Entries in use of those that 32 bits can name: tokens and bytes of terms.
    pub fn used(&self) -> usize {
        self.tokens.len().max(self.terms.bytes()).max(self.stems.as_ref().map_or(0, Stems::bytes))
    }

    /// Adds a term of the document that has not been ended, whose tokens begin at `begin` ([`Tokens::next`]). Positions
    /// between it and the one before stay empty; it is put after the one before in any case. If there is no memory for it,
    /// nothing more is added, and ending the document fails.
    #[inline]
    pub fn push(&mut self, begin: usize, position: u32, term: &[u8]) {
        if !self.reaches(begin + position as usize) {
            return;
        }
        let number = match &mut self.stems {
            None => self.terms.count(term),
            Some(stems) => {
                stems.term(term, &mut self.terms).inspect(|&word| self.terms.count_again(stems.term_of(word)))
            }
        };
        match number {
            Some(number) => self.tokens.push(number),
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
    pub fn push_word(&mut self, begin: usize, position: u32, word: u32) -> u32 {
        if !self.reaches(begin + position as usize) {
            return 0;
        }
        let Some(stems) = &self.stems else { return 0 };
        self.terms.count_again(stems.term_of(word));
        self.tokens.push(word);
        if stems.parts_of(word).is_empty() { 0 } else { self.push_parts(word) }
    }

    fn push_parts(&mut self, word: u32) -> u32 {
        let count = self.stems.as_ref().map_or(0, |stems| stems.parts_of(word).len());
        if self.has_room(count)
            && let Some(stems) = &self.stems
        {
            for &part in stems.parts_of(word) {
                self.terms.count_again(stems.term_of(part));
                self.tokens.push(part);
            }
        }
        count as u32
    }

    /// Leaves positions empty up to this index, and makes room for a token there; tells whether it could.
    #[inline]
    fn reaches(&mut self, index: usize) -> bool {
        self.missing == 0
            && (self.tokens.len() >= index || self.skip_to(index))
            && (self.tokens.len() < self.tokens.capacity() || self.has_room(1))
    }

    /// Makes room for tokens; tells whether it could.
    #[cold]
    fn has_room(&mut self, more: usize) -> bool {
        let reserved = memory::reserve(&mut self.tokens, more);
        if reserved.is_err() {
            self.missing = (size_of::<u32>() * more).max(1);
        }
        reserved.is_ok()
    }

    fn skip_to(&mut self, index: usize) -> bool {
        let more = index - self.tokens.len();
        let reserved = self.has_room(more);
        if reserved {
            self.tokens.resize(index, HOLE);
        }
        reserved
    }

    /// Where the next document's tokens begin.
    pub fn next(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
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

    /// Adds a keyword to a document whose tokens begin at `begin`.
    pub fn push_keyword(&mut self, begin: usize, value: &[u8]) {
        if self.missing > 0 || self.tokens.len() == self.tokens.capacity() && !self.has_room(1) {
            return;
        }
        match self.terms.count(value) {
            None => self.missing = value.len().max(1),
            // Usually there are one or two.
            Some(number) if self.tokens.len() - begin < 16 && self.tokens[begin..].contains(&number) => {
                self.terms.uncount(number);
            }
            Some(number) => self.tokens.push(number),
        }
    }

    /// Ends a document of a keyword field whose tokens begin at `begin`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: [`Tokens::undo`] it.
    pub fn end_keywords(&mut self, begin: usize) -> Result<()> {
        if self.tokens.len() - begin >= 16 {
            let many = &mut self.tokens[begin..];
            many.sort_unstable();
            let mut kept = 1;
            for at in 1..many.len() {
                if many[at] == many[kept - 1] {
                    self.terms.uncount(many[at]);
                } else {
                    many[kept] = many[at];
                    kept += 1;
                }
            }
            self.tokens.truncate(begin + kept);
        }
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        match std::mem::take(&mut self.missing) {
            0 => {}
            bytes => return Err(Error::OutOfMemory { bytes }),
        }
        memory::reserve(&mut self.ends, 1)?;
        self.ends.push(self.tokens.len() as u32);
        Ok(())
    }

    /// Takes back what has been added since there were that many documents.
    pub fn undo(&mut self, documents: usize) {
        self.missing = 0;
        self.ends.truncate(documents);
        self.lengths.truncate(documents);
        let begin = self.next();
        for &number in self.tokens[begin..].iter().filter(|&&number| number != HOLE) {
            self.terms.uncount(self.stems.as_ref().map_or(number, |stems| stems.term_of(number)));
        }
        self.tokens.truncate(begin);
    }

    /// Whether terms are stems of words, some of which are known.
    pub fn has_words(&self) -> bool {
        self.stems.as_ref().is_some_and(Stems::has_words)
    }

    /// Replaces words by their terms, which [`invert`](Self::invert) expects; the words of documents that are not dead.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn take_words(&mut self, dead: impl Fn(usize) -> bool) -> Result<Option<Words>> {
        match self.stems.take() {
            Some(stems) => stems.into_words(&mut self.tokens, &self.ends, dead).map(Some),
            None => Ok(None),
        }
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
        debug_assert_eq!(self.next(), self.tokens.len(), "all documents were ended");
        debug_assert!(self.stems.is_none(), "tokens are terms");
        self.terms.freeze();
        self.bury(&dead);
        let (sorted, with_terms) = self.rank()?;
        let mut sorter = Sorter::new(self.tokens.len() / RANGES, self.terms.most() as usize)?;
        let mut of_term = OfTerm::new(self.terms.most() as usize)?;
        let mut low = 0;
        while low < sorted.len() {
            let taken = sorter.take(sorted[low..].iter().map(|&number| self.terms.counted(number)))?;
            debug_assert!(taken > 0, "every range has a term");
            match of {
                Inverted::Weights { codes } => sorter.fill(low, &self.tokens, &self.ends, &dead, |at, _| codes[at]),
                _ => sorter.fill(low, &self.tokens, &self.ends, &dead, |_, position| position),
            }
            for (&number, pairs) in sorted[low..].iter().zip(sorter.by_term()) {
                debug_assert_eq!(pairs.len(), self.terms.counted(number) as usize);
                of_term.set(pairs, &of);
                each(self.terms.term(number), &of_term.postings(&of))?;
            }
            low += taken;
        }
        Ok(with_terms)
    }

    /// Replaces the tokens of dead documents by holes.
    fn bury(&mut self, dead: impl Fn(usize) -> bool) {
        for (_, range) in documents(&self.ends).enumerate().filter(|&(doc, _)| dead(doc)) {
            let tokens = &mut self.tokens[range];
            tokens.iter().filter(|&&token| token != HOLE).for_each(|&number| self.terms.uncount(number));
            tokens.fill(HOLE);
        }
    }

    /// Replaces the numbers of terms by their ranks among those that are left. Returns these, and how many documents have one.
    fn rank(&mut self) -> Result<(Vec<u32>, u32)> {
        let mut sorted = self.terms.sorted()?;
        sorted.retain(|&number| self.terms.counted(number) > 0);
        let mut ranks = zeros(self.terms.len())?;
        for (rank, &number) in (0..).zip(&sorted) {
            ranks[number as usize] = rank;
        }
        let mut with_terms = 0;
        for range in documents(&self.ends) {
            let mut any = false;
            for token in self.tokens[range].iter_mut().filter(|token| **token != HOLE) {
                *token = ranks[*token as usize];
                any = true;
            }
            with_terms += u32::from(any);
        }
        Ok((sorted, with_terms))
    }

    /// The tokens of each document that is not dead, after they were [inverted](Self::invert): the number of the term, among those in
    /// ascending order, or [`HOLE`].
    pub fn inverted<'t>(&'t self, dead: impl Fn(usize) -> bool + 't) -> impl Iterator<Item = &'t [u32]> {
        let alive = documents(&self.ends).enumerate().filter(move |&(doc, _)| !dead(doc));
        alive.map(|(_, range)| &self.tokens[range])
    }
}

/// A counting sort of the tokens of one range of terms.
struct Sorter {
    /// Pairs of a range, unless a single term has more.
    most: usize,
    /// docID and position (or code) of each token of the range, by term.
    pairs: Vec<u64>,
    /// Per term of the range, where its next pair goes; where its pairs end, once all are in.
    next: Vec<u32>,
}

impl Sorter {
    fn new(most: usize, of_term: usize) -> Result<Sorter> {
        Ok(Sorter { most, pairs: room(most.max(of_term))?, next: Vec::new() })
    }

    /// Takes as many of the terms with these counts as fit; returns how many, at least one.
    fn take(&mut self, counts: impl Iterator<Item = u32>) -> Result<usize> {
        let mut total = 0;
        self.next.clear();
        for count in counts {
            if !self.next.is_empty() && total + count as usize > self.most {
                break;
            }
            memory::reserve(&mut self.next, 1)?;
            self.next.push(total as u32);
            total += count as usize;
        }
        if self.pairs.len() < total {
            let more = total - self.pairs.len();
            memory::reserve(&mut self.pairs, more)?;
            self.pairs.resize(total, 0);
        }
        Ok(self.next.len())
    }

    /// Puts the pairs of the terms from rank `low` on in their places: of a document and what `second` makes of a token's index and
    /// position.
    fn fill(
        &mut self,
        low: usize,
        tokens: &[u32],
        ends: &[u32],
        dead: impl Fn(usize) -> bool,
        second: impl Fn(usize, u32) -> u32,
    ) {
        let (pairs, all_next) = (&mut self.pairs[..], &mut self.next[..]);
        let mut doc = 0u64;
        for (i, range) in documents(ends).enumerate() {
            let begin = range.start;
            for (position, token) in (0u32..).zip(&tokens[range]) {
                if let Some(next) = all_next.get_mut(token.wrapping_sub(low as u32) as usize) {
                    pairs[*next as usize] = doc << 32 | u64::from(second(begin + position as usize, position));
                    *next += 1;
                }
            }
            doc += u64::from(!dead(i));
        }
    }

    /// The pairs of each term, in order of docIDs and positions.
    fn by_term(&self) -> impl Iterator<Item = &[u64]> {
        documents(&self.next).map(|range| &self.pairs[range])
    }
}

/// The postings of one term; vectors are reused.
struct OfTerm {
    doc_ids: Vec<u32>,
    frequencies: Vec<u32>,
    positions: Vec<u32>,
}

impl OfTerm {
    fn new(most: usize) -> Result<OfTerm> {
        Ok(OfTerm { doc_ids: room(most)?, frequencies: room(most)?, positions: room(most)? })
    }

    fn set(&mut self, pairs: &[u64], of: &Inverted) {
        debug_assert!(pairs.is_sorted_by(|a, b| a < b), "a position is used once");
        self.doc_ids.clear();
        self.frequencies.clear();
        self.positions.clear();
        debug_assert!(self.doc_ids.capacity() >= pairs.len(), "no term is more frequent than the most frequent one");
        if let Inverted::Weights { .. } = of {
            self.doc_ids.extend(pairs.iter().map(|&pair| (pair >> 32) as u32));
            self.frequencies.extend(pairs.iter().map(|&pair| pair as u32 + 1));
            return;
        }
        let mut last = u32::MAX;
        for pair in pairs {
            let doc = (pair >> 32) as u32;
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
            self.positions.extend(pairs.iter().map(|&pair| pair as u32));
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
