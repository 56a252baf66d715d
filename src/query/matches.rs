//! [`Match`]: what a query matches in a text.

use std::ops::Range;

/// A word or a phrase of a text that a query matches. Those of a text begin and end one after the other; only pairs of
/// units of a script without spaces, and phrases, overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The first byte in the text.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// The number of its word or phrase among those of the query and the text.
    pub(super) number: u32,
    /// The words that a phrase has; 1 of a word.
    pub(super) words: u32,
}

/// Puts matches in order, without those that lie within others.
pub(super) fn keep_longest(matches: &mut Vec<Match>) {
    matches.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut end = 0;
    matches.retain(|of| {
        let is_new = of.end > end;
        end = end.max(of.end);
        is_new
    });
}

/// What several queries match in one text, in order, without matches that lie within others.
pub fn together(mut of_queries: Vec<Vec<Match>>) -> Vec<Match> {
    let mut found = of_queries.pop().unwrap_or_default();
    if of_queries.iter().all(Vec::is_empty) {
        return found;
    }
    // Numbers are those of one query.
    let mut next = found.iter().map(|of| of.number + 1).max().unwrap_or(0);
    for more in of_queries.into_iter().rev() {
        let first = next;
        next += more.iter().map(|of| of.number + 1).max().unwrap_or(0);
        found.extend(more.into_iter().map(|of| Match { number: first + of.number, ..of }));
    }
    keep_longest(&mut found);
    found
}

/// What is marked in a text: matches that overlap are one mark.
pub fn marks(matches: &[Match]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut rest = matches;
    std::iter::from_fn(move || {
        let (first, mut others) = rest.split_first()?;
        let mut mark = first.start..first.end;
        while let Some((next, after)) = others.split_first().filter(|(next, _)| next.start < mark.end) {
            mark.end = next.end;
            others = after;
        }
        rest = others;
        Some(mark)
    })
}

/// Where places of a text are in the bytes that it was made of, in which not everything is UTF-8. `marks` are in order.
pub fn in_bytes(bytes: &[u8], marks: &mut [Range<usize>]) {
    let mut chunks = bytes.utf8_chunks();
    // The valid piece: where it begins in the text and in the bytes, and how long it is.
    let (mut text, mut byte, mut length) = (0, 0, 0);
    let mut invalid = 0;
    let mut place = |at: usize| {
        while at > text + length {
            let Some(chunk) = chunks.next() else { break };
            // Each piece that is not valid is one U+FFFD, of three bytes.
            text += length + if invalid > 0 { '\u{fffd}'.len_utf8() } else { 0 };
            byte += length + invalid;
            (length, invalid) = (chunk.valid().len(), chunk.invalid().len());
        }
        byte + at.saturating_sub(text)
    };
    for mark in marks {
        // The first byte of what is marked is in the piece of the byte after it.
        *mark = place(mark.start + 1) - 1..place(mark.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(start: usize, end: usize) -> Match {
        Match { start, end, number: 0, words: 1 }
    }

    #[test]
    fn longest() {
        let mut matches = vec![of(4, 6), of(0, 3), of(2, 9), of(2, 5), of(9, 12), of(2, 9), of(8, 13)];
        keep_longest(&mut matches);
        assert_eq!(matches, [of(0, 3), of(2, 9), of(8, 13)]);
        assert!(marks(&matches).eq(std::iter::once(0..13)));
        assert_eq!(marks(&[of(0, 3), of(3, 4), of(7, 9)]).collect::<Vec<_>>(), [0..3, 3..4, 7..9]);
    }

    proptest! {
        #[test]
        fn places_in_bytes(
            pieces in proptest::collection::vec((proptest::sample::select(vec!["a", "éb", "検"]),
                proptest::sample::select(vec![&b""[..], b"\xff", b"\xc3", b"\xe6\xa4", b"\x80\x80"])), 0..8),
        ) {
            let bytes: Vec<u8> = pieces.iter().flat_map(|(text, bad)| [text.as_bytes(), b" ", bad, b" "].concat()).collect();
            let text = String::from_utf8_lossy(&bytes);
            let words = text.split_word_bounds().filter(|word| word.chars().all(char::is_alphabetic));
            let at = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
            let ranges: Vec<_> = words.map(|word| at(word)..at(word) + word.len()).collect();
            let mut places = ranges.clone();
            in_bytes(&bytes, &mut places);
            for (range, place) in ranges.into_iter().zip(places) {
                prop_assert_eq!(text[range].as_bytes(), &bytes[place]);
            }
        }
    }

    use unicode_segmentation::UnicodeSegmentation;
}
