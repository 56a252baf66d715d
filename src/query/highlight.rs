//! Texts with the matched words marked, as HTML.
//!
//! The text is escaped (`&` `<` `>` `"` `'`), so the result is safe between tags and in quoted attributes; the marks and the
//! ellipsis are HTML and stay as they are. Which words match says a function of the term and of the normalized word before
//! stemming, such as [`Matcher::matches`](super::Matcher::matches).

use std::collections::{HashMap, VecDeque};

use unicode_segmentation::UnicodeSegmentation;

use crate::analysis::{Analyzer, Scratch, Token};

/// How far around a cut boundaries of words are looked for, in bytes; a longer word is cut.
const CONTEXT: usize = 256;

/// `text` as HTML, with `before` and `after` around each matched word. Matched words that overlap (pairs of units of a
/// script without spaces) get one mark. Linear in the length of `text`.
pub fn highlight(
    text: &str,
    analyzer: &Analyzer,
    scratch: &mut Scratch,
    matches: impl FnMut(&str, &str) -> bool,
    before: &str,
    after: &str,
) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    let mut done = 0;
    let mut mark = |start: usize, end: usize| {
        escape(&text[done..start], &mut html);
        html.push_str(before);
        escape(&text[start..end], &mut html);
        html.push_str(after);
        done = end;
    };
    let mut pending: Option<(usize, usize)> = None;
    for_each_match(text, analyzer, scratch, matches, |token| match &mut pending {
        Some((_, end)) if token.start < *end => *end = token.end,
        _ => {
            if let Some((start, end)) = pending.replace((token.start, token.end)) {
                mark(start, end);
            }
        }
    });
    if let Some((start, end)) = pending {
        mark(start, end);
    }
    escape(&text[done..], &mut html);
    html
}

/// A passage of about `length` characters of `text` (marks, entities and ellipses not counted), highlighted: the one with
/// the most different matched terms, then with the most matches, then the first. Without a match it is the beginning.
///
/// It is cut at word boundaries, with `ellipsis` where text is left out, and is longer than `length` only if a single
/// matched word is. Linear in the length of `text`; memory grows with `length` and the number of different matched terms.
#[expect(clippy::too_many_arguments, reason = "two pairs of HTML strings, which PHP passes one by one")]
pub fn snippet(
    text: &str,
    analyzer: &Analyzer,
    scratch: &mut Scratch,
    mut matches: impl FnMut(&str, &str) -> bool,
    before: &str,
    after: &str,
    length: usize,
    ellipsis: &str,
) -> String {
    let (start, end) = passage(text, analyzer, scratch, &mut matches, length);
    let mut html = String::new();
    if !text[..start].trim().is_empty() {
        html.push_str(ellipsis);
    }
    html.push_str(&highlight(&text[start..end], analyzer, scratch, matches, before, after));
    if !text[end..].trim().is_empty() {
        html.push_str(ellipsis);
    }
    html
}

/// Appends `text` with the characters that mean something in HTML as entities.
pub fn escape(text: &str, html: &mut String) {
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        html.push_str(&text[done..at]);
        html.push_str(entity);
        done = at + 1;
    }
    html.push_str(&text[done..]);
}

fn for_each_match(
    text: &str,
    analyzer: &Analyzer,
    scratch: &mut Scratch,
    mut matches: impl FnMut(&str, &str) -> bool,
    mut found: impl FnMut(Token<'_>),
) {
    let mut buffer = String::new();
    analyzer.tokens(text, scratch, |token| {
        let word = analyzer.normalize_to(&text[token.start..token.end], &mut buffer);
        if matches(token.term, word) {
            found(token);
        }
    });
}

/// A matched word.
struct Match {
    start: usize,
    end: usize,
    /// `start` and `end` in characters.
    characters: (usize, usize),
    /// The number of its term, from 0.
    term: usize,
}

/// The matches of a window of the text: as many of the last ones as fit.
struct Window {
    matches: VecDeque<Match>,
    /// How many of them each term has.
    counts: Vec<usize>,
    different: usize,
}

impl Window {
    fn push(&mut self, new: Match, length: usize) {
        let end = new.characters.1;
        while self.matches.front().is_some_and(|first| end - first.characters.0 > length) {
            if let Some(gone) = self.matches.pop_front() {
                self.counts[gone.term] -= 1;
                self.different -= usize::from(self.counts[gone.term] == 0);
            }
        }
        if self.counts.len() <= new.term {
            self.counts.resize(new.term + 1, 0);
        }
        self.different += usize::from(self.counts[new.term] == 0);
        self.counts[new.term] += 1;
        self.matches.push_back(new);
    }
}

/// Start and end of the passage that [`snippet`] shows.
fn passage(
    text: &str,
    analyzer: &Analyzer,
    scratch: &mut Scratch,
    matches: impl FnMut(&str, &str) -> bool,
    length: usize,
) -> (usize, usize) {
    let mut terms: HashMap<String, usize> = HashMap::new();
    let mut window = Window { matches: VecDeque::new(), counts: Vec::new(), different: 0 };
    let mut best = (0, 0);
    let mut found = None;
    // The last counted place, in bytes and characters.
    let (mut byte, mut character) = (0, 0);
    for_each_match(text, analyzer, scratch, matches, |token| {
        let number = terms.len();
        let term = match terms.get(token.term) {
            Some(&term) => term,
            None => *terms.entry(token.term.to_owned()).or_insert(number),
        };
        character += count_characters(&text[byte..token.start]);
        byte = token.start;
        let characters = (character, character + count_characters(&text[token.start..token.end]));
        window.push(Match { start: token.start, end: token.end, characters, term }, length);
        let value = (window.different, window.matches.len());
        if value > best
            && let (Some(first), Some(last)) = (window.matches.front(), window.matches.back())
        {
            best = value;
            found = Some((first.start, last.end, last.characters.1 - first.characters.0));
        }
    });

    let Some((start, end, used)) = found else {
        return (0, last_boundary(text, 0, skip(text, length)));
    };
    // The rest of the length goes to both sides alike, unless the text ends there.
    let free = length.saturating_sub(used);
    let on_left = text[..start].chars().rev().take(free).count();
    let on_right = text[end..].chars().take(free).count();
    let right = (free - on_left.min(free / 2)).min(on_right);
    let left = (free - right).min(on_left);
    let earliest = start - text[..start].chars().rev().take(left).map(char::len_utf8).sum::<usize>();
    let latest = end + skip(&text[end..], right);
    (first_boundary(text, earliest, start), last_boundary(text, end, latest))
}

fn count_characters(text: &str) -> usize {
    text.chars().count()
}

/// The offset after `count` characters, or the length of `text`.
fn skip(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// A place from `earliest` to `at` from which boundaries of words can be found.
fn context(text: &str, earliest: usize, at: usize) -> usize {
    let mut from = earliest.max(at.saturating_sub(CONTEXT));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..at].rfind(char::is_whitespace).map_or(from, |space| from + space)
}

/// The first boundary of words from `at` to `limit`, which is one; without what belongs to the text before it.
fn first_boundary(text: &str, at: usize, limit: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let from = context(text, 0, at);
    let mut boundaries = text[from..limit].split_word_bound_indices().map(|(offset, _)| from + offset);
    let boundary = boundaries.find(|&boundary| boundary >= at).unwrap_or(limit);
    let belongs_before = |c: char| c.is_whitespace() || ",.;:!?)]}".contains(c);
    limit - text[boundary..limit].trim_start_matches(belongs_before).len()
}

/// The last boundary of words from `limit`, which is one, to `at`, without spaces before it; `at` in a long word.
fn last_boundary(text: &str, limit: usize, at: usize) -> usize {
    if at == text.len() {
        return at;
    }
    let from = context(text, limit, at);
    // A segment that begins before `at` may end after it.
    let mut after = text.len().min(at.saturating_add(CONTEXT));
    while !text.is_char_boundary(after) {
        after -= 1;
    }
    let boundaries = text[from..after].split_word_bound_indices().map(|(offset, _)| from + offset);
    let boundary = boundaries.take_while(|&boundary| boundary <= at).last().filter(|&boundary| boundary > from);
    limit + text[limit..boundary.unwrap_or(at)].trim_end().len()
}
