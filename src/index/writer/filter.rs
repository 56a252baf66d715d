//! [`Filter`]: which ids an index may have, so that most new ids need not be looked up in its segments.
//!
//! A blocked Bloom filter: the hash of an id chooses a cache line and six of its 512 bits, so asking costs one access to
//! memory. With 12 bits per id some 1 % of the ids that are not there pass. The filter never grows beyond its share of the
//! memory; with more ids than that is made for, more ids pass, and those are looked up.

use crate::base::error::Result;
use crate::base::memory::filled;
use crate::index::segment::IdRef;
use std::hash::{BuildHasher, RandomState};

/// Bits per id for which the filter is made.
const BITS: usize = 12;

/// The bits of an id in its line.
const PROBES: usize = 6;

/// The lines of the smallest filter.
const LEAST: usize = 64;

/// A set of ids that may say yes for ids that are not in it.
#[derive(Debug)]
pub(super) struct Filter {
    lines: Vec<Line>,
    hasher: RandomState,
    ids: usize,
}

#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line([u64; 8]);

impl Filter {
    /// An empty filter for that many ids, in at most `memory` bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn new(ids: usize, memory: usize) -> Result<Filter> {
        let lines = (ids / 512).saturating_mul(BITS).min(memory / size_of::<Line>()).max(LEAST);
        Ok(Filter { lines: filled(Line::default(), lines)?, hasher: RandomState::new(), ids: 0 })
    }

    /// How many ids were inserted.
    pub fn len(&self) -> usize {
        self.ids
    }

    /// How many ids it is made for.
    pub fn capacity(&self) -> usize {
        self.lines.len() * 512 / BITS
    }

    /// For how many ids a filter can be made in that much memory.
    pub fn most(memory: usize) -> usize {
        (memory / size_of::<Line>()).max(LEAST) * 512 / BITS
    }

    /// Inserts an id.
    pub fn insert(&mut self, id: IdRef) {
        let (line, mut bits) = self.place(id);
        self.ids += 1;
        for _ in 0..PROBES {
            self.lines[line].0[(bits >> 6 & 7) as usize] |= 1 << (bits & 63);
            bits >>= 9;
        }
    }

    /// Whether an id may have been inserted; true for all that were.
    pub fn may_contain(&self, id: IdRef) -> bool {
        let (line, mut bits) = self.place(id);
        let line = &self.lines[line].0;
        (0..PROBES).all(|_| {
            let is_set = line[(bits >> 6 & 7) as usize] >> (bits & 63) & 1 != 0;
            bits >>= 9;
            is_set
        })
    }

    /// The line of an id and, 9 bits each, its bits in it.
    fn place(&self, id: IdRef) -> (usize, u64) {
        let hash = match id {
            IdRef::Int(int) => self.hasher.hash_one(int),
            IdRef::Bytes(bytes) => self.hasher.hash_one(bytes),
        };
        let line = (u128::from(hash) * self.lines.len() as u128) >> 64;
        // The high bits have chosen the line; a multiplication brings the others up.
        (line as usize, hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_inserted_passes_and_little_else() {
        for (made_for, inserted, most) in [(100_000, 100_000, 2_000), (0, 1_000, 2_000), (100_000, 1_000_000, 100_000)]
        {
            let mut filter = Filter::new(made_for, 1 << 20).unwrap();
            let name = |i: usize| format!("document {i}").into_bytes();
            for i in 0..inserted {
                let name = name(i);
                filter.insert(if i % 2 == 0 { IdRef::Int(i as i64) } else { IdRef::Bytes(&name) });
            }
            assert!((0..inserted).step_by(2).all(|i| filter.may_contain(IdRef::Int(i as i64))));
            assert!((1..inserted).step_by(2).all(|i| filter.may_contain(IdRef::Bytes(&name(i)))));
            let passed = (0..100_000).filter(|i| filter.may_contain(IdRef::Int(-1 - i))).count();
            assert!(passed <= most, "{passed}");
            assert_eq!(filter.len(), inserted);
        }
        assert!(Filter::new(usize::MAX, 1 << 20).unwrap().capacity() <= (1 << 23) / BITS);
    }
}
