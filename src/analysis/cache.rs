//! Words seen lately → their terms, so that frequent words are normalized and stemmed once.
//!
//! A direct-mapped table of fixed size: a word has one entry, and the last word there wins. An entry has 64 bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 31 | the [key](Key) of the word |
//! | 32 | the length of the word, 0 in a free entry |
//! | 33 | the length of the term, or [`NONE`] |
//! | 34 to 63 | the term |
//!
//! Longer words and terms are not kept; few are so long.
//!
//! [`Numbers`] keeps in the same way what number somebody gave each word.

use super::compounds;

/// 1 MiB of entries. Half as many make stemming English documentation 10 % slower.
const ENTRIES: usize = 16384;
const ENTRY: usize = 64;

const KEY: usize = 32;
const TERM: usize = 34;
const LONGEST_CACHED: usize = ENTRY - TERM;

/// The length of a term that is none (a stop word, or too long): beyond the entry.
const NONE: u8 = u8::MAX;

/// A word of 1 to 32 bytes in a form that is compared and hashed without a loop: with the length, it is the word.
#[derive(Clone, Copy)]
pub(super) struct Key {
    bytes: [u8; KEY],
    length: u8,
    slot: usize,
}

/// What has no number.
const NO_NUMBER: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Numbered {
    bytes: [u8; KEY],
    number: u32,
    /// 0 in a free entry.
    length: u8,
    space: u8,
}

/// Words seen lately → numbers, in several spaces of numbers: two fields may give a word different ones.
#[derive(Debug)]
pub struct Numbers {
    entries: Vec<Numbered>,
}

impl Default for Numbers {
    /// Empty; memory is taken on first use.
    fn default() -> Numbers {
        Numbers { entries: Vec::new() }
    }
}

impl Numbers {
    /// Where the word with this key is, or would be.
    #[inline]
    fn slot(key: &Key, space: u8) -> usize {
        // Fields often have the same words.
        (key.slot + 5167 * usize::from(space)) % ENTRIES
    }

    /// The number of a word, if it is known; of a word without one it is `None`.
    #[inline]
    pub(super) fn get(&self, key: &Key, space: u8) -> Option<Option<u32>> {
        let entry = self.entries.get(Numbers::slot(key, space))?;
        let known = entry.bytes == key.bytes && entry.length == key.length && entry.space == space;
        known.then_some((entry.number != NO_NUMBER).then_some(entry.number))
    }

    /// Keeps the number of a word.
    pub(super) fn put(&mut self, key: &Key, space: u8, number: Option<u32>) {
        if self.entries.is_empty() {
            self.entries = vec![Numbered { bytes: [0; KEY], number: NO_NUMBER, length: 0, space: 0 }; ENTRIES];
        }
        let (bytes, number) = (key.bytes, number.unwrap_or(NO_NUMBER));
        self.entries[Numbers::slot(key, space)] = Numbered { bytes, number, length: key.length, space };
    }
}

impl Key {
    /// The key of a word, if it can be kept.
    #[inline]
    pub(super) fn new(word: &str) -> Option<Key> {
        let word = word.as_bytes();
        if word.len() > KEY {
            return None;
        }
        let eight = |at: usize| word[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        // From both ends, overlapping in the middle.
        let (first, last) = if let Some(last) = word.last_chunk() {
            (eight(0), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
            (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into())
        } else {
            (u64::from(*word.first()?) | u64::from(word[word.len() / 2]) << 8, u64::from(word[word.len() - 1]))
        };
        let second = if word.len() > 16 { eight(8) } else { 0 };
        let third = if word.len() > 24 { eight(16) } else { 0 };

        let mut bytes = [0; KEY];
        for (chunk, part) in bytes.chunks_exact_mut(8).zip([first, second, third, last]) {
            chunk.copy_from_slice(&part.to_le_bytes());
        }
        // The middle of long words is not hashed: they differ at their ends, or share an entry.
        let hash = (first ^ (word.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ last.rotate_left(32);
        let slot = (hash.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 40) as usize % ENTRIES;
        Some(Key { bytes, length: word.len() as u8, slot })
    }
}

/// See the top of the file.
#[derive(Debug)]
pub(super) struct Cache {
    /// Zeroed memory: pages that are never used cost nothing.
    entries: Vec<[u8; ENTRY]>,
    /// The parts of compounds.
    pub(super) parts: compounds::Cache,
}

impl Cache {
    pub(super) fn new() -> Self {
        Cache { entries: vec![[0; ENTRY]; ENTRIES], parts: compounds::Cache::default() }
    }

    /// Whether the word with this key is known.
    #[inline]
    pub(super) fn has(&self, key: &Key) -> bool {
        let entry = &self.entries[key.slot];
        entry.first_chunk() == Some(&key.bytes) && entry[KEY] == key.length
    }

    /// The term of a word that [is known](Cache::has); `None` if the word has none.
    #[inline]
    pub(super) fn term(&self, key: &Key) -> Option<&str> {
        let entry = &self.entries[key.slot];
        let term = entry.get(TERM..TERM + usize::from(entry[KEY + 1]))?;
        // SAFETY: `put`, which alone writes entries, copied these bytes from a `str` together with their number; entries of
        // zeroes have the empty string. Checking them again takes a tenth of the time per token.
        Some(unsafe { std::str::from_utf8_unchecked(term) })
    }

    /// Keeps the term of a word, `None` if it has none.
    pub(super) fn put(&mut self, key: &Key, term: Option<&str>) {
        let bytes = term.unwrap_or_default().as_bytes();
        if bytes.len() > LONGEST_CACHED {
            return;
        }
        let entry = &mut self.entries[key.slot];
        entry[..KEY].copy_from_slice(&key.bytes);
        entry[KEY] = key.length;
        entry[KEY + 1] = term.map_or(NONE, |_| bytes.len() as u8);
        entry[TERM..TERM + bytes.len()].copy_from_slice(bytes);
    }
}
