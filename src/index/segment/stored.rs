//! Stored values: documents' values in blocks of about 16 KiB, each compressed by LZ4, in the order of insertion.
//!
//! ```text
//! stored      LZ4 blocks
//! directory   per block: its offset u64, the rank of its first document u32, its length before compression u32
//! block       per document: length, values
//! value       field u8, form u8, and a text: length, bytes (form 0); tokens or keywords: count, then each with its
//!             length (1, 2); a number: f64 (3); an integer: i64 (4); a truth value: u8 (5); a list: count, then for each
//!             form and content, which is no list (6)
//! ```
//! Lengths and counts inside blocks are variable bytes: seven bits each, lowest first, the highest bit set if more follow.

use super::format::{u32_at, u64_at};
use super::section::SectionRef;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::index::{Document, Schema, Value};
use std::io::{self, Write};

/// Blocks are compressed as soon as they are this long.
const BLOCK: usize = 16 << 10;

/// The bytes of a block's entry in the directory.
const ENTRY: usize = 16;

/// The most bytes of a length or count.
const VARIABLE: usize = 10;

/// What a decompressed block can be at most: LZ4 makes no more than 255 bytes of one, and a few at the ends.
fn most_bytes(compressed: usize) -> usize {
    compressed.saturating_mul(255).saturating_add(64)
}

fn put(mut number: usize, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number from the front of `bytes`.
fn take(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..u32::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

fn take_bytes<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = take(bytes)?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn take_many(bytes: &mut &[u8]) -> Option<Vec<Vec<u8>>> {
    let count = take(bytes)?;
    // Each takes a byte at least.
    let mut many = Vec::with_capacity(count.min(bytes.len()));
    for _ in 0..count {
        many.push(take_bytes(bytes)?.to_vec());
    }
    Some(many)
}

/// The bytes of a number as [`put`] writes it.
fn put_length(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()).div_ceil(7).max(1) as usize
}

/// The bytes of the stored values of a document.
pub(super) fn length(document: &Document, schema: &Schema) -> usize {
    let stored = document.values.iter().filter(|(field, _)| schema.fields[*field].stored);
    lengths(stored)
}

/// The bytes that [`values_to_bytes`] gives.
pub fn values_length(values: &[(usize, Value)]) -> usize {
    lengths(values.iter())
}

/// The bytes of values, each with its field.
fn lengths<'v>(values: impl Iterator<Item = &'v (usize, Value)>) -> usize {
    values.map(|(_, value)| 1 + length_of(value)).sum()
}

/// The bytes of a value with its form.
fn length_of(value: &Value) -> usize {
    let with_length = |bytes: &Vec<u8>| put_length(bytes.len()) + bytes.len();
    1 + match value {
        Value::Text(text) | Value::Time(_, text) => with_length(text),
        Value::Tokens(many) | Value::Keywords(many) => {
            put_length(many.len()) + many.iter().map(with_length).sum::<usize>()
        }
        Value::Number(_) | Value::Int(_) => 8,
        Value::Bool(_) => 1,
        Value::List(many) => put_length(many.len()) + many.iter().map(length_of).sum::<usize>(),
        Value::Point(..) => 1 + 2 * (1 + 8),
        Value::Vector(components) => put_length(components.len()) + (1 + 8) * components.len(),
        Value::Weights(weights) => {
            put_length(weights.len()) + weights.iter().map(|(term, _)| 1 + with_length(term)).sum::<usize>()
        }
    }
}

/// Appends the stored values of a document.
fn serialize(document: &Document, schema: &Schema, out: &mut Vec<u8>) {
    for (field, value) in &document.values {
        if !schema.fields[*field].stored {
            continue;
        }
        out.push(*field as u8);
        put_value(value, out);
    }
}

/// Stored values as they are in a block.
pub fn values_to_bytes(values: &[(usize, Value)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (field, value) in values {
        out.push(*field as u8);
        put_value(value, &mut out);
    }
    out
}

/// The values of which [`values_to_bytes`] gave these bytes, of a schema with so many fields; `None` if it did not.
pub fn values_from_bytes(bytes: &[u8], fields: usize) -> Option<Vec<(usize, Value)>> {
    parse(bytes, fields)
}

/// Appends a value with its form.
fn put_value(value: &Value, out: &mut Vec<u8>) {
    let bytes = |bytes: &[u8], out: &mut Vec<u8>| {
        put(bytes.len(), out);
        out.extend(bytes);
    };
    match value {
        Value::Text(text) | Value::Time(_, text) => {
            out.push(0);
            bytes(text, out);
        }
        Value::Tokens(many) | Value::Keywords(many) => {
            out.push(if matches!(value, Value::Tokens(_)) { 1 } else { 2 });
            put(many.len(), out);
            many.iter().for_each(|one| bytes(one, out));
        }
        Value::Number(number) => {
            out.push(3);
            out.extend(number.to_le_bytes());
        }
        Value::Int(number) => {
            out.push(4);
            out.extend(number.to_le_bytes());
        }
        Value::Bool(truth) => out.extend([5, (*truth).into()]),
        Value::List(many) => {
            out.push(6);
            put(many.len(), out);
            many.iter().for_each(|one| put_value(one, out));
        }
        Value::Point(lat, lng) => put_value(&Value::List([*lat, *lng].map(Value::Number).into()), out),
        // Neither vectors nor weights are stored; this is what they would be.
        Value::Vector(components) => {
            let numbers = components.iter().map(|&component| Value::Number(component.into()));
            put_value(&Value::List(numbers.collect()), out);
        }
        Value::Weights(weights) => {
            let terms = weights.iter().map(|(term, _)| Value::Text(term.clone()));
            put_value(&Value::List(terms.collect()), out);
        }
    }
}

/// Reads a value from the front of `bytes`; a list only if it `may_be_list`.
fn take_value(bytes: &mut &[u8], may_be_list: bool) -> Option<Value> {
    fn take_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
        let (array, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(*array)
    }
    let [form] = take_array(bytes)?;
    Some(match form {
        0 => Value::Text(take_bytes(bytes)?.to_vec()),
        1 => Value::Tokens(take_many(bytes)?),
        2 => Value::Keywords(take_many(bytes)?),
        3 => Value::Number(f64::from_le_bytes(take_array(bytes)?)),
        4 => Value::Int(i64::from_le_bytes(take_array(bytes)?)),
        5 => match take_array(bytes)? {
            [truth @ 0..=1] => Value::Bool(truth == 1),
            _ => return None,
        },
        6 if may_be_list => {
            let count = take(bytes)?;
            // Each takes two bytes at least.
            let mut many = Vec::with_capacity(count.min(bytes.len() / 2));
            for _ in 0..count {
                many.push(take_value(bytes, false)?);
            }
            Value::List(many)
        }
        _ => return None,
    })
}

fn parse(mut bytes: &[u8], fields: usize) -> Option<Vec<(usize, Value)>> {
    let mut values = Vec::new();
    while let Some((&field, rest)) = bytes.split_first() {
        bytes = rest;
        values.push((usize::from(field), take_value(&mut bytes, true)?));
    }
    values.iter().all(|(field, _)| *field < fields).then_some(values)
}

/// A block's entry in the directory.
#[derive(Debug, Clone, Copy)]
struct Entry {
    offset: u64,
    first: u32,
    length: u32,
}

impl Entry {
    fn read(bytes: &[u8]) -> Entry {
        Entry { offset: u64_at(bytes, 0), first: u32_at(bytes, 8), length: u32_at(bytes, 12) }
    }
}

/// Gathers documents' stored values in compressed blocks. The blocks go to `out` as soon as they are made.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    block: Vec<u8>,
    compressed: Vec<u8>,
    directory: Vec<Entry>,
    documents: u32,
    first: u32,
    offset: u64,
}

impl Blocks {
    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.block.capacity() + self.compressed.capacity() + self.directory.capacity() * size_of::<Entry>()
    }

    /// Makes room for that many bytes of values. Returns how many bytes adding them writes at most.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn reserve(&mut self, values: usize) -> Result<usize> {
        memory::reserve(&mut self.block, values + VARIABLE)?;
        let block = self.block.len() + values + VARIABLE;
        if block < BLOCK {
            return Ok(0);
        }
        memory::reserve(&mut self.directory, 1)?;
        let most = lz4_flex::block::get_maximum_output_size(block);
        let more = most.saturating_sub(self.compressed.len());
        memory::reserve(&mut self.compressed, more)?;
        Ok(most)
    }

    /// Adds the stored values of the next document.
    pub fn add_document(&mut self, document: &Document, schema: &Schema, out: &mut impl Write) -> io::Result<()> {
        let length = length(document, schema);
        put(length, &mut self.block);
        let begin = self.block.len();
        serialize(document, schema, &mut self.block);
        debug_assert_eq!(self.block.len() - begin, length);
        self.end_document(out)
    }

    /// Adds the serialized values of the next document.
    pub fn add(&mut self, values: &[u8], out: &mut impl Write) -> io::Result<()> {
        put(values.len(), &mut self.block);
        self.block.extend_from_slice(values);
        self.end_document(out)
    }

    fn end_document(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.documents += 1;
        if self.block.len() >= BLOCK { self.compress(out) } else { Ok(()) }
    }

    fn compress(&mut self, out: &mut impl Write) -> io::Result<()> {
        let length = u32::try_from(self.block.len()).map_err(|_| io::Error::other("a document of more than 4 GiB"))?;
        self.compressed.resize(lz4_flex::block::get_maximum_output_size(self.block.len()), 0);
        let bytes = lz4_flex::block::compress_into(&self.block, &mut self.compressed).map_err(io::Error::other)?;
        self.directory.push(Entry { offset: self.offset, first: self.first, length });
        out.write_all(&self.compressed[..bytes])?;
        self.offset += bytes as u64;
        self.first = self.documents;
        self.block.clear();
        if self.block.capacity() > 64 * BLOCK {
            (self.block, self.compressed) = Default::default();
        }
        Ok(())
    }

    /// Writes the last block. If no document has a value, there are no blocks at all.
    pub fn finish(&mut self, out: &mut impl Write) -> io::Result<()> {
        let nothing = self.directory.is_empty() && self.block.iter().all(|&byte| byte == 0);
        if self.block.is_empty() || nothing { Ok(()) } else { self.compress(out) }
    }

    /// Writes the directory.
    pub fn write_directory(&self, out: &mut impl Write) -> io::Result<()> {
        for entry in &self.directory {
            out.write_all(&entry.offset.to_le_bytes())?;
            out.write_all(&entry.first.to_le_bytes())?;
            out.write_all(&entry.length.to_le_bytes())?;
        }
        Ok(())
    }

    /// Calls `each` with the values of each document in turn; `blocks` is what was written.
    pub fn each(&self, blocks: &[u8], mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let ends = self.directory.iter().skip(1).map(|entry| entry.offset).chain([self.offset]);
        for (entry, end) in self.directory.iter().zip(ends) {
            let block = &blocks[entry.offset as usize..end as usize];
            let block = lz4_flex::block::decompress(block, entry.length as usize).map_err(io::Error::other)?;
            let mut rest = &block[..];
            while let Some(values) = take_bytes(&mut rest) {
                each(values)?;
            }
        }
        Ok(())
    }
}

/// The stored values of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored<'s> {
    pub blocks: SectionRef<'s>,
    pub directory: SectionRef<'s>,
    pub documents: u32,
    pub fields: usize,
}

impl Stored<'_> {
    fn entries(&self) -> Result<usize> {
        let bytes = self.directory.len();
        if !bytes.is_multiple_of(ENTRY) {
            return Err(self.directory.corrupt(0, format!("{bytes} bytes are no multiple of {ENTRY}")));
        }
        Ok(bytes / ENTRY)
    }

    /// Decompresses block `i`; gives the ranks of its documents, too.
    fn block(&self, i: usize, entries: usize) -> Result<(Vec<u8>, std::ops::Range<u32>)> {
        let entry = Entry::read(self.directory.range(i * ENTRY, ENTRY)?);
        let (end, last) = match i + 1 < entries {
            true => {
                let next = Entry::read(self.directory.range((i + 1) * ENTRY, ENTRY)?);
                (next.offset, next.first)
            }
            false => (self.blocks.len() as u64, self.documents),
        };
        let bad = |what: String| self.directory.corrupt(i * ENTRY, what);
        if entry.offset > end || end > self.blocks.len() as u64 || entry.first >= last || last > self.documents {
            return Err(bad(format!("bytes {}..{end}, documents {}..{last}", entry.offset, entry.first)));
        }
        let compressed = self.blocks.range(entry.offset as usize, (end - entry.offset) as usize)?;
        let length = entry.length as usize;
        if length > most_bytes(compressed.len()) {
            return Err(bad(format!("{length} bytes out of {}", compressed.len())));
        }
        let mut block = memory::filled(0, length)?;
        match lz4_flex::block::decompress_into(compressed, &mut block) {
            Ok(bytes) if bytes == length => Ok((block, entry.first..last)),
            Ok(bytes) => Err(bad(format!("{bytes} bytes, not {length}"))),
            Err(error) => Err(self.blocks.corrupt(entry.offset as usize, error.to_string())),
        }
    }

    fn bad_document(&self, rank: u32) -> Error {
        self.blocks.corrupt(0, format!("the values of document {rank}"))
    }

    /// The values of the document of that rank.
    pub fn get(&self, rank: u32) -> Result<Vec<(usize, Value)>> {
        let entries = self.entries()?;
        if entries == 0 {
            return Ok(Vec::new());
        }
        let (mut low, mut high) = (0, entries);
        while high - low > 1 {
            let middle = low.midpoint(high);
            match Entry::read(self.directory.range(middle * ENTRY, ENTRY)?).first {
                first if first <= rank => low = middle,
                _ => high = middle,
            }
        }
        let (block, ranks) = self.block(low, entries)?;
        let mut rest = &block[..];
        let mut values = None;
        for _ in ranks.start..=rank {
            values = take_bytes(&mut rest);
        }
        values.and_then(|values| parse(values, self.fields)).ok_or_else(|| self.bad_document(rank))
    }

    /// Whether no document has any.
    pub fn is_empty(&self) -> bool {
        self.directory.len() == 0
    }

    /// Calls `each` with rank and bytes of each document in turn, or not at all if none has values.
    pub fn each(&self, mut each: impl FnMut(u32, &[u8]) -> Result<()>) -> Result<()> {
        let entries = self.entries()?;
        for i in 0..entries {
            let (block, ranks) = self.block(i, entries)?;
            let mut rest = &block[..];
            for rank in ranks {
                each(rank, take_bytes(&mut rest).ok_or_else(|| self.bad_document(rank))?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_bounded() {
        for number in [0, 1, 127, 128, 300, u32::MAX as usize] {
            let mut bytes = Vec::new();
            put(number, &mut bytes);
            assert_eq!(bytes.len(), put_length(number));
            bytes.push(9);
            let mut rest = &bytes[..];
            assert_eq!((take(&mut rest), rest), (Some(number), &[9][..]));
            assert_eq!(take(&mut &bytes[..bytes.len() - 2]), None);
        }
        assert_eq!(take(&mut &[255; 9][..]), None);
    }
}
