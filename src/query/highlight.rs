//! Texts with matches marked, as HTML.

use super::matches::{Match, marks};
use std::ops::Range;

/// How matches are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style<'s> {
    /// What comes before each mark; as it is.
    pub before: &'s str,
    /// What comes after it; as it is.
    pub after: &'s str,
    /// Whether the text is escaped (`&` `<` `>` `"` `'`), so that the result is safe between tags and in quoted
    /// attributes.
    pub escape: bool,
}

/// `text` with its [marks] between `before` and `after`. Linear.
pub fn highlight(text: &str, matches: &[Match], style: &Style) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    write(text, 0..text.len(), matches, style, &mut html);
    html
}

/// Appends a part of the text, with the marks of matches that lie in it.
pub(super) fn write(text: &str, part: Range<usize>, matches: &[Match], style: &Style, html: &mut String) {
    let first = matches.partition_point(|of| of.start < part.start);
    let count = matches[first..].partition_point(|of| of.end <= part.end);
    let mut done = part.start;
    let put = |range: Range<usize>, html: &mut String| match style.escape {
        true => escape(&text[range], html),
        false => html.push_str(&text[range]),
    };
    for mark in marks(&matches[first..first + count]) {
        put(done..mark.start, html);
        html.push_str(style.before);
        put(mark.clone(), html);
        html.push_str(style.after);
        done = mark.end;
    }
    put(done..part.end, html);
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
