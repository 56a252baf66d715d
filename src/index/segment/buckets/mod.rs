//! [`Buckets`]: the numbers of a field in 16 bits each, in memory, so that a range is found by comparing 32 of them at a time.
//!
//! A bucket has the numbers with the same upper bits, counted from the least number of the segment; 0 has the documents
//! without one. Of a range, what is in buckets between its ends is in it; of the buckets of its ends, the numbers themselves are asked.
//! If the numbers are integers that differ by less than 65,535, a bucket has one number, and nothing is asked. Of other buckets with one
//! number, as those of prices often are, one document is.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use super::Segment;
use super::numbers::Column;
use crate::base::bits::has_bit;
use crate::base::cpu::{self, Tier};
use crate::base::error::Result;
use crate::base::memory::{room, zeros};

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
    /// Bit b of the sequence says whether bucket b has several numbers.
    mixed: Vec<u64>,
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
        let buckets = ((greatest.saturating_sub(least) >> shift) as usize).saturating_add(2);
        let mut mixed = zeros(buckets.div_ceil(u64::BITS as usize))?;
        // A number of each bucket, counted from 1.
        let mut numbers: Vec<u64> = zeros(if shift == 0 { 0 } else { buckets })?;
        let mut of = room(column.documents().next_multiple_of(STEP))?;
        for key in column.keys() {
            let from_least = key.map(|key| key - least);
            let bucket = from_least.map_or(0, |key| 1 + (key >> shift) as u16);
            of.push(bucket);
            if let (Some(key), Some(number)) = (from_least, numbers.get_mut(usize::from(bucket))) {
                let key = key.wrapping_add(1);
                let is_other = *number != 0 && *number != key;
                mixed[usize::from(bucket) / 64] |= u64::from(is_other) << (bucket % 64);
                *number = key;
            }
        }
        of.resize(column.documents().next_multiple_of(STEP), 0);
        Ok(Buckets { of: of.into(), keys: (least, greatest), shift, mixed })
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
        // Whether the numbers of the first and of the last bucket are in the range, once that is known of all.
        let mut of_ends = [None; 2];
        each_step(tier, &self.of, (first, last - first), inside, |at, some, all| {
            let Some(word) = bits.get_mut(at) else { return };
            *word |= all;
            if some & !all != 0 {
                *word |= self.inside(column, (low, high), last, STEP * at, some & !all, &mut of_ends);
            }
        });
    }

    /// The bits of those `asked` of the documents from `doc` on, which are in the buckets of a range's ends, whose keys are from `low` to
    /// `high`. `of_ends` is what is known of all documents of the first and of the `last` of these buckets.
    #[inline(never)]
    fn inside(
        &self,
        column: &Column,
        (low, high): (u64, u64),
        last: u16,
        doc: usize,
        mut asked: u64,
        of_ends: &mut [Option<bool>; 2],
    ) -> u64 {
        let mut inside = 0;
        while asked != 0 {
            let bit = asked.trailing_zeros();
            let bucket = self.of[doc + bit as usize];
            let of_end = &mut of_ends[usize::from(bucket == last)];
            let is_inside = of_end.unwrap_or_else(|| {
                let is_inside = column.key(doc + bit as usize).is_some_and(|key| low <= key && key <= high);
                *of_end = Some(is_inside).filter(|_| !has_bit(&self.mixed, bucket.into()));
                is_inside
            });
            inside |= u64::from(is_inside) << bit;
            asked &= asked - 1;
        }
        inside
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
