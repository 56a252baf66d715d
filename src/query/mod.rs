//! What a visitor types → a list of clauses, and matches shown in texts.
//!
//! | file | what it does |
//! |---|---|
//! | `mod.rs` | [`Query`] and its parts |
//! | `parser.rs` | [`parse`]: string → [`Query`] |
//! | `reading.rs` | [`Reading`]: what words stand for |
//! | `synonyms.rs` | [`Synonyms`]: what else they stand for |
//! | `fuzzy.rs` | automata of fuzzy words |
//! | `matcher.rs` | [`Matcher`]: what of a text a query matches |
//! | `edits.rs`, `phrases.rs`, `near.rs` | words within some edits, phrases, and words close to each other in a text |
//! | `matches.rs` | [`Match`], and [`marks`] of matches |
//! | `highlight.rs` | [`highlight()`]: a text with its matches marked |
//! | `snippet.rs` | [`snippet()`]: passages of it |
//!
//! # Syntax
//! | typed | meaning |
//! |---|---|
//! | `fast lists` | words |
//! | `"posting list"` | a phrase; the quotes “ ” „ ‟ « » ＂ count as `"` |
//! | `"posting list"~2` | these words close to each other: moved by 2 words in all |
//! | `-word`, `-"a phrase"` | documents with it are excluded |
//! | `+word`, `+"a phrase"` | documents must have it, whatever the others must |
//! | `word^2`, `"a phrase"^0.5` | counts for so much more or less, 0.001 to 1000 |
//! | `title:word`, `-title:"a phrase"` | only in that field; with an unknown field the colon is text |
//! | `comp*` | words that begin so |
//! | `serach~`, `serach~2` | words within an edit distance, 1 or 2 ([`fuzzy`]); larger numbers mean 2, 0 means the word |
//!
//! Nothing is an error. An operator without a word, a quote without another one, and operators within a word are text, and
//! text without letters and digits is nothing.
//!
//! A word that is several terms (`full-text`, 検索語) is a phrase. A single unit of a script without spaces (語) is a prefix,
//! as the index has pairs of units; in quotes it is a term. In `full-te*` and `full-te~` the operator is that of the last
//! word; it is ignored if the clause is excluded, as "not this phrase" has no such form, and on units.
//!
//! A compound, of an analyzer that knows what it is [made of](crate::analysis::AnalyzerOptions::compounds), stands for itself
//! or all of its parts; in quotes, or excluded, for itself.
//!
//! The first [`MOST_PHRASE_WORDS`] words of a phrase count, and the operators of the first [`MOST_EXPANDED`] prefixes and
//! fuzzy words.

mod edits;
pub mod fuzzy;
mod highlight;
mod matcher;
mod matches;
mod near;
mod parser;
mod phrases;
mod reading;
mod snippet;
mod synonyms;
#[cfg(test)]
mod tests;

#[cfg(doc)]
use crate::analysis::MAX_TERM;
pub use highlight::{Style, escape, highlight};
pub use matcher::Matcher;
pub use matches::{Match, in_bytes, marks, together};
pub use parser::{parse, unusable_name};
pub use reading::{Boost, Reading, Typos};
pub use snippet::{MOST_FRAGMENTS, snippet};
use std::collections::BTreeSet;
pub use synonyms::Synonyms;

/// The most words of a phrase: further ones do not count.
pub const MOST_PHRASE_WORDS: usize = 64;

/// The most words between those of a phrase; larger numbers mean this.
pub const MOST_SLOP: u32 = 1000;

/// The most prefixes and fuzzy words of a query, equal ones too: the operators of further ones are ignored, so that they
/// are looked up as words. Each costs a walk through the dictionary of each field.
pub const MOST_EXPANDED: usize = 32;

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// In the order in which they were typed; some may be equal.
    pub clauses: Vec<Clause>,
    /// Whether the string had a word, even if only stop words or too long ones, which give no clause.
    pub words: bool,
    /// The bytes of the string that were read: all, unless the [most words](Reading::words) came before its end.
    pub read: usize,
}

/// One condition of a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    /// Whether documents that match are excluded.
    pub exclude: bool,
    /// Whether documents must match, even if they need not have all clauses.
    pub required: bool,
    /// What it counts for.
    pub boost: Boost,
    /// The field, as an index into the names given to [`parse`]; `None`: any field.
    pub field: Option<usize>,
    /// What is looked for.
    pub atom: Atom,
    /// The byte of the string at which what it was made of begins. It is the same whatever the analyzer, unless this says where
    /// words begin within something that was typed without a space.
    pub at: usize,
}

impl Clause {
    /// What distinguishes it from others, wherever it was typed.
    pub fn head(&self) -> (bool, bool, Boost, Option<usize>) {
        (self.exclude, self.required, self.boost, self.field)
    }
}

/// What a clause looks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A term.
    Term(String),
    /// Two or more terms with their positions, increasing, the first 0. Gaps are left by stop words and too long words.
    Phrase(Vec<(u32, String)>),
    /// A phrase whose words may be moved (in `rank`, `near`).
    Near {
        /// As of a phrase.
        terms: Vec<(u32, String)>,
        /// By how many words they may be moved in all, 1 to [`MOST_SLOP`].
        slop: u32,
    },
    /// Different terms in the same field, wherever they are: the parts of a compound, or words that have synonyms; in excluded
    /// clauses a phrase, if the index has no positions: one clause per term would exclude documents that have only one of
    /// them.
    All(Vec<String>),
    /// Terms that begin so. Normalized, not stemmed, not empty, at most [`MAX_TERM`] bytes.
    Prefix(String),
    /// Terms within an edit distance of a word.
    Fuzzy {
        /// Normalized, not stemmed, 1 to [`fuzzy::MAX_CHARACTERS`] characters.
        word: String,
        /// 1 or 2.
        distance: u8,
    },
    /// A plain word that forgives typos, or is a prefix too: the term, and terms within an edit distance that begin with the
    /// same letter.
    Like {
        /// What the word is in the dictionary; `None` for a stop word that is a prefix.
        term: Option<String>,
        /// Normalized, not stemmed, 1 to [`fuzzy::MAX_CHARACTERS`] characters.
        word: String,
        /// 0 to 2.
        edits: u8,
        /// Whether it is also a prefix, or a typo of one.
        start: bool,
    },
    /// What was typed, and what else it stands for: the parts of a compound, synonyms. Documents have one of them. None is of
    /// this kind.
    OneOf(Vec<Atom>),
}

/// What words must begin with to be within some edits of a plain word: its first letter, unless its term begins with another
/// one. Stems begin as their words do, with exceptions.
pub fn first_letter(word: &str, term: Option<&str>) -> Option<char> {
    word.chars().next().filter(|&first| term.is_none_or(|term| term.starts_with(first)))
}

impl Atom {
    /// How many words it has.
    pub fn word_count(&self) -> usize {
        match self {
            Atom::Phrase(terms) | Atom::Near { terms, .. } => terms.len(),
            Atom::All(terms) => terms.len(),
            Atom::OneOf(atoms) => atoms.iter().map(Atom::word_count).sum(),
            Atom::Term(_) | Atom::Prefix(_) | Atom::Fuzzy { .. } | Atom::Like { .. } => 1,
        }
    }

    /// Whether it stands for terms of the dictionary.
    pub fn is_expanded(&self) -> bool {
        matches!(self, Atom::Prefix(_) | Atom::Fuzzy { .. } | Atom::Like { .. })
    }

    /// All of some terms, of which there is one at least, in their order; equal ones count once.
    fn all_of(terms: impl IntoIterator<Item = String>) -> Atom {
        let mut seen = BTreeSet::new();
        let mut terms: Vec<String> = terms.into_iter().filter(|term| seen.insert(term.clone())).collect();
        if terms.len() == 1 { Atom::Term(terms.remove(0)) } else { Atom::All(terms) }
    }

    /// What a document may have of it: one, unless it is a compound or has synonyms.
    pub fn alternatives(&self) -> &[Atom] {
        if let Atom::OneOf(atoms) = self { atoms } else { std::slice::from_ref(self) }
    }

    /// The different words of a phrase, each as an atom of its own.
    pub fn words(&self) -> impl Iterator<Item = Atom> {
        let terms: BTreeSet<&String> = match self {
            Atom::Phrase(terms) | Atom::Near { terms, .. } => terms.iter().map(|(_, term)| term).collect(),
            Atom::All(terms) => terms.iter().collect(),
            Atom::Term(_) | Atom::Prefix(_) | Atom::Fuzzy { .. } | Atom::Like { .. } | Atom::OneOf(_) => {
                BTreeSet::new()
            }
        };
        terms.into_iter().map(|term| Atom::Term(term.clone())).collect::<Vec<_>>().into_iter()
    }
}
