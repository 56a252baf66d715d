//! [`Tokens`]: the tokens of a field with terms, while documents come in.
//!
//! A token is the number of its term. If terms are stems, it is the number of a word, which has a term (`stems.rs`).

use super::invert::{self, Inverter};
use super::stems::{Stems, Words};
use super::terms::{HOLE, Terms};
use super::token_store::TokenStore;
use crate::analysis::Analyzer;
use crate::base::error::{Error, Result};
use crate::base::memory::{self, room};
use crate::index::length;

/// The tokens of a field with terms, in memory.
#[derive(Debug)]
pub(super) struct Tokens {
    terms: Terms,
    /// If terms are stems, tokens are numbers of words.
    stems: Option<Stems>,
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
}

impl Tokens {
    /// Nothing; `stems`: whether terms are to be added as words.
    pub fn new(stems: bool) -> Tokens {
        Tokens {
            terms: Terms::new(),
            stems: stems.then(Stems::new),
            tokens: TokenStore::default(),
            document: Vec::new(),
            lengths: Vec::new(),
            greatest: 0,
            missing: 0,
        }
    }

    /// Bytes in use, and those that inverting them will need besides.
    pub fn memory(&self) -> (usize, usize) {
        let kept = self.tokens.memory() + 4 * self.document.capacity() + self.lengths.len() + self.terms.memory();
        let transient = invert::memory(&self.terms, &self.tokens, self.greatest);
        // When terms are sorted, there is no table of them any more, and of words only their terms.
        let (of_words, for_words) = self.stems.as_ref().map_or((0, 0), Stems::memory);
        let their_terms = self.stems.as_ref().map_or(0, Stems::of_terms);
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

    /// The length bytes of the documents that are not dead.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn lengths(&self, dead: impl Fn(usize) -> bool) -> Result<Vec<u8>> {
        let mut lengths = room(self.lengths.len())?;
        lengths.extend(self.lengths.iter().enumerate().filter(|(doc, _)| !dead(*doc)).map(|(_, &length)| length));
        Ok(lengths)
    }

    /// The words of documents that are not dead, if terms are stems, and what inverts the tokens.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn into_inverter(self, dead: impl Fn(usize) -> bool) -> Result<(Option<Words>, Inverter)> {
        let Tokens { terms, stems, tokens, document, greatest, .. } = self;
        debug_assert!(document.is_empty(), "all documents were ended");
        let (words, of_words) = stems.map(|stems| stems.into_words(&tokens, dead)).transpose()?.unzip();
        Ok((words, Inverter::new(terms, of_words, tokens, greatest)))
    }
}
