//! Raw quasi-succinct lists, which have no block directory.
//!
//! Little-endian u32 words: the bytes `PQS1`, n, u, b, the CRC-32 of all other words, ⌈n·b/32⌉ words of lower bits,
//! ⌈(n + (u >> b))/32⌉ words of upper bits; unused bits of the last words are 0. An empty list has u = b = 0.

use super::{MAX_LOWER_WIDTH, Parts, check, corrupt, decode_blocks, encode_parts, lower_width, sizes};
use crate::base::cpu;
use crate::base::error::{Error, Result};
use crate::codec::{BLOCK, SLACK, Sink, check_increasing, not_increasing, padded};
use byteorder::{ByteOrder, LittleEndian};

const MAGIC: u32 = u32::from_le_bytes(*b"PQS1");
const HEADER_WORDS: usize = 5;
/// Blocks that are decoded at a time. Their docIDs fit in the first-level cache.
const BLOCKS_A_RUN: usize = 16;

/// A raw list that has been parsed and checked.
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
            return Err(corrupt("header".into(), 12, &format!("{lower_width} lower bits per docID")));
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
        let words = padded(&bytes[4 * HEADER_WORDS..])?;
        let list = RawList { count, universe, lower_width, lower_words: lower_words as usize, words };
        let parts = list.parts();
        check(&parts, (4 * HEADER_WORDS, 4 * (HEADER_WORDS + list.lower_words)))?;
        Ok(list)
    }

    fn parts(&self) -> Parts<'_> {
        let (lower, upper) = (&self.words[..], &self.words[self.lower_words..]);
        Parts { count: self.count, universe: self.universe, base: 0, lower_width: self.lower_width, lower, upper }
    }

    /// n, the number of docIDs.
    pub fn count(&self) -> usize {
        self.count
    }

    /// b, the width of lower bits.
    pub fn lower_width(&self) -> u32 {
        self.lower_width
    }

    /// The words of lower bits: b for each docID.
    pub fn lower_words(&self) -> &[u32] {
        &self.words[..self.lower_words]
    }

    /// The number of upper bits, of which the last is a stop bit.
    pub fn upper_bits(&self) -> u64 {
        if self.count == 0 { 0 } else { self.count as u64 + u64::from(self.universe >> self.lower_width) }
    }

    /// The words of upper bits; unused bits are 0.
    pub fn upper_words(&self) -> &[u32] {
        &self.words[self.lower_words..][..self.upper_bits().div_ceil(32) as usize]
    }

    /// Decodes all docIDs, some blocks at a time, to a sink that is told their number first. Checks that they increase
    /// and end with u.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; the sink may have received some docIDs by then.
    pub fn decode_to(&self, sink: &mut impl Sink) -> Result<()> {
        if !sink.expect(self.count) {
            return Ok(());
        }
        let parts = self.parts();
        let mut buffer = [0; BLOCKS_A_RUN * BLOCK + SLACK];
        let blocks = self.count.div_ceil(BLOCK);
        let mut last = None;
        for first in (0..blocks).step_by(BLOCKS_A_RUN) {
            let run = first..blocks.min(first + BLOCKS_A_RUN);
            // SAFETY: `from_bytes` checked the parts and padded them; the blocks exist; decoding uses only the upper
            // part of the docID before them, which is right even if the lower bits are damaged; the buffer has room for
            // `BLOCKS_A_RUN` blocks and the slack; `cpu::tier()` is available.
            let count = unsafe { decode_blocks(cpu::tier(), &parts, run, last.unwrap_or(0), buffer.as_mut_ptr()) };
            let doc_ids = &buffer[..count];
            if let Some(at) = not_increasing(doc_ids, last) {
                let item = format!("docID {}", first * BLOCK + at);
                return Err(corrupt(item, 4 * HEADER_WORDS, "is not greater than the one before"));
            }
            sink.take(doc_ids);
            last = doc_ids.last().copied();
        }
        if last.unwrap_or(0) != self.universe {
            return Err(corrupt("header".into(), 8, "the largest docID is not the last one"));
        }
        Ok(())
    }

    /// All docIDs.
    ///
    /// # Errors
    /// As [`decode_to`](Self::decode_to).
    pub fn decode(&self) -> Result<Vec<u32>> {
        let mut doc_ids = Vec::new();
        self.decode_to(&mut doc_ids)?;
        Ok(doc_ids)
    }
}

/// Encodes strictly increasing docIDs as a raw list. `c` determines the width of the lower bits, b = max(0,
/// ⌊log2(c·u/n)⌋), at most 31.
///
/// # Errors
/// [`Error::NotIncreasing`]; [`Error::Argument`] as [`lower_width`].
pub fn encode(doc_ids: &[u32], c: f64) -> Result<Vec<u8>> {
    check_increasing(doc_ids)?;
    let universe = doc_ids.last().copied().unwrap_or(0);
    let width = lower_width(doc_ids.len(), universe, c)?;
    let count =
        u32::try_from(doc_ids.len()).map_err(|_| Error::Argument("a raw list holds at most 2^32 - 1 docIDs".into()))?;
    let mut words = vec![MAGIC, count, universe, width, 0];
    encode_parts(doc_ids, 0, width, &mut words);
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

/// Decodes a raw list to a sink: see [`RawList::decode_to`].
///
/// # Errors
/// [`Error::Corrupt`].
pub fn decode_to(bytes: &[u8], sink: &mut impl Sink) -> Result<()> {
    RawList::from_bytes(bytes)?.decode_to(sink)
}
