//! [`Terms`]: numbers for the distinct terms of a field, while a segment is gathered in memory.
//!
//! A hash table with linear probing, at most half full. A slot is the upper half of the term's hash and one more than the
//! place of its record in the arena; 0 is an empty slot. Slots are chosen by that half, so that growing needs no term.
//! A record is the term's number (u32), its length (u16) and its bytes. A look-up costs about two cache misses for a rare
//! term, none for a common one.

use super::format::u32_at;
use super::hash;
use crate::base::error::Result;
use crate::base::memory::{self, collected, zeros};
use std::ops::Range;

const RECORD: usize = 6;

/// Zeros at the end of the arena, so that eight bytes can be read where a term begins.
const PADDING: usize = 8;

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
    slots: Vec<u64>,
    arena: Vec<u8>,
    terms: Vec<Term>,
    seed: u64,
    most: u32,
}

#[derive(Debug, Clone, Copy)]
struct Term {
    place: u32,
    count: u32,
}

impl Terms {
    /// No terms.
    pub fn new() -> Terms {
        let (slots, arena) = (vec![0; 1024], vec![0; PADDING]);
        Terms { slots, arena, terms: Vec::new(), seed: hash::seed_of_process(), most: 0 }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.table() + self.arena.capacity() + self.terms.capacity() * size_of::<Term>()
    }

    /// Bytes of the table that [`freeze`](Self::freeze) gives up.
    pub fn table(&self) -> usize {
        size_of_val(&self.slots[..])
    }

    /// Bytes of terms and records. Records are found by 32 bits, so it must stay below 2^32.
    pub fn bytes(&self) -> usize {
        self.arena.len()
    }

    /// The greatest count.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The number of a term of at most 65,535 bytes, which is new if need be. Counts one occurrence. `None` if there is no
    /// memory for it; nothing has changed then.
    #[inline]
    pub fn count(&mut self, term: &[u8]) -> Option<u32> {
        let number = self.number(term)?;
        self.count_again(number);
        Some(number)
    }

    /// Counts one occurrence of a term.
    #[inline]
    pub fn count_again(&mut self, number: u32) {
        let count = &mut self.terms[number as usize].count;
        *count += 1;
        self.most = self.most.max(*count);
    }

    /// As [`count`](Self::count), without counting.
    #[inline]
    pub fn number(&mut self, term: &[u8]) -> Option<u32> {
        let length = term.len();
        let first = hash::word(term);
        let mut state = hash::step(hash::start(self.seed, length), first);
        for chunk in term.chunks(8).skip(1) {
            state = hash::step(state, hash::word(chunk));
        }
        let tag = (hash::end(state) >> 32) as u32;
        let used = u64::MAX.checked_shr(64 - 8 * length.min(8) as u32).unwrap_or(0);
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return self.add(term, tag, at);
            }
            if (slot >> 32) as u32 == tag {
                let record = &self.arena[slot as u32 as usize - 1..];
                if let Some((head, bytes)) = record.split_first_chunk::<RECORD>()
                    && u16::from_le_bytes([head[4], head[5]]) as usize == length
                    && hash::word(bytes) & used == first
                    && (length <= 8 || bytes[8..length] == term[8..])
                {
                    return Some(u32_at(head, 0));
                }
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, term: &[u8], tag: u32, slot: usize) -> Option<u32> {
        let number = self.terms.len() as u32;
        let place = (self.arena.len() - PADDING) as u32;
        memory::reserve(&mut self.arena, RECORD + term.len()).ok()?;
        memory::reserve(&mut self.terms, 1).ok()?;
        let is_full = 2 * (self.terms.len() + 1) > self.slots.len();
        let more = if is_full { zeros(2 * self.slots.len()).ok()? } else { Vec::new() };
        self.arena.truncate(place as usize);
        self.arena.extend(number.to_le_bytes());
        self.arena.extend((term.len() as u16).to_le_bytes());
        self.arena.extend(term);
        self.arena.extend([0; PADDING]);
        self.terms.push(Term { place, count: 0 });
        self.slots[slot] = u64::from(tag) << 32 | u64::from(place + 1);
        if is_full {
            self.grow(more);
        }
        Some(number)
    }

    /// Moves to a table of more slots, all empty.
    fn grow(&mut self, empty: Vec<u64>) {
        let mask = empty.len() - 1;
        let old = std::mem::replace(&mut self.slots, empty);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = (slot >> 32) as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// Takes back one count of a term.
    pub fn uncount(&mut self, number: u32) {
        self.terms[number as usize].count -= 1;
    }

    /// How often a term was counted.
    pub fn counted(&self, number: u32) -> u32 {
        self.terms[number as usize].count
    }

    /// The bytes of a term.
    pub fn term(&self, number: u32) -> &[u8] {
        let record = &self.arena[self.terms[number as usize].place as usize..];
        let length = u16::from_le_bytes([record[4], record[5]]);
        &record[RECORD..][..length.into()]
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
        let key = |number| (hash::word(self.term(number)).swap_bytes(), number);
        let mut keys: Vec<(u64, u32)> = collected((0..self.terms.len() as u32).map(key))?;
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
