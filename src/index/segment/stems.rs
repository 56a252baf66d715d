//! Words beside stems, while a segment is gathered in memory: each has a number, and the number of its term.
//!
//! A token costs one look-up, of its word; only what is new is stemmed.

use super::terms::{HOLE, Terms};
use super::token_store::TokenStore;
use crate::analysis::{Analyzer, MAX_TERM};
use crate::base::error::{Error, Result};
use crate::base::memory::{self, filled};
use std::collections::HashMap;

/// What stands before a term whose word is not known: a byte that no word has.
const TERM: u8 = 0xFF;

/// In place of the number of a term that is not known yet.
const NOT_STEMMED: u32 = HOLE - 1;

/// Words, and the terms of which no word is known, with the numbers of their terms.
#[derive(Debug)]
pub(super) struct Stems {
    words: Terms,
    /// Per word, the number of its term.
    terms: Vec<u32>,
    /// The numbers of the words that a compound is made of.
    parts: HashMap<u32, Box<[u32]>>,
    /// How many are words.
    known: usize,
    key: Vec<u8>,
}

/// What the parts of a compound take, in bytes; few have more than three.
const OF_PARTS: usize = 64;

impl Stems {
    /// Nothing.
    pub fn new() -> Stems {
        Stems { words: Terms::new(), terms: Vec::new(), parts: HashMap::new(), known: 0, key: Vec::new() }
    }

    /// Bytes in use, and those that [`into_words`](Self::into_words) will need besides.
    pub fn memory(&self) -> (usize, usize) {
        let kept = self.words.memory() + self.of_terms() + OF_PARTS * self.parts.len();
        (kept, self.words.len() * (size_of::<Seen>() + Terms::SORTING))
    }

    /// Bytes of the terms that [`into_words`](Self::into_words) returns.
    pub fn of_terms(&self) -> usize {
        size_of::<u32>() * self.terms.capacity()
    }

    /// Bytes of words and records.
    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }

    /// Whether some are words.
    pub fn has_words(&self) -> bool {
        self.known > 0
    }

    /// The number of a word's term.
    #[inline]
    pub fn term_of(&self, word: u32) -> u32 {
        self.terms[word as usize]
    }

    /// The parts of a word, by their numbers; none if it is no compound.
    #[inline]
    pub fn parts_of(&self, word: u32) -> &[u32] {
        if self.parts.is_empty() { &[] } else { self.parts.get(&word).map_or(&[], |parts| parts) }
    }

    /// The number of a word, which is new if need be; its term, and those of its parts, are added to `terms`. `None` if it has
    /// no term.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn word(&mut self, word: &str, terms: &mut Terms, analyzer: &Analyzer) -> Result<Option<u32>> {
        let out_of_memory = || Error::OutOfMemory { bytes: word.len() };
        memory::reserve(&mut self.terms, 1)?;
        let number = self.words.number(word.as_bytes()).ok_or_else(out_of_memory)?;
        if number as usize == self.terms.len() {
            self.terms.push(NOT_STEMMED);
        }
        let term = &mut self.terms[number as usize];
        if *term == NOT_STEMMED {
            let stem = analyzer.stem(word);
            *term = match stem.len() <= MAX_TERM {
                true => terms.number(stem.as_bytes()).ok_or_else(out_of_memory)?,
                false => HOLE,
            };
            self.known += 1;
            let has_term = *term != HOLE;
            if has_term && analyzer.has_compounds() {
                self.cut(word, number, terms, analyzer)?;
            }
        }
        Ok((self.term_of(number) != HOLE).then_some(number))
    }

    /// Keeps the parts of a new word. They are words of a list, which are no compounds.
    fn cut(&mut self, word: &str, number: u32, terms: &mut Terms, analyzer: &Analyzer) -> Result<()> {
        let places = analyzer.parts(word);
        let mut parts = Vec::with_capacity(places.len());
        for place in places {
            parts.extend(self.word(&word[place], terms, analyzer)?);
        }
        if !parts.is_empty() {
            self.parts.insert(number, parts.into());
        }
        Ok(())
    }

    /// The number, among those of words, of a term whose word is not known. `None` if there is no memory for it.
    pub fn term(&mut self, term: &[u8], terms: &mut Terms) -> Option<u32> {
        memory::reserve(&mut self.terms, 1).ok()?;
        self.key.clear();
        memory::reserve(&mut self.key, 1 + term.len()).ok()?;
        self.key.push(TERM);
        self.key.extend_from_slice(term);
        let of_term = terms.number(term)?;
        let number = self.words.number(&self.key)?;
        if number as usize == self.terms.len() {
            self.terms.push(of_term);
        }
        Some(number)
    }

    /// The words of documents that are not dead, whose tokens these are; and, by the numbers of all words, those of their terms.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn into_words(self, tokens: &TokenStore, dead: impl Fn(usize) -> bool) -> Result<(Words, Vec<u32>)> {
        let mut seen = filled(Seen { last: u32::MAX, documents: 0 }, self.terms.len())?;
        for (doc, tokens) in tokens.documents().enumerate().filter(|&(doc, _)| !dead(doc)) {
            for token in tokens.filter(|&token| token != HOLE) {
                let seen = &mut seen[token as usize];
                if seen.last != doc as u32 {
                    *seen = Seen { last: doc as u32, documents: seen.documents + 1 };
                }
            }
        }
        let mut words = Words { sorted: self.words.sorted()?, words: self.words, seen, all_known: true };
        let is_there = |words: &Words, number: u32| words.seen[number as usize].documents > 0;
        // They come last.
        while let Some(&last) = words.sorted.last()
            && words.words.term(last).first() == Some(&TERM)
        {
            words.all_known &= !is_there(&words, last);
            words.sorted.pop();
        }
        Ok((words, self.terms))
    }
}

/// In how many documents a word was seen.
#[derive(Debug, Clone, Copy)]
struct Seen {
    last: u32,
    documents: u32,
}

/// The words of a field's documents.
#[derive(Debug)]
pub(super) struct Words {
    words: Terms,
    sorted: Vec<u32>,
    seen: Vec<Seen>,
    /// Whether the words of all terms are known.
    pub all_known: bool,
}

impl Words {
    /// The words in ascending order, each with the number of documents that contain it.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        let counted = self.sorted.iter().map(|&number| (self.words.term(number), self.seen[number as usize].documents));
        counted.filter(|&(_, documents)| documents > 0)
    }
}
