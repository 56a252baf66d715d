//! [`parse`]: what a visitor typed becomes clauses; see the top of `query/mod.rs`.

use super::{Atom, Boost, Clause, MOST_EXPANDED, MOST_PHRASE_WORDS, MOST_SLOP, Query, Reading, Typos, fuzzy};
use crate::analysis::{Analyzer, MAX_TERM, Scratch, Token, is_lone_unit};
use smallvec::SmallVec;
use std::cell::LazyCell;

/// Parses what a visitor typed; see the top of `query/mod.rs`. Never fails, and is linear in the length of `text`.
///
/// `fields` are the names that may stand before a colon. `phrases` says whether the index has positions; without them a
/// phrase becomes a clause per term, or [`Atom::All`] if it is excluded.
pub fn parse(
    text: &str,
    fields: &[&str],
    phrases: bool,
    reading: Reading,
    analyzer: &Analyzer,
    scratch: &mut Scratch,
) -> Query {
    let mut parser = Parser {
        typed: text,
        fields,
        phrases,
        reading,
        analyzer,
        scratch,
        query: Query::default(),
        expanded: 0,
        slop: 0,
    };
    // Quotes are looked for up to the last one only.
    let trimmed = text.trim();
    let last_quote = LazyCell::new(|| trimmed.rfind(is_quote).unwrap_or(0));
    let mut rest = trimmed;
    while !rest.is_empty() && parser.reading.words > 0 {
        let (word, mut head) = if reading.operators { parser.operators(rest) } else { (rest, Head::default()) };
        // The offset of `word` in the text tells whether there is a quote after it.
        let has_close = |after: &&str| reading.operators && trimmed.len() - after.len() <= *last_quote;
        let opened = word.strip_prefix(is_quote).filter(has_close);
        if let Some((phrase, after)) = opened.and_then(|phrase| phrase.split_once(is_quote)) {
            let after = parser.after_phrase(after, &mut head);
            parser.text(phrase, head, true);
            rest = after.trim_start();
        } else {
            let (word, after) = word.split_at(word.find(char::is_whitespace).unwrap_or(word.len()));
            rest = after.trim_start();
            match reading.operators {
                true => parser.word(word, head, rest.is_empty()),
                false => parser.plain(word, head, rest.is_empty()),
            }
        }
    }
    parser.query.read = parser.at(rest);
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

/// What stands around a word or a phrase.
#[derive(Clone, Copy, Default)]
struct Head {
    field: Option<usize>,
    exclude: bool,
    required: bool,
    boost: Boost,
}

/// Splits a word from the boost at its end.
fn split_boost(word: &str) -> (&str, Option<Boost>) {
    match word.rsplit_once('^').map(|(word, boost)| (word, Boost::parse(boost))) {
        Some((word, boost @ Some(_))) => (word, boost),
        _ => (word, None),
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

/// A word, or all of its parts.
fn or_parts(word: Atom, parts: Vec<String>) -> Atom {
    if parts.is_empty() { word } else { Atom::OneOf(vec![word, Atom::all_of(parts)]) }
}

/// A term of text without operators.
struct TextTerm {
    position: u32,
    /// The byte at which its clause begins, if the terms become one each.
    start: usize,
    term: String,
    /// Those of a compound.
    parts: Vec<String>,
}

struct Parser<'a> {
    /// All of what was typed.
    typed: &'a str,
    fields: &'a [&'a str],
    phrases: bool,
    /// Of the words, how many may follow.
    reading: Reading,
    analyzer: &'a Analyzer,
    scratch: &'a mut Scratch,
    query: Query,
    /// Prefixes and fuzzy words so far.
    expanded: usize,
    /// Of the phrase that is being read.
    slop: u32,
}

impl Parser<'_> {
    /// Where a part of what was typed begins.
    fn at(&self, part: &str) -> usize {
        part.as_ptr() as usize - self.typed.as_ptr() as usize
    }

    /// Takes `-` or `+`, and `field:`, off the start of `text`, which does not begin with a space.
    fn operators<'t>(&self, text: &'t str) -> (&'t str, Head) {
        let (exclude, required) = (text.starts_with('-'), text.starts_with('+'));
        let text = if exclude || required { &text[1..] } else { text };
        let head = Head { exclude, required, ..Head::default() };
        // By name, as looking for the colon could take long, again and again.
        for (field, name) in self.fields.iter().enumerate() {
            if let Some(after) = text.strip_prefix(name).and_then(|after| after.strip_prefix(':'))
                && !after.is_empty()
                && !after.starts_with(char::is_whitespace)
            {
                return (after, Head { field: Some(field), ..head });
            }
        }
        (text, head)
    }

    /// Reads the operators after the closing quote; returns what follows them.
    fn after_phrase<'t>(&mut self, text: &'t str, head: &mut Head) -> &'t str {
        let number =
            |text: &'t str, is_part: fn(char) -> bool| text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()));
        let mut text = text.trim_start_matches('*');
        self.slop = 0;
        if let Some(after) = text.strip_prefix('~') {
            let (slop, after) = number(after, |c| c.is_ascii_digit());
            self.slop = if slop.is_empty() { 0 } else { slop.parse().unwrap_or(MOST_SLOP).min(MOST_SLOP) };
            text = after;
        }
        if let Some(after) = text.strip_prefix('^') {
            let (boost, after) = number(after, |c| c.is_ascii_digit() || c == '.');
            if let Some(boost) = Boost::parse(boost) {
                head.boost = boost;
                text = after;
            }
        }
        text
    }

    /// Adds a clause of as many words as still count; at least one does. `typed`: what begins where it does.
    fn push(&mut self, mut atom: Atom, head: Head, typed: &str) {
        let left = self.reading.words;
        if left == 0 {
            return;
        }
        // A compound was typed as one.
        let count = |atom: &Atom| if let Atom::OneOf(_) = atom { 1 } else { atom.word_count() };
        if count(&atom) > left {
            match &mut atom {
                Atom::Phrase(terms) | Atom::Near { terms, .. } if left > 1 => terms.truncate(left),
                Atom::Phrase(terms) | Atom::Near { terms, .. } => {
                    terms.truncate(left);
                    let Some((_, term)) = terms.pop() else { return };
                    atom = Atom::Term(term);
                }
                Atom::All(terms) => atom = Atom::all_of(terms.drain(..left)),
                _ => return,
            }
        }
        self.reading.words -= count(&atom);
        self.expanded += usize::from(atom.alternatives().iter().any(Atom::is_expanded));
        let Head { field, exclude, required, boost } = head;
        let at = self.at(typed);
        self.query.clauses.push(Clause { exclude, required, boost, field, atom, at });
    }

    /// Adds the clauses of a word with operators at its end, or none; `is_last`: of the query.
    fn word(&mut self, word: &str, mut head: Head, is_last: bool) {
        if let (before, Some(boost)) = split_boost(word) {
            // Without a word before it, it is text.
            return match before.is_empty() {
                true => self.text(word, head, false),
                false => {
                    head.boost = boost;
                    self.unboosted(before, head, is_last)
                }
            };
        }
        self.unboosted(word, head, is_last);
    }

    fn unboosted(&mut self, word: &str, head: Head, is_last: bool) {
        let (word, mut operator) = match split_operator(word) {
            (plain, None) if plain.len() == word.len() && !head.exclude => return self.plain(word, head, is_last),
            split => split,
        };
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
            return self.text(word, head, false);
        };
        let normalized = self.analyzer.normalize(&word[start..end]);
        let too_long = match operator {
            Operator::Prefix => normalized.len() > MAX_TERM,
            Operator::Fuzzy(_) => normalized.chars().count() > fuzzy::MAX_CHARACTERS,
        };
        if head.exclude && count > 1 || normalized.is_empty() || too_long {
            return self.text(word, head, false);
        }
        self.query.words = true;
        self.text(&word[..start], head, false);
        let atom = match operator {
            Operator::Prefix => Atom::Prefix(normalized),
            Operator::Fuzzy(distance) => Atom::Fuzzy { word: normalized, distance },
        };
        self.push(atom, head, if count == 1 { word } else { &word[start..] });
    }

    /// Adds the clauses of a word that forgives typos, or is a prefix too if `is_last`.
    fn plain(&mut self, word: &str, head: Head, is_last: bool) {
        let start = is_last && self.reading.prefix;
        if !start && self.reading.typos == Typos::None || self.expanded >= MOST_EXPANDED {
            return self.text(word, head, false);
        }
        let mut last = None;
        let mut count = 0;
        self.analyzer.words(word, |from, to, units| {
            last = Some((from, to, units));
            count += 1;
        });
        // What is several words is a phrase, unless its last word is a prefix.
        let Some((from, to, false)) = last.filter(|_| count == 1 || start) else {
            return self.text(word, head, false);
        };
        let normalized = self.analyzer.normalize(&word[from..to]);
        let edits = self.reading.typos.of(&normalized);
        let (mut term, mut parts) = (None, Vec::new());
        self.analyzer.tokens(&word[from..to], self.scratch, |token| match token.is_part {
            false => term = Some(token.term.to_owned()),
            true => parts.push(token.term.to_owned()),
        });
        let too_long = normalized.chars().count() > fuzzy::MAX_CHARACTERS;
        if normalized.is_empty() || too_long || !start && (edits == 0 || term.is_none()) {
            return self.text(word, head, false);
        }
        self.query.words = true;
        self.text(&word[..from], head, false);
        if self.reading.words > 0 {
            let typed = if count == 1 { word } else { &word[from..] };
            self.push(or_parts(Atom::Like { term, word: normalized, edits, start }, parts), head, typed);
        }
    }

    /// Whether text has words, which may be stop words.
    fn has_words(&self, text: &str) -> bool {
        let mut has_words = false;
        self.analyzer.words(text, |_, _, _| has_words = true);
        has_words
    }

    /// Whether text is a single unit of a script without spaces.
    fn is_lone_unit(&self, text: &str) -> bool {
        let (mut words, mut is_unit) = (0, false);
        self.analyzer.words(text, |start, end, units| {
            words += 1;
            is_unit = units && is_lone_unit(&text[start..end]);
        });
        words == 1 && is_unit
    }

    /// Adds the clauses of text without operators.
    fn text(&mut self, text: &str, head: Head, quoted: bool) {
        let exclude = head.exclude;
        let slop = if quoted { self.slop } else { 0 };
        let mut terms: SmallVec<[TextTerm; 1]> = SmallVec::new();
        self.analyzer.tokens(text, self.scratch, |token| match terms.last_mut() {
            Some(of) if token.is_part => of.parts.push(token.term.to_owned()),
            _ => {
                let Token { position, term, start, .. } = token;
                let start = if position == 0 { 0 } else { start };
                terms.push(TextTerm { position, start, term: term.to_owned(), parts: Vec::new() });
            }
        });
        // Most texts need not be cut into words again for these.
        self.query.words = self.query.words || !terms.is_empty() || self.has_words(text);
        let is_lone_unit = terms.len() == 1 && !quoted && !text.is_ascii() && self.is_lone_unit(text);
        if terms.len() > 1 && self.phrases {
            let first = terms[0].position;
            let terms = terms.into_iter().take(MOST_PHRASE_WORDS);
            let terms = terms.map(|of| (of.position - first, of.term)).collect();
            self.push(if slop > 0 { Atom::Near { terms, slop } } else { Atom::Phrase(terms) }, head, text);
        } else if terms.len() > 1 && exclude {
            let terms = terms.into_iter().take(MOST_PHRASE_WORDS);
            self.push(Atom::all_of(terms.map(|of| of.term)), head, text);
        } else {
            let is_one = terms.len() == 1 && self.phrases;
            for TextTerm { start, term, parts, .. } in terms {
                let is_prefix = is_lone_unit && self.expanded < MOST_EXPANDED;
                let atom = match is_prefix {
                    true => Atom::Prefix(term),
                    false if quoted || exclude => Atom::Term(term),
                    false => or_parts(Atom::Term(term), parts),
                };
                self.push(atom, head, if is_one { text } else { &text[start..] });
            }
        }
    }
}
