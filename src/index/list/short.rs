//! Lists of at most 128 postings, in runs of any number: a stream of numbers in LEB128 bytes (seven bits a byte, the least
//! significant first; all bytes but the last have the high bit set).
//!
//! | number | meaning |
//! |---|---|
//! | count − 1 | postings |
//! | per posting: gap, or gap · 2 + (frequency is 1) | docID less the one before less 1 (the first: the docID); fields without frequencies have no low bit |
//! | frequency − 2, if the low bit is 0 | |
//! | per posting, then per position: gap | position less the one before less 1 (the first of a document: the position); if the index keeps positions |

use super::{Decoded, ListParts, Postings, corrupt};
use crate::base::error::Result;
use crate::base::leb128::put;
use crate::base::memory;
use crate::codec::BLOCK;

/// The most postings of a short list.
pub(super) const MOST: usize = BLOCK;

pub(super) fn encode(postings: &Postings, out: &mut Vec<u8>) {
    let Postings { doc_ids, frequencies, positions, .. } = *postings;
    put(out, doc_ids.len() as u64 - 1);
    let mut next = 0;
    for (at, &doc_id) in doc_ids.iter().enumerate() {
        let gap = u64::from(doc_id) - next;
        next = u64::from(doc_id) + 1;
        match frequencies.get(at) {
            None => put(out, gap),
            Some(1) => put(out, gap << 1 | 1),
            Some(&frequency) => {
                put(out, gap << 1);
                put(out, u64::from(frequency) - 2);
            }
        }
    }
    if positions.is_empty() {
        return;
    }
    let mut rest = positions;
    for &frequency in frequencies {
        let (of_document, others) = rest.split_at(frequency as usize);
        rest = others;
        let mut next = 0;
        for &position in of_document {
            put(out, u64::from(position) - next);
            next = u64::from(position) + 1;
        }
    }
}

/// Reads numbers from the front of `bytes`; `None` at the end, or if a number has more than 35 bits.
pub(in crate::index) struct Numbers<'b>(pub &'b [u8]);

impl Numbers<'_> {
    /// The next number.
    #[inline(always)]
    pub fn next(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        if first < 0x80 {
            return Some(first.into());
        }
        let mut number = u64::from(first & 0x7F);
        for shift in [7, 14, 21, 28] {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// The number of postings, which is at most `most`.
pub(super) fn count(bytes: &[u8], most: usize) -> Result<usize> {
    match Numbers(bytes).next() {
        Some(less_one) if less_one < most as u64 => Ok(less_one as usize + 1),
        _ => Err(corrupt("short list", "has no valid count")),
    }
}

/// Appends a list of at most `most` postings to `decoded`, positions only if they are `wanted`; returns the number of bytes read.
pub(super) fn decode(
    bytes: &[u8],
    most: usize,
    documents: u32,
    parts: ListParts,
    wanted: bool,
    decoded: &mut Decoded,
) -> Result<usize> {
    let ends = || corrupt("short list", "ends within a number, or a number is too large");
    let mut numbers = Numbers(bytes);
    let count = count(bytes, most)?;
    numbers.next();
    memory::reserve(&mut decoded.doc_ids, count)?;
    memory::reserve(&mut decoded.frequencies, if parts.frequencies { count } else { 0 })?;
    let first = decoded.frequencies.len();
    let mut next = 0;
    let mut total = 0;
    for _ in 0..count {
        let number = numbers.next().ok_or_else(ends)?;
        let (gap, frequency) = match parts.frequencies {
            false => (number, 0),
            true if number & 1 == 1 => (number >> 1, 1),
            true => (number >> 1, numbers.next().ok_or_else(ends)? + 2),
        };
        let doc_id = next + gap;
        if doc_id >= documents.into() {
            return Err(corrupt("short list", format!("docID {doc_id} of {documents} documents")));
        }
        decoded.doc_ids.push(doc_id as u32);
        if parts.frequencies {
            let frequency =
                u32::try_from(frequency).map_err(|_| corrupt("short list", format!("frequency {frequency}")))?;
            decoded.frequencies.push(frequency);
            total += u64::from(frequency);
        }
        next = doc_id + 1;
    }
    if !(parts.positions && wanted) {
        return Ok(bytes.len() - numbers.0.len());
    }
    // Each position takes a byte at least.
    if total > numbers.0.len() as u64 {
        return Err(corrupt("short list", format!("{total} positions in {} bytes", numbers.0.len())));
    }
    memory::reserve(&mut decoded.positions, total as usize)?;
    for &frequency in &decoded.frequencies[first..] {
        let mut next = 0;
        for _ in 0..frequency {
            let position = next + numbers.next().ok_or_else(ends)?;
            decoded
                .positions
                .push(u32::try_from(position).map_err(|_| corrupt("short list", format!("position {position}")))?);
            next = position + 1;
        }
    }
    Ok(bytes.len() - numbers.0.len())
}
