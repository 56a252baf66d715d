//! [`KeywordColumn`]: which values of a keyword field each document has.
//!
//! A segment's file has lists of documents by value. Sorting and facets need values by document, so the lists are turned
//! around when that is first asked for, and what comes of it is kept in memory with the open segment. A value is known by its
//! *number*: its place in the field's dictionary, from 0, so numbers are in the order of the values' bytes.

use super::{Dictionary, Segment};
use crate::base::cpu;
use crate::base::error::{Error, Result};
use crate::base::memory::{collected, filled, reserve, room, zeros};
use crate::codec::block_buffer;
use crate::index::list::Decoded;
use std::ops::Deref;

/// What stands for no value.
const NONE: u32 = u32::MAX;

/// The numbers of the values of each document, in memory.
#[derive(Debug)]
pub struct KeywordColumn {
    numbers: Numbers,
    /// By number, the value by which the dictionary finds the list, in ascending order.
    lists: Box<[u64]>,
}

/// If no document has several values, the number of each document's, in as few bytes as hold any of them and, as the greatest of all,
/// what stands for none: going through many documents takes as long as these bytes do to come.
#[derive(Debug)]
pub enum Numbers {
    Bytes(Box<[u8]>),
    Halves(Box<[u16]>),
    Words(Box<[u32]>),
    /// Otherwise the numbers of all, document after document, each document's ascending.
    Several {
        numbers: Box<[u32]>,
        /// Where each document's begin, and the end.
        starts: Box<[u32]>,
    },
}

/// A number of a column in which no document has several.
pub trait Number: Copy + Into<u32> {
    /// What stands for no value.
    const NONE: u32;
}

impl Number for u8 {
    const NONE: u32 = u8::MAX as u32;
}

impl Number for u16 {
    const NONE: u32 = u16::MAX as u32;
}

impl Number for u32 {
    const NONE: u32 = NONE;
}

/// The numbers of a document's values, ascending.
pub enum OfDocument<'c> {
    One(u32),
    Any(&'c [u32]),
}

impl Deref for OfDocument<'_> {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        match self {
            OfDocument::One(number) => std::slice::from_ref(number),
            OfDocument::Any(numbers) => numbers,
        }
    }
}

#[inline(always)]
fn one_of<'c, T: Number>(numbers: &[T], doc: usize) -> OfDocument<'c> {
    match numbers.get(doc).map(|&number| number.into()) {
        Some(number) if number != T::NONE => OfDocument::One(number),
        _ => OfDocument::Any(&[]),
    }
}

/// The numbers of documents that have one each or [`NONE`], of so many `values`.
fn one_each(numbers: Vec<u32>, values: usize) -> Result<Numbers> {
    fn narrow<T>(numbers: &[u32], number: impl Fn(u32) -> T) -> Result<Box<[T]>> {
        Ok(collected(numbers.iter().map(|&of| number(of)))?.into())
    }
    let fit = |none: u32| values <= none as usize;
    Ok(if fit(u8::NONE) {
        Numbers::Bytes(narrow(&numbers, |number| number as u8)?)
    } else if fit(u16::NONE) {
        Numbers::Halves(narrow(&numbers, |number| number as u16)?)
    } else {
        Numbers::Words(numbers.into())
    })
}

impl KeywordColumn {
    /// How many values the field has.
    pub fn values(&self) -> usize {
        self.lists.len()
    }

    /// The numbers of a document's values, ascending; none of a document that does not exist.
    #[inline(always)]
    pub fn of(&self, doc: u32) -> OfDocument<'_> {
        let doc = doc as usize;
        match &self.numbers {
            Numbers::Bytes(numbers) => one_of(numbers, doc),
            Numbers::Halves(numbers) => one_of(numbers, doc),
            Numbers::Words(numbers) => one_of(numbers, doc),
            Numbers::Several { numbers, starts } => match (starts.get(doc), starts.get(doc + 1)) {
                (Some(&start), Some(&end)) => OfDocument::Any(&numbers[start as usize..end as usize]),
                _ => OfDocument::Any(&[]),
            },
        }
    }

    /// Those of all documents.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Sets the bits of the documents that have a value.
    pub fn add_present(&self, bits: &mut [u64]) {
        for (word, first) in bits.iter_mut().zip((0..).step_by(64)) {
            for bit in 0..64 {
                *word |= u64::from(!self.of(first + bit).is_empty()) << bit;
            }
        }
    }

    /// The value by which the dictionary finds the list of the value with that number.
    pub fn list(&self, number: u32) -> Option<u64> {
        self.lists.get(number as usize).copied()
    }

    /// Where a value stands among the values: its number if it is one, otherwise halfway between those of its neighbours.
    ///
    /// # Errors
    /// As [`Dictionary::get`].
    pub fn place(&self, dictionary: &Dictionary, value: &[u8]) -> Result<f64> {
        let number = |list: u64| self.lists.partition_point(|&other| other < list) as f64;
        if let Some(list) = dictionary.get(value)? {
            return Ok(number(list));
        }
        let next = dictionary.from(value)?.next()?.map_or(self.lists.len() as f64, |(_, list, ())| number(list));
        Ok(next - 0.5)
    }

    /// The bytes of the value with that number, from the dictionary that the column was made of. About a microsecond.
    ///
    /// # Errors
    /// As [`Dictionary::get`].
    pub fn value(&self, dictionary: &Dictionary, number: u32) -> Result<Vec<u8>> {
        let Some(list) = self.list(number) else { return Ok(Vec::new()) };
        Ok(dictionary.term_of(list)?.unwrap_or_default())
    }
}

impl Segment {
    /// The values of a keyword field by document. The first call in a process goes through all lists of the field, some
    /// 10 ms per million postings, and keeps 1, 2 or 4 bytes per document, by the number of different values (if some have
    /// several values, 4 per document and 4 per value of a document), and 8 per different value while the segment is open.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such field or it has no terms, [`Error::Corrupt`], [`Error::OutOfMemory`].
    pub fn keyword_column(&self, field: usize) -> Result<&KeywordColumn> {
        let Some(place) = self.keyword_columns.get(field) else { return Err(self.no_field(field, "such")) };
        self.kept(place, || self.make_keyword_column(field))
    }

    fn make_keyword_column(&self, field: usize) -> Result<KeywordColumn> {
        let dictionary = self.dictionary(field)?;
        let documents = self.documents() as usize;
        let mut lists: Vec<u64> = room(dictionary.len())?;
        let mut numbers = filled(NONE, documents)?;
        // The values of documents after their first ones, in the order of the values.
        let mut further: Vec<(u32, u32)> = Vec::new();
        let mut terms = dictionary.terms()?;
        let mut decoded = Decoded::default();
        let mut block = block_buffer();
        while let Some((_, list, ())) = terms.next()? {
            // Lists are written in the order of terms. That is what finds a term by its list.
            if lists.last().is_some_and(|&last| last >= list) {
                return Err(Error::corrupt(
                    "segment",
                    format!("dictionary of {}", self.path.display()),
                    0,
                    "lists are not in the order of terms",
                ));
            }
            let number = lists.len() as u32;
            if number == NONE {
                return Err(Error::OutOfMemory { bytes: 8 * lists.len() });
            }
            lists.push(list);
            let mut take = |doc_ids: &[u32]| -> Result<()> {
                for &doc_id in doc_ids {
                    match &mut numbers[doc_id as usize] {
                        none if *none == NONE => *none = number,
                        _ => {
                            reserve(&mut further, 1)?;
                            further.push((doc_id, number));
                        }
                    }
                }
                Ok(())
            };
            match self.list(field, list, false, &mut decoded)? {
                None => take(&decoded.doc_ids)?,
                Some(view) => {
                    for at in 0..view.blocks() {
                        let count = view.decode_doc_ids(cpu::tier(), at, &mut block);
                        take(&block[..count])?;
                    }
                }
            }
        }
        let numbers = match further.is_empty() {
            true => one_each(numbers, lists.len())?,
            false => several(numbers, &further)?,
        };
        Ok(KeywordColumn { numbers, lists: lists.into() })
    }

    /// The rank of each document by its id, from 0: integers before strings, strings in the order of their bytes. `None` if
    /// docIDs are in that order. The first call in a process sorts the ids, and keeps 4 bytes per document while the segment
    /// is open.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::OutOfMemory`].
    pub fn id_ranks(&self) -> Result<Option<&[u32]>> {
        let ids = self.ids()?;
        if ids.increases() {
            return Ok(None);
        }
        let ranks = self.kept(&self.id_ranks, || {
            let mut by_id = room(self.documents() as usize)?;
            for doc in 0..self.documents() {
                by_id.push((ids.get(doc)?, doc));
            }
            by_id.sort_unstable();
            let mut ranks: Vec<u32> = zeros(by_id.len())?;
            for (rank, (_, doc)) in (0..).zip(by_id) {
                ranks[doc as usize] = rank;
            }
            Ok(ranks.into())
        })?;
        Ok(Some(ranks))
    }
}

/// The numbers of all documents, and where each one's begin, given the first number of each document and the further ones.
fn several(first: Vec<u32>, further: &[(u32, u32)]) -> Result<Numbers> {
    let has_first = |number: u32| usize::from(number != NONE);
    let all = first.iter().map(|&number| has_first(number)).sum::<usize>() + further.len();
    if u32::try_from(all).is_err() {
        return Err(Error::OutOfMemory { bytes: all.saturating_mul(4) });
    }
    let mut starts: Vec<u32> = zeros(first.len() + 1)?;
    for (start, &number) in starts[1..].iter_mut().zip(&first) {
        *start = has_first(number) as u32;
    }
    for &(doc, _) in further {
        starts[doc as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut numbers = zeros(all)?;
    // Where the next number of each document goes.
    let mut next = crate::base::memory::copied(&starts)?;
    let firsts = (0..).zip(first).filter(|&(_, number)| number != NONE);
    // The order of the values is that within each document.
    for (doc, number) in firsts.chain(further.iter().copied()) {
        let place = &mut next[doc as usize];
        numbers[*place as usize] = number;
        *place += 1;
    }
    Ok(Numbers::Several { numbers: numbers.into(), starts: starts.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_hold_them() {
        for values in [0, 1, 255, 256, 65_535, 65_536] {
            let numbers: Vec<u32> = (0..values).chain([NONE]).collect();
            let column = KeywordColumn { numbers: one_each(numbers, values as usize).unwrap(), lists: Box::new([]) };
            let bytes = match column.numbers() {
                Numbers::Bytes(_) => 1,
                Numbers::Halves(_) => 2,
                Numbers::Words(_) => 4,
                Numbers::Several { .. } => 0,
            };
            let wanted = [(255, 1), (65_535, 2), (u32::MAX, 4)].into_iter().find(|&(most, _)| values <= most);
            assert_eq!(Some(bytes), wanted.map(|(_, bytes)| bytes), "{values} values");
            assert!((0..values).all(|doc| *column.of(doc) == [doc]));
            assert!(column.of(values).is_empty() && column.of(values + 1).is_empty());
        }
    }
}
