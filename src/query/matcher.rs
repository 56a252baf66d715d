//! Which words of a text a query matches, for highlighting.

use std::collections::{BTreeSet, HashSet};

use levenshtein_automata::DFA;

use super::{Atom, Query, fuzzy};

/// How many fuzzy words of a query are compared: each costs up to 5 MB, and time per word of the text.
const MAX_FUZZY: usize = 8;

/// Tells which words a query matches: those of all its clauses but the excluded ones, in whatever field they are, and of
/// phrases each word by itself. Only the first 8 different fuzzy words count.
pub struct Matcher {
    terms: HashSet<String>,
    /// Sorted; none begins with another one.
    prefixes: Vec<String>,
    fuzzy: Vec<DFA>,
}

impl Matcher {
    /// The matcher of a query. Linear in the length of the query.
    pub fn new(query: &Query) -> Matcher {
        let mut terms = HashSet::new();
        let mut sorted = BTreeSet::new();
        let mut words = HashSet::new();
        let mut automata = Vec::new();
        let clauses = query.clauses.iter().filter(|clause| !clause.exclude);
        for atom in clauses.flat_map(|clause| clause.atom.alternatives()) {
            match atom {
                Atom::OneOf(_) => (),
                Atom::Term(term) => {
                    terms.insert(term.clone());
                }
                Atom::Phrase(phrase) | Atom::Near { terms: phrase, .. } => {
                    terms.extend(phrase.iter().map(|(_, term)| term.clone()))
                }
                Atom::All(all) => terms.extend(all.iter().cloned()),
                Atom::Prefix(prefix) => {
                    sorted.insert(prefix.as_str());
                }
                Atom::Like { term, word, edits, start } => {
                    terms.extend(term.clone());
                    if *start {
                        sorted.insert(word.as_str());
                    }
                    if *edits > 0 && automata.len() < MAX_FUZZY && words.insert((word, edits)) {
                        automata.push(fuzzy::automaton(word, *edits));
                    }
                }
                Atom::Fuzzy { word, distance } => {
                    if automata.len() < MAX_FUZZY && words.insert((word, distance)) {
                        automata.push(fuzzy::automaton(word, *distance));
                    }
                }
            }
        }
        let mut prefixes: Vec<String> = Vec::new();
        for prefix in sorted {
            // What begins with a shorter one comes right after it.
            if !prefixes.last().is_some_and(|shorter| prefix.starts_with(shorter)) {
                prefixes.push(prefix.to_owned());
            }
        }
        Matcher { terms, prefixes, fuzzy: automata }
    }

    /// Whether nothing matches.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.prefixes.is_empty() && self.fuzzy.is_empty()
    }

    /// Whether the query matches a word with this `term`, whose normalized form before stemming is `word`. Prefixes and
    /// fuzzy words are compared with both: the index finds the term, and a visitor reads the word.
    pub fn matches(&self, term: &str, word: &str) -> bool {
        self.terms.contains(term)
            || self.expands_to(term)
            // Most terms are their words.
            || (word != term && self.expands_to(word))
    }

    /// Whether a prefix or fuzzy word has `word` among its terms.
    fn expands_to(&self, word: &str) -> bool {
        // A prefix of `word` is not after it, and what is between the two begins with the prefix.
        let before = self.prefixes.partition_point(|prefix| prefix.as_str() <= word);
        before.checked_sub(1).is_some_and(|last| word.starts_with(&self.prefixes[last]))
            || self.fuzzy.iter().any(|automaton| fuzzy::accepts(automaton, word))
    }
}
