//! The column of a numeric field.
//!
//! ```text
//! form u8 (0: integers, 1: f64), width u8, missing u8, 5 zeros, base i64
//! packed, per document: the value less base (form 0), or the bits of the f64 (form 1); 0 if it is missing
//! if missing is 1, a bit per document, 1 for those that have a value
//! ```
//! Integers are those between -2^53 and 2^53. A negative zero is kept as 0.

use super::format::u64_at;
use super::packed::{self, Packed};
use super::section::SectionRef;
use crate::base::error::Result;
use std::io::{self, Write};

const HEAD: usize = 16;

/// The greatest magnitude up to which all integers have an f64 of their own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What stands for a missing value in memory.
pub(super) const MISSING: f64 = f64::NAN;

/// Writes the values of all documents; those that are NaN are missing.
pub(super) fn write(values: &[f64], out: &mut impl Write) -> io::Result<()> {
    let present = || values.iter().copied().filter(|value| !value.is_nan());
    let missing = values.iter().any(|value| value.is_nan());
    let integers = present().all(|value| value.fract() == 0.0 && value.abs() <= EXACT);
    let (least, greatest) = present().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let mut head = [0; HEAD];
    head[0] = (!integers).into();
    head[2] = missing.into();
    let base = if integers && least.is_finite() { least as i64 } else { 0 };
    let width = match integers {
        true if least.is_finite() => packed::width_for((greatest as i64 - base) as u64),
        true => 0,
        false => 64,
    };
    head[1] = width as u8;
    head[8..].copy_from_slice(&base.to_le_bytes());
    out.write_all(&head)?;
    let number = |&value: &f64| match (value.is_nan(), integers) {
        (true, _) => 0,
        (false, true) => (value as i64 - base) as u64,
        // Adding zero makes a negative zero positive.
        (false, false) => (value + 0.0).to_bits(),
    };
    packed::pack(values.iter().map(number), width, out)?;
    if missing {
        for eight in values.chunks(8) {
            out.write_all(&[eight.iter().rev().fold(0, |byte, value| byte << 1 | u8::from(!value.is_nan()))])?;
        }
    }
    Ok(())
}

/// The numbers of a field, checked.
#[derive(Debug, Clone, Copy)]
pub struct Column<'c> {
    packed: Packed<'c>,
    integers: bool,
    base: i64,
    /// Empty if all documents have a value.
    present: &'c [u8],
}

impl<'c> Column<'c> {
    /// That of a field in which no document has a number.
    pub(super) const NONE: Column<'static> = Column { packed: Packed::NONE, integers: true, base: 0, present: &[] };

    pub(super) fn parse(part: SectionRef<'c>, documents: u32) -> Result<Column<'c>> {
        let bytes = part.all()?;
        let bad = || part.corrupt(0, format!("{} bytes that are no column of {documents} documents", bytes.len()));
        let (head, rest) = bytes.split_at_checked(HEAD).ok_or_else(bad)?;
        let (packed, present) = Packed::split(rest, head[1].into(), documents as usize).ok_or_else(bad)?;
        let bits = if head[2] == 1 { documents.div_ceil(8) as usize } else { 0 };
        if head[0] > 1 || head[2] > 1 || present.len() != bits {
            return Err(bad());
        }
        Ok(Column { packed, integers: head[0] == 0, base: u64_at(head, 8) as i64, present })
    }

    /// Sets the bits of the documents with numbers from `low` to `high`, which may be infinite: bit d % 64 of word d / 64 is
    /// that of document d. About a nanosecond per document.
    pub fn add_between(&self, low: f64, high: f64, bits: &mut [u64]) {
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
        // Conversions saturate: beyond, there are no numbers.
        let (low, high) = (low.ceil() as i64, high.floor() as i64);
        if low <= high {
            let (first, span) = (self.base.wrapping_sub(low), high.wrapping_sub(low) as u64);
            self.add_if(bits, |number| (first as u64).wrapping_add(number) <= span);
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

    /// The number of a document, if it has one and there is such a document.
    #[inline]
    pub fn get(&self, doc: u32) -> Option<f64> {
        let doc = doc as usize;
        if !self.present.is_empty() && self.present.get(doc / 8)? >> (doc % 8) & 1 == 0 {
            return None;
        }
        let number = self.packed.get(doc)?;
        Some(if self.integers { self.base.wrapping_add(number as i64) as f64 } else { f64::from_bits(number) })
    }
}
