//! Quasi-succinct lists: the Elias–Fano representation (Elias 1974, Fano 1971; Vigna, WSDM 2013) in the form of Li's
//! thesis (Parallel-QS, 2014).
//!
//! n docIDs, u being the largest, are split at b = max(0, ⌊log2(c·u/n)⌋) bits. The *lower bits* of all docIDs are
//! packed, b bits each. The *upper bits* hold, for each docID, its upper part (`docID >> b`) as the difference from the
//! one before (for the first, from 0) in unary: that many 1 bits, then a stop bit, 0. `{1, 3, 16, 35}` has b = 3:
//!
//! ```text
//! lower bits   001  011  000   011
//! upper bits     0    0  110   110
//! ```
//!
//! Both are bit streams as defined by [`bits`]: the first bit is the least significant bit of the first word, and a
//! field has its least significant bit first. The stop bit of the docID with rank i is bit `(docID >> b) + i`, which
//! allows random access: a block that begins at rank i, after docID p, begins at upper bit `(p >> b) + i`.
//!
//! The payload of a posting list is ⌈n·b/32⌉ words of lower bits, then ⌈(n + (u >> b))/32⌉ words of upper bits; unused
//! bits of the last words are 0. The codec's parameter byte is b. The directory needs only the last docIDs, because
//! they give the bit at which each block begins. [Raw lists](RawList) have the same words after a different header.
//!
//! Size: b + 1 + (u >> b)/n bits per docID, at most 3 + log2(u/n) with c = 1.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod far;
mod halves;
pub(in crate::codec::monotone) mod look_up;
#[cfg(target_arch = "aarch64")]
mod neon;
mod raw;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod tiles;

pub use raw::{RawList, decode, decode_to, encode};
pub(in crate::codec) use tiles::Positions;

use crate::base::bits;
use crate::base::cpu::{self, Tier};
use crate::base::error::{Error, Result};
use crate::codec::{BLOCK, Cost, Encoded, ListCodec, OWN_COUNT, Plan, Shape, block_buffer, fields, not_increasing};
use crate::codec::{OptionOf, Options};
use std::ops::Range;

const NAME: &str = "qs";

/// The largest b.
pub const MAX_LOWER_WIDTH: u32 = 31;

/// The factor c of b = ⌊log2(c·u/n)⌋ (Li 2014). A list with another c than 1 has it as its own word.
const OPTIONS: &[OptionOf] = &[OptionOf::fraction("c", 1.0 / 1024.0, 1024.0, 1.0)];

/// The codec of posting lists.
pub struct QuasiSuccinct;

impl ListCodec for QuasiSuccinct {
    const NAME: &'static str = NAME;
    const VERSION: u32 = 1;
    const HAS_STARTS: bool = false;
    const OPTIONS: &'static [OptionOf] = OPTIONS;
    const COST: Cost = Cost { decoded: 0.3, merged: 0.6, near: 2.7, far: 22.0 };
    type LookUp<'l> = look_up::Select<'l>;

    fn plan(doc_ids: &[u32], options: &Options) -> Result<Plan> {
        let c = options.get(0).unwrap_or(1.0);
        let width = lower_width(doc_ids.len(), doc_ids.last().copied().unwrap_or(0), c)?;
        let own = if c == 1.0 { Vec::new() } else { options.to_words(OPTIONS) };
        Ok(Plan { parameter: width as u8, own })
    }

    fn options(list: &Encoded) -> Options {
        Options::from_words(OPTIONS, list.own).unwrap_or_else(|_| Options::defaults(OPTIONS))
    }

    fn encode(doc_ids: &[u32], plan: &Plan, words: &mut Vec<u32>, _: &mut Vec<u32>) -> Result<()> {
        encode_parts(doc_ids, 0, plan.parameter.into(), words);
        Ok(())
    }

    fn check_shape(shape: &Shape) -> std::result::Result<(), (usize, String)> {
        let width = shape.parameter;
        if width > MAX_LOWER_WIDTH || (width != 0 && shape.count == 0) || shape.own_words > OPTIONS.len() {
            return Err((1, "unused bits are not 0".into()));
        }
        let (lower, upper) = sizes(shape.count, shape.universe, width);
        if shape.payload_words as u64 != lower + upper {
            let (given, needed) = (shape.payload_words, lower + upper);
            return Err((4, format!("{given} words of payload where {needed} are needed")));
        }
        Ok(())
    }

    fn check(list: &Encoded, payload_at: usize) -> Result<()> {
        if Options::from_words(OPTIONS, list.own).is_err() {
            return Err(corrupt("header".into(), 4 * (OWN_COUNT + 1), "c is out of range"));
        }
        let parts = Parts::of(list);
        let (lower_words, _) = sizes(list.count, list.universe, list.parameter);
        check(&parts, (4 * payload_at, 4 * (payload_at + lower_words as usize)))?;
        let corrupt = |item: String, word: usize, what: &str| Err(corrupt(item, 4 * word, what));
        // The position of a block depends on the last docID before it, so blocks are checked in order.
        let mut buffer = block_buffer();
        for (block, &last) in list.last_doc_ids.iter().enumerate() {
            let blocks = block..block + 1;
            // SAFETY: `check` found as many stop bits as docIDs, and the blocks before were found to end with their
            // last docIDs; `Encoded::payload` is padded; a `block_buffer` has room for a block and the slack;
            // `cpu::tier` returns a tier of this processor.
            let count = unsafe { Self::decode_blocks(cpu::tier(), list, blocks, buffer.as_mut_ptr()) };
            if let Some(at) = not_increasing(&buffer[..count], list.previous(block)) {
                let item = format!("docID {}", block * BLOCK + at);
                return corrupt(item, payload_at, "is not greater than the one before");
            }
            if buffer[count - 1] != last {
                let word = payload_at - list.blocks() + block;
                return corrupt(format!("directory, block {block}"), word, "its last docID is not the payload's");
            }
        }
        Ok(())
    }

    unsafe fn decode_blocks(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u32) -> usize {
        let previous = list.previous(blocks.start).unwrap_or(0);
        // SAFETY: `ListCodec::decode_blocks` has the same contract; `previous` is from the list's directory.
        unsafe { decode_blocks(tier, &Parts::of(list), blocks, previous, out) }
    }

    fn has_low_halves(list: &Encoded) -> bool {
        list.parameter <= MAX_HALVES_WIDTH
    }

    unsafe fn decode_low_halves(tier: Tier, list: &Encoded, blocks: Range<usize>, out: *mut u16) -> usize {
        let previous = list.previous(blocks.start).unwrap_or(0);
        // SAFETY: `ListCodec::decode_low_halves` has the same contract, and requires `has_low_halves`, which compares
        // the width; `previous` is from the list's directory.
        unsafe { decode_halves(tier, &Parts::of(list), blocks, previous, out) }
    }
}

/// Computes b, the width of the lower bits, for `count` docIDs of which `universe` is the largest.
///
/// # Errors
/// [`Error::Argument`] if `c` is not a positive number, or so small that the upper bits would exceed 64 bits per docID
/// plus 1 Mibit.
pub fn lower_width(count: usize, universe: u32, c: f64) -> Result<u32> {
    if !(c.is_finite() && c > 0.0) {
        return Err(Error::Argument(format!("c must be a positive number, {c} given")));
    }
    if count == 0 {
        return Ok(0);
    }
    let ratio = c * f64::from(universe) / count as f64;
    let width = if ratio < 1.0 { 0 } else { (ratio.min(2f64.powi(31)) as u64).ilog2() };
    let upper_bits = count as u64 + u64::from(universe >> width);
    if upper_bits > 64 * count as u64 + (1 << 20) {
        return Err(Error::Argument(format!(
            "c = {c} is too small: {count} docIDs up to {universe} would take {upper_bits} upper bits"
        )));
    }
    Ok(width)
}

/// The parts of a quasi-succinct list that the decoders need.
///
/// `lower` and `upper` may be longer than the list needs. Decoding requires [`PADDING`](crate::codec::PADDING) readable
/// words, of any contents, after the end of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    /// n.
    pub count: usize,
    /// u, the largest docID, less `base`.
    pub universe: u32,
    /// A multiple of 2^b that was subtracted from all docIDs: 0 in lists of this codec, and the beginning of the
    /// partition in those of others.
    pub base: u32,
    /// b.
    pub lower_width: u32,
    pub lower: &'a [u32],
    pub upper: &'a [u32],
}

impl<'l> Parts<'l> {
    /// The parts of a posting list.
    fn of(list: &Encoded<'l>) -> Parts<'l> {
        let Encoded { count, universe, parameter, payload, .. } = *list;
        let (lower_words, _) = sizes(count, universe, parameter);
        let upper = &payload[lower_words as usize..];
        Parts { count, universe, base: 0, lower_width: parameter, lower: payload, upper }
    }
}

/// The numbers of words of lower bits and of upper bits.
pub(crate) fn sizes(count: usize, universe: u32, lower_width: u32) -> (u64, u64) {
    let count = count as u64;
    let lower = bits::words_for(count * u64::from(lower_width));
    let upper = if count == 0 { 0 } else { bits::words_for(count + u64::from(universe >> lower_width)) };
    (lower, upper)
}

/// Appends the lower, then the upper bits of strictly increasing docIDs, less `base`, to `words`. `base` is a multiple of
/// 2^`lower_width`.
pub(crate) fn encode_parts(doc_ids: &[u32], base: u32, lower_width: u32, words: &mut Vec<u32>) {
    let Some(&last) = doc_ids.last() else { return };
    let (lower_words, upper_words) = sizes(doc_ids.len(), last - base, lower_width);
    words.reserve((lower_words + upper_words) as usize);
    fields::pack(doc_ids.iter().copied(), lower_width, words);
    let upper_start = words.len();
    words.resize(upper_start + upper_words as usize, u32::MAX);
    let upper = &mut words[upper_start..];
    // The word at hand, its stop bits, and the last of these. A branch on whether there is another word would mostly be a surprise.
    let (mut word, mut stops, mut stop) = (0, 0u32, 0);
    for (i, &doc_id) in (0..).zip(doc_ids) {
        stop = u64::from((doc_id - base) >> lower_width) + i;
        let of_stop = (stop / 32) as usize;
        let before = if of_stop == word { stops } else { 0 };
        (word, stops) = (of_stop, before | 1 << (stop % 32));
        upper[word] = !stops;
    }
    // After the last stop bit all are 0.
    upper[word] &= bits::low_mask((stop % 32) as u32);
}

/// Checks that every docID can be decoded: that there are as many stop bits as docIDs, that the last bit is a stop bit,
/// and that unused bits are 0. `offsets` are the bytes at which lower and upper bits begin, for errors.
pub(crate) fn check(parts: &Parts, offsets: (usize, usize)) -> Result<()> {
    let Parts { count, universe, lower_width, lower, upper, .. } = *parts;
    let lower_bits = count as u64 * u64::from(lower_width);
    let upper_bits = count as u64 + u64::from(universe >> lower_width);
    let tail_is_clear =
        |words: &[u32], used: u64| used.is_multiple_of(32) || words[(used / 32) as usize] >> (used % 32) == 0;
    if !tail_is_clear(lower, lower_bits) {
        let at = (lower_bits / 32) as usize;
        return Err(corrupt(format!("lower bits, word {at}"), offsets.0 + 4 * at, "unused bits are not 0"));
    }
    if count == 0 {
        return Ok(());
    }
    let last = ((upper_bits - 1) / 32) as usize;
    let here = |what: &str| Err(corrupt(format!("upper bits, word {last}"), offsets.1 + 4 * last, what));
    if !tail_is_clear(upper, upper_bits) {
        return here("unused bits are not 0");
    }
    if upper[last] >> ((upper_bits - 1) % 32) != 0 {
        return here("the last bit is not a stop bit");
    }
    let ones: u64 = upper[..=last].iter().map(|word| u64::from(word.count_ones())).sum();
    if ones != u64::from(universe >> lower_width) {
        return Err(corrupt(
            "upper bits".into(),
            offsets.1,
            &format!("{} stop bits for {count} docIDs", upper_bits - ones),
        ));
    }
    Ok(())
}

/// Decodes the docIDs of `blocks` and returns their number. `previous` is the last docID before them; the base if they
/// begin the list. Consecutive blocks adjoin in both bit streams, so decoding several at once costs less than one by one.
///
/// # Safety
/// `parts` passed [`check`]; `blocks` is not empty, and the blocks exist; `previous` is right; both bit streams have
/// their padding; `out` has room for all docIDs and [`SLACK`](crate::codec::SLACK) more; and the processor has `tier`.
pub(in crate::codec::monotone) unsafe fn decode_blocks(
    tier: Tier,
    parts: &Parts,
    blocks: Range<usize>,
    previous: u32,
    out: *mut u32,
) -> usize {
    debug_assert!(tier.is_available());
    // SAFETY: `tiles::decode` has the same contract as this function, and each arm's passes need the features of its
    // tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => tiles::decode(parts, blocks, previous, out, &avx512::PASSES),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => tiles::decode(parts, blocks, previous, out, &avx2::PASSES),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => tiles::decode(parts, blocks, previous, out, &neon::PASSES),
            _ => tiles::decode(parts, blocks, previous, out, &scalar::PASSES),
        }
    }
}

/// Finds stop bits, for other codecs with unary codes: see [`Passes::find`](tiles::Passes::find).
///
/// # Safety
/// As there; the upper bits have their padding, and the processor has `tier`.
#[inline]
pub(in crate::codec) unsafe fn find_stops(
    tier: Tier,
    upper: *const u8,
    start: u64,
    count: usize,
    to: &mut Positions,
) -> bool {
    debug_assert!(tier.is_available());
    // SAFETY: all paths have this function's contract, and each is run only on its own tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => (avx512::PASSES.find)(upper, start, count, to),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => (avx2::PASSES.find)(upper, start, count, to),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => neon::find(upper, start, count, to),
            _ => scalar::find(upper, start, count, to),
        }
    }
}

/// The largest b for which [`decode_halves`] is implemented.
const MAX_HALVES_WIDTH: u32 = 8;

/// Like [`decode_blocks`], but decodes only the low 16 bits of each docID.
///
/// # Safety
/// As for [`decode_blocks`]; b is at most [`MAX_HALVES_WIDTH`].
unsafe fn decode_halves(tier: Tier, parts: &Parts, blocks: Range<usize>, previous: u32, out: *mut u16) -> usize {
    debug_assert!(tier.is_available() && parts.lower_width <= MAX_HALVES_WIDTH);
    // SAFETY: `tiles::decode` has the same contract as this function, and each arm's passes need the features of its
    // tier.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => tiles::decode(parts, blocks, previous, out, &avx512::HALVES),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => tiles::decode(parts, blocks, previous, out, &avx2::HALVES),
            #[cfg(target_arch = "aarch64")]
            Tier::Neon => tiles::decode(parts, blocks, previous, out, &neon::HALVES),
            _ => tiles::decode(parts, blocks, previous, out, &halves::PASSES),
        }
    }
}

fn corrupt(item: String, offset: usize, what: &str) -> Error {
    Error::corrupt(NAME, item, offset, what)
}

#[cfg(test)]
mod tests;
