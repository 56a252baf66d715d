//! [`Whole`]: what a query's plan knows of all documents.

use super::{CLASSES, Count, Expansion, Field, MOST_TOLD, Statistics, Told, key, number};
use crate::base::error::{Error, Result};
use crate::query::Atom;
use crate::rank::{Bm25, Clock, Norms};
use crate::search::Index;
use crate::search::options::Options;
use crate::search::words::{Of, Word, count_in};
use std::cell::RefCell;
use std::sync::Arc;

/// Who says what a query's plan has to know of all documents: the index itself, or [statistics](Options::statistics).
pub(in crate::search) struct Whole<'a> {
    index: &'a Index,
    given: Option<&'a Statistics>,
    /// What the index knows itself of all that is asked for.
    gathered: Option<&'a RefCell<Statistics>>,
}

impl Statistics {
    /// What an index knows of its documents, without any terms yet.
    pub(in crate::search) fn of(index: &Index) -> Statistics {
        let fields = index.text_fields().map(|field| Field {
            number: number(field),
            name: index.schema().fields[field].name.clone(),
            tokens: index.fields[field].tokens,
        });
        Statistics::new(index.fingerprint(), index.snapshot().documents(), fields.collect())
    }
}

impl<'a> Whole<'a> {
    /// # Errors
    /// [`Error::Statistics`] if statistics are given that are of another schema.
    pub(in crate::search) fn new(index: &'a Index, options: &'a Options) -> Result<Whole<'a>> {
        let given = options.statistics.as_deref();
        if let Some(given) = given.filter(|given| given.fingerprint != index.fingerprint()) {
            return Err(Error::Statistics(format!(
                "the statistics are of another schema or analyzer, {:016x}; that of the index is {:016x}",
                given.fingerprint,
                index.fingerprint()
            )));
        }
        Ok(Whole { index, given, gathered: None })
    }

    /// The same, of which is noted in `gathered` what the index knows itself of all that is asked for.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(in crate::search) fn gathering(
        index: &'a Index,
        options: &'a Options,
        gathered: &'a RefCell<Statistics>,
    ) -> Result<Whole<'a>> {
        Ok(Whole { gathered: Some(gathered), ..Whole::new(index, options)? })
    }

    /// Whether the index itself says all.
    pub(in crate::search) fn is_own(&self) -> bool {
        self.given.is_none() && self.gathered.is_none()
    }

    /// Whether the index is asked, too.
    pub(in crate::search) fn asks_index(&self) -> bool {
        self.given.is_none() || self.gathered.is_some()
    }

    /// How many documents there are.
    pub(in crate::search) fn documents(&self) -> u64 {
        self.given.map_or_else(|| self.index.snapshot().documents(), |given| given.documents)
    }

    /// The norms of a field.
    pub(in crate::search) fn norms(&self, field: usize, bm25: &Bm25) -> Arc<Norms> {
        match self.given {
            Some(given) => Arc::new(Norms::new(bm25, given.tokens_of(field), given.documents)),
            None => self.index.norms(field, bm25),
        }
    }

    /// How many documents contain a term, of which the index has `own`.
    ///
    /// # Errors
    /// [`Error::Statistics`] if the statistics do not tell.
    pub(in crate::search) fn containing(&self, field: usize, term: &[u8], own: u64) -> Result<u64> {
        let told = self.given.and_then(|given| {
            given.term(field, term).filter(|count| count.indexes == given.indexes).map(|count| count.documents)
        });
        match (self.gathered, self.given) {
            (None, None) => Ok(own),
            (None, Some(given)) => told.ok_or_else(|| self.lacks_term(given, field, term)),
            (Some(gathered), _) => {
                let count = Count { documents: own, indexes: 1 };
                gathered.borrow_mut().terms.entry(number(field)).or_default().insert(term.into(), count);
                Ok(told.unwrap_or(own))
            }
        }
    }

    /// The `limit` closest words that an atom stands for, where `own` gives so many of the index.
    ///
    /// # Errors
    /// As `own`; [`Error::Statistics`] if the statistics do not tell.
    pub(in crate::search) fn closest(
        &self,
        field: usize,
        of: Of,
        atom: &Atom,
        limit: usize,
        clock: &Clock,
        own: impl FnOnce(usize) -> Result<Vec<Word>>,
    ) -> Result<Vec<Word>> {
        if self.is_own() {
            return own(limit);
        }
        let typed = key(atom);
        let told = self.given.and_then(|given| given.expansion(field, of, &typed));
        let Some(gathered) = self.gathered else {
            let indexes = self.given.map_or(0, |given| given.indexes);
            let told = told.filter(|told| told.indexes == indexes).map(|told| told.closest(limit));
            return match told {
                Some((words, true)) => Ok(words),
                Some((_, false)) => Err(self.lacks(field, atom, "do not have enough words of")),
                None => Err(self.lacks(field, atom, "do not tell of")),
            };
        };
        let mut closest = own(MOST_TOLD + 1)?;
        let mut expansion = Expansion { indexes: 1, ..Expansion::default() };
        if closest.len() > MOST_TOLD
            && let Some(next) = closest.pop()
        {
            let class = usize::from(next.class).min(CLASSES - 1);
            expansion.rest[class] = next.documents.0;
            expansion.rest[class + 1..].fill(self.index.snapshot().documents());
        }
        let tell =
            |word: &Word| (word.term.clone().into(), Told { class: word.class, documents: word.documents.0, more: 0 });
        expansion.words = closest.iter().map(tell).collect();
        // Of all words that others told of.
        for (word, of_others) in told.iter().flat_map(|told| &told.words) {
            if !expansion.words.contains_key(word) {
                clock.check()?;
                let told = Told { documents: self.count(field, of, word)?, more: 0, ..*of_others };
                expansion.words.insert(word.clone(), told);
            }
        }
        let words = match told {
            Some(told) => told.closest(limit).0,
            None => {
                closest.truncate(limit);
                closest
            }
        };
        gathered.borrow_mut().expansions.entry((number(field), of as u8)).or_default().insert(typed, expansion);
        Ok(words)
    }

    /// How many documents of the index have a word.
    fn count(&self, field: usize, of: Of, word: &[u8]) -> Result<u64> {
        let mut documents = 0;
        for part in self.index.snapshot().parts() {
            let Some((dictionary, written)) = of.dictionary(&part.segment, field)? else { continue };
            if let Some(value) = dictionary.get(word)? {
                documents += count_in(&part.segment, field, written, value)?;
            }
        }
        Ok(documents)
    }

    fn name(&self, field: usize) -> &str {
        self.index.schema().fields.get(field).map_or("", |field| &field.name)
    }

    fn lacks_term(&self, given: &Statistics, field: usize, term: &[u8]) -> Error {
        let (name, term) = (self.name(field), String::from_utf8_lossy(term));
        Error::Statistics(match given.term(field, term.as_bytes()) {
            None => format!("the statistics do not tell of the term \"{term}\" of the field {name}"),
            Some(count) => format!(
                "of the term \"{term}\" of the field {name} only {} of {} indexes tell: those of a sum need the same queries, \
                 or a second round",
                count.indexes, given.indexes
            ),
        })
    }

    fn lacks(&self, field: usize, atom: &Atom, what: &str) -> Error {
        let typed = match atom {
            Atom::Prefix(prefix) => format!("{prefix}*"),
            Atom::Fuzzy { word, distance } => format!("{word}~{distance}"),
            Atom::Like { word, .. } => word.clone(),
            _ => String::new(),
        };
        Error::Statistics(format!(
            "the statistics {what} what \"{typed}\" stands for in the field {}: those of a sum need the same queries, or a \
             second round",
            self.name(field)
        ))
    }
}
