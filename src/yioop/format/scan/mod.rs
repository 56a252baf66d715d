//! The doc indexes of a list. The scan that finds them also checks the list.
//!
//! A posting's first word alone gives its doc index, and the top two bits of a word say whether it is a first word. So
//! the scan takes 16 (AVX-512) or 8 (AVX2) words at a time, whatever postings they belong to: it looks up the layout of
//! each in small tables, computes the doc index that each would mean, and keeps those of first words. Faults are only
//! collected; if there are any, [`scalar`] scans the list again and names the first. [`portable`] does the same without
//! SIMD, one word at a time.
//!
//! The same pass checks that positions stay below 2^32, by a bound: the longest posting is at most two vectors longer
//! than the longest run of whole vectors without a first word, and no word adds more to a position than the largest
//! 28-bit value seen (or 2 · (2^14 − 1)). A list that exceeds the bound is checked exactly by [`scalar`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
mod scalar;
#[cfg(test)]
mod tests;

use crate::base::cpu::{Tier, tier};
use crate::base::error::{Error, Result};
use crate::codec::Sink;

/// `u32`s that the scans may write past the last doc index.
const SLACK: usize = 16;

/// The most bytes of a list whose offsets fit in 32 bits.
pub(in crate::yioop) const MAX_BYTES: usize = u32::MAX as usize;

/// What a scan found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scanned {
    /// Postings.
    count: usize,
    /// No word is wrong, and no posting can have a position of 2^32 or more. `false` means that `scalar` has to look.
    sound: bool,
}

impl Scanned {
    /// `run`: the longest run of vectors of `lanes` words without a first word. `largest`: the largest 28-bit value
    /// that is not a posting's first.
    fn new(count: usize, fault: bool, lanes: usize, run: usize, largest: u32) -> Scanned {
        let longest = (lanes * (run + 2)) as u64;
        let most = longest.saturating_mul(u64::from(largest.max(2 * ((1 << 14) - 1))));
        Scanned { count, sound: !fault && most <= u64::from(u32::MAX) }
    }
}

/// Checks a list without keeping anything.
///
/// # Errors
/// [`Error::Corrupt`].
pub(crate) fn check(postings: &[u8]) -> Result<()> {
    check_with(tier(), postings)
}

fn check_with(tier: Tier, postings: &[u8]) -> Result<()> {
    let nowhere = std::ptr::null_mut();
    // SAFETY: without `DOCS` and `OFFSETS` nothing is written.
    let scanned = unsafe { scan::<false, false>(tier, postings, nowhere, nowhere) };
    if scanned.is_some_and(|scanned| scanned.sound) { Ok(()) } else { scalar::scan(postings, |_, _| ()) }
}

/// The doc indexes of a list of postings, in its order. They increase, unless Yioop wrote the list with the defect that
/// [`format`](crate::yioop::format) describes. Linear time; allocates a `u32` per word of the list.
///
/// Where doc index and first position share the word, Yioop's own `docIndexModified9` is wrong by one if the position
/// is 256 or more; this is right, and agrees with [`unpack_postings`](super::postings::unpack_postings).
///
/// # Errors
/// [`Error::Corrupt`] names the first word that Yioop would not write there.
pub fn doc_indexes(postings: &[u8]) -> Result<Vec<u32>> {
    doc_indexes_with(tier(), postings)
}

/// [`doc_indexes()`] to a sink, which is first told how many postings there are. If there is an error the sink may
/// already have received doc indexes. Allocates next to nothing, unless a posting has some thousand words.
///
/// # Errors
/// As [`doc_indexes()`].
pub fn doc_indexes_to(postings: &[u8], sink: &mut impl Sink) -> Result<()> {
    if !sink.expect(count_postings(postings)) {
        return Ok(());
    }
    let mut buffer = [0; WORDS_A_RUN + SLACK];
    let mut rest = postings;
    while !rest.is_empty() {
        let run = if rest.len() <= 4 * WORDS_A_RUN { rest.len() } else { whole_postings(&rest[..4 * WORDS_A_RUN]) };
        let (run, later) = rest.split_at(run);
        // SAFETY: there is room for a doc index per word, and the slack; without `OFFSETS` no offset is written.
        let scanned = unsafe { scan::<true, false>(tier(), run, buffer.as_mut_ptr(), std::ptr::null_mut()) };
        match scanned {
            Some(Scanned { count, sound: true }) if !run.is_empty() => sink.take(&buffer[..count]),
            _ => {
                // The whole list is scanned, so that the error has the right place in it. There is no error if a
                // posting is longer than a run, or if positions exceed only their bound.
                let docs = doc_indexes(postings)?;
                let done = count_postings(&postings[..postings.len() - rest.len()]);
                sink.take(&docs[done..]);
                return Ok(());
            }
        }
        rest = later;
    }
    Ok(())
}

/// Words that [`doc_indexes_to`] and [`Runs`] scan at a time: they and their results fit in the first-level cache.
const WORDS_A_RUN: usize = 2048;

/// A list with increasing doc indexes, scanned one run at a time.
pub(in crate::yioop) struct Runs<'a> {
    tier: Tier,
    postings: &'a [u8],
    at: usize,
    /// The last doc index of the run before.
    last: Option<u32>,
    count: usize,
    docs: Vec<u32>,
    offsets: Vec<u32>,
}

impl<'a> Runs<'a> {
    /// Before the first run. The list has at most [`MAX_BYTES`].
    pub fn new(tier: Tier, postings: &'a [u8]) -> Self {
        debug_assert!(postings.len() <= MAX_BYTES);
        let room = (postings.len() / 4).min(WORDS_A_RUN) + SLACK;
        Runs { tier, postings, at: 0, last: None, count: 0, docs: vec![0; room], offsets: vec![0; room] }
    }

    /// The doc indexes of the run.
    pub fn docs(&self) -> &[u32] {
        &self.docs[..self.count]
    }

    /// The byte offset of the posting of each.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets[..self.count]
    }

    /// Scans the next run; `Some(false)`, with an empty run, at the end. `None` if the list is damaged, its doc indexes
    /// do not increase, or a posting is longer than a run; or if only a scan of the whole list can tell.
    pub fn next(&mut self) -> Option<bool> {
        let rest = &self.postings[self.at..];
        self.last = self.docs().last().copied().or(self.last);
        self.count = 0;
        if rest.is_empty() {
            return Some(false);
        }
        let run = if rest.len() <= 4 * WORDS_A_RUN { rest.len() } else { whole_postings(&rest[..4 * WORDS_A_RUN]) };
        let (docs, offsets) = (self.docs.as_mut_ptr(), self.offsets.as_mut_ptr());
        // SAFETY: a run has at most WORDS_A_RUN words and no more than the list; both have room for an entry for each,
        // and the slack.
        let scanned = unsafe { scan::<true, true>(self.tier, &rest[..run], docs, offsets) };
        self.count = scanned.filter(|scanned| scanned.sound && run != 0)?.count;
        let before = self.at as u32;
        self.offsets[..self.count].iter_mut().for_each(|offset| *offset += before);
        self.at += run;
        let rises = self.last.zip(self.docs().first().copied()).is_none_or(|(last, first)| last < first);
        (rises && crate::codec::rises(self.docs())).then_some(true)
    }
}

/// The number of postings of a sound list: of words whose top two bits are equal.
pub(super) fn count_postings(postings: &[u8]) -> usize {
    let (words, _) = postings.as_chunks::<4>();
    // In little-endian order the top two bits are bits 7 and 6, so no bytes have to be swapped.
    let is_first = |word: u32| (word ^ word << 1) >> 7 & 1 ^ 1;
    // The count of a run fits in 32 bits, so it is summed in vectors.
    words
        .chunks(1 << 20)
        .map(|run| run.iter().map(|&word| is_first(u32::from_le_bytes(word))).sum::<u32>() as usize)
        .sum()
}

/// Length of the postings that end within the run: up to the last word whose top bit does not say that its posting
/// continues.
fn whole_postings(run: &[u8]) -> usize {
    run.chunks_exact(4).rposition(|word| word[0] & 0x80 == 0).map_or(0, |last| 4 * (last + 1))
}

fn doc_indexes_with(tier: Tier, postings: &[u8]) -> Result<Vec<u32>> {
    let mut docs = Vec::with_capacity(postings.len() / 4 + SLACK);
    // SAFETY: there is room for a doc index per word, and the slack; without `OFFSETS` no offset is written.
    let scanned = unsafe { scan::<true, false>(tier, postings, docs.as_mut_ptr(), std::ptr::null_mut()) };
    match scanned {
        Some(Scanned { count, sound: true }) => {
            // SAFETY: the scan wrote `count` doc indexes, at most one per word.
            unsafe { docs.set_len(count) };
        }
        _ => scalar::scan(postings, |doc, _| docs.push(doc))?,
    }
    Ok(docs)
}

/// The doc indexes of a list, and the byte offset of each posting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Located {
    /// The doc indexes, in the list's order.
    pub docs: Vec<u32>,
    /// The offsets, in the same order.
    pub offsets: Vec<u32>,
}

impl From<(Vec<u32>, Vec<u32>)> for Located {
    fn from((docs, offsets): (Vec<u32>, Vec<u32>)) -> Located {
        Located { docs, offsets }
    }
}

pub(in crate::yioop) fn locate(postings: &[u8]) -> Result<Located> {
    locate_with(tier(), postings)
}

fn locate_with(tier: Tier, postings: &[u8]) -> Result<Located> {
    if postings.len() > MAX_BYTES {
        return Err(Error::Argument("a posting list of 4 GiB and more cannot be intersected".into()));
    }
    let room = postings.len() / 4 + SLACK;
    let (mut docs, mut offsets) = (Vec::with_capacity(room), Vec::with_capacity(room));
    // SAFETY: both have room for an entry per word, and the slack.
    let scanned = unsafe { scan::<true, true>(tier, postings, docs.as_mut_ptr(), offsets.as_mut_ptr()) };
    match scanned {
        Some(Scanned { count, sound: true }) => {
            // SAFETY: the scan wrote `count` entries to both, at most one per word.
            unsafe {
                docs.set_len(count);
                offsets.set_len(count);
            }
        }
        _ => scalar::scan(postings, |doc, offset| {
            docs.push(doc);
            offsets.push(offset as u32);
        })?,
    }
    Ok(Located { docs, offsets })
}

/// The scan of a tier; `None` if the processor lacks the tier, or the list is not a whole number of words.
///
/// # Safety
/// With `DOCS`, `docs` has room for a `u32` for each word of the list and [`SLACK`] more; so has `offsets` with
/// `OFFSETS`, and the list then has at most [`MAX_BYTES`].
unsafe fn scan<const DOCS: bool, const OFFSETS: bool>(
    tier: Tier,
    postings: &[u8],
    docs: *mut u32,
    offsets: *mut u32,
) -> Option<Scanned> {
    if !postings.len().is_multiple_of(4) || !tier.is_available() {
        return None;
    }
    match tier {
        // SAFETY: the tier is available; docs and offsets have the room that this function asks for.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx512 => Some(unsafe { avx512::scan::<DOCS, OFFSETS>(postings, docs, offsets) }),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 => Some(unsafe { avx2::scan::<DOCS, OFFSETS>(postings, docs, offsets) }),
        // SAFETY: docs and offsets have the room that this function asks for.
        _ => Some(unsafe { portable::scan::<DOCS, OFFSETS>(postings, docs, offsets) }),
    }
}
