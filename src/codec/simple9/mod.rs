//! Simple-9 (Anh and Moffat, 2005): as many small values as fit into a 32-bit word, all of one width.
//!
//! ```text
//!  31    28 27                                   0
//! ┌────────┬──────────────────────────────────────┐
//! │selector│ values, the first at the highest bits │
//! └────────┴──────────────────────────────────────┘
//! selector  0   1   2   3   4   5   6   7   8   9
//! values    1   2   3   4   5   7   9  14  28  28
//! bits each 28  14   9   7   5   4   3   2   1   1
//! ```
//! Selector 8 is read (others number 28 × 1 so) and never written. Payload bits left over, at the low end, are 0.
//! A list is coded as its first docID, then each gap minus one; a docID is therefore `previous + value + 1` with a
//! `previous` of −1 before the first. The encoder takes the largest count of values that all fit and of which that
//! many are left, so every word is full and no length is kept. `[1624, 1650, 1876, 1972, 2356]` becomes
//! `0x11960019 0x2709 7EFE`: 1624 and 25 in 2 × 14 bits, 225, 95 and 383 in 3 × 9.
//!
//! Worst case 32 bits a posting, best 32/28. Raw lists are bytes of big-endian words.

use crate::cpu::{self, Tier};
use crate::error::{Error, Result};
use byteorder::{BigEndian, ByteOrder};

/// Values and their width in bits, by selector; `(0, 0)` where the selector is not defined.
pub const LAYOUTS: [(u32, u32); 16] = [
    (1, 28),
    (2, 14),
    (3, 9),
    (4, 7),
    (5, 5),
    (7, 4),
    (9, 3),
    (14, 2),
    (28, 1),
    (28, 1),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
];

/// The selectors that the encoder writes, most values first.
const ENCODED: [u32; 9] = [9, 7, 6, 5, 4, 3, 2, 1, 0];

/// Most values of a word.
pub const MAX_VALUES: usize = 28;

const NAME: &str = "simple9";

/// The docID before the first, so that `previous + value + 1` holds for the first docID too.
pub(crate) const BEFORE_FIRST: u32 = u32::MAX;

/// Values of a word, none where its selector is not defined.
fn count(word: u32) -> usize {
    LAYOUTS[(word >> 28) as usize].0 as usize
}

/// The values of a word.
fn values(word: u32) -> impl Iterator<Item = u32> {
    let (count, width) = LAYOUTS[(word >> 28) as usize];
    let mask = crate::bits::low_mask(width);
    (1..=count).map(move |i| (word >> (28 - i * width)) & mask)
}

/// Appends the words of `doc_ids` to `words`, the first docID coded against `previous` ([`BEFORE_FIRST`] if there is
/// none). `first_index` is the index of `doc_ids[0]` in the caller's input, for errors. The docIDs must be strictly
/// increasing and greater than `previous`.
pub(crate) fn encode_block(doc_ids: &[u32], previous: u32, first_index: usize, words: &mut Vec<u32>) -> Result<()> {
    let mut previous = previous;
    let mut gaps = Vec::with_capacity(doc_ids.len());
    for (i, &doc_id) in doc_ids.iter().enumerate() {
        let gap = doc_id.wrapping_sub(previous).wrapping_sub(1);
        if gap >= 1 << 28 {
            return Err(Error::NotCodable {
                codec: NAME,
                index: first_index + i,
                value: gap.into(),
                limit: "the first docID and each gap minus one must be below 2^28",
            });
        }
        gaps.push(gap);
        previous = doc_id;
    }
    let mut rest = &gaps[..];
    while !rest.is_empty() {
        let selector = ENCODED
            .into_iter()
            .find(|&selector| {
                let (count, width) = LAYOUTS[selector as usize];
                rest.len() >= count as usize && rest[..count as usize].iter().all(|&gap| gap >> width == 0)
            })
            .expect("one value below 2^28 always fits");
        let (count, width) = LAYOUTS[selector as usize];
        let (now, later) = rest.split_at(count as usize);
        words.push(now.iter().zip(1..).fold(selector << 28, |word, (&gap, i)| word | gap << (28 - i * width)));
        rest = later;
    }
    Ok(())
}

/// Encodes strictly increasing docIDs as a raw list: big-endian words.
///
/// # Errors
/// [`Error::NotIncreasing`]; [`Error::NotCodable`] where the first docID or a gap minus one is 2^28 or more.
pub fn encode(doc_ids: &[u32]) -> Result<Vec<u8>> {
    super::check_increasing(doc_ids)?;
    let mut words = Vec::new();
    encode_block(doc_ids, BEFORE_FIRST, 0, &mut words)?;
    let mut bytes = vec![0; words.len() * 4];
    BigEndian::write_u32_into(&words, &mut bytes);
    Ok(bytes)
}

/// What a check of raw words found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// docIDs in the words.
    pub count: usize,
    /// The last docID, or the one before the first word where there are none.
    pub last: u32,
}

/// Checks the words of a block (or of a whole list) that follows `previous`: every selector is defined and no docID
/// exceeds 2^32 − 1. `first_word` is the index of `words[0]` in the input, `offset` its byte; both are for errors.
pub(crate) fn check(words: &[u32], previous: u32, first_word: usize, offset: usize) -> Result<Checked> {
    let corrupt =
        |i: usize, what: String| Error::corrupt(NAME, format!("word {}", first_word + i), offset + 4 * i, what);
    // Counted from −1 as 0, so that `BEFORE_FIRST` needs no case of its own.
    let mut last = u64::from(previous.wrapping_add(1));
    let mut total = 0;
    for (i, &word) in words.iter().enumerate() {
        let count = count(word);
        if count == 0 {
            return Err(corrupt(i, format!("selector {} is not defined", word >> 28)));
        }
        total += count;
        last += count as u64 + values(word).map(u64::from).sum::<u64>();
        if last > 1 << 32 {
            return Err(corrupt(i, "a docID exceeds 2^32 - 1".into()));
        }
    }
    Ok(Checked { count: total, last: (last as u32).wrapping_sub(1) })
}

/// Decodes a raw list: big-endian words. Allocates up to 28 docIDs for each word of the input.
///
/// # Errors
/// [`Error::Corrupt`] where the length is no multiple of 4, a selector is not defined, or a docID exceeds 2^32 − 1.
pub fn decode(bytes: &[u8]) -> Result<Vec<u32>> {
    let words = words_from_bytes(bytes)?;
    let checked = check(&words, BEFORE_FIRST, 0, 0)?;
    let mut doc_ids = Vec::with_capacity(checked.count + super::SLACK);
    // SAFETY: `check` counted the docIDs, and the vector has room for them and the slack.
    unsafe {
        decode_words(cpu::tier(), &words, BEFORE_FIRST, doc_ids.as_mut_ptr());
        doc_ids.set_len(checked.count);
    }
    Ok(doc_ids)
}

/// The words of a raw list, not checked but for their length.
pub fn words_from_bytes(bytes: &[u8]) -> Result<Vec<u32>> {
    let whole = bytes.len() / 4;
    if bytes.len() % 4 != 0 {
        return Err(Error::corrupt(
            NAME,
            format!("word {whole}"),
            whole * 4,
            format!("{} of its 4 bytes are missing", 4 - bytes.len() % 4),
        ));
    }
    let mut words = vec![0; whole];
    BigEndian::read_u32_into(bytes, &mut words);
    Ok(words)
}

/// Decodes checked words that follow the docID `previous` to `out`.
///
/// # Safety
/// Every selector is defined, and `out` has room for all docIDs of `words` and [`SLACK`](super::SLACK) more.
pub(crate) unsafe fn decode_words(_tier: Tier, words: &[u32], previous: u32, out: *mut u32) {
    // SAFETY: the caller's promise.
    unsafe { scalar::decode_words(words, previous, out) }
}

mod scalar {
    /// The reference that every other path must equal.
    ///
    /// # Safety
    /// As [`super::decode_words`].
    pub(super) unsafe fn decode_words(words: &[u32], previous: u32, out: *mut u32) {
        let mut previous = previous;
        let mut out = out;
        for &word in words {
            for value in super::values(word) {
                previous = previous.wrapping_add(value).wrapping_add(1);
                // SAFETY: `out` advances once a docID, and the caller has room for all of them.
                unsafe {
                    out.write(previous);
                    out = out.add(1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_worked_example() {
        let bytes = encode(&[1624, 1650, 1876, 1972, 2356]).unwrap();
        let bits: Vec<String> = bytes.chunks(4).map(|w| format!("{:032b}", BigEndian::read_u32(w))).collect();
        assert_eq!(bits, ["00010001100101100000000000011001", "00100111000010010111111011111110"]);
        assert_eq!(decode(&bytes).unwrap(), [1624, 1650, 1876, 1972, 2356]);
    }

    #[test]
    fn selector_8_is_read_as_28_ones() {
        let mut bytes = encode(&(0..28).collect::<Vec<_>>()).unwrap();
        assert_eq!(bytes, [0x90, 0, 0, 0]);
        bytes[0] = 0x80;
        assert_eq!(decode(&bytes).unwrap(), (0..28).collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_coded_is_refused() {
        let not_codable = |doc_ids: &[u32]| match encode(doc_ids) {
            Err(Error::NotCodable { index, value, .. }) => (index, value),
            other => panic!("{other:?}"),
        };
        assert_eq!(not_codable(&[1 << 28]), (0, 1 << 28));
        assert_eq!(not_codable(&[5, 6, 7 + (1 << 28)]), (2, 1 << 28));
        assert!(encode(&[(1 << 28) - 1, (1 << 29) - 1]).is_ok());
        assert!(matches!(encode(&[3, 3]), Err(Error::NotIncreasing { index: 1, .. })));
    }

    #[test]
    fn damage_is_named() {
        let text = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        assert_eq!(text(&[0x90, 0, 0, 0, 0xB0, 0, 0, 0]), "simple9: word 1 at byte 4: selector 11 is not defined");
        assert_eq!(text(&[0x90, 0, 0, 0, 0xB0]), "simple9: word 1 at byte 4: 3 of its 4 bytes are missing");
        let full = [0x0F, 0xFF, 0xFF, 0xFF].repeat(17);
        assert_eq!(text(&full), "simple9: word 16 at byte 64: a docID exceeds 2^32 - 1");
        assert_eq!(decode(&full[..64]).unwrap().last(), Some(&u32::MAX));
    }

    proptest! {
        #[test]
        fn lists_come_back(gaps in prop::collection::vec(prop_oneof![0u32..2, 0u32..100, 0u32..1 << 20], 0..400)) {
            let doc_ids: Vec<u32> = gaps.iter().scan(u32::MAX, |last, &gap| {
                *last = last.wrapping_add(gap + 1);
                Some(*last)
            }).collect();
            prop_assert_eq!(decode(&encode(&doc_ids).unwrap()).unwrap(), doc_ids);
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(doc_ids) = decode(&bytes) {
                prop_assert!(doc_ids.is_sorted_by(|a, b| a < b));
            }
        }
    }
}
