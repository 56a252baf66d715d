//! Extracts the doc indexes of Yioop lists on the device: `cl/op/yioop.cl`.

use super::handle::Device;
use super::memory::Slot;
use super::pieces::Pieces;
use super::program::{KernelOf, Source};
use super::session::Arg;
use crate::base::error::{Error, Result};
use crate::base::huge_pages::try_with_room;
use once_cell::sync::Lazy;

static SOURCE: Source = Source { name: "yioop", parts: &[include_str!("../../cl/op/yioop.cl")] };

/// Work-items per work-group, and how often each takes four words.
const ITEMS: usize = 256;
const STRIPES: usize = 4;
/// Words per work-group.
const TILE_WORDS: usize = 4 * ITEMS * STRIPES;

static GEOMETRY: Lazy<String> = Lazy::new(|| format!("-DITEMS={ITEMS}u -DSTRIPES={STRIPES}u"));
/// The longest list. The kernel computes byte offsets in 32 bits.
const MAX_BYTES: usize = 1 << 31;

const OUT: Slot = Slot(0);
const WORDS: Slot = Slot(1);
const OFFSETS: Slot = Slot(2);
const TOTAL: Slot = Slot(3);
const RECORDS: Slot = Slot(4);

impl Device {
    /// The doc indexes of a list of postings, in its order, and with `offsets_too` the byte offset of each posting. The
    /// list must have passed [`crate::yioop::check`].
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn yioop_doc_indexes(&self, postings: &[u8], offsets_too: bool) -> Result<(Vec<u32>, Vec<u32>)> {
        if postings.len() > MAX_BYTES {
            return Err(Error::Device(format!("a list has {} bytes; the kernel supports {MAX_BYTES}", postings.len())));
        }
        let words = postings.len() / 4;
        let groups = words.div_ceil(TILE_WORDS);
        let kernel = KernelOf { source: &SOURCE, options: &GEOMETRY, name: "yioop_doc_indexes" };
        let mut session = self.lock()?;
        session.scratch(WORDS, groups * TILE_WORDS)?;
        session.upload_bytes(WORDS, postings)?;
        session.scratch(OUT, words)?;
        session.scratch(OFFSETS, if offsets_too { words } else { 1 })?;
        session.fill(TOTAL, 1, 0)?;
        session.scratch(RECORDS, 2 * groups)?;
        let args = [
            Arg::Slot(WORDS),
            Arg::U32(words as u32),
            Arg::Slot(OUT),
            Arg::U32(offsets_too.into()),
            Arg::Slot(OFFSETS),
            Arg::Slot(TOTAL),
            Arg::Slot(RECORDS),
        ];
        // SAFETY: the buffers were made large enough above: `WORDS` for a whole number of tiles, `OUT` (and `OFFSETS`,
        // if it is written) for one entry per word, since each word begins at most one posting, and `RECORDS` for one
        // entry per work-group.
        unsafe { session.launch(kernel, groups, ITEMS, &args)? };
        let mut records = Vec::with_capacity(2 * groups);
        session.read(RECORDS, 0..2 * groups, &mut records)?;
        let pieces = Pieces::new(&records, words)?;
        let mut gathered = [Vec::new(), Vec::new()];
        let wanted = if offsets_too { &[OUT, OFFSETS][..] } else { &[OUT][..] };
        for (slot, gathered) in wanted.iter().zip(&mut gathered) {
            let mut out = try_with_room(pieces.total())?;
            session.read(*slot, 0..pieces.total(), &mut out)?;
            *gathered = pieces.gather(out);
        }
        let [doc_indexes, offsets] = gathered;
        Ok((doc_indexes, offsets))
    }
}
