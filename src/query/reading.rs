//! [`Reading`]: what the words that a visitor types stand for.

/// How many edits the words of a query forgive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Typos {
    /// None: words are looked up as they are.
    #[default]
    None,
    /// By their letters: none up to 3, one up to 7, two in longer words. Digits are no letters.
    Auto,
    /// So many in every word, at most [`MAX_DISTANCE`](super::fuzzy::MAX_DISTANCE).
    UpTo(u8),
}

impl Typos {
    /// The edits that a word forgives.
    pub(super) fn of(self, word: &str) -> u8 {
        match self {
            Typos::None => 0,
            Typos::Auto => match word.chars().filter(|c| c.is_alphabetic()).take(8).count() {
                0..=3 => 0,
                4..=7 => 1,
                _ => 2,
            },
            Typos::UpTo(edits) => edits.min(super::fuzzy::MAX_DISTANCE),
        }
    }
}

/// How what a visitor typed is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// What plain words forgive: not phrases, excluded words, and words with an operator of their own. The first letter must
    /// be right.
    pub typos: Typos,
    /// Whether the last word is also a prefix, if it is a plain word.
    pub prefix: bool,
    /// Whether there are operators; otherwise everything is plain words.
    pub operators: bool,
    /// The most words that count, those of phrases and excluded ones too; what comes after them is ignored.
    pub words: usize,
}

impl Default for Reading {
    fn default() -> Self {
        Reading { typos: Typos::None, prefix: false, operators: true, words: usize::MAX }
    }
}

/// What a word counts for, in thousandths: 1 to 1,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Boost(u32);

impl Boost {
    /// The boost that a visitor typed, moved into the bounds and rounded; `None` if it is no decimal number.
    pub(super) fn parse(text: &str) -> Option<Boost> {
        if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return None;
        }
        let boost: f64 = text.parse().ok()?;
        Some(Boost((boost * 1000.0).round().clamp(1.0, 1e6) as u32))
    }

    /// The factor of the weight.
    pub fn factor(self) -> f32 {
        (f64::from(self.0) / 1000.0) as f32
    }
}

impl Default for Boost {
    fn default() -> Self {
        Boost(1000)
    }
}
