//! [`Buffer`]: documents that wait to be put into segments by several threads.
//!
//! They are kept as bytes, one after the other, because they take about half the memory that they take as objects.

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::index::segment::IdRef;
use crate::index::{Document, Id, Value};
use hashbrown::HashTable;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

/// Bytes of a chunk, or those of one document that is larger.
const CHUNK: usize = 256 << 10;

/// Documents in order of insertion, each id once.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    chunks: Vec<Vec<u8>>,
    /// Chunk and first byte of each document; [`DROPPED`] if it was deleted or replaced.
    documents: Vec<(u32, u32)>,
    /// The document of each id, from the first one on that is not an integer greater than the one before, or is to be deleted. Without
    /// it, no document was dropped.
    places: Option<HashTable<Place>>,
    hasher: RandomState,
    /// Bytes of documents.
    bytes: usize,
    /// Bytes of all chunks.
    room: usize,
}

const DROPPED: (u32, u32) = (u32::MAX, 0);

/// Where the document of an id is. The hash of the id is kept, because reading the ids of all documents takes long.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Its index in `documents`.
    document: u32,
    hash: u32,
}

impl Place {
    /// What the table is told: it looks at the lowest and the highest bits.
    fn hash(&self) -> u64 {
        u64::from(self.hash) << 32 | u64::from(self.hash)
    }
}

impl Buffer {
    /// Adds a document at the end; one with that id is dropped.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub fn add(&mut self, id: &Id, document: &Document) -> Result<()> {
        let length = length(id, document);
        memory::reserve(&mut self.documents, 1)?;
        if self.places.is_some() || !self.increases(id) {
            self.reserve_places(1)?;
        }
        if self.chunks.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < length) {
            memory::reserve(&mut self.chunks, 1)?;
            let chunk = memory::room(length.max(CHUNK))?;
            self.room += chunk.capacity();
            self.chunks.push(chunk);
        }
        if self.places.is_some() {
            let new = Place { document: self.documents.len() as u32, hash: self.hash(id.into()) };
            self.drop_of(id.into(), new.hash);
            if let Some(places) = &mut self.places {
                places.insert_unique(new.hash(), new, Place::hash);
            }
        }
        let chunk = self.chunks.len() - 1;
        let begin = self.chunks[chunk].len();
        write(id, document, &mut self.chunks[chunk]);
        debug_assert_eq!(self.chunks[chunk].len() - begin, length);
        self.bytes += length;
        self.documents.push((chunk as u32, begin as u32));
        Ok(())
    }

    /// Whether an id is an integer greater than the last one, of documents without a table.
    fn increases(&self, id: &Id) -> bool {
        let last = self.documents.last().map(|&place| Reader::at(&self.chunks, place).id());
        matches!(id, Id::Int(_)) && last.is_none_or(|last| last < id.into())
    }

    /// Drops the document with that id; returns whether there is one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub fn delete(&mut self, id: &Id) -> Result<bool> {
        self.reserve_places(0)?;
        Ok(self.drop_of(id.into(), self.hash(id.into())))
    }

    /// Makes the table of ids, if there is none, and room in it for some more.
    fn reserve_places(&mut self, more: usize) -> Result<()> {
        let out_of_memory = |_| Error::OutOfMemory { bytes: 16 * (self.documents.len() + more) };
        if let Some(places) = &mut self.places {
            return places.try_reserve(more, Place::hash).map_err(out_of_memory);
        }
        let mut places = HashTable::new();
        places.try_reserve(self.documents.len() + more, Place::hash).map_err(out_of_memory)?;
        for (document, &place) in (0..).zip(&self.documents) {
            let place = Place { document, hash: self.hash(Reader::at(&self.chunks, place).id()) };
            places.insert_unique(place.hash(), place, Place::hash);
        }
        self.places = Some(places);
        Ok(())
    }

    /// Drops the document with that id, if the table has it; tells whether it did.
    fn drop_of(&mut self, id: IdRef, hash: u32) -> bool {
        let Buffer { chunks, documents, places: Some(places), .. } = self else { return false };
        let wanted = Place { document: 0, hash };
        let is_it =
            |place: &Place| place.hash == hash && Reader::at(chunks, documents[place.document as usize]).id() == id;
        let Ok(found) = places.find_entry(wanted.hash(), is_it) else {
            return false;
        };
        documents[found.remove().0.document as usize] = DROPPED;
        true
    }

    fn hash(&self, id: IdRef) -> u32 {
        let hash = match id {
            IdRef::Int(int) => self.hasher.hash_one(int),
            IdRef::Bytes(bytes) => self.hasher.hash_one(bytes),
        };
        hash as u32
    }

    /// Bytes of memory in use, about; those of dropped documents, too.
    pub fn memory(&self) -> usize {
        let places = self.places.as_ref().map_or(0, HashTable::allocation_size);
        self.room + self.documents.capacity() * size_of::<(u32, u32)>() + places
    }

    /// The documents of a range of [`Buffer::split`], each with its id, without those that were dropped.
    pub fn documents(&self, range: Range<usize>) -> impl Iterator<Item = Result<(Id, Document)>> {
        let there = self.documents[range].iter().filter(|&&place| place != DROPPED);
        there.map(|&place| {
            let mut reader = Reader::at(&self.chunks, place);
            Ok((reader.id().to_id(), reader.document()?))
        })
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.places.as_ref().map_or(self.documents.is_empty(), HashTable::is_empty)
    }

    /// Drops all documents.
    pub fn clear(&mut self) {
        *self = Buffer::default();
    }

    /// Ranges of documents of about equal size in bytes: `count`, or fewer if there are not `least` bytes for each.
    pub fn split(&self, count: usize, least: usize) -> Vec<Range<usize>> {
        let count = count.min(self.bytes / least).max(1);
        let ends: Vec<usize> = self
            .chunks
            .iter()
            .scan(0, |sum, chunk| {
                *sum += chunk.len();
                Some(*sum)
            })
            .collect();
        // Where a document begins in all bytes; dropped ones belong to those before.
        let begin = |&(chunk, at): &(u32, u32)| ends[chunk as usize] - self.chunks[chunk as usize].len() + at as usize;
        let (mut ranges, mut first) = (Vec::with_capacity(count), 0);
        for (at, place) in self.documents.iter().enumerate().filter(|(_, place)| **place != DROPPED) {
            if ranges.len() + 1 < count && begin(place) >= self.bytes / count * (ranges.len() + 1) {
                ranges.push(first..at);
                first = at;
            }
        }
        ranges.push(first..self.documents.len());
        ranges
    }
}

/// The bytes of a document as [`write`] puts them.
fn length(id: &Id, document: &Document) -> usize {
    let of_id = match id {
        Id::Int(_) => 8,
        Id::Bytes(id) => 4 + id.len(),
    };
    2 + of_id + document.values.iter().map(|(_, value)| 1 + length_of(value)).sum::<usize>()
}

/// The bytes of a value with its kind.
fn length_of(value: &Value) -> usize {
    1 + match value {
        Value::Text(text) => 4 + text.len(),
        Value::Tokens(many) | Value::Keywords(many) => 4 + many.iter().map(|one| 4 + one.len()).sum::<usize>(),
        Value::Number(_) | Value::Int(_) => 8,
        Value::Bool(_) => 1,
        Value::Point(..) => 16,
        Value::Vector(components) => 4 + size_of_val(&components[..]),
        Value::Time(_, text) => 12 + text.len(),
        Value::Weights(weights) => 4 + weights.iter().map(|(term, _)| 8 + term.len()).sum::<usize>(),
        Value::List(many) => 4 + many.iter().map(length_of).sum::<usize>(),
    }
}

/// Appends a document: its id; the number of values; per value its field, its kind and its content. Lengths come before
/// bytes. A checked document has fewer than 2^32 of anything.
fn write(id: &Id, document: &Document, out: &mut Vec<u8>) {
    let length = |length: usize, out: &mut Vec<u8>| out.extend((length as u32).to_le_bytes());
    let bytes = |bytes: &[u8], out: &mut Vec<u8>| {
        length(bytes.len(), out);
        out.extend(bytes);
    };
    match id {
        Id::Int(int) => {
            out.push(0);
            out.extend(int.to_le_bytes());
        }
        Id::Bytes(id) => {
            out.push(1);
            bytes(id, out);
        }
    }
    out.push(document.values.len() as u8);
    for (field, value) in &document.values {
        out.push(*field as u8);
        write_value(value, out);
    }
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    let length = |length: usize, out: &mut Vec<u8>| out.extend((length as u32).to_le_bytes());
    let bytes = |bytes: &[u8], out: &mut Vec<u8>| {
        length(bytes.len(), out);
        out.extend(bytes);
    };
    match value {
        Value::Text(text) => {
            out.push(0);
            bytes(text, out);
        }
        Value::Tokens(many) | Value::Keywords(many) => {
            out.push(if matches!(value, Value::Tokens(_)) { 1 } else { 2 });
            length(many.len(), out);
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
        Value::Time(seconds, text) => {
            out.push(6);
            out.extend(seconds.to_le_bytes());
            bytes(text, out);
        }
        Value::List(many) => {
            out.push(7);
            length(many.len(), out);
            many.iter().for_each(|one| write_value(one, out));
        }
        Value::Point(lat, lng) => {
            out.push(8);
            out.extend(lat.to_le_bytes());
            out.extend(lng.to_le_bytes());
        }
        Value::Vector(components) => {
            out.push(9);
            length(components.len(), out);
            components.iter().for_each(|component| out.extend(component.to_le_bytes()));
        }
        Value::Weights(weights) => {
            out.push(10);
            length(weights.len(), out);
            for (term, weight) in weights {
                bytes(term, out);
                out.extend(weight.to_le_bytes());
            }
        }
    }
}

/// Reads what [`write`] wrote.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn at(chunks: &'b [Vec<u8>], (chunk, at): (u32, u32)) -> Reader<'b> {
        Reader(&chunks[chunk as usize][at as usize..])
    }

    fn take(&mut self, count: usize) -> &'b [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn eight(&mut self) -> [u8; 8] {
        let mut eight = [0; 8];
        eight.copy_from_slice(self.take(8));
        eight
    }

    fn length(&mut self) -> usize {
        let mut four = [0; 4];
        four.copy_from_slice(self.take(4));
        u32::from_le_bytes(four) as usize
    }

    fn bytes(&mut self) -> &'b [u8] {
        let length = self.length();
        self.take(length)
    }

    fn id(&mut self) -> IdRef<'b> {
        match self.byte() {
            0 => IdRef::Int(i64::from_le_bytes(self.eight())),
            _ => IdRef::Bytes(self.bytes()),
        }
    }

    fn document(&mut self) -> Result<Document> {
        let count = self.byte();
        let value = |_| {
            let field = self.byte().into();
            Ok((field, self.value()?))
        };
        Ok(Document { values: (0..count).map(value).collect::<Result<_>>()? })
    }

    fn value(&mut self) -> Result<Value> {
        Ok(match self.byte() {
            0 => Value::Text(memory::copied(self.bytes())?),
            1 => Value::Tokens(self.many()?),
            2 => Value::Keywords(self.many()?),
            3 => Value::Number(f64::from_le_bytes(self.eight())),
            4 => Value::Int(i64::from_le_bytes(self.eight())),
            5 => Value::Bool(self.byte() == 1),
            6 => Value::Time(f64::from_le_bytes(self.eight()), memory::copied(self.bytes())?),
            8 => Value::Point(f64::from_le_bytes(self.eight()), f64::from_le_bytes(self.eight())),
            9 => {
                let count = self.length();
                let bytes = self.take(size_of::<f32>() * count).as_chunks().0;
                Value::Vector(memory::collected(bytes.iter().map(|&component| f32::from_le_bytes(component)))?)
            }
            10 => {
                let count = self.length();
                let mut weights = memory::room(count)?;
                for _ in 0..count {
                    weights.push((memory::copied(self.bytes())?, f32::from_bits(self.length() as u32)));
                }
                Value::Weights(weights)
            }
            _ => {
                let count = self.length();
                let mut many = memory::room(count)?;
                for _ in 0..count {
                    many.push(self.value()?);
                }
                Value::List(many)
            }
        })
    }

    fn many(&mut self) -> Result<Vec<Vec<u8>>> {
        let count = self.length();
        let mut many = memory::room(count)?;
        for _ in 0..count {
            many.push(memory::copied(self.bytes())?);
        }
        Ok(many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_last_document_of_each_id_stays(
            operations in proptest::collection::vec((0i64..20, proptest::option::of(0usize..500)), 0..200),
            following in 0usize..10,
            threads in 1usize..5,
        ) {
            let mut buffer = Buffer::default();
            let mut expected: Vec<(Id, Document)> = Vec::new();
            for (at, (id, length)) in operations.into_iter().enumerate() {
                let id = if at < following { 2 * at as i64 } else { id };
                let id = if id % 2 == 0 { Id::Int(id) } else { Id::Bytes(id.to_string().into_bytes().into()) };
                expected.retain(|(other, _)| *other != id);
                match length {
                    None => _ = buffer.delete(&id).unwrap(),
                    Some(length) => {
                        let text = vec![b'a'; length];
                        let many = vec![text.clone(), Vec::new(), b"x".to_vec()];
                        let document = Document { values: match length % 6 {
                            0 => vec![],
                            1 => vec![(0, Value::Text(text)), (254, Value::Number(-0.5))],
                            2 => vec![(1, Value::Tokens(many)), (7, Value::Point(-0.5, 12.25)), (8, Value::Vector(vec![0.5, -1.25]))],
                            3 => vec![(2, Value::Keywords(many)), (0, Value::Text(text)), (3, Value::Bool(length % 2 == 0))],
                            4 => vec![
                                (1, Value::Time(0.5, text.clone())),
                                (2, Value::List(vec![Value::Int(-7), Value::Text(text), Value::Number(1.5)])),
                            ],
                            _ => vec![(9, Value::Tokens(vec![])), (0, Value::Text(text))],
                        } };
                        expected.push((id.clone(), document.clone()));
                        buffer.add(&id, &document).unwrap();
                    }
                }
            }
            prop_assert!(buffer.documents(0..buffer.documents.len()).map(Result::unwrap).eq(expected.iter().cloned()));
            prop_assert_eq!(buffer.is_empty(), expected.is_empty());
            prop_assert!(buffer.memory() >= buffer.bytes);
            let ranges = buffer.split(threads, 1000);
            prop_assert!(ranges.len() <= threads && ranges.len() <= (buffer.bytes / 1000).max(1));
            prop_assert_eq!(ranges[0].start, 0);
            prop_assert_eq!(ranges[ranges.len() - 1].end, buffer.documents.len());
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
            buffer.clear();
            prop_assert!(buffer.is_empty() && buffer.bytes == 0);
        }
    }

    #[test]
    fn ranges_are_of_equal_size() {
        let mut buffer = Buffer::default();
        for number in 0..20_000 {
            let document = Document { values: vec![(0, Value::Text(vec![b'a'; 100]))] };
            buffer.add(&Id::Int(number), &document).unwrap();
        }
        assert_eq!(buffer.chunks.len(), 9);
        let lengths: Vec<usize> = buffer.split(3, 1).into_iter().map(|range| range.len()).collect();
        assert!(lengths.iter().all(|length| (6_600..6_800).contains(length)), "{lengths:?}");
    }
}
