//! [`Synonyms`]: what else words of a query may be.

use super::{Atom, Clause, MOST_PHRASE_WORDS, Query};
use crate::analysis::{Analyzer, Scratch};
use std::collections::{BTreeSet, HashMap};

/// What else words, or sequences of words, stand for in queries. In the terms of each analyzer.
///
/// What a synonym gives is not looked up again, so none leads to itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Synonyms {
    tables: Vec<(Analyzer, Table)>,
    /// As they were given.
    given: Vec<(String, String)>,
}

/// Those in the terms of one analyzer.
#[derive(Debug, Clone, Default, PartialEq)]
struct Table {
    of: HashMap<Vec<String>, Vec<Vec<(u32, String)>>>,
    /// The most words of a sequence.
    longest: usize,
}

impl Synonyms {
    /// The most of one sequence of words.
    pub const MOST: usize = 64;

    /// Adds what `typed` also stands for in queries that go through this analyzer. Returns false if one of the two has no
    /// words, or more than a phrase can have, or `typed` has [`MOST`](Self::MOST) synonyms.
    pub fn add(&mut self, analyzer: &Analyzer, typed: &str, synonym: &str) -> bool {
        let mut scratch = Scratch::new();
        let mut terms = |text: &str| {
            let mut terms: Vec<(u32, String)> = Vec::new();
            analyzer.tokens(text, &mut scratch, |token| {
                if !token.is_part {
                    terms.push((token.position, token.term.to_owned()));
                }
            });
            let first = terms.first().map_or(0, |first| first.0);
            terms.iter_mut().for_each(|term| term.0 -= first);
            Some(terms).filter(|terms| (1..=MOST_PHRASE_WORDS).contains(&terms.len()))
        };
        let (Some(key), Some(value)) = (terms(typed), terms(synonym)) else { return false };
        let key: Vec<String> = key.into_iter().map(|(_, term)| term).collect();
        let at = self.tables.iter().position(|(other, _)| other == analyzer).unwrap_or_else(|| {
            self.tables.push((analyzer.clone(), Table::default()));
            self.tables.len() - 1
        });
        let (_, table) = &mut self.tables[at];
        table.longest = table.longest.max(key.len());
        let of = table.of.entry(key).or_default();
        let has_room = of.len() < Self::MOST;
        if has_room && !of.contains(&value) {
            of.push(value);
        }
        let is_last = |last: &(String, String)| (&*last.0, &*last.1) == (typed, synonym);
        if has_room && !self.given.last().is_some_and(is_last) {
            self.given.push((typed.to_owned(), synonym.to_owned()));
        }
        has_room
    }

    /// What was [added](Self::add), in that order, but once where it was added for several analyzers one after the other.
    pub fn given(&self) -> &[(String, String)] {
        &self.given
    }

    /// Adds to the plain words of a query that has gone through this analyzer what else they stand for: from the first word on,
    /// the longest sequence that has synonyms becomes one clause.
    pub fn apply(&self, query: &mut Query, phrases: bool, analyzer: &Analyzer) {
        if let Some((_, table)) = self.tables.iter().find(|(other, _)| other == analyzer) {
            table.apply(query, phrases);
        }
    }
}

impl Table {
    fn apply(&self, query: &mut Query, phrases: bool) {
        let mut clauses = std::mem::take(&mut query.clauses).into_iter().peekable();
        let mut rest: Vec<Clause> = Vec::new();
        // Words that are looked at, from the last one taken on.
        let mut open: std::collections::VecDeque<Clause> = std::collections::VecDeque::new();
        loop {
            while open.len() < self.longest.max(1)
                && let Some(next) = clauses.next_if(|next| open.front().is_none_or(|first| goes_with(first, next)))
            {
                open.push_back(next);
            }
            if open.is_empty() {
                break;
            }
            let mut key: Vec<String> = Vec::new();
            let mut found = None;
            for (at, clause) in open.iter().enumerate() {
                let Some(terms) = terms(clause) else { break };
                key.extend(terms);
                if key.len() > self.longest {
                    break;
                }
                if let Some(synonyms) = self.of.get(&key) {
                    found = Some((at + 1, key.clone(), synonyms));
                }
            }
            let Some((count, key, synonyms)) = found else {
                rest.extend(open.pop_front());
                continue;
            };
            let mut taken = open.drain(..count);
            let Some(mut clause) = taken.next() else { break };
            let all = |terms: BTreeSet<String>| Atom::All(terms.into_iter().collect());
            let typed = match clause.atom {
                _ if count > 1 => vec![all(key.into_iter().collect())],
                Atom::OneOf(compound) => compound,
                typed => vec![typed],
            };
            let other = |words: &Vec<(u32, String)>| match &words[..] {
                [(_, term)] => Atom::Term(term.clone()),
                _ if phrases => Atom::Phrase(words.clone()),
                _ => all(words.iter().map(|(_, term)| term.clone()).collect()),
            };
            clause.atom = Atom::OneOf(typed.into_iter().chain(synonyms.iter().map(other)).collect());
            drop(taken);
            rest.push(clause);
        }
        query.clauses = rest;
    }
}

/// Whether a clause can be of the same sequence of words as another.
fn goes_with(first: &Clause, next: &Clause) -> bool {
    first.head() == next.head()
}

/// The terms of plain words, or of a phrase; of a compound, its own.
fn terms(clause: &Clause) -> Option<Vec<String>> {
    match clause.atom.alternatives().first()? {
        _ if clause.exclude => None,
        Atom::Term(term) | Atom::Like { term: Some(term), .. } => Some(vec![term.clone()]),
        Atom::Phrase(terms) => Some(terms.iter().map(|(_, term)| term.clone()).collect()),
        _ => None,
    }
}
