//! [`ListCodec`], the interface of codecs of posting lists.

use super::BLOCK;
use super::values::Values;
use super::{OptionOf, Options};
use crate::base::cpu::Tier;
use crate::base::error::Result;
use std::ops::Range;

/// The word of a header of version 2 that holds the number of the codec's own words, which follow it.
pub const OWN_COUNT: usize = 6;

/// A codec of posting lists. Lists consist of blocks of [`BLOCK`] docIDs, each of which can be decoded alone. The list
/// stores the last docID of each block and, if the codec needs it, the word at which the block's payload begins.
pub trait ListCodec: 'static {
    /// The name that PHP, error messages and benchmarks use.
    const NAME: &'static str;

    /// The version of the byte format in which lists are written. Codecs that existed before version 2 keep writing
    /// version 1, so that older releases can read their lists; both versions are read.
    const VERSION: u32 = 2;

    /// Whether the directory holds the word of the payload at which each block begins.
    const HAS_STARTS: bool;

    /// Whether the directory's last docIDs are not stored but computed from the rest, by
    /// [`derive_lasts`](Self::derive_lasts), when a list is made or read.
    const DERIVES_LASTS: bool = false;

    /// What a caller may choose when a list is encoded.
    const OPTIONS: &'static [OptionOf] = &[];

    /// What operations on its lists cost, assumed until it is measured on the machine.
    const COST: Cost;

    /// The value codec that codes the gaps between docIDs, and other values as well; `None` if docIDs are coded directly.
    const VALUES: Option<&'static dyn Values> = None;

    /// Looks docIDs up without decoding blocks; [`NoLookUp`] if the codec cannot do that.
    type LookUp<'l>: LookUp<'l>;

    /// Determines what must be known before the payload is written.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) and [`Error::NotCodable`](crate::Error::NotCodable).
    fn plan(doc_ids: &[u32], options: &Options) -> Result<Plan>;

    /// The options that a list was encoded with.
    fn options(list: &Encoded) -> Options {
        let _ = list;
        Options::defaults(Self::OPTIONS)
    }

    /// Appends the payload of strictly increasing docIDs to `words`, and to `starts` the word of the payload at which
    /// each block begins, if [`HAS_STARTS`](Self::HAS_STARTS).
    ///
    /// # Errors
    /// [`Error::NotCodable`](crate::Error::NotCodable).
    fn encode(doc_ids: &[u32], plan: &Plan, words: &mut Vec<u32>, starts: &mut Vec<u32>) -> Result<()>;

    /// Checks the contents of a header before anything is allocated. The error is the word of the header that is wrong,
    /// and what is wrong with it.
    fn check_shape(shape: &Shape) -> std::result::Result<(), (usize, String)>;

    /// The last docID of each block, for a codec that [derives](Self::DERIVES_LASTS) them. `list` has none yet. The shape
    /// has been checked, the payload has not: this checks what it relies on, and [`check`](Self::check) the rest.
    /// `payload_at` is the word of the list at which the payload begins, for errors.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    fn derive_lasts(list: &Encoded, payload_at: usize) -> Result<Vec<u32>> {
        let _ = (list, payload_at);
        unreachable!("{} stores its last docIDs", Self::NAME)
    }

    /// Checks everything that decoding relies on: the payload, the directory's starts, that docIDs increase, and that
    /// each block ends with its last docID. The shape has been checked before, and that the last docIDs increase.
    /// `payload_at` is the word of the list at which the payload begins, for errors.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    fn check(list: &Encoded, payload_at: usize) -> Result<()>;

    /// Decodes one or more blocks to `out` and returns the number of their docIDs.
    ///
    /// # Safety
    /// `list` was encoded by this codec or passed [`check`](Self::check); the blocks exist; `out` has room for their
    /// docIDs and [`SLACK`](super::SLACK) more; the processor has `tier`.
    unsafe fn decode_blocks(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u32) -> usize;

    /// The docIDs, if the payload is just that.
    fn plain<'l>(list: &Encoded<'l>) -> Option<&'l [u32]> {
        let _ = list;
        None
    }

    /// Whether the low 16 bits of the list's docIDs can be decoded alone, faster than whole docIDs.
    fn has_low_halves(list: &Encoded) -> bool {
        let _ = list;
        false
    }

    /// As [`decode_blocks`](Self::decode_blocks), the low 16 bits of each docID alone.
    ///
    /// # Safety
    /// As there; and the list [has low halves](Self::has_low_halves).
    unsafe fn decode_low_halves(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u16) -> usize {
        let _ = (tier, list, blocks, out);
        unreachable!("{} has no low halves", Self::NAME)
    }
}

/// What a codec determines before it writes the payload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The codec's parameter byte in the header.
    pub parameter: u8,
    /// The codec's own words at the head of the list (format version 2).
    pub own: Vec<u32>,
}

/// What the header of a list says. The list may be hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// n, docIDs in the list.
    pub count: usize,
    /// u, the largest docID; 0 if there is none.
    pub universe: u32,
    /// The codec's own byte.
    pub parameter: u32,
    /// The codec's own words.
    pub own_words: usize,
    /// Words of payload.
    pub payload_words: usize,
}

/// An encoded list as its codec sees it.
#[derive(Debug, Clone, Copy)]
pub struct Encoded<'l> {
    /// n, docIDs in the list.
    pub count: usize,
    /// u, the largest docID; 0 if there is none.
    pub universe: u32,
    /// The codec's own byte.
    pub parameter: u32,
    /// The codec's own words.
    pub own: &'l [u32],
    /// The last docID of each block, stored or derived.
    pub last_doc_ids: &'l [u32],
    /// The word of the payload at which each block begins; empty without [`ListCodec::HAS_STARTS`].
    pub starts: &'l [u32],
    /// The payload, and after it [`PADDING`](super::PADDING) words that may be read.
    pub payload: &'l [u32],
    /// The number of payload words, without the padding.
    pub payload_words: usize,
}

impl<'l> Encoded<'l> {
    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.last_doc_ids.len()
    }

    /// The ranks of the docIDs in these blocks.
    pub fn ranks(&self, blocks: &Range<usize>) -> Range<usize> {
        blocks.start * BLOCK..self.count.min(blocks.end * BLOCK)
    }

    /// The last docID before a block; `None` for the first block.
    pub fn previous(&self, block: usize) -> Option<u32> {
        block.checked_sub(1).map(|before| self.last_doc_ids[before])
    }

    /// The words of the payload that belong to these blocks, for codecs with [`ListCodec::HAS_STARTS`].
    pub fn block_words(&self, blocks: &Range<usize>) -> &'l [u32] {
        let start = self.starts[blocks.start] as usize;
        let end = self.starts.get(blocks.end).map_or(self.payload_words, |&end| end as usize);
        &self.payload[start..end]
    }
}

/// A forward-only look-up in one list that does not decode blocks.
pub trait LookUp<'l>: Sized {
    /// Whether there is an implementation, for every tier.
    const EXISTS: bool;

    /// A look-up that starts at the first docID; `None` if none [exists](Self::EXISTS).
    ///
    /// # Safety
    /// The processor has `tier`; the list was checked and is not empty.
    unsafe fn new(tier: Tier, list: Encoded<'l>) -> Option<Self>;

    /// Moves those `candidates` that the list contains to the front and returns their number.
    ///
    /// # Safety
    /// Candidates ascend, across calls too.
    unsafe fn retain(&mut self, candidates: &mut [u32]) -> usize;
}

/// For codecs that must decode a block to look a docID up.
#[derive(Debug)]
pub enum NoLookUp {}

impl<'l> LookUp<'l> for NoLookUp {
    const EXISTS: bool = false;

    unsafe fn new(_: Tier, _: Encoded<'l>) -> Option<Self> {
        None
    }

    unsafe fn retain(&mut self, _: &mut [u32]) -> usize {
        match *self {}
    }
}

/// Nanoseconds per docID on one core of a server with AVX-512, which `postings.offload=auto` assumes until it has
/// measured them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// A docID decoded to memory.
    pub decoded: f64,
    /// A docID of either of two lists that are merged.
    pub merged: f64,
    /// A look-up right after the previous one in the list.
    pub near: f64,
    /// A look-up far after the previous one.
    pub far: f64,
}
