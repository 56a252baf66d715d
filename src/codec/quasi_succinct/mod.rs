//! Quasi-succinct lists: the Elias–Fano representation (Elias 1974, Fano 1971; Vigna, WSDM 2013) in the form of Li's
//! thesis (Parallel-QS, 2014).
//!
//! n docIDs with largest u are split at b = max(0, ⌊log2(c·u/n)⌋) bits. The *lower bits* of all docIDs stand packed,
//! b bits each; the *upper bits* hold, for each docID, the difference of its upper part (`docID >> b`) to the one
//! before (the first: to 0) in unary: that many 1s, then a stop bit 0. `{1, 3, 16, 35}` has b = 3:
//!
//! ```text
//! lower bits   001  011  000   011
//! upper bits     0    0  110   110
//! ```
//!
//! Both are bit streams as [`bits`] defines them: the first bit is the least significant bit of the first word, a field
//! has its least significant bit first. The stop bit of docID i stands at bit `(docID >> b) + i`, which is what gives
//! random access: a block that begins at rank i after docID p begins at upper bit `(p >> b) + i`.
//!
//! # Raw lists
//! Little-endian u32 words: the bytes `PQS1`, n, u, b, the CRC-32 of all other words, ⌈n·b/32⌉ words of lower bits,
//! ⌈(n + (u >> b))/32⌉ words of upper bits; unused bits of the last words are 0. An empty list has u = b = 0.
//! Cost: b + 1 + (u >> b)/n, which is at most 3 + log2(u/n) bits a posting with c = 1, and 20 bytes.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod halves;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod tiles;

use crate::bits;
use crate::codec::{BLOCK, SLACK};
use crate::cpu::{self, Tier};
use crate::error::{Error, Result};
use byteorder::{ByteOrder, LittleEndian};
use std::ops::Range;

const NAME: &str = "qs";
const MAGIC: u32 = u32::from_le_bytes(*b"PQS1");
const HEADER_WORDS: usize = 5;

/// Words that a decoder may read past the end of the lower or upper bits.
pub(crate) const PADDING: usize = 128;

/// The widest lower bits.
pub const MAX_LOWER_WIDTH: u32 = 31;

/// b, the width of the lower bits, for `count` docIDs of which `universe` is the largest.
///
/// # Errors
/// [`Error::Argument`] where `c` is not a positive number, or so small that the upper bits would take more than
/// 64 bits a docID and 1 Mibit.
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
/// `lower` and `upper` may be longer than the list needs. Decoding wants [`PADDING`] readable words after the end of
/// each, whatever they hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    /// n.
    pub count: usize,
    /// u, the largest docID.
    pub universe: u32,
    /// b.
    pub lower_width: u32,
    pub lower: &'a [u32],
    pub upper: &'a [u32],
}

/// Words of lower and of upper bits.
pub(crate) fn sizes(count: usize, universe: u32, lower_width: u32) -> (u64, u64) {
    let count = count as u64;
    let lower = bits::words_for(count * u64::from(lower_width));
    let upper = if count == 0 { 0 } else { bits::words_for(count + u64::from(universe >> lower_width)) };
    (lower, upper)
}

/// Appends the lower, then the upper bits of strictly increasing docIDs to `words`.
pub(crate) fn encode_parts(doc_ids: &[u32], lower_width: u32, words: &mut Vec<u32>) {
    let Some(&universe) = doc_ids.last() else { return };
    let (lower_words, upper_words) = sizes(doc_ids.len(), universe, lower_width);
    let lower_start = words.len();
    let upper_start = lower_start + lower_words as usize;
    words.resize(upper_start + upper_words as usize, 0);
    let (lower, upper) = words[lower_start..].split_at_mut(lower_words as usize);
    let mut position = 0;
    for &doc_id in doc_ids {
        bits::put(lower, position, lower_width, doc_id);
        position += u64::from(lower_width);
    }
    // Ones everywhere, then the stop bits and what follows the last one cleared.
    upper.fill(u32::MAX);
    let mut end = 0;
    for (i, &doc_id) in doc_ids.iter().enumerate() {
        let stop = u64::from(doc_id >> lower_width) + i as u64;
        upper[(stop / 32) as usize] &= !(1 << (stop % 32));
        end = stop + 1;
    }
    if end % 32 != 0 {
        upper[(end / 32) as usize] &= bits::low_mask((end % 32) as u32);
    }
}

/// Checks the shape of the parts, so that every docID can be decoded: as many stop bits as docIDs, the last of them at
/// the end, nothing in the unused bits. `offsets` are the bytes at which lower and upper bits begin, for errors.
pub(crate) fn check(parts: &Parts, offsets: (usize, usize)) -> Result<()> {
    let Parts { count, universe, lower_width, lower, upper } = *parts;
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

/// Decodes the docIDs of `blocks` (ranks from `blocks.start * BLOCK`, to the end of the list at most) and returns how
/// many there are. `previous` is the last docID before them, 0 where they begin the list. Blocks lie one behind the
/// other in both bit streams, so a run of them costs less than each on its own.
///
/// # Safety
/// `parts` passed [`check`], the blocks exist and are at least one, `previous` is right, both bit streams have their
/// [`PADDING`], `out` has room for all docIDs and [`SLACK`] more, and this processor has `tier`.
pub(crate) unsafe fn decode_blocks(
    tier: Tier,
    parts: &Parts,
    blocks: Range<usize>,
    previous: u32,
    out: *mut u32,
) -> usize {
    let ranks = blocks.start * BLOCK..parts.count.min(blocks.end * BLOCK);
    let count = ranks.len();
    debug_assert!(count != 0 && tier.is_available());
    // SAFETY: the caller's promise; the ranks are those of the blocks, at least one and below `parts.count`, and begin
    // at a multiple of BLOCK.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => tiles::decode(parts, ranks, previous, out, &avx512::PASSES),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => tiles::decode(parts, ranks, previous, out, &avx2::PASSES),
            _ => tiles::decode(parts, ranks, previous, out, &scalar::PASSES),
        }
    }
    count
}

/// The widest lower bits of which [`decode_halves`] makes low halves.
pub(crate) const MAX_HALVES_WIDTH: u32 = 8;

/// As [`decode_blocks`], the low 16 bits of each docID alone.
///
/// # Safety
/// As there; and the lower bits have at most [`MAX_HALVES_WIDTH`].
pub(crate) unsafe fn decode_halves(
    tier: Tier,
    parts: &Parts,
    blocks: Range<usize>,
    previous: u32,
    out: *mut u16,
) -> usize {
    let ranks = blocks.start * BLOCK..parts.count.min(blocks.end * BLOCK);
    let count = ranks.len();
    debug_assert!(count != 0 && tier.is_available() && parts.lower_width <= MAX_HALVES_WIDTH);
    // SAFETY: the caller's promise; the ranks are those of the blocks, at least one and below `parts.count`, and begin
    // at a multiple of BLOCK.
    unsafe {
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => tiles::decode(parts, ranks, previous, out, &avx512::HALVES),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => tiles::decode(parts, ranks, previous, out, &avx2::HALVES),
            _ => tiles::decode(parts, ranks, previous, out, &halves::PASSES),
        }
    }
    count
}

fn corrupt(item: String, offset: usize, what: &str) -> Error {
    Error::corrupt(NAME, item, offset, what)
}

/// A raw list that passed its checks.
#[derive(Debug, Clone)]
pub struct RawList {
    count: usize,
    universe: u32,
    lower_width: u32,
    lower_words: usize,
    /// Lower bits, upper bits, padding.
    words: Vec<u32>,
}

impl RawList {
    /// Parses and checks the bytes of a raw list.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn from_bytes(bytes: &[u8]) -> Result<RawList> {
        if bytes.len() < 4 * HEADER_WORDS {
            return Err(corrupt("header".into(), bytes.len(), "ends within the header"));
        }
        let mut header = [0; HEADER_WORDS];
        LittleEndian::read_u32_into(&bytes[..4 * HEADER_WORDS], &mut header);
        let [magic, count, universe, lower_width, checksum] = header;
        let count = count as usize;
        if magic != MAGIC {
            return Err(corrupt("header".into(), 0, "does not begin with PQS1"));
        }
        if lower_width > MAX_LOWER_WIDTH {
            return Err(corrupt("header".into(), 12, &format!("{lower_width} lower bits a docID")));
        }
        if count == 0 && (universe != 0 || lower_width != 0) {
            return Err(corrupt("header".into(), 8, "an empty list has no largest docID and no lower bits"));
        }
        let (lower_words, upper_words) = sizes(count, universe, lower_width);
        let expected = 4 * (HEADER_WORDS as u64 + lower_words + upper_words);
        if bytes.len() as u64 != expected {
            return Err(corrupt(
                "header".into(),
                0,
                &format!("{expected} bytes are needed for {count} docIDs, {} given", bytes.len()),
            ));
        }
        let mut crc = crc32fast::Hasher::new();
        crc.update(&bytes[..16]);
        crc.update(&bytes[4 * HEADER_WORDS..]);
        if crc.finalize() != checksum {
            return Err(corrupt("header".into(), 16, "the checksum does not match"));
        }
        let payload = &bytes[4 * HEADER_WORDS..];
        let mut words = vec![0; payload.len() / 4 + PADDING];
        let used = payload.len() / 4;
        LittleEndian::read_u32_into(payload, &mut words[..used]);
        let list = RawList { count, universe, lower_width, lower_words: lower_words as usize, words };
        let parts = list.parts();
        check(&parts, (4 * HEADER_WORDS, 4 * (HEADER_WORDS + parts.upper_offset_after_lower())))?;
        Ok(list)
    }

    pub(crate) fn parts(&self) -> Parts<'_> {
        let (lower, upper) = (&self.words[..], &self.words[self.lower_words..]);
        Parts { count: self.count, universe: self.universe, lower_width: self.lower_width, lower, upper }
    }

    /// Decodes all docIDs and checks that they increase.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn decode(&self) -> Result<Vec<u32>> {
        let parts = self.parts();
        let mut doc_ids = Vec::with_capacity(self.count + SLACK);
        if self.count != 0 {
            // SAFETY: `from_bytes` checked the parts and padded them; the vector has room for all docIDs and the slack;
            // the processor has its own tier.
            unsafe {
                decode_blocks(cpu::tier(), &parts, 0..self.count.div_ceil(BLOCK), 0, doc_ids.as_mut_ptr());
                doc_ids.set_len(self.count);
            }
        }
        self.checked(doc_ids)
    }

    /// The docIDs of this list, however decoded, checked: they increase, up to the largest.
    pub(crate) fn checked(&self, doc_ids: Vec<u32>) -> Result<Vec<u32>> {
        if let Some(at) = not_increasing(&doc_ids, None) {
            return Err(corrupt(format!("docID {at}"), 4 * HEADER_WORDS, "is not greater than the one before"));
        }
        let last = doc_ids.last().copied();
        if last.unwrap_or(0) != self.universe {
            return Err(corrupt("header".into(), 8, "the largest docID is not the last one"));
        }
        Ok(doc_ids)
    }
}

impl Parts<'_> {
    fn upper_offset_after_lower(&self) -> usize {
        sizes(self.count, self.universe, self.lower_width).0 as usize
    }
}

/// The index of the first docID that is not greater than the one before it (`previous` before the first), if any.
pub(crate) fn not_increasing(doc_ids: &[u32], previous: Option<u32>) -> Option<usize> {
    if previous.zip(doc_ids.first()).is_some_and(|(previous, &first)| previous >= first) {
        return Some(0);
    }
    // The whole of it first, without a branch a docID: the answer is nearly always no.
    if super::rises(doc_ids) {
        return None;
    }
    doc_ids.windows(2).position(|pair| pair[0] >= pair[1]).map(|at| at + 1)
}

/// Encodes strictly increasing docIDs as a raw list, `c` as in b = max(0, ⌊log2(c·u/n)⌋) (b at most 31).
///
/// # Errors
/// [`Error::NotIncreasing`]; [`Error::Argument`] as [`lower_width`].
pub fn encode(doc_ids: &[u32], c: f64) -> Result<Vec<u8>> {
    super::check_increasing(doc_ids)?;
    let universe = doc_ids.last().copied().unwrap_or(0);
    let width = lower_width(doc_ids.len(), universe, c)?;
    let count =
        u32::try_from(doc_ids.len()).map_err(|_| Error::Argument("a raw list holds at most 2^32 - 1 docIDs".into()))?;
    let mut words = vec![MAGIC, count, universe, width, 0];
    encode_parts(doc_ids, width, &mut words);
    let mut bytes = vec![0; 4 * words.len()];
    LittleEndian::write_u32_into(&words, &mut bytes);
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..16]);
    crc.update(&bytes[4 * HEADER_WORDS..]);
    LittleEndian::write_u32(&mut bytes[16..20], crc.finalize());
    Ok(bytes)
}

/// Decodes a raw list.
///
/// # Errors
/// [`Error::Corrupt`].
pub fn decode(bytes: &[u8]) -> Result<Vec<u32>> {
    RawList::from_bytes(bytes)?.decode()
}

#[cfg(test)]
mod tests;
