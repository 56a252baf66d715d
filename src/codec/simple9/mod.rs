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

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

use super::Sink;
use crate::cpu::{self, Tier};
use crate::error::{Error, Result};
use byteorder::{BigEndian, ByteOrder};
#[cfg(target_arch = "x86_64")]
use once_cell::sync::Lazy;

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

/// Most values of a word.
pub const MAX_VALUES: usize = 28;

const NAME: &str = "simple9";

/// The docID before the first, so that `previous + value + 1` holds for the first docID too.
pub(crate) const BEFORE_FIRST: u32 = u32::MAX;

/// Values of a word by selector, 0 where it is not defined.
static COUNTS: [u8; 16] = {
    let mut counts = [0; 16];
    let mut selector = 0;
    while selector < 16 {
        counts[selector] = LAYOUTS[selector].0 as u8;
        selector += 1;
    }
    counts
};

/// A table whose rows are whole cache lines.
#[repr(align(64))]
struct Rows([[u32; 32]; 16]);

/// By selector, how far left value i of a word is shifted to put its highest bit at bit 31; no more than 31.
static LEFT: Rows = {
    let mut shifts = [[0; 32]; 16];
    let mut at = 0;
    while at < 16 * 32 {
        let (selector, i) = (at / 32, at % 32);
        let shift = 4 + i as u32 * LAYOUTS[selector].1;
        shifts[selector][i] = if shift < 32 { shift } else { 31 };
        at += 1;
    }
    Rows(shifts)
};

/// By selector, how far right to shift it after that.
static RIGHT: [u32; 16] = {
    let mut shifts = [0; 16];
    let mut selector = 0;
    while selector < 16 {
        shifts[selector] = (32 - LAYOUTS[selector].1) % 32;
        selector += 1;
    }
    shifts
};

/// Values of a word, none where its selector is not defined.
fn count(word: u32) -> usize {
    usize::from(COUNTS[(word >> 28) as usize])
}

/// The values of a word.
fn values(word: u32) -> impl Iterator<Item = u32> {
    let (count, width) = LAYOUTS[(word >> 28) as usize];
    let mask = crate::bits::low_mask(width);
    (1..=count).map(move |i| (word >> (28 - i * width)) & mask)
}

/// The selector of the word that begins with `gaps`: the most values that all fit and of which that many are there.
fn selector(gaps: &[u32]) -> u32 {
    // By values so far: the selector that has just that many, if any.
    const BY_COUNT: [Option<u32>; MAX_VALUES + 1] = {
        let mut table = [None; MAX_VALUES + 1];
        let mut selector = 0;
        while selector < 10 {
            table[LAYOUTS[selector].0 as usize] = Some(selector as u32);
            selector += 1;
        }
        table
    };
    // By bits of the widest of them: the most values of a word that hold so many.
    const MOST: [usize; 33] = {
        let mut table = [0; 33];
        let mut selector = 0;
        while selector < 10 {
            let (count, width) = LAYOUTS[selector];
            let mut narrower = 0;
            while narrower <= width as usize {
                table[narrower] = count as usize;
                narrower += 1;
            }
            selector += 1;
        }
        table
    };
    let mut seen = 0;
    let mut best = 0;
    for (&gap, count) in gaps.iter().zip(1..) {
        seen |= gap;
        let most = MOST[(32 - seen.leading_zeros()) as usize];
        if most < count {
            break;
        }
        best = BY_COUNT[count].unwrap_or(best);
        if most == count {
            break;
        }
    }
    best
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
        let selector = selector(rest);
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
    let mut buffer = [0; WORDS_A_CHECK * MAX_VALUES + super::SLACK];
    let (mut total, mut last) = (0, previous);
    for (chunk, at) in words.chunks(WORDS_A_CHECK).zip((0..).step_by(WORDS_A_CHECK)) {
        // The docID before a list begins and the largest one look alike.
        let before = if total == 0 { u64::from(last.wrapping_add(1)) } else { u64::from(last) + 1 };
        let Some(count) = count_all(chunk) else {
            return Err(find_damage(chunk, before, first_word + at, offset + 4 * at));
        };
        // SAFETY: all selectors are defined, the buffer has room for the most values that so many words hold and the
        // slack, and the processor has its own tier.
        unsafe { decode_words(cpu::tier(), chunk, last, buffer.as_mut_ptr()) };
        let doc_ids = &buffer[..count];
        if u64::from(doc_ids[0]) < before || !super::rises(doc_ids) {
            return Err(find_damage(chunk, before, first_word + at, offset + 4 * at));
        }
        total += count;
        last = doc_ids[count - 1];
    }
    Ok(Checked { count: total, last })
}

/// Words that [`check`] decodes at a time.
const WORDS_A_CHECK: usize = 32;

/// docIDs in the words, `None` where a selector is not defined.
fn count_all(words: &[u32]) -> Option<usize> {
    count_selectors(words.iter().map(|&word| (word >> 28) as u8))
}

/// docIDs in words of such selectors, `None` where one is not defined.
fn count_selectors(selectors: impl Iterator<Item = u8>) -> Option<usize> {
    let (count, defined) = selectors.fold((0, true), |(total, defined), selector| {
        let count = usize::from(COUNTS[usize::from(selector & 15)]);
        (total + count, defined & (count != 0))
    });
    defined.then_some(count)
}

/// Names what is wrong with words that are not a run of gaps from `before`, the docID before them plus one. A gap is at
/// most 2^28, so that a docID of 2^32 or more shows as one that is smaller than the one before.
#[cold]
fn find_damage(words: &[u32], before: u64, first_word: usize, offset: usize) -> Error {
    let corrupt =
        |i: usize, what: String| Error::corrupt(NAME, format!("word {}", first_word + i), offset + 4 * i, what);
    let mut last = before;
    for (i, &word) in words.iter().enumerate() {
        let count = count(word);
        if count == 0 {
            return corrupt(i, format!("selector {} is not defined", word >> 28));
        }
        last += count as u64 + values(word).map(u64::from).sum::<u64>();
        if last > 1 << 32 {
            return corrupt(i, "a docID exceeds 2^32 - 1".into());
        }
    }
    unreachable!("the words were found damaged")
}

/// Decodes a raw list: big-endian words. Allocates up to 28 docIDs for each word of the input.
///
/// # Errors
/// [`Error::Corrupt`] where the length is no multiple of 4, a selector is not defined, or a docID exceeds 2^32 − 1.
pub fn decode(bytes: &[u8]) -> Result<Vec<u32>> {
    let words = words_from_bytes(bytes)?;
    let Some(count) = count_all(&words) else { return Err(find_damage(&words, 0, 0, 0)) };
    let mut doc_ids = Vec::with_capacity(count + super::SLACK);
    // SAFETY: all selectors are defined, the vector has room for all docIDs and the slack, and the processor has its
    // own tier.
    unsafe {
        decode_words(cpu::tier(), &words, BEFORE_FIRST, doc_ids.as_mut_ptr());
        doc_ids.set_len(count);
    }
    if super::rises(&doc_ids) { Ok(doc_ids) } else { Err(find_damage(&words, 0, 0, 0)) }
}

/// Decodes a raw list, a run of words at a time, to a sink that is told before how many docIDs will come. Allocates
/// nothing. Where there is an error the sink may have been given docIDs before it.
///
/// # Errors
/// As [`decode`].
pub fn decode_to(bytes: &[u8], sink: &mut impl Sink) -> Result<()> {
    let (words, rest) = bytes.as_chunks::<4>();
    let damage = || find_damage(&words.iter().map(|&word| u32::from_be_bytes(word)).collect::<Vec<u32>>(), 0, 0, 0);
    if !rest.is_empty() {
        return words_from_bytes(bytes).map(|_| ());
    }
    let Some(count) = count_selectors(words.iter().map(|word| word[0] >> 4)) else { return Err(damage()) };
    if !sink.expect(count) {
        return Ok(());
    }
    let mut swapped = [0; WORDS_A_RUN];
    let mut buffer = [0; WORDS_A_RUN * MAX_VALUES + super::SLACK];
    // The docID before a run; and that plus one, as the one before a list and the largest one look alike.
    let (mut last, mut before) = (BEFORE_FIRST, 0);
    for run in words.chunks(WORDS_A_RUN) {
        let swapped = &mut swapped[..run.len()];
        swapped.iter_mut().zip(run).for_each(|(to, from)| *to = u32::from_be_bytes(*from));
        // SAFETY: all selectors are defined, the buffer has room for the most values that so many words hold and the
        // slack, and the processor has its own tier.
        let count = unsafe { decode_words(cpu::tier(), swapped, last, buffer.as_mut_ptr()) };
        let doc_ids = &buffer[..count];
        if u64::from(doc_ids[0]) < before || !rises_by_gaps(doc_ids) {
            return Err(damage());
        }
        sink.take(doc_ids);
        last = doc_ids[count - 1];
        before = u64::from(last) + 1;
    }
    Ok(())
}

/// Whether docIDs that come from gaps never passed 2^32. Each is at most 2^28 above the one before, so a sum of eight
/// gaps cannot pass it unseen.
fn rises_by_gaps(doc_ids: &[u32]) -> bool {
    let mut low = doc_ids.first().copied().unwrap_or(0);
    doc_ids.chunks(8).fold(true, |rises, eight| {
        let (first, last) = (eight[0], eight[eight.len() - 1]);
        let rises = rises & (low <= first) & (first <= last);
        low = last;
        rises
    })
}

/// Words that [`decode_to`] decodes at a time: the docIDs of a run and the words fit in the first-level cache together.
const WORDS_A_RUN: usize = 128;

/// A raw list that passed its checks.
#[derive(Debug, Clone)]
pub struct RawList {
    words: Vec<u32>,
    count: usize,
}

impl RawList {
    /// Parses and checks the bytes of a raw list.
    ///
    /// # Errors
    /// As [`decode`].
    pub fn from_bytes(bytes: &[u8]) -> Result<RawList> {
        let words = words_from_bytes(bytes)?;
        let count = check(&words, BEFORE_FIRST, 0, 0)?.count;
        Ok(RawList { words, count })
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// All docIDs.
    pub fn decode(&self) -> Vec<u32> {
        let mut doc_ids = Vec::with_capacity(self.count + super::SLACK);
        // SAFETY: `from_bytes` checked the selectors and counted the docIDs; the vector has room for them and the
        // slack; the processor has its own tier.
        unsafe {
            decode_words(cpu::tier(), &self.words, BEFORE_FIRST, doc_ids.as_mut_ptr());
            doc_ids.set_len(self.count);
        }
        doc_ids
    }
}

/// The words of a raw list, not checked but for their length.
fn words_from_bytes(bytes: &[u8]) -> Result<Vec<u32>> {
    let whole = bytes.len() / 4;
    if !bytes.len().is_multiple_of(4) {
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

/// Decodes words that follow the docID `previous` to `out` and returns how many docIDs they have; sums beyond 2^32 wrap.
///
/// # Safety
/// Every selector is defined, `out` has room for all docIDs of `words` and [`SLACK`](super::SLACK) more, and this
/// processor has `tier`.
pub(crate) unsafe fn decode_words(tier: Tier, words: &[u32], previous: u32, out: *mut u32) -> usize {
    debug_assert!(tier.is_available());
    // SAFETY: the caller's promise.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 if *AVX2_IS_FASTER => avx2::decode(words, previous, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => avx512::decode(words, previous, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => avx2::decode(words, previous, out),
            #[cfg(target_arch = "x86_64")]
            Tier::Scalar => sse2::decode(words, previous, out),
            #[cfg(not(target_arch = "x86_64"))]
            _ => scalar::decode(words, previous, out),
        }
    }
}

/// Whether this processor, which has AVX-512, decodes faster without: some keep to halves of its vectors. Measured at the
/// first use, in some 30 µs, unless the environment names a tier; whatever it says, the docIDs are the same.
#[cfg(target_arch = "x86_64")]
static AVX2_IS_FASTER: Lazy<bool> = Lazy::new(|| {
    if cpu::is_named() {
        return false;
    }
    // As gaps of 8 on average are coded: mostly 4 to 7 values a word.
    let words: [u32; 256] =
        std::array::from_fn(|i| [4, 5, 4, 3, 5, 6, 4, 5][i.wrapping_mul(0x9E37_79B9) >> 7 & 7] << 28);
    let mut buffer = [0; 256 * MAX_VALUES + super::SLACK];
    let out = buffer.as_mut_ptr();
    // SAFETY: all selectors are defined, and the buffer has room for the most values that so many words hold and the
    // slack. This is asked only where the processor has AVX-512, which includes AVX2.
    cpu::is_faster(|| unsafe { _ = avx2::decode(&words, 0, out) }, || unsafe { _ = avx512::decode(&words, 0, out) })
});

#[cfg(test)]
mod tests;
