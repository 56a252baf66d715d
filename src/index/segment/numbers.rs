//! The column of a numeric field.
//!
//! ```text
//! form u8 (0: integers, 1: f64), width u8, missing u8, several u8, 4 zeros, base i64
//! packed, per document: the least value less base (form 0), or the bits of the f64 (form 1); 0 if it is missing
//! if missing is 1, a bit per document, 1 for those that have a value
//! if several is 1: count u64, width u8, 7 zeros; packed, for each further value: its document; packed: the value, as above
//! ```
//! Integers are those between -2^53 and 2^53. A negative zero is kept as 0. The values of a document ascend.

use super::format::u64_at;
use super::packed::{self, Packed};
use super::section::SectionRef;
use crate::base::error::Result;
use crate::base::memory;
use std::io::{self, Write};

const HEAD: usize = 16;

/// The bytes before further values.
const FURTHER_HEAD: usize = 16;

/// The greatest magnitude up to which all integers have an f64 of their own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What stands for a missing value in memory.
const MISSING: f64 = f64::NAN;

/// The numbers of a field in memory.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The least of each document; [`MISSING`] if it has none.
    least: Vec<f64>,
    /// The others with their documents, ascending.
    further: Vec<(u32, f64)>,
}

impl Numbers {
    /// Adds a document with that number, if any.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory): [`undo`](Self::undo) it.
    pub fn push(&mut self, number: Option<f64>) -> Result<()> {
        memory::reserve(&mut self.least, 1)?;
        // Adding zero makes a negative zero positive.
        self.least.push(number.map_or(MISSING, |number| number + 0.0));
        Ok(())
    }

    /// Adds a document with several numbers, or none; equal ones count once.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_all(&mut self, numbers: &mut Vec<f64>) -> Result<()> {
        numbers.iter_mut().for_each(|number| *number += 0.0);
        numbers.sort_unstable_by(f64::total_cmp);
        numbers.dedup();
        let document = self.least.len() as u32;
        self.push(numbers.first().copied())?;
        memory::reserve(&mut self.further, numbers.len())?;
        self.further.extend(numbers.iter().skip(1).map(|&number| (document, number)));
        Ok(())
    }

    /// Takes back what has been added since there were that many documents.
    pub fn undo(&mut self, documents: usize) {
        self.least.truncate(documents);
        let kept = self.further.partition_point(|&(document, _)| (document as usize) < documents);
        self.further.truncate(kept);
    }

    /// How many further numbers there are.
    pub fn used(&self) -> usize {
        self.further.len()
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        8 * self.least.capacity() + size_of::<(u32, f64)>() * self.further.capacity()
    }

    /// Leaves documents out, so that those after them get smaller docIDs.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn remove(&mut self, is_gone: impl Fn(usize) -> bool) -> Result<()> {
        if self.has_several() {
            let mut next = 0u32;
            let places = memory::collected((0..self.least.len()).map(|doc| {
                let place = next;
                next += u32::from(!is_gone(doc));
                place
            }))?;
            self.further.retain(|&(document, _)| !is_gone(document as usize));
            self.further.iter_mut().for_each(|(document, _)| *document = places[*document as usize]);
        }
        let mut doc = 0..;
        self.least.retain(|_| !doc.next().is_some_and(&is_gone));
        Ok(())
    }

    /// How many documents have a number.
    pub fn documents(&self) -> u32 {
        self.least.iter().filter(|number| !number.is_nan()).count() as u32
    }

    /// Whether a document has several, which needs version 4 of the format.
    pub fn has_several(&self) -> bool {
        !self.further.is_empty()
    }

    /// Writes the column.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let further = || self.further.iter().map(|&(_, number)| number);
        let present = || self.least.iter().copied().filter(|value| !value.is_nan()).chain(further());
        let missing = self.least.iter().any(|value| value.is_nan());
        let integers = present().all(|value| value.fract() == 0.0 && value.abs() <= EXACT);
        let (least, greatest) = present().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let base = if integers && least.is_finite() { least as i64 } else { 0 };
        let width = match integers {
            true if least.is_finite() => packed::width_for((greatest as i64 - base) as u64),
            true => 0,
            false => 64,
        };
        let mut head = [0; HEAD];
        head[..4].copy_from_slice(&[(!integers).into(), width as u8, missing.into(), self.has_several().into()]);
        head[8..].copy_from_slice(&base.to_le_bytes());
        out.write_all(&head)?;
        let number = |value: f64| match (value.is_nan(), integers) {
            (true, _) => 0,
            (false, true) => (value as i64 - base) as u64,
            (false, false) => value.to_bits(),
        };
        packed::pack(self.least.iter().map(|&value| number(value)), width, out)?;
        if missing {
            for eight in self.least.chunks(8) {
                out.write_all(&[eight.iter().rev().fold(0, |byte, value| byte << 1 | u8::from(!value.is_nan()))])?;
            }
        }
        let Some(&(last, _)) = self.further.last() else { return Ok(()) };
        let of_documents = packed::width_for(last.into());
        let mut head = [0; FURTHER_HEAD];
        head[..8].copy_from_slice(&(self.further.len() as u64).to_le_bytes());
        head[8] = of_documents as u8;
        out.write_all(&head)?;
        packed::pack(self.further.iter().map(|&(document, _)| document.into()), of_documents, out)?;
        packed::pack(further().map(number), width, out)
    }
}

/// The numbers of a field, checked.
#[derive(Debug, Clone, Copy)]
pub struct Column<'c> {
    packed: Packed<'c>,
    integers: bool,
    base: i64,
    /// Empty if all documents have a value.
    present: &'c [u8],
    /// The documents of further values, ascending, and the values.
    further: (Packed<'c>, Packed<'c>),
}

impl<'c> Column<'c> {
    /// That of a field in which no document has a number.
    pub(super) const NONE: Column<'static> =
        Column { packed: Packed::NONE, integers: true, base: 0, present: &[], further: (Packed::NONE, Packed::NONE) };

    pub(super) fn parse(part: SectionRef<'c>, documents: u32) -> Result<Column<'c>> {
        let bytes = part.all()?;
        let bad = || part.corrupt(0, format!("{} bytes that are no column of {documents} documents", bytes.len()));
        Column::of_bytes(bytes, documents).ok_or_else(bad)
    }

    /// `None` if that is not what the bytes are.
    pub(super) fn of_bytes(bytes: &'c [u8], documents: u32) -> Option<Column<'c>> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let width = head[1].into();
        let (packed, rest) = Packed::split(rest, width, documents as usize)?;
        let bits = if head[2] == 1 { documents.div_ceil(8) as usize } else { 0 };
        let (present, rest) = rest.split_at_checked(bits)?;
        let further = match head[3] {
            0 if rest.is_empty() => Column::NONE.further,
            1 => further(rest, width)?,
            _ => return None,
        };
        let is_column = head[0] <= 1 && head[2] <= 1;
        is_column.then_some(Column { packed, integers: head[0] == 0, base: u64_at(head, 8) as i64, present, further })
    }

    /// Whether some documents have several numbers.
    #[inline]
    pub fn has_several(&self) -> bool {
        self.further.0.len() > 0
    }

    /// Calls `each` with the documents that have several numbers and these but the least, in order.
    pub fn each_further(&self, mut each: impl FnMut(u32, f64)) {
        let (documents, numbers) = self.further;
        documents.iter().zip(numbers.iter()).for_each(|(document, number)| each(document as u32, self.number(number)));
    }

    /// Whether one of a document's numbers is such.
    #[inline]
    pub fn has(&self, doc: u32, is_it: impl Fn(f64) -> bool) -> bool {
        self.get(doc).is_some_and(&is_it) || self.has_several() && self.further_of(doc).any(&is_it)
    }

    /// The greatest number of a document, if it has one.
    #[inline]
    pub fn greatest(&self, doc: u32) -> Option<f64> {
        match self.has_several() {
            false => self.get(doc),
            true => self.further_of(doc).last().or_else(|| self.get(doc)),
        }
    }

    /// All numbers of a document, ascending.
    pub fn all_of(&self, doc: u32) -> impl Iterator<Item = f64> {
        self.get(doc).into_iter().chain(self.further_of(doc))
    }

    /// Those but the least.
    fn further_of(&self, doc: u32) -> impl Iterator<Item = f64> {
        let (documents, numbers) = self.further;
        let (mut begin, mut end) = (0, documents.len());
        // The first entry that is not of a document before. Forged ones may be in any order: then it is one of them.
        while begin < end {
            let middle = begin + (end - begin) / 2;
            match documents.get(middle).is_some_and(|document| document < doc.into()) {
                true => begin = middle + 1,
                false => end = middle,
            }
        }
        let of_document = (begin..documents.len()).take_while(move |&at| documents.get(at) == Some(doc.into()));
        of_document.map_while(move |at| Some(self.number(numbers.get(at)?)))
    }

    /// How many documents there are.
    pub fn documents(&self) -> usize {
        self.packed.len()
    }

    /// What stands for a document's number, the least of several, in whose order numbers are; if it has one.
    #[inline(always)]
    pub(super) fn key(&self, doc: usize) -> Option<u64> {
        self.as_packed(doc).map(|number| if self.integers { number } else { in_order(number) })
    }

    /// Those of all documents.
    pub(super) fn keys(&self) -> impl Iterator<Item = Option<u64>> {
        (0..self.packed.len()).map(|doc| self.key(doc))
    }

    /// The keys that numbers from `low` to `high` have; `None` if there are no such numbers.
    pub(super) fn keys_between(&self, low: f64, high: f64) -> Option<(u64, u64)> {
        if !self.integers {
            // Adding zero makes a negative zero positive, as in the column.
            return (low <= high).then(|| (in_order((low + 0.0).to_bits()), in_order((high + 0.0).to_bits())));
        }
        // Conversions saturate: beyond, there are no numbers.
        let (low, high) = (low.ceil() as i64, high.floor() as i64);
        if low > high || high < self.base {
            return None;
        }
        Some((low.max(self.base).wrapping_sub(self.base) as u64, high.wrapping_sub(self.base) as u64))
    }

    /// A number as it is packed.
    #[inline(always)]
    fn number(&self, packed: u64) -> f64 {
        if self.integers { self.base.wrapping_add(packed as i64) as f64 } else { f64::from_bits(packed) }
    }

    /// Sets the bits of the documents with numbers from `low` to `high`, which may be infinite: bit d % 64 of word d / 64 is
    /// that of document d. About a nanosecond per document.
    pub fn add_between(&self, low: f64, high: f64, bits: &mut [u64]) {
        self.add_least_between(low, high, bits);
        self.each_further(|doc, number| {
            if low <= number && number <= high && (doc as usize) < self.packed.len() {
                bits[doc as usize / 64] |= 1 << (doc % 64);
            }
        });
    }

    fn add_least_between(&self, low: f64, high: f64, bits: &mut [u64]) {
        if !self.integers {
            let fits = |number: u64| low <= f64::from_bits(number) && f64::from_bits(number) <= high;
            let Some(numbers) = self.packed.wide() else { return self.add_if(bits, fits) };
            for (at, (word, numbers)) in bits.iter_mut().zip(numbers.chunks(64)).enumerate() {
                let numbers = numbers.iter().map(|&bytes| u64::from_le_bytes(bytes));
                let fitting = numbers.zip(0..).fold(0, |word, (number, bit)| word | u64::from(fits(number)) << bit);
                *word |= fitting & self.present_in(at);
            }
            return;
        }
        if let Some((low, high)) = self.keys_between(low, high) {
            self.add_if(bits, |key| low <= key && key <= high);
        }
    }

    /// Sets the bits of the documents whose packed numbers fit.
    #[inline(always)]
    fn add_if(&self, bits: &mut [u64], fits: impl Fn(u64) -> bool) {
        let documents = self.packed.len();
        for (at, word) in bits.iter_mut().enumerate().take(documents.div_ceil(64)) {
            let first = 64 * at;
            let mut fitting = 0;
            for bit in 0..64.min(documents - first) {
                fitting |= u64::from(self.packed.get(first + bit).is_some_and(&fits)) << bit;
            }
            *word |= fitting & self.present_in(at);
        }
    }

    /// Which of 64 documents have a number, as a word of bits.
    #[inline(always)]
    fn present_in(&self, at: usize) -> u64 {
        if self.present.is_empty() {
            return u64::MAX;
        }
        let present = &self.present[8 * at..self.present.len().min(8 * at + 8)];
        present.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    /// The number of a document, the least of several, if it has one and there is such a document.
    #[inline]
    pub fn get(&self, doc: u32) -> Option<f64> {
        self.as_packed(doc as usize).map(|number| self.number(number))
    }

    /// The same as it is packed.
    #[inline(always)]
    fn as_packed(&self, doc: usize) -> Option<u64> {
        if !self.present.is_empty() && self.present.get(doc / 8)? >> (doc % 8) & 1 == 0 {
            return None;
        }
        self.packed.get(doc)
    }
}

/// The bits of an f64 as an integer that is greater if the f64 is.
#[inline(always)]
fn in_order(bits: u64) -> u64 {
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The documents of further values, and the values, of that width; `None` if that is not what the bytes are.
fn further(bytes: &[u8], width: u32) -> Option<(Packed<'_>, Packed<'_>)> {
    let (head, rest) = bytes.split_at_checked(FURTHER_HEAD)?;
    let count = usize::try_from(u64_at(head, 0)).ok()?;
    let (documents, rest) = Packed::split(rest, head[8].into(), count)?;
    let (numbers, rest) = Packed::split(rest, width, count)?;
    // Numbers of one document differ, so they have bits, and these bound their count.
    (count > 0 && width > 0 && rest.is_empty() && head[9..] == [0; 7]).then_some((documents, numbers))
}
