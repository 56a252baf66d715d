//! [`Terms`]: numbers for the distinct terms of a field, while a segment is gathered in memory.
//!
//! A hash table with linear probing, at most half full. A slot takes four bytes: one more than a term's number, in as many lower bits as
//! number all slots, and above them bits of the term's hash; 0 is an empty slot. A look-up mostly reads one slot and one record, which are
//! two cache misses for a rare term, and none for a common one: terms are numbered in the order of their first occurrence, so the records
//! of common ones stand together. Terms of more than eight bytes are also compared with what the arena has.

use super::hash;
use crate::base::error::Result;
use crate::base::memory::{self, collected, zeros};
use std::ops::Range;

/// The bits of hashes that slots keep, where numbers leave room for them. (In tests few, so that they are the same in many slots.)
const KEPT: u32 = if cfg!(test) { 0xC000_0000 } else { u32::MAX };

/// What stands at positions without an indexed term.
pub(super) const HOLE: u32 = u32::MAX;

/// Documents and their tokens, by where the tokens of each end.
pub(super) fn documents(ends: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0;
    ends.iter().map(move |&end| std::mem::replace(&mut begin, end as usize)..end as usize)
}

/// The terms of a field and their numbers, from 0 in the order of their first occurrence.
#[derive(Debug)]
pub(super) struct Terms {
    slots: Vec<u32>,
    records: Vec<Record>,
    /// The bytes of all terms, one after the other.
    arena: Vec<u8>,
    seed: u64,
    most: u32,
}

#[derive(Debug, Clone, Copy)]
struct Record {
    /// Its first eight bytes, with zeros for those that are missing.
    word: u64,
    /// Where in the arena it begins; it ends where the next one begins.
    begin: u32,
    count: u32,
}

impl Terms {
    /// No terms.
    pub fn new() -> Terms {
        let slots = vec![0; 1024];
        Terms { slots, records: Vec::new(), arena: Vec::new(), seed: hash::seed_of_process(), most: 0 }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.table() + self.arena.capacity() + self.records.capacity() * size_of::<Record>()
    }

    /// Bytes of the table that [`freeze`](Self::freeze) gives up.
    pub fn table(&self) -> usize {
        size_of_val(&self.slots[..])
    }

    /// Bytes of terms. They are found by 32 bits, so it must stay below 2^32.
    pub fn bytes(&self) -> usize {
        self.arena.len()
    }

    /// The greatest count.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The number of a term, which is new if need be. Counts one occurrence. `None` if there is no memory for it; nothing has changed
    /// then.
    #[inline]
    pub fn count(&mut self, term: &[u8]) -> Option<u32> {
        let number = self.number(term)?;
        self.count_again(number);
        Some(number)
    }

    /// Counts one occurrence of a term.
    #[inline]
    pub fn count_again(&mut self, number: u32) {
        let count = &mut self.records[number as usize].count;
        *count += 1;
        self.most = self.most.max(*count);
    }

    /// As [`count`](Self::count), without counting.
    #[inline]
    pub fn number(&mut self, term: &[u8]) -> Option<u32> {
        let word = hash::word(term);
        let hash = self.hash(term, word);
        let mask = self.slots.len() as u32 - 1;
        let mut at = hash & mask;
        loop {
            let slot = self.slots[at as usize];
            if slot == 0 {
                return self.add(term, word, hash, at as usize);
            }
            if (slot ^ hash) & !mask & KEPT == 0 {
                let number = (slot & mask) - 1;
                if self.records[number as usize].word == word && self.is_same_after_word(number, term) {
                    return Some(number);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// What chooses a term's slot, given its first eight bytes.
    #[inline(always)]
    fn hash(&self, term: &[u8], word: u64) -> u32 {
        let mut state = hash::step(hash::start(self.seed, term.len()), word);
        for chunk in term.chunks(8).skip(1) {
            state = hash::step(state, hash::word(chunk));
        }
        (hash::end(state) >> 32) as u32
    }

    /// Whether a term is this one, whose first eight bytes it has.
    #[inline(always)]
    fn is_same_after_word(&self, number: u32, term: &[u8]) -> bool {
        let Range { start, end } = self.place(number);
        end - start == term.len() && (term.len() <= 8 || self.arena[start + 8..end] == term[8..])
    }

    /// Where the bytes of a term are.
    #[inline(always)]
    fn place(&self, number: u32) -> Range<usize> {
        let begin = self.records[number as usize].begin as usize;
        begin..self.records.get(number as usize + 1).map_or(self.arena.len(), |next| next.begin as usize)
    }

    #[cold]
    fn add(&mut self, term: &[u8], word: u64, hash: u32, slot: usize) -> Option<u32> {
        let number = self.records.len() as u32;
        memory::reserve(&mut self.arena, term.len()).ok()?;
        memory::reserve(&mut self.records, 1).ok()?;
        let is_full = 2 * (self.records.len() + 1) > self.slots.len();
        let more = if is_full { zeros(2 * self.slots.len()).ok()? } else { Vec::new() };
        self.records.push(Record { word, begin: self.arena.len() as u32, count: 0 });
        self.arena.extend_from_slice(term);
        match is_full {
            true => self.grow(more),
            false => self.slots[slot] = hash & !(self.slots.len() as u32 - 1) | (number + 1),
        }
        Some(number)
    }

    /// Moves to a table of more slots, all empty.
    fn grow(&mut self, mut empty: Vec<u32>) {
        let mask = empty.len() as u32 - 1;
        for (number, record) in (0..).zip(&self.records) {
            let hash = self.hash(self.term(number), record.word);
            let mut at = hash & mask;
            while empty[at as usize] != 0 {
                at = (at + 1) & mask;
            }
            empty[at as usize] = hash & !mask | (number + 1);
        }
        self.slots = empty;
    }

    /// Takes back one count of a term.
    pub fn uncount(&mut self, number: u32) {
        self.records[number as usize].count -= 1;
    }

    /// How often a term was counted.
    pub fn counted(&self, number: u32) -> u32 {
        self.records[number as usize].count
    }

    /// The bytes of a term.
    pub fn term(&self, number: u32) -> &[u8] {
        &self.arena[self.place(number)]
    }

    /// Gives up the table, so that only known numbers can be used.
    pub fn freeze(&mut self) {
        self.slots = Vec::new();
    }

    /// Bytes that [`Terms::sorted`] needs for each term.
    pub const SORTING: usize = size_of::<(u64, u32)>() + size_of::<u32>();

    /// The numbers in ascending order of the terms' bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn sorted(&self) -> Result<Vec<u32>> {
        // Most comparisons need the first eight bytes only. Missing bytes count as zeros there, so equality says nothing.
        let keys = (0..).zip(&self.records).map(|(number, record)| (record.word.swap_bytes(), number));
        let mut keys: Vec<(u64, u32)> = collected(keys)?;
        keys.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.term(a.1).cmp(self.term(b.1))));
        collected(keys.into_iter().map(|(_, number)| number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashMap};

    proptest! {
        #[test]
        fn numbers_and_counts_are_those_of_a_map(words in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0u8), Just(1), any::<u8>()], 0..20), 0..3000)) {
            let mut terms = Terms::new();
            let mut model: HashMap<Vec<u8>, (u32, u32)> = HashMap::new();
            for word in &words {
                let next = model.len() as u32;
                let expected = model.entry(word.clone()).or_insert((next, 0));
                expected.1 += 1;
                prop_assert_eq!(terms.count(word), Some(expected.0));
            }
            terms.freeze();
            prop_assert_eq!(terms.most(), model.values().map(|value| value.1).max().unwrap_or(0));
            for (word, &(number, count)) in &model {
                prop_assert_eq!((terms.term(number), terms.counted(number)), (&word[..], count));
            }
            let sorted: BTreeMap<_, _> = model.into_iter().collect();
            prop_assert_eq!(terms.sorted().unwrap(), sorted.values().map(|value| value.0).collect::<Vec<_>>());
        }
    }
}
