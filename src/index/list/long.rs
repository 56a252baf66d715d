//! Lists of more than 128 postings.
//!
//! | words | contents |
//! |---|---|
//! | 1 | count |
//! | 1 | 0: docIDs are a posting list in its byte format; 1: they are a bit set |
//! | 3 | words of docIDs, of frequencies, of positions |
//! | 2 | sum of the frequencies, low and high word |
//! | 1 | number of champions |
//! | … | docIDs: a posting list; or the last docID of each block, then the bit set of the segment's documents |
//! | 2 per block, 2 per 32 blocks, 2 | maxima of blocks, of groups of blocks, and of the list ([`maxima`]) |
//! | 2 per champion | [`champions`] |
//! | 1 per block | directory of the frequencies |
//! | 1 per block | the number of positions before the block, modulo 2^32 |
//! | 1 per 128 positions | directory of the positions |
//! | … | frequencies less 1, in blocks of their codec ([`values`](super::values)) |
//! | … | positions, each less the one before in its document less 1, in blocks of theirs |
//!
//! Fields without frequencies end after the docIDs; indexes without positions lack these parts. A block is 128 postings.

use super::values::{self, Blocks, Codecs};
use super::{ListParts, Postings, bits, champions, corrupt, maxima};
use crate::base::cpu::{self, Tier};
use crate::base::error::{Error, Result};
use crate::codec::{BLOCK, BlockBuffer, Codec, Encoded, PADDING, SLACK, dispatch, not_increasing};
use crate::list::{self, PostingList};
use std::ops::Range;

/// Words before the docIDs.
pub(super) const HEADER: usize = 8;
/// Where in it the sum of the frequencies begins.
pub(super) const SUM: usize = 5;
/// Where the number of champions is.
const CHAMPIONS: usize = 7;

const LIST: u32 = 0;
const BITS: u32 = 1;

/// A list that contains at least one in this many of a segment's documents is kept as a bit set. Such lists are few, and
/// asking a bit set takes a nanosecond; up to one in 4 it is larger than a quasi-succinct list, by 3 bits a posting at
/// one in 8.
pub const DENSE: u32 = 16;

fn too_large() -> Error {
    Error::Argument("the postings of a term are too many for a segment".into())
}

pub(super) fn encode(postings: &Postings, documents: u32, codecs: Codecs, words: &mut Vec<u32>) -> Result<()> {
    let Postings { doc_ids, frequencies, positions, lengths } = *postings;
    let first = words.len();
    words.resize(first + HEADER, 0);
    let total: u64 = frequencies.iter().map(|&frequency| u64::from(frequency)).sum();
    let dense = doc_ids.len() as u64 * u64::from(DENSE) >= u64::from(documents);
    if dense {
        words.extend(doc_ids.chunks(BLOCK).map(|block| block[block.len() - 1]));
        bits::encode(doc_ids, documents, words);
    } else {
        PostingList::encode(doc_ids, Codec::QuasiSuccinct)?.in_parts(|parts| {
            parts.into_iter().for_each(|part| words.extend_from_slice(part));
        });
    }
    let doc_id_words = words.len() - first - HEADER;
    let (mut frequency_data, mut position_data) = (Vec::new(), Vec::new());
    if !frequencies.is_empty() {
        match lengths {
            [] => maxima::append_of_weights(frequencies, words),
            lengths => {
                maxima::append(doc_ids, frequencies, lengths, words);
                let before = words.len();
                champions::append(documents, doc_ids, frequencies, lengths, words);
                words[first + CHAMPIONS] = ((words.len() - before) / champions::WORDS) as u32;
            }
        }
        let less_one = frequencies.iter().map(|frequency| frequency - 1);
        if !values::encode(codecs.frequencies, less_one, words, &mut frequency_data) {
            return Err(too_large());
        }
    }
    if !positions.is_empty() {
        let mut before = 0u32;
        for frequencies in frequencies.chunks(BLOCK) {
            words.push(before);
            before = frequencies.iter().fold(before, |sum, &frequency| sum.wrapping_add(frequency));
        }
        if !values::encode(codecs.positions, Gaps::new(frequencies, positions), words, &mut position_data) {
            return Err(too_large());
        }
    }
    let sizes = [doc_id_words, frequency_data.len(), position_data.len()];
    words.extend(frequency_data);
    words.extend(position_data);
    words[first] = doc_ids.len() as u32;
    words[first + 1] = if dense { BITS } else { LIST };
    for (at, size) in sizes.into_iter().enumerate() {
        words[first + 2 + at] = u32::try_from(size).map_err(|_| too_large())?;
    }
    words[first + 5] = total as u32;
    words[first + 6] = (total >> 32) as u32;
    Ok(())
}

/// The gaps between positions in each document.
struct Gaps<'p> {
    frequencies: &'p [u32],
    positions: &'p [u32],
    left: u32,
    next: u32,
}

impl<'p> Gaps<'p> {
    fn new(frequencies: &'p [u32], positions: &'p [u32]) -> Self {
        Gaps { frequencies, positions, left: 0, next: 0 }
    }
}

impl Iterator for Gaps<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let (&position, rest) = self.positions.split_first()?;
        self.positions = rest;
        if self.left == 0 {
            (self.left, self.next) = (self.frequencies[0], 0);
            self.frequencies = &self.frequencies[1..];
        }
        let gap = position - self.next;
        (self.left, self.next) = (self.left - 1, position + 1);
        Some(gap)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.positions.len(), Some(self.positions.len()))
    }
}

impl ExactSizeIterator for Gaps<'_> {}

/// The docIDs of a list.
#[derive(Debug, Clone, Copy)]
pub enum DocIds<'w> {
    /// As a posting list: its codec, and what the codec sees of it.
    List(Codec, Encoded<'w>),
    /// As a bit set of the segment's documents.
    Bits(&'w [u32]),
}

/// Where the positions of documents are.
#[derive(Debug, Clone, Copy)]
pub struct Positions<'w> {
    /// The number of positions before each block.
    pub starts: &'w [u32],
    /// The gaps of all positions.
    pub gaps: Blocks<'w>,
}

/// A long list in the words of its segment. It was [checked](View::check), or comes from the encoder.
#[derive(Debug, Clone, Copy)]
pub struct View<'w> {
    /// Postings.
    pub count: usize,
    /// The docIDs.
    pub doc_ids: DocIds<'w>,
    /// The last docID of each block.
    pub last_doc_ids: &'w [u32],
    /// The maxima of blocks, of groups of them, and of all: [`maxima::WORDS`] words each; empty without frequencies.
    pub maxima: &'w [u32],
    /// Its [`champions`], if it has any.
    pub champions: &'w [u32],
    /// Frequencies less 1; empty without frequencies.
    pub frequencies: Blocks<'w>,
    /// Positions, if the index keeps them.
    pub positions: Option<Positions<'w>>,
    /// The posting list's own words, if [`DocIds::List`].
    list_words: &'w [u32],
    /// Words that the list takes.
    used: usize,
}

impl<'w> View<'w> {
    /// Finds the parts of the list at the front of `words`, which go on to the end of the section and its padding. O(1):
    /// nothing is decoded, see [`View::check`].
    pub(super) fn read(words: &'w [u32], documents: u32, parts: ListParts) -> Result<View<'w>> {
        let ends = || corrupt("long list", "ends early");
        let header: &[u32; HEADER] = words.first_chunk().ok_or_else(ends)?;
        let [count, kind, doc_id_words, frequency_words, position_words, low, high, champions] = *header;
        let count = count as usize;
        let total = u64::from(high) << 32 | u64::from(low);
        if count == 0 || count > documents as usize || champions as usize > count {
            return Err(corrupt(
                "long list",
                format!("{count} postings in {documents} documents, {champions} champions"),
            ));
        }
        let blocks = count.div_ceil(BLOCK);
        let mut rest = &words[HEADER..];
        let mut take = |words: usize| -> Result<&'w [u32]> {
            let (taken, others) = rest.split_at_checked(words).ok_or_else(ends)?;
            rest = others;
            Ok(taken)
        };
        let list_words = take(doc_id_words as usize)?;
        let (doc_ids, last_doc_ids) = match kind {
            LIST => {
                let padded = &words[HEADER..];
                if padded.len() < list_words.len() + PADDING {
                    return Err(ends());
                }
                let (codec, encoded) = list::encoded_in(padded, list_words.len())?;
                if encoded.count != count {
                    return Err(corrupt("long list", format!("{} docIDs for {count} postings", encoded.count)));
                }
                (DocIds::List(codec, encoded), encoded.last_doc_ids)
            }
            BITS if list_words.len() == blocks + bits::words_for(documents) => {
                let (last_doc_ids, bits) = list_words.split_at(blocks);
                (DocIds::Bits(bits), last_doc_ids)
            }
            _ => return Err(corrupt("long list", "neither a posting list nor a bit set of the documents")),
        };
        let mut view = View {
            count,
            doc_ids,
            last_doc_ids,
            maxima: &[],
            champions: &[],
            frequencies: Blocks::NONE,
            positions: None,
            list_words,
            used: HEADER + list_words.len(),
        };
        if !parts.frequencies {
            return Ok(view);
        }
        view.maxima = take(maxima::words_for(blocks))?;
        view.champions = take(champions::WORDS * champions as usize)?;
        let directory = take(blocks)?;
        let of_positions = if parts.positions {
            let places = usize::try_from(total).ok().filter(|&total| total >= count).ok_or_else(ends)?;
            Some((take(blocks)?, take(places.div_ceil(BLOCK))?, places))
        } else {
            None
        };
        // Blocks may need the words after theirs as padding.
        let mut blocks = |codec, directory, used: u32, count| {
            let blocks = Blocks::new(codec, directory, rest, used as usize, count).ok_or_else(ends)?;
            rest = &rest[used as usize..];
            Ok(blocks)
        };
        view.frequencies = blocks(parts.codecs.frequencies, directory, frequency_words, count)?;
        if let Some((starts, directory, places)) = of_positions {
            let gaps = blocks(parts.codecs.positions, directory, position_words, places)?;
            view.positions = Some(Positions { starts, gaps });
        }
        view.used = words.len() - rest.len();
        Ok(view)
    }

    /// Checks all that decoding relies on, by decoding docIDs and frequencies once: docIDs increase and are below
    /// `documents`, blocks end with their last docIDs, and positions begin where the frequencies say. O(count).
    pub(super) fn check(&self, documents: u32) -> Result<()> {
        let damaged = |what: String| Err(corrupt("long list", what));
        if let Some(at) = not_increasing(self.last_doc_ids, None) {
            return damaged(format!("the last docID of block {at} is not greater than the one before"));
        }
        if self.last_doc_ids.last().is_none_or(|&last| last >= documents) {
            return damaged(format!("docIDs are not below {documents}"));
        }
        match self.doc_ids {
            DocIds::List(codec, encoded) => {
                if encoded.universe != self.last_doc_ids[self.last_doc_ids.len() - 1] {
                    return damaged("the largest docID is not that of the directory".into());
                }
                let payload_at = self.list_words.len() - encoded.payload_words;
                dispatch!(codec, C => C::check(&encoded, payload_at))?;
            }
            DocIds::Bits(words) => {
                let set: usize = words.iter().map(|word| word.count_ones() as usize).sum();
                let mut from = 0;
                for (block, &last) in self.last_doc_ids.iter().enumerate() {
                    let wanted = BLOCK.min(self.count - block * BLOCK);
                    if rank(words, from, last) != wanted || !has(words, last) {
                        return damaged(format!("block {block} of the bit set does not have {wanted} documents"));
                    }
                    from = last + 1;
                }
                if set != self.count {
                    return damaged(format!("{set} bits for {} postings", self.count));
                }
            }
        }
        let champions = champions::all(self.champions);
        if !champions.clone().is_sorted_by(|one, next| one.doc_id < next.doc_id)
            || champions.last().is_some_and(|last| last.doc_id >= documents)
        {
            return damaged(format!("champions do not increase, or are not below {documents}"));
        }
        self.frequencies.check().or_else(|what| damaged(format!("frequencies: {what}")))?;
        let Some(positions) = self.positions else { return Ok(()) };
        positions.gaps.check().or_else(|what| damaged(format!("positions: {what}")))?;
        let mut frequencies = [0; BLOCK];
        let mut before = 0u64;
        for (block, &start) in positions.starts.iter().enumerate() {
            if start != before as u32 {
                return damaged(format!("the positions of block {block} do not begin where those before end"));
            }
            self.frequencies.unpack(block, &mut frequencies);
            let here = &frequencies[..BLOCK.min(self.count - block * BLOCK)];
            before += here.iter().map(|&less_one| u64::from(less_one) + 1).sum::<u64>();
        }
        if before != positions.gaps.len() as u64 {
            return damaged(format!("{} positions for frequencies of {before}", positions.gaps.len()));
        }
        Ok(())
    }

    /// Blocks of postings.
    pub fn blocks(&self) -> usize {
        self.last_doc_ids.len()
    }

    /// The first docID that block `block` may contain.
    #[inline(always)]
    pub fn first_possible(&self, block: usize) -> u32 {
        if block == 0 { 0 } else { self.last_doc_ids[block - 1] + 1 }
    }

    /// Decodes the docIDs of a block, and returns their number.
    ///
    /// # Panics
    /// If there is no such block, or the processor lacks the tier.
    #[inline]
    pub fn decode_doc_ids(&self, tier: Tier, block: usize, buffer: &mut BlockBuffer) -> usize {
        // SAFETY: a `BlockBuffer` has room for a block and the slack.
        unsafe { self.decode_blocks(tier, block..block + 1, buffer.as_mut_ptr()) }
    }

    /// Decodes the docIDs of blocks to `out`, and returns their number.
    ///
    /// # Safety
    /// `out` has room for them and [`SLACK`](crate::codec::SLACK) more.
    ///
    /// # Panics
    /// If there are no such blocks, or none, or the processor lacks the tier.
    #[inline(always)]
    pub(crate) unsafe fn decode_blocks(&self, tier: Tier, blocks: Range<usize>, out: *mut u32) -> usize {
        assert!(!blocks.is_empty());
        let last = self.last_doc_ids[blocks.end - 1];
        debug_assert!(tier.is_available());
        // SAFETY: the list was checked by `check` or comes from the encoder; the blocks exist, as was just found; there is room, by this
        // function's contract; tiers in use are available.
        unsafe {
            match self.doc_ids {
                DocIds::List(codec, ref encoded) => dispatch!(codec, C => C::decode_blocks(tier, encoded, blocks, out)),
                DocIds::Bits(words) => bits::decode(tier, words, self.first_possible(blocks.start), last, out),
            }
        }
    }

    /// Decodes the frequencies of a block, each less 1.
    ///
    /// # Panics
    /// If there is no such block.
    #[inline]
    pub fn frequencies_less_one(&self, block: usize, frequencies: &mut [u32; BLOCK]) {
        self.frequencies.unpack(block, frequencies);
    }

    /// Bytes that the list takes.
    pub fn bytes(&self) -> usize {
        4 * self.used
    }

    /// Appends all docIDs.
    pub fn append_doc_ids(&self, out: &mut Vec<u32>) {
        self.append_blocks(cpu::tier(), 0..self.blocks(), out);
    }

    /// Appends the docIDs of blocks.
    ///
    /// # Panics
    /// As [`decode_doc_ids`](Self::decode_doc_ids), or if there are no blocks in the range.
    #[inline(always)]
    pub(crate) fn append_blocks(&self, tier: Tier, blocks: Range<usize>, out: &mut Vec<u32>) {
        let len = out.len();
        out.reserve(BLOCK * blocks.len() + SLACK);
        // SAFETY: there is room for the docIDs and the slack; as many as are counted are written.
        unsafe {
            let count = self.decode_blocks(tier, blocks, out.as_mut_ptr().add(len));
            out.set_len(len + count);
        }
    }
}

/// Whether a bit set has a document, which is below its number of documents.
#[inline(always)]
pub fn has(words: &[u32], doc_id: u32) -> bool {
    words[doc_id as usize / 32] >> (doc_id % 32) & 1 == 1
}

/// The number of bits set in `from..=last`.
#[inline(always)]
pub fn rank(words: &[u32], from: u32, last: u32) -> usize {
    if from > last {
        return 0;
    }
    let (first_word, last_word) = (from as usize / 32, last as usize / 32);
    let low = u32::MAX << (from % 32);
    let high = u32::MAX >> (31 - last % 32);
    if first_word == last_word {
        return (words[first_word] & low & high).count_ones() as usize;
    }
    let within: u32 = words[first_word + 1..last_word].iter().map(|word| word.count_ones()).sum();
    ((words[first_word] & low).count_ones() + within + (words[last_word] & high).count_ones()) as usize
}
