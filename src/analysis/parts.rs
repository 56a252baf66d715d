//! The parts of words that a full stop, a colon or an underscore joins: `final.pdf`, `sentence.Another`, `max_width`.

use super::segment::{Kind, Word};

/// Whether a word of that kind may have parts.
#[inline]
pub(super) fn may_have(word: &str, kind: Kind) -> bool {
    kind != Kind::Units && word.bytes().any(|byte| matches!(byte, b'.' | b':' | b'_'))
}

/// Calls `each` with the parts of a word of `text` in order, or with the word itself if it is not cut: between two digits
/// (2.50) a mark separates nothing, and letters that stand alone (e.g, U.S.A) belong together.
#[cold]
pub(super) fn each(text: &str, word: Word, each: &mut dyn FnMut(Word)) {
    let bytes = &text.as_bytes()[word.start..word.end];
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let is_cut = |at: usize| match bytes[at] {
        b'_' | b':' => true,
        b'.' => !(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))),
        _ => false,
    };
    // The next part that is not empty, from `at` on.
    let next = |at: usize| {
        let start = (at..bytes.len()).find(|&at| !is_cut(at))?;
        Some((start, (start..bytes.len()).find(|&at| is_cut(at)).unwrap_or(bytes.len())))
    };
    let parts = || std::iter::successors(next(0), |&(_, end)| next(end));
    let is_letter = |(start, end): (usize, usize)| text[word.start + start..word.start + end].chars().nth(1).is_none();
    if parts().all(is_letter) {
        return each(word);
    }
    for (start, end) in parts() {
        each(Word { start: word.start + start, end: word.start + end, kind: word.kind });
    }
}
