//! Raw Simple-9 lists: the gaps between docIDs in big-endian words, without blocks or a directory.

use super::{MAX_VALUES, NAME, Simple9, count, count_selectors, decode_values, values};
use crate::base::cpu::{self, Tier};
use crate::base::error::{Error, Result};
use crate::codec::gaps::to_values;
use crate::codec::sums::{BEFORE_FIRST, add_up};
use crate::codec::values::ValueCodec;
use crate::codec::{Options, SLACK, Sink, check_increasing};
use byteorder::{BigEndian, ByteOrder};

/// Words that are decoded at a time. The words and their docIDs fit in the first-level cache together.
const WORDS_A_RUN: usize = 128;

/// Encodes strictly increasing docIDs as a raw list: big-endian words.
///
/// # Errors
/// [`Error::NotIncreasing`]; [`Error::NotCodable`] if the first docID or a gap minus one is 2^28 or more.
pub fn encode(doc_ids: &[u32]) -> Result<Vec<u8>> {
    check_increasing(doc_ids)?;
    let (mut values, mut words) = (Vec::with_capacity(doc_ids.len()), Vec::new());
    to_values::<Simple9>(doc_ids, BEFORE_FIRST, 0, &mut values)?;
    Simple9::encode(&values, &Options::defaults(Simple9::OPTIONS), &mut words);
    let mut bytes = vec![0; words.len() * 4];
    BigEndian::write_u32_into(&words, &mut bytes);
    Ok(bytes)
}

/// Finds the first error in words that are known to be damaged.
#[cold]
fn find_damage(words: &[[u8; 4]]) -> Error {
    let corrupt = |i: usize, what: String| Error::corrupt(NAME, format!("word {i}"), 4 * i, what);
    let mut last = 0;
    for (i, &word) in words.iter().enumerate() {
        let word = u32::from_be_bytes(word);
        let count = count(word);
        if count == 0 {
            return corrupt(i, format!("selector {} is not defined", word >> 28));
        }
        last += count as u64 + values(word).map(u64::from).sum::<u64>();
        if last > 1 << 32 {
            return corrupt(i, "a docID exceeds 2^32 - 1".into());
        }
    }
    corrupt(words.len(), "the docIDs do not increase".into())
}

/// Decodes a raw list. Allocates 4 bytes per docID; a word holds up to 28 docIDs.
///
/// # Errors
/// [`Error::Corrupt`] if the length is not a multiple of 4, a selector is not defined, or a docID exceeds 2^32 − 1.
pub fn decode(bytes: &[u8]) -> Result<Vec<u32>> {
    let mut doc_ids = Vec::new();
    decode_to(bytes, &mut doc_ids)?;
    Ok(doc_ids)
}

/// Decodes a raw list, some words at a time, to a sink that is told the number of docIDs first. Allocates nothing. If
/// the list is damaged, the sink may have received some docIDs.
///
/// # Errors
/// As [`decode`].
pub fn decode_to(bytes: &[u8], sink: &mut impl Sink) -> Result<()> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let what = format!("{} of its 4 bytes are missing", 4 - rest.len());
        return Err(Error::corrupt(NAME, format!("word {}", words.len()), 4 * words.len(), what));
    }
    let Some(count) = count_selectors(words.iter().map(|word| word[0] >> 4)) else { return Err(find_damage(words)) };
    if !sink.expect(count) {
        return Ok(());
    }
    let mut swapped = [0; WORDS_A_RUN];
    let mut buffer = [0; WORDS_A_RUN * MAX_VALUES + SLACK];
    // The last docID decoded so far, and that plus one as a `u64`, because [`BEFORE_FIRST`] equals the largest docID.
    let (mut last, mut before) = (BEFORE_FIRST, 0);
    for run in words.chunks(WORDS_A_RUN) {
        let swapped = &mut swapped[..run.len()];
        swapped.iter_mut().zip(run).for_each(|(to, from)| *to = u32::from_be_bytes(*from));
        // SAFETY: `count_selectors` found all selectors defined, the buffer has room for the most values of
        // `WORDS_A_RUN` words and the slack, and `cpu::tier()` is available.
        let count = unsafe { decode_words(cpu::tier(), swapped, last, buffer.as_mut_ptr()) };
        let doc_ids = &buffer[..count];
        if u64::from(doc_ids[0]) < before || !rises_by_gaps(doc_ids) {
            return Err(find_damage(words));
        }
        sink.take(doc_ids);
        last = doc_ids[count - 1];
        before = u64::from(last) + 1;
    }
    Ok(())
}

/// Whether docIDs that were summed up from gaps never exceeded 2^32 - 1. A gap is at most 2^28, so in a group of eight
/// they wrap around at most once, and then the first docID is below the one before the group, or the last is below the
/// first.
fn rises_by_gaps(doc_ids: &[u32]) -> bool {
    let mut low = doc_ids.first().copied().unwrap_or(0);
    doc_ids.chunks(8).fold(true, |rises, eight| {
        let (first, last) = (eight[0], eight[eight.len() - 1]);
        let rises = rises & (low <= first) & (first <= last);
        low = last;
        rises
    })
}

/// Decodes words that follow the docID `previous` to `out` and returns the number of docIDs. Sums wrap at 2^32.
///
/// # Safety
/// Every selector is defined, `out` has room for all docIDs of `words` and [`SLACK`] more, and this processor has `tier`.
pub(super) unsafe fn decode_words(tier: Tier, words: &[u32], previous: u32, out: *mut u32) -> usize {
    // SAFETY: the contract of `decode_values` is this function's; it wrote the `count` values that are summed up, and
    // the same slack follows them.
    unsafe {
        let count = decode_values(tier, words, out);
        add_up(tier, out, count, previous);
        count
    }
}
