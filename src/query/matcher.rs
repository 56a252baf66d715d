//! [`Matcher`]: which words and phrases of a text a query matches. Highlighting, snippets and the places of matches are
//! made of it alone.

use super::edits::{Edits, Word};
use super::matches::{Match, keep_longest};
use super::near::{Near, Place};
use super::phrases::{Phrases, Reader};
use super::{Atom, Query, first_letter};
use crate::analysis::{Analyzer, Scratch};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most phrases with slop of which only words that stand close to each other are matched; of further ones, each
/// word is.
const MOST_NEAR: usize = 8;

/// Tells what of a text a query matches: of all its clauses but the excluded ones
/// - words, as they are, by a beginning, or within some edits. Prefixes and fuzzy words are compared with the term of a
///   word and with the word itself, lower-cased and folded: the index may find it by either, and a visitor reads the
///   word;
/// - phrases, from their first word to their last; with slop, each of their words in a
///   [window](super::near) that has all.
#[derive(Debug)]
pub struct Matcher {
    terms: HashMap<String, Term>,
    /// Sorted; none begins with another one.
    prefixes: Vec<String>,
    edits: Vec<Edits>,
    /// The fewest bytes of what one of them accepts.
    shortest: usize,
    phrases: Phrases,
    near: Vec<Near>,
    /// How many different terms `near` has.
    near_terms: usize,
}

/// What a term is.
#[derive(Debug)]
struct Term {
    number: u32,
    is_word: bool,
    is_in_phrase: bool,
    /// Its number among those of phrases with slop.
    near: Option<usize>,
}

impl Matcher {
    /// The matcher of a query, of the clauses whose field is [meant](super::Clause::field). Linear in the length of the
    /// query.
    pub fn new(query: &Query, mut is_meant: impl FnMut(Option<usize>) -> bool) -> Matcher {
        let mut matcher = Matcher {
            terms: HashMap::new(),
            prefixes: Vec::new(),
            edits: Vec::new(),
            shortest: usize::MAX,
            phrases: Phrases::new(),
            near: Vec::new(),
            near_terms: 0,
        };
        let mut prefixes = BTreeSet::new();
        let mut compared = HashSet::new();
        let clauses = query.clauses.iter().filter(|clause| !clause.exclude && is_meant(clause.field));
        for atom in clauses.flat_map(|clause| clause.atom.alternatives()) {
            let mut compare = |word: &str, edits: u8, start: bool, first: Option<char>| {
                if compared.insert((word.to_owned(), edits, start, first)) {
                    let edits = Edits::new(word, edits, start, first);
                    matcher.shortest = edits.iter().map(Edits::shortest).fold(matcher.shortest, usize::min);
                    matcher.edits.extend(edits);
                }
            };
            match atom {
                Atom::OneOf(_) => (),
                Atom::Term(term) => matcher.term(term).is_word = true,
                Atom::Phrase(terms) => matcher.phrase(terms),
                Atom::Near { terms, slop } if matcher.near.len() < MOST_NEAR => matcher.near(terms, *slop),
                Atom::Near { terms, .. } => terms.iter().for_each(|(_, term)| matcher.term(term).is_word = true),
                Atom::All(terms) => terms.iter().for_each(|term| matcher.term(term).is_word = true),
                Atom::Prefix(prefix) => {
                    prefixes.insert(prefix.as_str());
                }
                Atom::Fuzzy { word, distance } => compare(word, *distance, false, None),
                Atom::Like { term, word, edits, start } => {
                    if *start {
                        prefixes.insert(word.as_str());
                    }
                    if *edits > 0 {
                        let first = first_letter(word, term.as_deref());
                        compare(word, *edits, *start, first);
                        if let Some(term) = term.as_ref().filter(|term| *term != word) {
                            compare(term, *edits, false, first);
                        }
                    }
                    if let Some(term) = term {
                        matcher.term(term).is_word = true;
                    }
                }
            }
        }
        for prefix in prefixes {
            // What begins with a shorter one comes right after it.
            if !matcher.prefixes.last().is_some_and(|shorter| prefix.starts_with(shorter)) {
                matcher.prefixes.push(prefix.to_owned());
            }
        }
        matcher
    }

    fn term(&mut self, term: &str) -> &mut Term {
        let number = self.terms.len() as u32;
        let new = || Term { number, is_word: false, is_in_phrase: false, near: None };
        self.terms.entry(term.to_owned()).or_insert_with(new)
    }

    fn phrase(&mut self, terms: &[(u32, String)]) {
        let mut numbers = Vec::with_capacity(terms.len());
        for (position, term) in terms {
            let term = self.term(term);
            term.is_in_phrase = true;
            numbers.push((*position, term.number));
        }
        self.phrases.add(numbers.into_iter());
    }

    fn near(&mut self, terms: &[(u32, String)], slop: u32) {
        let mut numbers = Vec::with_capacity(terms.len());
        for (offset, term) in terms {
            let next = self.near_terms;
            let number = *self.term(term).near.get_or_insert(next);
            self.near_terms = next.max(number + 1);
            numbers.push((*offset, number));
        }
        self.near.push(Near::new(numbers.into_iter(), slop));
    }

    /// Whether nothing matches.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && !self.expands()
    }

    /// What the query matches in `text`. Linear in the length of `text`; memory grows with the number of matches, and
    /// of words of phrases with slop.
    pub fn matches(&self, text: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Vec<Match> {
        let mut found = Vec::new();
        if self.is_empty() {
            return found;
        }
        let mut reader = Reader::new(&self.phrases);
        let mut places: Vec<Vec<Place>> = vec![Vec::new(); self.near_terms];
        // Numbers of terms that the query does not have itself, after those of phrases.
        let of_phrases = self.terms.len() as u32;
        let (mut others, of_others) = (HashMap::<String, u32>::new(), of_phrases + self.phrases.len());
        let mut buffer = String::new();
        analyzer.tokens(text, scratch, |token| {
            let (start, end) = (token.start, token.end);
            let word = |number| Match { start, end, number, words: 1 };
            let known = self.terms.get(token.term);
            if let Some(term) = known {
                if let Some(near) = term.near {
                    places[near].push(Place { position: token.position, word: word(term.number) });
                }
                if term.is_in_phrase
                    && let Some(phrase) = reader.read(term.number, &token)
                {
                    // The words of a phrase are part of it.
                    return found.push(Match { number: of_phrases + phrase.number, ..phrase });
                }
                if term.is_word {
                    return found.push(word(term.number));
                }
            }
            if self.expands() && self.expands_to(&token, &text[start..end], analyzer, &mut buffer) {
                let number = known.map(|term| term.number).or_else(|| others.get(token.term).copied());
                let number = number.unwrap_or_else(|| {
                    let next = of_others + others.len() as u32;
                    *others.entry(token.term.to_owned()).or_insert(next)
                });
                found.push(word(number));
            }
        });
        let mut is_matched: Vec<Vec<bool>> = places.iter().map(|places| vec![false; places.len()]).collect();
        for near in &self.near {
            near.find(&places, &mut is_matched);
        }
        for (place, _) in
            places.iter().flatten().zip(is_matched.iter().flatten()).filter(|(_, is_matched)| **is_matched)
        {
            found.push(place.word);
        }
        if !(self.phrases.is_empty() && self.near.is_empty()) || analyzer.has_compounds() {
            keep_longest(&mut found);
        }
        found
    }

    /// Whether there are prefixes or fuzzy words.
    fn expands(&self) -> bool {
        !(self.prefixes.is_empty() && self.edits.is_empty())
    }

    /// Whether a prefix or fuzzy word stands for the term of a word, or for the word as it is written.
    fn expands_to(&self, token: &crate::analysis::Token, word: &str, analyzer: &Analyzer, buffer: &mut String) -> bool {
        if self.stands_for(token.term) {
            return true;
        }
        let word = analyzer.normalize_to(word, buffer);
        // Most terms are their words.
        word != token.term && self.stands_for(word)
    }

    fn stands_for(&self, word: &str) -> bool {
        // A prefix of `word` is not after it, and what is between the two begins with the prefix.
        let before = self.prefixes.partition_point(|prefix| prefix.as_str() <= word);
        if before.checked_sub(1).is_some_and(|last| word.starts_with(&self.prefixes[last])) {
            return true;
        }
        if word.len() < self.shortest {
            return false;
        }
        let compared = Word::new(word);
        self.edits.iter().any(|edits| edits.accepts(&compared))
    }
}
