//! Passages of texts: those with the most different matched words.

use super::highlight::{Style, write};
use super::matches::Match;
use std::collections::VecDeque;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// How far around a cut boundaries of words are looked for, in bytes; a longer word is cut.
const CONTEXT: usize = 256;

/// The most fragments of a snippet. Each takes as long as looking at all matches.
pub const MOST_FRAGMENTS: usize = 100;

/// Up to `fragments` fragments of `text` (at least one, at most [`MOST_FRAGMENTS`]) with their matches marked, each of
/// about `length` characters (marks, entities and ellipses not counted), in the order of the text.
///
/// The first that is chosen is the one with the most different matched words, then with the most matches, then the
/// first in the text; the next one is so among the rest, and words that were not shown before come first. A phrase
/// counts as its words. Without a match it is the beginning of the text.
///
/// Fragments are cut at word boundaries, with `ellipsis` where text is left out: at the beginning, at the end, and,
/// with a space after it, between two; two without words between them are one. One is longer than `length` only if it is
/// two, or a single match is longer. Linear in the length of `text`.
pub fn snippet(
    text: &str,
    matches: &[Match],
    style: &Style,
    length: usize,
    fragments: usize,
    ellipsis: &str,
) -> String {
    let mut html = String::new();
    let mut done = 0;
    for (number, part) in self::fragments(text, matches, length, fragments).into_iter().enumerate() {
        // Fragments without text between them are one.
        if !text[done..part.start].trim().is_empty() || number > 0 {
            html.push_str(ellipsis);
            html.push_str(if number > 0 { " " } else { "" });
        }
        done = part.end;
        write(text, part, matches, style, &mut html);
    }
    if !text[done..].trim().is_empty() {
        html.push_str(ellipsis);
    }
    html
}

/// A match with its place in characters.
struct Place<'m> {
    of: &'m Match,
    characters: Range<usize>,
}

/// The parts of the text that [`snippet`] shows, in order.
pub(super) fn fragments(text: &str, matches: &[Match], length: usize, fragments: usize) -> Vec<Range<usize>> {
    let (mut byte, mut character) = (0, 0);
    let place = |of| {
        let &Match { start, end, .. } = of;
        character += count_characters(&text[byte..start]);
        byte = start;
        Place { of, characters: character..character + count_characters(&text[start..end]) }
    };
    let places: Vec<Place> = matches.iter().map(place).collect();
    let numbers = matches.iter().map(|of| of.number as usize + 1).max().unwrap_or(0);
    // Whether words were shown, by their numbers.
    let mut shown = vec![false; numbers];
    let mut chosen: Vec<Range<usize>> = Vec::new();
    for _ in 0..fragments.clamp(1, MOST_FRAGMENTS) {
        let Some((best, gap)) = best(&places, &chosen, &shown, length, text.len()) else { break };
        let fragment = widened(text, &best, &gap, length);
        let first = places.partition_point(|place| place.of.start < fragment.start);
        for place in places[first..].iter().take_while(|place| place.of.end <= fragment.end) {
            shown[place.of.number as usize] = true;
        }
        let at = chosen.partition_point(|other| other.start < fragment.start);
        chosen.insert(at, fragment);
    }
    if chosen.is_empty() {
        chosen.push(0..last_boundary(text, 0, skip(text, length)));
    }
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(chosen.len());
    for fragment in chosen {
        match joined.last_mut() {
            Some(last) if text[last.end..fragment.start].trim().is_empty() => last.end = fragment.end,
            _ => joined.push(fragment),
        }
    }
    joined
}

/// What is counted of a window: words that were not shown, different words, words.
type Value = (usize, usize, usize);

/// The matches of a window: as many of the last ones as fit.
struct Window<'m> {
    places: VecDeque<&'m Place<'m>>,
    /// How many of them each number has.
    counts: Vec<usize>,
    value: Value,
}

impl<'m> Window<'m> {
    fn clear(&mut self) {
        for place in self.places.drain(..) {
            self.counts[place.of.number as usize] = 0;
        }
        self.value = (0, 0, 0);
    }

    fn push(&mut self, new: &'m Place<'m>, shown: &[bool], length: usize) {
        let end = new.characters.end;
        while let Some(first) = self.places.front().filter(|first| end - first.characters.start > length) {
            let (number, words) = (first.of.number as usize, first.of.words as usize);
            self.counts[number] -= 1;
            self.value.2 -= words;
            if self.counts[number] == 0 {
                self.value.1 -= words;
                self.value.0 -= if shown[number] { 0 } else { words };
            }
            self.places.pop_front();
        }
        let (number, words) = (new.of.number as usize, new.of.words as usize);
        if self.counts[number] == 0 {
            self.value.1 += words;
            self.value.0 += if shown[number] { 0 } else { words };
        }
        self.counts[number] += 1;
        self.value.2 += words;
        self.places.push_back(new);
    }
}

/// The matches of a window.
struct Best {
    bytes: Range<usize>,
    characters: usize,
}

/// The best window outside of what is chosen, which is in order, and the gap that it lies in.
fn best(
    places: &[Place],
    chosen: &[Range<usize>],
    shown: &[bool],
    length: usize,
    end: usize,
) -> Option<(Best, Range<usize>)> {
    let mut window = Window { places: VecDeque::new(), counts: vec![0; shown.len()], value: (0, 0, 0) };
    let mut found: Option<(Value, Best, Range<usize>)> = None;
    let (mut next, mut gap) = (0, 0..chosen.first().map_or(end, |first| first.start));
    for place in places {
        while place.of.end > gap.end && next < chosen.len() {
            let after = chosen.get(next + 1).map_or(end, |after| after.start);
            gap = chosen[next].end..after;
            next += 1;
            window.clear();
        }
        if place.of.start < gap.start || place.of.end > gap.end {
            continue;
        }
        window.push(place, shown, length);
        if found.as_ref().is_none_or(|(best, ..)| window.value > *best)
            && let (Some(first), Some(last)) = (window.places.front(), window.places.back())
        {
            let characters = last.characters.end - first.characters.start;
            found = Some((window.value, Best { bytes: first.of.start..last.of.end, characters }, gap.clone()));
        }
    }
    found.map(|(_, best, gap)| (best, gap))
}

/// The matches with what fits around them in the gap. The rest of the length goes to both sides alike, unless the gap
/// ends there.
fn widened(text: &str, best: &Best, gap: &Range<usize>, length: usize) -> Range<usize> {
    let Range { start, end } = best.bytes;
    let (before, after) = (&text[gap.start..start], &text[end..gap.end]);
    let free = length.saturating_sub(best.characters);
    let on_left = before.chars().rev().take(free).count();
    let on_right = after.chars().take(free).count();
    let right = (free - on_left.min(free / 2)).min(on_right);
    let left = (free - right).min(on_left);
    let earliest = start - before.chars().rev().take(left).map(char::len_utf8).sum::<usize>();
    let latest = end + skip(after, right);
    first_boundary(text, earliest, start)..last_boundary(text, end, latest)
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
