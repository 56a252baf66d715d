//! Words by numbers that somebody else gives them, and their stems: an index with words beside stems needs one look-up per
//! word.

use super::cache::{Key, Numbers};
use super::segment::{self, Word};
use super::{Analyzer, Inner, MAX_WORD};
use crate::Result;
use std::borrow::Cow;
use std::ops::Range;

/// Who numbers words, and takes those of a text.
pub trait Taker {
    /// The number of a word that is [normalized](Analyzer::normalize) and no stop word; its term is its
    /// [`stem`](Analyzer::stem). `None` if it is not to be taken.
    ///
    /// # Errors
    /// Any: no further word is looked at.
    fn number(&mut self, word: &str) -> Result<Option<u32>>;

    /// Takes a word: how many words come before it in the text, and its number. Returns how many [parts](Analyzer::parts) it
    /// has, which take the positions after it.
    fn take(&mut self, position: u32, number: u32) -> u32;
}

impl Analyzer {
    /// Gives the words of `text` that have a term to `taker`, in order, by their numbers. Those that `numbers` does not know
    /// in this `space`, it asks for.
    ///
    /// # Errors
    /// The first one of [`Taker::number`]; what has been taken by then counts for nothing.
    pub fn numbered(&self, text: &str, numbers: &mut Numbers, space: u8, taker: &mut impl Taker) -> Result<()> {
        let mut normalized = String::new();
        let mut position = 0u32;
        let mut failed = Ok(());
        self.each_word(text, |Word { start, end, .. }| {
            let at = position;
            position = position.saturating_add(1);
            let word = &text[start..end];
            if word.len() > MAX_WORD || failed.is_err() {
                return;
            }
            let key = Key::new(word);
            let number = match key.as_ref().and_then(|key| numbers.get(key, space)) {
                Some(known) => known,
                None => match self.inner.number(word, &mut normalized, taker) {
                    Ok(number) => {
                        if let Some(key) = &key {
                            numbers.put(key, space, number);
                        }
                        number
                    }
                    Err(error) => return failed = Err(error),
                },
            };
            if let Some(number) = number {
                position = position.saturating_add(taker.take(at, number));
            }
        });
        failed
    }

    /// Whether terms may differ from normalized words.
    pub fn stems(&self) -> bool {
        self.inner.stemmer.is_some()
    }

    /// The term of a word that is [normalized](Analyzer::normalize), and no stop word.
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let stem = if segment::is_units(word) { None } else { self.inner.stem(word) };
        stem.map_or(Cow::Borrowed(word), Cow::Owned)
    }

    /// The words that a [normalized](Analyzer::normalize) word is made of, as bytes of it; none if it is no compound.
    pub fn parts(&self, word: &str) -> Vec<Range<usize>> {
        if segment::is_units(word) { Vec::new() } else { self.inner.cut(word) }
    }
}

impl Inner {
    /// The number of a word as it stands in a text, if it has a term.
    #[cold]
    #[inline(never)]
    fn number(&self, word: &str, normalized: &mut String, taker: &mut impl Taker) -> Result<Option<u32>> {
        if self.is_kept(word, normalized) { taker.number(normalized) } else { Ok(None) }
    }
}
