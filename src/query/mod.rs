//! What a visitor types → a list of clauses, and matches shown in texts.
//!
//! | file | what it does |
//! |---|---|
//! | `mod.rs` | [`parse`]: string → [`Query`] |
//! | `fuzzy.rs` | automata of fuzzy words |
//! | `matcher.rs` | [`Matcher`]: which words of a text a query matches |
//! | `highlight.rs` | [`highlight`](highlight::highlight) and [`snippet`](highlight::snippet) |
//!
//! # Syntax
//! | typed | meaning |
//! |---|---|
//! | `fast lists` | words |
//! | `"posting list"` | a phrase; the quotes “ ” „ ‟ « » ＂ count as `"` |
//! | `-word`, `-"a phrase"` | documents with it are excluded |
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
//! The first [`MOST_PHRASE_WORDS`] words of a phrase count, and the operators of the first [`MOST_EXPANDED`] prefixes and
//! fuzzy words.

pub mod fuzzy;
pub mod highlight;
mod matcher;
#[cfg(test)]
mod tests;

use crate::analysis::{Analyzer, MAX_TERM, Scratch, is_lone_unit};
pub use matcher::Matcher;
use std::collections::BTreeSet;

/// The most words of a phrase: further ones do not count.
pub const MOST_PHRASE_WORDS: usize = 64;

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
}

/// One condition of a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    /// Whether documents that match are excluded.
    pub exclude: bool,
    /// The field, as an index into the names given to [`parse`]; `None`: any field.
    pub field: Option<usize>,
    /// What is looked for.
    pub atom: Atom,
}

/// What a clause looks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A term.
    Term(String),
    /// Two or more terms with their positions, increasing, the first 0. Gaps are left by stop words and too long words.
    Phrase(Vec<(u32, String)>),
    /// Different terms in the same field, wherever they are. Only in excluded clauses, in place of a phrase if the index
    /// has no positions: one clause per term would exclude documents that have only one of them.
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
}

impl Atom {
    /// How many words it has.
    pub fn word_count(&self) -> usize {
        match self {
            Atom::Phrase(terms) => terms.len(),
            Atom::All(terms) => terms.len(),
            Atom::Term(_) | Atom::Prefix(_) | Atom::Fuzzy { .. } => 1,
        }
    }

    /// The different words of a phrase, each as an atom of its own.
    pub fn words(&self) -> impl Iterator<Item = Atom> {
        let terms: BTreeSet<&String> = match self {
            Atom::Phrase(terms) => terms.iter().map(|(_, term)| term).collect(),
            Atom::All(terms) => terms.iter().collect(),
            Atom::Term(_) | Atom::Prefix(_) | Atom::Fuzzy { .. } => BTreeSet::new(),
        };
        terms.into_iter().map(|term| Atom::Term(term.clone())).collect::<Vec<_>>().into_iter()
    }
}

/// Parses what a visitor typed; see the top of `query/mod.rs`. Never fails, and is linear in the length of `text`.
///
/// `fields` are the names that may stand before a colon. `phrases` says whether the index has positions; without them a
/// phrase becomes a clause per term, or [`Atom::All`] if it is excluded.
pub fn parse(text: &str, fields: &[&str], phrases: bool, analyzer: &Analyzer, scratch: &mut Scratch) -> Query {
    let mut parser = Parser { fields, phrases, analyzer, scratch, query: Query::default(), expanded: 0 };
    // Quotes are looked for up to the last one only.
    let last_quote = text.rfind(is_quote).unwrap_or(0);
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, field, exclude) = parser.operators(rest);
        // The offset of `word` in the text tells whether there is a quote after it.
        let opened = word.strip_prefix(is_quote).filter(|after| text.len() - after.len() <= last_quote);
        if let Some((phrase, after)) = opened.and_then(|phrase| phrase.split_once(is_quote)) {
            parser.text(phrase, field, exclude, true);
            rest = after_phrase(after).trim_start();
        } else {
            let (word, after) = word.split_at(word.find(char::is_whitespace).unwrap_or(word.len()));
            parser.word(word, field, exclude);
            rest = after.trim_start();
        }
    }
    parser.query
}

/// Why no query could name a field so; `None` if one can.
pub fn unusable_name(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("must not be empty")
    } else if name.starts_with('-') {
        Some("must not begin with '-', which excludes words in queries")
    } else if name.starts_with(is_quote) {
        Some("must not begin with a quotation mark, which begins a phrase in queries")
    } else if name.contains(|c: char| c == ':' || c.is_whitespace()) {
        Some("must not contain ':' or white space")
    } else {
        None
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '‟' | '«' | '»' | '＂')
}

/// What comes after the closing quote, without an operator there: phrases have none.
fn after_phrase(text: &str) -> &str {
    match text.strip_prefix('~') {
        Some(after) => after.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => text.trim_start_matches('*'),
    }
}

/// What stands at the end of a word.
enum Operator {
    Prefix,
    Fuzzy(u8),
}

/// Splits a word from the operator at its end.
fn split_operator(word: &str) -> (&str, Option<Operator>) {
    if let Some(word) = word.strip_suffix('*') {
        return (word.trim_end_matches('*'), Some(Operator::Prefix));
    }
    let without_digits = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let Some(before) = without_digits.strip_suffix('~') else { return (word, None) };
    let distance = match &word[without_digits.len()..] {
        "" => 1,
        digits => digits.parse().unwrap_or(fuzzy::MAX_DISTANCE).min(fuzzy::MAX_DISTANCE),
    };
    (before.trim_end_matches('~'), (distance > 0).then_some(Operator::Fuzzy(distance)))
}

struct Parser<'a> {
    fields: &'a [&'a str],
    phrases: bool,
    analyzer: &'a Analyzer,
    scratch: &'a mut Scratch,
    query: Query,
    /// Prefixes and fuzzy words so far.
    expanded: usize,
}

impl Parser<'_> {
    /// Takes `-` and `field:` off the start of `text`, which does not begin with a space.
    fn operators<'t>(&self, text: &'t str) -> (&'t str, Option<usize>, bool) {
        let (text, exclude) = match text.strip_prefix('-') {
            Some(text) => (text, true),
            None => (text, false),
        };
        // By name, as looking for the colon could take long, again and again.
        for (field, name) in self.fields.iter().enumerate() {
            if let Some(after) = text.strip_prefix(name).and_then(|after| after.strip_prefix(':'))
                && !after.is_empty()
                && !after.starts_with(char::is_whitespace)
            {
                return (after, Some(field), exclude);
            }
        }
        (text, None, exclude)
    }

    fn push(&mut self, atom: Atom, field: Option<usize>, exclude: bool) {
        self.expanded += usize::from(matches!(atom, Atom::Prefix(_) | Atom::Fuzzy { .. }));
        self.query.clauses.push(Clause { exclude, field, atom });
    }

    /// Adds the clauses of a word with an operator at its end, or none.
    fn word(&mut self, word: &str, field: Option<usize>, exclude: bool) {
        let (word, mut operator) = split_operator(word);
        if self.expanded >= MOST_EXPANDED {
            operator = None;
        }
        let mut last = None;
        let mut count = 0;
        if operator.is_some() {
            self.analyzer.words(word, |start, end, units| {
                last = Some((start, end, units));
                count += 1;
            });
        }
        let (Some(operator), Some((start, end, false))) = (operator, last) else {
            return self.text(word, field, exclude, false);
        };
        let normalized = self.analyzer.normalize(&word[start..end]);
        let too_long = match operator {
            Operator::Prefix => normalized.len() > MAX_TERM,
            Operator::Fuzzy(_) => normalized.chars().count() > fuzzy::MAX_CHARACTERS,
        };
        if exclude && count > 1 || normalized.is_empty() || too_long {
            return self.text(word, field, exclude, false);
        }
        self.query.words = true;
        self.text(&word[..start], field, exclude, false);
        let atom = match operator {
            Operator::Prefix => Atom::Prefix(normalized),
            Operator::Fuzzy(distance) => Atom::Fuzzy { word: normalized, distance },
        };
        self.push(atom, field, exclude);
    }

    /// Adds the clauses of text without operators.
    fn text(&mut self, text: &str, field: Option<usize>, exclude: bool, quoted: bool) {
        let mut lone_unit = false;
        if !self.query.words || !quoted {
            let mut count = 0;
            self.analyzer.words(text, |start, end, units| {
                count += 1;
                lone_unit = count == 1 && units && is_lone_unit(&text[start..end]);
            });
            self.query.words |= count > 0;
        }
        let mut terms: Vec<(u32, String)> = Vec::new();
        self.analyzer.tokens(text, self.scratch, |token| {
            terms.push((token.position, token.term.to_owned()));
        });
        let first = terms.first().map_or(0, |&(position, _)| position);
        for (position, _) in &mut terms {
            *position -= first;
        }

        if terms.len() > 1 && self.phrases {
            terms.truncate(MOST_PHRASE_WORDS);
            self.push(Atom::Phrase(terms), field, exclude);
        } else if terms.len() > 1 && exclude {
            terms.truncate(MOST_PHRASE_WORDS);
            let different: BTreeSet<String> = terms.into_iter().map(|(_, term)| term).collect();
            self.push(Atom::All(different.into_iter().collect()), field, exclude);
        } else {
            for (_, term) in terms {
                let is_prefix = lone_unit && !quoted && self.expanded < MOST_EXPANDED;
                let atom = if is_prefix { Atom::Prefix(term) } else { Atom::Term(term) };
                self.push(atom, field, exclude);
            }
        }
    }
}
