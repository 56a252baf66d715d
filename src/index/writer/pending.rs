//! [`Buffer`]: documents that wait to be put into segments by several threads.

use crate::index::{Document, Id, Value};
use hashbrown::HashTable;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

/// Documents in order of insertion, each id once.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// `None` where a document was deleted or replaced.
    documents: Vec<Option<(Id, Document)>>,
    /// The index of each id in `documents`.
    places: HashTable<usize>,
    hasher: RandomState,
    bytes: usize,
}

impl Buffer {
    /// Adds a document at the end; one with that id is dropped.
    pub fn add(&mut self, id: Id, document: Document) {
        self.delete(&id);
        self.bytes += bytes_of(&id, &document);
        let hash = self.hasher.hash_one(&id);
        self.documents.push(Some((id, document)));
        let (hasher, documents) = (&self.hasher, &self.documents);
        self.places.insert_unique(hash, documents.len() - 1, |&place| hash_at(hasher, documents, place));
    }

    /// Drops the document with that id; returns whether there is one.
    pub fn delete(&mut self, id: &Id) -> bool {
        let documents = &self.documents;
        let is_it = |&place: &usize| documents[place].as_ref().is_some_and(|(other, _)| other == id);
        let Ok(found) = self.places.find_entry(self.hasher.hash_one(id), is_it) else {
            return false;
        };
        let place = found.remove().0;
        if let Some((id, document)) = self.documents[place].take() {
            self.bytes -= bytes_of(&id, &document);
        }
        true
    }

    /// Bytes of memory in use, about.
    pub fn memory(&self) -> usize {
        self.bytes + self.documents.capacity() * size_of::<Option<(Id, Document)>>() + self.places.capacity() * 9
    }

    /// The documents, each with its id; `None` where one was dropped.
    pub fn documents(&self) -> &[Option<(Id, Document)>] {
        &self.documents
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Drops all documents, and memory beyond that of some.
    pub fn clear(&mut self) {
        *self = Buffer::default();
    }

    /// Ranges of [`Buffer::documents`] of about equal size in bytes: `count`, or fewer if there are not `least` bytes for
    /// each.
    pub fn split(&self, count: usize, least: usize) -> Vec<Range<usize>> {
        let count = count.min(self.bytes / least).max(1);
        let share = self.bytes.div_ceil(count);
        let (mut ranges, mut begin, mut bytes) = (Vec::with_capacity(count), 0, 0);
        for (at, document) in self.documents.iter().enumerate() {
            bytes += document.as_ref().map_or(0, |(id, document)| bytes_of(id, document));
            if bytes >= share * (ranges.len() + 1) && ranges.len() + 1 < count {
                ranges.push(begin..at + 1);
                begin = at + 1;
            }
        }
        ranges.push(begin..self.documents.len());
        ranges
    }
}

fn hash_at(hasher: &RandomState, documents: &[Option<(Id, Document)>], place: usize) -> u64 {
    documents[place].as_ref().map_or(0, |(id, _)| hasher.hash_one(id))
}

/// Bytes of memory of a document, about, without those in the buffer's own tables.
fn bytes_of(id: &Id, document: &Document) -> usize {
    let id = match id {
        Id::Int(_) => 0,
        Id::Bytes(bytes) => bytes.len() + 16,
    };
    let value = |value: &(usize, Value)| match &value.1 {
        Value::Text(text) => text.len() + 16,
        Value::Tokens(many) | Value::Keywords(many) => {
            many.iter().map(|one| one.len() + size_of::<Vec<u8>>() + 16).sum()
        }
        Value::Number(_) => 0,
    };
    let values = document.values.iter().map(value).sum::<usize>();
    id + values + document.values.len() * size_of::<(usize, Value)>() + 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_last_document_of_each_id_stays(
            operations in proptest::collection::vec((0i64..20, proptest::option::of(0usize..500)), 0..200),
            threads in 1usize..5,
        ) {
            let mut buffer = Buffer::default();
            let mut expected: Vec<(Id, Document)> = Vec::new();
            for (id, length) in operations {
                let id = if id % 2 == 0 { Id::Int(id) } else { Id::Bytes(id.to_string().into_bytes().into()) };
                expected.retain(|(other, _)| *other != id);
                match length {
                    None => drop(buffer.delete(&id)),
                    Some(length) => {
                        let document = Document { values: vec![(0, Value::Text(vec![b'a'; length]))] };
                        expected.push((id.clone(), document.clone()));
                        buffer.add(id, document);
                    }
                }
            }
            prop_assert!(buffer.documents().iter().flatten().eq(&expected));
            prop_assert_eq!(buffer.is_empty(), expected.is_empty());
            let bytes: usize = expected.iter().map(|(id, document)| bytes_of(id, document)).sum();
            prop_assert_eq!(buffer.bytes, bytes);
            let ranges = buffer.split(threads, 1000);
            prop_assert!(ranges.len() <= threads && ranges.len() <= (bytes / 1000).max(1));
            prop_assert_eq!(ranges[0].start, 0);
            prop_assert_eq!(ranges[ranges.len() - 1].end, buffer.documents().len());
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
            buffer.clear();
            prop_assert!(buffer.is_empty() && buffer.bytes == 0);
        }
    }
}
