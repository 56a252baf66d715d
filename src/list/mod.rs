//! [`PostingList`]: a codec, its payload and a block directory, in one run of words that is at once the byte format,
//! what the CPU decodes and what a device is sent.
//!
//! # Byte format, version 1
//! Little-endian `u32` words:
//!
//! | word | what |
//! |---|---|
//! | 0 | the bytes `PSTL` |
//! | 1 | version (bits 0–7: 1), codec (8–15: 1 Simple-9, 2 quasi-succinct), b (16–23, quasi-succinct only), 0 |
//! | 2 | n, docIDs in the list |
//! | 3 | u, the largest docID (0 if n is 0) |
//! | 4 | words of payload |
//! | 5 | CRC-32 (IEEE) of all other words |
//! | 6 … | the last docID of each block |
//! | … | Simple-9 only: for each block, the payload word at which it begins |
//! | … | payload |
//!
//! A block is [`BLOCK`] docIDs, the last one fewer. The payload of a quasi-succinct list is its lower bits, then its
//! upper bits, as in a raw list; block k begins at upper bit `(last docID of block k − 1 >> b) + k·BLOCK`, so that the
//! last docIDs are directory enough. The payload of a Simple-9 list is the words of each block, coded on its own: the
//! first gap of a block is taken from the last docID of the block before.
//!
//! Beside the payload the directory costs 0.25 bits a docID (quasi-succinct) or 0.5 (Simple-9).

mod cursor;
mod parse;
mod raw;

pub use cursor::Cursor;

use crate::codec::{BLOCK, BlockBuffer, Codec, SLACK, Sink, block_buffer, check_increasing, quasi_succinct, simple9};
use crate::cpu::{self, Tier};
use crate::error::{Error, Result};
use crate::room::with_room;
use byteorder::{ByteOrder, LittleEndian};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"PSTL");
pub(crate) const VERSION: u32 = 1;
/// Words before the directory.
pub(crate) const HEADER_WORDS: usize = 6;

/// A compressed, sorted list of docIDs: checked, immutable, cheap to clone (clones share it).
#[derive(Clone)]
pub struct PostingList {
    inner: Arc<Inner>,
}

struct Inner {
    id: u64,
    codec: Codec,
    lower_width: u32,
    count: usize,
    universe: u32,
    /// Words of the byte format.
    used: usize,
    /// Where the payload begins in `words`.
    payload: usize,
    /// The byte format, then padding that decoders may read.
    words: Vec<u32>,
}

/// Blocks that [`PostingList::decode_to`] decodes at a time: their docIDs fit in the first-level cache.
const BLOCKS_A_RUN: usize = 16;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl PostingList {
    /// Encodes strictly increasing docIDs. O(n).
    ///
    /// # Errors
    /// [`Error::NotIncreasing`]; [`Error::NotCodable`] where Simple-9 cannot code a gap of more than 2^28;
    /// [`Error::Argument`] for 2^32 docIDs.
    pub fn encode(doc_ids: &[u32], codec: Codec) -> Result<PostingList> {
        check_increasing(doc_ids)?;
        let universe = doc_ids.last().copied().unwrap_or(0);
        let count = u32::try_from(doc_ids.len())
            .map_err(|_| Error::Argument("a posting list holds at most 2^32 - 1 docIDs".into()))?;
        let lower_width = match codec {
            Codec::Simple9 => 0,
            Codec::QuasiSuccinct => quasi_succinct::lower_width(doc_ids.len(), universe, 1.0)?,
        };
        let mut words = vec![MAGIC, VERSION | (codec as u32) << 8 | lower_width << 16, count, universe, 0, 0];
        words.extend(doc_ids.chunks(BLOCK).map(|block| block[block.len() - 1]));
        let payload = match codec {
            Codec::QuasiSuccinct => {
                let payload = words.len();
                quasi_succinct::encode_parts(doc_ids, lower_width, &mut words);
                payload
            }
            Codec::Simple9 => {
                let starts = words.len();
                let blocks = doc_ids.len().div_ceil(BLOCK);
                let payload = starts + blocks;
                words.resize(payload, 0);
                let mut previous = simple9::BEFORE_FIRST;
                for (k, block) in doc_ids.chunks(BLOCK).enumerate() {
                    words[starts + k] = (words.len() - payload) as u32;
                    simple9::encode_block(block, previous, k * BLOCK, &mut words)?;
                    previous = block[block.len() - 1];
                }
                payload
            }
        };
        words[4] = u32::try_from(words.len() - payload)
            .map_err(|_| Error::Argument("a posting list holds at most 2^32 - 1 words".into()))?;
        words[5] = parse::checksum(&words);
        let used = words.len();
        words.resize(used + quasi_succinct::PADDING, 0);
        Ok(PostingList {
            inner: Arc::new(Inner {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                codec,
                lower_width,
                count: doc_ids.len(),
                universe,
                used,
                payload,
                words,
            }),
        })
    }

    /// The list that these bytes hold, every part of it checked: header, checksum, directory, payload. O(n): all
    /// blocks are decoded once. Allocates the input's size.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn from_bytes(bytes: &[u8]) -> Result<PostingList> {
        parse::from_bytes(bytes)
    }

    /// The byte format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4 * self.inner.used];
        LittleEndian::write_u32_into(self.words(), &mut bytes);
        bytes
    }

    /// A number that no other list of this process has; clones share it.
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Whether this list is the same object as (a clone of) `other`.
    pub fn is_same(&self, other: &PostingList) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A handle that does not keep the list.
    pub(crate) fn downgrade(&self) -> WeakList {
        WeakList(Arc::downgrade(&self.inner))
    }

    /// How many clones of this list live, this one included.
    pub fn clones(&self) -> usize {
        Arc::strong_count(&self.inner)
    }

    /// The codec of the payload.
    pub fn codec(&self) -> Codec {
        self.inner.codec
    }

    /// n, docIDs in the list.
    pub fn len(&self) -> usize {
        self.inner.count
    }

    /// Whether the list has no docIDs.
    pub fn is_empty(&self) -> bool {
        self.inner.count == 0
    }

    /// u, the largest docID, 0 where there is none.
    pub fn universe(&self) -> u32 {
        self.inner.universe
    }

    /// b, the width in bits of the lower bits of a quasi-succinct list; else 0.
    pub fn lower_width(&self) -> u32 {
        self.inner.lower_width
    }

    /// The byte format as words.
    pub fn words(&self) -> &[u32] {
        &self.inner.words[..self.inner.used]
    }

    /// Bytes of the byte format, directory included.
    pub fn size(&self) -> usize {
        4 * self.inner.used
    }

    /// Blocks of the list.
    pub fn blocks(&self) -> usize {
        self.inner.count.div_ceil(BLOCK)
    }

    /// docIDs of a block.
    pub fn block_len(&self, block: usize) -> usize {
        BLOCK.min(self.inner.count - block * BLOCK)
    }

    /// The block directory: the last docID of each block.
    pub fn last_doc_ids(&self) -> &[u32] {
        &self.inner.words[HEADER_WORDS..HEADER_WORDS + self.blocks()]
    }

    /// The last docID before a block, `None` for the first.
    fn previous(&self, block: usize) -> Option<u32> {
        block.checked_sub(1).map(|before| self.last_doc_ids()[before])
    }

    /// The parts of a quasi-succinct payload.
    pub(crate) fn quasi_succinct(&self) -> quasi_succinct::Parts<'_> {
        let inner = &*self.inner;
        debug_assert_eq!(inner.codec, Codec::QuasiSuccinct);
        let (lower_words, _) = quasi_succinct::sizes(inner.count, inner.universe, inner.lower_width);
        let lower = &inner.words[inner.payload..];
        quasi_succinct::Parts {
            count: inner.count,
            universe: inner.universe,
            lower_width: inner.lower_width,
            lower,
            upper: &lower[lower_words as usize..],
        }
    }

    /// The words of a block of a Simple-9 payload.
    pub(crate) fn simple9_block(&self, block: usize) -> &[u32] {
        self.simple9_blocks(block..block + 1)
    }

    /// The words of blocks, at least one, of a Simple-9 payload.
    fn simple9_blocks(&self, blocks: Range<usize>) -> &[u32] {
        let inner = &*self.inner;
        debug_assert_eq!(inner.codec, Codec::Simple9);
        let starts = &inner.words[HEADER_WORDS + self.blocks()..inner.payload];
        let start = starts[blocks.start] as usize;
        let end = starts.get(blocks.end).map_or(inner.used - inner.payload, |&end| end as usize);
        &inner.words[inner.payload + start..inner.payload + end]
    }

    /// Decodes a block to the front of `buffer` and returns its docIDs.
    ///
    /// # Panics
    /// Where there is no such block.
    pub fn decode_block<'b>(&self, block: usize, buffer: &'b mut BlockBuffer) -> &'b [u32] {
        self.decode_block_with(cpu::tier(), block, buffer)
    }

    /// [`decode_block`](Self::decode_block) with the instructions of `tier`, for tests and measurements.
    ///
    /// # Panics
    /// Also where the processor lacks the tier.
    pub fn decode_block_with<'b>(&self, tier: Tier, block: usize, buffer: &'b mut BlockBuffer) -> &'b [u32] {
        assert!(block < self.blocks(), "block {block} of {}", self.blocks());
        assert!(tier.is_available());
        // SAFETY: the block exists, the buffer has room for a block and the slack, and the processor has the tier.
        let count = unsafe { self.decode_blocks_to(tier, block..block + 1, buffer.as_mut_ptr()) };
        &buffer[..count]
    }

    /// Decodes blocks to `out` and returns how many docIDs they have.
    ///
    /// # Safety
    /// The blocks exist and are at least one, `out` has room for their docIDs and [`SLACK`] more, and the processor has
    /// `tier`.
    pub(crate) unsafe fn decode_blocks_to(&self, tier: Tier, blocks: Range<usize>, out: *mut u32) -> usize {
        let previous = self.previous(blocks.start);
        match self.inner.codec {
            // SAFETY: every list was encoded here or checked by `parse`, which also padded it; the directory holds
            // the last docIDs; the rest is the caller's promise.
            Codec::QuasiSuccinct => unsafe {
                quasi_succinct::decode_blocks(tier, &self.quasi_succinct(), blocks, previous.unwrap_or(0), out)
            },
            // SAFETY: as above; the words of the blocks hold exactly their docIDs.
            Codec::Simple9 => unsafe {
                let count = self.inner.count.min(blocks.end * BLOCK) - blocks.start * BLOCK;
                let words = self.simple9_blocks(blocks);
                simple9::decode_words(tier, words, previous.unwrap_or(simple9::BEFORE_FIRST), out);
                count
            },
        }
    }

    /// Appends all docIDs, ascending, to `doc_ids`. O(n).
    pub fn decode_into(&self, doc_ids: &mut Vec<u32>) {
        self.decode_into_with(cpu::tier(), doc_ids);
    }

    /// [`decode_into`](Self::decode_into) with the instructions of `tier`, for tests and measurements.
    ///
    /// # Panics
    /// Where the processor lacks the tier.
    pub fn decode_into_with(&self, tier: Tier, doc_ids: &mut Vec<u32>) {
        assert!(tier.is_available());
        if self.is_empty() {
            return;
        }
        doc_ids.reserve(self.len() + SLACK);
        // SAFETY: the list has blocks; `reserve` made room for all docIDs and the slack; the processor has the tier.
        unsafe {
            let count = self.decode_blocks_to(tier, 0..self.blocks(), doc_ids.as_mut_ptr().add(doc_ids.len()));
            doc_ids.set_len(doc_ids.len() + count);
        }
    }

    /// Gives all docIDs, ascending, to a sink, which is told before how many there are. O(n); allocates nothing.
    pub fn decode_to(&self, sink: &mut impl Sink) {
        if !sink.expect(self.len()) {
            return;
        }
        let mut buffer = [0; BLOCKS_A_RUN * BLOCK + SLACK];
        for first in (0..self.blocks()).step_by(BLOCKS_A_RUN) {
            let blocks = first..self.blocks().min(first + BLOCKS_A_RUN);
            // SAFETY: the blocks exist and are at least one; the buffer has room for so many and the slack; the
            // processor has its own tier.
            let count = unsafe { self.decode_blocks_to(cpu::tier(), blocks, buffer.as_mut_ptr()) };
            sink.take(&buffer[..count]);
        }
    }

    /// All docIDs, ascending. O(n).
    pub fn decode(&self) -> Vec<u32> {
        let mut doc_ids = with_room(self.len() + SLACK);
        self.decode_into(&mut doc_ids);
        doc_ids
    }

    /// Whether the list has that docID. O(log(n / BLOCK)) and one block.
    pub fn contains(&self, doc_id: u32) -> bool {
        self.next_geq(doc_id) == Some(doc_id)
    }

    /// The smallest docID that is `doc_id` or greater, `None` where there is none. O(log(n / BLOCK)) and one block.
    pub fn next_geq(&self, doc_id: u32) -> Option<u32> {
        self.cursor().next_geq(doc_id)
    }

    /// A cursor before the first docID.
    pub fn cursor(&self) -> Cursor<'_> {
        self.cursor_with(cpu::tier())
    }

    /// A cursor that decodes with the instructions of `tier`, which the processor has.
    pub(crate) fn cursor_with(&self, tier: Tier) -> Cursor<'_> {
        Cursor::new(self, tier)
    }

    /// Whether both lists have the same docIDs, whatever their codecs. O(n).
    pub fn equals(&self, other: &PostingList) -> bool {
        if self.is_same(other) {
            return true;
        }
        if self.len() != other.len() || self.last_doc_ids() != other.last_doc_ids() {
            return false;
        }
        let (mut mine, mut theirs) = (block_buffer(), block_buffer());
        (0..self.blocks()).all(|block| self.decode_block(block, &mut mine) == other.decode_block(block, &mut theirs))
    }
}

/// Tells whether a list is gone, without keeping it.
pub(crate) struct WeakList(Weak<Inner>);

impl WeakList {
    /// Whether a clone of the list lives.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl std::fmt::Debug for PostingList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostingList")
            .field("codec", &self.codec().name())
            .field("len", &self.len())
            .field("universe", &self.universe())
            .field("size", &self.size())
            .finish()
    }
}

impl PostingList {
    /// How many lists this process holds, clones not counted, and the bytes of memory that they take.
    pub fn live() -> (u64, u64) {
        // TO BE REPLACED: the list room counts them.
        (0, 0)
    }
}

#[cfg(test)]
mod tests;
