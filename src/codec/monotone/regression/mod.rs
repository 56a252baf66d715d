//! Linear regression compression (Ao et al., "Efficient Parallel Lists Intersection and Index Compression Algorithms
//! using Graphics Processing Units", PVLDB 4(8), 2011, sections 4.3, 4.4, 5.2, 5.3): docIDs as a line and their *vertical
//! deviations* from it. There are no gaps, so nothing is summed up, and each docID can be decoded alone.
//!
//! Four codecs differ in which docIDs share a line, and which share a smallest deviation and a width:
//!
//! | codec | a line for | a smallest deviation and a width for |
//! |---|---|---|
//! | [`LRC`](lrc) | the list | the list |
//! | [`LRCSeg`](lrc_seg) | the list | each segment of 256 |
//! | [`SegLRC`](seg_lrc) | each segment of 256 | each segment of 256 |
//! | [`HS_LRC`](hs_lrc) | each hash bucket: docIDs with the same leading bits | each hash bucket |
//!
//! # Arithmetic
//! Let i be an index, from 0 on, in the docIDs that share a line. The line is a whole number, the *intercept*, and a
//! slope in fixed point, with 32 bits after the point. A docID is
//!
//! ```text
//! (intercept · 2^32 + slope · i mod 2^64) >> 32, plus the deviation, modulo 2^32
//! ```
//!
//! Everything here is arithmetic modulo a power of two, so nothing overflows and every docID up to 2^32 − 1 comes out
//! exactly, if the deviation d of each docID y is below 2^32: y = ⌊line(i)⌋ + d holds for whole numbers, then also modulo
//! 2^32, and ⌊line(i)⌋ modulo 2^32 is the upper half of line(i) · 2^32 modulo 2^64. The slope is that of the
//! least-squares line, rounded to fixed point before deviations are taken, and the smallest deviation is the intercept,
//! so deviations (the paper's λ) are not negative. [`fit`] computes them in 128 bits. Lists of which some deviation is not
//! below 2^32 get slope 0, with which a deviation is the distance from the first docID.
//!
//! `[10, 13, 16, 20, 22, 25]` has slope 53/17.5 ≈ 0x3_0750_7507 · 2^−32. ⌊slope · i⌋ is `[0, 3, 6, 9, 12, 15]`, the
//! intercept is 10, and the deviations `[0, 0, 0, 1, 0, 0]` take one bit each.
//!
//! # Deviations
//! A list without exceptions (the default: the paper found that close to the best) has fields of the width of the largest
//! deviation. If the option `exceptions`, the share of exceptions, is above 0, each 256 deviations are a segment of
//! [ParaPFor](crate::codec::values::parapfor), with widths of its own, also in [`LRC`](lrc); bit 7 of the parameter byte
//! says so.
//!
//! Everything but the option is at the head of the payload. The list's directory has the last docID of each block of 128,
//! where the paper has the first of each segment of 256 (its ℋ). So a segment is two blocks; hash buckets do not begin
//! with blocks, and are found by ranks.
//!
//! Size: deviations of docIDs that are random grow with the square root of the number of docIDs on a line. At worst a
//! deviation takes 32 bits, to which each segment or bucket adds at most 128 bits.

mod fit;
pub mod hs_lrc;
mod line;
mod look_up;
pub mod lrc;
pub mod lrc_seg;
mod piece;
pub mod seg_lrc;

use crate::base::cpu::{self, Tier};
use crate::base::error::{Error, Result};
use crate::codec::values::parapfor::segment::{self, Header};
use crate::codec::{
    Cost, Encoded, ListCodec, OWN_COUNT, OptionOf, Options, Plan, Shape, block_buffer, fields, not_increasing,
};
use look_up::Place;
use piece::{Coded, Piece};
use std::marker::PhantomData;
use std::ops::Range;

/// docIDs in a segment.
pub const SEGMENT: usize = segment::MOST_VALUES;

/// The bit of the parameter byte that says that deviations are ParaPFor's segments.
const EXCEPTED: u32 = 1 << 7;

/// The largest share of exceptions, as in the paper.
const MOST_EXCEPTIONS: f64 = 0.6;

/// The share of deviations that may be exceptions. The first option of all four codecs.
const EXCEPTIONS: OptionOf = OptionOf::fraction("exceptions", 0.0, MOST_EXCEPTIONS, 0.0);

/// Which docIDs share lines and widths: what the four codecs differ in.
pub trait Scheme: 'static {
    /// See [`ListCodec::NAME`].
    const NAME: &'static str;

    /// See [`ListCodec::COST`].
    const COST: Cost;

    /// See [`ListCodec::OPTIONS`].
    const OPTIONS: &'static [OptionOf] = &[EXCEPTIONS];

    /// Whether pieces consist of whole blocks, of which each is searched alone. Otherwise pieces are.
    const HAS_WHOLE_BLOCKS: bool = true;

    /// The parameter byte, apart from [`EXCEPTED`].
    fn parameter(doc_ids: &[u32], options: &Options) -> u32 {
        let _ = (doc_ids, options);
        0
    }

    /// Appends the payload of docIDs, of which there is at least one.
    fn encode(doc_ids: &[u32], writer: &mut Writer) -> Result<()>;

    /// The words of the payload before the deviations; an error if there is no such parameter byte.
    fn head(shape: &Shape) -> std::result::Result<u64, String>;

    /// Checks that the head is consistent with the rest of the payload, on which [`piece`](Self::piece) relies. The list
    /// has docIDs, and a payload of at least [`head`](Self::head) words.
    fn check(list: &Encoded, checker: &mut Checker) -> Result<()>;

    /// The hint with which [`piece`](Self::piece) finds docIDs of a block, or of those after it.
    fn hint(list: &Encoded, block: usize) -> usize {
        let _ = (list, block);
        0
    }

    /// The piece that has the docID of that rank. `hint` is the function's own, from [`hint`](Self::hint) or 0 in the
    /// beginning; ranks must not decrease between calls with the same.
    fn piece<'l>(list: &Encoded<'l>, rank: usize, hint: &mut usize) -> Piece<'l>;

    /// Ranks among which `doc_id`, which is at most u, is if the list has it, in one stretch per piece. `place` is
    /// moved on; look-ups ascend.
    fn locate(list: &Encoded, doc_id: u32, place: &mut Place) -> Range<usize> {
        look_up::seek(list.last_doc_ids, doc_id, &mut place.block);
        list.ranks(&(place.block..place.block + 1))
    }
}

/// The list codec of a [`Scheme`].
pub struct Regression<S>(PhantomData<S>);

impl<S: Scheme> ListCodec for Regression<S> {
    const NAME: &'static str = S::NAME;
    const HAS_STARTS: bool = false;
    const OPTIONS: &'static [OptionOf] = S::OPTIONS;
    const COST: Cost = S::COST;
    type LookUp<'l> = look_up::RegressionSearch<'l, S>;

    fn plan(doc_ids: &[u32], options: &Options) -> Result<Plan> {
        let excepted = if options.get(0) > Some(0.0) { EXCEPTED } else { 0 };
        let parameter = (S::parameter(doc_ids, options) | excepted) as u8;
        Ok(Plan { parameter, own: options.to_words(S::OPTIONS) })
    }

    fn options(list: &Encoded) -> Options {
        Options::from_words(S::OPTIONS, list.own).unwrap_or_else(|_| Options::defaults(S::OPTIONS))
    }

    fn encode(doc_ids: &[u32], plan: &Plan, words: &mut Vec<u32>, _: &mut Vec<u32>) -> Result<()> {
        if doc_ids.is_empty() {
            return Ok(());
        }
        let options = Options::from_words(S::OPTIONS, &plan.own).unwrap_or_else(|_| Options::defaults(S::OPTIONS));
        let payload = words.len();
        S::encode(doc_ids, &mut Writer { words, payload, parameter: plan.parameter.into(), share: options.get(0) })
    }

    fn check_shape(shape: &Shape) -> std::result::Result<(), (usize, String)> {
        if shape.own_words != S::OPTIONS.len() {
            return Err((OWN_COUNT, format!("{} options where there are {}", shape.own_words, S::OPTIONS.len())));
        }
        if shape.count == 0 {
            let is_empty = shape.payload_words == 0;
            return if is_empty { Ok(()) } else { Err((4, "an empty list has no payload".into())) };
        }
        let head = S::head(shape).map_err(|what| (1, what))?;
        if (shape.payload_words as u64) < head {
            let what = format!("{} words of payload, of which {head} come before the deviations", shape.payload_words);
            return Err((4, what));
        }
        Ok(())
    }

    fn check(list: &Encoded, payload_at: usize) -> Result<()> {
        if let Err(at) = Options::from_words(S::OPTIONS, list.own) {
            let what = format!("{:#X} is no value of '{}'", list.own[at], S::OPTIONS[at].name);
            return Err(Error::corrupt(S::NAME, "header", 4 * (OWN_COUNT + 1 + at), what));
        }
        if list.count == 0 {
            return Ok(());
        }
        let mut checker = Checker { name: S::NAME, list: *list, payload_at, next: 0 };
        S::check(list, &mut checker)?;
        checker.finish()?;
        let mut lines = LineCheck::default();
        let mut buffer = block_buffer();
        for (block, &last) in list.last_doc_ids.iter().enumerate() {
            let blocks = block..block + 1;
            let ranks = list.ranks(&blocks);
            // SAFETY: `S::check` found the pieces to be consistent, and their deviations to be in the payload, which is
            // padded; a `block_buffer` has room for a block and the slack; `cpu::tier` is a tier of this processor.
            let count = unsafe { Self::decode_blocks(cpu::tier(), list, blocks, buffer.as_mut_ptr()) };
            if let Some(at) = not_increasing(&buffer[..count], list.previous(block)) {
                let item = format!("docID {}", ranks.start + at);
                return Err(checker.corrupt(item, 0, "is not greater than the one before"));
            }
            if buffer[count - 1] != last {
                let (item, word) = (format!("directory, block {block}"), payload_at - list.blocks() + block);
                return Err(Error::corrupt(S::NAME, item, 4 * word, "its last docID is not the payload's"));
            }
            if let Some(rank) = lines.first_astray::<S>(list, ranks, &buffer) {
                return Err(checker.corrupt(format!("docID {rank}"), 0, "the line is not below it"));
            }
        }
        Ok(())
    }

    unsafe fn decode_blocks(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u32) -> usize {
        let ranks = list.ranks(&blocks);
        let (mut rank, mut hint) = (ranks.start, S::hint(list, blocks.start));
        while rank < ranks.end {
            let piece = S::piece(list, rank, &mut hint);
            let end = piece.end.min(ranks.end);
            // SAFETY: the ranks are in the piece. The rest is this function's contract.
            unsafe { piece.decode(tier, rank..end, out.add(rank - ranks.start)) };
            rank = end;
        }
        ranks.len()
    }
}

/// Checks what searching relies on. A *stretch*, what is searched at once, is a block or, if pieces do not consist of
/// blocks, a piece. Let l be the line's value at the first docID of the stretch, modulo 2^32, and r(i) = ⌊line(i)⌋ −
/// ⌊line(0)⌋, without a modulus. Then `docID − l` modulo 2^32 must rise with i, and be at least r(i). So a deviation is
/// the difference of the two, and docIDs of the stretch lie between r(i) and r(i) plus the largest deviation.
#[derive(Default)]
struct LineCheck {
    hint: usize,
    /// The rank at which the latest stretch begins, and the latest `docID - l` of it.
    latest: Option<(usize, u32)>,
}

impl LineCheck {
    /// The rank of the first docID of a block for which that is not so. Blocks are checked in order.
    fn first_astray<S: Scheme>(&mut self, list: &Encoded, ranks: Range<usize>, doc_ids: &[u32]) -> Option<usize> {
        let mut rank = ranks.start;
        while rank < ranks.end {
            let piece = S::piece(list, rank, &mut self.hint);
            let begin = if S::HAS_WHOLE_BLOCKS { ranks.start } else { piece.first };
            let line = piece.line.from(begin - piece.first);
            for rank in rank..ranks.end.min(piece.end) {
                let above = doc_ids[rank - ranks.start].wrapping_sub(line.begin());
                let rise = (u128::from(line.origin as u32) + u128::from(line.slope) * (rank - begin) as u128) >> 32;
                let rises = self.latest.is_none_or(|(of, latest)| of != begin || latest < above);
                if !rises || rise > u128::from(above) {
                    return Some(rank);
                }
                self.latest = Some((begin, above));
            }
            rank = piece.end;
        }
        None
    }
}

/// Writes a payload.
pub struct Writer<'w> {
    words: &'w mut Vec<u32>,
    /// The word at which the payload begins.
    payload: usize,
    parameter: u32,
    share: Option<f64>,
}

impl Writer<'_> {
    fn is_excepted(&self) -> bool {
        self.parameter & EXCEPTED != 0
    }

    /// Appends words to the head, or zeros to be filled in by [`set`](Self::set).
    fn push(&mut self, words: &[u32]) {
        self.words.extend(words);
    }

    fn zeros(&mut self, count: usize) {
        self.words.resize(self.words.len() + count, 0);
    }

    fn set(&mut self, at: usize, words: &[u32]) {
        self.words[self.payload + at..][..words.len()].copy_from_slice(words);
    }

    /// The word of the payload at which the next deviations begin.
    fn at(&self) -> Result<u32> {
        u32::try_from(self.words.len() - self.payload)
            .map_err(|_| Error::Argument("a posting list holds at most 2^32 - 1 words".into()))
    }

    /// Appends deviations, and returns the width of their fields, 0 for ParaPFor's segments.
    fn deviations(&mut self, deviations: &[u32]) -> u32 {
        if self.is_excepted() {
            for part in deviations.chunks(SEGMENT) {
                let most = (part.len() as f64 * self.share.unwrap_or(0.0)) as usize;
                segment::encode_segment(part, most, self.words);
            }
            return 0;
        }
        let width = u32::BITS - deviations.iter().fold(0, |bits, deviation| bits | deviation).leading_zeros();
        fields::pack(deviations.iter().copied(), width, self.words);
        width
    }
}

/// Checks that the deviations of the pieces follow each other, without gaps, to the end of the payload.
pub struct Checker<'l> {
    name: &'static str,
    list: Encoded<'l>,
    payload_at: usize,
    /// The word of the payload at which the next deviations must begin.
    next: usize,
}

impl Checker<'_> {
    fn corrupt(&self, item: impl Into<String>, word: usize, what: impl Into<String>) -> Error {
        Error::corrupt(self.name, item, 4 * (self.payload_at + word), what)
    }

    /// Checks that a word of the head, the `at`-th of the payload, is where the next deviations begin.
    fn begins(&self, at: usize) -> Result<()> {
        let given = self.list.payload[at];
        if given as usize != self.next {
            return Err(self.corrupt("head", at, format!("deviations begin at word {given}, not at {}", self.next)));
        }
        Ok(())
    }

    /// Checks the next deviations, `count` fields of a width that the word `at` of the payload gives.
    fn fields(&mut self, at: usize, width: u32, count: usize) -> Result<()> {
        if width > u32::BITS {
            return Err(self.corrupt("head", at, format!("deviations of {width} bits")));
        }
        let words = self.take(fields::words(count, width))?;
        if !fields::tail_is_clear(&self.list.payload[words.clone()], count, width) {
            return Err(self.corrupt("deviations", words.end - 1, "unused bits are not 0"));
        }
        Ok(())
    }

    /// Checks the next deviations, one of ParaPFor's segments.
    fn segment(&mut self, count: usize) -> Result<()> {
        let begin = self.take(1)?.start;
        let words = Header::of(self.list.payload[begin]).words(count);
        let end = self.take(words.saturating_sub(1))?.end;
        segment::check_segment(&self.list.payload[begin..end], count)
            .map_err(|(word, what)| self.corrupt("deviations", begin + word, what))
    }

    fn take(&mut self, words: usize) -> Result<Range<usize>> {
        let given = self.list.payload_words;
        let begin = self.next;
        if words > given.saturating_sub(begin) {
            return Err(self.corrupt("deviations", given, format!("end at word {given}, {words} begin at {begin}")));
        }
        self.next += words;
        Ok(begin..self.next)
    }

    fn finish(&self) -> Result<()> {
        let (next, given) = (self.next, self.list.payload_words);
        if next != given {
            return Err(self.corrupt("deviations", next, format!("{given} words of payload where {next} are needed")));
        }
        Ok(())
    }
}

/// An error for unused bits of the parameter byte: any that are not in `used`, apart from [`EXCEPTED`].
fn check_parameter(parameter: u32, used: u32) -> std::result::Result<(), String> {
    if parameter & !(EXCEPTED | used) != 0 {
        return Err("unused bits are not 0".into());
    }
    Ok(())
}

/// The ranks of the segment that has that rank.
#[inline(always)]
fn segment_of(list: &Encoded, rank: usize) -> Range<usize> {
    let first = rank / SEGMENT * SEGMENT;
    first..list.count.min(first + SEGMENT)
}

/// Deviations that begin at that word of the payload: fields, or a ParaPFor segment.
#[inline(always)]
fn coded<'l>(list: &Encoded<'l>, start: usize, width: u32) -> Coded<'l> {
    let words = &list.payload[start..];
    if list.parameter & EXCEPTED == 0 { Coded::Fields(width, words) } else { Coded::Segment(words) }
}

#[cfg(test)]
mod tests;
