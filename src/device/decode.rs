//! Decoding whole lists on the device: `cl/decode.cl`.

use super::Device;
use super::memory::Slot;
use super::program::{KernelOf, Source};
use super::session::Arg;
use crate::codec::{BLOCK, Codec, simple9};
use crate::error::{Error, Result};
use crate::list::PostingList;
use crate::room::with_room;

static SOURCE: Source =
    Source { name: "decode", parts: &[include_str!("../../cl/list.cl"), include_str!("../../cl/decode.cl")] };
const QS_DECODE: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "qs_decode" };
const SIMPLE9_DECODE: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "simple9_decode" };
const SIMPLE9_WORDS: KernelOf<'static> = KernelOf { source: &SOURCE, options: "", name: "simple9_words" };

/// Work-items of a work-group, as in the kernels.
const ITEMS: usize = 64;
/// docIDs of a quasi-succinct list that a work-item takes.
const RUN: usize = 32;
/// Raw Simple-9 words that a work-item takes.
const CHUNK: usize = 16;

/// Ranks, and what kernels make of them, fit in 32 bits.
pub(super) const MAX_DOC_IDS: usize = 1 << 30;
/// Kernels count the upper bits of a quasi-succinct list in 32 bits, and look at 32 bits behind the last.
const MAX_UPPER_BITS: u64 = (1 << 32) - 64;

const OUT: Slot = Slot(0);
const WORDS: Slot = Slot(1);
const DIRECTORY: Slot = Slot(2);

/// That lists are short enough for the kernels.
fn check_length(doc_ids: usize) -> Result<()> {
    if doc_ids <= MAX_DOC_IDS {
        return Ok(());
    }
    Err(Error::Device(format!("{doc_ids} docIDs in a list, the kernels take {MAX_DOC_IDS}")))
}

/// That the kernels can count all of a list: its docIDs, and its upper bits, of which a list that came as bytes may have
/// any number.
pub(super) fn check_fits(list: &PostingList) -> Result<()> {
    check_length(list.len())?;
    match list.codec() {
        Codec::QuasiSuccinct => check_upper_bits(list.len(), list.universe(), list.lower_width()),
        Codec::Simple9 => Ok(()),
    }
}

fn check_upper_bits(doc_ids: usize, universe: u32, lower_width: u32) -> Result<()> {
    let upper_bits = doc_ids as u64 + u64::from(universe >> lower_width);
    if upper_bits <= MAX_UPPER_BITS {
        return Ok(());
    }
    Err(Error::Device(format!("{upper_bits} upper bits in a list, the kernels take {MAX_UPPER_BITS}")))
}

impl Device {
    /// All docIDs of a list.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn decode(&self, list: &PostingList) -> Result<Vec<u32>> {
        check_fits(list)?;
        let (kernel, items) = match list.codec() {
            Codec::QuasiSuccinct => (QS_DECODE, list.len().div_ceil(RUN)),
            Codec::Simple9 => (SIMPLE9_DECODE, list.len().div_ceil(BLOCK)),
        };
        let mut doc_ids = with_room(list.len());
        if list.is_empty() {
            return Ok(doc_ids);
        }
        let mut session = self.lock()?;
        let mut at = Vec::with_capacity(1);
        session.resident(std::iter::once(list), &mut at)?;
        session.scratch(OUT, list.len())?;
        let args = [Arg::Arena, Arg::U64(at[0]), Arg::Slot(OUT)];
        // SAFETY: the list was checked, its words and padding lie at `at`, and `OUT` has room for its docIDs.
        unsafe { session.launch(kernel, items.div_ceil(ITEMS), ITEMS, &args)? };
        session.read(OUT, 0..list.len(), &mut doc_ids)?;
        Ok(doc_ids)
    }

    /// The docIDs of raw Simple-9 words, each of which has passed [`simple9::check`].
    ///
    /// The words have no directory, which a decoder without a global prefix sum needs; it is a by-product of the check.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn simple9_decode(&self, words: &[u32]) -> Result<Vec<u32>> {
        let mut directory = Vec::with_capacity(2 * words.len().div_ceil(CHUNK));
        let (mut count, mut last) = (0, simple9::BEFORE_FIRST);
        for chunk in words.chunks(CHUNK) {
            directory.extend([count as u32, last]);
            let checked = simple9::check(chunk, last, 0, 0)?;
            count += checked.count;
            last = checked.last;
        }
        check_length(count)?;
        let mut doc_ids = with_room(count);
        let mut session = self.lock()?;
        session.upload(WORDS, words)?;
        session.upload(DIRECTORY, &directory)?;
        session.scratch(OUT, count)?;
        let args = [
            Arg::Slot(WORDS),
            Arg::U32(words.len() as u32),
            Arg::U32(CHUNK as u32),
            Arg::Slot(DIRECTORY),
            Arg::Slot(OUT),
        ];
        // SAFETY: the directory has an entry for each chunk, with the rank of its first docID; `OUT` has room for all.
        unsafe { session.launch(SIMPLE9_WORDS, words.len().div_ceil(CHUNK * ITEMS), ITEMS, &args)? };
        session.read(OUT, 0..count, &mut doc_ids)?;
        Ok(doc_ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_bits_that_kernels_cannot_count_are_refused() {
        // What `encode` makes is taken up to the greatest length.
        for count in [1, 2, 1000, 1 << 20, MAX_DOC_IDS] {
            let width = crate::codec::quasi_succinct::lower_width(count, u32::MAX, 1.0).unwrap();
            assert!(check_upper_bits(count, u32::MAX, width).is_ok(), "{count}");
        }
        // What may come as bytes.
        assert!(check_upper_bits(64, u32::MAX, 0).is_err());
        assert!(check_upper_bits(1, u32::MAX - 64, 0).is_ok());
        assert!(check_upper_bits(MAX_DOC_IDS, u32::MAX, 0).is_err());
    }
}
