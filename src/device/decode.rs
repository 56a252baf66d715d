//! Decoding whole lists on the device: `cl/decode.cl`.

use super::Device;
use super::memory::Slot;
use super::program::{KernelOf, Source};
use super::session::Arg;
use crate::codec::{BLOCK, Codec, simple9};
use crate::error::{Error, Result};
use crate::list::PostingList;
use crate::room::with_room;

static SOURCE: Source = Source {
    name: "decode",
    parts: &[include_str!("../../cl/list.cl"), include_str!("../../cl/decode.cl")],
    options: "",
};
const QS_DECODE: KernelOf = KernelOf { source: &SOURCE, name: "qs_decode" };
const SIMPLE9_DECODE: KernelOf = KernelOf { source: &SOURCE, name: "simple9_decode" };
const SIMPLE9_WORDS: KernelOf = KernelOf { source: &SOURCE, name: "simple9_words" };

/// Work-items of a work-group, as in the kernels.
const ITEMS: usize = 64;
/// docIDs of a quasi-succinct list that a work-item takes.
const RUN: usize = 32;
/// Raw Simple-9 words that a work-item takes.
const CHUNK: usize = 16;

/// Bit positions in the upper bits of longer lists do not fit in 32 bits.
pub(super) const MAX_DOC_IDS: usize = 1 << 30;

const OUT: Slot = Slot(0);
const WORDS: Slot = Slot(1);
const DIRECTORY: Slot = Slot(2);

/// That lists are short enough for the kernels.
pub(super) fn check_length(doc_ids: usize) -> Result<()> {
    if doc_ids <= MAX_DOC_IDS {
        return Ok(());
    }
    Err(Error::Device(format!("{doc_ids} docIDs in a list, the kernels take {MAX_DOC_IDS}")))
}

impl Device {
    /// All docIDs of a list.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn decode(&self, list: &PostingList) -> Result<Vec<u32>> {
        check_length(list.len())?;
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
