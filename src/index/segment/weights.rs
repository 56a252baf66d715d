//! Terms with weights, as documents come in → postings in the order of terms.

use super::file::SegmentWriter;
use super::invert::Inverted;
use super::token_store::TokenStore;
use super::tokens::Tokens;
use super::write::{self, FieldWriter};
use super::write_pairs::Texts;
use crate::base::error::Result;
use crate::base::memory::reserve;
use crate::index::LONGEST_KEYWORD;
use crate::index::impacts::Precision;
use std::collections::HashSet;

/// The terms of a weights field, in memory.
#[derive(Debug)]
pub(super) struct Weights {
    precision: Precision,
    tokens: Tokens,
    /// The code of each token's weight.
    codes: TokenStore,
    /// Those of a document.
    document: Vec<u32>,
}

impl Weights {
    pub fn new(precision: Precision) -> Weights {
        Weights { precision, tokens: Tokens::new(false), codes: TokenStore::default(), document: Vec::new() }
    }

    /// Bytes of memory in use, and those that [`Weights::write`] takes besides.
    pub fn memory(&self) -> (usize, usize) {
        let (kept, transient) = self.tokens.memory();
        (kept + self.codes.memory(), transient)
    }

    /// As of [`Tokens::used`].
    pub fn used(&self) -> usize {
        self.tokens.used()
    }

    /// Adds the weights of the next document, which were [checked](check).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory): [`Weights::undo`] it.
    pub fn push(&mut self, weights: &[(Vec<u8>, f32)]) -> Result<()> {
        self.document.clear();
        reserve(&mut self.document, weights.len())?;
        for (term, weight) in weights {
            // A weight of 0 is none.
            let Some(code) = self.precision.code(*weight) else { continue };
            self.tokens.push(self.document.len() as u32, term);
            self.document.push(code);
        }
        self.codes.push(&self.document)?;
        self.tokens.end_weights(&self.document)
    }

    /// Takes back what has been added since there were that many documents.
    pub fn undo(&mut self, documents: usize) {
        self.tokens.undo(documents);
        self.codes.truncate(documents);
    }

    /// Writes the sections of a field with `documents` documents, those that are not dead.
    pub fn write(
        self,
        is_dead: impl Fn(usize) -> bool + Copy,
        documents: u32,
        field: usize,
        writer: &mut SegmentWriter,
    ) -> Result<()> {
        write::lengths(writer, field, &self.tokens.lengths(is_dead)?)?;
        let (_, inverter) = self.tokens.into_inverter(is_dead)?;
        let dictionary = write::dictionary(writer)?;
        let mut out = FieldWriter::new(writer, field, documents, &dictionary)?;
        let of = Inverted::Weights { codes: &self.codes };
        let ranked = inverter.invert(is_dead, of, |term, postings| out.term(term, postings))?;
        out.finish(ranked.with_terms(is_dead), &[], Texts::Lists { threads: 1 })
    }
}

/// What is wrong with weights, if something is.
///
/// # Errors
/// In words.
pub(super) fn check(weights: &[(Vec<u8>, f32)], precision: Precision) -> std::result::Result<(), String> {
    let mut terms = HashSet::new();
    terms.try_reserve(weights.len()).map_err(|_| "too many weights for the memory".to_owned())?;
    for (term, weight) in weights {
        let name = || String::from_utf8_lossy(&term[..term.len().min(40)]).into_owned();
        if term.is_empty() || term.len() > LONGEST_KEYWORD {
            return Err(format!("a term of {} bytes; terms have 1 to {LONGEST_KEYWORD}", term.len()));
        }
        if *weight != 0.0 && precision.code(*weight).is_none() {
            let most = precision.greatest();
            return Err(format!("the weight of \"{}\" must be a number from 0 to {most}, {weight} given", name()));
        }
        if !terms.insert(&term[..]) {
            return Err(format!("the term \"{}\" is given twice", name()));
        }
    }
    Ok(())
}
