//! [`PostingList`]: a block directory and a codec's payload in one sequence of words. The same words are the byte
//! format, the form that the CPU decodes, and what is sent to a device.
//!
//! A block is [`BLOCK`] docIDs; the last one may be shorter. The directory holds the last docID of each block and, for
//! codecs of gaps, the word at which the block's payload begins. It takes 0.25 or 0.5 bits per docID. `format`
//! describes the byte format.

mod auto;
mod built;
mod cursor;
mod format;
mod parse;
pub mod results;

pub use cursor::Cursor;
pub(crate) use format::HEADER_WORDS;

use crate::base::cpu::{self, Tier};
use crate::base::error::{Error, Result};
use crate::base::huge_pages::with_room;
use crate::codec::monotone::partitioned_elias_fano::View;
use crate::codec::{
    BLOCK, BlockBuffer, Codec, Encoded, ListCodec, OptionOf, Options, PADDING, SLACK, Shape, Sink, block_buffer,
    check_increasing, dispatch,
};
use byteorder::{ByteOrder, LittleEndian};
use format::{CHECKSUM, Layout};
use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// A compressed, sorted list of docIDs: checked, immutable and cheap to clone, because clones share the words.
#[derive(Clone)]
pub struct PostingList {
    inner: Arc<Inner>,
}

struct Inner {
    id: u64,
    layout: Layout,
    words: Words,
    /// The last docID of each block, for a codec that does not store them, once they are asked for.
    derived: OnceLock<Vec<u32>>,
    /// What intersections of partitioned lists derive, when they first need it. Boxed, because most lists have none.
    view: OnceLock<Box<View>>,
    dense_view: OnceLock<Box<View>>,
}

/// The words of a list, of which the checksum is 0, followed by padding that decoders may read.
struct Words {
    all: Vec<u32>,
    /// The first that is used.
    begin: usize,
}

impl From<Vec<u32>> for Words {
    fn from(all: Vec<u32>) -> Words {
        Words { all, begin: 0 }
    }
}

impl Deref for Words {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.all[self.begin..]
    }
}

impl Inner {
    /// The bytes of memory that the list takes.
    fn bytes(&self) -> u64 {
        let views = [&self.view, &self.dense_view].map(|view| view.get().map_or(0, |view| view.bytes()));
        let derived = self.derived.get().map_or(0, Vec::len);
        4 * (self.words.all.len() + derived) as u64 + views.iter().sum::<u64>()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        LIVE_LISTS.fetch_sub(1, Ordering::Relaxed);
        LIVE_BYTES.fetch_sub(self.bytes(), Ordering::Relaxed);
    }
}

/// Blocks that [`PostingList::decode_to`] decodes at a time. Their docIDs fit in the first-level cache.
const BLOCKS_A_RUN: usize = 16;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);
static LIVE_LISTS: AtomicU64 = AtomicU64::new(0);
static LIVE_BYTES: AtomicU64 = AtomicU64::new(0);

impl PostingList {
    /// Encodes strictly increasing docIDs, with the codec's default options. O(n).
    ///
    /// # Errors
    /// [`Error::NotIncreasing`]; [`Error::NotCodable`] if the codec cannot code a gap; [`Error::Argument`] for 2^32
    /// docIDs.
    pub fn encode(doc_ids: &[u32], codec: Codec) -> Result<PostingList> {
        PostingList::encode_with(doc_ids, codec, &[])
    }

    /// [`encode`](Self::encode) with values for some of the codec's [options](Codec::options), by name.
    ///
    /// # Errors
    /// As there; also [`Error::Argument`] for an option that the codec does not have, or a value out of range.
    pub fn encode_with(doc_ids: &[u32], codec: Codec, options: &[(&str, f64)]) -> Result<PostingList> {
        dispatch!(codec, C => {
            encode_as::<C>(doc_ids, codec, C::VERSION, &Options::named(C::NAME, C::OPTIONS, options)?)
        })
    }

    /// Makes a list of `words`, which are those that `layout` describes, and of the `derived` last docIDs, if the codec does not
    /// store them; without these, they are derived when they are needed.
    fn new(layout: Layout, words: Words, derived: Option<Vec<u32>>) -> PostingList {
        debug_assert_eq!(words.len(), layout.words() + PADDING);
        let derived = match derived {
            Some(derived) => OnceLock::from(derived),
            None if layout.derives_lasts() => OnceLock::new(),
            None => OnceLock::from(Vec::new()),
        };
        let inner = Inner {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            layout,
            words,
            derived,
            view: OnceLock::new(),
            dense_view: OnceLock::new(),
        };
        LIVE_LISTS.fetch_add(1, Ordering::Relaxed);
        LIVE_BYTES.fetch_add(inner.bytes(), Ordering::Relaxed);
        PostingList { inner: Arc::new(inner) }
    }

    /// The number of lists in this process, not counting clones, and the bytes of memory that they take.
    pub fn live() -> (u64, u64) {
        (LIVE_LISTS.load(Ordering::Relaxed), LIVE_BYTES.load(Ordering::Relaxed))
    }

    /// Reads a list in the byte format and checks every part of it: header, checksum, directory and payload. O(n),
    /// because all blocks are decoded once. Allocates as much as the input's size.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn from_bytes(bytes: &[u8]) -> Result<PostingList> {
        parse::from_bytes(bytes)
    }

    /// The list in the byte format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.size()];
        self.in_parts(|parts| {
            let mut rest = &mut bytes[..];
            for part in parts {
                let (of_part, after) = rest.split_at_mut(size_of_val(part));
                LittleEndian::write_u32_into(part, of_part);
                rest = after;
            }
        });
        bytes
    }

    /// Passes on the byte format as words: those before the checksum, the checksum, and those after it. O(n), as the checksum is
    /// computed only here.
    pub(crate) fn in_parts<R>(&self, take: impl FnOnce([&[u32]; 3]) -> R) -> R {
        let words = self.words();
        take([&words[..CHECKSUM], &[format::checksum(words)], &words[CHECKSUM + 1..]])
    }

    /// A number that is unique in this process. Clones share it.
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Whether this list and `other` are clones of each other.
    pub fn is_same(&self, other: &PostingList) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A handle that does not keep the list alive.
    pub(crate) fn downgrade(&self) -> WeakList {
        WeakList(Arc::downgrade(&self.inner))
    }

    /// The number of live clones of this list, including this one.
    pub fn clones(&self) -> usize {
        Arc::strong_count(&self.inner)
    }

    /// The codec that the list was encoded with.
    pub fn codec(&self) -> Codec {
        self.inner.layout.codec
    }

    /// The options that the list was encoded with: names and values. Those that the codec chose for each part of the list
    /// have none.
    pub fn options(&self) -> Vec<(&'static OptionOf, Option<f64>)> {
        let values = dispatch!(self.codec(), C => C::options(&self.encoded()));
        self.codec().options().iter().enumerate().map(|(at, option)| (option, values.get(at))).collect()
    }

    /// n, the number of docIDs.
    pub fn len(&self) -> usize {
        self.inner.layout.shape.count
    }

    /// Whether the list has no docIDs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// u, the largest docID; 0 for an empty list.
    pub fn universe(&self) -> u32 {
        self.inner.layout.shape.universe
    }

    /// The codec's parameter byte.
    pub fn parameter(&self) -> u32 {
        self.inner.layout.shape.parameter
    }

    /// The words of the byte format, with 0 in place of the checksum.
    pub fn words(&self) -> &[u32] {
        &self.inner.words[..self.inner.layout.words()]
    }

    /// The length of the byte format in bytes, including the directory.
    pub fn size(&self) -> usize {
        4 * self.inner.layout.words()
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.len().div_ceil(BLOCK)
    }

    /// The block directory: the last docID of each block.
    pub fn last_doc_ids(&self) -> &[u32] {
        self.encoded().last_doc_ids
    }

    /// The last docID of each block if they are not among the list's [words](Self::words), otherwise none. A device gets
    /// them after the words.
    pub(crate) fn derived_last_doc_ids(&self) -> &[u32] {
        let Inner { layout, words, derived, .. } = &*self.inner;
        derived.get_or_init(|| {
            let derived = derive_lasts(layout, words).expect("the list was built here");
            LIVE_BYTES.fetch_add(4 * derived.len() as u64, Ordering::Relaxed);
            derived
        })
    }

    /// What intersections derive of a partitioned list, which is not empty. Bit sets are derived when it is intersected for
    /// the second time, so that a list that is used once does not pay for them.
    #[inline]
    pub(crate) fn view(&self) -> &View {
        debug_assert!(self.codec() == Codec::PartitionedEliasFano && !self.is_empty());
        match self.inner.dense_view.get() {
            Some(view) => view,
            None => self.first_views(),
        }
    }

    #[cold]
    fn first_views(&self) -> &View {
        let Inner { view, dense_view, .. } = &*self.inner;
        let derive = |view: View| {
            LIVE_BYTES.fetch_add(view.bytes(), Ordering::Relaxed);
            Box::new(view)
        };
        match view.get() {
            Some(_) => dense_view.get_or_init(|| derive(View::with_bits(&self.encoded()))),
            None => view.get_or_init(|| derive(View::of(&self.encoded()))),
        }
    }

    /// The list as its codec sees it.
    pub(crate) fn encoded(&self) -> Encoded<'_> {
        self.inner.layout.encoded(&self.inner.words, self.derived_last_doc_ids())
    }

    /// Decodes a block to the front of `buffer` and returns its docIDs.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn decode_block<'b>(&self, block: usize, buffer: &'b mut BlockBuffer) -> &'b [u32] {
        self.decode_block_with(cpu::tier(), block, buffer)
    }

    /// [`decode_block`](Self::decode_block) with the instructions of `tier`, for tests and measurements.
    ///
    /// # Panics
    /// Also if the processor lacks the tier.
    pub fn decode_block_with<'b>(&self, tier: Tier, block: usize, buffer: &'b mut BlockBuffer) -> &'b [u32] {
        assert!(block < self.blocks(), "block {block} of {}", self.blocks());
        assert!(tier.is_available());
        // SAFETY: asserted above: the block exists, and the processor has the tier. A `BlockBuffer` has room for a
        // block and the slack.
        let count = unsafe { self.decode_blocks_to(tier, block..block + 1, buffer.as_mut_ptr()) };
        &buffer[..count]
    }

    /// Decodes blocks to `out` and returns the number of their docIDs.
    ///
    /// # Safety
    /// There is at least one block and all exist, `out` has room for their docIDs and [`SLACK`] more, and the processor
    /// has `tier`.
    pub(crate) unsafe fn decode_blocks_to(&self, tier: Tier, blocks: Range<usize>, out: *mut u32) -> usize {
        // SAFETY: every list was encoded by `encode_as` or checked by `parse`, and both pad it; blocks, room and tier
        // are this function's contract.
        dispatch!(self.codec(), C => unsafe { C::decode_blocks(tier, &self.encoded(), blocks, out) })
    }

    /// All docIDs, if the list stores them uncompressed.
    pub(crate) fn plain(&self) -> Option<&[u32]> {
        dispatch!(self.codec(), C => C::plain(&self.encoded()))
    }

    /// Whether the low 16 bits of the docIDs can be decoded alone.
    pub(crate) fn has_low_halves(&self) -> bool {
        dispatch!(self.codec(), C => C::has_low_halves(&self.encoded()))
    }

    /// As [`decode_blocks_to`](Self::decode_blocks_to), the low 16 bits of each docID alone.
    ///
    /// # Safety
    /// As there; and the list [has low halves](Self::has_low_halves).
    pub(crate) unsafe fn decode_low_halves_to(&self, tier: Tier, blocks: Range<usize>, out: *mut u16) -> usize {
        // SAFETY: as above.
        dispatch!(self.codec(), C => unsafe { C::decode_low_halves(tier, &self.encoded(), blocks, out) })
    }

    /// Appends all docIDs, ascending, to `doc_ids`. O(n).
    pub fn decode_into(&self, doc_ids: &mut Vec<u32>) {
        self.decode_into_with(cpu::tier(), doc_ids);
    }

    /// [`decode_into`](Self::decode_into) with the instructions of `tier`, for tests and measurements.
    ///
    /// # Panics
    /// If the processor lacks the tier.
    pub fn decode_into_with(&self, tier: Tier, doc_ids: &mut Vec<u32>) {
        assert!(tier.is_available());
        if self.is_empty() {
            return;
        }
        doc_ids.reserve(self.len() + SLACK);
        // SAFETY: the list is not empty, so it has blocks; `reserve` made room for all docIDs and the slack; the tier
        // was asserted; `count` docIDs were written.
        unsafe {
            let count = self.decode_blocks_to(tier, 0..self.blocks(), doc_ids.as_mut_ptr().add(doc_ids.len()));
            doc_ids.set_len(doc_ids.len() + count);
        }
    }

    /// Passes all docIDs, ascending, to a sink, which is told their number first. O(n); allocates nothing.
    pub fn decode_to(&self, sink: &mut impl Sink) {
        if !sink.expect(self.len()) {
            return;
        }
        let mut buffer = [0; BLOCKS_A_RUN * BLOCK + SLACK];
        for first in (0..self.blocks()).step_by(BLOCKS_A_RUN) {
            let blocks = first..self.blocks().min(first + BLOCKS_A_RUN);
            // SAFETY: `blocks` is not empty and ends at `self.blocks()` at most; the buffer has room for `BLOCKS_A_RUN`
            // blocks and the slack; `cpu::tier()` is available.
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

    /// Whether the list contains `doc_id`. O(log(n / BLOCK)) plus decoding one block.
    pub fn contains(&self, doc_id: u32) -> bool {
        self.next_geq(doc_id) == Some(doc_id)
    }

    /// The smallest docID that is at least `doc_id`, or `None`. O(log(n / BLOCK)) plus decoding one block.
    pub fn next_geq(&self, doc_id: u32) -> Option<u32> {
        self.cursor().next_geq(doc_id)
    }

    /// A cursor before the first docID.
    pub fn cursor(&self) -> Cursor<'_> {
        self.cursor_with(cpu::tier())
    }

    /// A cursor that decodes with the instructions of `tier`, which the processor must have.
    pub(crate) fn cursor_with(&self, tier: Tier) -> Cursor<'_> {
        Cursor::new(self, tier)
    }

    /// Whether both lists have the same docIDs; their codecs may differ. O(n).
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

/// The last docIDs of blocks that are not among the list's words, of a codec that does not store them.
///
/// # Errors
/// [`Error::Corrupt`] if the list cannot be decoded.
fn derive_lasts(layout: &Layout, words: &[u32]) -> Result<Vec<u32>> {
    dispatch!(layout.codec, C => C::derive_lasts(&layout.encoded(words, &[]), layout.payload_at))
}

/// Encodes docIDs in the given version of the byte format, or in version 2 if the codec has words of its own to store.
fn encode_as<C: ListCodec>(doc_ids: &[u32], codec: Codec, version: u32, options: &Options) -> Result<PostingList> {
    check_increasing(doc_ids)?;
    if u32::try_from(doc_ids.len()).is_err() {
        return Err(Error::Argument("a posting list holds at most 2^32 - 1 docIDs".into()));
    }
    let plan = C::plan(doc_ids, options)?;
    let version = if plan.own.is_empty() { version } else { version.max(2) };
    let shape = Shape {
        count: doc_ids.len(),
        universe: doc_ids.last().copied().unwrap_or(0),
        parameter: plan.parameter.into(),
        own_words: plan.own.len(),
        payload_words: 0,
    };
    let (mut layout, mut words) = Layout::begin(version, codec, shape, &plan.own);
    let lasts = doc_ids.chunks(BLOCK).map(|block| block[block.len() - 1]);
    let derived = match C::DERIVES_LASTS {
        true => Some(lasts.collect()),
        false => {
            words.extend(lasts);
            None
        }
    };
    words.resize(layout.payload_at, 0);
    let mut starts = Vec::with_capacity(layout.payload_at - layout.starts_at);
    C::encode(doc_ids, &plan, &mut words, &mut starts)?;
    words[layout.starts_at..layout.payload_at].copy_from_slice(&starts);
    layout.shape.payload_words = words.len() - layout.payload_at;
    format::count_payload(&mut words, &layout.shape)?;
    words.resize(words.len() + PADDING, 0);
    Ok(PostingList::new(layout, words.into(), derived))
}

/// The list in the byte format that is the first `used` of `words`, as its codec sees it, without a copy.
/// [`PADDING`] more words follow. The header is checked; the directory and the payload are not, nor the checksum. The
/// codec must store its last docIDs.
///
/// # Errors
/// [`Error::Corrupt`].
///
/// # Panics
/// If there are fewer words.
pub(crate) fn encoded_in(words: &[u32], used: usize) -> Result<(Codec, Encoded<'_>)> {
    assert!(words.len() >= used + PADDING);
    // SAFETY: words are valid as bytes.
    let (_, bytes, _) = unsafe { words[..used].align_to() };
    let layout = Layout::read(bytes)?;
    if layout.derives_lasts() {
        return Err(format::corrupt("header", 1, "a codec without stored last docIDs is not used here"));
    }
    Ok((layout.codec, layout.encoded(words, &[])))
}

/// Tells whether a list still exists, without keeping it alive.
pub(crate) struct WeakList(Weak<Inner>);

impl WeakList {
    /// Whether any clone of the list exists.
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

#[cfg(test)]
mod tests;
