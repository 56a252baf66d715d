//! Text → terms: words, lower-casing, folding, stemming, stop words.
//!
//! | file | what it does |
//! |---|---|
//! | `mod.rs` | [`Analyzer`]: options and their bytes; [`Analyzer::tokens`] |
//! | `segment.rs` | words by UAX #29, with a table for ASCII and letters of two bytes; pairs for scripts without spaces |
//! | `detect.rs` | the language of a text |
//! | `parts.rs` | the parts of words that a full stop, a colon or an underscore joins |
//! | `compounds.rs` | the words that compounds are made of |
//! | `numbered.rs` | words by numbers, and their stems |
//! | `normalize.rs` | lower-casing, composed form, folding |
//! | `cache.rs` | words seen lately and their terms, or their numbers |
//! | `stop_words.rs` | lists of stop words |
//!
//! A word is normalized, left out if it is a stop word, then stemmed (Snowball, the crate `frostem`). Words of text and of
//! queries go the same way. Every word takes a position, also a stop word and a word that is too long, so that phrases
//! match only words that stand so in the text.

mod cache;
mod compounds;
mod detect;
mod normalize;
mod numbered;
mod parts;
mod segment;
mod stop_words;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use frostem::{Algorithm, Stemmer};

use crate::{Error, Result};
pub use cache::Numbers;
use cache::{Cache, Key};
use compounds::{Compounds, Part};
pub use detect::detect;
pub use numbered::Taker;
pub(crate) use segment::is_lone_unit;
use segment::{Kind, Word};
pub use stop_words::stop_words;

/// The version of what this module does with text. It changes whenever some text gives other terms than before, also
/// by a new version of a crate or of Unicode; an index holds the version that made it.
pub const VERSION: u32 = 1;

/// The longest term, in bytes. A longer one is skipped; its position stays empty.
pub const MAX_TERM: usize = 255;

/// The longest word that is looked at, in bytes of the text: marks that folding drops do not count for [`MAX_TERM`].
const MAX_WORD: usize = 4 * MAX_TERM;

/// The most [words of compounds](AnalyzerOptions::compounds), and their most bytes: each commit writes them.
const MOST_COMPOUNDS: (usize, usize) = (100_000, 1 << 20);

/// An analyzer of so many bytes takes a while to make, and is kept.
const WORTH_KEEPING: usize = 1 << 10;

/// The analyzers that are kept.
const MOST_KEPT: usize = 4;

/// The analyzers whose terms a [`Scratch`] keeps: fields of a document may have different ones.
const MOST_CACHES: usize = 8;

/// What an [`Analyzer`] does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalyzerOptions {
    /// The language of the stemmer, one of [`languages`] or an alias of Snowball's (`en`); `None`: words are not stemmed.
    pub language: Option<String>,
    /// Whether é and e are the same: diacritics and compatibility forms are removed, ß is ss.
    pub fold: bool,
    /// Whether a word that a full stop, a colon or an underscore joins is several words: those of `final.pdf` are `final`
    /// and `pdf`.
    pub parts: bool,
    /// Words that are left out, in any case; empty: none are. See [`stop_words`].
    pub stop_words: Vec<String>,
    /// Words that compounds are made of: a word made of them alone is found by them, too. See `compounds.rs` for how it is
    /// cut. Stop words and single letters do not count. At most 100,000, and 1 MiB.
    pub compounds: Vec<String>,
    /// [`VERSION`].
    pub version: u32,
}

impl Default for AnalyzerOptions {
    /// No stemming, no folding, no parts, no stop words, no compounds.
    fn default() -> Self {
        AnalyzerOptions {
            language: None,
            fold: false,
            parts: false,
            stop_words: Vec::new(),
            compounds: Vec::new(),
            version: VERSION,
        }
    }
}

/// Makes terms of text. Cheap to clone; two are equal if they make the same terms of every text.
#[derive(Debug, Clone)]
pub struct Analyzer {
    inner: Arc<Inner>,
}

struct Inner {
    options: AnalyzerOptions,
    stemmer: Option<Stemmer>,
    /// Normalized.
    stop_words: HashSet<Box<str>>,
    compounds: Option<Compounds>,
    /// Distinguishes analyzers of the process, for [`Scratch`].
    id: u64,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.options.fmt(f)
    }
}

impl PartialEq for Analyzer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.inner.options == other.inner.options
    }
}

impl Eq for Analyzer {}

/// A term and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// 1 to [`MAX_TERM`] bytes.
    pub term: &'a str,
    /// How many words come before it in the text; pairs of units (see `segment.rs`) and parts of compounds count as words.
    pub position: u32,
    /// The first byte of its word in the text.
    pub start: usize,
    /// The byte after its word. Words overlap only if they are pairs of units, or parts of a compound.
    pub end: usize,
    /// Whether it is a part of the last word that is none.
    pub is_part: bool,
}

/// Working memory of [`Analyzer::tokens`]: make one per thread and use it again. One megabyte for each of the last
/// [`MOST_CACHES`] analyzers, of which pages are taken as words come; nothing without stemming and stop words on ASCII text.
#[derive(Debug, Default)]
pub struct Scratch {
    normalized: String,
    /// Each with the `id` of the analyzer whose terms it holds; the one used last comes first.
    caches: Vec<(u64, Cache)>,
}

impl Scratch {
    /// Empty; memory is taken on first use.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Analyzer {
    /// An analyzer that does what `options` say.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown language or another version.
    pub fn new(mut options: AnalyzerOptions) -> Result<Analyzer> {
        if options.version != VERSION {
            return Err(Error::Argument(format!(
                "the analyzer has version {VERSION}, not {}: index the texts again, or use the release that made the index",
                options.version
            )));
        }
        let algorithm = match &options.language {
            None => None,
            Some(language) => Some(Algorithm::from_name(language).map_err(|_| {
                let known = languages().collect::<Vec<_>>().join(", ");
                Error::Argument(format!("no stemmer for the language \"{language}\"; there are {known}"))
            })?),
        };
        options.language = algorithm.map(|algorithm| algorithm.name().to_owned());

        let bytes = options.compounds.iter().map(String::len).sum::<usize>();
        if options.compounds.len() > MOST_COMPOUNDS.0 || bytes > MOST_COMPOUNDS.1 {
            return Err(Error::Argument(format!(
                "compounds have at most {} words, of {} bytes in all; these are {}, of {bytes}",
                MOST_COMPOUNDS.0,
                MOST_COMPOUNDS.1,
                options.compounds.len()
            )));
        }
        normalize_all(&mut options.stop_words, options.fold);
        normalize_all(&mut options.compounds, options.fold);
        let stop_words: HashSet<Box<str>> = options.stop_words.iter().map(|word| word.as_str().into()).collect();
        options.compounds.retain(|word| word.chars().nth(1).is_some() && !stop_words.contains(word.as_str()));

        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Ok(Analyzer {
            inner: Arc::new(Inner {
                stemmer: algorithm.map(Stemmer::new),
                compounds: Compounds::new(&options.compounds),
                stop_words,
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                options,
            }),
        })
    }

    /// The options in the form in which they are compared: the language by its own name, words normalized and sorted.
    pub fn options(&self) -> &AnalyzerOptions {
        &self.inner.options
    }

    /// The options for messages: `version 1, language english, fold, 3 stop words`.
    pub fn describe(&self) -> String {
        let options = self.options();
        let language = options.language.as_deref().unwrap_or("none");
        let mut text = format!("version {}, language {language}", options.version);
        if options.fold {
            text.push_str(", fold");
        }
        if options.parts {
            text.push_str(", parts");
        }
        match options.stop_words.len() {
            0 => {}
            1 => text.push_str(", 1 stop word"),
            count => text.push_str(&format!(", {count} stop words")),
        }
        match options.compounds.len() {
            0 => {}
            1 => text.push_str(", compounds of 1 word"),
            count => text.push_str(&format!(", compounds of {count} words")),
        }
        text
    }

    /// The options as bytes, which an index stores: version (u32), bits (u8; 0: folding, 1: parts, 2: compounds), then strings
    /// with their length (u16): the language, empty if none; as many stop words as a u32 before them says; with bit 2, as many
    /// words of compounds as a u32 says. All little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let options = self.options();
        let mut bytes = options.version.to_le_bytes().to_vec();
        let has_compounds = !options.compounds.is_empty();
        bytes.push(u8::from(options.fold) | u8::from(options.parts) << 1 | u8::from(has_compounds) << 2);
        let string = |bytes: &mut Vec<u8>, string: &str| {
            // Names of languages and words have at most MAX_TERM bytes.
            bytes.extend((string.len() as u16).to_le_bytes());
            bytes.extend(string.as_bytes());
        };
        string(&mut bytes, options.language.as_deref().unwrap_or_default());
        let strings = |bytes: &mut Vec<u8>, words: &[String]| {
            bytes.extend((words.len() as u32).to_le_bytes());
            words.iter().for_each(|word| string(bytes, word));
        };
        strings(&mut bytes, &options.stop_words);
        if has_compounds {
            strings(&mut bytes, &options.compounds);
        }
        bytes
    }

    /// The analyzer whose [`to_bytes`](Analyzer::to_bytes) gave all of `bytes`. Those with lists of words are kept, so that each
    /// commit of an index has the same one.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if none did; [`Error::Argument`] as [`Analyzer::new`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Analyzer> {
        static KEPT: Mutex<VecDeque<(Box<[u8]>, Analyzer)>> = Mutex::new(VecDeque::new());
        if bytes.len() < WORTH_KEEPING {
            return Analyzer::read(bytes);
        }
        let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = lock().iter().find(|(of, _)| **of == *bytes) {
            return Ok(kept.clone());
        }
        let analyzer = Analyzer::read(bytes)?;
        let mut kept = lock();
        kept.truncate(MOST_KEPT - 1);
        kept.push_front((bytes.into(), analyzer.clone()));
        Ok(analyzer)
    }

    fn read(bytes: &[u8]) -> Result<Analyzer> {
        let mut reader = Reader { bytes, offset: 0 };
        let version = u32::from_le_bytes(reader.take("version")?);
        if version != VERSION {
            return Analyzer::new(AnalyzerOptions { version, ..AnalyzerOptions::default() });
        }
        let (fold, parts, has_compounds) = match reader.take::<1>("options")? {
            [bits @ 0..=7] => (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0),
            [other] => return Err(reader.corrupt("options", format!("{other} instead of 0 to 7"))),
        };
        let language = Some(reader.string("language")?).filter(|language| !language.is_empty());
        let stop_words = reader.strings("stop word")?;
        let compounds = if has_compounds { reader.strings("compound word")? } else { Vec::new() };
        if reader.offset != bytes.len() {
            return Err(reader.corrupt("end", format!("{} bytes too many", bytes.len() - reader.offset)));
        }
        Analyzer::new(AnalyzerOptions { language, fold, parts, stop_words, compounds, version })
    }

    /// Calls `each` for the terms of `text`, in order.
    ///
    /// Linear in the length of `text`; positions are counted from 0 and stay at the largest u32 in texts of more words.
    pub fn tokens(&self, text: &str, scratch: &mut Scratch, mut each: impl FnMut(Token<'_>)) {
        let inner = &*self.inner;
        let as_is = inner.stemmer.is_none() && inner.stop_words.is_empty() && inner.compounds.is_none();
        let Scratch { normalized, caches } = scratch;
        let mut position = 0u32;
        self.each_word(text, |Word { start, end, kind }| {
            let at = position;
            position = position.saturating_add(1);
            let word = &text[start..end];
            if word.len() > MAX_WORD {
                return;
            }
            let term = match kind {
                Kind::Lower if as_is => Some(word).filter(|word| word.len() <= MAX_TERM),
                Kind::Capitals if as_is => {
                    normalized.clear();
                    normalized.push_str(word);
                    normalized.make_ascii_lowercase();
                    Some(&**normalized).filter(|word| word.len() <= MAX_TERM)
                }
                _ => inner.cached_term(word, kind, caches, normalized),
            };
            if let Some(term) = term {
                each(Token { term, position: at, start, end, is_part: false });
                for part in inner.cached_parts(word, kind, caches) {
                    let (from, to) = (start + part.place.start as usize, start + part.place.end as usize);
                    each(Token { term: &part.term, position, start: from, end: to, is_part: true });
                    position = position.saturating_add(1);
                }
            }
        });
    }

    /// Whether some words are found by the words that they are made of.
    pub(crate) fn has_compounds(&self) -> bool {
        self.inner.compounds.is_some()
    }

    /// `word` lower-cased and folded, not stemmed: what prefixes and fuzzy words are compared with. It is not cut into
    /// words, and may be of any length.
    pub fn normalize(&self, word: &str) -> String {
        let mut normalized = String::new();
        normalize::normalize(word, self.inner.options.fold, &mut normalized);
        normalized
    }

    /// [`normalize`](Analyzer::normalize) into a buffer that is used again; `word` itself if there is nothing to change.
    pub(crate) fn normalize_to<'a>(&self, word: &'a str, buffer: &'a mut String) -> &'a str {
        if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            return word;
        }
        normalize::normalize(word, self.inner.options.fold, buffer);
        buffer
    }

    /// Calls `each` with the bytes of each word of `text` in order, stop words and too long ones too, and whether it is a
    /// pair of units or a lone unit of a script without spaces.
    pub(crate) fn words(&self, text: &str, mut each: impl FnMut(usize, usize, bool)) {
        self.each_word(text, |word| each(word.start, word.end, word.kind == Kind::Units));
    }

    #[inline]
    fn each_word(&self, text: &str, mut each: impl FnMut(Word)) {
        let has_parts = self.inner.options.parts;
        segment::words(text, |word| match has_parts && parts::may_have(&text[word.start..word.end], word.kind) {
            false => each(word),
            true => parts::each(text, word, &mut each),
        });
    }
}

impl Inner {
    /// [`term`](Inner::term), looked up in the cache first.
    #[inline]
    fn cached_term<'a>(
        &self,
        word: &str,
        kind: Kind,
        caches: &'a mut Vec<(u64, Cache)>,
        normalized: &'a mut String,
    ) -> Option<&'a str> {
        if caches.first().is_none_or(|(id, _)| *id != self.id) {
            self.bring_cache_to_front(caches);
        }
        let (_, cache) = caches.first_mut()?;
        let key = Key::new(word);
        if let Some(key) = &key
            && cache.has(key)
        {
            return cache.term(key);
        }
        let term = if self.term(word, kind, normalized) { Some(&**normalized) } else { None };
        if let Some(key) = &key {
            cache.put(key, term);
        }
        term
    }

    /// The parts of a word that has a term, after its [`cached_term`](Inner::cached_term).
    #[inline]
    fn cached_parts<'a>(&self, word: &str, kind: Kind, caches: &'a mut [(u64, Cache)]) -> &'a [Part] {
        match caches.first_mut() {
            Some((_, cache)) if self.compounds.is_some() && kind != Kind::Units => {
                cache.parts.of(word, || self.parts(word))
            }
            _ => &[],
        }
    }

    #[cold]
    #[inline(never)]
    fn parts(&self, word: &str) -> Box<[Part]> {
        let mut normalized = String::new();
        normalize::normalize(word, self.options.fold, &mut normalized);
        let part = |of: Range<usize>| {
            let part = &normalized[of.clone()];
            let term = self.stem(part).map_or_else(|| part.into(), String::into);
            Part { term, place: compounds::place(word, &normalized, of) }
        };
        self.cut(&normalized).into_iter().map(part).collect()
    }

    /// The parts of a normalized word, as bytes of it; none if it is no compound.
    fn cut(&self, word: &str) -> Vec<Range<usize>> {
        self.compounds.as_ref().map_or_else(Vec::new, |compounds| compounds.parts(word, |word| self.stem(word)))
    }

    #[cold]
    #[inline(never)]
    fn bring_cache_to_front(&self, caches: &mut Vec<(u64, Cache)>) {
        match caches.iter().position(|(id, _)| *id == self.id) {
            Some(at) => caches[..=at].rotate_right(1),
            None => {
                caches.truncate(MOST_CACHES - 1);
                caches.insert(0, (self.id, Cache::new()));
            }
        }
    }

    /// Writes the term of `word` to `term`; false if it has none.
    #[cold]
    #[inline(never)]
    fn term(&self, word: &str, kind: Kind, term: &mut String) -> bool {
        if !self.is_kept(word, term) {
            return false;
        }
        if kind != Kind::Units
            && let Some(stem) = self.stem(term)
        {
            *term = stem;
        }
        term.len() <= MAX_TERM
    }

    /// Writes `word` normalized to `normalized`; false if it is a stop word, empty, or too long.
    fn is_kept(&self, word: &str, normalized: &mut String) -> bool {
        normalize::normalize(word, self.options.fold, normalized);
        (1..=MAX_TERM).contains(&normalized.len()) && !self.stop_words.contains(&**normalized)
    }

    /// The stem of a normalized word, if it is another one.
    fn stem(&self, word: &str) -> Option<String> {
        match self.stemmer?.stem(word) {
            Cow::Owned(stem) if !stem.is_empty() => Some(stem),
            _ => None,
        }
    }
}

/// Reads the bytes of [`Analyzer::to_bytes`].
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn corrupt(&self, item: &str, what: impl Into<String>) -> Error {
        Error::corrupt("analyzer", item, self.offset, what)
    }

    fn take<const N: usize>(&mut self, item: &str) -> Result<[u8; N]> {
        let taken = self.bytes[self.offset..].first_chunk().ok_or_else(|| self.corrupt(item, "cut off"))?;
        self.offset += N;
        Ok(*taken)
    }

    fn string(&mut self, item: &str) -> Result<String> {
        let length = u16::from_le_bytes(self.take(item)?).into();
        let bytes = self.bytes[self.offset..].get(..length).ok_or_else(|| self.corrupt(item, "cut off"))?;
        let string = std::str::from_utf8(bytes).map_err(|_| self.corrupt(item, "not UTF-8"))?;
        self.offset += length;
        Ok(string.to_owned())
    }

    /// As many strings as a u32 before them says.
    fn strings(&mut self, item: &str) -> Result<Vec<String>> {
        let count = u32::from_le_bytes(self.take(&format!("number of {item}s"))?);
        // Each takes its two bytes of length at least, which bounds the loop before the vector grows.
        let mut strings = Vec::new();
        for _ in 0..count {
            strings.push(self.string(item)?);
        }
        Ok(strings)
    }
}

/// Normalizes words, and leaves each of those that can be terms once, in order.
fn normalize_all(words: &mut Vec<String>, fold: bool) {
    let mut normalized = String::new();
    for word in words.iter_mut() {
        normalize::normalize(word, fold, &mut normalized);
        word.clone_from(&normalized);
    }
    // No longer word has a term.
    words.retain(|word| (1..=MAX_TERM).contains(&word.len()));
    words.sort_unstable();
    words.dedup();
}

/// The languages with a stemmer, in alphabetical order.
pub fn languages() -> impl Iterator<Item = &'static str> {
    Algorithm::all().iter().map(|algorithm| algorithm.name())
}

/// `bytes` as text: what is not UTF-8 becomes U+FFFD, which is in no word.
pub fn valid_utf8(bytes: &[u8]) -> Cow<'_, str> {
    // Faster than looking for what is wrong at once.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
