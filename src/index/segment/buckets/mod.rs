//! [`Buckets`]: the numbers of a field in 16 bits each, in memory, so that a range is found by comparing 32 of them at a time.
//!
//! A bucket has the numbers with the same upper bits, counted from the least number of the segment; 0 has the documents
//! without one. Of a range, what is in buckets between its ends is in it; of the buckets of its ends, the numbers themselves are asked.
//! If the numbers are integers that differ by less than 65,535, a bucket has one number, and nothing is asked.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use super::Segment;
use super::numbers::Column;
use crate::base::cpu::{self, Tier};
use crate::base::error::Result;
use crate::base::memory::room;

/// So many ranges are asked of a field before its buckets are made: that takes as long as several, and a process may end soon.
const ASKED: u64 = 2;

/// Documents whose buckets are compared at a time.
const STEP: usize = 64;

/// Numbers from the first one on, so many more.
type Span = (u16, u16);

/// Buckets of all documents of a segment.
#[derive(Debug)]
pub(super) struct Buckets {
    /// Per document, its bucket; as many more of documents that do not exist as a whole [`STEP`] has, all 0.
    of: Box<[u16]>,
    /// The [keys](Column::keys) of the least and of the greatest number.
    keys: (u64, u64),
    /// How many of a key's lower bits do not count.
    shift: u32,
}

impl Buckets {
    /// Those of a column in which each document has one number or none.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    fn new(column: &Column) -> Result<Buckets> {
        let (least, greatest) =
            column.keys().flatten().fold((u64::MAX, 0), |(least, greatest), key| (least.min(key), greatest.max(key)));
        let bits = u64::BITS - greatest.saturating_sub(least).leading_zeros();
        // The last bucket of 16 bits would be the first one after all, as they are counted from 1.
        let shift = if greatest.saturating_sub(least) < u64::from(u16::MAX) { 0 } else { bits - 15 };
        let mut of = room(column.documents().next_multiple_of(STEP))?;
        of.extend(column.keys().map(|key| key.map_or(0, |key| 1 + ((key - least) >> shift) as u16)));
        of.resize(column.documents().next_multiple_of(STEP), 0);
        Ok(Buckets { of: of.into(), keys: (least, greatest), shift })
    }

    /// Sets the bits of the documents whose keys are from `low` to `high`.
    fn add_between(&self, tier: Tier, column: &Column, low: u64, high: u64, bits: &mut [u64]) {
        let (least, greatest) = self.keys;
        if low > greatest || high < least || low > high {
            return;
        }
        let bucket = |key: u64| 1 + ((key.clamp(least, greatest) - least) >> self.shift) as u16;
        let (first, last) = (bucket(low), bucket(high));
        // Buckets of which all numbers are in the range.
        let all_from = if low <= least || self.shift == 0 { first } else { first + 1 };
        let all_to = if high >= greatest || self.shift == 0 { last } else { last - 1 };
        let inside: Option<Span> = all_to.checked_sub(all_from).map(|more| (all_from, more));
        each_step(tier, &self.of, (first, last - first), inside, |at, some, all| {
            let Some(word) = bits.get_mut(at) else { return };
            *word |= all;
            let mut asked = some & !all;
            while asked != 0 {
                let bit = asked.trailing_zeros();
                let key = column.key(STEP * at + bit as usize);
                *word |= u64::from(key.is_some_and(|key| low <= key && key <= high)) << bit;
                asked &= asked - 1;
            }
        });
    }
}

/// Calls `take` with each number of a word of bits, and the words of those of its documents whose buckets are in `some`, and in
/// `all`.
fn each_step(tier: Tier, of: &[u16], some: Span, all: Option<Span>, take: impl FnMut(usize, u64, u64)) {
    match tier {
        // SAFETY: both ask whether the processor has the tier.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx512 if tier.is_available() => unsafe { avx512::each_step(of, some, all, take) },
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 if tier.is_available() => unsafe { avx2::each_step(of, some, all, take) },
        _ => scalar::each_step(of, some, all, take),
    }
}

impl Segment {
    /// Sets the bits of the documents with numbers from `low` to `high`, which may be infinite. About a nanosecond per document
    /// the first times; then the numbers of the field are kept in 2 bytes per document while the segment is open, and it takes a
    /// twentieth of that.
    ///
    /// # Errors
    /// As [`column`](Segment::column); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn add_between(&self, field: usize, low: f64, high: f64, bits: &mut [u64]) -> Result<()> {
        let column = self.column(field)?;
        match self.kept_after(ASKED, &self.buckets[field], &column, || Buckets::new(&column))? {
            None => column.add_between(low, high, bits),
            Some(buckets) => {
                if let Some((low, high)) = column.keys_between(low, high) {
                    buckets.add_between(cpu::tier(), &column, low, high, bits);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
