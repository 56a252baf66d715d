//! Words seen lately → their terms, so that frequent words are normalized and stemmed once.
//!
//! A direct-mapped table of fixed size: a word has one entry, and the last word there wins. An entry is a line of the
//! processor's cache: two lengths, the word, the term. Words and terms of more than 31 bytes are not kept; few are so long.

/// Entries of the table; 512 KiB in all. Of the words of English text, 96 % are found (half as many: 93 %).
const ENTRIES: usize = 8192;
const ENTRY: usize = 64;
const KEPT: usize = 31;
const WORD: usize = 2;
const TERM: usize = WORD + KEPT;

/// The length of a term that is none (a stop word, or too long): beyond the entry.
const NONE: u8 = u8::MAX;

/// See the top of the file. An entry whose word has length 0 is free.
#[derive(Debug)]
pub(super) struct Cache {
    /// Zeroed memory: pages that are never used cost nothing.
    entries: Vec<[u8; ENTRY]>,
}

impl Cache {
    pub(super) fn new() -> Self {
        Cache { entries: vec![[0; ENTRY]; ENTRIES] }
    }

    /// The entry of `word` if it is known.
    #[inline]
    pub(super) fn find(&self, word: &str) -> Option<usize> {
        let word = word.as_bytes();
        let slot = slot(word);
        let entry = &self.entries[slot];
        (usize::from(entry[0]) == word.len() && entry.get(WORD..WORD + word.len()) == Some(word)).then_some(slot)
    }

    /// The term of an entry that [`find`](Cache::find) found; `None` if its word has none.
    #[inline]
    pub(super) fn term(&self, entry: usize) -> Option<&str> {
        let entry = self.entries.get(entry)?;
        std::str::from_utf8(entry.get(TERM..TERM + usize::from(entry[1]))?).ok()
    }

    /// Keeps the term of a word that is not empty.
    pub(super) fn put(&mut self, word: &str, term: Option<&str>) {
        let length = term.map_or(0, str::len);
        if word.len() > KEPT || length > KEPT {
            return;
        }
        if let Some(entry) = self.entries.get_mut(slot(word.as_bytes())) {
            entry[0] = word.len() as u8;
            entry[1] = term.map_or(NONE, |term| term.len() as u8);
            entry[WORD..WORD + word.len()].copy_from_slice(word.as_bytes());
            entry[TERM..TERM + length].copy_from_slice(term.unwrap_or_default().as_bytes());
        }
    }
}

/// The entry of a word: its length, its first and last eight bytes (or what it has), multiplied.
#[inline]
fn slot(word: &[u8]) -> usize {
    let (a, b) = if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
    } else if let [first, .., last] = word {
        (u64::from(*first) << 8 | u64::from(word[word.len() / 2]), u64::from(*last))
    } else {
        (word.first().map_or(0, |&byte| byte.into()), 0)
    };
    let product = (a ^ (word.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b.rotate_left(32);
    (product.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as usize % ENTRIES
}
