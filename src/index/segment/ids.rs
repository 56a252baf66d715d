//! The callers' ids of documents, and finding a document by its id.
//!
//! ```text
//! ids           form u8 (0: integers, 1: bytes, 2: both), width u8, increasing u8, 5 zeros, base u64
//!   integers    packed: the id less base, modulo 2^64, of each document; base is the least id
//!   bytes       packed: the end of each document's bytes; then the bytes, base of them
//!   both        packed ends as above; a bit per document, 1 for integers; the bytes, 8 (little-endian) for integers
//! index of ids  bits u8, order u8, 6 zeros; packed: where each of the 2^bits buckets begins, and the end; packed: the docIDs
//! ```
//! A document is in the bucket of the highest bits of the hash of its id: 4 to 8 documents per bucket. If `order` is 1,
//! those of a bucket are in ascending order of their ids, integers before bytes, so that ids that were chosen to share a
//! bucket are found as fast as others. If it is 0, as in older segments, they are in ascending order of docIDs, and all of
//! a bucket may have to be compared. Readers that do not know of the order find ids in both. Integers that strictly
//! increase need no index. At 1.7 M documents it takes 3.1 bytes per document.

use super::format::u64_at;
use super::hash;
use super::packed;
use super::section::SectionRef;
use crate::base::error::Result;
use crate::base::memory::{self, collected, zeros};
use crate::index::Id;
use std::cmp::Ordering;
use std::io::{self, Write};

/// Bytes before the packed numbers of the ids.
const HEAD: usize = 16;

/// Bytes before those of the index.
const INDEX_HEAD: usize = 8;

/// The order of the documents of a bucket: by their ids.
const SORTED: u8 = 1;

/// An [`Id`] that lies elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdRef<'i> {
    /// An integer.
    Int(i64),
    /// A string.
    Bytes(&'i [u8]),
}

impl IdRef<'_> {
    /// The id itself.
    pub fn to_id(self) -> Id {
        match self {
            IdRef::Int(int) => Id::Int(int),
            IdRef::Bytes(bytes) => Id::Bytes(bytes.into()),
        }
    }

    /// Its hash; with [`hash::FIXED`] as the seed, the one that orders the index of ids.
    pub(super) fn hash(self, seed: u64) -> u64 {
        match self {
            IdRef::Int(int) => hash::hash(!seed, &int.to_le_bytes()),
            IdRef::Bytes(bytes) => hash::hash(seed, bytes),
        }
    }
}

impl<'i> From<&'i Id> for IdRef<'i> {
    fn from(id: &'i Id) -> Self {
        match id {
            Id::Int(int) => IdRef::Int(*int),
            Id::Bytes(bytes) => IdRef::Bytes(bytes),
        }
    }
}

/// Ids of documents, gathered in memory in the order of their docIDs.
#[derive(Debug, Default)]
pub(super) struct IdColumn {
    /// All ids, while they are integers.
    ints: Vec<i64>,
    /// Their bytes otherwise, …
    bytes: Vec<u8>,
    /// … the end of each, …
    ends: Vec<usize>,
    /// … and which are integers.
    is_int: Vec<u64>,
    /// Whether some id is not an integer greater than the one before.
    shuffled: bool,
}

impl IdColumn {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ints.len().max(self.ends.len())
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        8 * (self.ints.capacity() + self.ends.capacity() + self.is_int.capacity()) + self.bytes.capacity()
    }

    /// Makes room for the id of the next document.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn reserve(&mut self, id: IdRef) -> Result<()> {
        let bytes = match id {
            IdRef::Int(_) if self.ends.is_empty() => return memory::reserve(&mut self.ints, 1),
            IdRef::Int(_) => size_of::<i64>(),
            IdRef::Bytes(bytes) => bytes.len(),
        };
        // Integers before the first string become bytes.
        memory::reserve(&mut self.bytes, size_of::<i64>() * self.ints.len() + bytes)?;
        memory::reserve(&mut self.ends, self.ints.len() + 1)?;
        memory::reserve(&mut self.is_int, self.ints.len() / 64 + 1)
    }

    /// Adds the id of the next document.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), if there was no room for it.
    pub fn push(&mut self, id: IdRef) -> Result<()> {
        self.reserve(id)?;
        self.shuffled |= !self.is_next(id);
        match id {
            IdRef::Int(int) if self.ends.is_empty() => self.ints.push(int),
            IdRef::Int(int) => self.push_bytes(&int.to_le_bytes(), true),
            IdRef::Bytes(bytes) => {
                if self.ends.is_empty() {
                    for int in std::mem::take(&mut self.ints) {
                        self.push_bytes(&int.to_le_bytes(), true);
                    }
                }
                self.push_bytes(bytes, false);
            }
        }
        Ok(())
    }

    fn push_bytes(&mut self, bytes: &[u8], is_int: bool) {
        let i = self.ends.len();
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self.is_int.resize(i / 64 + 1, 0);
        self.is_int[i / 64] |= u64::from(is_int) << (i % 64);
    }

    /// The id of document `i`.
    ///
    /// # Panics
    /// If there is none.
    pub fn get(&self, i: usize) -> IdRef<'_> {
        if self.ends.is_empty() {
            return IdRef::Int(self.ints[i]);
        }
        let bytes = &self.bytes[i.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[i]];
        match bytes.try_into() {
            Ok(eight) if self.is_int[i / 64] >> (i % 64) & 1 != 0 => IdRef::Int(i64::from_le_bytes(eight)),
            _ => IdRef::Bytes(bytes),
        }
    }

    /// Whether all are integers, each greater than the one before.
    pub fn increases(&self) -> bool {
        !self.shuffled
    }

    /// Whether they would still [increase](IdColumn::increases) with this one.
    pub fn is_next(&self, id: IdRef) -> bool {
        match (id, self.ints.last()) {
            (IdRef::Int(int), Some(&last)) => !self.shuffled && last < int,
            (IdRef::Int(_), None) => !self.shuffled,
            (IdRef::Bytes(_), _) => false,
        }
    }

    /// The document, among ids that increase.
    pub fn search(&self, id: IdRef) -> Option<u32> {
        match id {
            IdRef::Int(int) => self.ints.binary_search(&int).ok().map(|doc| doc as u32),
            IdRef::Bytes(_) => None,
        }
    }

    /// Writes the section of ids.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut head = [0; HEAD];
        if self.ends.is_empty() {
            let least = self.ints.iter().copied().min().unwrap_or(0);
            let offset = |int: &i64| int.wrapping_sub(least) as u64;
            let width = packed::width_for(self.ints.iter().map(offset).max().unwrap_or(0));
            head[1] = width as u8;
            head[2] = self.increases().into();
            head[8..].copy_from_slice(&least.to_le_bytes());
            out.write_all(&head)?;
            return packed::pack(self.ints.iter().map(offset), width, out);
        }
        let mixed = self.is_int.iter().any(|&word| word != 0);
        let width = packed::width_for(self.bytes.len() as u64);
        head[0] = 1 + u8::from(mixed);
        head[1] = width as u8;
        head[8..].copy_from_slice(&(self.bytes.len() as u64).to_le_bytes());
        out.write_all(&head)?;
        packed::pack(self.ends.iter().map(|&end| end as u64), width, out)?;
        if mixed {
            let bytes = self.is_int.iter().flat_map(|word| word.to_le_bytes()).take(self.ends.len().div_ceil(8));
            bytes.into_iter().try_for_each(|byte| out.write_all(&[byte]))?;
        }
        out.write_all(&self.bytes)
    }

    /// Writes the index of ids.
    pub fn write_index(&self, out: &mut impl Write) -> io::Result<()> {
        let count = self.len();
        let bits = (count / 4).max(1).ilog2();
        let buckets = collected((0..count).map(|i| bucket(self.get(i), bits) as u32)).map_err(io::Error::other)?;
        let mut ends = zeros::<u32>((1 << bits) + 1).map_err(io::Error::other)?;
        for &bucket in &buckets {
            ends[bucket as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut head = [0; INDEX_HEAD];
        head[0] = bits as u8;
        head[1] = SORTED;
        out.write_all(&head)?;
        packed::pack(ends.iter().map(|&end| end.into()), packed::width_for(count as u64), out)?;
        let mut documents = zeros::<u32>(count).map_err(io::Error::other)?;
        for (doc, bucket) in (0..).zip(buckets) {
            let next = &mut ends[bucket as usize];
            documents[*next as usize] = doc;
            *next += 1;
        }
        // Each end is now that of its own bucket.
        let mut begin = 0;
        for &end in &ends[..1 << bits] {
            let bucket = &mut documents[begin..end as usize];
            bucket.sort_unstable_by(|&a, &b| self.get(a as usize).cmp(&self.get(b as usize)));
            begin = end as usize;
        }
        packed::pack(documents.into_iter().map(u64::from), packed::width_for(count as u64 - 1), out)
    }
}

#[cfg(test)]
thread_local! {
    /// How many ids this thread has compared with ids that it looked for.
    pub(super) static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The bucket of an id, of 2^bits.
pub(super) fn bucket(id: IdRef, bits: u32) -> usize {
    (id.hash(hash::FIXED) >> 1 >> (63 - bits)) as usize
}

/// The ids of a segment.
#[derive(Debug, Clone, Copy)]
pub struct Ids<'s> {
    part: SectionRef<'s>,
    form: u8,
    width: u32,
    increasing: bool,
    base: u64,
    count: usize,
    /// Bytes of the packed numbers.
    packed: usize,
}

impl<'s> Ids<'s> {
    /// Reads what the section begins with.
    pub(super) fn parse(part: SectionRef<'s>, documents: u32) -> Result<Ids<'s>> {
        let head = part.range(0, HEAD)?;
        let (form, width, base, count) = (head[0], head[1].into(), u64_at(head, 8), documents as usize);
        let packed = packed::bytes_for(count, width).unwrap_or(usize::MAX);
        let rest = match form {
            0 => Some(0),
            1 => usize::try_from(base).ok(),
            2 => usize::try_from(base).ok().and_then(|bytes| bytes.checked_add(count.div_ceil(8))),
            _ => None,
        };
        let length = rest.and_then(|rest| rest.checked_add(packed)?.checked_add(HEAD));
        if length != Some(part.len()) || head[2] > 1 || (head[2] == 1 && form != 0) {
            return Err(part.corrupt(0, format!("form {form}, width {width} and base {base} do not make its length")));
        }
        Ok(Ids { part, form, width, increasing: head[2] == 1, base, count, packed })
    }

    #[inline(always)]
    fn number(&self, i: usize) -> Result<u64> {
        let (at, bit) = packed::place(i, self.width);
        let bytes = self.part.range(HEAD + at, 8)?;
        Ok(packed::extract(u64_at(bytes, 0).to_le_bytes(), bit, self.width))
    }

    /// Has the processor fetch what [`get`](Self::get) reads first of a document.
    #[inline]
    pub fn prefetch(&self, doc: u32) {
        if (doc as usize) < self.count {
            self.part.prefetch(HEAD + packed::place(doc as usize, self.width).0, size_of::<u64>());
        }
    }

    /// The id of a document.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) if there is no such document,
    /// [`Error::Corrupt`](crate::Error::Corrupt).
    #[inline(always)]
    pub fn get(&self, doc: u32) -> Result<IdRef<'s>> {
        let i = doc as usize;
        if i >= self.count {
            return Err(self.part.no_document(doc));
        }
        let number = self.number(i)?;
        if self.form == 0 { Ok(IdRef::Int(number.wrapping_add(self.base) as i64)) } else { self.of_bytes(i, number) }
    }

    /// The id of document `i`, whose bytes end at `number`.
    fn of_bytes(&self, i: usize, number: u64) -> Result<IdRef<'s>> {
        let begin = if i == 0 { 0 } else { self.number(i - 1)? };
        if begin > number || number > self.base {
            return Err(self.part.corrupt(HEAD, format!("id {i} from byte {begin} to {number} of {}", self.base)));
        }
        let mut bytes_at = HEAD + self.packed;
        let mut is_int = false;
        if self.form == 2 {
            is_int = self.part.range(bytes_at + i / 8, 1)?[0] >> (i % 8) & 1 != 0;
            bytes_at += self.count.div_ceil(8);
        }
        let bytes = self.part.range(bytes_at + begin as usize, (number - begin) as usize)?;
        match bytes.try_into() {
            Ok(eight) if is_int => Ok(IdRef::Int(i64::from_le_bytes(eight))),
            Err(_) if is_int => Err(self.part.corrupt(bytes_at, format!("an integer of {} bytes", bytes.len()))),
            _ => Ok(IdRef::Bytes(bytes)),
        }
    }

    /// Whether ids are integers, each greater than the one before.
    pub(super) fn increases(&self) -> bool {
        self.increasing
    }

    /// The first and the last id, if they are integers that increase.
    pub(super) fn range(&self) -> Result<Option<[i64; 2]>> {
        if !self.increasing || self.count == 0 {
            return Ok(None);
        }
        let [first, last] = [self.number(0)?, self.number(self.count - 1)?];
        Ok(Some([first, last].map(|number| number.wrapping_add(self.base) as i64)))
    }

    /// The document among increasing ids.
    pub(super) fn search(&self, id: IdRef) -> Result<Option<u32>> {
        let IdRef::Int(sought) = id else { return Ok(None) };
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            let int = self.number(middle)?.wrapping_add(self.base) as i64;
            match int.cmp(&sought) {
                Ordering::Equal => return Ok(Some(middle as u32)),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// The document, by the index.
    pub(super) fn look_up(&self, index: SectionRef<'s>, id: IdRef) -> Result<Option<u32>> {
        let head = index.range(0, INDEX_HEAD)?;
        let (bits, order) = (u32::from(head[0]), head[1]);
        let (starts, width) = (packed::width_for(self.count as u64), packed::width_for(self.count as u64 - 1));
        let directory = packed::bytes_for((1usize << bits.min(32)) + 1, starts).unwrap_or(usize::MAX);
        let documents = packed::bytes_for(self.count, width).unwrap_or(usize::MAX);
        let length = directory.checked_add(documents).and_then(|length| length.checked_add(INDEX_HEAD));
        if bits > 32 || length != Some(index.len()) {
            return Err(index.corrupt(0, format!("2^{bits} buckets do not make its length")));
        }
        let number = |base: usize, i: usize, width: u32| {
            let (at, bit) = packed::place(i, width);
            let bytes = index.range(base + at, 8)?;
            Ok(packed::extract(u64_at(bytes, 0).to_le_bytes(), bit, width))
        };
        let bucket = bucket(id, bits);
        let [begin, end] = [number(INDEX_HEAD, bucket, starts)?, number(INDEX_HEAD, bucket + 1, starts)?];
        if begin > end || end > self.count as u64 {
            return Err(index.corrupt(INDEX_HEAD, format!("bucket {bucket} from {begin} to {end} of {}", self.count)));
        }
        let doc = |i: u64| {
            #[cfg(test)]
            COMPARED.with(|compared| compared.set(compared.get() + 1));
            let doc = number(INDEX_HEAD + directory, i as usize, width)?;
            let doc = u32::try_from(doc).ok().filter(|&doc| (doc as usize) < self.count);
            doc.ok_or_else(|| index.corrupt(INDEX_HEAD + directory, "a docID that is too great"))
        };
        if order == SORTED {
            let (mut low, mut high) = (begin, end);
            while low < high {
                let middle = low.midpoint(high);
                let doc = doc(middle)?;
                match self.get(doc)?.cmp(&id) {
                    Ordering::Equal => return Ok(Some(doc)),
                    Ordering::Less => low = middle + 1,
                    Ordering::Greater => high = middle,
                }
            }
            return Ok(None);
        }
        for i in begin..end {
            let doc = doc(i)?;
            if self.get(doc)? == id {
                return Ok(Some(doc));
            }
        }
        Ok(None)
    }
}
