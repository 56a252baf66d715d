//! Passages of prose from a folder of unpacked documentation: `postings-search-bench extract --from DIR --data DIR`.
//!
//! Files are taken in the order of their paths, so that the same packages give the same passages. A paragraph is the
//! text between two block tags, or between two blank lines. A paragraph that has been seen before is dropped, so that
//! what stands on every page (navigation, licences) does not count again and again; short neighbours in one file are
//! joined, long ones divided at the end of a sentence.

use crate::data::words;
use flate2::read::MultiGzDecoder;
use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Fewer words than this are not a passage.
const SHORTEST: usize = 8;
/// Paragraphs are joined until they have this many words.
const ENOUGH: usize = 26;
/// A passage ends at the first end of a sentence from here on, ...
const LONG: usize = 40;
/// ... and at any word here.
const LONGEST: usize = 80;
/// Larger files are tables or dumps.
const LARGEST_FILE: u64 = 24 << 20;

/// What `extract` found.
pub struct Found {
    pub files: usize,
    pub passages: u64,
    pub tokens: u64,
}

/// Writes the passages of all files below `from` to `to`, one a line.
pub fn extract(from: &Path, to: &Path, most: u64) -> io::Result<Found> {
    let mut paths = Vec::new();
    collect(from, &mut paths)?;
    paths.sort_unstable();
    let mut writer = Passages {
        to: BufWriter::with_capacity(1 << 20, File::create(to)?),
        seen: HashSet::new(),
        pending: String::new(),
        pending_words: 0,
        found: Found { files: 0, passages: 0, tokens: 0 },
    };
    let mut bytes = Vec::new();
    for path in &paths {
        if writer.found.passages >= most {
            break;
        }
        let Some(kind) = read(path, &mut bytes)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        writer.found.files += 1;
        match kind {
            Kind::Html => html(&text, &mut |paragraph| writer.paragraph(paragraph))?,
            Kind::Text => plain(&text, &mut |paragraph| writer.paragraph(paragraph))?,
        }
        writer.end()?;
    }
    writer.to.flush()?;
    Ok(writer.found)
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), paths)?;
        } else if kind.is_file() && entry.metadata()?.len() <= LARGEST_FILE {
            paths.push(entry.path());
        }
    }
    Ok(())
}

enum Kind {
    Html,
    Text,
}

/// Reads a file that can hold prose, judged by its name.
fn read(path: &Path, bytes: &mut Vec<u8>) -> io::Result<Option<Kind>> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
    // Doxygen's listings of sources, and change logs.
    if name.contains("_source.htm") || name.starts_with("changelog") {
        return Ok(None);
    }
    let (stem, packed) = name.strip_suffix(".gz").map_or((name, false), |stem| (stem, true));
    let kind = match stem.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" | "htm" | "xhtml" => Kind::Html,
        "txt" | "rst" | "pod" | "md" | "qbk" => Kind::Text,
        _ => return Ok(None),
    };
    bytes.clear();
    let file = File::open(path)?;
    if packed {
        MultiGzDecoder::new(file).take(LARGEST_FILE).read_to_end(bytes)?;
    } else {
        file.take(LARGEST_FILE).read_to_end(bytes)?;
    }
    Ok(Some(kind))
}

/// Writes passages and forgets nothing.
struct Passages {
    to: BufWriter<File>,
    seen: HashSet<u64>,
    pending: String,
    pending_words: usize,
    found: Found,
}

impl Passages {
    fn paragraph(&mut self, text: &str) -> io::Result<()> {
        let count = words(text).count();
        if count < 3 || !is_prose(text, count) || !self.is_new(text) {
            return Ok(());
        }
        if self.pending_words > 0 && self.pending_words + count > LONGEST {
            self.end()?;
        }
        if !self.pending.is_empty() {
            self.pending.push(' ');
        }
        self.pending.push_str(text);
        self.pending_words += count;
        if self.pending_words >= ENOUGH { self.end() } else { Ok(()) }
    }

    /// Writes what is pending; called at the end of a file too.
    fn end(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.pending);
        self.pending_words = 0;
        let (mut from, mut count) = (0, 0);
        for word in text.split_inclusive(' ') {
            let upto = word.as_ptr() as usize - text.as_ptr() as usize + word.len();
            count += words(word).count();
            let sentence = word.trim_end().ends_with(['.', '!', '?', ';', ':']);
            if count >= LONGEST || (sentence && count >= LONG) {
                self.passage(&text[from..upto])?;
                (from, count) = (upto, 0);
            }
        }
        self.passage(&text[from..])?;
        self.pending = text;
        self.pending.clear();
        Ok(())
    }

    fn passage(&mut self, text: &str) -> io::Result<()> {
        let text = text.trim();
        let count = words(text).count();
        if count < SHORTEST {
            return Ok(());
        }
        self.to.write_all(text.as_bytes())?;
        self.to.write_all(b"\n")?;
        self.found.passages += 1;
        self.found.tokens += count as u64;
        Ok(())
    }

    /// Whether this paragraph comes for the first time. A hash of 64 bits is enough for some 10 million.
    fn is_new(&mut self, text: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        self.seen.insert(hasher.finish())
    }
}

/// Mostly letters, in words of a usual length.
fn is_prose(text: &str, words: usize) -> bool {
    let (mut letters, mut others) = (0, 0);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        if c.is_alphabetic() {
            letters += 1;
        } else {
            others += 1;
        }
    }
    letters * 4 >= (letters + others) * 3 && letters <= words * 12
}

/// Calls `emit` with each paragraph of a text.
fn plain(text: &str, emit: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        let line = line.trim();
        if line.is_empty() {
            emit(&paragraph)?;
            paragraph.clear();
        } else {
            line.split_whitespace().for_each(|word| push_word(&mut paragraph, word));
        }
    }
    Ok(())
}

fn push_word(paragraph: &mut String, word: &str) {
    if !paragraph.is_empty() {
        paragraph.push(' ');
    }
    paragraph.push_str(word);
}

/// Calls `emit` with each paragraph of a page: tags, comments, scripts, styles and code are left out.
fn html(text: &str, emit: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    let mut raw = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        raw.push_str(&rest[..start]);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some(end) = rest.find('>') else { break };
        let tag = rest[1..end].trim_start_matches('/');
        let closing = rest.as_bytes()[1] == b'/';
        let length = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        if length == 0 && !tag.starts_with(['!', '?']) {
            // A bare `<`.
            raw.push('<');
            rest = &rest[1..];
            continue;
        }
        let name = tag[..length].to_ascii_lowercase();
        rest = &rest[end + 1..];
        if !INLINE.contains(&name.as_str()) {
            block(&raw, emit)?;
            raw.clear();
        }
        if !closing && SKIPPED.contains(&name.as_str()) {
            rest = after_closing(rest, &name);
        }
    }
    raw.push_str(rest);
    block(&raw, emit)
}

/// Tags that do not end a paragraph.
const INLINE: [&str; 32] = [
    "a", "abbr", "acronym", "b", "big", "bdi", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins", "kbd",
    "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
    "wbr",
];

/// Elements whose content is not prose.
const SKIPPED: [&str; 6] = ["script", "style", "pre", "nav", "math", "svg"];

/// What follows the closing tag of an element.
fn after_closing<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if rest.as_bytes().get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes())) {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

fn block(raw: &str, emit: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    if raw.trim().is_empty() {
        return Ok(());
    }
    let text = entities(raw);
    let mut paragraph = String::with_capacity(text.len());
    text.split_whitespace().for_each(|word| push_word(&mut paragraph, word));
    emit(&paragraph)
}

/// Replaces the entities that occur in prose; an unknown one becomes a space.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(end) = rest.bytes().take(12).position(|byte| byte == b';') else {
            out.push('&');
            continue;
        };
        out.push(entity(&rest[..end]));
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> char {
    let number = name.strip_prefix('#').map(|digits| match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    });
    match number {
        Some(number) => number.ok().and_then(char::from_u32).filter(|c| !c.is_control()).unwrap_or(' '),
        None => match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" | "ldquo" | "rdquo" => '"',
            "apos" | "lsquo" | "rsquo" => '\'',
            "mdash" | "ndash" => '-',
            "hellip" => '.',
            _ => ' ',
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Split = fn(&str, &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()>;

    fn paragraphs(text: &str, split: Split) -> Vec<String> {
        let mut found = Vec::new();
        split(text, &mut |paragraph| {
            if !paragraph.is_empty() {
                found.push(paragraph.to_owned());
            }
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn a_page_becomes_paragraphs() {
        let page = "<!DOCTYPE html><html><head><title>One</title><script>if (a<b) {}</script></head><body><!-- <p>no -->\
                    <p>A <b>bold</b>\n word&nbsp;&amp; an &#8212; &#x41;<pre>code</pre><P>x < y<br>last</body>";
        assert_eq!(paragraphs(page, html), ["One", "A bold word & an \u{2014} A", "x < y", "last"]);
    }

    #[test]
    fn unfinished_pages_end() {
        for page in ["<", "<p", "<!--", "<script>", "<script></", "a <p>b</", "&", "&#;", "&#xffffffff;", "&amp"] {
            paragraphs(page, html);
        }
    }

    #[test]
    fn blank_lines_divide_a_text() {
        assert_eq!(paragraphs("one\n two\n\n\nthree\n", plain), ["one two", "three"]);
    }
}
